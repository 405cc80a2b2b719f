package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// benchColumns makes n signals over 800 districts and the last seven days.
func benchColumns(n int) *Columns {
	r := rand.New(rand.NewPCG(1, 2))
	c := &Columns{}
	for i := range 800 {
		c.Places = append(c.Places, Place{fmt.Sprintf("State %02d", i/25), fmt.Sprintf("District %03d", i)})
	}
	c.Grow(n)
	for range n {
		s := Signal{Severity: 1 + r.IntN(5), Polarity: polarities[r.IntN(3)], RiskLayers: mask(1 + r.IntN(7)).layers()}
		if k := r.IntN(8); k < len(Tags) {
			s.GeoSensitivity = []Tag{Tags[k]}
		}
		c.appendRow(uint16(r.IntN(800)), refTime.UnixMicro()-r.Int64N(horizon), codeOf(&s))
	}
	return c
}

// BenchmarkBatch scores 800 districts from columns over the widest window.
func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("signals=%d", n), func(b *testing.B) {
			c := benchColumns(n)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				if _, err := Default().Batch(c, Week, refTime, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/signal")
			b.ReportMetric(float64(n*12)/1e6, "MB-columns")
		})
	}
}

// BenchmarkArrival adds one signal to a district that holds 12,500 and scores it: the
// share of one district in ten million over 800.
func BenchmarkArrival(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, w := range Windows {
		b.Run(w.String(), func(b *testing.B) {
			d := Default().NewLive(cachar)
			add := func(age time.Duration) {
				if err := d.Add(Signal{State: cachar.State, District: cachar.District, EventSummary: "Bandh called by several groups", Timestamp: refTime.Add(-age),
					RiskLayers: []Layer{Layers[r.IntN(3)]}, Polarity: polarities[r.IntN(3)], Severity: 1 + r.IntN(5)}); err != nil {
					b.Fatal(err)
				}
			}
			for range 12_500 {
				add(time.Duration(r.Int64N(int64(Week.Duration()))))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				add(time.Duration(r.Int64N(int64(time.Hour))))
				if _, err := d.Score(w, refTime); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCompute scores one district from a slice of signals.
func BenchmarkCompute(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	signals := make([]Signal, 12_500)
	for i := range signals {
		signals[i] = Signal{State: cachar.State, District: cachar.District, EventSummary: "Bandh called", Timestamp: refTime.Add(-time.Duration(r.Int64N(int64(Week.Duration())))),
			RiskLayers: []Layer{Layers[r.IntN(3)]}, Polarity: polarities[r.IntN(3)], Severity: 1 + r.IntN(5)}
	}
	for b.Loop() {
		if _, err := Default().Compute(cachar, signals, Week, refTime); err != nil {
			b.Fatal(err)
		}
	}
}
