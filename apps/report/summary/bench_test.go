package summary_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dossier/apps/report/catalog"
	"dossier/apps/report/summary"
)

// benchmarkRun reads a folder of n charts and summarises every one, holding one chart
// at a time.
func benchmarkRun(b *testing.B, n int) {
	dir := b.TempDir()
	for i := range n {
		var s strings.Builder
		s.WriteString("scen,fuel,unit,2025,2026,2027,2028,2029,2030,2035,2040,2045,2050\n")
		for r := range 24 {
			fmt.Fprintf(&s, "S%d,fuel %d,PJ", r%3, r/3)
			for y := range 10 {
				fmt.Fprintf(&s, ",%d.%02d", (i+r*7+y*13)%900, (i*r+y)%100)
			}
			s.WriteByte('\n')
		}
		name := filepath.Join(dir, fmt.Sprintf("category_%02d", i/100), fmt.Sprintf("chart_%05d.csv", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(s.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		c, err := catalog.Open(context.Background(), dir)
		if err != nil {
			b.Fatal(err)
		}
		m := &catalog.Memory{Catalog: c}
		for i := range c.Charts {
			t, err := m.Table(context.Background(), &c.Charts[i])
			if err != nil {
				b.Fatal(err)
			}
			if s := summary.Of(&c.Charts[i], t); len(s.Summary.KeyInsights) == 0 {
				b.Fatal("a chart says nothing")
			}
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun51(b *testing.B)    { benchmarkRun(b, 51) }
func BenchmarkRun10000(b *testing.B) { benchmarkRun(b, 10_000) }
