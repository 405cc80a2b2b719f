package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/db"
	"dossier/internal/records"
	"dossier/internal/work"
)

const runColumns = `id, case_id, app, agent, for_id, for_name, for_roles, parent, parent_run, status, input, answer,
	failure, started, ended, model, turns, tokens_in, tokens_out, cost, busy_ms`

func scanRun(r db.Row) (x dossier.Run, err error) {
	var roles string
	err = r.Scan(&x.ID, &x.Case, &x.App, &x.Agent, &x.For.ID, &x.For.Name, &roles, &x.Parent, &x.ParentOf,
		&x.Status, &x.Input, &x.Answer, &x.Failure, &x.Started, &x.Ended,
		&x.Spent.Model, &x.Spent.Turns, &x.Spent.TokensIn, &x.Spent.TokensOut, &x.Spent.Cost, &x.Spent.BusyMs)
	if err != nil {
		return x, err
	}
	return x, unlist(roles, &x.For.Roles)
}

func scanStep(r db.Row) (x dossier.Step, err error) {
	err = r.Scan(&x.ID, &x.Run, &x.Seq, &x.Kind, &x.Body, &x.At)
	return x, err
}

// Load returns a run and its steps in order.
func (s *Store) Load(ctx context.Context, id dossier.RunID) (dossier.Run, []dossier.Step, error) {
	run, err := s.Run(ctx, id)
	if err != nil {
		return run, nil, err
	}
	rows, err := s.db.Query(ctx, "SELECT id, run_id, seq, kind, body, at FROM steps WHERE run_id = $1 ORDER BY seq", id)
	steps, err := db.Collect(rows, err, scanStep)
	if err != nil {
		return run, nil, fmt.Errorf("steps of %s: %w", id, err)
	}
	return run, steps, nil
}

// Run returns a run.
func (s *Store) Run(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	x, err := scanRun(s.db.QueryRow(ctx, "SELECT "+runColumns+" FROM runs WHERE id = $1", id))
	return x, notFound(err, "run", id)
}

// Runs returns runs, newest started first.
func (s *Store) Runs(ctx context.Context, q records.RunQuery) ([]dossier.Run, error) {
	w := where{}
	if !oneOf(&w, "app", q.Apps) {
		return nil, nil
	}
	w.equal("case_id", string(q.Case))
	w.equal("agent", q.Agent)
	w.equal("for_id", q.For)
	w.equal("status", string(q.Status))
	if q.Top {
		w.add("parent_run = ''")
	}
	w.after("started", q.After)
	query := "SELECT " + runColumns + " FROM runs" + w.sql() + " ORDER BY started DESC, id DESC" + w.limit(q.Limit)
	rows, err := s.db.Query(ctx, query, w.args...)
	return db.Collect(rows, err, scanRun)
}

// RunsOf returns the runs of a case, oldest first.
func (s *Store) RunsOf(ctx context.Context, id dossier.CaseID) ([]dossier.Run, error) {
	rows, err := s.db.Query(ctx, "SELECT "+runColumns+" FROM runs WHERE case_id = $1 ORDER BY started, id", id)
	return db.Collect(rows, err, scanRun)
}

// ChildRuns returns the runs that a run's steps called, oldest first.
func (s *Store) ChildRuns(ctx context.Context, id dossier.RunID) ([]dossier.Run, error) {
	rows, err := s.db.Query(ctx, "SELECT "+runColumns+` FROM runs
		WHERE parent_run = $1 AND parent_run <> '' ORDER BY started, id`, id)
	return db.Collect(rows, err, scanRun)
}

// expense sums up runs. The model is left out.
const expense = `coalesce(sum(turns), 0), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(cost), 0), coalesce(sum(busy_ms), 0)`

// Spent returns what the runs of an app took; those of one case alone if id is not "".
func (s *Store) Spent(ctx context.Context, app string, id dossier.CaseID) (x dossier.Expense, err error) {
	w := where{}
	w.equal("app", app)
	w.equal("case_id", string(id))
	err = s.db.QueryRow(ctx, "SELECT "+expense+" FROM runs"+w.sql(), w.args...).Scan(&x.Turns, &x.TokensIn, &x.TokensOut, &x.Cost, &x.BusyMs)
	if err != nil {
		return x, fmt.Errorf("what the runs of %s took: %w", app, err)
	}
	return x, nil
}

// SpentByCase returns what the runs of each of an app's cases took, of those that lists
// show.
func (s *Store) SpentByCase(ctx context.Context, app string) (map[dossier.CaseID]dossier.Expense, error) {
	w := where{}
	w.equal("app", app)
	oneOf(&w, "state", shownStates)
	rows, err := s.db.Query(ctx, `SELECT case_id, `+expense+` FROM runs WHERE case_id IN (SELECT id FROM cases`+w.sql()+`) GROUP BY case_id`, w.args...)
	out := map[dossier.CaseID]dossier.Expense{}
	_, err = db.Collect(rows, err, func(r db.Row) (none struct{}, err error) {
		var of dossier.CaseID
		var x dossier.Expense
		err = r.Scan(&of, &x.Turns, &x.TokensIn, &x.TokensOut, &x.Cost, &x.BusyMs)
		out[of] = x
		return none, err
	})
	if err != nil {
		return nil, fmt.Errorf("what the cases of %s took: %w", app, err)
	}
	return out, nil
}

// InsertRun stores a new run with its first steps, if it has any yet. It is queued
// unless hold is set; then the caller advances it, and the sweep finds it should the
// caller die.
func (s *Store) InsertRun(ctx context.Context, r dossier.Run, steps []dossier.Step, hold bool) (dossier.Run, error) {
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if r, err = s.insertRun(ctx, r, s.now()); err != nil {
			return err
		}
		if err := s.insertSteps(ctx, r.ID, steps, s.now()); err != nil {
			return err
		}
		if err := s.publish(ctx, started(r, r.Started)); err != nil || hold {
			return err
		}
		return s.queueRun(ctx, r.App, r.ID)
	})
	return r, err
}

func (s *Store) insertRun(ctx context.Context, r dossier.Run, at time.Time) (dossier.Run, error) {
	if r.Case == "" || r.Agent == "" {
		return r, dossier.Errorf(dossier.Invalid, "A run needs a case and an agent.")
	}
	if r.ID == "" {
		r.ID = dossier.RunID(s.newID("run-"))
	}
	if r.Status == "" {
		r.Status = dossier.Ready
	}
	if r.Started.IsZero() {
		r.Started = at
	}
	r.Started = r.Started.UTC().Truncate(time.Microsecond)
	_, err := s.db.Exec(ctx, "INSERT INTO runs ("+runColumns+`, moved, moved_by, woken)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, '', 0, 0, 0, 0, 0, $16, $17, 0)`,
		r.ID, r.Case, r.App, r.Agent, r.For.ID, r.For.Name, list(r.For.Roles), r.Parent, r.ParentOf, r.Status,
		r.Input, r.Answer, r.Failure, r.Started, r.Ended, at, s.self.name)
	if err != nil {
		return r, fmt.Errorf("store run %s: %w", r.ID, err)
	}
	return r, nil
}

func (s *Store) insertSteps(ctx context.Context, run dossier.RunID, steps []dossier.Step, at time.Time) error {
	for some := range slices.Chunk(steps, 1000) {
		if err := s.insertSome(ctx, run, some, at); err != nil {
			return err
		}
	}
	return nil
}

// insertSome inserts no more steps than one statement takes.
func (s *Store) insertSome(ctx context.Context, run dossier.RunID, steps []dossier.Step, at time.Time) error {
	args := make([]any, 0, 6*len(steps))
	for _, st := range steps {
		if st.ID == "" {
			st.ID = agent.StepID(run, st.Seq)
		}
		if st.At.IsZero() {
			st.At = at
		}
		args = append(args, st.ID, run, st.Seq, st.Kind, st.Body, st.At)
	}
	n, err := s.db.Exec(ctx, "INSERT INTO steps (id, run_id, seq, kind, body, at) VALUES "+db.Lines(len(steps), 6)+
		" ON CONFLICT (run_id, seq) DO NOTHING", args...)
	if err != nil {
		return fmt.Errorf("store step %d of %s: %w", steps[0].Seq, run, err)
	}
	if n < int64(len(steps)) {
		return dossier.Errorf(dossier.Conflict, "Step %d of run %s has been taken already.", steps[0].Seq, run)
	}
	return nil
}

// whyNot says why a run that should have been changed was not.
func (s *Store) whyNot(ctx context.Context, err error, id dossier.RunID) error {
	if dossier.KindOf(err) != dossier.NotFound {
		return fmt.Errorf("move run %s: %w", id, err)
	}
	if _, err := s.Run(ctx, id); err != nil {
		return err
	}
	return dossier.Errorf(dossier.Conflict, "Run %s has ended.", id)
}

// queueRun queues a run in the transaction that ctx carries.
func (s *Store) queueRun(ctx context.Context, app string, id dossier.RunID) error {
	return s.work.Enqueue(ctx, work.Job{Kind: work.Run, App: app, Name: string(id)})
}

// wake makes a run ready, unless it has ended, and queues it if asked to. Whoever is
// advancing it at this moment cannot make it wait before somebody has looked at it
// again.
func (s *Store) wake(ctx context.Context, id dossier.RunID, queue bool) error {
	var app string
	err := s.db.QueryRow(ctx, `UPDATE runs SET status = 'ready', woken = 1, moved = $2 WHERE id = $1 AND ended = 0
		RETURNING app`, id, s.now()).Scan(&app)
	switch {
	case dossier.KindOf(err) == dossier.NotFound:
		return nil
	case err != nil:
		return fmt.Errorf("wake run %s: %w", id, err)
	case !queue:
		return nil
	}
	return s.queueRun(ctx, app, id)
}

// Wake makes a run ready and queues it, unless it has ended.
func (s *Store) Wake(ctx context.Context, id dossier.RunID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error { return s.wake(ctx, id, true) })
}

type stepData struct {
	Seq  int              `json:"seq"`
	Kind dossier.StepKind `json:"kind"`
}

func started(r dossier.Run, at time.Time) records.Event {
	return records.Event{
		At: at, App: r.App, Case: r.Case, Run: r.ID, Kind: records.RunStarted, By: r.For.ID, Text: r.Agent + " started.",
	}
}
