package poolpatrol

import (
	"testing"

	"github.com/goccy/go-yaml"

	"dossier/internal/app/apptest"
	"dossier/internal/eval"
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
	least := map[string]int{"shift": 60, "location": 20, "outreach": 80, "casemanager": 40}
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
		})
	}
}
