package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dossier"

	"github.com/jackc/pgx/v5/pgconn"
)

func open(t *testing.T) *DB {
	t.Helper()
	d, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a folder", "d.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for url, kind := range map[string]dossier.Kind{
		"mysql://u:geheim@h/d":                      dossier.Invalid,
		"sqlite:":                                   dossier.Invalid,
		"sqlite:x?sync=never":                       dossier.Invalid,
		"postgres://u:geheim@127.0.0.1:port/d":      dossier.Invalid,
		"postgres://u:geheim@127.0.0.1:1/d?x=1":     dossier.Unavailable,
		"sqlite:/proc/none/such.db":                 dossier.Unavailable,
		"postgres://u:geheim@127.0.0.1:1/d?sslmode": dossier.Invalid,
	} {
		_, err := Open(t.Context(), url)
		if !errors.Is(err, kind) {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && strings.Contains(dossier.Message(err), "geheim") {
			t.Errorf("%s: the message tells the password: %v", url, err)
		}
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"SELECT 1": true, "\n\tselect a FROM b": true, "SELECT a FROM b LIMIT 1 FOR UPDATE SKIP LOCKED": false,
		"SELECT a FROM b FOR UPDATE": false, "INSERT INTO a VALUES (1) RETURNING b": false,
		"WITH x AS (SELECT 1) INSERT INTO a SELECT * FROM x": false, "UPDATE a SET b = 1 RETURNING b": false, "": false,
	} {
		if got := reads(query); got != want {
			t.Errorf("%q: %v", query, got)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	d := open(t)
	ctx := t.Context()
	if _, err := d.Exec(ctx, "CREATE TABLE v (j TEXT, at BIGINT, yes BIGINT, never BIGINT, none TEXT)"); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 2, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	if _, err := d.Exec(ctx, "INSERT INTO v (j, at, yes, never, none) VALUES ($1, $2, $3, $4, $5)",
		json.RawMessage(`{"a":1}`), at, true, time.Time{}, json.RawMessage(nil)); err != nil {
		t.Fatal(err)
	}
	var j, none json.RawMessage
	var got, never time.Time
	var yes bool
	if err := d.QueryRow(ctx, "SELECT j, at, yes, never, none FROM v").Scan(&j, &got, &yes, &never, &none); err != nil {
		t.Fatal(err)
	}
	if string(j) != `{"a":1}` || !got.Equal(at.Truncate(time.Microsecond)) || got.Location() != time.UTC || !yes || !never.IsZero() || none != nil {
		t.Errorf("%s %v %v %v %v", j, got, yes, never, none)
	}
	var typ string
	if err := d.QueryRow(ctx, "SELECT typeof(j) FROM v").Scan(&typ); err != nil || typ != "text" {
		t.Errorf("JSON is stored as %s, %v", typ, err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for code, kind := range map[string]dossier.Kind{
		"23505": dossier.Conflict, "23503": dossier.Conflict, "40P01": dossier.Conflict, "53100": dossier.Unavailable,
		"25006": dossier.Unavailable, "57P01": dossier.Unavailable, "08006": dossier.Unavailable, "42601": dossier.Internal,
	} {
		err := translate(&pgconn.PgError{Code: code})
		if dossier.KindOf(err) != kind {
			t.Errorf("%s is %s", code, dossier.KindOf(err))
		}
	}
	if err := translate(sql.ErrNoRows); !errors.Is(err, dossier.NotFound) {
		t.Error(err)
	}
	if err := translate(context.Canceled); !errors.Is(err, context.Canceled) || dossier.KindOf(err) != dossier.Internal {
		t.Error(err)
	}
	d := open(t)
	if _, err := d.Exec(t.Context(), "CREATE TABLE e (a TEXT PRIMARY KEY, b TEXT REFERENCES e (a))"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		sql  string
		want error
	}{
		{"INSERT INTO e (a) VALUES ('x')", nil},
		{"INSERT INTO e (a) VALUES ('x')", dossier.Conflict},
		{"INSERT INTO e (a, b) VALUES ('y', 'none')", dossier.Conflict},
	} {
		if _, err := d.Exec(t.Context(), q.sql); !errors.Is(err, q.want) {
			t.Errorf("%s: %v", q.sql, err)
		}
	}
}

func TestPanicUndoes(t *testing.T) {
	t.Parallel()
	d := open(t)
	if _, err := d.Exec(t.Context(), "CREATE TABLE p (a BIGINT)"); err != nil {
		t.Fatal(err)
	}
	committed := true
	func() {
		defer func() { _ = recover() }()
		_ = d.InTx(t.Context(), func(ctx context.Context) error {
			d.AtEnd(ctx, func(c bool) { committed = c })
			_, _ = d.Exec(ctx, "INSERT INTO p (a) VALUES (1)")
			panic("boom")
		})
	}()
	var n int
	if err := d.QueryRow(t.Context(), "SELECT count(*) FROM p").Scan(&n); err != nil || n != 0 || committed {
		t.Errorf("%d rows, committed %v, %v", n, committed, err)
	}
	if _, err := d.Exec(t.Context(), "INSERT INTO p (a) VALUES (1)"); err != nil {
		t.Errorf("the writer is not free: %v", err)
	}
}

// TestWriterIsBusy writes past the transaction that has the writer. It must fail, not
// hang.
func TestWriterIsBusy(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.write.(*sqlitePool).patience = 20 * time.Millisecond
	err := d.InTx(t.Context(), func(context.Context) error {
		_, err := d.Exec(t.Context(), "CREATE TABLE b (a BIGINT)")
		return err
	})
	if !errors.Is(err, dossier.Unavailable) {
		t.Errorf("got %v", err)
	}
}
