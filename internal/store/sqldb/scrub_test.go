package sqldb

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"dossier"
)

// TestScrub deletes rows and looks for their text in the database's files, also where
// rows were small, were long, shared a page with others and were changed before.
func TestScrub(t *testing.T) {
	t.Parallel()
	d := open(t)
	ctx := t.Context()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := d.Exec(ctx, query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE s (id BIGINT PRIMARY KEY, body TEXT NOT NULL)")
	exec("CREATE INDEX s_body ON s (body)")
	for i := range 200 {
		exec("INSERT INTO s (id, body) VALUES ($1, $2)", i, strings.Repeat("gone for good ", 1+i*5))
		exec("INSERT INTO s (id, body) VALUES ($1, $2)", 1000+i, "here to stay")
	}
	exec("UPDATE s SET body = 'gone as well' WHERE id < 50")
	if n := inFiles(t, d, "gone for good"); n == 0 {
		t.Fatal("the files do not hold the text, so nothing was tested")
	}
	exec("DELETE FROM s WHERE id < 1000")
	if err := d.Scrub(ctx, "s"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"gone for good", "gone as well"} {
		if n := inFiles(t, d, text); n != 0 {
			t.Errorf("%q stands in the files %d times", text, n)
		}
	}
	if n := inFiles(t, d, "here to stay"); n == 0 {
		t.Error("what was kept is gone")
	}
	var kept int
	if err := d.QueryRow(ctx, "SELECT count(*) FROM s WHERE body = 'here to stay'").Scan(&kept); err != nil || kept != 200 {
		t.Errorf("%d rows were kept, %v", kept, err)
	}
	if _, err := d.Exec(ctx, "INSERT INTO s (id, body) VALUES (1000, 'x')"); !errors.Is(err, dossier.Conflict) {
		t.Errorf("the key is gone: %v", err)
	}
}

func inFiles(t *testing.T, d *DB, text string) (n int) {
	t.Helper()
	for _, name := range []string{d.File(), d.File() + "-wal"} {
		raw, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		n += bytes.Count(raw, []byte(text))
	}
	return n
}

func TestScrubPostgres(t *testing.T) {
	t.Parallel()
	url := os.Getenv("DOSSIER_TEST_POSTGRES")
	if url == "" {
		t.Skip("DOSSIER_TEST_POSTGRES is not set")
	}
	d, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	ctx := t.Context()
	for _, q := range []string{
		"DROP TABLE IF EXISTS scrub_test", "CREATE TABLE scrub_test (id BIGINT, body TEXT)",
		"INSERT INTO scrub_test SELECT n, repeat('gone', 100) FROM generate_series(1, 2000) n", "DELETE FROM scrub_test",
	} {
		if _, err := d.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _, _ = d.Exec(context.Background(), "DROP TABLE scrub_test") })
	// Rows that a transaction of another test may still see stay until it has ended.
	late, again := time.After(2*time.Minute), time.NewTicker(50*time.Millisecond)
	defer again.Stop()
	for {
		if err := d.Scrub(ctx, "scrub_test"); err != nil {
			t.Fatal(err)
		}
		var size int64
		if err := d.QueryRow(ctx, "SELECT pg_relation_size('scrub_test')").Scan(&size); err != nil {
			t.Fatal(err)
		}
		if size == 0 {
			return
		}
		select {
		case <-again.C:
		case <-late:
			t.Fatalf("the table still takes %d bytes", size)
		}
	}
}
