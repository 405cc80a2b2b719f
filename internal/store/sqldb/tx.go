package sqldb

import (
	"context"
	"errors"

	"dossier"
	"dossier/internal/db"
)

// state is the transaction that a context carries.
type state struct {
	owner  *DB
	tx     tx
	writes int   // statements that may have changed something
	doomed error // why it can no longer commit
	ends   []func(committed bool)
	events int // how many events it has written
}

type stateKey struct{}

func (d *DB) carried(ctx context.Context) *state {
	s, _ := ctx.Value(stateKey{}).(*state)
	if s == nil || s.owner != d {
		return nil
	}
	return s
}

// InTx runs fn with a context that carries a transaction, joining the one that ctx
// carries. An error from fn undoes all of it. If fn joined, wrote something and
// failed, the whole transaction fails, even if the caller ignores the error.
func (d *DB) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if s := d.carried(ctx); s != nil {
		before := s.writes
		err := fn(ctx)
		if err != nil && s.writes != before && s.doomed == nil {
			s.doomed = err
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := d.write.begin(ctx)
	if err != nil {
		return translate(err)
	}
	s := &state{owner: d, tx: t}
	committed := false
	defer func() {
		for _, f := range s.ends {
			f(committed)
		}
	}()
	err = d.run(ctx, s, fn)
	committed = err == nil
	return err
}

// run calls fn and ends the transaction, undoing it if fn fails or panics.
func (d *DB) run(ctx context.Context, s *state, fn func(ctx context.Context) error) (err error) {
	done := false
	defer func() {
		if !done {
			err = errors.Join(err, s.tx.rollback(context.WithoutCancel(ctx)))
		}
	}()
	if err := fn(context.WithValue(ctx, stateKey{}, s)); err != nil {
		return err
	}
	if s.doomed != nil {
		return s.doomed
	}
	done = true
	return translate(s.tx.commit(context.WithoutCancel(ctx)))
}

// AtEnd calls f once the transaction that ctx carries has ended, saying whether it
// took effect. Without one it calls f at once.
func (d *DB) AtEnd(ctx context.Context, f func(committed bool)) {
	if s := d.carried(ctx); s != nil {
		s.ends = append(s.ends, f)
		return
	}
	f(true)
}

// NextEvents counts n events of the transaction that ctx carries and returns how
// many it had written before.
func (d *DB) NextEvents(ctx context.Context, n int) int {
	s := d.carried(ctx)
	if s == nil {
		return 0
	}
	first := s.events
	s.events += n
	return first
}

// Exec runs a statement and returns how many rows it changed.
func (d *DB) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	s := d.carried(ctx)
	if s == nil {
		n, err := d.write.exec(ctx, query, toArgs(args))
		return n, translate(err)
	}
	if err := s.ready(ctx); err != nil {
		return 0, err
	}
	s.writes++
	n, err := s.tx.exec(ctx, query, toArgs(args))
	return n, s.failed(err)
}

// Query runs a query. The caller closes the rows.
func (d *DB) Query(ctx context.Context, query string, args ...any) (db.Rows, error) {
	s := d.carried(ctx)
	if s == nil {
		rows, err := d.poolFor(query).query(ctx, query, toArgs(args))
		return rows, translate(err)
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	if !reads(query) {
		s.writes++
	}
	rows, err := s.tx.query(ctx, query, toArgs(args))
	if err != nil {
		return nil, s.failed(err)
	}
	return txRows{rows, s}, nil
}

// QueryRow runs a query for one row.
func (d *DB) QueryRow(ctx context.Context, query string, args ...any) db.Row {
	s := d.carried(ctx)
	if s == nil {
		return row{d.poolFor(query).queryRow(ctx, query, toArgs(args)), nil}
	}
	if err := s.ready(ctx); err != nil {
		return errRow{err}
	}
	if !reads(query) {
		s.writes++
	}
	return row{s.tx.queryRow(ctx, query, toArgs(args)), s}
}

func (d *DB) poolFor(query string) pool {
	if reads(query) {
		return d.read
	}
	return d.write
}

// ready reports why the transaction can run no more statements.
func (s *state) ready(ctx context.Context) error {
	if s.doomed != nil {
		return s.doomed
	}
	return ctx.Err()
}

// failed translates err and dooms the transaction: PostgreSQL would refuse to go on
// after a failed statement, and both databases must behave alike.
func (s *state) failed(err error) error {
	err = translate(err)
	if err != nil && !errors.Is(err, dossier.NotFound) && s.doomed == nil {
		s.doomed = err
	}
	return err
}

// row translates the errors of a row.
type row struct {
	db.Row
	s *state
}

func (r row) Scan(dest ...any) error {
	err := r.Row.Scan(toDest(dest)...)
	if r.s != nil {
		return r.s.failed(err)
	}
	return translate(err)
}

type errRow struct{ err error }

func (r errRow) Scan(...any) error { return r.err }

// txRows are rows read inside a transaction.
type txRows struct {
	db.Rows
	s *state
}

func (r txRows) Err() error { return r.s.failed(r.Rows.Err()) }
