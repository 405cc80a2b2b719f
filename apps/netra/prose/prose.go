// Package prose writes what people read about a score, and holds what a model wrote
// against what was computed.
//
// [Brief] is the briefing that follows from a score alone. [Check] refuses text with
// numbers, identifiers or claims of its own making. Neither reads or stores anything.
package prose

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/agent"
	"dossier/internal/faith"
)

// A Briefing is what the analyst answers.
type Briefing struct {
	Headline    string `json:"headline" jsonschema:"one sentence: district, score, band, trend"`
	Explanation string `json:"explanation" jsonschema:"why the score stands where it stands, from the rationale and the top signals"`
	Limits      string `json:"limits" jsonschema:"what the score cannot show here, from health, escalation floor and weakest link"`
	CallsFor    string `json:"calls_for" jsonschema:"what the band calls for, in the band's own words"`
	Disclaimer  string `json:"governance_disclaimer"`
}

// Text is the briefing as one text.
func (b Briefing) Text() string {
	return strings.Join([]string{b.Headline, b.Explanation, b.Limits, b.CallsFor, b.Disclaimer}, "\n")
}

// Brief writes a briefing from a score and nothing else.
func Brief(s *engine.Score) Briefing {
	b := Briefing{
		Headline:    fmt.Sprintf("%s, %s scores %.2f of 100 over %s: %s, trend %s.", s.District, s.State, s.Composite, s.TimeWindow, s.Threshold.Label, s.Trend),
		Explanation: s.Rationale, CallsFor: s.Action + ".", Disclaimer: engine.Disclaimer,
	}
	var limits []string
	for _, h := range s.Health {
		limits = append(limits, h.Text)
	}
	if s.EscalationFloor.Label != s.Threshold.Label {
		limits = append(limits, fmt.Sprintf("The strongest signal alone would call for %s.", s.EscalationFloor.Label))
	}
	if l := s.WeakestLink; l != nil && l.ChangesBand {
		limits = append(limits, fmt.Sprintf("Without one signal (“%s”) the score would be %.2f, %s.", engine.Clip(l.EventSummary, engine.QuoteLength), l.ScoreWithout, l.BandWithout))
	}
	if s.Change.Up != nil {
		limits = append(limits, s.Change.Up.Text)
	}
	b.Limits = strings.Join(limits, " ")
	return b
}

// Bands lists the bands that a text names, from the lowest up.
func Bands(text string) (out []string) {
	for _, b := range engine.Bands {
		if strings.Contains(text, b.Label) {
			out = append(out, b.Label)
		}
	}
	return out
}

// claims are words that no output of this app may use of its own: it predicts nothing
// and watches nobody.
var claims = []string{"predict", "forecast", "will happen", "will occur", "surveillance", "suspect"}

// Check refuses text with a number that no tool of the run returned, with an
// identifier, or with a claim the app does not make. What the text repeats word for word
// from its tools was redacted and may say what it was published to say: a report of
// suspected militants, or of what forecasters said.
func Check(text string, d agent.Draft) error {
	own := unquoted(text, d)
	low := strings.ToLower(own)
	for _, c := range claims {
		if strings.Contains(low, c) {
			return dossier.Errorf(dossier.Invalid, "The text says %q. Scores describe what was published; leave that out.", c)
		}
	}
	if found := ingest.Redact(own).Found; len(found) > 0 {
		return dossier.Errorf(dossier.Invalid, "The text holds a personal identifier. Leave it out.")
	}
	var facts faith.Facts
	for i, r := range d.Returns {
		if r.Failed {
			continue
		}
		if err := facts.AddJSON(dossier.EvidenceID(fmt.Sprintf("return-%d", i+1)), r.Value); err != nil {
			return err
		}
	}
	facts.Allow("24h", "72h", "7d")
	for _, n := range []int{0, 10, 100} {
		facts.Add(faith.Fact{Ref: faith.Ref{Computed: fmt.Sprintf("scale %d", n)}, Value: faith.Int(n)})
	}
	return faith.Check(own, &facts).Err()
}

// unquoted returns a text without the sentences that it has word for word from its tools,
// the longest first, whole or as a score clips them.
func unquoted(text string, d agent.Draft) string {
	var said []string
	for _, r := range d.Returns {
		said = append(said, sentences(r.Value)...)
	}
	slices.SortFunc(said, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, s := range said {
		text = strings.ReplaceAll(text, s, " … ")
	}
	return text
}

// sentences lists the strings of a JSON value that have at least two words.
func sentences(raw json.RawMessage) (out []string) {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		if strings.Contains(text, " ") {
			out = append(out, text, engine.Clip(text, engine.QuoteLength))
		}
	case json.Unmarshal(raw, &object) == nil:
		list = slices.Collect(maps.Values(object))
	case json.Unmarshal(raw, &list) != nil:
		return nil // a number or a truth
	}
	for _, v := range list {
		out = append(out, sentences(v)...)
	}
	return out
}
