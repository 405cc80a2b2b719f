package eval

import (
	"fmt"
	"strings"
	"sync"

	"dossier"
)

// The bars of the path graders.
const (
	mostTools = 3 // calls of a case
	mostSteps = 4 // of a path
)

// An Ideal says what an agent should have called for an example, and false if nobody
// knows.
type Ideal func(Example) (Choice, bool)

// PathGraders grade the way an agent took: its choice of tools and arguments, their
// order, what it did about failures, and how direct it was. Higher is better in all;
// the rates of a whole run are in [Figures].
func PathGraders(ideal Ideal) []Grader {
	choice := func(name string, score func(ChoiceReport) (float64, bool, string)) Grader {
		return heuristic(name, func(ex Example, tr Trace) (float64, bool, string) {
			want, ok := ideal(ex)
			if !ok {
				return 0, false, ""
			}
			r, err := tr.choice(want)
			if err != nil {
				return 0, true, err.Error()
			}
			return score(r)
		})
	}
	way := func(name string, known bool, score func(Trajectory) (float64, bool, string)) Grader {
		return heuristic(name, func(ex Example, tr Trace) (float64, bool, string) {
			want, ok := ideal(ex)
			if known && !ok {
				return 0, false, ""
			}
			t, err := tr.way(want.Tools)
			if err != nil {
				return 0, true, err.Error()
			}
			return score(t)
		})
	}
	return []Grader{
		choice("tool_choice_accuracy", func(r ChoiceReport) (float64, bool, string) {
			return r.Score, true, fmt.Sprintf("missing %v, unnecessary %v, made up %v", r.Missing, r.Unnecessary, r.MadeUp)
		}),
		choice("parameter_accuracy", func(r ChoiceReport) (float64, bool, string) {
			if len(r.MadeUp) > 0 {
				return 0, true, "made up: " + strings.Join(r.MadeUp, "; ")
			}
			return r.Args, r.Checked > 0, strings.Join(r.WrongArgs, "; ") // who calls nothing shows nothing
		}),
		choice("sequencing", func(r ChoiceReport) (float64, bool, string) {
			return yes(len(r.WrongOrder) == 0), true, strings.Join(r.WrongOrder, "; ")
		}),
		way("error_handling", false, func(t Trajectory) (float64, bool, string) {
			return 1 - float64(min(t.Unheeded, t.Failures))/float64(max(1, t.Failures)), t.Failures > 0, "a failed call was repeated unchanged and failed again"
		}),
		way("self_correction", false, func(t Trajectory) (float64, bool, string) {
			return float64(t.Corrected) / float64(max(1, t.Correctable)), t.Correctable > 0, "a failure that could be mended was not"
		}),
		way("trajectory_optimality", true, func(t Trajectory) (float64, bool, string) {
			return t.Optimality, true, fmt.Sprintf("%d edits from the best way", t.Distance)
		}),
		way("path_efficiency", true, func(t Trajectory) (float64, bool, string) {
			return t.Efficiency, true, fmt.Sprintf("%d calls", t.Length)
		}),
		way("no_redundant_calls", false, func(t Trajectory) (float64, bool, string) {
			return 1 - float64(t.Redundant)/float64(max(1, t.Length)), true, fmt.Sprintf("%d of %d calls learned nothing new", t.Redundant, t.Length)
		}),
		way("no_circles", false, func(t Trajectory) (float64, bool, string) {
			return yes(t.Shape != Circular), true, "it went in circles"
		}),
		way("came_to_an_end", false, func(t Trajectory) (float64, bool, string) {
			return yes(t.Shape != DeadEnd), true, "it came to no answer"
		}),
		way("tools_within_bound", false, func(t Trajectory) (float64, bool, string) {
			return min(1, float64(t.Bound)/float64(max(1, t.Length))), true, fmt.Sprintf("%d calls, %d are the bound", t.Length, t.Bound)
		}),
	}
}

// A memo keeps what several graders of one trace need.
type memo struct {
	mu    sync.Mutex
	path  *Path
	err   error
	ways  map[string]Trajectory
	picks *ChoiceReport
}

// Path returns what the trace did, in order.
func (tr Trace) Path() (Path, error) {
	if tr.memo == nil {
		return PathOf(tr.Steps)
	}
	tr.memo.mu.Lock()
	defer tr.memo.mu.Unlock()
	if tr.memo.path == nil {
		p, err := PathOf(tr.Steps)
		tr.memo.path, tr.memo.err = &p, err
	}
	return *tr.memo.path, tr.memo.err
}

func (tr Trace) way(best []string) (Trajectory, error) {
	p, err := tr.Path()
	if err != nil || tr.memo == nil {
		return Measure(p, best), err
	}
	key := strings.Join(best, " ")
	tr.memo.mu.Lock()
	defer tr.memo.mu.Unlock()
	t, ok := tr.memo.ways[key]
	if !ok {
		t = Measure(p, best)
		if tr.memo.ways == nil {
			tr.memo.ways = map[string]Trajectory{}
		}
		tr.memo.ways[key] = t
	}
	return t, nil
}

func (tr Trace) choice(want Choice) (ChoiceReport, error) {
	p, err := tr.Path()
	if err != nil || tr.memo == nil {
		return Choose(p, want), err
	}
	tr.memo.mu.Lock()
	defer tr.memo.mu.Unlock()
	if tr.memo.picks == nil {
		r := Choose(p, want)
		tr.memo.picks = &r
	}
	return *tr.memo.picks, nil
}

// TraceOf returns the trace of a stored run, so that it can be graded without being
// run again.
func TraceOf(run dossier.Run, steps []dossier.Step, seen []dossier.Evidence, found []dossier.Finding, asked []dossier.Approval) Trace {
	return Trace{Answer: run.Answer, Steps: steps, Evidence: seen, Findings: found, Approvals: asked, Failure: run.Failure}
}
