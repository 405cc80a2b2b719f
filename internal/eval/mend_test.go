package eval

import (
	"context"
	"encoding/json"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/tool"
)

func TestSelfCorrection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row                              string
		calls                            []string
		best                             []string
		correctable, corrected, unheeded int
		shape                            Shape
	}{
		{"P-138 other arguments", []string{`!look {"v":9}`, `look {"v":1}`}, []string{"look"}, 1, 1, 0, Recovery},
		{"P-138 the same call, which now answers", []string{`!look {"v":1}`, `look {"v":1}`}, []string{"look", "look"}, 1, 1, 0, Recovery},
		{"P-138 the same call, which fails again", []string{`!look {"v":1}`, `!look {"v":1}`}, []string{"look", "look"}, 1, 0, 1, Circular},
		{"P-138 given up where the best way tries again", []string{`!look {"v":1}`}, []string{"look", "look"}, 1, 0, 0, DeadEnd},
		{"P-138 given up where nothing helps", []string{`!look {"v":1}`}, []string{"look"}, 0, 0, 0, Optimal},
	} {
		p, err := planted(t, "{}", c.calls...).Path()
		if err != nil {
			t.Fatal(err)
		}
		m := Measure(p, c.best)
		if m.Correctable != c.correctable || m.Corrected != c.corrected || m.Unheeded != c.unheeded || m.Shape != c.shape {
			t.Errorf("%s: got %+v", c.row, m)
		}
	}
}

// TestFailFirst plays a policy that tries once more on a tool that does not answer at
// first, and on one that refuses.
func TestFailFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		first  []string
		does   error
		calls  int
		answer string
	}{
		{"answers", nil, nil, 1, `"ok"`},
		{"answers late", []string{"look"}, nil, 2, `"ok"`},
		{"never answers", nil, dossier.Errorf(dossier.Unavailable, "Nobody is there."), 2, `"Nobody is there."`},
		{"refuses", nil, dossier.Errorf(dossier.Invalid, "There is no van 9."), 1, `"There is no van 9."`},
	} {
		look := tool.Def[struct{}, string]{
			Name: "look", Doc: "Looks.", Effect: tool.Read,
			Run: func(context.Context, tool.Call, struct{}) (tool.Output[string], error) {
				return tool.Output[string]{Value: "ok"}, c.does
			},
		}.Tool()
		a := &agent.Agent{
			Name: "looker", Doc: "Looks.", Prompt: "Look.", Tools: []tool.Tool{look}, Input: tool.SchemaOf[struct{}](), Output: tool.SchemaOf[string](),
			Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
				r, called := req.Tried("look")
				if !called {
					return req.Calling(model.Planned{Tool: "look", Args: struct{}{}}), nil
				}
				if r.Failed {
					return model.Answer(r.Problem())
				}
				return model.Answer("ok")
			},
		}
		tr, err := PlayAgent(t.Context(), Stage{App: "x", Agents: []*agent.Agent{FailFirst(a, c.first...)}}, "looker", json.RawMessage(`{}`), Player{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.Path()
		if err != nil || len(p.Calls) != c.calls || string(tr.Answer) != c.answer {
			t.Errorf("%s: %d calls, answer %s, %v", c.name, len(p.Calls), tr.Answer, err)
		}
	}
}

// TestUnlabelledRunsAreGraded grades a stored run that nobody labelled: what needs an
// expected answer does not apply, and the rest does.
func TestUnlabelledRunsAreGraded(t *testing.T) {
	t.Parallel()
	needs := Grader{Name: "right", Grade: func(_ context.Context, ex Example, _ Trace) (Grade, error) {
		var want string
		return Grade{Applies: true, Score: 1}, json.Unmarshal(ex.Want, &want)
	}}
	s := Suite{Graders: append([]Grader{needs}, PathGraders(ideal)...)}
	tr := planted(t, "{}", `look {"v":1}`, `check {"v":1}`)
	row := GradeTrace(t.Context(), s, Example{Name: "run-1"}, tr)
	if _, applies := row.Score("right"); row.Failure != "" || applies {
		t.Errorf("without a label: %q, applies %v", row.Failure, applies)
	}
	if score, applies := row.Score("no_circles"); score != 1 || !applies {
		t.Errorf("the way is not graded: %v %v", score, applies)
	}
	if row := GradeTrace(t.Context(), s, Example{Want: json.RawMessage(`5`)}, tr); row.Failure == "" {
		t.Error("a label of another form must be said")
	}
}
