package gatepass

import (
	"encoding/json"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/model"
)

// What a model says at a desk holds only what was said or returned.
func TestAModelInventsNothing(t *testing.T) {
	t.Parallel()
	returned := json.RawMessage(`{"ok":true,"says":"GP-2026-0012 of Ravi Kumar is approved. He is back at 17:30.","pass":{"number":"GP-2026-0012","created_at":"2026-11-15T09:05:00+05:30"}}`)
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"what the tool returned", "GP-2026-0012 is approved; he is back at 17:30.", true},
		{"what the person said", "You asked about 3 visitors. GP-2026-0012 is approved.", true},
		{"no numeral", "The pass is approved.", true},
		{"an invented pass", "GP-2026-0013 is approved.", false},
		{"an invented time", "GP-2026-0012 is approved; he is back at 18:45.", false},
		{"an invented count", "GP-2026-0012 is approved, as are 7 others.", false},
		{"spelled out", "GP-2026-0012 is approved, as are twelve others.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer, err := json.Marshal(c.text)
			if err != nil {
				t.Fatal(err)
			}
			d := agent.Draft{Answer: answer, Said: []string{`{"desk":"hr"}`, "approve the pass, there are 3 visitors"}, Returns: []model.Return{{Value: returned}}}
			if err := checkSaid(t.Context(), d); (err == nil) != c.ok || err != nil && dossier.KindOf(err) != dossier.Invalid {
				t.Errorf("%q: %v", c.text, err)
			}
			d.Policy = true
			if err := checkSaid(t.Context(), d); err != nil {
				t.Errorf("the policy's own words: %v", err)
			}
		})
	}
}
