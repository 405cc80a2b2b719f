package eval

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"dossier"
	"dossier/internal/agent"
)

func TestSubset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, got string
		holds     bool
	}{
		{`["a","a"]`, `["a","b"]`, false}, // one of them stands for one only
		{`["a","b"]`, `["b","a"]`, true},
		{`[{"x":1},{"x":1,"y":2}]`, `[{"x":1,"y":3},{"x":1,"y":2}]`, true},
		{`true`, `"true"`, false},
		{`5`, `"5"`, false},
		{`null`, `"<nil>"`, false},
		{`5`, `5.0`, true},
		{`{"a":1}`, `{"a":1,"b":2}`, true},
		{`[]`, `["a"]`, false},
		{`{}`, `[]`, false},
	} {
		if miss := Subset(json.RawMessage(c.want), json.RawMessage(c.got)); (miss == "") != c.holds {
			t.Errorf("%s in %s: got %q", c.want, c.got, miss)
		}
	}
}

// TestNothingIsShownByNothing grades agents that answer without a call: what is measured
// by calls is not praised.
func TestNothingIsShownByNothing(t *testing.T) {
	t.Parallel()
	row := GradeTrace(t.Context(), Suite{Graders: PathGraders(ideal)}, Example{Name: "x"}, planted(t, `{"verdict":"pass"}`))
	for name, applies := range map[string]bool{"parameter_accuracy": false, "tool_choice_accuracy": true, "path_efficiency": true, "trajectory_optimality": true} {
		if score, got := row.Score(name); score != 0 || got != applies {
			t.Errorf("%s: got %v, applies %v", name, score, got)
		}
	}
	r := Result{Rows: []Row{row}, Gates: map[string]float64{"parameter_accuracy": 0.98}}
	r.Summarise(Suite{Graders: PathGraders(ideal)})
	if r.Passed() {
		t.Error("P-132 a gate is passed by calling nothing")
	}
}

func TestConflictAsksOnlyWhatIsSaid(t *testing.T) {
	t.Parallel()
	g := ConflictDetection("x", 5)
	const clash = `{"verdict":"fail","affected_employee_ids":["B","A"],"evidence":[]}`
	for _, c := range []struct {
		want           string
		applies, right bool
	}{
		{`{"verb":"approve"}`, false, false},
		{`{"verdict":"fail"}`, false, false},
		{`{"should_detect_conflict":true}`, true, true},
		{`{"affected_employee_ids":["A","B"]}`, true, true},
		{`{"affected_employee_ids":[]}`, true, false},
		{`{"affected_employee_ids":["A","B"],"overlap_minutes":{"A":0}}`, true, false},
	} {
		got, err := g.Grade(t.Context(), Example{Want: json.RawMessage(c.want)}, planted(t, clash))
		if err != nil || got.Applies != c.applies || got.Score != yes(c.right) {
			t.Errorf("%s: got %+v %v", c.want, got, err)
		}
	}
}

func TestTimeFormatReadsHours(t *testing.T) {
	t.Parallel()
	g := TimeFormat("x")
	for text, want := range map[string]float64{
		"from 7 pm on": 0, "at 11AM": 0, "at 24:30": 0, "until 24:00": 1, "I am on 7 days": 1, "EMP-10 amended": 1, "at 7 p.m. sharp": 0,
	} {
		raw, err := json.Marshal(map[string]string{"reasoning": text})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Grade(t.Context(), Example{}, Trace{Answer: raw}); err != nil || got.Score != want {
			t.Errorf("P-120 %q: got %+v %v", text, got, err)
		}
	}
}

// TestRuleAgreementNamesRiders holds an answer against the riders that the rule named,
// and against words that are no verdict.
func TestRuleAgreementNamesRiders(t *testing.T) {
	t.Parallel()
	g := RuleAgreement("rule_agreement")
	for answer, want := range map[string]float64{
		`{"verdict":"fail","confidence":5,"affected_employee_ids":["A","B"]}`:     1,
		`{"verdict":"fail","confidence":5,"affected_employee_ids":["B","A"]}`:     1,
		`{"verdict":"fail","confidence":5,"affected_employee_ids":["A"]}`:         0,
		`{"verdict":"fail","confidence":5,"affected_employee_ids":["A","B","C"]}`: 0,
		`{"verdict":"fail","confidence":5}`:                                       0,
		`{"verdict":"","confidence":5,"affected_employee_ids":["A","B"]}`:         0,
	} {
		tr := planted(t, answer, `look {"v":1}`)
		raw, err := json.Marshal(agent.Came{Call: "c0", Tool: "look", Value: json.RawMessage(`{"result":{"verdict":"fail","affected_employee_ids":["A","B"]}}`)})
		if err != nil {
			t.Fatal(err)
		}
		tr.Steps[1].Body = raw
		tr.Findings = []dossier.Finding{{Verdict: dossier.Fail, Confidence: 100}}
		if got, err := g.Grade(t.Context(), Example{}, tr); err != nil || got.Score != want {
			t.Errorf("%s: got %+v %v", answer, got, err)
		}
	}
}

// TestAnswersThatAreNot counts what is no answer of the player's: none at all, a row that
// could not be played, and one for which the reference policy stepped in. Each is wrong,
// whatever was wanted, and none says anything about confidence.
func TestAnswersThatAreNot(t *testing.T) {
	t.Parallel()
	right := json.RawMessage(`{"verdict":"pass","confidence":5}`)
	want := Example{Want: json.RawMessage(`{"verdict":"pass"}`)}
	for name, row := range map[string]Row{
		"none": {Example: want}, "failed": {Example: want, Got: right, Failure: "It broke."}, "stepped in": {Example: want, Got: right, Path: Path{Fallback: 1}},
	} {
		f := FiguresOf([]Row{row, {Example: want, Got: right}})
		if f.FalsePositive != 0.5 || len(f.Calibration.Bins) != 1 || f.Calibration.Bins[0].Count != 1 {
			t.Errorf("P-178 %s: got %v and %+v", name, f.FalsePositive, f.Calibration)
		}
	}
}

// TestEachStepHasItsBin works out the calibration error of the five steps by hand: 4 is
// right each time and 5 in four of five, so each is 0.2 off.
func TestEachStepHasItsBin(t *testing.T) {
	t.Parallel()
	var sure []float64
	var right []bool
	for step := 1; step <= 5; step++ {
		for i := range 5 {
			sure, right = append(sure, float64(step)/5), append(right, step == 4 || i < step && step != 5 || step == 5 && i < 4)
		}
	}
	c := Calibrate(sure, right, 5)
	if len(c.Bins) != 5 || math.Abs(c.Error-0.08) > 1e-9 || math.Abs(c.Worst-0.2) > 1e-9 {
		t.Errorf("P-179 got %+v", c)
	}
	for i, b := range c.Bins {
		if b.Count != 5 || math.Abs(b.Confidence-float64(i+1)/5) > 1e-9 {
			t.Errorf("P-179 bin %d: got %+v", i, b)
		}
	}
	if c := Calibrate([]float64{-1, 0, 2, math.Inf(1)}, make([]bool, 4), 5); c.Bins[0].Count != 2 || c.Bins[1].Count != 2 {
		t.Errorf("what is no confidence: %+v", c.Bins)
	}
}

// repeated plays 40 examples n times, of which the first ones are wrong each time.
func repeated(player string, n, wrong int, cost float64) Result {
	r := Result{App: "x", Suite: "s", Player: player, Cost: cost, Means: map[string]Interval{"right": {}}}
	for i := range 40 * n {
		ex := Example{Name: fmt.Sprint("ex-", i%40), Complexity: "simple"}
		r.Rows = append(r.Rows, Row{Example: ex, Repeat: i / 40, Grades: []Grade{{Name: "right", Score: yes(i%40 >= wrong), Applies: true}}})
	}
	return r
}

// TestRepeatsAreNoExamples proves that playing the same examples again makes no interval
// narrower, neither of a mean nor of a change, and so lets no model pass.
func TestRepeatsAreNoExamples(t *testing.T) {
	t.Parallel()
	once, often := repeated("big", 1, 0, 9), repeated("big", 50, 0, 9)
	if a, b := repeated("small", 1, 4, 1).Mean("right"), repeated("small", 50, 4, 1).Mean("right"); a != b || a.Mean != 0.9 || a.High-a.Low < 0.1 {
		t.Errorf("P-098 mean: once %+v, often %+v", a, b)
	}
	for _, base := range []Result{once, often} {
		n := len(base.Rows) / 40
		e, err := Contest("right", base, repeated("small", n, 1, 1))
		if err != nil {
			t.Fatal(err)
		}
		if d := e.Others[0].Decision; d.Replace || d.Drop.Mean != 2.5 || d.Drop.Low != 0 || d.Drop.High < 5 {
			t.Errorf("P-125 played %d times: got %+v", n, d)
		}
		c, err := Compare(base, repeated("small", n, 1, 1))
		if err != nil {
			t.Fatal(err)
		}
		if ch := c.Change["right"]; ch.Mean != -0.025 || ch.Low > -0.05 || ch.High != 0 {
			t.Errorf("P-115 played %d times: got %+v", n, ch)
		}
	}
}

// TestContestPairsByExample pairs scores by name, not by place, and counts a row that
// could not be played without refusing the rest.
func TestContestPairsByExample(t *testing.T) {
	t.Parallel()
	row := func(name, grade string, score float64) Row {
		return Row{Example: Example{Name: name, Complexity: "simple"}, Grades: []Grade{{Name: grade, Score: score, Applies: true}}}
	}
	broken := Row{Example: Example{Name: "b", Complexity: "simple"}, Failure: "It broke."}
	base := Result{App: "x", Suite: "s", Player: "big", Rows: []Row{row("a", "right", 1), row("b", "else", 1), row("c", "right", 0)}}
	other := Result{App: "x", Suite: "s", Player: "small", Rows: []Row{row("a", "right", 1), broken, row("c", "right", 1)}}
	e, err := Contest("right", base, other)
	if err != nil || e.Others[0].Change.Mean != 0.5 {
		t.Errorf("got %+v %v", e, err)
	}
	swapped := Result{App: "x", Suite: "s", Player: "small", Rows: []Row{row("a", "right", 1), row("b", "right", 1), row("c", "else", 1)}}
	if _, err := Contest("right", base, swapped); err == nil {
		t.Error("a grade about other examples must be refused, however many they are")
	}
}
