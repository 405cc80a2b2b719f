package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"dossier/internal/store"
)

// A Listener hears notices of one topic.
type Listener struct {
	t  testing.TB
	ch chan struct{}
}

// Listen watches a topic until the test ends.
func Listen(t testing.TB, s *store.Store, topic string) *Listener {
	t.Helper()
	l := &Listener{t, make(chan struct{}, 1)}
	t.Cleanup(s.Notices().Watch(topic, func() {
		select {
		case l.ch <- struct{}{}:
		default:
		}
	}))
	return l
}

// Wait waits until something is heard.
func (l *Listener) Wait(what string) {
	l.t.Helper()
	select {
	case <-l.ch:
	case <-time.After(2 * time.Minute):
		l.t.Fatalf("%s: nothing was heard", what)
	}
}

// Heard reports whether something was heard since the last look.
func (l *Listener) Heard() bool {
	select {
	case <-l.ch:
		return true
	default:
		return false
	}
}

// testNotices checks what a process hears of itself: at commit, never of what was
// undone, and only of the topic it watches.
func testNotices(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	mine, other := Listen(t, s, "mine"), Listen(t, s, "other")
	mine.Wait("once it listens")
	other.Wait("once it listens")
	undo := errors.New("undo")
	err := s.Within(ctx, func(ctx context.Context) error {
		if err := s.Notices().Notify(ctx, "mine"); err != nil {
			t.Error(err)
		}
		return undo
	})
	if !errors.Is(err, undo) || mine.Heard() {
		t.Errorf("%v; what was undone was heard of", err)
	}
	err = s.Within(ctx, func(ctx context.Context) error {
		if err := s.Notices().Notify(ctx, "mine"); err != nil {
			return err
		}
		if mine.Heard() {
			t.Error("heard before the commit")
		}
		return nil
	})
	if err != nil || !mine.Heard() {
		t.Errorf("%v; whoever committed does not know it at once", err)
	}
	if other.Heard() {
		t.Error("another topic was heard")
	}
	stop := s.Notices().Watch("mine", func() { t.Error("called after stop") })
	stop()
	if err := s.Notices().Notify(ctx, "mine"); err != nil {
		t.Error(err)
	}
	mine.Wait("without a transaction")
}
