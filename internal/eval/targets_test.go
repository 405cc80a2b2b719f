package eval

import (
	"math"
	"testing"
)

// TestChecks marks each gate and target of a run, met and missed, and what was never
// measured.
func TestChecks(t *testing.T) {
	t.Parallel()
	row := func(calls int, cost, ms float64) Row {
		r := Row{Ms: ms, Path: Path{Cost: cost, Answered: true, Turns: calls + 1}, Grades: []Grade{{Name: "verdict", Score: 1, Applies: true}}}
		for i := range calls {
			r.Path.Calls = append(r.Path.Calls, Call{Tool: "look", Args: []byte{'0' + byte(i)}, Turn: i + 1, Came: true})
		}
		return r
	}
	r := Result{
		Rows: []Row{row(2, 0.5, 10), row(5, 1.5, 30)}, Targets: PathTargets(),
		Means: map[string]Interval{"verdict": {Mean: 1}, "low": {Mean: 0.5}}, Gates: map[string]float64{"verdict": 0.95, "low": 0.6, "never": 0.1},
	}
	want := map[string]struct{ holds, empty bool }{
		"verdict": {true, false}, "low": {false, false}, "never": {false, true},
		"tools_per_case": {false, false}, "path_length": {false, false}, "redundant_calls": {true, false}, "circular_rate": {true, false},
		"self_correction_rate": {true, true},
	}
	got := r.Checks()
	if len(got) != len(want) || r.Passed() {
		t.Errorf("%d checks, passed %v", len(got), r.Passed())
	}
	for _, c := range got {
		if w := want[c.Name]; c.Holds != w.holds || c.Empty != w.empty {
			t.Errorf("P-133 P-143 P-145 %s: got %+v, want %+v", c.Name, c, w)
		}
	}
	m := FiguresOf(r.Rows).Metrics()
	if math.Abs(m["tools_per_case"]-3.5) > 1e-9 || math.Abs(m["path_length"]-4.5) > 1e-9 || m["cost_per_case"] != 1 || m["ms_per_case"] != 20 {
		t.Errorf("P-177 got %v", m)
	}
	r.Rows, r.Gates = r.Rows[:1], map[string]float64{"verdict": 0.95}
	if !r.Passed() {
		t.Errorf("everything is met: %+v", r.Checks())
	}
}

// TestPathSteps counts calls of one turn as one step.
func TestPathSteps(t *testing.T) {
	t.Parallel()
	p := Path{Answered: true, Calls: []Call{{Turn: 1}, {Turn: 1}, {Turn: 2}, {Turn: 4}}}
	if got := p.Steps(); got != 4 {
		t.Errorf("P-143 got %d steps, want 3 turns and the answer", got)
	}
}
