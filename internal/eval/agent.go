package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A Stage is where an agent is played: the loop that production uses, over records in
// memory, or over the rows of a scratch copy of the app (app.Scratch).
type Stage struct {
	App    string
	Agents []*agent.Agent
	Case   dossier.CaseID    // "": a case of its own, in memory only
	For    dossier.Principal // who the agent works for; zero: the product itself
	Now    time.Time         // the moment the agent's tools see; zero: a fixed day

	// Says is what the person of a conversation says, one line a turn. After each line
	// the agent answers before the next is said. Only for agents that chat.
	Says []string
	// Decide answers what a person would be asked. Nil: everything is approved.
	Decide func(dossier.Approval) dossier.Decision
	// Price returns what a turn cost. Nil: nothing.
	Price func(model string, u model.Usage) float64

	// On keeps the records. Nil: memory that is forgotten after the example.
	On Ground
	// NewID makes ids. Nil: counted from 1, which a Ground that outlives one example
	// must not use.
	NewID func(prefix string) string
}

// A Ground keeps the records of a play.
type Ground interface {
	agent.Log
	// Begin adds a run.
	Begin(ctx context.Context, r dossier.Run) error
	// Asked returns every approval of a case, oldest first.
	Asked(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error)
	// Settle records what a person decided and makes the run ready.
	Settle(ctx context.Context, id dossier.ApprovalID, d dossier.Decision) error
}

// memory is the ground of an example that needs no rows.
type memory struct{ *agenttest.Log }

func (m memory) Begin(_ context.Context, r dossier.Run) error {
	m.Start(r)
	return nil
}

func (m memory) Asked(context.Context, dossier.CaseID) ([]dossier.Approval, error) {
	return m.All(), nil
}

func (m memory) Settle(_ context.Context, id dossier.ApprovalID, d dossier.Decision) error {
	return m.Decide(id, d)
}

// mostQuestions bounds how often people are asked in one turn of an example.
const mostQuestions = 16

// PlayAgent plays the agent called name on an input: by p's model, or by its
// reference policy where there is none. A run that fails is a trace without an
// answer, for the graders to judge; the error is for what could not be played at all.
func PlayAgent(ctx context.Context, st Stage, name string, input json.RawMessage, p Player) (Trace, error) {
	if st.On == nil {
		st.On = memory{agenttest.NewLog()}
	}
	r := agenttest.NewRunner(st.On, p.Model, st.Agents...)
	r.Price = st.Price
	if !st.Now.IsZero() {
		r.Now = func() time.Time { return st.Now }
	}
	if st.NewID != nil {
		r.NewID = st.NewID
	}
	run := dossier.Run{
		ID: dossier.RunID(r.NewID("run-")), Case: st.Case, App: st.App, Agent: name, For: st.For,
		Status: dossier.Ready, Input: input, Started: r.Now(),
	}
	if run.For.ID == "" {
		run.For = dossier.SystemPrincipal
	}
	if run.Case == "" {
		run.Case = "CASE-00000001"
	}
	if err := st.On.Begin(ctx, run); err != nil {
		return Trace{}, fmt.Errorf("play %s: %w", name, err)
	}
	if err := st.play(ctx, r, run); err != nil {
		return Trace{}, fmt.Errorf("play %s: %w", name, err)
	}
	return st.trace(ctx, run)
}

// play drives a run to its end, or through everything that is said in it.
func (st Stage) play(ctx context.Context, r *agent.Runner, run dossier.Run) error {
	if err := st.drive(ctx, r, run); err != nil {
		return err
	}
	for _, text := range st.Says {
		now, _, err := st.On.Load(ctx, run.ID)
		if err != nil {
			return err
		}
		if now.Status.Ended() {
			return nil // it was given up: the graders see a trace without an answer
		}
		if err := r.Say(ctx, run.ID, run.For, text, nil); err != nil {
			return err
		}
		if err := st.drive(ctx, r, run); err != nil {
			return err
		}
	}
	return nil
}

// drive advances a run until nobody is asked any more.
func (st Stage) drive(ctx context.Context, r *agent.Runner, run dossier.Run) error {
	for range mostQuestions {
		if _, err := r.Drive(ctx, run.ID); err != nil {
			return err
		}
		asked, err := st.On.Asked(ctx, run.Case)
		if err != nil {
			return err
		}
		asked = slices.DeleteFunc(asked, func(a dossier.Approval) bool { return a.Status != dossier.Pending })
		if len(asked) == 0 {
			return nil
		}
		for _, a := range asked {
			if err := st.On.Settle(ctx, a.ID, st.decision(a, r.Now())); err != nil {
				return fmt.Errorf("decide %s: %w", a.Tool, err)
			}
		}
	}
	return nil
}

func (st Stage) trace(ctx context.Context, run dossier.Run) (Trace, error) {
	done, steps, err := st.On.Load(ctx, run.ID)
	if err != nil {
		return Trace{}, err
	}
	tr := Trace{Answer: done.Answer, Steps: steps, Failure: done.Failure}
	if tr.Approvals, err = st.On.Asked(ctx, run.Case); err != nil {
		return Trace{}, err
	}
	tr.Evidence, tr.Findings, err = st.On.Facts(ctx, run.Case)
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
		list = append(list, tool.Tool{Name: s.ToolName, Doc: s.Doc, Input: s.Input})
	}
	for _, t := range list {
		out.Tools = append(out.Tools, t.Rehearsed(func(_ context.Context, c tool.Call, args json.RawMessage) (tool.Result, error) {
			return do(c, t.Name, args)
		}))
	}
	return out
}

// FailFirst makes the named tools of a not answer when they are first called, so that
// an example shows whether the agent tries again. a must be the example's own.
func FailFirst(a *agent.Agent, names ...string) *agent.Agent {
	for i, t := range a.Tools {
		if !slices.Contains(names, t.Name) {
			continue
		}
		var called atomic.Bool
		a.Tools[i] = t.Rehearsed(func(ctx context.Context, c tool.Call, args json.RawMessage) (tool.Result, error) {
			if called.CompareAndSwap(false, true) {
				return tool.Result{}, dossier.Errorf(dossier.Unavailable, "The records did not answer.")
			}
			return t.Run(ctx, c, args)
		})
	}
	return a
}
