package netra

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"dossier/apps/netra/ingest"
)

// BenchmarkRiskScore answers GET /risk-score over a board of 133 districts. Hot is the
// default, where a score is given again for two seconds; cold computes each time.
func BenchmarkRiskScore(b *testing.B) {
	for _, c := range []struct {
		name string
		hot  time.Duration
	}{{"hot", 2 * time.Second}, {"cold", 0}} {
		b.Run(c.name, func(b *testing.B) {
			p := newProduct(b, func(cfg *Config) { cfg.Hot = c.hot })
			if err := p.demo(b.Context()); err != nil {
				b.Fatal(err)
			}
			names := []string{"Churachandpur", "Cachar", "Mon", "Dhalai", "Tirap"}
			var n atomic.Int64
			h := p.Handler()
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/risk-score/"+names[n.Add(1)%5], nil))
					if w.Code != http.StatusOK {
						b.Errorf("answered %d", w.Code)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// BenchmarkIngest takes one report all the way: redacted, classified, stored, three
// windows scored and stored.
func BenchmarkIngest(b *testing.B) {
	p := newProduct(b, nil)
	runtime.GC()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		p.Clock.Add(25 * time.Hour)
		if _, err := p.ingestRows(b.Context(), []ingest.Row{p.report(1, "Bandh called on NH-37")}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
