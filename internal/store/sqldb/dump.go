package sqldb

import (
	"bufio"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"dossier"

	"github.com/jackc/pgx/v5"
)

// dumpFormat names the layout of a dump: lines of JSON, compressed. The first is a
// header; then each table is a line with its name and columns, followed by its rows
// as arrays; the last line says how many rows there were, so that a file that was cut
// short is noticed.
const dumpFormat = "dossier-backup-1"

type dumpLine struct {
	Format  string   `json:"format,omitempty"`
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
	End     bool     `json:"end,omitempty"`
	Rows    int      `json:"rows,omitempty"`
}

// skipped reports whether a table is not part of a backup: the queue's own tables are
// made again from what is ready and due.
func skipped(table string) bool {
	return strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "sqlite_") || table == "event_base"
}

// A tableReader hands over the rows of a database, table by table.
type tableReader interface {
	// tables calls begin for each table and row for each of its rows.
	tables(ctx context.Context, begin func(table string, columns []string) error, row func([]any) error) error
}

// Backup writes everything into a new file while work goes on: on SQLite a database
// of its own, on PostgreSQL a dump. Either can be loaded into either database.
func (d *DB) Backup(ctx context.Context, file string) error {
	if _, err := os.Stat(file); err == nil {
		return dossier.Errorf(dossier.Conflict, "The file %s exists already. Choose another name.", file)
	}
	part := file + ".part"
	_ = os.Remove(part)
	// Whether the place can be written is known before anything is read.
	if err := os.WriteFile(part, nil, 0o600); err != nil {
		return dossier.Errorf(dossier.Invalid, "The backup cannot be written to %s. Choose a folder that exists and can be written.", file).Because(err)
	}
	_ = os.Remove(part)
	write := d.vacuumInto
	if d.postgres != nil {
		write = d.dumpTo
	}
	if err := write(ctx, part); err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("back up to %s: %w", file, translate(err))
	}
	if err := syncFile(part); err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	if err := os.Rename(part, file); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The backup cannot be written to %s.", file).Because(err)
	}
	return nil
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// vacuumInto copies a SQLite database as it is at one moment. It reads on a connection
// of its own, so the writer goes on.
func (d *DB) vacuumInto(ctx context.Context, file string) error {
	c, err := sql.Open("sqlite", sqliteURL(d.file)+"?_busy_timeout=10000")
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err = c.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return err
	}
	return os.Chmod(file, 0o600)
}

func sqliteURL(file string) string { return "file:" + (&url.URL{Path: file}).EscapedPath() }

// dumpTo writes a dump of PostgreSQL as it is at one moment.
func (d *DB) dumpTo(ctx context.Context, file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The backup cannot be written to %s.", file).Because(err)
	}
	tx, err := d.postgres.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	return errors.Join(dump(ctx, postgresTables{tx}, f), f.Close())
}

// dump writes what r reads.
func dump(ctx context.Context, r tableReader, w io.Writer) error {
	z := gzip.NewWriter(w)
	buf := bufio.NewWriter(z)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(dumpLine{Format: dumpFormat}); err != nil {
		return err
	}
	n := 0
	err := r.tables(ctx, func(table string, columns []string) error {
		return enc.Encode(dumpLine{Table: table, Columns: columns})
	}, func(row []any) error {
		n++
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = map[string][]byte{"base64": b}
			}
		}
		return enc.Encode(row)
	})
	if err != nil {
		return err
	}
	return errors.Join(enc.Encode(dumpLine{End: true, Rows: n}), buf.Flush(), z.Close())
}

// postgresTables reads the tables of the schema in use.
type postgresTables struct{ tx pgx.Tx }

func (p postgresTables) tables(ctx context.Context, begin func(string, []string) error, row func([]any) error) error {
	rows, err := p.tx.Query(ctx, `SELECT table_name FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range slices.DeleteFunc(names, skipped) {
		if err := p.table(ctx, name, begin, row); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	return nil
}

func (p postgresTables) table(ctx context.Context, name string, begin func(string, []string) error, row func([]any) error) error {
	rows, err := p.tx.Query(ctx, "SELECT * FROM "+pgx.Identifier{name}.Sanitize())
	if err != nil {
		return err
	}
	defer rows.Close()
	var columns []string
	for _, f := range rows.FieldDescriptions() {
		columns = append(columns, f.Name)
	}
	if err := begin(name, columns); err != nil {
		return err
	}
	for rows.Next() {
		vs, err := rows.Values()
		if err != nil {
			return err
		}
		if err := row(vs); err != nil {
			return err
		}
	}
	return rows.Err()
}

// sqliteTables reads the tables of a SQLite file.
type sqliteTables struct{ file string }

func (s sqliteTables) tables(ctx context.Context, begin func(string, []string) error, row func([]any) error) error {
	c, err := sql.Open("sqlite", sqliteURL(s.file)+"?mode=ro")
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	var ok string
	if err := c.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&ok); err != nil || ok != "ok" {
		return dossier.Errorf(dossier.Invalid, "The backup %s is damaged: %s", s.file, ok).Because(err)
	}
	names, err := stringsOf(ctx, c, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	if err != nil {
		return err
	}
	for _, name := range slices.DeleteFunc(names, skipped) {
		if err := sqliteTable(ctx, c, name, begin, row); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	return nil
}

func stringsOf(ctx context.Context, c *sql.DB, query string) (out []string, err error) {
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

func sqliteTable(ctx context.Context, c *sql.DB, name string, begin func(string, []string) error, row func([]any) error) error {
	rows, err := c.QueryContext(ctx, "SELECT * FROM "+quoted(name))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	if err := begin(name, columns); err != nil {
		return err
	}
	for rows.Next() {
		vs, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range vs {
			to[i] = &vs[i]
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := row(vs); err != nil {
			return err
		}
	}
	return rows.Err()
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
