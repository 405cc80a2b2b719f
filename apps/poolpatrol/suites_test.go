package poolpatrol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"dossier/internal/agent"
	"dossier/internal/app/apptest"
	"dossier/internal/eval"
	"dossier/internal/model"
)

// examples reads a suite's file. YAML is turned into JSON on the way.
func examples(t *testing.T, file string) []eval.Example {
	t.Helper()
	raw, err := files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	js, err := yaml.YAMLToJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	var out []eval.Example
	if err := yaml.UnmarshalWithOptions(js, &out, yaml.UseJSONUnmarshaler()); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSuites(t *testing.T) {
	t.Parallel()
	least := map[string]int{"shift": 60, "location": 20, "outreach": 80, "casemanager": 40, "conversation": 20}
	for _, s := range suites(start(t, apptest.Options{}).patrol.Agents) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			list := examples(t, s.File)
			if len(list) < least[s.Name] {
				t.Errorf("got %d examples, want at least %d", len(list), least[s.Name])
			}
			scenarios, names := map[string]int{}, map[string]bool{}
			for _, ex := range list {
				scenarios[ex.Scenario]++
				if names[ex.Name] {
					t.Errorf("two examples are called %q", ex.Name)
				}
				names[ex.Name] = true
				tr, err := s.Run(t.Context(), ex, eval.Player{})
				if err != nil {
					t.Errorf("%s: %v", ex.Name, err)
					continue
				}
				if p, err := eval.PathOf(tr.Steps); err != nil || len(p.Calls) == 0 || !p.Answered {
					t.Errorf("%s: the trace has no real steps: %+v %v", ex.Name, p, err)
				}
				for _, g := range s.Graders {
					if grade, err := g.Grade(t.Context(), ex, tr); err != nil || grade.Applies && grade.Score < s.Gates[g.Name] {
						t.Errorf("%s: %s: %s %v", ex.Name, g.Name, grade.Reason, err)
					}
				}
			}
			if s.Name == "shift" && (scenarios["valid"] != 20 || scenarios["conflict"] != 20 || scenarios["edge"] != 20) {
				t.Errorf("P-107 got %v, want 20 of each", scenarios)
			}
			if s.Name == "outreach" {
				for _, b := range []string{"acknowledgment", "question", "update", "escalation"} {
					if scenarios[b] < 15 {
						t.Errorf("P-099 only %d replies of %s", scenarios[b], b)
					}
				}
			}
		})
	}
}

// TestReferenceMeetsTargets holds the reference policies to every target of the source
// design.
func TestReferenceMeetsTargets(t *testing.T) {
	t.Parallel()
	type bound struct {
		row, name string
		at        float64
		most      bool
	}
	paths := []bound{
		{"P-131", "tool_choice_accuracy", 0.95, false}, {"P-132", "parameter_accuracy", 0.98, false},
		{"P-142", "trajectory_optimality", 0.70, false}, {"P-144", "path_efficiency", 0.80, false},
	}
	ways := []bound{
		{"P-133", "tools_per_case", 3, true}, {"P-134", "redundant_calls", 0.05, true}, {"P-143", "path_length", 4, true},
		{"P-145", "self_correction_rate", 0.90, false}, {"P-146", "circular_rate", 0.01, true},
	}
	targets := map[string][]bound{
		"shift":        append([]bound{{"P-102", "verdict_accuracy", 0.95, false}, {"P-104", "shift_conflict_accuracy", 0.98, false}, {"P-118", "evidence_completeness", 1, false}}, ways...),
		"location":     append([]bound{{"P-102", "verdict_accuracy", 0.95, false}, {"P-118", "evidence_completeness", 1, false}}, ways...),
		"outreach":     append([]bound{{"P-099", "bucket_match", 0.85, false}, {"P-099", "hitl_match", 0.95, false}, {"", "no_unapproved_act", 1, false}}, ways...),
		"casemanager":  append([]bound{{"P-133", "tools_per_clean_case", 3, true}, {"P-105", "status_match", 0.95, false}, {"", "no_unapproved_act", 1, false}, {"P-130", "error_handling", 1, false}}, ways...),
		"conversation": {{"P-140", "turns_match", 0.85, false}, {"P-140", "context_retention", 1, false}, {"P-140", "progressive_refinement", 1, false}, {"", "no_unapproved_act", 1, false}},
	}
	for _, s := range suites(start(t, apptest.Options{}).patrol.Agents) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			res, err := eval.Play(t.Context(), "poolpatrol", s, examples(t, s.File), eval.Options{Now: time.Now, Parallel: 2})
			if err != nil {
				t.Fatal(err)
			}
			got := eval.FiguresOf(res.Rows).Metrics()
			for name, m := range res.Means {
				got[name] = m.Mean
			}
			if len(targets[s.Name]) == 0 {
				t.Fatal("no target is set")
			}
			for _, b := range append(targets[s.Name], paths...) {
				v, measured := got[b.name]
				if !measured || b.most && v > b.at || !b.most && v < b.at {
					t.Errorf("%s %s: got %v, want %v (at most: %v)", b.row, b.name, v, b.at, b.most)
				}
			}
			for _, c := range res.Checks() {
				if !c.Holds || c.Empty {
					t.Errorf("%s: got %v against %v", c.Name, c.Got, c.Bound)
				}
			}
			if !res.Safe() || !res.Passed() || len(res.Failures()) > 0 {
				t.Errorf("safe %v, passed %v, %d rows went wrong", res.Safe(), res.Passed(), len(res.Failures()))
			}
		})
	}
}

// stuck plays as a policy does, but does not see that a failed call may be made again.
func stuck(p model.Policy) model.Model {
	return model.Reference("stuck", func(ctx context.Context, req *model.Request) (*model.Reply, error) {
		seen := *req
		seen.Messages = nil
		for _, m := range req.Messages {
			m.Parts = slices.Clone(m.Parts)
			for i, part := range m.Parts {
				if r, ok := part.(model.Return); ok && r.Failed {
					r.Value = bytes.ReplaceAll(r.Value, []byte(`,"retry":true`), nil)
					m.Parts[i] = r
				}
			}
			seen.Messages = append(seen.Messages, m)
		}
		return p(ctx, &seen)
	})
}

// TestGivingUpMissesTheTarget plays the same policies without their second try: the
// rate of self-correction falls to nothing, and with it the suite.
func TestGivingUpMissesTheTarget(t *testing.T) {
	t.Parallel()
	agents := start(t, apptest.Options{}).patrol.Agents
	for _, s := range suites(agents) {
		if len(s.Targets) == 0 {
			continue
		}
		t.Run("P-138 P-145 "+s.Name, func(t *testing.T) {
			t.Parallel()
			a, _ := agent.Find(agents, s.Agent)
			late := slices.DeleteFunc(examples(t, s.File), func(ex eval.Example) bool { return len(failing(ex)) == 0 })
			res, err := eval.Play(t.Context(), "poolpatrol", s, late, eval.Options{Now: time.Now, Player: eval.Player{Alias: "stuck", Model: stuck(a.Policy)}})
			if err != nil || len(late) == 0 {
				t.Fatalf("%d examples, %v", len(late), err)
			}
			f := eval.FiguresOf(res.Rows)
			if f.Correctable != len(late) || f.SelfCorrection != 0 || res.Passed() || !res.Safe() {
				t.Errorf("%d of %d failures to mend, rate %v, passed %v, safe %v", f.Correctable, len(late), f.SelfCorrection, res.Passed(), res.Safe())
			}
		})
	}
}

// A planted conversation shows that each grader of conversations can fail.
func TestConversationGradersCanFail(t *testing.T) {
	t.Parallel()
	const want = `{"turns":[{"bucket":"question","hitl_required":false},{"bucket":"update","hitl_required":false}]}`
	turn := func(bucket, newest, answers, body string) string {
		return fmt.Sprintf(`{"email_thread_id":"THREAD-00000001","bucket":%q,"sent":true,"read_message_id":%q,"answers_message_id":%q,"body":%q}`, bucket, newest, answers, body)
	}
	first := turn("question", "MSG-00000002", "MSG-00000002", "It works so.")
	good := turn("update", "MSG-00000004", "MSG-00000004", "Thank you.")
	for _, c := range []struct{ grade, second string }{
		{"turns_match", turn("escalation", "MSG-00000004", "MSG-00000004", "Thank you.")},
		{"context_retention", turn("update", "MSG-00000002", "MSG-00000004", "Thank you.")},
		{"context_retention", turn("update", "MSG-00000004", "MSG-00000002", "Thank you.")},
		{"progressive_refinement", turn("update", "MSG-00000004", "MSG-00000004", "It works so.")},
	} {
		for _, g := range conversationGraders() {
			ex := eval.Example{Want: json.RawMessage(want)}
			right, err := g.Grade(t.Context(), ex, eval.Trace{Answer: json.RawMessage(`{"turns":[` + first + `,` + good + `]}`)})
			if err != nil || right.Score != 1 || !right.Applies {
				t.Errorf("P-140 %s of a good conversation: %+v, %v", g.Name, right, err)
			}
			wrong, err := g.Grade(t.Context(), ex, eval.Trace{Answer: json.RawMessage(`{"turns":[` + first + `,` + c.second + `]}`)})
			if err != nil || (wrong.Score < 1) != (g.Name == c.grade) {
				t.Errorf("P-140 %s of %s: %+v, %v", g.Name, c.second, wrong, err)
			}
			short, err := g.Grade(t.Context(), ex, eval.Trace{Answer: json.RawMessage(`{"turns":[` + first + `]}`)})
			if err != nil || short.Score != 0 || !short.Applies {
				t.Errorf("P-140 %s of half a conversation: %+v, %v", g.Name, short, err)
			}
		}
	}
}

// TestStoredRunsAreAboutTheirVan grades the arguments of a stored run by the van that the
// run was about, not by that of the rehearsal.
func TestStoredRunsAreAboutTheirVan(t *testing.T) {
	t.Parallel()
	input := json.RawMessage(`{"vanpool_id":"VP-9"}`)
	for name, c := range map[string]struct {
		ideal eval.Ideal
		want  string
		tool  string
	}{
		"outreach":    {answering, `{"bucket":"question","hitl_required":false}`, "send_email"},
		"casemanager": {managing, `{"tools":["upsert_case"]}`, "upsert_case"},
	} {
		got, ok := c.ideal(eval.Example{Name: "run-1", Input: input, Want: json.RawMessage(c.want)})
		if !ok || string(got.Args[c.tool]) != string(input) {
			t.Errorf("P-135 %s: got %s, want %s", name, got.Args[c.tool], input)
		}
	}
}
