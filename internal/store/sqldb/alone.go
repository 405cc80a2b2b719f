package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// A Sole is something that one process does at a time.
type Sole int32

// What two processes that start together would both do. The numbers are those of the
// advisory locks on PostgreSQL.
const (
	Setup Sole = 2 // changes of the schema
	Demo  Sole = 3 // loading demo data
)

// Alone runs fn while no other process runs one for the same thing on the same
// database.
func (d *DB) Alone(ctx context.Context, what Sole, fn func(ctx context.Context) error) error {
	if d.postgres != nil {
		return d.aloneInPostgres(ctx, what, fn)
	}
	f, err := os.OpenFile(d.file+map[Sole]string{Setup: "-setup", Demo: "-demo"}[what], os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fn(ctx) // a folder that cannot be written has a database that cannot be either
	}
	defer func() { _ = f.Close() }()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return fn(ctx)
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (d *DB) aloneInPostgres(ctx context.Context, what Sole, fn func(ctx context.Context) error) (err error) {
	c, err := d.postgres.Acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1, $2)", d.writers, int32(what)); err != nil {
		return translate(err)
	}
	defer func() {
		_, e := c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1, $2)", d.writers, int32(what))
		err = errors.Join(err, translate(e))
	}()
	return fn(ctx)
}
