// Package class is what the classifier is asked, what it may answer and how an answer is
// graded.
//
// A proposal is checked against the report it is about: known layers, polarities and tags
// only, and every word that is said to have decided must stand in the report. The word
// lists' own classification takes the same form, so that the two can be compared.
package class

import (
	"slices"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
)

// In is what the classifier is asked.
type In struct {
	Text string `json:"text" jsonschema:"a redacted report"`
}

// Out is a proposed classification.
type Out struct {
	Layers   []string `json:"risk_layers" jsonschema:"one or more of cognitive, network, physical"`
	Polarity string   `json:"polarity" jsonschema:"escalatory, stabilizing or neutral"`
	Severity int      `json:"severity_score" jsonschema:"1 to 5"`
	Tags     []string `json:"geo_sensitivity" jsonschema:"any of sensitive_zone, border, capital, highway, market"`
	Words    []string `json:"words" jsonschema:"the words of the report that decided"`
}

// Of returns a classification as the classifier would propose it.
func Of(c ingest.Classification) Out {
	out := Out{Polarity: string(c.Polarity), Severity: max(c.Severity, 1), Layers: []string{}, Tags: []string{}, Words: []string{}}
	for _, l := range c.Layers {
		out.Layers = append(out.Layers, string(l))
	}
	for _, t := range c.Tags {
		out.Tags = append(out.Tags, string(t))
	}
	for _, d := range c.Deciders {
		out.Words = append(out.Words, d.Word)
	}
	if len(out.Layers) == 0 {
		out.Layers = []string{string(engine.Cognitive)}
	}
	return out
}

// Classification checks a proposal: known words only, and every word that it says
// decided must stand in the report.
func (c Out) Classification(text string) (ingest.Classification, error) {
	out := ingest.Classification{Polarity: engine.ParsePolarity(c.Polarity), Severity: c.Severity, By: "model"}
	for _, l := range c.Layers {
		out.Layers = append(out.Layers, engine.Layer(l))
	}
	for _, t := range c.Tags {
		if !slices.Contains(engine.Tags[:], engine.Tag(t)) {
			return out, dossier.Errorf(dossier.Invalid, "%q is no geo tag.", t)
		}
		out.Tags = append(out.Tags, engine.Tag(t))
	}
	for _, w := range c.Words {
		if !ingest.Says(text, w) {
			return out, dossier.Errorf(dossier.Invalid, "The report does not say %q.", w)
		}
		out.Deciders = append(out.Deciders, ingest.Decider{Word: w, What: "decided"})
	}
	sample := engine.Signal{State: "x", District: "x", Timestamp: probe, RiskLayers: out.Layers, Polarity: out.Polarity, Severity: out.Severity}
	if err := sample.Validate(); err != nil {
		return out, dossier.Errorf(dossier.Invalid, "The proposal cannot be used: %v.", err)
	}
	return out, nil
}

// Wanted is the right answer about a report.
type Wanted struct {
	Layers   []string `json:"risk_layers"`
	Polarity string   `json:"polarity"`
	Severity int      `json:"severity_score"`
	Tags     []string `json:"geo_sensitivity"`
}

// Grade is the share of the four answers that are right.
func (w Wanted) Grade(got Out) float64 {
	sorted := func(s []string) []string { return slices.Sorted(slices.Values(s)) }
	right := 0.0
	for _, ok := range []bool{slices.Equal(sorted(w.Layers), sorted(got.Layers)), w.Polarity == got.Polarity, w.Severity == got.Severity, slices.Equal(sorted(w.Tags), sorted(got.Tags))} {
		if ok {
			right += 0.25
		}
	}
	return right
}

// probe stands in where a signal needs some time.
var probe = time.Unix(0, 0).UTC().Add(time.Hour)
