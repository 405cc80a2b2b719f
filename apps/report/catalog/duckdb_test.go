//go:build duckdb

package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/apps/report/catalog"
)

func duck(t testing.TB, c *catalog.Catalog) catalog.Backend {
	t.Helper()
	d, err := catalog.NewBackend(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestBackendsAgree(t *testing.T) {
	t.Parallel()
	c := demoRun(t)
	d, m := duck(t, c), &catalog.Memory{Catalog: c}
	for i := range c.Charts {
		ch := &c.Charts[i]
		year := 0
		if len(ch.Years) > 0 {
			year = ch.Years[len(ch.Years)-1]
		}
		t.Run("R-064 R-065 "+ch.ID, func(t *testing.T) {
			want, err := m.Totals(t.Context(), ch, year)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Totals(t.Context(), ch, year)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func lines(totals []catalog.Total) []string {
	var out []string
	for _, t := range totals {
		out = append(out, fmt.Sprintf("%s %s %d %s", t.Scenario, t.Unit, t.Rows, t.Value))
	}
	return out
}

func TestQuery(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret.csv": "a,b\n1,2\n"})
	c := demoRun(t)
	d := duck(t, c)
	lim := catalog.Limits{Rows: 5, Time: 5 * time.Second}
	t.Run("R-066 answers", func(t *testing.T) {
		t.Parallel()
		r, err := d.Query(t.Context(), `WITH x AS (SELECT scen, sum(val) AS v FROM emissions_reduction_by_sector WHERE process_sector0 <> 'Net 2025' GROUP BY scen) SELECT * FROM x ORDER BY v;`, lim)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Rows) != 3 || r.Rows[0][0] != "Ampol-1p5DS" || !strings.HasPrefix(r.Rows[0][1], "-472.5") {
			t.Errorf("result %+v", r)
		}
	})
	t.Run("R-066 row limit", func(t *testing.T) {
		t.Parallel()
		r, err := d.Query(t.Context(), "SELECT * FROM net_emissions_by_sector", lim)
		if err != nil || len(r.Rows) != 5 || !r.Truncated {
			t.Errorf("%d rows, %v, %v", len(r.Rows), r.Truncated, err)
		}
	})
	for name, q := range map[string]string{
		"write":        "DROP VIEW net_emissions_by_sector",
		"two":          "SELECT 1; SELECT 2",
		"copy":         "COPY net_emissions_by_sector TO '/tmp/x.csv'",
		"file":         "SELECT * FROM '" + filepath.Join(outside, "secret.csv") + "'",
		"read_csv":     "SELECT * FROM read_csv('" + filepath.Join(outside, "secret.csv") + "')",
		"own file":     "SELECT * FROM read_csv('" + filepath.Join(c.Root, "plot_specs.json") + "')",
		"scalar file":  "SELECT content FROM read_text('/etc/passwd')",
		"setting":      "SET enable_external_access = true",
		"extension":    "INSTALL httpfs",
		"attach":       "ATTACH '/tmp/other.db'",
		"pragma":       "PRAGMA database_list",
		"catalog":      "SELECT * FROM information_schema.tables",
		"settings":     "SELECT * FROM duckdb_settings()",
		"unknown":      "SELECT * FROM secrets",
		"nested":       "SELECT (SELECT count(*) FROM read_text('/etc/passwd'))",
		"out of paren": "SELECT 1) LIMIT 1; SELECT * FROM (SELECT 2",
		"not SQL":      "hello",
		"environment":  "SELECT getenv('HOME')",
		"set-up":       "SELECT current_setting('allowed_paths')",
		"own views":    "SELECT sql FROM duckdb_views, (WITH duckdb_views AS (SELECT 1) SELECT 1) x",
		"named a path": "SELECT * FROM '/etc/x.csv', (WITH \"/etc/x.csv\" AS (SELECT 1) SELECT 1) x",
		"much text":    "SELECT repeat('x', 2000000000)",
		"many rows":    "SELECT unnest(range(100000000))",
	} {
		t.Run("R-066 refuses "+name, func(t *testing.T) {
			t.Parallel()
			r, err := d.Query(t.Context(), q, lim)
			if k := dossier.KindOf(err); err == nil || k != dossier.Invalid && k != dossier.Forbidden {
				t.Errorf("Query(%s) = %+v, %v", q, r, err)
			}
		})
	}
	t.Run("R-066 time limit", func(t *testing.T) {
		t.Parallel()
		q := "SELECT count(*) FROM net_emissions_by_sector a, net_emissions_by_sector b, net_emissions_by_sector c, net_emissions_by_sector d, net_emissions_by_sector e, net_emissions_by_sector f, net_emissions_by_sector g"
		_, err := d.Query(t.Context(), q, catalog.Limits{Rows: 1, Time: 100 * time.Millisecond})
		if dossier.KindOf(err) != dossier.Invalid || !strings.Contains(dossier.Message(err), "longer than") {
			t.Errorf("Query = %v", err)
		}
	})
}

// TestOddFiles has files in a run that DuckDB cannot read, and numbers that are missing.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t, map[string]string{
		"a/good.csv": "scen,val\nA,1\nB,NaN\nC,2\n", "a/marks.csv": "scen,sector,val\nA,x,n/a\nA,y,3\nA,z,-\n", "a/odd.csv": "scen,val\n\"A,1\n\"\"B\",,,,2\n\x00\xff",
	}))
	d := duck(t, c)
	t.Run("R-066 one odd file leaves the others", func(t *testing.T) {
		t.Parallel()
		r, err := d.Query(t.Context(), "SELECT max(val) FROM good", catalog.Limits{Rows: 5, Time: 5 * time.Second})
		if err != nil || len(r.Rows) != 1 || r.Rows[0][0] != "2" {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("R-066 values of every type", func(t *testing.T) {
		t.Parallel()
		r, err := d.Query(t.Context(), "SELECT sum(val) AS whole, CAST(0.1 AS DECIMAL(5, 2)) AS share, DATE '2025-01-02' AS day, [1, 2] AS list, NULL AS none, scen AS \"my scen\" FROM good WHERE scen = 'C' GROUP BY scen", catalog.Limits{Rows: 5, Time: 5 * time.Second})
		if err != nil || fmt.Sprint(r.Columns, r.Rows) != "[whole share day list none my scen] [[2 0.10 2025-01-02 [1, 2]  C]]" {
			t.Errorf("%+v, %v", r, err)
		}
	})
	for _, id := range []string{"good", "marks"} {
		t.Run("R-065 both backends leave out what is missing in "+id, func(t *testing.T) {
			t.Parallel()
			for _, b := range []catalog.Backend{d, &catalog.Memory{Catalog: c}} {
				totals, err := b.Totals(t.Context(), chart(t, c, id), 0)
				want := map[string]string{"good": "[{A  1 1} {C  1 2}]", "marks": "[{A  1 3}]"}[id]
				if got := fmt.Sprint(totals); err != nil || got != want {
					t.Errorf("%s: %s, %v; want %s", b.Name(), got, err, want)
				}
			}
		})
	}
}

// BenchmarkTotals adds up a set of CSVs of about REPORT_BENCH_MB megabytes (default
// 48) with both backends.
func BenchmarkTotals(b *testing.B) {
	mb, err := strconv.Atoi(os.Getenv("REPORT_BENCH_MB"))
	if err != nil {
		mb = 48
	}
	const charts, perMB = 4, 9_500
	rows := mb * perMB / charts
	dir := b.TempDir()
	for i := range charts {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("chart_%d.csv", i)))
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintln(f, "scen,region,fuel,unit,2025,2026,2027,2028,2029,2030,2035,2040,2045,2050")
		for r := range rows {
			fmt.Fprintf(f, "S%d,region %d,fuel %d,PJ", r%3, r%977, r%41)
			for y := range 10 {
				fmt.Fprintf(f, ",%d.%02d", (r*7+y*13)%90000, (r+y)%100)
			}
			fmt.Fprintln(f)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	c := open(b, dir)
	for _, backend := range []catalog.Backend{&catalog.Memory{Catalog: c}, duck(b, c)} {
		b.Run(backend.Name(), func(b *testing.B) {
			for b.Loop() {
				for i := range c.Charts {
					if _, err := backend.Totals(b.Context(), &c.Charts[i], 2050); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
