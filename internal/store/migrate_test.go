package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// columns returns "table.column type" of every table that is not River's.
func columns(t *testing.T, s *store.Store) []string {
	t.Helper()
	query := `SELECT m.name, p.name, p.type FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'
		AND m.name NOT LIKE 'sqlite_%'`
	if s.Dialect() == "postgres" {
		query = `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()`
	}
	rows, err := s.DB().Query(t.Context(), query)
	all, err := db.Collect(rows, err, func(r db.Row) (string, error) {
		var table, column, typ string
		err := r.Scan(&table, &column, &typ)
		typ = strings.ToLower(strings.Replace(typ, "INTEGER", "BIGINT", 1))
		return table + "." + column + " " + typ, err
	})
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(c string) bool { return strings.HasPrefix(c, "river_") })
	slices.Sort(all)
	return all
}

func TestBothDatabasesHaveTheSameTables(t *testing.T) {
	t.Parallel()
	lite, _ := storetest.Open(t, "sqlite")
	post, _ := storetest.Open(t, "postgres")
	a, b := columns(t, lite), columns(t, post)
	for _, c := range a {
		if !slices.Contains(b, c) {
			t.Errorf("PostgreSQL lacks %s", c)
		}
	}
	for _, c := range b {
		if !slices.Contains(a, c) {
			t.Errorf("SQLite lacks %s", c)
		}
	}
	if len(a) < 150 {
		t.Errorf("only %d columns", len(a))
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestAppMigrations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store, _ *storetest.Clock) {
		ctx := t.Context()
		files := fstest.MapFS{
			"migrations/0001_first.sql":          file("CREATE TABLE netra_a (x TEXT PRIMARY KEY); INSERT INTO netra_a (x) VALUES ('one');"),
			"migrations/0002_more.sql":           file("ALTER TABLE netra_a ADD COLUMN y BIGINT NOT NULL DEFAULT 7"),
			"prompts/notes.md":                   file("not a migration"),
			"own/migrations/sqlite/0001_a.sql":   file("CREATE TABLE report_a (x TEXT PRIMARY KEY) WITHOUT ROWID"),
			"own/migrations/postgres/0001_a.sql": file("CREATE TABLE report_a (x TEXT COLLATE \"C\" PRIMARY KEY)"),
		}
		own, err := fs.Sub(files, "own")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing
			if err := s.Migrate(ctx, "netra", files); err != nil {
				t.Fatal(err)
			}
			if err := s.Migrate(ctx, "report", own); err != nil {
				t.Fatal(err)
			}
		}
		var x string
		var y int
		if err := s.DB().QueryRow(ctx, "SELECT x, y FROM netra_a").Scan(&x, &y); err != nil || x != "one" || y != 7 {
			t.Errorf("%s %d %v", x, y, err)
		}
		files["migrations/0003_bad.sql"] = file("CREATE TABLE netra_b (x TEXT); SELECT nothing FROM nowhere;")
		if err := s.Migrate(ctx, "netra", files); err == nil || !strings.Contains(err.Error(), "0003_bad.sql of netra") {
			t.Errorf("a bad migration: %v", err)
		}
		if _, err := s.DB().Exec(ctx, "CREATE TABLE netra_b (x TEXT)"); err != nil {
			t.Errorf("a bad migration left something behind: %v", err)
		}
		delete(files, "migrations/0003_bad.sql")
		delete(files, "migrations/0002_more.sql")
		if err := s.Migrate(ctx, "netra", files); !errors.Is(err, dossier.Invalid) {
			t.Errorf("an older version on a newer database: %v", err)
		}
		files["migrations/0004_gap.sql"] = file("SELECT 1")
		if err := s.Migrate(ctx, "netra", files); err == nil {
			t.Error("a gap in the numbers was accepted")
		}
	})
}

// TestOpenAtOnce checks that several processes may start on an empty database.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, c := storetest.URL(t, name), storetest.NewClock()
			var wg sync.WaitGroup
			errs := make([]error, 4)
			for i := range errs {
				wg.Go(func() {
					s, err := store.Open(context.Background(), store.Options{URL: url, Now: c.Now})
					if err != nil {
						errs[i] = fmt.Errorf("process %d: %w", i, err)
						return
					}
					s.Close()
				})
			}
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
		})
	}
}
