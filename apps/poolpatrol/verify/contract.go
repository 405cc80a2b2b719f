package verify

import (
	"bytes"
	"encoding/json"
	"maps"
	"time"

	"dossier"
	"dossier/internal/canon"
)

// A Result is what every specialist answers, whatever it checks.
type Result struct {
	Verdict    Verdict  `json:"verdict"`
	Confidence int      `json:"confidence" jsonschema:"1 (a guess) to 5 (certain), as the rule gave it"`
	Reasoning  string   `json:"reasoning" jsonschema:"why, for people"`
	Evidence   []Item   `json:"evidence" jsonschema:"what the verdict rests on"`
	Affected   []string `json:"affected_employee_ids" jsonschema:"riders for whom the check did not pass"`
	Unclear    bool     `json:"unclear,omitempty" jsonschema:"the records do not decide it; the verdict is then fail"`
}

// A Verdict is a specialist's answer. What a rule finds unclear is a fail to the
// programme: somebody must be asked.
type Verdict string

// Values lists the verdicts, for schemas.
func (Verdict) Values() []string { return []string{"pass", "fail"} }

// An Item is one piece of evidence in a specialist's answer.
type Item struct {
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data,omitempty"`
	Source   string          `json:"source,omitempty"`
	Captured time.Time       `json:"captured_at,omitzero"`
	Hash     string          `json:"hash,omitempty"` // SHA-256 of the canonical data
}

// UnmarshalJSON also takes the flat form, in which the data's fields stand beside the
// type.
func (it *Item) UnmarshalJSON(raw []byte) error {
	type plain Item
	if err := json.Unmarshal(raw, (*plain)(it)); err != nil {
		return err
	}
	if it.Data != nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	maps.DeleteFunc(fields, func(k string, _ json.RawMessage) bool {
		return k == "type" || k == "source" || k == "captured_at" || k == "hash"
	})
	data, err := json.Marshal(fields)
	it.Data = data
	return err
}

// identical reports whether two items say the same in the same bytes.
func (it Item) identical(o Item) bool { return it.Type == o.Type && bytes.Equal(it.Data, o.Data) }

// same reports whether two items say the same, however their data is written.
func (it Item) same(o Item) bool {
	if it.Type != o.Type {
		return false
	}
	a, errA := canon.Digest(it.Data)
	b, errB := canon.Digest(o.Data)
	return errA == nil && errB == nil && a == b
}

// items returns evidence as a specialist cites it.
func items(seen []dossier.Evidence, now time.Time) ([]Item, error) {
	out := make([]Item, 0, len(seen))
	for _, e := range seen {
		sum, err := canon.Digest(e.Data)
		if err != nil {
			return nil, err
		}
		out = append(out, Item{Type: e.Kind, Data: e.Data, Source: e.Source.System + ":" + e.Source.Locator, Captured: now.UTC(), Hash: sum})
	}
	return out, nil
}

// ResultOf turns a rule's finding into the contract.
func ResultOf(f dossier.Finding, affected []string, seen []dossier.Evidence, now time.Time) (Result, error) {
	it, err := items(seen, now)
	if err != nil {
		return Result{}, err
	}
	r := Result{Verdict: "pass", Confidence: max(1, f.Confidence/20), Reasoning: f.Reason, Evidence: it, Affected: affected}
	if f.Verdict != dossier.Pass {
		r.Verdict, r.Unclear = "fail", f.Verdict == dossier.Unclear
	}
	if r.Affected == nil {
		r.Affected = []string{}
	}
	return r, nil
}
