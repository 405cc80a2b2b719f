package sqldb

import (
	"context"
	"fmt"

	"dossier"

	"github.com/jackc/pgx/v5"
)

// Scrub implements db.DB.
//
// SQLite overwrites what is deleted (secure_delete), but leaves copies in the gaps of
// pages that were split before. So the rows that stay are written anew: the pages they
// leave are overwritten whole. What is left in the log goes when it is written back and
// cut off. PostgreSQL gives the space of deleted rows free; the files that it keeps for
// recovery are its operator's.
func (d *DB) Scrub(ctx context.Context, tables ...string) error {
	if d.postgres != nil {
		for _, t := range tables {
			if _, err := d.postgres.Exec(ctx, "VACUUM "+pgx.Identifier{t}.Sanitize()); err != nil {
				return fmt.Errorf("scrub %s: %w", t, translate(err))
			}
		}
		return nil
	}
	for _, t := range tables {
		if err := d.rewrite(ctx, quoted(t), quoted(t+" kept")); err != nil {
			return fmt.Errorf("scrub %s: %w", t, err)
		}
	}
	var busy, frames, done int
	if err := d.sqlite.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done); err != nil {
		return fmt.Errorf("scrub: %w", translate(err))
	}
	if busy != 0 {
		return dossier.Errorf(dossier.Unavailable, "The database is being read and cannot be cleared of deleted rows now. Try again in a moment.")
	}
	return nil
}

// rewrite writes the rows of a SQLite table into fresh pages.
func (d *DB) rewrite(ctx context.Context, table, kept string) error {
	return d.InTx(ctx, func(ctx context.Context) error {
		for _, q := range []string{
			"CREATE TABLE " + kept + " AS SELECT * FROM " + table, "DELETE FROM " + table,
			"INSERT INTO " + table + " SELECT * FROM " + kept, "DROP TABLE " + kept,
		} {
			if _, err := d.Exec(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
}
