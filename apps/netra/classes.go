package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/tool"
)

type classIn struct {
	Text string `json:"text" jsonschema:"a redacted report"`
}

// classOut is a proposed classification.
type classOut struct {
	Layers   []string `json:"risk_layers" jsonschema:"one or more of cognitive, network, physical"`
	Polarity string   `json:"polarity" jsonschema:"escalatory, stabilizing or neutral"`
	Severity int      `json:"severity_score" jsonschema:"1 to 5"`
	Tags     []string `json:"geo_sensitivity" jsonschema:"any of sensitive_zone, border, capital, highway, market"`
	Words    []string `json:"words" jsonschema:"the words of the report that decided"`
}

// classifier proposes a classification beside the rule's. Its reference policy is the
// rule, so without a model the two always agree.
func (o *office) classifier() *agent.Agent {
	return &agent.Agent{
		Name: classifierName, Doc: "Proposes layers, polarity, severity and tags of a redacted report.", Prompt: prompt("classifier"), Model: "fast",
		Input: tool.SchemaOf[classIn](), Output: tool.SchemaOf[classOut](),
		Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
			var in classIn
			if err := req.Brief(&in, nil); err != nil {
				return nil, err
			}
			return model.Answer(outOf(ingest.Classify(in.Text)))
		},
		Check: func(_ context.Context, d agent.Draft) error {
			var out classOut
			if err := json.Unmarshal(d.Answer, &out); err != nil {
				return dossier.Errorf(dossier.Invalid, "The classification cannot be read.").Because(err)
			}
			var in classIn
			if err := json.Unmarshal(d.Run.Input, &in); err != nil {
				return fmt.Errorf("decode input: %w", err)
			}
			_, err := out.classification(in.Text)
			return err
		},
	}
}

func outOf(c ingest.Classification) classOut {
	out := classOut{Polarity: string(c.Polarity), Severity: max(c.Severity, 1), Layers: []string{}, Tags: []string{}, Words: []string{}}
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

// classification checks a proposal: known words only, and every word that it says
// decided must stand in the report.
func (c classOut) classification(text string) (ingest.Classification, error) {
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
	probe := engine.Signal{State: "x", District: "x", Timestamp: probeTime, RiskLayers: out.Layers, Polarity: out.Polarity, Severity: out.Severity}
	if err := probe.Validate(); err != nil {
		return out, dossier.Errorf(dossier.Invalid, "%s", sentence(err))
	}
	return out, nil
}

type classifyArgs struct {
	Signal string `json:"signal"`
}

// classify asks the classifier about a stored signal and stores its proposal beside
// the rule's. It is used only where the operator said so and the gate is met.
func (o *office) classify(ctx context.Context, raw json.RawMessage) error {
	var in classifyArgs
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("decode classify: %w", err)
	}
	a, err := o.book.Account(ctx, in.Signal)
	if err != nil {
		return err
	}
	out, err := o.ask(ctx, "classification/"+a.Signal.ID, a.Signal.EventSummary)
	if err != nil {
		return err
	}
	c, err := out.classification(a.Signal.EventSummary)
	if err != nil {
		return err
	}
	use := false
	if o.cfg.ModelClass == "use" && a.Used == "rule" {
		if use, err = o.gateMet(ctx); err != nil {
			return err
		}
	}
	if err := o.book.Propose(ctx, a.Signal.ID, c, use); err != nil || !use {
		return err
	}
	return o.watch(ctx, a.Signal.Place())
}

// ask runs the classifier on one text in a case of its own that nobody need look at.
func (o *office) ask(ctx context.Context, about, text string) (out classOut, err error) {
	c, _, err := o.env.Desk.Open(ctx, app.Opening{Subject: about, Title: "Classification of a report", By: dossier.SystemPrincipal})
	if err != nil {
		return out, err
	}
	run, err := o.env.Desk.Start(ctx, app.Start{Case: c.ID, Agent: classifierName, For: dossier.SystemPrincipal, Input: classIn{text}, Hold: true})
	if err != nil {
		return out, err
	}
	if run, err = o.env.Desk.Drive(ctx, run.ID); err != nil {
		return out, err
	}
	if _, err := o.env.Desk.Move(ctx, c.ID, app.Change{State: dossier.Cleared, By: "agent/" + classifierName}); err != nil {
		return out, err
	}
	if run.Status != dossier.Done {
		return out, dossier.Errorf(dossier.Unavailable, "The classifier did not answer.")
	}
	return out, json.Unmarshal(run.Answer, &out)
}

// gateMet reports whether whoever plays the classifier has reached what the operator
// asks for in the suite.
func (o *office) gateMet(ctx context.Context) (bool, error) {
	got, measured, err := o.env.Desk.Reached(ctx, classifierName, classificationSuite)
	return err == nil && measured && got >= o.cfg.ModelGate, err
}

type wanted struct {
	Layers   []string `json:"risk_layers"`
	Polarity string   `json:"polarity"`
	Severity int      `json:"severity_score"`
	Tags     []string `json:"geo_sensitivity"`
}

// grade is the share of the four answers that are right.
func (w wanted) grade(got classOut) float64 {
	sorted := func(s []string) []string { return slices.Sorted(slices.Values(s)) }
	right := 0.0
	for _, ok := range []bool{slices.Equal(sorted(w.Layers), sorted(got.Layers)), w.Polarity == got.Polarity, w.Severity == got.Severity, slices.Equal(sorted(w.Tags), sorted(got.Tags))} {
		if ok {
			right += 0.25
		}
	}
	return right
}
