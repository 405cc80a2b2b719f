// Package board holds the last week of every district in memory, so that a score costs
// no query.
//
// It looks at the clock row of the records when it is told of a change, by this process
// or another on the same database: new signals are added to their districts, and
// anything else that changed makes it load again. Without word it looks now and then
// all the same. It stores nothing and follows up on nothing.
package board

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
)

// A Board scores districts from memory. It is safe for concurrent use.
type Board struct {
	Book *book.Book
	Base engine.Params // used until numbers are adopted
	Poll time.Duration // how often the records are looked at without word of a change
	Hot  time.Duration // how long a computed score answers requests

	watch sync.Once
	stale atomic.Bool // there was word of a change since the last look

	mu      sync.Mutex
	inForce *engine.Engine
	live    map[engine.Place]*engine.Live
	scores  map[hotKey]engine.Score
	mark    book.Mark
	looked  time.Time
	filled  bool
}

type hotKey struct {
	place  engine.Place
	window engine.Window
}

// keep is how far back the board holds signals: the longest window and a day for the
// hours that scores of the recent past still need.
const keep = 8 * 24 * time.Hour

// refresh brings the board up to the records. b.mu is held.
func (b *Board) refresh(ctx context.Context, now time.Time) error {
	b.watch.Do(func() { b.Book.Watch(func() { b.stale.Store(true) }) })
	if b.filled && !b.stale.Load() && now.Sub(b.looked).Abs() < b.Poll {
		return nil
	}
	b.stale.Store(false)
	if err := b.look(ctx, now); err != nil {
		b.stale.Store(true)
		return err
	}
	return nil
}

// look reads what changed since the last look.
func (b *Board) look(ctx context.Context, now time.Time) error {
	m, err := b.Book.Mark(ctx)
	if err != nil {
		return err
	}
	if !b.filled || m.Epoch != b.mark.Epoch {
		if err := b.reset(ctx); err != nil {
			return err
		}
	}
	if m.Seq != b.mark.Seq {
		fresh, err := b.Book.Between(ctx, b.mark, m, now.Add(-keep))
		if err != nil {
			return err
		}
		for _, s := range fresh {
			if err := b.add(s); err != nil {
				return err
			}
		}
	}
	for _, d := range b.live {
		d.Expire(now.Add(-24 * time.Hour))
	}
	b.mark, b.looked, b.filled = m, now, true
	return nil
}

// reset empties the board and takes up the numbers that are in force.
func (b *Board) reset(ctx context.Context) error {
	e, err := b.Book.InForce(ctx, b.Base)
	if err != nil {
		return err
	}
	b.inForce, b.mark = e, book.Mark{}
	b.live, b.scores = map[engine.Place]*engine.Live{}, map[hotKey]engine.Score{}
	return nil
}

func (b *Board) add(s engine.Signal) error {
	d, ok := b.live[s.Place()]
	if !ok {
		d = b.inForce.NewLive(s.Place())
		b.live[s.Place()] = d
	}
	for _, w := range engine.Windows {
		delete(b.scores, hotKey{s.Place(), w})
	}
	return d.Add(s)
}

// Score returns the score of a district now. One computed within the hot period is
// given again; its timestamp says when it was computed.
func (b *Board) Score(ctx context.Context, p engine.Place, w engine.Window, now time.Time) (engine.Score, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx, now); err != nil {
		return engine.Score{}, err
	}
	return b.scoreHeld(p, w, now)
}

func (b *Board) scoreHeld(p engine.Place, w engine.Window, now time.Time) (engine.Score, error) {
	key := hotKey{p, w}
	if s, ok := b.scores[key]; ok && !now.Before(s.Timestamp) && now.Sub(s.Timestamp) < b.Hot {
		return s, nil
	}
	d, ok := b.live[p]
	if !ok {
		d = b.inForce.NewLive(p)
	}
	s, err := d.Score(w, now)
	if err != nil {
		return s, err
	}
	b.scores[key] = s
	return s, nil
}

// All returns the scores of many districts at one time.
func (b *Board) All(ctx context.Context, places []engine.Place, w engine.Window, now time.Time) ([]engine.Score, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx, now); err != nil {
		return nil, err
	}
	out := make([]engine.Score, 0, len(places))
	for _, p := range places {
		s, err := b.scoreHeld(p, w, now)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Engine returns the engine in force.
func (b *Board) Engine(ctx context.Context, now time.Time) (*engine.Engine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx, now); err != nil {
		return nil, err
	}
	return b.inForce, nil
}
