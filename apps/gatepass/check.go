package gatepass

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/faith"
)

// checkSaid refuses what a model says at a desk if it holds a pass number, a time or
// any other numeral that nobody said and no tool returned. The reference policy is not
// checked: what it says is computed.
func checkSaid(_ context.Context, d agent.Draft) error {
	if d.Policy {
		return nil
	}
	var text string
	if err := json.Unmarshal(d.Answer, &text); err != nil {
		return dossier.Errorf(dossier.Invalid, "The answer is not text.").Because(err)
	}
	var facts faith.Facts
	add := func(kind string, i int, raw json.RawMessage) error {
		return facts.AddJSON(dossier.EvidenceID(fmt.Sprintf("%s-%d", kind, i+1)), raw)
	}
	for i, said := range d.Said {
		raw, err := json.Marshal(said)
		if err != nil {
			return err
		}
		if err := add("said", i, raw); err != nil {
			return err
		}
	}
	for i, r := range d.Returns {
		if r.Failed {
			continue
		}
		if err := add("return", i, r.Value); err != nil {
			return err
		}
	}
	return faith.Check(text, &facts).Err()
}
