package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"dossier/internal/records"
	"dossier/internal/store"
)

// testEventsAreNeverMissed follows events while many processes write.
func testEventsAreNeverMissed(t *testing.T, s *store.Store, _ *Clock) {
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
}
