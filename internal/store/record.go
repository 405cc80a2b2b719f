package store

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/records"
)

// Record writes a move of a run, all or nothing. It returns dossier.Conflict if a
// step with the same place exists, or if the run has ended.
func (s *Store) Record(ctx context.Context, m agent.Move) error {
	for i := range m.Entries {
		e := &m.Entries[i].Step
		e.Run = m.Run
		if e.ID == "" {
			e.ID = agent.StepID(m.Run, e.Seq)
		}
	}
	if m.At.IsZero() {
		m.At = s.now()
	}
	r := &recording{s: s, m: m}
	return s.db.InTx(ctx, r.write)
}

// A recording is one Record in the making.
type recording struct {
	s      *Store
	m      agent.Move
	run    dossier.Run // the columns that matter here
	events []records.Event
	wake   bool
}

// write takes locks in the order that every transaction here does: the case, then its
// runs, then approvals.
func (r *recording) write(ctx context.Context) error {
	c, err := r.lockCase(ctx)
	if err != nil {
		return err
	}
	if err := r.moveRun(ctx); err != nil {
		return err
	}
	if c != nil && c.id != r.run.Case {
		return fmt.Errorf("run %s belongs to case %s and not to %s", r.run.ID, r.run.Case, c.id)
	}
	if err := r.s.insertSteps(ctx, r.m.Run, stepsOf(r.m.Entries), r.m.At); err != nil {
		return err
	}
	r.stepped()
	if c != nil {
		for _, e := range r.m.Entries {
			if err := c.record(ctx, e.Step.ID, e.Seen, e.Found); err != nil {
				return err
			}
		}
	}
	for _, part := range []func(context.Context) error{r.ask, r.act, r.start} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if c != nil {
		if err := c.voidOutdated(ctx, r.m.Approvals); err != nil {
			return err
		}
		r.events = append(r.events, c.events...)
	}
	return r.finish(ctx)
}

// lockCase opens the case's chain if the move has anything for it.
func (r *recording) lockCase(ctx context.Context) (*chain, error) {
	facts, seen := len(r.m.Approvals)+len(r.m.Voided), 0
	for _, e := range r.m.Entries {
		seen += len(e.Seen)
		facts += len(e.Seen) + len(e.Found)
	}
	if facts == 0 {
		return nil, nil
	}
	id := r.m.Case
	if id == "" {
		if err := r.s.db.QueryRow(ctx, "SELECT case_id FROM runs WHERE id = $1", r.m.Run).Scan(&id); err != nil {
			return nil, notFound(err, "run", r.m.Run)
		}
	}
	return r.s.openChain(ctx, id, r.m.At, seen)
}

// movedSQL is what every move changes of its run.
const movedSQL = `moved = $2, moved_by = $3, woken = 0,
	model = CASE WHEN CAST($4 AS TEXT) = '' THEN model ELSE CAST($4 AS TEXT) END, turns = turns + $5,
	tokens_in = tokens_in + $6, tokens_out = tokens_out + $7, cost = cost + $8, busy_ms = busy_ms + $9`

// stayReadySQL is for the most common move, and leaves the index of ready runs alone.
const stayReadySQL = "UPDATE runs SET " + movedSQL + ` WHERE id = $1 AND status = 'ready'
	RETURNING case_id, app, agent, parent_run, status`

// moveRunSQL keeps a run ready that was woken while it was being advanced: whoever
// asks for it to wait may not have seen why.
const moveRunSQL = "UPDATE runs SET " + movedSQL + `,
	status = CASE WHEN CAST($10 AS TEXT) = 'paused' AND woken = 1 THEN 'ready' ELSE CAST($10 AS TEXT) END,
	answer = CASE WHEN CAST($11 AS TEXT) = '' THEN answer ELSE CAST($11 AS TEXT) END,
	failure = $12, ended = $13
	WHERE id = $1 AND ended = 0
	RETURNING case_id, app, agent, parent_run, status`

func (r *recording) moveRun(ctx context.Context) error {
	ended := time.Time{}
	if r.m.Status.Ended() {
		ended = r.m.At
	}
	r.run.ID = r.m.Run
	dest := []any{&r.run.Case, &r.run.App, &r.run.Agent, &r.run.ParentOf, &r.run.Status}
	x := r.m.Spent()
	args := []any{r.m.Run, r.m.At, r.s.self.name, x.Model, x.Turns, x.TokensIn, x.TokensOut, x.Cost, x.BusyMs}
	if r.m.Status == dossier.Ready && len(r.m.Answer) == 0 && r.m.Failure == "" {
		err := r.s.db.QueryRow(ctx, stayReadySQL, args...).Scan(dest...)
		if dossier.KindOf(err) != dossier.NotFound {
			r.wake = r.m.Wake
			return err
		}
	}
	args = append(args, r.m.Status, r.m.Answer, r.m.Failure, ended)
	err := r.s.db.QueryRow(ctx, moveRunSQL, args...).Scan(dest...)
	if err != nil {
		return r.s.whyNot(ctx, err, r.m.Run)
	}
	r.wake = r.m.Wake || r.run.Status != r.m.Status
	return nil
}

func (r *recording) event(kind, by, text string) records.Event {
	return records.Event{At: r.m.At, App: r.run.App, Case: r.run.Case, Run: r.run.ID, Kind: kind, By: by, Text: text}
}

func stepsOf(entries []agent.Entry) []dossier.Step {
	out := make([]dossier.Step, len(entries))
	for i, e := range entries {
		out[i] = e.Step
	}
	return out
}

// stepped tells live pages about the move's last step.
func (r *recording) stepped() {
	if len(r.m.Entries) == 0 {
		return
	}
	last := r.m.Entries[len(r.m.Entries)-1].Step
	e := r.event(records.RunStepped, r.run.Agent, fmt.Sprintf("%s: step %d, %s.", r.run.Agent, last.Seq, last.Kind))
	e.Data = data(stepData{last.Seq, last.Kind})
	r.events = append(r.events, e)
}

// ask stores new approvals and ends those that are no longer to be decided.
func (r *recording) ask(ctx context.Context) error {
	for _, a := range r.m.Approvals {
		a.Run, a.Case, a.App = r.run.ID, r.run.Case, r.run.App
		a, err := r.s.insertApproval(ctx, a, r.m.At)
		if err != nil {
			return err
		}
		e := r.event(records.ApprovalAsked, r.run.Agent, "Asked: "+wants(a))
		e.Approval = a.ID
		r.events = append(r.events, e)
	}
	for _, a := range r.m.Voided {
		a.Run, a.Case, a.App = r.run.ID, r.run.Case, r.run.App
		err := r.s.endApproval(ctx, a, unused, records.ApprovalVoid, voidText(a), r.m.At, &r.events)
		if err != nil {
			return err
		}
	}
	return nil
}

// act records that an act is about to run, or came back.
func (r *recording) act(ctx context.Context) error {
	if a := r.m.Begin; a != nil {
		if err := r.s.beginAct(ctx, *a, r.run, r.m.At); err != nil {
			return err
		}
		r.events = append(r.events, r.event(ActBegun, r.run.Agent, "Began: "+a.Key))
	}
	if a := r.m.Finish; a != nil {
		if err := r.s.finishAct(ctx, *a, r.run, r.m.At); err != nil {
			return err
		}
		r.events = append(r.events, r.event("act."+string(a.State), r.run.Agent, actText(*a)))
	}
	return nil
}

// start stores child runs and queues them.
func (r *recording) start(ctx context.Context) error {
	for _, c := range r.m.Children {
		if c.ParentOf == "" {
			c.ParentOf = r.run.ID
		}
		c, err := r.s.insertRun(ctx, c, r.m.At)
		if err != nil {
			return err
		}
		r.events = append(r.events, started(c, r.m.At))
		if r.m.Drives {
			continue
		}
		if err := r.s.queueRun(ctx, c.App, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// finish tells the timeline that the run ended, wakes whoever called it, and writes
// the events.
func (r *recording) finish(ctx context.Context) error {
	if r.m.Status.Ended() {
		text := r.run.Agent + " gave its answer."
		if r.m.Status == dossier.Failed {
			text = r.run.Agent + " gave up: " + r.m.Failure
		}
		e := r.event(records.RunEnded, r.run.Agent, text)
		e.Data = data(map[string]dossier.Status{"status": r.m.Status})
		r.events = append(r.events, e)
		if r.run.ParentOf != "" {
			if err := r.s.wake(ctx, r.run.ParentOf, !r.m.Driven); err != nil {
				return err
			}
		}
	}
	if r.wake && !r.m.Status.Ended() {
		if err := r.s.queueRun(ctx, r.run.App, r.run.ID); err != nil {
			return err
		}
	}
	return r.s.publish(ctx, r.events...)
}
