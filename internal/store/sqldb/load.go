package sqldb

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"dossier"
	"dossier/internal/db"
)

// Load reads a backup of either database into this one, whose tables must exist and
// be empty, all or nothing. The changes of the schema that the backup had must be
// those that this database has.
func (d *DB) Load(ctx context.Context, file string) error {
	r, err := openBackup(file)
	if err != nil {
		return err
	}
	return d.InTx(ctx, func(ctx context.Context) error {
		restore, err := d.suspendForeignKeys(ctx)
		if err != nil {
			return err
		}
		l := loader{d: d, have: map[string]bool{}, changes: map[string]bool{}}
		if err := l.prepare(ctx); err != nil {
			return err
		}
		if err := r.tables(ctx, func(t string, c []string) error { return l.begin(ctx, t, c) },
			func(v []any) error { return l.row(ctx, v) }); err != nil {
			return err
		}
		if err := l.flush(ctx); err != nil {
			return err
		}
		if err := l.compareChanges(); err != nil {
			return err
		}
		return restore(ctx)
	})
}

// openBackup finds out what kind of backup a file is.
func openBackup(file string) (tableReader, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, dossier.Errorf(dossier.NotFound, "The backup %s cannot be read.", file).Because(err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 16)
	_, err = io.ReadFull(f, head)
	switch {
	case err == nil && string(head) == "SQLite format 3\x00":
		return sqliteTables{file}, nil
	case err == nil && bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return dumpTables{file}, nil
	}
	return nil, dossier.Errorf(dossier.Invalid, "%s is not a backup of this product.", file)
}

// dumpTables reads a dump.
type dumpTables struct{ file string }

func (t dumpTables) tables(ctx context.Context, begin func(string, []string) error, row func([]any) error) error {
	f, err := os.Open(t.file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	bad := func(err error) error {
		return dossier.Errorf(dossier.Invalid, "The backup %s is damaged or incomplete.", t.file).Because(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return bad(err)
	}
	dec := json.NewDecoder(bufio.NewReader(z))
	var head dumpLine
	if err := dec.Decode(&head); err != nil || head.Format != dumpFormat {
		return bad(err)
	}
	for n := 0; ; {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return bad(err)
		}
		if raw[0] == '[' {
			vs, err := decodeRow(raw)
			if err != nil {
				return bad(err)
			}
			n++
			if err := row(vs); err != nil {
				return err
			}
			continue
		}
		var line dumpLine
		if err := json.Unmarshal(raw, &line); err != nil || line.End && line.Rows != n {
			return bad(err)
		}
		if line.End {
			return nil
		}
		if err := errors.Join(ctx.Err(), begin(line.Table, line.Columns)); err != nil {
			return err
		}
	}
}

// decodeRow reads a row's values as the databases take them.
func decodeRow(raw json.RawMessage) ([]any, error) {
	var cells []json.RawMessage
	if err := json.Unmarshal(raw, &cells); err != nil {
		return nil, err
	}
	vs := make([]any, len(cells))
	for i, c := range cells {
		var err error
		if vs[i], err = decodeCell(c); err != nil {
			return nil, err
		}
	}
	return vs, nil
}

func decodeCell(c json.RawMessage) (any, error) {
	switch c[0] {
	case 'n':
		return nil, nil
	case '"':
		var s string
		err := json.Unmarshal(c, &s)
		return s, err
	case '{':
		var b struct {
			Base64 []byte `json:"base64"`
		}
		err := json.Unmarshal(c, &b)
		return b.Base64, err
	case 't', 'f':
		return c[0] == 't', nil
	}
	if n, err := strconv.ParseInt(string(c), 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(string(c), 64)
}

// A loader writes rows, several at a time.
type loader struct {
	d       *DB
	have    map[string]bool // tables of this database
	changes map[string]bool // applied here (true) and not found in the backup yet
	table   string
	columns []string
	rows    [][]any
}

// lived are the tables in which anything that ever happened leaves a row.
var lived = []string{"cases", "events", "users"}

// prepare looks up what this database has and makes sure that nothing has happened in
// it yet. Rows that a migration put into a table give way to those of the backup.
func (l *loader) prepare(ctx context.Context) error {
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if l.d.postgres != nil {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	rows, err := l.d.Query(ctx, query)
	names, err := db.Collect(rows, err, oneString)
	if err != nil {
		return err
	}
	var seeded []string
	for _, name := range names {
		l.have[name] = true
		if skipped(name) || name == "migrations" {
			continue
		}
		var n int
		if err := l.d.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+quoted(name)+" LIMIT 1) x").Scan(&n); err != nil {
			return err
		}
		if n > 0 && slices.Contains(lived, name) {
			return dossier.Errorf(dossier.Conflict, "The database is not empty (%s). Restore into a new one.", name)
		}
		if n > 0 {
			seeded = append(seeded, name)
		}
	}
	for _, name := range seeded {
		if _, err := l.d.Exec(ctx, "DELETE FROM "+quoted(name)); err != nil {
			return err
		}
	}
	rows, err = l.d.Query(ctx, "SELECT owner || ' ' || name FROM migrations")
	applied, err := db.Collect(rows, err, oneString)
	for _, a := range applied {
		l.changes[a] = true
	}
	return err
}

func oneString(r db.Row) (s string, err error) {
	err = r.Scan(&s)
	return s, err
}

func (l *loader) begin(ctx context.Context, table string, columns []string) error {
	if err := l.flush(ctx); err != nil {
		return err
	}
	if !l.have[table] {
		return dossier.Errorf(dossier.Conflict, "The backup holds %s, which this version does not know. Restore it with the version that made it.", table)
	}
	l.table, l.columns = table, columns
	return nil
}

func (l *loader) row(ctx context.Context, vs []any) error {
	if len(vs) != len(l.columns) {
		return dossier.Errorf(dossier.Invalid, "The backup is damaged: a row of %s has %d columns.", l.table, len(vs))
	}
	if l.table == "migrations" {
		return l.change(vs)
	}
	l.rows = append(l.rows, vs)
	if len(l.rows)*len(l.columns) < 500 {
		return nil
	}
	return l.flush(ctx)
}

// change compares one applied change of the schema.
func (l *loader) change(vs []any) error {
	key := fmt.Sprint(vs[slices.Index(l.columns, "owner")], " ", vs[slices.Index(l.columns, "name")])
	if strings.HasPrefix(key, "queue ") {
		return nil
	}
	if _, ok := l.changes[key]; !ok {
		return dossier.Errorf(dossier.Conflict, "The backup was made by a newer version (%s). Restore it with that one.", key)
	}
	l.changes[key] = false
	return nil
}

func (l *loader) compareChanges() error {
	for key, missing := range l.changes {
		if missing && !strings.HasPrefix(key, "queue ") {
			return dossier.Errorf(dossier.Conflict, "The backup was made by an older version, before %s. Restore it with that one, then upgrade.", key)
		}
	}
	return nil
}

func (l *loader) flush(ctx context.Context) error {
	if len(l.rows) == 0 {
		return nil
	}
	names := make([]string, len(l.columns))
	for i, c := range l.columns {
		names[i] = quoted(c)
	}
	args := make([]any, 0, len(l.rows)*len(l.columns))
	for _, r := range l.rows {
		args = append(args, r...)
	}
	_, err := l.d.Exec(ctx, "INSERT INTO "+quoted(l.table)+" ("+strings.Join(names, ", ")+") VALUES "+
		db.Lines(len(l.rows), len(l.columns)), args...)
	if err != nil {
		return fmt.Errorf("load %s: %w", l.table, err)
	}
	l.rows = l.rows[:0]
	return nil
}

// suspendForeignKeys lets rows come in any order inside the transaction. The returned
// function has them checked.
func (d *DB) suspendForeignKeys(ctx context.Context) (func(context.Context) error, error) {
	if d.postgres == nil {
		_, err := d.Exec(ctx, "PRAGMA defer_foreign_keys = ON")
		return func(context.Context) error { return nil }, err
	}
	type key struct{ table, name, def string }
	rows, err := d.Query(ctx, `SELECT CAST(conrelid::regclass AS text), conname, pg_get_constraintdef(oid) FROM pg_constraint
		WHERE contype = 'f' AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`)
	keys, err := db.Collect(rows, err, func(r db.Row) (k key, err error) {
		err = r.Scan(&k.table, &k.name, &k.def)
		return k, err
	})
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if _, err := d.Exec(ctx, "ALTER TABLE "+k.table+" DROP CONSTRAINT "+quoted(k.name)); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		for _, k := range keys {
			if _, err := d.Exec(ctx, "ALTER TABLE "+k.table+" ADD CONSTRAINT "+quoted(k.name)+" "+k.def); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
