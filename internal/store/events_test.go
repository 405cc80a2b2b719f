package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// TestLateCommit reads events while a transaction that began first commits last: a
// reader that goes on from the last Seq it saw must not miss it.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, "postgres")
	ctx := t.Context()
	publish := func(ctx context.Context, text string) {
		if err := s.Publish(ctx, records.Event{Kind: "test", App: "a", Text: text}); err != nil {
			t.Error(err)
		}
	}
	wrote, commit := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Within(ctx, func(ctx context.Context) error {
			publish(ctx, "slow")
			close(wrote)
			<-commit
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-wrote
	publish(ctx, "quick")
	early, err := s.Events(ctx, 0, 100)
	if err != nil || len(early) != 0 {
		t.Errorf("%d events are shown before one that comes first, %v", len(early), err)
	}
	close(commit)
	wg.Wait()
	all, err := s.Events(ctx, 0, 100)
	if err != nil || len(all) != 2 || all[0].Text != "slow" || all[1].Text != "quick" {
		t.Errorf("events %+v %v", all, err)
	}
}

// TestEventsAreNeverMissed follows events while many processes write.
func TestEventsAreNeverMissed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store, _ *storetest.Clock) {
		const writers, per = 8, 25
		ctx := t.Context()
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range per {
					err := s.Within(ctx, func(ctx context.Context) error {
						for k := range 2 {
							if err := s.Publish(ctx, records.Event{Kind: "test", Text: fmt.Sprintf("%d/%d/%d", w, i, k)}); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		seen, last := map[string]bool{}, int64(0)
		read := func() {
			for {
				es, err := s.Events(ctx, last, 7)
				if err != nil {
					t.Error(err)
				}
				if len(es) == 0 {
					return
				}
				for _, e := range es {
					if e.Seq <= last || seen[e.Text] {
						t.Errorf("event %d (%s) after %d", e.Seq, e.Text, last)
					}
					seen[e.Text], last = true, e.Seq
				}
			}
		}
		for running := true; running; {
			changed := s.Changed()
			read()
			select {
			case <-changed:
			case <-done:
				running = false
			}
		}
		read()
		if len(seen) != writers*per*2 {
			t.Errorf("saw %d events of %d", len(seen), writers*per*2)
		}
	})
}
