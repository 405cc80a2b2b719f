package sqldb

import (
	"os"
	"testing"
	"time"
)

// TestNoticesAfterALostConnection cuts the listening connection. Whoever watches is
// told to look, and hears again once the connection is back.
func TestNoticesAfterALostConnection(t *testing.T) {
	t.Parallel()
	url := os.Getenv("DOSSIER_TEST_POSTGRES")
	if url == "" {
		t.Skip("DOSSIER_TEST_POSTGRES is not set")
	}
	near, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(near.Close)
	far, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	heard := make(chan struct{}, 100)
	wait := func(what string) {
		t.Helper()
		select {
		case <-heard:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: nothing was heard", what)
		}
	}
	far.Watch("scores", func() { heard <- struct{}{} })
	wait("once it listens")
	var cut int
	if err := near.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND query = $1`, `LISTEN "`+far.channel()+`"`).Scan(&cut); err != nil || cut != 1 {
		t.Fatalf("cut %d connections, %v", cut, err)
	}
	wait("the connection is gone")
	wait("it listens again")
	if err := near.Notify(t.Context(), "scores"); err != nil {
		t.Fatal(err)
	}
	wait("a notice after that")
}

// TestNoticesEndWithTheDatabase closes the database under a watcher: nothing is left
// running and nothing is called any more.
func TestNoticesEndWithTheDatabase(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Watch("scores", func() {})
	d.Close()
	select {
	case <-d.notices.done:
	default:
		t.Error("still looking after Close")
	}
	d.Watch("scores", func() { t.Error("called after Close") })
	if d.notices.stop == nil || d.notices.closed == false {
		t.Error("a closed database began to look again")
	}
}
