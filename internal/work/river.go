package work

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

const maxAttempts = 10

// args is a job as River stores it.
type args struct{ Job }

// Kind implements river.JobArgs.
func (args) Kind() string { return "dossier" }

// A queue hides which of the two drivers River runs on.
type queue interface {
	migrate(ctx context.Context) error
	// insert adds jobs inside the transaction of ctx and returns their ids.
	insert(ctx context.Context, jobs []Job, at []time.Time) ([]int64, error)
	start(ctx context.Context, cfg *river.Config) error
	stop(ctx context.Context) error
	// done removes a job that was done without River; again makes River try it now.
	done(ctx context.Context, id int64) error
	again(ctx context.Context, id int64) error
}

// riverQueue is a queue on a driver whose transactions are of type T.
type riverQueue[T any] struct {
	driver riverdriver.Driver[T]
	tx     func(ctx context.Context) (T, bool)
	jobs   *river.Client[T] // inserts and removes
	work   *river.Client[T] // nil until started
}

func newQueue(b Backend, log *slog.Logger) (queue, error) {
	if p := b.Postgres(); p != nil {
		return newRiver[pgx.Tx](riverpgxv5.New(p), b.PostgresTx, log)
	}
	return newRiver[*sql.Tx](riversqlite.New(b.SQLite()), b.SQLiteTx, log)
}

func newRiver[T any](d riverdriver.Driver[T], tx func(context.Context) (T, bool), log *slog.Logger) (queue, error) {
	c, err := river.NewClient(d, &river.Config{Logger: log, MaxAttempts: maxAttempts})
	if err != nil {
		return nil, fmt.Errorf("make the queue: %w", err)
	}
	return &riverQueue[T]{driver: d, tx: tx, jobs: c}, nil
}

func (q *riverQueue[T]) migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("make the queue's tables: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("make the queue's tables: %w", err)
	}
	return nil
}

func (q *riverQueue[T]) insert(ctx context.Context, jobs []Job, at []time.Time) ([]int64, error) {
	tx, ok := q.tx(ctx)
	if !ok {
		return nil, fmt.Errorf("queue %d jobs: no transaction", len(jobs))
	}
	ps := make([]river.InsertManyParams, len(jobs))
	for i, j := range jobs {
		ps[i] = river.InsertManyParams{Args: args{j}, InsertOpts: &river.InsertOpts{ScheduledAt: at[i]}}
	}
	res, err := q.jobs.InsertManyTx(ctx, tx, ps)
	if err != nil {
		return nil, fmt.Errorf("queue %d jobs: %w", len(jobs), err)
	}
	ids := make([]int64, len(res))
	for i, r := range res {
		ids[i] = r.Job.ID
	}
	return ids, nil
}

func (q *riverQueue[T]) start(ctx context.Context, cfg *river.Config) error {
	c, err := river.NewClient(q.driver, cfg)
	if err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	if err := c.Start(ctx); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	q.work = c
	return nil
}

func (q *riverQueue[T]) stop(ctx context.Context) error { return q.work.Stop(ctx) }

func (q *riverQueue[T]) done(ctx context.Context, id int64) error {
	_, err := q.jobs.JobDelete(ctx, id)
	return err
}

func (q *riverQueue[T]) again(ctx context.Context, id int64) error {
	_, err := q.jobs.JobRetry(ctx, id)
	return err
}

// worker hands River's jobs to the engine.
type worker struct {
	river.WorkerDefaults[args]
	e *Engine
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[args]) error {
	err := w.e.handle(ctx, j.Args.Job)
	if err != nil && j.Attempt >= j.MaxAttempts {
		w.e.gaveUp(ctx, j.Args.Job, err)
	}
	return err
}
