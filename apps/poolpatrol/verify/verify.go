// Package verify holds the specialists of a vanpool audit: agents that answer one check
// each, and share one contract.
//
// A specialist fetches what it needs with its tools, the tool applies the rule of
// package engine, and the specialist reports what the rule said: a [Result]. It may
// put the reasoning in other words; an answer whose verdict, confidence or riders are
// not the rule's is refused. [Specialists.New] makes one more specialist for one more
// check, and nothing else needs to know.
package verify

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/agent"
	"dossier/internal/faith"
	"dossier/internal/geo"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// Records are what the specialists look up: the app's tables, or the example of a
// suite.
type Records interface {
	Van(ctx context.Context, id string) (roster.Van, error)
	Crew(ctx context.Context, id string) (roster.Van, error) // without shifts and days off
	Centroid(ctx context.Context, zip string) (geo.Point, error)
}

// Specialists are what the agents of this package share.
type Specialists struct {
	Roster   Records
	Shifts   engine.ShiftParams
	MaxMiles float64
	Route    Router         // nil: distances are estimated
	Roles    []dossier.Role // who may look
	Prompt   func(agent string) string

	// Case returns a case, to see which van it is about. Nil: any.
	Case func(context.Context, dossier.CaseID) (dossier.Case, error)
}

// A CheckIn is what a specialist is started with, and what its tools are asked about.
type CheckIn struct {
	Vanpool   string   `json:"vanpool_id"`
	Employees []string `json:"employee_ids" jsonschema:"the riders to look at; empty means all of the van. A verdict is about everybody in the van, whoever is named"`
}

// New declares a specialist: an agent that answers one check and nothing else. Other
// agents call it as run_<check>_specialist.
func (s Specialists) New(check, doc, prompt string, tools []tool.Tool, policy model.Policy) *agent.Agent {
	return &agent.Agent{
		Name: check, Doc: doc, Prompt: prompt, Model: "fast", Policy: policy,
		Tools: tools, ToolName: "run_" + check + "_specialist",
		Input: tool.SchemaOf[CheckIn](), Output: tool.SchemaOf[Result](),
		Limits:  agent.Limits{Turns: 6},
		Preload: s.sameCase,
		Check:   agreesWithRule,
	}
}

// sameCase refuses to look at one van in the case of another, where the verdict would
// stand against the wrong riders.
func (s Specialists) sameCase(ctx context.Context, run dossier.Run) (none agent.Preloaded, err error) {
	var in CheckIn
	if err := json.Unmarshal(run.Input, &in); err != nil {
		return none, dossier.Errorf(dossier.Invalid, "The specialist was started with something else.").Because(err)
	}
	if s.Case == nil {
		return none, nil
	}
	c, err := s.Case(ctx, run.Case)
	if err != nil {
		return none, err
	}
	if van, ok := strings.CutPrefix(c.Subject, "vanpool/"); ok && van != in.Vanpool {
		return none, dossier.Errorf(dossier.Invalid, "Case %s is about %s, not %s.", c.ID, van, in.Vanpool)
	}
	return none, nil
}

// ownVan refuses a look at another van than the one the run is about.
func ownVan(c tool.Call, vanpool string) error {
	var about CheckIn
	if json.Unmarshal(c.Input, &about) == nil && about.Vanpool != "" && about.Vanpool != vanpool {
		return dossier.Errorf(dossier.Invalid, "This look is about %s, not %s.", about.Vanpool, vanpool)
	}
	return nil
}

// reportRule answers with the result that a checking tool returned.
func reportRule(r model.Return) (*model.Reply, error) {
	if r.Failed {
		return nil, dossier.Errorf(dossier.Invalid, "%s", r.Problem())
	}
	var out struct {
		Result Result `json:"result"`
	}
	if err := r.Decode(&out); err != nil {
		return nil, err
	}
	return model.Answer(out.Result)
}

// agreesWithRule refuses a specialist's answer whose verdict, confidence or riders are
// not those of the rule: a model explains a verdict, it does not make one.
func agreesWithRule(_ context.Context, d agent.Draft) error {
	var said Result
	if err := json.Unmarshal(d.Answer, &said); err != nil {
		return dossier.Errorf(dossier.Invalid, "The answer is not a result: %v.", err)
	}
	for i := len(d.Returns) - 1; i >= 0; i-- {
		var out struct {
			Result *Result `json:"result"`
		}
		if d.Returns[i].Failed || json.Unmarshal(d.Returns[i].Value, &out) != nil || out.Result == nil {
			continue
		}
		ruled := out.Result
		switch {
		case said.Verdict != ruled.Verdict:
			return dossier.Errorf(dossier.Invalid, "The rule's verdict is %q; report it as it stands.", ruled.Verdict)
		case said.Confidence != ruled.Confidence:
			return dossier.Errorf(dossier.Invalid, "The rule's confidence is %d; report it as it stands.", ruled.Confidence)
		case !SameSet(said.Affected, ruled.Affected):
			return dossier.Errorf(dossier.Invalid, "The riders concerned are %v; name them and no others.", ruled.Affected)
		}
		return saysNothingNew(said, *ruled, d.Returns[i].Value)
	}
	return dossier.Errorf(dossier.Invalid, "Call the checking tool first: a verdict needs evidence.")
}

// saysNothingNew refuses evidence that the rule did not give, and reasoning in other
// words than the rule's if it holds a number that the check did not return.
func saysNothingNew(said, ruled Result, returned json.RawMessage) error {
	for _, it := range said.Evidence {
		if !slices.ContainsFunc(ruled.Evidence, it.identical) && !slices.ContainsFunc(ruled.Evidence, it.same) {
			return dossier.Errorf(dossier.Invalid, "The evidence must be what the checking tool returned; %q is not.", it.Type)
		}
	}
	if said.Reasoning == ruled.Reasoning {
		return nil
	}
	facts := &faith.Facts{}
	if err := facts.AddJSON("check", returned); err != nil {
		return err
	}
	return faith.Check(said.Reasoning, facts).Err()
}

// SameSet reports whether two lists name the same, in any order and however often.
func SameSet(a, b []string) bool {
	within := func(some, all []string) bool {
		return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
	}
	return within(a, b) && within(b, a)
}

// OrEmpty returns a list that is encoded as [] rather than null.
func OrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
