// Package desk is what an app may do with the core's records: one [Desk] per app,
// over the store and the runner.
//
// It adds nothing to them but the app's name: every call is bound to the app it was
// made for, so that one app cannot reach another's cases. Calls made inside a
// transaction join it. It decides nothing; transitions are the vocabulary's and
// rights are checked where requests come in.
package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/eval"
	"dossier/internal/records"
	"dossier/internal/store"
)

// A Desk is one app's way to the core's records.
type Desk struct {
	ID     string // the app's
	Store  *store.Store
	Runner *agent.Runner
	Inbox  *approval.Inbox
	Now    func() time.Time
	NewID  func(prefix string) string
	Redact func(text string) string // of what people say; nil: nothing
	Suite  func(name string) string // the version of a suite of the app; nil: results of any count
}

var _ app.Desk = (*Desk)(nil)

// Open implements app.Desk.
func (d *Desk) Open(ctx context.Context, o app.Opening) (dossier.Case, bool, error) {
	return d.Store.OpenCase(ctx, d.ID, o)
}

// Case implements app.Desk.
func (d *Desk) Case(ctx context.Context, id dossier.CaseID) (dossier.Case, error) {
	c, err := d.Store.Case(ctx, id)
	if err == nil && c.App != d.ID {
		return dossier.Case{}, dossier.Errorf(dossier.NotFound, "There is no case %s.", id)
	}
	return c, err
}

// CaseOf implements app.Desk.
func (d *Desk) CaseOf(ctx context.Context, subject string) (dossier.Case, error) {
	return d.Store.CaseOf(ctx, d.ID, subject)
}

// Cases implements app.Desk.
func (d *Desk) Cases(ctx context.Context, f app.CaseFilter) ([]dossier.Case, error) {
	if f.Limit == 0 {
		f.Limit = 1000
	}
	return d.Store.Cases(ctx, records.CaseQuery{
		Apps: []string{d.ID}, States: f.States, Stage: f.Stage, Subject: f.Subject, Limit: f.Limit,
	})
}

// Move implements app.Desk.
func (d *Desk) Move(ctx context.Context, id dossier.CaseID, ch app.Change) (dossier.Case, error) {
	if _, err := d.Case(ctx, id); err != nil {
		return dossier.Case{}, err
	}
	return d.Store.MoveCase(ctx, id, 0, ch)
}

// Record implements app.Desk.
func (d *Desk) Record(ctx context.Context, id dossier.CaseID, seen []dossier.Evidence, found []dossier.Finding) ([]dossier.Evidence, error) {
	if _, err := d.Case(ctx, id); err != nil {
		return nil, err
	}
	now := d.Now()
	for i := range seen {
		e := &seen[i]
		e.Case = id
		if e.At.IsZero() {
			e.At = now
		}
		if e.Source.Fetched.IsZero() {
			e.Source.Fetched = now
		}
	}
	for i := range found {
		found[i].Case, found[i].At = id, now
	}
	sealed, _, err := d.Store.RecordFacts(ctx, id, seen, found)
	return sealed, err
}

// Facts implements app.Desk.
func (d *Desk) Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error) {
	return d.Store.Facts(ctx, id)
}

// Start implements app.Desk.
func (d *Desk) Start(ctx context.Context, s app.Start) (dossier.Run, error) {
	a, ok := d.Runner.Agent(d.ID, s.Agent)
	if !ok {
		return dossier.Run{}, dossier.Errorf(dossier.NotFound, "The app %s has no agent named %q.", d.ID, s.Agent)
	}
	in, err := json.Marshal(s.Input)
	if err != nil {
		return dossier.Run{}, fmt.Errorf("encode input of %s: %w", s.Agent, err)
	}
	if err := a.Input.Check(in); err != nil {
		return dossier.Run{}, dossier.Errorf(dossier.Invalid, "The agent %s cannot start: %s", s.Agent, dossier.Message(err))
	}
	run := dossier.Run{
		ID: dossier.RunID(d.NewID("run-")), Case: s.Case, App: d.ID, Agent: s.Agent, For: s.For,
		Status: dossier.Ready, Input: in, Started: d.Now(),
	}
	return d.Store.InsertRun(ctx, run, nil, s.Hold)
}

// Drive implements app.Desk. A run that it has to leave, because the caller went away
// or something of it could not be done now, is queued for somebody else.
func (d *Desk) Drive(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	run, err := d.Runner.Drive(ctx, id)
	if err != nil && !run.Status.Ended() {
		err = errors.Join(err, d.Store.Wake(context.WithoutCancel(ctx), id))
	}
	return run, err
}

// Run implements app.Desk.
func (d *Desk) Run(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	return d.Store.Run(ctx, id)
}

// Runs implements app.Desk.
func (d *Desk) Runs(ctx context.Context, id dossier.CaseID) ([]dossier.Run, error) {
	return d.Store.RunsOf(ctx, id)
}

// Steps implements app.Desk.
func (d *Desk) Steps(ctx context.Context, id dossier.RunID) ([]dossier.Step, error) {
	_, steps, err := d.Store.Load(ctx, id)
	return steps, err
}

// Spent implements app.Desk.
func (d *Desk) Spent(ctx context.Context, id dossier.CaseID) (dossier.Expense, error) {
	return d.Store.Spent(ctx, d.ID, id)
}

// SpentByCase implements app.Desk.
func (d *Desk) SpentByCase(ctx context.Context) (map[dossier.CaseID]dossier.Expense, error) {
	return d.Store.SpentByCase(ctx, d.ID)
}

// Say implements app.Desk.
func (d *Desk) Say(ctx context.Context, id dossier.RunID, by dossier.Principal, text string, attached []app.Attachment) error {
	if d.Redact != nil {
		text = d.Redact(text)
	}
	return d.Runner.Say(ctx, id, by, text, attached)
}

// Approvals implements app.Desk.
func (d *Desk) Approvals(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error) {
	return d.Store.ApprovalsOf(ctx, id)
}

// Asked implements app.Desk.
func (d *Desk) Asked(ctx context.Context, tool string) ([]dossier.Approval, error) {
	return d.Store.ListApprovals(ctx, records.ApprovalQuery{Apps: []string{d.ID}, Tool: tool, Limit: 10_000})
}

// Decide implements app.Desk.
func (d *Desk) Decide(ctx context.Context, id dossier.ApprovalID, decision dossier.Decision) (dossier.Approval, error) {
	a, err := d.Store.Approval(ctx, id)
	if err != nil {
		return a, err
	}
	if a.App != d.ID {
		return dossier.Approval{}, dossier.Errorf(dossier.NotFound, "There is no approval %s.", id)
	}
	return d.Inbox.Decide(ctx, id, a.Digest, decision)
}

// Reached implements app.Desk.
func (d *Desk) Reached(ctx context.Context, agent, suite string) (float64, bool, error) {
	a, ok := d.Runner.Agent(d.ID, agent)
	if !ok {
		return 0, false, dossier.Errorf(dossier.NotFound, "The app %s has no agent %q.", d.ID, agent)
	}
	who := eval.Player{Model: d.Runner.Model(d.ID, a)}
	last, ok, err := d.Store.Measured(ctx, d.ID, suite, who.Name())
	version := last.Version
	if d.Suite != nil {
		version = d.Suite(suite)
	}
	if err != nil || !ok || last.Unsafe || last.Stale(a.Version(), version, who.Server()) != "" {
		return 0, false, err
	}
	return last.Reached(), true, nil
}

// Later implements app.Desk.
func (d *Desk) Later(ctx context.Context, job string, args any, at time.Time, unique string) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encode arguments of job %s: %w", job, err)
	}
	return d.Store.Later(ctx, d.ID, job, raw, at, unique)
}

// Publish implements app.Desk.
func (d *Desk) Publish(ctx context.Context, e app.Event) error {
	return d.Store.Publish(ctx, records.Event{
		At: d.Now(), Kind: e.Kind, App: d.ID, Case: e.Case, By: e.By, Text: e.Text, Data: e.Data,
	})
}
