package sqldb

import (
	"context"
	"fmt"

	"dossier"
	"dossier/internal/db"

	"github.com/jackc/pgx/v5"
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
	both := postgresPool{p}
	return &DB{Dialect: postgresDialect, url: rawURL, postgres: p, write: both, read: both}, nil
}

type postgresPool struct{ *pgxpool.Pool }

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
	t, err := p.Begin(ctx)
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

func (t *postgresTx) query(ctx context.Context, query string, args []any) (db.Rows, error) {
	rows, err := t.tx.Query(ctx, query, args...)
	return pgRows{rows}, err
}

func (t *postgresTx) queryRow(ctx context.Context, query string, args []any) db.Row {
	return t.tx.QueryRow(ctx, query, args...)
}

func (t *postgresTx) commit(ctx context.Context) error { return t.tx.Commit(ctx) }

func (t *postgresTx) rollback(ctx context.Context) error { return t.tx.Rollback(ctx) }

// pgRows adapts pgx.Rows.
type pgRows struct{ pgx.Rows }

func (r pgRows) Scan(dest ...any) error { return r.Rows.Scan(toDest(dest)...) }
