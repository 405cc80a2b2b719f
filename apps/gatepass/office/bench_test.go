package office_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
	"dossier/internal/store/storetest"
)

// stored is how many passes lie in the database before the measurements:
// GATEPASS_BENCH_PASSES, or a million.
func stored() int {
	if n, err := strconv.Atoi(os.Getenv("GATEPASS_BENCH_PASSES")); err == nil {
		return n
	}
	return 1_000_000
}

// fillUp writes n old passes, most of them returned.
func fillUp(b *testing.B, o *office.Office, n int) {
	b.Helper()
	const batch = 500
	at := o.Now().Add(-24 * time.Hour).UnixMicro()
	for from := 1; from <= n; from += batch {
		err := o.DB.InTx(b.Context(), func(ctx context.Context) error {
			var rows, words []string
			for i := from; i < min(from+batch, n+1); i++ {
				ord := int64(2025)*10_000_000 + int64(i)
				status := []string{"returned", "returned", "returned", "exited", "rejected"}[i%5]
				rows = append(rows, fmt.Sprintf("(%d, 'pass-f%07x', '%s', 'Person %d', 'bank', 1, '%s', %d, 'bench', %d)", ord, i, pass.Number(2025, i), i, status, at, at))
				words = append(words, fmt.Sprintf("('person', %d), ('p%d', %d)", ord, i, ord))
			}
			if _, err := o.DB.Exec(ctx, `INSERT INTO gatepass_passes (ord, id, number, person, purpose, returnable, status, created_at, created_by, exit_at) VALUES `+strings.Join(rows, ", ")); err != nil {
				return err
			}
			_, err := o.DB.Exec(ctx, `INSERT INTO gatepass_words (word, ord) VALUES `+strings.Join(words, ", "))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// measure times do and reports how many a second and the slowest in a hundred.
func measure(b *testing.B, name string, do func(i int) error) {
	b.Run(name, func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			if err := do(i); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "ops/s")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	})
}

func BenchmarkOffice(b *testing.B) {
	for _, database := range storetest.Databases {
		b.Run(database, func(b *testing.B) {
			o, _ := open(b, database)
			fillUp(b, o, stored())
			ctx := b.Context()
			var made, approved []string
			measure(b, "create", func(i int) error {
				p, err := o.Create(ctx, hana, office.New{Person: fmt.Sprintf("Ravi Kumar %d", i), Purpose: "bank", Returnable: yes()})
				made = append(made, p.Number)
				return err
			})
			measure(b, "approve", func(int) error {
				if len(made) == 0 {
					made = append(made, create(b, o, "More", "bank", yes()).Number)
				}
				n := made[len(made)-1]
				made = made[:len(made)-1]
				approved = append(approved, n)
				_, err := o.Do(ctx, meera, n, office.Move{Op: pass.Approve})
				return err
			})
			measure(b, "scan", func(int) error {
				if len(approved) == 0 {
					approved = append(approved, do(b, o, meera, create(b, o, "More", "bank", yes()), pass.Approve).Number)
				}
				n := approved[len(approved)-1]
				approved = approved[:len(approved)-1]
				_, err := o.Do(ctx, gopal, n, office.Move{Op: pass.Exit})
				return err
			})
			for name, q := range map[string]office.Query{"list": {}, "list-returned": {Status: "returned"}, "list-search": {Search: "p4711"}} {
				measure(b, name, func(int) error { _, err := o.List(ctx, q); return err })
			}
		})
	}
}
