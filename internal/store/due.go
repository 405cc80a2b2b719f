package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"dossier/internal/db"
	"dossier/internal/work"
)

// tickName marks the due rows of triggers by the clock.
const tickName = "trigger:"

// Later queues an app's job for a time. A second call with the same name and unique
// key replaces the first while it has not run; "" never replaces.
func (s *Store) Later(ctx context.Context, app, name string, args json.RawMessage, at time.Time, unique string) error {
	_, err := s.db.Exec(ctx, `INSERT INTO due (id, app, name, args, at, unique_key, state, tries, last_error, claimed)
		VALUES ($1, $2, $3, $4, $5, $6, 'waiting', 0, '', 0)
		ON CONFLICT (app, name, unique_key) WHERE unique_key <> '' AND state = 'waiting'
		DO UPDATE SET args = excluded.args, at = excluded.at`,
		s.newID("due-"), app, name, args, at, unique)
	if err != nil {
		return fmt.Errorf("queue %s of %s: %w", name, app, err)
	}
	return nil
}

// Never takes back what Later queued under a unique key, if it has not run.
func (s *Store) Never(ctx context.Context, app, name, unique string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM due WHERE app = $1 AND name = $2 AND unique_key = $3 AND state = 'waiting'",
		app, name, unique)
	return err
}

// A DueRow is work that an app asked for at a time.
type DueRow struct {
	ID     string          `json:"id"`
	App    string          `json:"app"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	At     time.Time       `json:"at"`
	Unique string          `json:"unique,omitempty"`
	State  string          `json:"state"` // "waiting", "queued" or "failed"
	Error  string          `json:"error,omitempty"`
}

// DueRows returns the due work of an app, soonest first; "" for every app's.
func (s *Store) DueRows(ctx context.Context, app string) ([]DueRow, error) {
	w := where{}
	w.equal("app", app)
	query := "SELECT id, app, name, args, at, unique_key, state, last_error FROM due" + w.sql() + " ORDER BY at, id" + w.limit(0)
	rows, err := s.db.Query(ctx, query, w.args...)
	return db.Collect(rows, err, func(r db.Row) (d DueRow, err error) {
		err = r.Scan(&d.ID, &d.App, &d.Name, &d.Args, &d.At, &d.Unique, &d.State, &d.Error)
		return d, err
	})
}

// ClaimDue takes up to limit due rows whose time is not after now, earliest first.
func (s *Store) ClaimDue(ctx context.Context, now time.Time, limit int) ([]work.Job, error) {
	var n int
	err := s.db.QueryRow(ctx, "SELECT count(*) FROM due WHERE state = 'waiting' AND at <= $1", now).Scan(&n)
	if err != nil || n == 0 {
		return nil, err
	}
	rows, err := s.db.Query(ctx, `SELECT id, app, name, args, at FROM due WHERE state = 'waiting' AND at <= $1
		ORDER BY at, id LIMIT $2`+s.db.Dialect.SkipLocked, now, limit)
	jobs, err := db.Collect(rows, err, func(r db.Row) (j work.Job, err error) {
		j.Kind = work.Due
		err = r.Scan(&j.Row, &j.App, &j.Name, &j.Args, &j.At)
		return j, err
	})
	if err != nil {
		return nil, fmt.Errorf("claim due work: %w", err)
	}
	for i := range jobs {
		if _, err := s.db.Exec(ctx, "UPDATE due SET state = 'queued', claimed = $2, tries = tries + 1 WHERE id = $1",
			jobs[i].Row, now); err != nil {
			return nil, fmt.Errorf("claim due work: %w", err)
		}
		if trigger, ok := cutTick(jobs[i].Name); ok {
			jobs[i].Kind, jobs[i].Name = work.Trigger, trigger
		}
	}
	return jobs, nil
}

func cutTick(name string) (string, bool) {
	if len(name) > len(tickName) && name[:len(tickName)] == tickName {
		return name[len(tickName):], true
	}
	return name, false
}

// FinishDue ends a claimed row: it is gone if cause is nil, else kept as failed.
func (s *Store) FinishDue(ctx context.Context, id string, cause error) error {
	if cause == nil {
		_, err := s.db.Exec(ctx, "DELETE FROM due WHERE id = $1 AND state = 'queued'", id)
		return err
	}
	_, err := s.db.Exec(ctx, "UPDATE due SET state = 'failed', last_error = $2 WHERE id = $1 AND state = 'queued'",
		id, cause.Error())
	return err
}

// Tick makes sure that a trigger's next due row exists. A changed schedule replaces
// the row's time; an unchanged one keeps it, so that a time missed while the product
// was down is made up for once.
func (s *Store) Tick(ctx context.Context, app, name, spec string, next time.Time) error {
	args, err := json.Marshal(map[string]string{"cron": spec})
	if err != nil {
		return fmt.Errorf("schedule %s of %s: %w", name, app, err)
	}
	_, err = s.db.Exec(ctx, `INSERT INTO due (id, app, name, args, at, unique_key, state, tries, last_error, claimed)
		VALUES ($1, $2, $3, $4, $5, 'cron', 'waiting', 0, '', 0)
		ON CONFLICT (app, name, unique_key) WHERE unique_key <> '' AND state = 'waiting'
		DO UPDATE SET args = excluded.args, at = excluded.at WHERE due.args <> excluded.args`,
		s.newID("due-"), app, tickName+name, json.RawMessage(args), next)
	return err
}

// stale is how long a ready run or a queued row may lie before somebody looks again.
const stale = 4 * time.Minute

// Sweep expires and reminds approvals, gives back due rows whose job got lost, and
// returns the runs that are ready with nobody alive to advance them.
func (s *Store) Sweep(ctx context.Context, now time.Time) ([]work.Job, error) {
	if err := s.sweepApprovals(ctx, now); err != nil {
		return nil, err
	}
	var lost int
	err := s.db.QueryRow(ctx, "SELECT count(*) FROM due WHERE state = 'queued' AND claimed < $1", now.Add(-8*stale)).Scan(&lost)
	if err != nil {
		return nil, err
	}
	if lost > 0 {
		_, err := s.db.Exec(ctx, `UPDATE due SET state = 'waiting', unique_key = '' WHERE state = 'queued' AND claimed < $1`,
			now.Add(-8*stale))
		if err != nil {
			return nil, fmt.Errorf("give back due work: %w", err)
		}
	}
	return s.abandoned(ctx, now)
}

// abandoned returns the ready runs that lie still, or whose process is gone.
func (s *Store) abandoned(ctx context.Context, now time.Time) ([]work.Job, error) {
	gone, err := s.gone(ctx, now.Add(-3*time.Second))
	if err != nil {
		return nil, err
	}
	type lying struct {
		app, id string
		moved   time.Time
	}
	w := where{}
	w.add("status = 'ready'")
	w.add("(moved <= ?"+strings.Repeat(" OR moved_by = ?", len(gone))+")", append([]any{now.Add(-stale)}, gone...)...)
	query := "SELECT app, id, moved FROM runs" + w.sql() + w.limit(500)
	rows, err := s.db.Query(ctx, query, w.args...)
	runs, err := db.Collect(rows, err, func(r db.Row) (l lying, err error) {
		err = r.Scan(&l.app, &l.id, &l.moved)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("find runs nobody advances: %w", err)
	}
	var jobs []work.Job
	for _, r := range runs {
		n, err := s.db.Exec(ctx, "UPDATE runs SET moved = $2, moved_by = $3 WHERE id = $1 AND status = 'ready' AND moved = $4",
			r.id, now, s.self.name, r.moved)
		if err != nil {
			return nil, fmt.Errorf("take over run %s: %w", r.id, err)
		}
		if n == 1 {
			jobs = append(jobs, work.Job{Kind: work.Run, App: r.app, Name: r.id})
		}
	}
	return jobs, nil
}

// gone returns the processes that were last at a ready run, before a time, and no longer
// live.
func (s *Store) gone(ctx context.Context, before time.Time) (names []any, err error) {
	rows, err := s.db.Query(ctx, "SELECT DISTINCT moved_by FROM runs WHERE status = 'ready' AND moved <= $1", before)
	all, err := db.Collect(rows, err, func(r db.Row) (name string, err error) {
		err = r.Scan(&name)
		return name, err
	})
	if err != nil {
		return nil, fmt.Errorf("find runs nobody advances: %w", err)
	}
	for _, name := range all {
		alive, err := s.Alive(ctx, name)
		if err != nil {
			return nil, err
		}
		if !alive {
			names = append(names, name)
		}
	}
	return names, nil
}

// Take notes that this process is about to advance a run. SQLite has one process that
// does, and goes on with every run when it starts.
func (s *Store) Take(ctx context.Context, id string) error {
	if s.db.Dialect.Name == "sqlite" {
		return nil
	}
	_, err := s.db.Exec(ctx, "UPDATE runs SET moved = $2, moved_by = $3 WHERE id = $1 AND status = 'ready'",
		id, s.now(), s.self.name)
	return err
}

// Orphans returns every run that is ready, for a process that has just started. On
// PostgreSQL other processes may be at them: there the sweep finds those of the dead.
func (s *Store) Orphans(ctx context.Context) ([]work.Job, error) {
	if s.db.Dialect.Name == "postgres" {
		return nil, nil
	}
	rows, err := s.db.Query(ctx, "SELECT app, id FROM runs WHERE status = 'ready' ORDER BY started")
	return db.Collect(rows, err, func(r db.Row) (work.Job, error) {
		j := work.Job{Kind: work.Run}
		err := r.Scan(&j.App, &j.Name)
		return j, err
	})
}
