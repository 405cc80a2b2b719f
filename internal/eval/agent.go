package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A Stage is where an agent is played: the loop that production uses, over a log in
// memory.
type Stage struct {
	App    string
	Agents []*agent.Agent
	Case   dossier.CaseID // "": a case of its own
	Now    time.Time      // the moment the agent's tools see; zero: a fixed day

	// Decide answers what a person would be asked. Nil: everything is approved.
	Decide func(dossier.Approval) dossier.Decision
	// Price returns what a turn cost. Nil: nothing.
	Price func(model string, u model.Usage) float64
}

// mostQuestions bounds how often people are asked in one example.
const mostQuestions = 16

// PlayAgent plays the agent called name on an input: by p's model, or by its
// reference policy where there is none. A run that fails is a trace without an
// answer, for the graders to judge; the error is for what could not be played at all.
func PlayAgent(ctx context.Context, st Stage, name string, input json.RawMessage, p Player) (Trace, error) {
	log := agenttest.NewLog()
	r := agenttest.NewRunner(log, p.Model, st.Agents...)
	r.Price = st.Price
	if !st.Now.IsZero() {
		r.Now = func() time.Time { return st.Now }
	}
	run := dossier.Run{
		ID: "run-example", Case: st.Case, App: st.App, Agent: name, For: dossier.SystemPrincipal,
		Status: dossier.Ready, Input: input, Started: r.Now(),
	}
	if run.Case == "" {
		run.Case = "CASE-00000001"
	}
	log.Start(run)
	for range mostQuestions {
		if _, err := r.Drive(ctx, run.ID); err != nil {
			return Trace{}, fmt.Errorf("play %s: %w", name, err)
		}
		asked := log.Pending()
		if len(asked) == 0 {
			break
		}
		for _, a := range asked {
			if err := log.Decide(a.ID, st.decision(a, r.Now())); err != nil {
				return Trace{}, fmt.Errorf("decide %s: %w", a.Tool, err)
			}
		}
	}
	done, steps, err := log.Load(ctx, run.ID)
	if err != nil {
		return Trace{}, err
	}
	tr := Trace{Answer: done.Answer, Steps: steps}
	tr.Evidence, tr.Findings, err = log.Facts(ctx, run.Case)
	return tr, err
}

// decision is what the person of an example says about an approval.
func (st Stage) decision(a dossier.Approval, now time.Time) dossier.Decision {
	d := dossier.Decision{Verb: dossier.Approve}
	if st.Decide != nil {
		d = st.Decide(a)
	}
	d.By, d.At = dossier.Principal{ID: fmt.Sprint("person-", len(a.Decisions)+1), Name: "Person", Roles: a.Roles}, now
	return d
}

// Rehearse returns a with its prompt, schemas, checks, questions and policy, but with
// told in place of what it looks up beforehand and do in place of what its tools and
// specialists do. do returns what a call comes back with.
func Rehearse(a *agent.Agent, told json.RawMessage, do func(c tool.Call, name string, args json.RawMessage) (tool.Result, error)) *agent.Agent {
	out := &agent.Agent{
		Name: a.Name, Doc: a.Doc, Prompt: a.Prompt, Model: a.Model, Policy: a.Policy, ToolName: a.ToolName,
		Input: a.Input, Output: a.Output, Limits: a.Limits, Chat: a.Chat, Check: a.Check,
	}
	if told != nil {
		out.Preload = func(context.Context, dossier.Run) (agent.Preloaded, error) {
			return agent.Preloaded{Context: told}, nil
		}
	}
	list := make([]tool.Tool, 0, len(a.Tools)+len(a.Specialists))
	list = append(list, a.Tools...)
	for _, s := range a.Specialists {
		list = append(list, tool.Tool{Name: s.ToolName, Doc: s.Doc, Input: s.Input, Output: s.Output})
	}
	for _, t := range list {
		out.Tools = append(out.Tools, t.Rehearsed(func(_ context.Context, c tool.Call, args json.RawMessage) (tool.Result, error) {
			return do(c, t.Name, args)
		}))
	}
	return out
}
