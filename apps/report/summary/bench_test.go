package summary_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"dossier/apps/report/catalog"
	"dossier/apps/report/summary"
)

// benchmarkRun reads a folder of n charts and summarises every one.
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
	before := used(b)
	b.ResetTimer()
	for b.Loop() {
		c, err := catalog.Open(context.Background(), dir)
		if err != nil {
			b.Fatal(err)
		}
		summarise(b, c)
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
	after := used(b)
	b.ReportMetric(float64(after.Maxrss)/1024, "MB-max-resident")
	spent := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(spent)/1e9/float64(b.N), "cpu-s/op")
}

// used returns what the process has taken so far.
func used(b *testing.B) syscall.Rusage {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u
}

// summarise works through the charts as sections written at the same time do: each
// worker holds one chart.
func summarise(b *testing.B, c *catalog.Catalog) {
	b.Helper()
	m := &catalog.Memory{Catalog: c}
	var wg sync.WaitGroup
	next := make(chan *catalog.Chart)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for ch := range next {
				t, err := m.Table(context.Background(), ch)
				if err != nil {
					b.Error(err)
				} else if s := summary.Of(ch, t); len(s.Summary.KeyInsights) == 0 {
					b.Error("a chart says nothing")
				}
			}
		})
	}
	for i := range c.Charts {
		next <- &c.Charts[i]
	}
	close(next)
	wg.Wait()
}

func BenchmarkRun51(b *testing.B)    { benchmarkRun(b, 51) }
func BenchmarkRun10000(b *testing.B) { benchmarkRun(b, 10_000) }
