package eval

import (
	"fmt"
	"strings"
	"testing"
)

func TestContest(t *testing.T) {
	t.Parallel()
	result := func(player string, cost float64, wrong ...int) Result {
		r := Result{App: "x", Suite: "s", Player: player, Cost: cost}
		for i := range 200 {
			row := Row{Ms: cost, Example: Example{Name: fmt.Sprint(i), Complexity: "simple"}, Grades: []Grade{{Name: "verdict_accuracy", Score: 1, Applies: true}}}
			if i >= 150 {
				row.Example.Complexity = "edge"
			}
			for _, w := range wrong {
				if w == i {
					row.Grades[0].Score = 0
				}
			}
			r.Rows = append(r.Rows, row)
		}
		return r
	}
	upto := func(from, n int) (out []int) {
		for i := range n {
			out = append(out, from+i)
		}
		return out
	}
	e, err := Contest("verdict_accuracy", result("big", 40),
		result("cheap", 4), result("careless", 1, upto(0, 10)...), result("lost-at-the-edge", 1, upto(150, 11)...), result("dear", 80))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		row     string
		replace bool
		why     string
	}{
		{"P-125 cheaper and as good", true, "cheaper or better"},
		{"P-124 simple", false, "simple"},
		{"P-124 edge", false, "edge"},
		{"P-125 dear", false, "neither cheaper nor better"},
	} {
		if d := e.Others[i].Decision; d.Replace != want.replace || !strings.Contains(d.Why, want.why) {
			t.Errorf("%s: got %+v", want.row, d)
		}
	}
	if strings.Join(e.Tags, " ") != "ab_test big cheap careless lost-at-the-edge dear" {
		t.Errorf("P-126 got tags %v", e.Tags)
	}
	if len(e.Others) != 4 || e.Base.Ms < 39.9 || e.Base.Ms > 40.1 || e.Others[0].Ms > 4.1 {
		t.Errorf("P-122 P-123 %d challengers; %v and %v ms a case", len(e.Others), e.Base.Ms, e.Others[0].Ms)
	}
	if c := e.Others[1].Change; c.Mean != -0.05 || c.Low >= c.Mean || c.High <= c.Mean {
		t.Errorf("P-123 got %+v", c)
	}
	short := result("short", 1)
	short.Rows = short.Rows[:100]
	if _, err := Contest("verdict_accuracy", result("big", 1), short); err == nil {
		t.Error("P-126 other examples must be refused")
	}
	if _, err := Contest("beauty", result("big", 1)); err == nil {
		t.Error("a grade that nobody has must be refused")
	}
}
