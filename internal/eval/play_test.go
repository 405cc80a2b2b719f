package eval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dossier"
)

var now = func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

const threeExamples = `
- {name: a, scenario: valid, complexity: simple, input: {n: 1}, want: {n: 1}}
- {name: b, scenario: valid, complexity: simple, input: {n: 2}, want: {n: 2}}
- {name: c, scenario: edge, complexity: edge, input: {n: 3}, want: {n: 4}, held_out: true}
`

// echo is a suite whose agent answers with its input.
func echo() Suite {
	return Suite{
		Name: "echo", File: "evals/echo.yaml", Gates: map[string]float64{"same": 0.6},
		Graders: []Grader{{Name: "same", Grade: func(_ context.Context, ex Example, tr Trace) (Grade, error) {
			g := Grade{Applies: true}
			if string(ex.Want) == string(tr.Answer) {
				g.Score = 1
			}
			return g, nil
		}}},
		Run: func(_ context.Context, ex Example, _ Player) (Trace, error) { return Trace{Answer: ex.Input}, nil },
	}
}

func examples(t *testing.T, text string) ([]Example, error) {
	t.Helper()
	return Load(fstest.MapFS{"evals/echo.yaml": {Data: []byte(text)}}, echo())
}

func TestLoadRefusesBadRows(t *testing.T) {
	t.Parallel()
	if got, err := examples(t, threeExamples); err != nil || len(got) != 3 || !got[2].HeldOut {
		t.Fatalf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"- {name: a, scenario: v, complexity: s, input: {}, want: {}, wnat: 1}":                                                  "wnat",
		"- {name: a, scenario: v, complexity: s, input: {}}":                                                                     "needs an input and a want",
		"- {name: a, complexity: s, input: {}, want: {}}":                                                                        "needs a scenario",
		"- {name: a, scenario: v, complexity: s, input: 1, want: 1}\n- {name: a, scenario: v, complexity: s, input: 1, want: 1}": "a name of its own",
		"name: a": "list of examples",
	} {
		if _, err := examples(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestPlayCountsWhatFailed(t *testing.T) {
	t.Parallel()
	exs, err := examples(t, threeExamples)
	if err != nil {
		t.Fatal(err)
	}
	s := echo()
	tries := 0
	s.Run = func(_ context.Context, ex Example, _ Player) (Trace, error) {
		if ex.Name == "b" {
			tries++
			return Trace{}, errors.New("the provider is down")
		}
		return Trace{Answer: ex.Input}, nil
	}
	res, err := Play(t.Context(), "app", s, exs, Options{Retries: 2, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if tries != 3 || len(res.Rows) != 3 || res.Rows[1].Failure == "" {
		t.Errorf("%d tries, rows %+v", tries, res.Rows)
	}
	if m := res.Means["same"].Mean; m < 0.33 || m > 0.34 {
		t.Errorf("mean %v; a row that failed must count as wrong", m)
	}
	if res.Passed() || len(res.Failures()) != 2 {
		t.Errorf("passed %v with %d failures", res.Passed(), len(res.Failures()))
	}
}

func TestPlayGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	exs, err := examples(t, threeExamples)
	if err != nil {
		t.Fatal(err)
	}
	s, played := echo(), 0
	run := s.Run
	s.Run = func(ctx context.Context, ex Example, p Player) (Trace, error) {
		played++
		return run(ctx, ex, p)
	}
	had := Row{Example: exs[0], Grades: []Grade{{Name: "same", Score: 1, Applies: true}}}
	kept := 0
	res, err := Play(t.Context(), "app", s, exs, Options{
		Now: now, Repeat: 2, Keep: func(int, Row) error { kept++; return nil },
		Have: func(name string, repeat int) (Row, bool) { return had, name == "a" && repeat == 0 },
	})
	if err != nil || played != 5 || kept != 5 || len(res.Rows) != 6 {
		t.Errorf("%v: played %d, kept %d, rows %d", err, played, kept, len(res.Rows))
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	row := func(name string, score float64) Row {
		return Row{Example: Example{Name: name, Input: json.RawMessage(`1`)}, Grades: []Grade{{Name: "same", Score: score, Applies: true}}}
	}
	a := Result{App: "x", Suite: "s", Player: "reference", Means: map[string]Interval{"same": {}}, Rows: []Row{row("1", 1), row("2", 1), row("3", 0)}}
	b := a
	b.Player, b.Rows = "m", []Row{row("1", 1), row("2", 0), row("3", 0)}
	c, err := Compare(a, b)
	if err != nil || len(c.Differences) != 1 || c.Differences[0].Example != "2" || c.Change["same"].Mean > -0.33 {
		t.Errorf("%v: %+v", err, c)
	}
	b.Rows = append(b.Rows, row("4", 1))
	b.Rows[0].Path.Calls = []Call{{Tool: "look"}}
	a.Cost, b.Cost, a.Prompt, b.Prompt = 2, 1, "p1", "p2"
	c, err = Compare(a, b)
	if err != nil || len(c.Alone) != 1 || c.Alone[0] != "4" || len(c.Detours) != 1 || c.Detours[0].Example != "1" || c.Runs[0].Prompt != "p1" || c.Runs[1].Cost != 1 || len(c.Differences) != 1 {
		t.Errorf("%v: %+v", err, c)
	}
	b.Suite = "other"
	if _, err := Compare(a, b); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("different suites were compared: %v", err)
	}
}
