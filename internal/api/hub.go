package api

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A hub tells those who listen that something new happened. It looks when this
// process wrote something, and at intervals for what others wrote, while somebody
// listens and at no other time. What happened is read from the records by each
// listener.
type hub struct {
	events Events
	every  time.Duration
	log    *slog.Logger
	closed chan struct{} // closed when the server stops

	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
	first     chan struct{} // told when the first listener joins
	last      int64
}

func newHub(e Events, every time.Duration, log *slog.Logger) *hub {
	return &hub{
		events: e, every: every, log: log, closed: make(chan struct{}),
		listeners: map[chan struct{}]struct{}{}, first: make(chan struct{}, 1),
	}
}

// join returns a channel that is told about news, and how to leave.
func (h *hub) join() (news <-chan struct{}, leave func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners[ch] = struct{}{}
	if len(h.listeners) == 1 {
		poke(h.first)
	}
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.listeners, ch)
	}
}

// poke tells ch something it may already know.
func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// run looks for news until ctx ends.
func (h *hub) run(ctx context.Context) error {
	defer close(h.closed)
	tick := time.NewTicker(h.every)
	defer tick.Stop()
	for {
		if !h.anyone() {
			select {
			case <-ctx.Done():
				return nil
			case <-h.first:
			}
		}
		changed := h.events.Changed()
		if err := h.look(ctx); err != nil && ctx.Err() == nil {
			h.log.ErrorContext(ctx, "look for events", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-tick.C:
		}
	}
}

func (h *hub) anyone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listeners) > 0
}

func (h *hub) look(ctx context.Context) error {
	last, err := h.events.LastEvent(ctx)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if last == h.last {
		return nil
	}
	h.last = last
	for ch := range h.listeners {
		poke(ch)
	}
	return nil
}
