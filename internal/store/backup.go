package store

import (
	"context"
	"fmt"
)

// Backup writes everything into a new file while work goes on, as it is at one
// moment: on SQLite a database file, on PostgreSQL a dump. The queue's own tables are
// left out of a dump; what is ready and due is queued again after a restore.
func (s *Store) Backup(ctx context.Context, file string) error { return s.db.Backup(ctx, file) }

// Restore reads a backup of either database into this one, which must be empty and
// have the tables of every app: open the store, migrate the apps, then restore. It is
// all or nothing. Start no engine before.
func (s *Store) Restore(ctx context.Context, file string) error {
	if err := s.db.Load(ctx, file); err != nil {
		return err
	}
	if err := s.raiseEventBase(ctx); err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	// What was queued when the backup was made waits again, and no process of then is
	// advancing anything.
	_, err := s.db.Exec(ctx, "UPDATE due SET state = 'waiting', unique_key = '' WHERE state = 'queued'")
	if err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	return nil
}
