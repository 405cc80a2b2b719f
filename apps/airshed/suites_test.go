package airshed

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dossier/apps/airshed/gate"
	"dossier/internal/eval"
	"dossier/internal/model"
)

// The reference policy gets every example of the app's suites right, by the real loop.
func TestSuites(t *testing.T) {
	t.Parallel()
	suites := open(t, nil, nil).Kit.Suites
	for _, s := range suites {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			examples, err := eval.Load(files, s)
			if err != nil || len(examples) < 10 {
				t.Fatalf("%d examples, %v", len(examples), err)
			}
			for _, ex := range examples {
				tr, err := s.Run(t.Context(), ex, eval.Player{})
				if err != nil {
					t.Fatalf("%s: %v", ex.Name, err)
				}
				row := eval.GradeTrace(t.Context(), s, ex, tr)
				if row.Failure != "" || len(row.Path.Calls) < 3 {
					t.Fatalf("%s: %d calls, %s", ex.Name, len(row.Path.Calls), row.Failure)
				}
				for _, g := range row.Grades {
					if _, gated := s.Gates[g.Name]; gated && g.Applies && g.Score != 1 {
						t.Errorf("%s: %s: %v %s", ex.Name, g.Name, g.Score, g.Reason)
					}
				}
			}
		})
	}
}

// A spoiler is a model that plays by the policy save for what it writes into one tool
// or the answer.
type spoiler struct {
	tool string
	args string // instead of the policy's, the first time
	end  func(*gate.Answer)
	did  *int
}

func (s spoiler) Name() string { return "test/spoiler" }

func (s spoiler) Generate(ctx context.Context, req *model.Request, _ func(string)) (*model.Reply, error) {
	r, err := policy(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, c := range r.Calls() {
		if c.Tool == s.tool && *s.did == 0 {
			*s.did++
			return req.Calling(model.Planned{Tool: s.tool, Args: json.RawMessage(s.args)}), nil
		}
	}
	if s.end != nil && len(r.Calls()) == 0 {
		var ans gate.Answer
		if err := json.Unmarshal([]byte(r.Text()), &ans); err != nil {
			return nil, err
		}
		s.end(&ans)
		return model.Answer(ans)
	}
	return r, nil
}

// What a model does is what is measured: each of its faults shows in a grade.
func TestSuitesMeasureTheModel(t *testing.T) {
	t.Parallel()
	suites := open(t, nil, nil).Kit.Suites
	examples, err := eval.Load(files, suites[0])
	if err != nil {
		t.Fatal(err)
	}
	play := func(t *testing.T, s spoiler) eval.Row {
		t.Helper()
		s.did = new(int)
		tr, err := suites[0].Run(t.Context(), examples[0], eval.Player{Alias: "x", Model: s})
		if err != nil {
			t.Fatal(err)
		}
		return eval.GradeTrace(t.Context(), suites[0], examples[0], tr)
	}
	score := func(t *testing.T, row eval.Row, name string, want bool) {
		t.Helper()
		if got, applies := row.Score(name); !applies || (got == 1) != want {
			t.Errorf("%s = %v (%v), want right = %v", name, got, applies, want)
		}
	}
	t.Run("as good as the policy", func(t *testing.T) {
		t.Parallel()
		row := play(t, spoiler{})
		for _, g := range row.Grades {
			if _, gated := suites[0].Gates[g.Name]; gated && g.Applies && g.Score != 1 {
				t.Errorf("%s: %s", g.Name, g.Reason)
			}
		}
	})
	t.Run("another bucket", func(t *testing.T) {
		t.Parallel()
		row := play(t, spoiler{tool: "read_correlated_data_tool", args: `{"bucket_name":"elsewhere"}`})
		score(t, row, "parameter_accuracy", false)
	})
	t.Run("an invented number in the summary is refused and costs a call", func(t *testing.T) {
		t.Parallel()
		row := play(t, spoiler{tool: "generate_report_tool", args: `{"executive_summary":"Alipur was at 450 because of 9999 fires in Haryana."}`})
		score(t, row, "no_invented_figure", true)
		score(t, row, "path_efficiency", false)
		if strings.Contains(string(row.Got), "9999") {
			t.Errorf("%s", row.Got)
		}
	})
	t.Run("a wrong status is refused", func(t *testing.T) {
		t.Parallel()
		row := play(t, spoiler{end: func(a *gate.Answer) { a.Status = "not_filed" }})
		score(t, row, "status", false)
	})
	t.Run("a wrong confidence is refused, and the policy steps in", func(t *testing.T) {
		t.Parallel()
		row := play(t, spoiler{end: func(a *gate.Answer) { a.Score = 95 }})
		score(t, row, "confidence", false)
		score(t, row, "no_unapproved_act", true)
	})
}
