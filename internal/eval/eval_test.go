package eval

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ok(tool, args, value string) Call {
	return Call{Tool: tool, Args: json.RawMessage(args), Value: json.RawMessage(value), Came: true}
}

func failed(tool, args string) Call {
	return Call{Tool: tool, Args: json.RawMessage(args), Value: json.RawMessage(`{"error":"no"}`), Came: true, Failed: true}
}

// together puts a call in the first turn.
func together(c Call) Call {
	c.Turn = 1
	return c
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	a, b := ok("a", `{"x":1}`, `{"p":1,"q":2}`), ok("b", `{}`, `{"r":3}`)
	best := []string{"a", "b"}
	for _, c := range []struct {
		name       string
		path       Path
		shape      Shape
		distance   int
		optimality float64
		efficiency float64
		redundant  int
		corrected  int
	}{
		{"best", Path{Calls: []Call{a, b}, Answered: true}, Optimal, 0, 1, 1, 0, 0},
		{"detour", Path{Calls: []Call{a, ok("z", `{}`, `{"s":4}`), b}, Answered: true}, Exploratory, 1, 2.0 / 3, 2.0 / 3, 0, 0},
		{"mended", Path{Calls: []Call{failed("a", `{}`), a, b}, Answered: true}, Recovery, 1, 2.0 / 3, 2.0 / 3, 0, 1},
		{"circular", Path{Calls: []Call{a, a, a, b}, Answered: true}, Circular, 2, 0.5, 0.5, 2, 0},
		{"repeated error", Path{Calls: []Call{failed("a", `{}`), failed("a", `{}`), b}, Answered: true}, Circular, 1, 2.0 / 3, 2.0 / 3, 1, 0},
		{"gave up", Path{Calls: []Call{a}}, DeadEnd, 1, 0.5, 1, 0, 0},
		{"failed and answered for", Path{Calls: []Call{a, failed("b", `{}`)}, Answered: true}, Optimal, 0, 1, 1, 0, 0},
		{"tried again in vain", Path{Calls: []Call{a, failed("b", `{}`), failed("b", `{"x":2}`)}, Answered: true}, DeadEnd, 1, 2.0 / 3, 2.0 / 3, 0, 0},
		{"nothing done", Path{Answered: true}, Exploratory, 2, 0, 0, 0, 0},
		{"other calls", Path{Calls: []Call{ok("y", `{}`, `{"s":4}`), ok("z", `{}`, `{"s":5}`)}, Answered: true}, Exploratory, 2, 0, 0, 0, 0},
		{"together in another order", Path{Calls: []Call{together(b), together(a)}, Answered: true}, Optimal, 0, 1, 1, 0, 0},
		{"one after the other in another order", Path{Calls: []Call{b, a}, Answered: true}, Exploratory, 2, 0, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Measure(c.path, best)
			if got.Shape != c.shape || got.Distance != c.distance || got.Redundant != c.redundant || got.Corrected != c.corrected ||
				math.Abs(got.Optimality-c.optimality) > 1e-9 || math.Abs(got.Efficiency-c.efficiency) > 1e-9 {
				t.Errorf("got %+v, want %+v", got, c)
			}
		})
	}
}

func TestGains(t *testing.T) {
	t.Parallel()
	calls := []Call{ok("a", `{}`, `{"p":1,"q":2,"r":[1,2]}`), ok("a", `{}`, `{"p":1,"q":2,"r":[1,2]}`), ok("b", `{}`, `{"p":1}`), failed("c", `{}`)}
	want := []float64{0.8, 0, 0.2, 0}
	if diff := cmp.Diff(want, gains(calls)); diff != "" {
		t.Errorf("gains (-want +got):\n%s", diff)
	}
	if got := Measure(Path{Calls: calls}, nil).Enough; got != 3 {
		t.Errorf("enough after %d calls, want 3", got)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	want := Choice{
		Tools: []string{"roster", "shifts"}, Allowed: []string{"case"}, Before: [][2]string{{"roster", "shifts"}},
		Args: map[string]json.RawMessage{"shifts": json.RawMessage(`{"ids":["E1","E2"]}`)}, Known: []string{"roster", "shifts", "case", "mail"},
	}
	roster, shifts := ok("roster", `{}`, `1`), ok("shifts", `{"ids":["E2","E1"],"more":1}`, `2`)
	for _, c := range []struct {
		name  string
		calls []Call
		want  ChoiceReport
	}{
		{"right", []Call{roster, shifts}, ChoiceReport{Score: 1, Checked: 1, Args: 1}},
		{"allowed beside", []Call{roster, shifts, ok("case", `{}`, `3`)}, ChoiceReport{Score: 1, Checked: 1, Args: 1}},
		{"missing", []Call{roster}, ChoiceReport{Missing: []string{"shifts"}, Score: 0.5}},
		{"unnecessary", []Call{roster, shifts, ok("mail", `{}`, `3`)}, ChoiceReport{Unnecessary: []string{"mail"}, Score: 2.0 / 3, Checked: 1, Args: 1}},
		{
			"twice too often", []Call{roster, shifts, shifts, shifts},
			ChoiceReport{Unnecessary: []string{"shifts", "shifts"}, Score: 0.5, Checked: 3, Args: 1, Redundant: 0.5},
		},
		{
			"one id twice", []Call{roster, ok("shifts", `{"ids":["E1","E1"]}`, `2`)},
			ChoiceReport{WrongArgs: []string{"shifts: ids: E2 is missing"}, Score: 1, Checked: 1},
		},
		{"made up", []Call{roster, shifts, failed("invent", `{}`)}, ChoiceReport{MadeUp: []string{"invent"}, Score: 2.0 / 3, Checked: 1, Args: 1}},
		{"order", []Call{shifts, roster}, ChoiceReport{WrongOrder: []string{"roster before shifts"}, Score: 1, Checked: 1, Args: 1}},
		{
			"arguments", []Call{roster, ok("shifts", `{"ids":["E1","E3"]}`, `2`)},
			ChoiceReport{WrongArgs: []string{"shifts: ids: E2 is missing"}, Score: 1, Checked: 1},
		},
		{
			"same error again", []Call{failed("roster", `{}`), failed("roster", `{}`), shifts},
			ChoiceReport{Unheeded: []string{"roster"}, Score: 1, Checked: 1, Args: 1, Redundant: 1.0 / 3},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Choose(Path{Calls: c.calls}, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	var conf []float64
	var right []bool
	for i := range 100 {
		conf = append(conf, 0.95)
		right = append(right, i < 95)
	}
	if c := Calibrate(conf, right, 10); c.Error > 1e-9 || c.Off != 0 {
		t.Errorf("P-119 well calibrated: error %v", c.Error)
	}
	for i := range right {
		right[i] = i < 45
	}
	if c := Calibrate(conf, right, 10); math.Abs(c.Error-0.5) > 1e-9 || len(c.Bins) != 1 || c.Off != 1 || !c.Bins[0].Off {
		t.Errorf("overconfident: %+v", c)
	}
}

func TestAgreement(t *testing.T) {
	t.Parallel()
	a := []string{"y", "y", "n", "n", "y", "n", "y", "n"}
	if share, kappa := Agreement(a, a); share != 1 || kappa != 1 {
		t.Errorf("with itself: %v, %v", share, kappa)
	}
	b := []string{"n", "n", "y", "y", "n", "y", "n", "y"}
	if share, kappa := Agreement(a, b); share != 0 || kappa != -1 {
		t.Errorf("with its opposite: %v, %v", share, kappa)
	}
	constant := []string{"y", "y", "y", "y", "y", "y", "y", "y"}
	if share, kappa := Agreement(a, constant); share != 0.5 || math.Abs(kappa) > 1e-9 {
		t.Errorf("a judge that always says yes: %v, %v; its kappa must be 0", share, kappa)
	}
	if share, kappa := Agreement([]string{"x", "x"}, []string{"x", "x"}); share != 1 || kappa != 0 {
		t.Errorf("one word only: %v %v", share, kappa)
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	scores := func(n, wrong int) []float64 {
		s := make([]float64, n)
		for i := range s {
			if i >= wrong {
				s[i] = 1
			}
		}
		return s
	}
	base := Arm{Name: "strong", Simple: 0.99, Edge: 0.9, Scores: scores(1000, 10), CostPer: 10}
	for _, c := range []struct {
		name  string
		other Arm
		want  bool
	}{
		{"cheap and as good", Arm{Simple: 0.98, Edge: 0.85, Scores: scores(1000, 12), CostPer: 1}, true},
		{"too few simple", Arm{Simple: 0.94, Edge: 0.85, Scores: scores(1000, 12), CostPer: 1}, false},
		{"too few edge", Arm{Simple: 0.98, Edge: 0.79, Scores: scores(1000, 12), CostPer: 1}, false},
		{"three points worse", Arm{Simple: 0.98, Edge: 0.85, Scores: scores(1000, 40), CostPer: 1}, false},
		{"dearer and no better", Arm{Simple: 0.98, Edge: 0.85, Scores: scores(1000, 10), CostPer: 20}, false},
		{"too few examples to tell", Arm{Simple: 0.98, Edge: 0.85, Scores: scores(40, 2), CostPer: 1}, false},
	} {
		b := base
		b.Scores = b.Scores[:len(c.other.Scores)]
		if len(c.other.Scores) == 40 {
			b.Scores = scores(40, 1)
		}
		if got := Decide(b, c.other, 1); got.Replace != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestBootstrapHoldsTheMean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 3), 5, 60).Draw(t, "xs")
		iv := Bootstrap(xs, 300, 7)
		if iv.Low > iv.Mean+1e-9 || iv.High < iv.Mean-1e-9 {
			t.Fatalf("%+v does not hold its mean", iv)
		}
		if again := Bootstrap(xs, 300, 7); again != iv {
			t.Fatal("the same seed gave another interval")
		}
	})
}

func BenchmarkGrade(b *testing.B) {
	var calls []Call
	for i := range 6 {
		calls = append(calls, ok(fmt.Sprint("t", i), `{"ids":["E1","E2"]}`, `{"p":1,"q":[1,2,3],"r":{"s":"x"}}`))
	}
	p := Path{Calls: calls, Answered: true}
	best := []string{"t0", "t1", "t2"}
	for b.Loop() {
		Measure(p, best)
		Choose(p, Choice{Tools: best})
	}
}
