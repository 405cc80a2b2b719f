package eval

import (
	"slices"

	"dossier"
)

// An Experiment is several players on the same examples: the first is the baseline.
type Experiment struct {
	Suite   string   `json:"suite"`
	Grade   string   `json:"grade"` // what is compared
	Tags    []string `json:"tags"`
	Base    Arm      `json:"base"`
	Others  []Versus `json:"others"`
	Results []string `json:"results,omitempty"` // ids under which the runs are stored
}

// A Versus is a challenger against the baseline.
type Versus struct {
	Arm
	Change   Interval `json:"change"` // of the grade, paired by example
	Decision Decision `json:"decision"`
}

// ArmOf reads the arm of a player out of a run: its scores in one grade, overall and
// by complexity. Where a suite has no simple or no edge examples, that part is as good
// as the whole.
func ArmOf(r Result, grade string) Arm {
	a := Arm{Name: r.Player, CostPer: r.Cost}
	var simple, edge []float64
	for _, row := range r.Rows {
		a.Ms += row.Ms / float64(len(r.Rows))
		score, applies := row.Score(grade)
		if !applies {
			continue
		}
		if row.Example.Complexity == "simple" {
			simple = append(simple, score)
		} else {
			edge = append(edge, score)
		}
	}
	if a.Simple, a.Edge = mean(simple), mean(edge); len(simple) == 0 {
		a.Simple = a.Edge
	} else if len(edge) == 0 {
		a.Edge = a.Simple
	}
	_, played := scores(r.Rows, grade)
	for _, xs := range played {
		a.Scores = append(a.Scores, mean(xs))
	}
	return a
}

// paired returns the scores of two arms over the examples that both have, repeats taken
// together, and false if the grade is about other examples of one than of the other. A
// row that could not be played scores 0 in every grade; where the other arm shows that
// the grade is not about that example, it says nothing.
func paired(a, b Result, grade string) (xs, ys []float64, ok bool) {
	failed := func(r Row) bool { return r.Failure != "" }
	about := map[string]bool{}
	for _, r := range []Result{a, b} {
		names, _ := scores(slices.DeleteFunc(slices.Clone(r.Rows), failed), grade)
		for _, name := range names {
			about[name] = true
		}
	}
	names, played := scores(b.Rows, grade)
	other := map[string]float64{}
	for i, name := range names {
		other[name] = mean(played[i])
	}
	names, played = scores(a.Rows, grade)
	for i, name := range names {
		y, both := other[name]
		if !both && about[name] {
			return nil, nil, false
		}
		if both {
			xs, ys = append(xs, mean(played[i])), append(ys, y)
		}
		delete(other, name)
	}
	for name := range other {
		if about[name] {
			return nil, nil, false
		}
	}
	return xs, ys, true
}

// Contest compares challengers with a baseline over the same examples and applies the
// decision rule to each.
func Contest(grade string, base Result, others ...Result) (Experiment, error) {
	e := Experiment{Suite: base.App + "/" + base.Suite, Grade: grade, Tags: []string{"ab_test", base.Player}, Base: ArmOf(base, grade)}
	if len(e.Base.Scores) == 0 {
		return e, dossier.Errorf(dossier.Invalid, "%s has no grade %q to compare by.", e.Suite, grade)
	}
	for _, o := range others {
		if !sameExamples(base, o) {
			return e, dossier.Errorf(dossier.Invalid, "%s and %s did not play the same examples.", base.Player, o.Player)
		}
		was, arm, same := e.Base, ArmOf(o, grade), false
		if was.Scores, arm.Scores, same = paired(base, o, grade); !same {
			return e, dossier.Errorf(dossier.Invalid, "%s applies to other examples of %s than of %s.", grade, o.Player, base.Player)
		}
		e.Tags = append(e.Tags, o.Player)
		e.Others = append(e.Others, Versus{arm, PairedBootstrap(was.Scores, arm.Scores, 2000, 1), Decide(was, arm, 1)})
	}
	return e, nil
}

func sameExamples(a, b Result) bool {
	names := func(r Result) []string {
		out := make([]string, len(r.Rows))
		for i, row := range r.Rows {
			out[i] = row.Example.Name
		}
		return out
	}
	return a.App == b.App && a.Suite == b.Suite && slices.Equal(names(a), names(b))
}
