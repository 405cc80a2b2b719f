package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"dossier"
	"dossier/internal/model"
	"dossier/internal/tool"
	"dossier/internal/trace"
)

// Next says what a run needs after a move.
type Next uint8

const (
	// Again: advance it again.
	Again Next = iota
	// Pause: leave it until an approval is decided, a child run ends or a person speaks.
	Pause
	// Stop: it is done or has failed.
	Stop
)

// A Runner advances runs. It keeps nothing between calls that a restart would miss:
// all state is in the log.
type Runner struct {
	Log   Log
	Now   func() time.Time
	NewID func(prefix string) string
	Slog  *slog.Logger

	// Agent finds an agent by app and name.
	Agent func(app, name string) (*Agent, bool)
	// Model returns the model that plays an agent's part, or nil for its reference policy.
	Model func(app string, a *Agent) model.Model
	// Roles returns p with the roles it has now. Nil: those it had when the run began.
	Roles func(ctx context.Context, p dossier.Principal) (dossier.Principal, error)
	// Price returns what a call cost. Nil: nothing.
	Price func(model string, u model.Usage) float64
	// ActTimeout bounds one act; zero means two minutes.
	ActTimeout time.Duration
	// TraceText lets prompts and answers go into traces, redacted.
	TraceText bool

	acting  sync.Map // acts that this process is running now
	driving sync.Map // runs that this process is driving now
}

// Advance takes the next move of a run and records it before returning. Calling it
// again after a crash repeats at most the move that was not recorded.
func (r *Runner) Advance(ctx context.Context, id dossier.RunID) (Next, error) {
	m, err := r.open(ctx, id)
	if err != nil {
		return Stop, err
	}
	return m.advance(ctx)
}

// Drive advances a run, and the runs it calls, until it waits for a person or ends.
// While one goroutine drives a run, others that want to wait for it and look once
// more when it is done, so that nothing that happened meanwhile is missed.
func (r *Runner) Drive(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	return r.drive(ctx, id, nil)
}

// drive is Drive for a run whose caller is driven, too, or has none.
func (r *Runner) drive(ctx context.Context, id dossier.RunID, caller *mover) (dossier.Run, error) {
	mine := make(chan struct{})
	for {
		other, busy := r.driving.LoadOrStore(id, mine)
		if !busy {
			break
		}
		select {
		case <-other.(chan struct{}):
		case <-ctx.Done():
			return dossier.Run{}, ctx.Err()
		}
	}
	defer func() {
		r.driving.Delete(id)
		close(mine)
	}()
	return r.driveAlone(ctx, id, caller)
}

// driveAlone drives a run that no other goroutine of this process drives. Losing a
// step to another process is no error: it looks again, and then leaves the run to
// that process.
func (r *Runner) driveAlone(ctx context.Context, id dossier.RunID, caller *mover) (dossier.Run, error) {
	m, err := r.openFor(ctx, id, caller, true)
	for lost := 0; err == nil; {
		var on bool
		on, err = r.driveOn(ctx, m)
		if err == nil && !on {
			break
		}
		if errors.Is(err, dossier.Conflict) {
			if lost++; lost > 3 {
				return m.run, nil
			}
			m, err = r.openFor(ctx, id, caller, false)
		}
	}
	if m == nil {
		return dossier.Run{}, err
	}
	return m.run, err
}

// driveOn advances a run as far as it goes, then the runs it called, and reports
// whether it can go on because one of them ended.
func (r *Runner) driveOn(ctx context.Context, m *mover) (bool, error) {
	spanned, span := trace.Run(ctx, m.run)
	next, err := m.drive(spanned)
	span.End(err)
	if err != nil || next == Stop {
		return false, err
	}
	ended, err := r.driveChildren(ctx, m)
	if err != nil && ctx.Err() != nil && !m.driven {
		m.handOver(context.WithoutCancel(ctx))
	}
	return ended, err
}

// handOver queues a run whose driver was called away while its children were at work.
func (m *mover) handOver(ctx context.Context) {
	if err := m.Log.Record(ctx, Move{Run: m.run.ID, At: m.Now(), Status: dossier.Ready, Wake: true}); err != nil {
		m.Slog.WarnContext(ctx, "a run that was left could not be queued", "run", m.run.ID, "err", err)
	}
}

// driveChildren drives the unfinished child runs of a paused run at the same time,
// and reports whether any of them ended.
func (r *Runner) driveChildren(ctx context.Context, m *mover) (bool, error) {
	var kids []dossier.RunID
	for _, c := range m.tr.calls {
		if c.child != "" && c.came == nil {
			kids = append(kids, c.child)
		}
	}
	runs := make([]dossier.Run, len(kids))
	errs := make([]error, len(kids))
	var wg sync.WaitGroup
	for i, kid := range kids {
		wg.Go(func() { runs[i], errs[i] = r.drive(withoutSink(ctx), kid, m) })
	}
	wg.Wait()
	m.called = nil
	m.ended = slices.DeleteFunc(runs, func(run dossier.Run) bool { return !run.Status.Ended() })
	return len(m.ended) > 0, errors.Join(errs...)
}

// openFor opens a run to be driven. One that its caller recorded a moment ago has no
// steps to be loaded, on the first try: should somebody else have taken one, the first
// move conflicts.
func (r *Runner) openFor(ctx context.Context, id dossier.RunID, caller *mover, first bool) (m *mover, err error) {
	if run, ok := caller.callee(id); ok && first {
		m, err = r.mover(run, nil)
	} else {
		m, err = r.open(ctx, id)
	}
	if err == nil {
		m.drives, m.driven = true, caller != nil
	}
	return m, err
}
func (r *Runner) open(ctx context.Context, id dossier.RunID) (*mover, error) {
	run, steps, err := r.Log.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.mover(run, steps)
}

func (r *Runner) mover(run dossier.Run, steps []dossier.Step) (*mover, error) {
	a, ok := r.Agent(run.App, run.Agent)
	if !ok {
		return nil, dossier.Errorf(dossier.NotFound, "The app %s has no agent named %q.", run.App, run.Agent)
	}
	tr, err := replay(steps)
	if err != nil {
		return nil, err
	}
	return &mover{Runner: r, run: run, agent: a, tr: tr}, nil
}

// A mover makes the moves of one loaded run.
type mover struct {
	*Runner
	run   dossier.Run
	agent *Agent
	tr    *transcript
	as    dossier.Principal // the principal with the roles of now

	drives, driven bool          // see Move
	held           []Entry       // steps of a driven run that are not written yet; see hold
	called         []dossier.Run // child runs recorded in the last move and not driven yet
	ended          []dossier.Run // child runs that ended when they were last driven

	reference model.Model // the agent's policy, once it was needed
	offered   []model.ToolSpec
	offeredTo []dossier.Role // the roles for which offered was made
}

// drive advances until the run pauses or ends.
func (m *mover) drive(ctx context.Context) (Next, error) {
	for {
		next, err := m.advance(ctx)
		if err != nil || next != Again {
			return next, err
		}
	}
}

func (m *mover) advance(ctx context.Context) (Next, error) {
	if m.run.Status.Ended() {
		return Stop, nil
	}
	if err := ctx.Err(); err != nil {
		return Stop, err
	}
	m.as = m.run.For
	if m.Roles != nil {
		p, err := m.Roles(ctx, m.run.For)
		if err != nil {
			return Stop, err
		}
		m.as = p
	}
	switch {
	case m.tr.seq == 0:
		return m.begin(ctx)
	case len(m.tr.calls) > 0:
		return m.answerCalls(ctx)
	case m.tr.answered || m.agent.Chat && !m.tr.spoken:
		return m.listen(ctx)
	}
	if reason := m.overLimit(); reason != "" {
		return m.abandon(ctx, reason)
	}
	return m.ask(ctx)
}

// listen leaves a conversation in which the person has the word.
func (m *mover) listen(ctx context.Context) (Next, error) {
	if m.run.Status == dossier.Paused {
		return Pause, nil
	}
	return Pause, m.record(ctx, Move{Status: dossier.Paused, Answer: m.run.Answer})
}

// begin records what the run was started with and what was looked up beforehand.
func (m *mover) begin(ctx context.Context) (Next, error) {
	brief := model.Brief{Input: m.run.Input}
	var seen []dossier.Evidence
	if m.agent.Preload != nil {
		pre, err := m.preload(ctx)
		if err != nil {
			if dossier.KindOf(err) == dossier.Unavailable || ctx.Err() != nil {
				return Stop, err
			}
			return m.abandon(ctx, dossier.Message(err))
		}
		if pre.Context != nil {
			if brief.Context, err = json.Marshal(pre.Context); err != nil {
				return Stop, fmt.Errorf("encode context of %s: %w", m.agent.Name, err)
			}
		}
		seen = pre.Evidence
	}
	e := m.entry(dossier.Said, &saidBody{By: m.run.For.ID, Brief: &brief})
	e.Seen = seen
	if m.agent.Chat {
		return Pause, m.record(ctx, Move{Status: dossier.Paused}, e)
	}
	return Again, m.hold(ctx, e)
}

func (m *mover) preload(ctx context.Context) (pre Preloaded, err error) {
	defer guard("preloading of "+m.agent.Name, &err)
	return m.agent.Preload(ctx, m.run)
}

// errPanic marks an error that was a panic.
var errPanic = errors.New("panic")

// guard, deferred, makes an error of a panic in what an app brings: one bad case must
// not take the whole process down, again and again.
func guard(what string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%s: %w: %v", what, errPanic, v)
	}
}

// Say adds what a person said to a conversation and makes it ready. A question that
// was still open in it is withdrawn: the person chose to say something else.
func (r *Runner) Say(ctx context.Context, id dossier.RunID, by dossier.Principal, text string, attached []Attachment) error {
	m, err := r.open(ctx, id)
	if err != nil {
		return err
	}
	if !m.agent.Chat || m.run.Status.Ended() {
		return dossier.Errorf(dossier.Conflict, "This run is not a conversation that can go on.")
	}
	if m.tr.seq == 0 {
		m.as = m.run.For
		if _, err := m.begin(ctx); err != nil {
			return err
		}
	}
	asked, err := r.Log.Approvals(ctx, id)
	if err != nil {
		return err
	}
	mv := Move{Status: dossier.Ready}
	var entries []Entry
	for _, c := range m.tr.calls {
		if c.came != nil {
			continue
		}
		agreed := func(a dossier.Approval) bool { return a.ID == c.asked.Approval && a.Status == dossier.Approved }
		if c.asked == nil || c.begun != nil || slices.ContainsFunc(asked, agreed) {
			return dossier.Errorf(dossier.Conflict, "The last request is still being worked on. Wait for its answer.")
		}
		mv.Voided = append(mv.Voided, dossier.Approval{
			ID: c.asked.Approval, Status: dossier.Void, VoidedBy: by.Name + " said something else instead of deciding.",
		})
		entries = append(entries, m.returned(&prepared{openCall: c}, Came{
			Value: failure("It was not done: the person said something else instead of agreeing."), Failed: true,
		}, tool.Result{}))
	}
	entries = append(entries, m.entry(dossier.Said, &saidBody{By: by.ID, Text: text, Attached: attached}))
	return m.record(ctx, mv, entries...)
}

// entry makes the next step of the run. record gives it its place.
func (m *mover) entry(kind dossier.StepKind, body any) Entry {
	return Entry{Step: dossier.Step{Run: m.run.ID, Kind: kind, Body: encode(body), At: m.Now()}, body: body}
}

// StepID returns the id of the step at place seq of a run.
func StepID(run dossier.RunID, seq int) dossier.StepID {
	return dossier.StepID(string(run) + "/" + strconv.Itoa(seq))
}

// overLimit returns why the run must end, or "".
func (m *mover) overLimit() string {
	l := m.agent.Limits.withDefaults()
	switch {
	case m.tr.played >= l.Turns: // a model that has used up its own is followed by the policy
		return fmt.Sprintf("The agent did not come to an end within %d turns.", l.Turns)
	case m.tr.tokens >= l.Tokens:
		return fmt.Sprintf("The agent used %d tokens; the limit is %d.", m.tr.tokens, l.Tokens)
	case l.Cost > 0 && m.tr.cost >= l.Cost:
		return fmt.Sprintf("The run cost %.4f; the limit is %.4f.", m.tr.cost, l.Cost)
	case l.Wall > 0 && m.Now().Sub(m.run.Started)-m.tr.waited > l.Wall:
		return fmt.Sprintf("The run took longer than %v.", l.Wall)
	}
	return ""
}

func (m *mover) abandon(ctx context.Context, reason string) (Next, error) {
	return Stop, m.record(ctx, Move{Status: dossier.Failed, Failure: reason}, m.entry(dossier.Abandoned, abandonedBody{reason}))
}

type sinkKey struct{}

// WithSink returns a context in which a model's text is handed to sink as it comes.
func WithSink(ctx context.Context, sink func(text string)) context.Context {
	return context.WithValue(ctx, sinkKey{}, sink)
}

func withoutSink(ctx context.Context) context.Context {
	return context.WithValue(ctx, sinkKey{}, (func(string))(nil))
}

func sinkOf(ctx context.Context) func(string) {
	sink, _ := ctx.Value(sinkKey{}).(func(string))
	return sink
}
