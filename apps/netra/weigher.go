package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/prose"
	"dossier/apps/netra/trial"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/tool"
)

type adoptIn struct {
	Proposal string `json:"proposal" jsonschema:"the proposal's id"`
	Version  string `json:"version" jsonschema:"the methodology version that it makes"`
	Summary  string `json:"summary" jsonschema:"what changes and what the back-test found"`
}

type adoptOut struct {
	Adopted string `json:"adopted"`
}

// proposers may propose weights, and so carry a proposal to a senior officer.
var proposers = []dossier.Role{officer, senior, dossier.Admin}

// adoptWeights puts a proposal into force after a second person agreed.
func (o *office) adoptWeights() tool.Tool {
	return tool.Def[adoptIn, adoptOut]{
		Name:   adoptName,
		Doc:    "Asks a senior officer to adopt proposed weights, and puts them into force.",
		Roles:  proposers,
		Effect: tool.Write,
		Ask: func(in adoptIn) string {
			return "Weights decide every score from now on. " + in.Summary
		},
		Title: func(in adoptIn) string {
			return "Adopt the weights of proposal " + in.Proposal + " (" + in.Version + ")."
		},
		Policy: tool.Policy{Approvers: []dossier.Role{senior}, Verbs: verbs, FourEyes: true},
		Run: decided(o, "adopted", func(ctx context.Context, c tool.Call, in adoptIn, by string) (adoptOut, string, error) {
			p, test, err := o.proposed(ctx, c.Case, in.Proposal)
			if err != nil {
				return adoptOut{}, "", err
			}
			if in != carried(p, test) {
				return adoptOut{}, "", dossier.Errorf(dossier.Invalid, "That is not the proposal of this case, as it was back-tested. Ask again with the brief as it is.")
			}
			return adoptOut{p.Version}, nowInForce, o.book.Adopt(ctx, p.ID, test.Params.From, o.cfg.params(), by, c.Now)
		}),
	}.Tool()
}

// carried is what a senior officer is asked about a proposal.
func carried(p book.Proposal, t trial.BackTest) adoptIn {
	return adoptIn{p.ID, p.Version, summary(p, t)}
}

// proposed returns the proposal of a case and its back-test.
func (o *office) proposed(ctx context.Context, id dossier.CaseID, proposal string) (p book.Proposal, t trial.BackTest, err error) {
	if p, err = o.book.Proposal(ctx, proposal); err != nil {
		return p, t, err
	}
	if p.Case != id {
		return p, t, dossier.Errorf(dossier.Invalid, "Proposal %s belongs to another case.", proposal)
	}
	if err := json.Unmarshal(p.BackTest, &t); err != nil {
		return p, t, fmt.Errorf("decode back-test of %s: %w", proposal, err)
	}
	return p, t, nil
}

type closeIn struct {
	Proposal string `json:"proposal" jsonschema:"the proposal's id"`
}

type closeOut struct {
	Rejected string `json:"rejected"`
}

// closeProposal ends a proposal that was asked about and not adopted.
func (o *office) closeProposal() tool.Tool {
	return tool.Def[closeIn, closeOut]{
		Name:   closeName,
		Doc:    "Records that proposed weights were not adopted, once a senior officer has said so or they can no longer be. The weights in force stay.",
		Roles:  proposers,
		Effect: tool.Write,
		Run: func(ctx context.Context, c tool.Call, in closeIn) (tool.Output[closeOut], error) {
			p, _, err := o.proposed(ctx, c.Case, in.Proposal)
			if err != nil {
				return tool.Output[closeOut]{}, err
			}
			asked, err := o.env.Desk.Approvals(ctx, c.Case)
			if err != nil {
				return tool.Output[closeOut]{}, err
			}
			by, done := "rule/weights", false
			for _, a := range asked {
				switch {
				case a.Tool != adoptName:
				case a.Status == dossier.Pending:
					return tool.Output[closeOut]{}, dossier.Errorf(dossier.Invalid, "A senior officer has not decided yet.")
				case a.Status == dossier.Rejected:
					by, done = a.Decisions[len(a.Decisions)-1].By.ID, true
				default:
					done = true
				}
			}
			if !done {
				return tool.Output[closeOut]{}, dossier.Errorf(dossier.Invalid, "No senior officer was asked. Call %s first.", adoptName)
			}
			if err := o.book.Decide(ctx, p.ID, "rejected", by, c.Now); err != nil {
				return tool.Output[closeOut]{}, err
			}
			_, err = o.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Closed, Stage: "rejected", Outcome: "rejected", Note: "The proposed weights were not adopted.", By: by})
			return tool.Output[closeOut]{Value: closeOut{p.Version}}, err
		},
	}.Tool()
}

// What the weigher reports: nothing between the two is said of weights.
const (
	nowInForce = "The proposed weights are in force."
	asTheyAre  = "The weights stay as they are."
)

// weigher is the agent that carries a proposal to a senior officer. It has one thing
// to do and no say in it.
func (o *office) weigher() *agent.Agent {
	return &agent.Agent{
		Name: weigherName, Doc: "Carries proposed weights to a senior officer.", Prompt: prompt("weigher"), Model: "fast",
		Tools: []tool.Tool{o.adoptWeights(), o.closeProposal()}, Input: tool.SchemaOf[adoptIn](),
		Policy: weigherPolicy, Check: o.checkWeigher,
	}
}

func weigherPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in adoptIn
	if err := req.Brief(&in, nil); err != nil {
		return nil, err
	}
	r, ok := req.Last(adoptName)
	if !ok {
		return req.Calling(model.Planned{Tool: adoptName, Args: in}), nil
	}
	why := r.Problem()
	if why == "" {
		return model.Say(nowInForce), nil
	}
	if _, ok := req.Last(closeName); !ok {
		return req.Calling(model.Planned{Tool: closeName, Args: closeIn{in.Proposal}}), nil
	}
	return model.Say(asTheyAre + " " + why), nil
}

// checkWeigher refuses a report that leaves the proposal open, or says of it what the
// records do not.
func (o *office) checkWeigher(ctx context.Context, d agent.Draft) error {
	var in adoptIn
	var text string
	if err := json.Unmarshal(d.Run.Input, &in); err != nil {
		return fmt.Errorf("decode input: %w", err)
	}
	if err := json.Unmarshal(d.Answer, &text); err != nil {
		return dossier.Errorf(dossier.Invalid, "The report cannot be read.").Because(err)
	}
	p, err := o.book.Proposal(ctx, in.Proposal)
	if err != nil {
		return err
	}
	says, otherwise := asTheyAre, nowInForce
	switch p.Status {
	case "proposed":
		return dossier.Errorf(dossier.Invalid, "The proposal is still open. Call %s, and %s if it is not adopted.", adoptName, closeName)
	case "adopted":
		says, otherwise = nowInForce, asTheyAre
	}
	if !strings.Contains(text, says) || strings.Contains(text, otherwise) {
		return dossier.Errorf(dossier.Invalid, "The report must say: %s", says)
	}
	return prose.Check(text, d)
}
