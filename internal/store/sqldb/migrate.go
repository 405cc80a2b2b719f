package sqldb

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"dossier"
)

const migrationsTable = `CREATE TABLE IF NOT EXISTS migrations (
	owner TEXT NOT NULL,
	number BIGINT NOT NULL,
	name TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (owner, number)
)`

// A Migration is one numbered change of the schema.
type Migration struct {
	Number int
	Name   string // the file's name
	SQL    string
}

// Migrations reads the numbered .sql files of a folder: those of the dialect's own
// subfolder if there is one, else those of the folder itself. A missing folder holds
// none.
func (d *DB) Migrations(files fs.FS, folder string) ([]Migration, error) {
	if files == nil {
		return nil, nil
	}
	for _, dir := range []string{path.Join(folder, d.Dialect.Name), folder} {
		names, err := fs.Glob(files, path.Join(dir, "*.sql"))
		if err != nil {
			return nil, fmt.Errorf("list migrations: %w", err)
		}
		if len(names) > 0 {
			return readMigrations(files, names)
		}
	}
	return nil, nil
}

func readMigrations(files fs.FS, names []string) ([]Migration, error) {
	var out []Migration
	for _, name := range names {
		base := path.Base(name)
		digits, _, ok := strings.Cut(strings.TrimSuffix(base, ".sql"), "_")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 1 {
			return nil, fmt.Errorf("migration %s: the name must be NUMBER_WHAT.sql", name)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		out = append(out, Migration{n, base, string(text)})
	}
	slices.SortFunc(out, func(a, b Migration) int { return a.Number - b.Number })
	for i, m := range out {
		if m.Number != i+1 {
			return nil, fmt.Errorf("migration %s: the numbers must run from 1 without a gap or a double", m.Name)
		}
	}
	return out, nil
}

// Migrate applies the migrations of an owner that have not been applied, each in a
// transaction. now is written beside each, in microseconds.
func (d *DB) Migrate(ctx context.Context, owner string, ms []Migration, now int64) error {
	have, err := d.applied(ctx, owner)
	if err != nil {
		return err
	}
	if have > len(ms) {
		return dossier.Errorf(dossier.Invalid,
			"The database was made by a newer version: %s has %d changes and this version knows %d.", owner, have, len(ms))
	}
	for _, m := range ms[have:] {
		err := d.InTx(ctx, func(ctx context.Context) error {
			n, err := d.Exec(ctx, `INSERT INTO migrations (owner, number, name, at) VALUES ($1, $2, $3, $4)
				ON CONFLICT DO NOTHING`, owner, m.Number, m.Name, now)
			if err != nil || n == 0 {
				return err // another process is first; it waited for ours or we for it
			}
			_, err = d.Exec(ctx, m.SQL)
			return err
		})
		if err != nil {
			return fmt.Errorf("migration %s of %s: %w", m.Name, owner, err)
		}
	}
	return nil
}

// applied returns how many migrations of an owner have been applied. An empty
// database gets its table of them first.
func (d *DB) applied(ctx context.Context, owner string) (int, error) {
	var n int
	err := d.QueryRow(ctx, "SELECT count(*) FROM migrations WHERE owner = $1", owner).Scan(&n)
	if err == nil {
		return n, nil
	}
	if dossier.KindOf(err) == dossier.Unavailable {
		return 0, err
	}
	if _, err := d.Exec(ctx, migrationsTable); err != nil {
		return 0, fmt.Errorf("make the table of migrations: %w", err)
	}
	err = d.QueryRow(ctx, "SELECT count(*) FROM migrations WHERE owner = $1", owner).Scan(&n)
	return n, err
}

// Once calls do unless it has been called on this database with the same owner and
// name before. do must not mind being called twice.
func (d *DB) Once(ctx context.Context, owner, name string, do func(context.Context) error, now int64) error {
	key := owner + " " + name
	have, err := d.applied(ctx, key)
	if err != nil || have > 0 {
		return err
	}
	if err := do(ctx); err != nil {
		return err
	}
	_, err = d.Exec(ctx, `INSERT INTO migrations (owner, number, name, at) VALUES ($1, 1, $2, $3)
		ON CONFLICT DO NOTHING`, key, name, now)
	return err
}
