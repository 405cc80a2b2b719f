package work

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"dossier"

	"github.com/robfig/cron/v3"
)

// afterwards does j in this process once the transaction has committed. If it is
// undone, the place is given back and nothing happens.
func (e *Engine) afterwards(ctx context.Context, id int64, j Job) {
	e.o.DB.AtEnd(ctx, func(committed bool) {
		if !committed {
			e.release()
			return
		}
		e.wg.Go(func() {
			defer e.release()
			e.local(id, j)
		})
	})
}

func (e *Engine) local(id int64, j Job) {
	ctx, cancel := context.WithTimeout(e.base, e.o.Limit)
	defer cancel()
	err := e.handle(ctx, j)
	after := context.WithoutCancel(ctx)
	if err == nil {
		err = e.q.done(after, id) // River's row may have begun to run; then it finds nothing to do
	} else {
		e.o.Log.Warn("a job failed and will be tried again", "kind", j.Kind, "app", j.App, "name", j.Name, "err", err)
		err = e.q.again(after, id)
	}
	if err != nil {
		e.o.Log.Debug("the queue kept a job", "id", id, "err", err)
	}
}

// handle does a job unless this process is doing one with the same key; then that
// one is done once more afterwards.
func (e *Engine) handle(ctx context.Context, j Job) error {
	return e.with(ctx, j, e.handler)
}

func (e *Engine) with(ctx context.Context, j Job, h Handler) error {
	if j.key() == "" {
		return e.do(ctx, j, h)
	}
	if !e.locks.try(j) {
		return nil
	}
	for {
		err := e.do(ctx, j, h)
		if !e.locks.again(j.key(), err == nil) {
			return err
		}
	}
}

// do runs the handler, turning a panic into an error, and closes a due row.
func (e *Engine) do(ctx context.Context, j Job, h Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("job %s %s of %s: panic: %v", j.Kind, j.Name, j.App, p)
		}
	}()
	if j.Kind == Run {
		if err := e.o.Book.Take(ctx, j.Name); err != nil {
			return err
		}
	}
	if err := h(ctx, j); err != nil {
		return err
	}
	if j.Row == "" {
		return nil
	}
	return e.o.Book.FinishDue(ctx, j.Row, nil)
}

// gaveUp keeps a due row whose job failed for the last time.
func (e *Engine) gaveUp(ctx context.Context, j Job, cause error) {
	e.o.Log.Error("a job failed for the last time", "kind", j.Kind, "app", j.App, "name", j.Name, "err", cause)
	if j.Row == "" {
		return
	}
	if err := e.o.Book.FinishDue(context.WithoutCancel(ctx), j.Row, cause); err != nil {
		e.o.Log.Error("a failed job could not be kept", "row", j.Row, "err", err)
	}
}

// Hold waits until nobody in this process works under key, and keeps others from it
// until release is called. Whoever advances a run outside a job holds [RunKey].
func (e *Engine) Hold(ctx context.Context, key string) (release func(), err error) {
	for {
		if e.locks.tryQuiet(key) {
			return func() { e.letGo(ctx, key) }, nil
		}
		select {
		case <-e.locks.wait(key):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// letGo gives a held key back and queues the job that wanted it meanwhile.
func (e *Engine) letGo(ctx context.Context, key string) {
	j := e.locks.leave(key)
	if j == nil {
		return
	}
	if err := e.Enqueue(context.WithoutCancel(ctx), *j); err != nil {
		e.o.Log.Warn("a job that had to wait could not be queued again", "name", j.Name, "err", err)
	}
}

// Every adds a trigger by the clock, in cron's five fields or "@every 6h". Call it
// before Start.
func (e *Engine) Every(app, name, spec string) error {
	s, err := cron.ParseStandard(spec)
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "The schedule %q of trigger %s cannot be read.", spec, name).Because(err)
	}
	e.ticks = append(e.ticks, tick{app, name, spec, s})
	return nil
}

// Next returns when the clock starts a trigger next, and zero if it does not.
func (e *Engine) Next(app, trigger string) time.Time {
	for _, t := range e.ticks {
		if t.app == app && t.name == trigger {
			return t.schedule.Next(e.o.Now())
		}
	}
	return time.Time{}
}

// Ticks makes the due rows of the triggers, counted from now. Start does it, too.
func (e *Engine) Ticks(ctx context.Context, now time.Time) error {
	for _, t := range e.ticks {
		if err := e.o.Book.Tick(ctx, t.app, t.name, t.spec, t.schedule.Next(now)); err != nil {
			return fmt.Errorf("schedule %s of %s: %w", t.name, t.app, err)
		}
	}
	return nil
}

// next makes the row for a trigger's next time, once its row was claimed.
func (e *Engine) next(ctx context.Context, j Job, now time.Time) error {
	if j.Kind != Trigger {
		return nil
	}
	for _, t := range e.ticks {
		if t.app == j.App && t.name == j.Name {
			return e.o.Book.Tick(ctx, t.app, t.name, t.spec, t.schedule.Next(now))
		}
	}
	return nil
}

// RunDue does everything due up to now, one after the other in order of time, with
// what it makes due meanwhile. It returns how many jobs it did. Tests walk through
// weeks with it; the engine itself queues due rows instead.
func (e *Engine) RunDue(ctx context.Context, now time.Time, h Handler) (int, error) {
	for n := 0; ; n++ {
		var jobs []Job
		err := e.o.DB.InTx(ctx, func(ctx context.Context) error {
			var err error
			if jobs, err = e.o.Book.ClaimDue(ctx, now, 1); err != nil || len(jobs) == 0 {
				return err
			}
			return e.next(ctx, jobs[0], jobs[0].At)
		})
		if err != nil || len(jobs) == 0 {
			return n, err
		}
		if err := e.with(ctx, jobs[0], h); err != nil {
			e.gaveUp(ctx, jobs[0], err)
			return n, fmt.Errorf("%s of %s: %w", jobs[0].Name, jobs[0].App, err)
		}
	}
}

// sweeps looks for what is due until the engine stops.
func (e *Engine) sweeps() {
	t := time.NewTicker(e.o.Sweep)
	defer t.Stop()
	for {
		if err := e.sweep(e.base); err != nil && e.base.Err() == nil {
			e.o.Log.Warn("looking for due work failed", "err", err)
		}
		select {
		case <-t.C:
		case <-e.quit:
			return
		}
	}
}

func (e *Engine) sweep(ctx context.Context) error {
	now := e.o.Now()
	jobs, err := e.o.Book.Sweep(ctx, now)
	if err != nil {
		return err
	}
	if err := e.Enqueue(ctx, jobs...); err != nil {
		return err
	}
	for {
		n := 0
		err := e.o.DB.InTx(ctx, func(ctx context.Context) error {
			due, err := e.o.Book.ClaimDue(ctx, now, 100)
			if err != nil {
				return err
			}
			n = len(due)
			for i := range due {
				if err := e.next(ctx, due[i], now); err != nil {
					return err
				}
				due[i].At = time.Time{}
			}
			return e.Enqueue(ctx, due...)
		})
		if err != nil || n == 0 {
			return err
		}
		e.o.Log.Log(ctx, slog.LevelDebug, "due work queued", "jobs", n)
	}
}

// locks lets one at a time work under a key, and remembers who else wanted to.
type locks struct {
	mu     sync.Mutex
	held   map[string]*lock
	closed bool
}

type lock struct {
	wanted *Job // what came while the key was held
	done   chan struct{}
}

// try takes a job's key, or leaves the job with its holder.
func (l *locks) try(j Job) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[j.key()]; h != nil {
		h.wanted = &j
		return false
	}
	l.take(j.key())
	return true
}

// tryQuiet takes a key if it is free.
func (l *locks) tryQuiet(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[key] != nil {
		return false
	}
	l.take(key)
	return true
}

func (l *locks) take(key string) {
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	l.held[key] = &lock{done: make(chan struct{})}
}

// again reports whether the holder should go round once more, and gives the key back
// if not.
func (l *locks) again(key string, well bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[key]
	if well && h.wanted != nil && !l.closed {
		h.wanted = nil
		return true
	}
	close(h.done)
	delete(l.held, key)
	return false
}

// leave gives a key back and returns the job that wanted it.
func (l *locks) leave(key string) *Job {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[key]
	close(h.done)
	delete(l.held, key)
	return h.wanted
}

// wait returns a channel that is closed when the key is given back.
func (l *locks) wait(key string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[key]; h != nil {
		return h.done
	}
	free := make(chan struct{})
	close(free)
	return free
}

// close keeps holders from going round again.
func (l *locks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
