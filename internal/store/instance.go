package store

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"dossier"
	"dossier/internal/store/sqldb"

	"github.com/jackc/pgx/v5"
)

// An instance is this process, as others can see it. On SQLite it holds a lock on a
// file, on PostgreSQL an advisory lock on a connection of its own; either ends with
// the process, however it ends.
type instance struct {
	name string
	db   *sqldb.DB

	dir  string
	file *os.File

	stop context.CancelFunc
	done sync.WaitGroup
}

func newInstance(ctx context.Context, d *sqldb.DB, o Options) (*instance, error) {
	i := &instance{name: NewID("node-"), db: d}
	if d.Postgres() != nil {
		return i, i.lockRow(ctx)
	}
	dir := o.Dir
	if dir == "" {
		dir = d.File() + "-processes"
	}
	i.dir = filepath.Join(dir, "instances")
	return i, i.lockFile()
}

// Instance names this process.
func (s *Store) Instance() string { return s.self.name }

// Alive reports whether the process that an instance names still runs.
func (s *Store) Alive(ctx context.Context, name string) (bool, error) {
	if name == s.self.name {
		return true, nil
	}
	if !strings.HasPrefix(name, "node-") || strings.ContainsAny(name, `/\.`) {
		return false, nil
	}
	if s.db.Postgres() != nil {
		return s.self.rowLocked(ctx, name)
	}
	return s.self.fileLocked(name)
}

func (i *instance) lockFile() error {
	if err := os.MkdirAll(i.dir, 0o700); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The folder %s cannot be made.", i.dir).Because(err)
	}
	f, err := os.OpenFile(filepath.Join(i.dir, i.name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The folder %s cannot be written.", i.dir).Because(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	i.file = f
	return nil
}

// fileLocked reports whether somebody holds the lock of an instance's file. A file
// that nobody holds is removed.
func (i *instance) fileLocked(name string) (bool, error) {
	path := filepath.Join(i.dir, name)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for process %s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for process %s: %w", name, err)
	}
	_ = os.Remove(path)
	return false, nil
}

// lockKey is the number of an instance's advisory lock.
func lockKey(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("dossier instance " + name))
	return int64(h.Sum64()) //nolint:gosec // any 64 bits will do
}

// lockRow takes the advisory lock and keeps a connection for it, making a new one if
// it is lost.
func (i *instance) lockRow(ctx context.Context) error {
	c, err := i.connect(ctx)
	if err != nil {
		return err
	}
	ctx, i.stop = context.WithCancel(context.WithoutCancel(ctx))
	i.done.Go(func() { i.hold(ctx, c) })
	return nil
}

func (i *instance) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.Connect(ctx, i.db.URL())
	if err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "The database does not answer. Try again in a moment.").Because(err)
	}
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", lockKey(i.name)); err != nil {
		_ = c.Close(ctx)
		return nil, fmt.Errorf("lock instance %s: %w", i.name, err)
	}
	return c, nil
}

// hold waits for the connection to break, and makes another.
func (i *instance) hold(ctx context.Context, c *pgx.Conn) {
	for {
		if c != nil {
			_, _ = c.WaitForNotification(ctx) // none comes: it returns when the connection ends
			_ = c.Close(context.WithoutCancel(ctx))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		c, _ = i.connect(ctx)
	}
}

const lockedSQL = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
	AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND ((CAST(classid AS bigint) << 32) | CAST(objid AS bigint)) = $1`

func (i *instance) rowLocked(ctx context.Context, name string) (bool, error) {
	var n int
	if err := i.db.QueryRow(ctx, lockedSQL, lockKey(name)).Scan(&n); err != nil {
		return false, fmt.Errorf("look for process %s: %w", name, err)
	}
	return n > 0, nil
}

func (i *instance) close() {
	if i.stop != nil {
		i.stop()
		i.done.Wait()
	}
	if i.file != nil {
		_ = os.Remove(i.file.Name())
		_ = i.file.Close()
	}
}
