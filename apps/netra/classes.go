package netra

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"dossier"
	"dossier/apps/netra/class"
	"dossier/apps/netra/ingest"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// classifier proposes a classification beside the rule's. Its reference policy is the
// rule, so without a model the two always agree.
func (o *office) classifier() *agent.Agent {
	return &agent.Agent{
		Name: classifierName, Doc: "Proposes layers, polarity, severity and tags of a redacted report.", Prompt: prompt("classifier"), Model: "fast",
		Input: tool.SchemaOf[class.In](), Output: tool.SchemaOf[class.Out](),
		Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
			var in class.In
			if err := req.Brief(&in, nil); err != nil {
				return nil, err
			}
			return model.Answer(class.Of(ingest.Classify(in.Text)))
		},
		Check: func(_ context.Context, d agent.Draft) error {
			var out class.Out
			if err := json.Unmarshal(d.Answer, &out); err != nil {
				return dossier.Errorf(dossier.Invalid, "The classification cannot be read.").Because(err)
			}
			var in class.In
			if err := json.Unmarshal(d.Run.Input, &in); err != nil {
				return fmt.Errorf("decode input: %w", err)
			}
			_, err := out.Classification(in.Text)
			return err
		},
	}
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
	if errors.Is(err, dossier.NotFound) {
		return nil // removed for its age meanwhile
	}
	if err != nil {
		return err
	}
	out, err := o.ask(ctx, "classification/"+a.Signal.ID, a.Signal.EventSummary)
	if err != nil {
		return err
	}
	c, err := out.Classification(a.Signal.EventSummary)
	if err != nil {
		return err
	}
	use := false
	if o.cfg.ModelClass == "use" && a.Used == "rule" {
		if use, err = o.gateMet(ctx); err != nil {
			return err
		}
	}
	if err := o.book.Propose(ctx, a.Signal, c, use); err != nil || !use {
		return err
	}
	return o.watch(ctx, a.Signal.Place())
}

// ask runs the classifier on one text in a case of its own that nobody need look at.
func (o *office) ask(ctx context.Context, about, text string) (out class.Out, err error) {
	c, _, err := o.env.Desk.Open(ctx, app.Opening{Subject: about, Title: "Classification of a report", By: dossier.SystemPrincipal})
	if err != nil {
		return out, err
	}
	run, err := o.env.Desk.Start(ctx, app.Start{Case: c.ID, Agent: classifierName, For: dossier.SystemPrincipal, Input: class.In{Text: text}, Hold: true})
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
