package apptest

import (
	"context"
	"errors"
	"sync/atomic"

	"dossier"
	"dossier/internal/agent"
)

// errDied is what everything comes to in a process that died.
var errDied = errors.New("the process died")

// A dying log loses every record after an act was begun, and, if before is set, already
// the act itself: it was recorded as begun and did not run.
type dying struct {
	agent.Log
	before bool
	dead   atomic.Bool // specialists record at the same time
}

// Record implements agent.Log.
func (d *dying) Record(ctx context.Context, m agent.Move) error {
	if d.dead.Load() {
		return errDied
	}
	err := d.Log.Record(ctx, m)
	if m.Begin == nil {
		return err
	}
	d.dead.Store(true)
	if err == nil && d.before {
		err = errDied
	}
	return err
}

// Crash does something that comes to an act and dies there: after the act, of which
// nothing is recorded, or before it. Then another process goes on.
func (b *Bench) Crash(before bool, do func() error) {
	b.T.Helper()
	b.Runner.Log = &dying{Log: b.Store, before: before}
	err := do()
	b.Runner.Log = b.Store
	if !errors.Is(err, errDied) {
		b.T.Fatalf("it did not come to an act: %v", err)
	}
	b.Settle()
}

// CrashOn approves a request and dies at the act it was about.
func (b *Bench) CrashOn(before bool, a dossier.Approval, by dossier.Principal) {
	b.T.Helper()
	b.Crash(before, func() error {
		if _, err := b.Inbox.Decide(b.T.Context(), a.ID, "", dossier.Decision{Verb: dossier.Approve, By: by}); err != nil {
			return err
		}
		_, err := b.Runner.Drive(b.T.Context(), a.Run)
		return err
	})
}
