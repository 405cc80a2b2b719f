package store_test

import (
	"context"
	"testing"
	"time"

	"dossier/internal/records"
	"dossier/internal/store/storetest"
)

// TestNoticesBetweenProcesses has one process tell another on the same database.
func TestNoticesBetweenProcesses(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, clock := storetest.URL(t, name), storetest.NewClock()
			a, b := storetest.OpenURL(t, url, clock), storetest.OpenURL(t, url, clock)
			far := storetest.Listen(t, b, "scores")
			far.Wait("once it listens")
			for i := range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				err := a.Within(ctx, func(ctx context.Context) error {
					if err := a.Publish(ctx, records.Event{Kind: "test", Text: "Something."}); err != nil {
						return err
					}
					return a.Notices().Notify(ctx, "scores")
				})
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				far.Wait("the other process")
				if n, err := b.LastEvent(t.Context()); err != nil || n == 0 {
					t.Errorf("notice %d came before what it is about: %d, %v", i, n, err)
				}
			}
		})
	}
}
