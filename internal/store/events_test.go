package store_test

import (
	"context"
	"sync"
	"testing"

	"dossier/internal/records"
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
