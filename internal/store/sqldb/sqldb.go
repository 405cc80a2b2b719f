// Package sqldb opens SQLite and PostgreSQL and makes them look the same: one SQL
// text with $1 placeholders, one way to carry a transaction, one set of errors.
//
// A [DB] implements db.DB. Transactions travel in the context, so code that does
// not know of each other (an app, a step, the work queue) commits together. What
// differs between the two databases is a field of [Dialect] or a method of the two
// small adapters, never a second copy of a query.
//
// SQLite is opened twice: one connection that writes, because SQLite has one writer
// anyway and waiting for it in Go is fairer than being told it is busy, and a pool
// that only reads and never waits for the writer.
package sqldb

import (
	"context"
	"database/sql"
	"net/url"
	"strings"

	"dossier"
	"dossier/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Dialect is what differs between the databases.
type Dialect struct {
	Name string // "sqlite" or "postgres"

	// ForUpdate ends a SELECT whose row must not change before the transaction ends.
	// SQLite needs nothing: a writing transaction has the database to itself.
	ForUpdate string
	// SkipLocked ends a SELECT that claims rows, leaving out those another process
	// is claiming.
	SkipLocked string
	// EventID is the expression for the id of an event; on PostgreSQL the event's place
	// in its transaction is added to it.
	EventID string
}

var sqliteDialect = Dialect{Name: "sqlite", EventID: "NULL"}

// An event's id is the number of the transaction that wrote it, times 2^20, plus its
// place there; see [DB.EventLimit].
var postgresDialect = Dialect{
	Name: "postgres", ForUpdate: " FOR UPDATE", SkipLocked: " FOR UPDATE SKIP LOCKED",
	EventID: "(SELECT base FROM event_base) + CAST(CAST(pg_current_xact_id() AS text) AS bigint) * 1048576 + ",
}

// A DB is an open database.
type DB struct {
	Dialect Dialect
	write   pool
	read    pool

	sqlite   *sql.DB       // the writer, for SQLite
	postgres *pgxpool.Pool // for PostgreSQL
	file     string        // of SQLite
	url      string        // of PostgreSQL
	writers  int32         // class of the advisory locks that writing transactions share
	notices  notices
}

// A pool starts transactions and runs single statements.
type pool interface {
	conn
	begin(ctx context.Context) (tx, error)
	close()
}

// A conn runs statements. *sql.Tx and pgx.Tx each have an adapter to it.
type conn interface {
	exec(ctx context.Context, query string, args []any) (int64, error)
	query(ctx context.Context, query string, args []any) (db.Rows, error)
	queryRow(ctx context.Context, query string, args []any) db.Row
}

// A tx is a conn whose statements take effect together.
type tx interface {
	conn
	commit(ctx context.Context) error
	rollback(ctx context.Context) error
}

// Open opens the database that rawURL names: "sqlite:PATH", optionally followed by
// "?sync=normal", or "postgres://…".
func Open(ctx context.Context, rawURL string) (*DB, error) {
	scheme, rest, _ := strings.Cut(rawURL, ":")
	switch scheme {
	case "sqlite":
		return openSQLite(ctx, rest)
	case "postgres", "postgresql":
		return openPostgres(ctx, rawURL)
	}
	return nil, dossier.Errorf(dossier.Invalid,
		"The database must be sqlite:FILE or postgres://…, not %q.", Redact(rawURL))
}

// Redact returns a database URL without its password.
func Redact(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		scheme, _, _ := strings.Cut(rawURL, ":")
		return scheme + ":…"
	}
	return u.Redacted()
}

// Close closes the database. Transactions in flight are undone.
func (d *DB) Close() {
	d.notices.close()
	d.read.close()
	if d.write != d.read {
		d.write.close()
	}
}

// SQLite returns the writing connection, and nil on PostgreSQL.
func (d *DB) SQLite() *sql.DB { return d.sqlite }

// Postgres returns the pool, and nil on SQLite.
func (d *DB) Postgres() *pgxpool.Pool { return d.postgres }

// File returns the path of the SQLite file, and "" on PostgreSQL.
func (d *DB) File() string { return d.file }

// URL returns what PostgreSQL was opened with, and "" on SQLite.
func (d *DB) URL() string { return d.url }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	var one int
	return d.QueryRow(ctx, "SELECT 1").Scan(&one)
}

// SQLiteTx returns the SQLite transaction that ctx carries.
func (d *DB) SQLiteTx(ctx context.Context) (*sql.Tx, bool) {
	s := d.carried(ctx)
	if s == nil {
		return nil, false
	}
	t, ok := s.tx.(*sqliteTx)
	if !ok {
		return nil, false
	}
	return t.tx, true
}

// PostgresTx returns the PostgreSQL transaction that ctx carries.
func (d *DB) PostgresTx(ctx context.Context) (pgx.Tx, bool) {
	s := d.carried(ctx)
	if s == nil {
		return nil, false
	}
	t, ok := s.tx.(*postgresTx)
	if !ok {
		return nil, false
	}
	return t.tx, true
}
