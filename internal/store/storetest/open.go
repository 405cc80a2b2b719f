// Package storetest opens fresh stores for tests and holds the suite that both
// databases pass.
//
// SQLite needs nothing: each test has a file of its own. PostgreSQL is used if
// DOSSIER_TEST_POSTGRES holds the URL of a cluster in which schemas may be made
// (scripts/postgres.sh start prints one); each test has a schema of its own, dropped
// afterwards. Without it those tests are skipped, or fail where CI is set.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"dossier/internal/store"

	"github.com/jackc/pgx/v5"
)

// A Clock is a time that tests move.
type Clock struct {
	mu sync.Mutex
	t  time.Time
}

// NewClock returns a clock that stands at noon on 2 March 2026, UTC.
func NewClock() *Clock { return &Clock{t: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
	return c.t
}

// Databases are the names that Open knows.
var Databases = []string{"sqlite", "postgres"}

// Open returns a fresh store on the database called name ("sqlite" or "postgres") and
// its clock. It skips the test if the database is not at hand.
func Open(t testing.TB, name string) (*store.Store, *Clock) {
	t.Helper()
	c := NewClock()
	return OpenURL(t, URL(t, name), c), c
}

// OpenURL opens the store at a URL that URL returned; a second store on the same URL
// is a second process on the same database.
func OpenURL(t testing.TB, rawURL string, c *Clock) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{URL: rawURL, Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// URL returns the address of a fresh, empty database.
func URL(t testing.TB, name string) string {
	t.Helper()
	if name == "sqlite" {
		return "sqlite:" + filepath.Join(t.TempDir(), "dossier.db") + "?sync=normal"
	}
	base := os.Getenv("DOSSIER_TEST_POSTGRES")
	if base == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("DOSSIER_TEST_POSTGRES is not set: start a cluster with scripts/postgres.sh")
		}
		t.Skip("DOSSIER_TEST_POSTGRES is not set")
	}
	return schemaURL(t, base)
}

// schemaURL makes a schema and returns a URL that works in it.
func schemaURL(t testing.TB, base string) string {
	t.Helper()
	b := make([]byte, 6)
	_, _ = rand.Read(b)
	schema := "t" + hex.EncodeToString(b)
	admin := func(ctx context.Context, sql string) {
		c, err := pgx.Connect(ctx, base)
		if err != nil {
			t.Errorf("connect to the test cluster: %v", err)
			return
		}
		defer func() { _ = c.Close(ctx) }()
		if _, err := c.Exec(ctx, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	admin(t.Context(), "CREATE SCHEMA "+schema)
	t.Cleanup(func() { admin(context.Background(), "DROP SCHEMA "+schema+" CASCADE") })
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}
