package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/robfig/cron/v3"
)

// An Engine queues jobs and, once started, does them.
type Engine struct {
	o     Options
	q     queue
	locks locks
	ticks []tick

	mu      sync.Mutex
	handler Handler
	slots   chan struct{}   // free places for jobs done right after their commit; nil: not started
	base    context.Context // of jobs; cancelled when they must not go on
	cancel  context.CancelFunc
	quit    chan struct{} // closed when the engine stops looking for work
	wg      sync.WaitGroup
}

type tick struct {
	app, name, spec string
	schedule        cron.Schedule
}

// New returns an engine that can queue. Migrate must have been called once on the
// database.
func New(o Options) (*Engine, error) {
	if o.Limit == 0 {
		o.Limit = 2 * time.Minute
	}
	if o.Sweep == 0 {
		o.Sweep = 2 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q, err := newQueue(o.DB, slog.New(quiet{o.Log.Handler()}))
	if err != nil {
		return nil, err
	}
	return &Engine{o: o, q: q}, nil
}

// Migrate makes the queue's own tables.
func (e *Engine) Migrate(ctx context.Context) error { return e.q.migrate(ctx) }

// Enqueue queues jobs in the transaction that ctx carries, or in one of its own.
func (e *Engine) Enqueue(ctx context.Context, jobs ...Job) error {
	if len(jobs) == 0 {
		return nil
	}
	return e.o.DB.InTx(ctx, func(ctx context.Context) error {
		now := e.o.Now()
		at := make([]time.Time, len(jobs))
		mine := make([]bool, len(jobs))
		for i, j := range jobs {
			at[i] = j.At
			if !j.At.After(now) {
				at[i] = time.Time{}
				if mine[i] = e.reserve(); mine[i] {
					at[i] = now.Add(e.o.Limit + 30*time.Second)
				}
			}
		}
		ids, err := e.q.insert(ctx, jobs, at)
		if err != nil {
			for _, m := range mine {
				if m {
					e.release()
				}
			}
			return err
		}
		for i, j := range jobs {
			if mine[i] {
				e.afterwards(ctx, ids[i], j)
			}
		}
		return nil
	})
}

// reserve takes a free place for a job that this process will do itself.
func (e *Engine) reserve() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.slots == nil {
		return false
	}
	select {
	case <-e.slots:
		return true
	default:
		return false
	}
}

func (e *Engine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.slots != nil {
		e.slots <- struct{}{}
	}
}

// Start begins to do jobs with up to workers at a time, and to look for what is due.
func (e *Engine) Start(ctx context.Context, workers int, h Handler) error {
	workers = max(workers, 1)
	e.mu.Lock()
	if e.handler != nil {
		e.mu.Unlock()
		return errors.New("the engine was started twice")
	}
	e.handler = h
	e.base, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.quit = make(chan struct{})
	e.mu.Unlock()

	if err := e.Ticks(ctx, e.o.Now()); err != nil {
		return err
	}
	if err := e.q.start(context.WithoutCancel(ctx), e.config(workers)); err != nil {
		return err
	}
	slots := make(chan struct{}, workers)
	for range workers {
		slots <- struct{}{}
	}
	e.mu.Lock()
	e.slots = slots
	e.mu.Unlock()

	e.wg.Go(e.sweeps)

	orphans, err := e.o.Book.Orphans(ctx)
	if err == nil {
		err = e.Enqueue(ctx, orphans...)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("go on with runs: %w", err), e.Stop(ctx))
	}
	return nil
}

// fetchEvery is the least time between two looks for work. River's own 100 ms would let
// eight workers do eighty short jobs a second, however little each takes; nothing is
// looked for this often unless a job has ended or come in.
const fetchEvery = 5 * time.Millisecond

func (e *Engine) config(workers int) *river.Config {
	ws := river.NewWorkers()
	river.AddWorker(ws, &worker{e: e})
	return &river.Config{
		Logger:                      slog.New(quiet{e.o.Log.Handler()}),
		MaxAttempts:                 maxAttempts,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers:                     ws,
		FetchCooldown:               fetchEvery,
		JobTimeout:                  e.o.Limit + 15*time.Second,
		RescueStuckJobsAfter:        e.o.Limit + time.Minute,
		CompletedJobRetentionPeriod: time.Hour,
		PollOnly:                    e.o.DB.SQLite() != nil,
		SoftStopTimeout:             10 * time.Second,
	}
}

// Stop lets running jobs finish, cancels them when ctx ends, and returns when all
// have. What was cut short is queued again by whoever starts next.
func (e *Engine) Stop(ctx context.Context) error {
	e.mu.Lock()
	if e.slots == nil {
		e.mu.Unlock()
		return nil
	}
	e.slots = nil
	e.mu.Unlock()
	close(e.quit)
	e.locks.close()
	defer e.cancel()
	defer context.AfterFunc(ctx, e.cancel)()
	err := e.q.stop(ctx)
	e.wg.Wait()
	return err
}

// quiet passes on warnings and errors only: River reports its every move.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
