// Package work runs what is due: runs that can go on, jobs that apps asked for at a
// time, and triggers by the clock.
//
// The rows of the store are the truth (a run that is ready, a due row whose time has
// come); a queued [Job] is only what wakes somebody up to look. Jobs are queued in
// the transaction that calls for them, with River on either database, so that work
// is neither lost nor done for a change that was undone. A process that has workers
// starts a job itself as soon as the transaction has committed and leaves River's
// row behind as the safety net; everything else (retries, other processes, takeover
// from a dead one) is River's.
//
// The package does not know what a job means. Whoever starts the engine hands it a
// [Handler].
package work

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Job is one thing to be looked at. It may be handed out more than once.
type Job struct {
	Kind string          `json:"kind"`
	App  string          `json:"app"`
	Name string          `json:"name"`          // a run's id, or the app's name for the job
	Row  string          `json:"row,omitempty"` // the due row it stands for
	Args json.RawMessage `json:"args,omitempty"`
	At   time.Time       `json:"at,omitzero"` // not before; zero: now
}

// The kinds of jobs.
const (
	Run     = "run"     // advance the run called Name
	Due     = "due"     // an app's job, from a due row
	Trigger = "trigger" // an app's trigger, by the clock
)

// key names what a job is about: two jobs with the same key are never done at the
// same time by one process, and one that comes while another is being done is folded
// into it. A job without a key, such as a trigger with an event, stands for itself.
func (j Job) key() string {
	switch {
	case j.Kind == Run:
		return RunKey(j.Name)
	case j.Row != "":
		return "row\x00" + j.Row
	}
	return ""
}

// RunKey returns the key under which a run is advanced.
func RunKey(id string) string { return "run\x00" + id }

// A Handler does a job. An error makes it be tried again, later and later.
type Handler func(ctx context.Context, j Job) error

// A Book is what the engine needs of the store.
type Book interface {
	// ClaimDue takes up to limit due rows whose time is not after now, earliest first,
	// so that nobody else takes them.
	ClaimDue(ctx context.Context, now time.Time, limit int) ([]Job, error)
	// FinishDue ends a claimed row: it is gone if err is nil, else kept as failed.
	FinishDue(ctx context.Context, row string, err error) error
	// Sweep does what time alone calls for, such as expiring approvals, and returns
	// the runs that are ready with nobody alive to advance them.
	Sweep(ctx context.Context, now time.Time) ([]Job, error)
	// Take notes that this process is about to advance a run, so that others see who
	// was at it should the process die.
	Take(ctx context.Context, run string) error
	// Orphans returns every run that is ready; the engine asks once, at the start.
	Orphans(ctx context.Context) ([]Job, error)
	// Tick makes sure that a trigger's next due row exists.
	Tick(ctx context.Context, app, name, spec string, next time.Time) error
}

// A Backend is the database the queue lives in.
type Backend interface {
	SQLite() *sql.DB
	Postgres() *pgxpool.Pool
	SQLiteTx(ctx context.Context) (*sql.Tx, bool)
	PostgresTx(ctx context.Context) (pgx.Tx, bool)
	InTx(ctx context.Context, fn func(ctx context.Context) error) error
	AtEnd(ctx context.Context, f func(committed bool))
}

// Options say how an engine works.
type Options struct {
	DB   Backend
	Book Book
	Now  func() time.Time
	Log  *slog.Logger

	// Limit is how long one job may take; default two minutes.
	Limit time.Duration
	// Sweep is how often the engine looks for what is due; default two seconds.
	Sweep time.Duration
}
