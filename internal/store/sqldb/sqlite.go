package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"dossier"
	"dossier/internal/db"

	_ "modernc.org/sqlite" // the driver
)

// maxCached bounds the statements kept prepared, for texts that are made up as they
// are needed.
const maxCached = 512

// openSQLite opens the file that path names. A committed transaction is on the disk
// before it is reported (synchronous=FULL); "?sync=normal" gives that up for speed.
func openSQLite(ctx context.Context, path string) (*DB, error) {
	file, query, _ := strings.Cut(strings.TrimPrefix(path, "//"), "?")
	opts, err := url.ParseQuery(query)
	if err != nil || file == "" {
		return nil, dossier.Errorf(dossier.Invalid, "The database must be sqlite:FILE, not sqlite:%s.", path)
	}
	sync := "full"
	switch s := opts.Get("sync"); s {
	case "", "full":
	case "normal":
		sync = s
	default:
		return nil, dossier.Errorf(dossier.Invalid, "sync must be full or normal, not %q.", s)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "The folder of the database cannot be made: %s.", filepath.Dir(file)).Because(err)
	}
	base := "file:" + (&url.URL{Path: file}).EscapedPath() +
		"?_busy_timeout=10000&_foreign_keys=1&_dqs=0&_pragma=temp_store(2)&_pragma=secure_delete(1)"
	w, err := sql.Open("sqlite", base+"&_journal_mode=WAL&_txlock=immediate&_synchronous="+sync)
	if err != nil {
		return nil, translate(err)
	}
	w.SetMaxOpenConns(1)
	if err := w.PingContext(ctx); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("open %s: %w", file, translate(err))
	}
	r, err := sql.Open("sqlite", base+"&_query_only=1")
	if err != nil {
		_ = w.Close()
		return nil, translate(err)
	}
	n := max(4, runtime.GOMAXPROCS(0)*2)
	r.SetMaxOpenConns(n)
	r.SetMaxIdleConns(n)
	return &DB{
		Dialect: sqliteDialect, file: file, sqlite: w,
		write: &sqlitePool{db: w, short: true, patience: patience}, read: &sqlitePool{db: r, patience: patience},
	}, nil
}

// A sqlitePool keeps statements prepared on one *sql.DB.
type sqlitePool struct {
	db       *sql.DB
	short    bool // statements are short: they are not interrupted
	patience time.Duration
	mu       sync.RWMutex
	stmts    map[string]*sql.Stmt
	once     map[string]bool // texts run unprepared once; the second time is worth it
}

func (p *sqlitePool) close() { _ = p.db.Close() }

// stmt returns the prepared form of query, or nil if it should not be kept.
func (p *sqlitePool) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.RLock()
	s, full := p.stmts[query], len(p.stmts) >= maxCached
	p.mu.RUnlock()
	if s != nil || full {
		return s, nil
	}
	s, err := p.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return p.keep(query, s), nil
}

// keep remembers s unless somebody else prepared the same text first.
func (p *sqlitePool) keep(query string, s *sql.Stmt) *sql.Stmt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.stmts[query]; old != nil {
		_ = s.Close()
		return old
	}
	if p.stmts == nil {
		p.stmts = map[string]*sql.Stmt{}
	}
	p.stmts[query] = s
	return s
}

// prepare prepares the texts that have been seen before, for the next transaction.
func (p *sqlitePool) prepare(ctx context.Context, texts []string) {
	for _, q := range texts {
		p.mu.Lock()
		again := p.once[q]
		if p.once == nil || len(p.once) > 4*maxCached {
			p.once = map[string]bool{}
		}
		p.once[q] = true
		p.mu.Unlock()
		if again {
			_, _ = p.stmt(ctx, q) // a text that cannot be prepared fails again when it is run
		}
	}
}

// uncancelled spares the driver a goroutine per statement where a statement is
// short. The caller has looked at ctx already.
func (p *sqlitePool) uncancelled(ctx context.Context) context.Context {
	if p.short {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// patience is how long a statement waits for the writer. Longer means, as a rule, that
// a transaction waits for a statement that was made without its context.
const patience = 20 * time.Second

// acquire waits for a connection.
func (p *sqlitePool) acquire(ctx context.Context) (*sql.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	c, err := p.db.Conn(wait)
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "The database is busy. Try again in a moment.").Because(err)
	}
	return c, err
}

func (p *sqlitePool) exec(ctx context.Context, query string, args []any) (int64, error) {
	c, err := p.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.Close() }()
	res, err := c.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (p *sqlitePool) query(ctx context.Context, query string, args []any) (db.Rows, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		rows, err := p.db.QueryContext(ctx, query, args...)
		return sqlRows{Rows: rows}, err
	}
	rows, err := s.QueryContext(ctx, args...)
	return sqlRows{Rows: rows}, err
}

func (p *sqlitePool) queryRow(ctx context.Context, query string, args []any) db.Row {
	s, err := p.stmt(ctx, query)
	switch {
	case err != nil:
		return errRow{err}
	case s == nil:
		return p.db.QueryRowContext(ctx, query, args...)
	}
	return s.QueryRowContext(ctx, args...)
}

func (p *sqlitePool) begin(ctx context.Context) (tx, error) {
	c, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t, err := c.BeginTx(p.uncancelled(ctx), nil)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return &sqliteTx{pool: p, conn: c, tx: t}, nil
}

// A sqliteTx adapts *sql.Tx.
type sqliteTx struct {
	pool   *sqlitePool
	conn   *sql.Conn
	tx     *sql.Tx
	missed []string        // texts worth preparing once the connection is free
	open   map[string]bool // texts whose prepared form is being read from
}

// stmt returns the prepared form of query for this transaction, or nil. A prepared
// statement can be read by one at a time.
func (t *sqliteTx) stmt(ctx context.Context, query string) *sql.Stmt {
	if t.open[query] {
		return nil
	}
	t.pool.mu.RLock()
	s := t.pool.stmts[query]
	t.pool.mu.RUnlock()
	if s == nil {
		t.missed = append(t.missed, query)
		return nil
	}
	return t.tx.StmtContext(ctx, s)
}

func (t *sqliteTx) exec(ctx context.Context, query string, args []any) (int64, error) {
	ctx = t.pool.uncancelled(ctx)
	var res sql.Result
	var err error
	if s := t.stmt(ctx, query); s != nil {
		res, err = s.ExecContext(ctx, args...)
	} else {
		res, err = t.tx.ExecContext(ctx, query, args...)
	}
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *sqliteTx) query(ctx context.Context, query string, args []any) (db.Rows, error) {
	ctx = t.pool.uncancelled(ctx)
	s := t.stmt(ctx, query)
	if s == nil {
		rows, err := t.tx.QueryContext(ctx, query, args...)
		return sqlRows{Rows: rows}, err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	if t.open == nil {
		t.open = map[string]bool{}
	}
	t.open[query] = true
	return sqlRows{rows, func() { delete(t.open, query) }}, nil
}

func (t *sqliteTx) queryRow(ctx context.Context, query string, args []any) db.Row {
	ctx = t.pool.uncancelled(ctx)
	if s := t.stmt(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return t.tx.QueryRowContext(ctx, query, args...)
}

func (t *sqliteTx) commit(ctx context.Context) error {
	err := t.tx.Commit()
	_ = t.conn.Close()
	t.pool.prepare(ctx, t.missed)
	return err
}

func (t *sqliteTx) rollback(context.Context) error {
	err := t.tx.Rollback()
	_ = t.conn.Close()
	return err
}

// sqlRows adapts *sql.Rows.
type sqlRows struct {
	*sql.Rows
	closed func()
}

func (r sqlRows) Scan(dest ...any) error { return r.Rows.Scan(toDest(dest)...) }

func (r sqlRows) Close() {
	_ = r.Rows.Close()
	if r.closed != nil {
		r.closed()
	}
}
