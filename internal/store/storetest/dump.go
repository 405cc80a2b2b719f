package storetest

import (
	"strings"
	"testing"

	"dossier/internal/db"
	"dossier/internal/store"
)

// Dump returns the content of every table, the queue's among them, as text: for tests
// that look for what must not be there.
func Dump(t testing.TB, s *store.Store) map[string]string {
	t.Helper()
	texts := func(query string) []string {
		rows, err := s.DB().Query(t.Context(), query)
		out, err := db.Collect(rows, err, func(r db.Row) (text string, err error) {
			err = r.Scan(&text)
			return text, err
		})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return out
	}
	list, cells := "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()",
		func(string) string { return "CAST(t AS text)" }
	if s.Dialect() == "sqlite" {
		list, cells = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'", func(table string) string {
			columns := texts("SELECT name FROM pragma_table_info('" + table + "')")
			return `COALESCE(CAST("` + strings.Join(columns, `" AS TEXT), '') || ' ' || COALESCE(CAST("`) + `" AS TEXT), '')`
		}
	}
	out := map[string]string{}
	for _, table := range texts(list) {
		out[table] = strings.Join(texts("SELECT "+cells(table)+` FROM "`+table+`" t`), "\n")
	}
	return out
}
