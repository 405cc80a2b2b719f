package sqldb

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"dossier"
	"dossier/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

func openPostgres(ctx context.Context, rawURL string) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(rawURL)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The database address %s cannot be read.", Redact(rawURL)).Because(err)
	}
	cfg.MaxConns = max(cfg.MaxConns, 8)
	p, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, translate(err)
	}
	if err := p.Ping(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("open %s: %w", Redact(rawURL), translate(err))
	}
	var schema string
	if err := p.QueryRow(ctx, "SELECT COALESCE(current_schema(), '')").Scan(&schema); err != nil {
		p.Close()
		return nil, fmt.Errorf("open %s: %w", Redact(rawURL), translate(err))
	}
	writers := lockClass(schema)
	both := postgresPool{p, pgx.TxOptions{
		BeginQuery: fmt.Sprintf("BEGIN; SELECT pg_advisory_xact_lock_shared(%d, 1)", writers),
	}}
	return &DB{Dialect: postgresDialect, url: rawURL, postgres: p, write: both, read: both, writers: writers}, nil
}

// lockClass names a schema among the advisory locks of its database.
func lockClass(schema string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte("dossier writers " + schema))
	return int32(h.Sum32()) //nolint:gosec // any 32 bits will do
}

// limitSQL finds the oldest transaction that may still write events: of those that
// hold the shared lock, the lowest that has a number, and otherwise the next number
// to be given out. pg_locks shows the lower 32 bits of a number.
const limitSQL = `SELECT (SELECT base FROM event_base) + 1048576 * LEAST(top, COALESCE((
	SELECT min(CASE WHEN low > top & 4294967295 THEN (top >> 32) - 1 ELSE top >> 32 END << 32 | low) FROM (
		SELECT CAST(CAST(t.transactionid AS text) AS bigint) AS low FROM pg_locks t
		JOIN pg_locks w ON w.pid = t.pid AND w.locktype = 'advisory' AND w.objsubid = 2 AND w.objid = 1
			AND CAST(w.classid AS bigint) = $1
			AND w.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		WHERE t.locktype = 'transactionid' AND t.mode = 'ExclusiveLock' AND t.granted) running), top))
	FROM (SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS top) next`

// EventLimit returns what the id of an event must stay below to be read safely: every
// event that is not visible yet will be above. On PostgreSQL transactions commit in
// another order than they are numbered, so one that is still running holds back what
// later ones wrote. The events must be read by a later statement.
func (d *DB) EventLimit(ctx context.Context) (int64, error) {
	if d.postgres == nil {
		return math.MaxInt64, nil
	}
	var n int64
	err := d.QueryRow(ctx, limitSQL, int64(uint32(d.writers))).Scan(&n) //nolint:gosec // the same 32 bits
	return n, err
}

type postgresPool struct {
	*pgxpool.Pool
	tx pgx.TxOptions
}

func (p postgresPool) close() { p.Close() }

func (p postgresPool) exec(ctx context.Context, query string, args []any) (int64, error) {
	tag, err := p.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

func (p postgresPool) query(ctx context.Context, query string, args []any) (db.Rows, error) {
	rows, err := p.Query(ctx, query, args...)
	return pgRows{rows}, err
}

func (p postgresPool) queryRow(ctx context.Context, query string, args []any) db.Row {
	return p.QueryRow(ctx, query, args...)
}

func (p postgresPool) begin(ctx context.Context) (tx, error) {
	t, err := p.BeginTx(ctx, p.tx)
	if err != nil {
		return nil, err
	}
	return &postgresTx{t}, nil
}

// A postgresTx adapts pgx.Tx.
type postgresTx struct{ tx pgx.Tx }

func (t *postgresTx) exec(ctx context.Context, query string, args []any) (int64, error) {
	tag, err := t.tx.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

// query reads all rows at once: a PostgreSQL connection runs one statement at a time,
// and whoever reads rows in a transaction may want to write between them, as on SQLite.
func (t *postgresTx) query(ctx context.Context, query string, args []any) (db.Rows, error) {
	rows, err := t.tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := &readRows{types: t.tx.Conn().TypeMap(), fields: slices.Clone(rows.FieldDescriptions())}
	for rows.Next() {
		values := rows.RawValues()
		kept := make([][]byte, len(values))
		for i, v := range values {
			kept[i] = bytes.Clone(v)
		}
		out.rows = append(out.rows, kept)
	}
	return out, rows.Err()
}

func (t *postgresTx) queryRow(ctx context.Context, query string, args []any) db.Row {
	return t.tx.QueryRow(ctx, query, args...)
}

func (t *postgresTx) commit(ctx context.Context) error { return t.tx.Commit(ctx) }

func (t *postgresTx) rollback(ctx context.Context) error { return t.tx.Rollback(ctx) }

// pgRows adapts pgx.Rows.
type pgRows struct{ pgx.Rows }

func (r pgRows) Scan(dest ...any) error { return r.Rows.Scan(toDest(dest)...) }

// readRows are rows that have been read from the connection.
type readRows struct {
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	rows   [][][]byte
	next   int
}

// Next implements db.Rows.
func (r *readRows) Next() bool {
	r.next++
	return r.next <= len(r.rows)
}

// Scan implements db.Rows.
func (r *readRows) Scan(dest ...any) error {
	if len(dest) != len(r.fields) {
		return fmt.Errorf("scan %d columns into %d values", len(r.fields), len(dest))
	}
	for i, d := range toDest(dest) {
		f := r.fields[i]
		if err := r.types.Scan(f.DataTypeOID, f.Format, r.rows[r.next-1][i], d); err != nil {
			return fmt.Errorf("scan column %s: %w", f.Name, err)
		}
	}
	return nil
}

// Err implements db.Rows.
func (r *readRows) Err() error { return nil }

// Close implements db.Rows.
func (r *readRows) Close() {}
