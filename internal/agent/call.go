package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dossier"
	"dossier/internal/tool"
	"dossier/internal/trace"
)

// A way is what has to happen next with an open call.
type way uint8

const (
	refuse   way = iota // it comes back failed, or with a result that is already known
	look                // a read: run it now, beside the others
	change              // a write: run it inside the transaction that records it
	act                 // record it as begun, run it, record what came back
	settle              // a person said what became of an act in doubt: write that down
	question            // ask a person first
	spawn               // start a child run
	wait                // someone else must move first
)

// A prepared call is an open call with what has to happen next.
type prepared struct {
	*openCall
	way   way
	tool  tool.Tool
	plan  tool.Plan
	came  Came // for refuse, and for settle if the act did not happen
	doubt bool // for question: whether an interrupted act happened
	kid   *Agent
	ruled *dossier.Decision
	void  *dossier.Approval // for refuse: the approval that no longer holds
}

// answerCalls moves the open calls of the last turn: first everything that can be
// answered at once, then one write or act, then questions and child runs.
func (m *mover) answerCalls(ctx context.Context) (Next, error) {
	var calls []*prepared
	for _, c := range m.tr.calls {
		if c.came != nil {
			continue
		}
		p, err := m.prepare(ctx, c)
		if err != nil {
			return Stop, err
		}
		calls = append(calls, p)
	}
	if slices.ContainsFunc(calls, func(p *prepared) bool { return p.way <= look }) {
		return Again, m.answerAtOnce(ctx, calls)
	}
	if slices.ContainsFunc(calls, func(p *prepared) bool { return p.way < spawn }) {
		if err := m.flush(ctx); err != nil {
			return Stop, err
		}
	}
	for _, p := range calls {
		switch p.way {
		case change:
			return Again, m.runWrite(ctx, p)
		case act:
			return Again, m.runAct(ctx, p)
		case settle:
			return Again, m.settle(ctx, p)
		}
	}
	return m.waitFor(ctx, calls)
}

// prepare decides what has to happen next with a call.
func (m *mover) prepare(ctx context.Context, c *openCall) (*prepared, error) {
	p := &prepared{openCall: c}
	for _, s := range m.agent.Specialists {
		if s.ToolName == c.call.Tool {
			p.kid = s
			return p, m.prepareChild(ctx, p)
		}
	}
	i := slices.IndexFunc(m.agent.Tools, func(t tool.Tool) bool { return t.Name == c.call.Tool })
	if i < 0 {
		return p.withdraw(m.noSuchTool(c.call.Tool)), nil
	}
	p.tool = m.agent.Tools[i]
	if c.begun != nil {
		return p, m.prepareBegun(ctx, p)
	}
	if why := m.forbidden(p.tool); why != "" {
		return p.withdraw(why), nil
	}
	if err := m.planCall(p, c.call.Args); err != nil {
		return p.withdraw(dossier.Message(err)), nil
	}
	if c.asked != nil {
		return p, m.prepareAsked(ctx, p)
	}
	return p, m.prepareFresh(ctx, p)
}

// forbidden says why whoever the run is for may not use a tool now, or returns "".
func (m *mover) forbidden(t tool.Tool) string {
	if t.Allows(m.as) {
		return ""
	}
	return fmt.Sprintf("%s may not use %s: it needs the role %s.", m.as.Name, t.Name, roleList(t.Roles))
}

// withdraw refuses a call, and takes back the question about it if one was asked.
func (p *prepared) withdraw(why string) *prepared {
	if p.asked != nil {
		p.void = &dossier.Approval{ID: p.asked.Approval, Status: dossier.Void, VoidedBy: why}
	}
	return p.refuse(why)
}

// planCall plans the call with args. An act whose tool names no key is a deed of this
// call alone.
func (m *mover) planCall(p *prepared, args json.RawMessage) (err error) {
	defer guard("planning "+p.tool.Name, &err)
	p.plan, err = p.tool.Plan(args)
	if p.plan.Ask == "" && !byPolicy(m.tr.model) {
		p.plan.Ask = p.plan.AskModel
	}
	if err == nil && p.plan.Key == "" && p.tool.Effect == tool.Act {
		p.plan.Key = p.tool.Name + "/" + actKey(m.run.ID, p.call.ID)
	}
	return err
}

// prepareFresh handles a call that nobody has touched yet.
func (m *mover) prepareFresh(ctx context.Context, p *prepared) error {
	if p.plan.Key != "" {
		done, err := m.Log.Act(ctx, m.run.App, p.plan.Key)
		if err != nil {
			return err
		}
		if done.State == ActDone {
			p.came = Came{Value: done.Value, Again: true}
			return nil
		}
		if done.State == ActBegun {
			m.behind(p, done)
			return nil
		}
	}
	switch {
	case p.plan.Ask != "":
		p.way = question
		return m.worthAsking(ctx, p)
	case p.tool.Effect == tool.Act:
		p.way = act
	case p.tool.Effect == tool.Write:
		p.way = change
	default:
		p.way = look
	}
	return nil
}

// behind handles a call for a deed that another call has begun. If that is a call of the
// same turn, this one comes to what becomes of it.
func (m *mover) behind(p *prepared, first Act) {
	p.refuse("The same act is already under way in another run.")
	if first.Run == m.run.ID && m.tr.open(first.Call) != nil {
		p.way = wait
	}
}

// worthAsking refuses a call of which the tool says that it could not be carried out.
func (m *mover) worthAsking(ctx context.Context, p *prepared) error {
	if err := m.flushFacts(ctx); err != nil { // the tool may look for them
		return err
	}
	err := m.before(ctx, p)
	if k := dossier.KindOf(err); err != nil && (k == dossier.Unavailable || k == dossier.Internal || ctx.Err() != nil) {
		return err
	}
	if err != nil {
		p.refuse(dossier.Message(err))
	}
	return nil
}

func (m *mover) before(ctx context.Context, p *prepared) (err error) {
	defer guard("looking before "+p.tool.Name, &err)
	return p.tool.Before(ctx, m.callOf(p), p.plan.Args)
}

// callOf is what a tool is told about the call.
func (m *mover) callOf(p *prepared) tool.Call {
	return tool.Call{
		Case: m.run.Case, Run: m.run.ID, Step: StepID(m.run.ID, m.tr.seq+1), App: m.run.App,
		For: m.as, Now: m.Now(), Key: p.plan.Key, Input: m.run.Input, Approved: p.ruled, Model: m.tr.model,
	}
}

// prepareBegun handles an act that was begun and has no result. If the process that
// began it is gone, nobody knows whether it happened, and a person is asked.
func (m *mover) prepareBegun(ctx context.Context, p *prepared) error {
	if p.asked != nil {
		return m.prepareAsked(ctx, p)
	}
	p.way = wait
	b := p.begun
	if b.Instance == m.Log.Instance() {
		if _, running := m.acting.Load(actKey(m.run.ID, b.Call)); running {
			return nil
		}
	} else if alive, err := m.Log.Alive(ctx, b.Instance); err != nil || alive {
		return err
	}
	m.inDoubt(p)
	return nil
}

// inDoubt makes a question of an act of which nobody knows whether it happened: of the
// act as it was begun, which a person may have edited.
func (m *mover) inDoubt(p *prepared) {
	if err := m.planCall(p, p.begun.Args); err != nil { // by rules that have changed since
		p.plan.Title = "Run " + p.tool.Name + "."
	}
	p.way, p.doubt, p.plan.Args, p.plan.Key = question, true, p.begun.Args, p.begun.Key
}

func actKey(run dossier.RunID, call string) string { return string(run) + "/" + call }

func (p *prepared) refuse(why string) *prepared {
	p.way, p.came = refuse, Came{Value: failure(why), Failed: true}
	return p
}

func failure(why string) json.RawMessage {
	return encode(struct {
		Error string `json:"error"`
	}{why})
}

// failureOf is the failure of a tool. One that is not the call's own fault, because
// something did not answer or broke, says that the same call may be made again.
func failureOf(err error) json.RawMessage {
	if k := dossier.KindOf(err); k != dossier.Unavailable && k != dossier.Internal {
		return failure(dossier.Message(err))
	}
	return encode(struct {
		Error string `json:"error"`
		Retry bool   `json:"retry"`
	}{dossier.Message(err), true})
}

func (m *mover) noSuchTool(name string) string {
	var names []string
	for _, t := range tool.For(m.as, m.agent.Tools) {
		names = append(names, t.Name)
	}
	for _, s := range m.agent.Specialists {
		names = append(names, s.ToolName)
	}
	return fmt.Sprintf("There is no tool named %q. There are: %s.", name, strings.Join(names, ", "))
}

func roleList(roles []dossier.Role) string {
	var names []string
	for _, r := range roles {
		names = append(names, string(r))
	}
	return strings.Join(names, " or ")
}

// answerAtOnce runs the reads at the same time and records them, with the calls that
// need no running, in the order of the calls.
func (m *mover) answerAtOnce(ctx context.Context, calls []*prepared) error {
	calls = slices.DeleteFunc(calls, func(p *prepared) bool { return p.way > look })
	entries, err := m.read(ctx, calls)
	if err != nil {
		return err
	}
	mv := Move{Status: dossier.Ready}
	for _, p := range calls {
		if p.void != nil {
			mv.Voided = append(mv.Voided, *p.void)
		}
	}
	if len(mv.Voided) > 0 {
		return m.record(ctx, mv, entries...)
	}
	return m.hold(ctx, entries...)
}

// read runs the reads among calls at the same time and makes the entries of all.
func (m *mover) read(ctx context.Context, calls []*prepared) ([]Entry, error) {
	entries := make([]Entry, len(calls))
	errs := make([]error, len(calls)+1)
	var wg sync.WaitGroup
	for i, p := range calls {
		if p.way == refuse {
			entries[i] = m.returned(p, p.came, tool.Result{})
			continue
		}
		if err := m.flushFacts(ctx); err != nil {
			errs[i] = err
			break
		}
		wg.Go(func() {
			entries[i], errs[i] = m.run1(ctx, p)
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	errs[len(calls)] = m.await(ctx, done)
	return entries, errors.Join(errs...)
}

// run1 runs a call and makes the entry for what came back. An error means that
// nothing may be recorded; a tool's own failure is an entry like any other.
func (m *mover) run1(ctx context.Context, p *prepared) (Entry, error) {
	began := m.Now()
	res, err := m.invoke(ctx, p)
	if ctx.Err() != nil {
		return Entry{}, ctx.Err()
	}
	if p.way == act && (errors.Is(err, errPanic) || errors.Is(err, tool.ErrUnsaid)) {
		return Entry{}, err
	}
	came := Came{Value: res.Value, Ms: ms(m.Now().Sub(began))}
	if err != nil {
		m.Slog.InfoContext(ctx, "tool failed", "tool", p.tool.Name, "run", m.run.ID, "err", err)
		came.Value, came.Failed, res = failureOf(err), true, tool.Result{}
	}
	e := m.returned(p, came, res)
	e.Spent.BusyMs = came.Ms
	return e, nil
}

// invoke calls the tool. A tool that panics has a bug; its run does not die of it.
func (m *mover) invoke(ctx context.Context, p *prepared) (res tool.Result, err error) {
	defer guard("tool "+p.tool.Name, &err)
	ctx, span := trace.Tool(ctx, p.tool.Name, p.call.ID, p.tool.Effect.String())
	defer func() { span.End(err) }()
	run := p.tool.Run
	if p.way == settle {
		run = p.tool.Happened
	}
	return run(ctx, m.callOf(p), p.plan.Args)
}

func (m *mover) returned(p *prepared, came Came, res tool.Result) Entry {
	came.Call, came.Tool, came.Ruling = p.call.ID, p.call.Tool, p.ruled
	if p.ruled != nil && p.ruled.Verb == dossier.Edit {
		came.Args = p.plan.Args
	}
	if came.Value == nil {
		came.Value = json.RawMessage("null")
	}
	e := m.entry(dossier.Returned, &came)
	e.Seen, e.Found = res.Evidence, res.Findings
	return e
}

// came is what a returned entry holds.
func (e Entry) came() *Came { return e.body.(*Came) }

// runWrite runs a write inside the transaction that records it.
func (m *mover) runWrite(ctx context.Context, p *prepared) error {
	var failed *Entry
	before := *m.tr
	err := m.Log.Within(ctx, func(ctx context.Context) error {
		e, err := m.run1(ctx, p)
		if err != nil {
			return err
		}
		if e.came().Failed {
			failed = &e
			return errUndo
		}
		return m.record(ctx, Move{Status: dossier.Ready, Finish: m.finish(p, ActDone, e)}, e)
	})
	if errors.Is(err, errUndo) {
		return m.record(ctx, Move{Status: dossier.Ready}, *failed)
	}
	if err != nil {
		*m.tr = before
	}
	return err
}

// errUndo makes a write's transaction roll back because the tool failed.
var errUndo = errors.New("the tool failed; undo what it wrote")

func (m *mover) finish(p *prepared, state ActState, e Entry) *Act {
	if p.plan.Key == "" {
		return nil
	}
	return &Act{App: m.run.App, Key: p.plan.Key, Run: m.run.ID, Call: p.call.ID, State: state, Value: e.came().Value, By: m.Log.Instance()}
}

// runAct records an act as begun, runs it and records what came back. If recording
// the result fails, the act is in doubt and a person will be asked.
func (m *mover) runAct(ctx context.Context, p *prepared) error {
	key := actKey(m.run.ID, p.call.ID)
	if _, running := m.acting.LoadOrStore(key, true); running {
		return dossier.Errorf(dossier.Conflict, "The act is already under way.")
	}
	defer m.acting.Delete(key)
	begin := &Act{App: m.run.App, Key: p.plan.Key, Run: m.run.ID, Call: p.call.ID, State: ActBegun, By: m.Log.Instance()}
	err := m.record(ctx, Move{Status: dossier.Ready, Begin: begin}, m.entry(dossier.Begun, begunBody{
		Call: p.call.ID, Tool: p.tool.Name, Args: p.plan.Args, Key: p.plan.Key, Instance: m.Log.Instance(),
	}))
	if err != nil {
		return err
	}
	limit := m.ActTimeout
	if limit == 0 {
		limit = 2 * time.Minute
	}
	// A caller that goes away must not leave an act in doubt.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	e, err := m.run1(ctx, p)
	if errors.Is(err, errPanic) || errors.Is(err, tool.ErrUnsaid) {
		m.Slog.ErrorContext(ctx, "an act broke and may have happened", "tool", p.tool.Name, "run", m.run.ID, "err", err)
		return nil // a person will be asked
	}
	if err != nil {
		return err
	}
	state := ActDone
	if e.came().Failed {
		state = ActFailed
	}
	return m.record(context.WithoutCancel(ctx), Move{Status: dossier.Ready, Finish: m.finish(p, state, e)}, e)
}

// settle records what a person said became of an act in doubt. If it happened, its key
// is used up; if it did not, another call may do it.
func (m *mover) settle(ctx context.Context, p *prepared) error {
	if p.came.Failed {
		e := m.returned(p, p.came, tool.Result{})
		return m.record(ctx, Move{Status: dossier.Ready, Finish: m.finish(p, ActFailed, e)}, e)
	}
	err := m.Log.Within(ctx, func(ctx context.Context) error {
		e, err := m.run1(ctx, p)
		if err != nil {
			return err
		}
		if e.came().Failed {
			return errUndo
		}
		return m.record(ctx, Move{Status: dossier.Ready, Finish: m.finish(p, ActDone, e)}, e)
	})
	if !errors.Is(err, errUndo) {
		return err
	}
	// It happened all the same, although the app could not write it down.
	said, err := tool.Testimony(*p.ruled)
	if err != nil {
		return err
	}
	e := m.returned(p, Came{Value: said.Value}, tool.Result{})
	return m.record(ctx, Move{Status: dossier.Ready, Finish: m.finish(p, ActDone, e)}, e)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
