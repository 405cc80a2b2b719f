package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Alone runs fn while no other process runs one on the same database. It is for
// changes of the schema, which two processes that start together would both make.
func (d *DB) Alone(ctx context.Context, fn func(ctx context.Context) error) error {
	if d.postgres != nil {
		return d.aloneInPostgres(ctx, fn)
	}
	f, err := os.OpenFile(d.file+"-setup", os.O_CREATE|os.O_RDWR, 0o600)
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

func (d *DB) aloneInPostgres(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	c, err := d.postgres.Acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1, 2)", d.writers); err != nil {
		return translate(err)
	}
	defer func() {
		_, e := c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1, 2)", d.writers)
		err = errors.Join(err, translate(e))
	}()
	return fn(ctx)
}
