package netra

import (
	"cmp"
	"context"
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

// checkBriefing holds a briefing against the score that the run computed: the right
// district and band, what the band calls for, and a senior officer asked where one must
// be. The figures in its prose are another matter, see [checkProse].
func (o *office) checkBriefing(ctx context.Context, b briefing, d agent.Draft) error {
	if b.Disclaimer != engine.Disclaimer {
		return dossier.Errorf(dossier.Invalid, "The briefing must carry the disclaimer: %s", engine.Disclaimer)
	}
	s, err := scored(d)
	if err != nil || s == nil {
		return err
	}
	if !strings.Contains(b.Headline, s.District) || !slices.Equal(bandsIn(b.Headline), []string{s.Threshold.Label}) {
		return dossier.Errorf(dossier.Invalid, "The headline must name %s and its band, %s, and no other band.", s.District, s.Threshold.Label)
	}
	if !strings.Contains(b.CallsFor, s.Action) {
		return dossier.Errorf(dossier.Invalid, "What the band calls for is: %s.", s.Action)
	}
	if s.Composite < acknowledgeFrom || !o.acknowledge().Allows(d.Run.For) {
		return nil
	}
	all, err := o.env.Desk.Approvals(ctx, d.Run.Case)
	if err != nil {
		return err
	}
	of := crossings(d.Returns)
	if !slices.ContainsFunc(all, func(a dossier.Approval) bool {
		return a.Run == d.Run.ID && a.Tool == acknowledgeName && isCrossing(a.Args, of)
	}) {
		return dossier.Errorf(dossier.Invalid, "The score is %.2f, so %s with exactly that score comes before the briefing.", s.Composite, acknowledgeName)
	}
	return nil
}

// scored returns the score that the brief asks for, as the run computed it last. It is
// nil where the reference policy could not have it computed.
func scored(d agent.Draft) (*engine.Score, error) {
	var in districtIn
	if err := json.Unmarshal(d.Run.Input, &in); err != nil {
		return nil, fmt.Errorf("decode input: %w", err)
	}
	p, w, err := in.parse()
	for _, r := range slices.Backward(d.Returns) {
		var s engine.Score
		if err != nil || r.Tool != scoreName || r.Failed {
			continue
		}
		if err := r.Decode(&s); err != nil {
			return nil, err
		}
		if s.Place() == p && s.WindowHours == int(w) {
			return &s, nil
		}
	}
	if d.Policy {
		return nil, nil
	}
	return nil, dossier.Errorf(dossier.Invalid, "Call %s with the district, state and window of the brief first.", scoreName)
}

// bandsIn lists the bands that a text names, from the lowest up.
func bandsIn(text string) (out []string) {
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

// checkProse refuses text with a number that no tool of the run returned, with an
// identifier, or with a claim the app does not make. What the text repeats word for word
// from its tools was redacted and may say what it was published to say: a report of
// suspected militants, or of what forecasters said.
func checkProse(text string, d agent.Draft) error {
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
