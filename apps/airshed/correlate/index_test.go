package correlate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// scan is Correlate without an index: every fire is measured against every surge.
func scan(fires []observe.Fire, surges []Surge, r Rules) []Correlation {
	type span struct {
		first, last time.Time
		ok          bool
	}
	spans := make([]span, len(fires))
	for i, f := range fires {
		first, last, ok := f.Span()
		spans[i] = span{first, last, ok}
	}
	out := make([]Correlation, len(surges))
	for i, s := range surges {
		from, to := s.Time.Add(-r.Window).Truncate(time.Minute), s.Time.Truncate(time.Minute)
		ix := &index{}
		ids := map[group]int{}
		var tallies []tally
		c := Correlation{}
		for k := range fires {
			f := &fires[k]
			km := geo.Km(f.Point, s.Point)
			if km > r.RadiusKm {
				continue
			}
			if !spans[k].ok {
				c.Undated++
				continue
			}
			if spans[k].first.After(to) || spans[k].last.Before(from) {
				continue
			}
			g := group{f.State, f.District}
			id, ok := ids[g]
			if !ok {
				id = len(tallies)
				ids[g] = id
				ix.groups = append(ix.groups, g)
				tallies = append(tallies, tally{nearest: math.Inf(1)})
			}
			t := &tallies[id]
			t.count++
			t.km += km
			t.nearest = min(t.nearest, km)
			c.Fires = append(c.Fires, int32(k))
		}
		c.FireCount = len(c.Fires)
		ix.gather(&c, tallies, r)
		out[i] = c
	}
	return out
}

func TestIndexAgreesWithScan(t *testing.T) {
	t.Parallel()
	states := []string{"Haryana", "Punjab", "UP", "Uttar Pradesh", ""}
	rapid.Check(t, func(t *rapid.T) {
		r := Defaults()
		r.RadiusKm = rapid.SampledFrom([]float64{5, 200, 900}).Draw(t, "radius")
		centre := geo.Point{Lat: rapid.SampledFrom([]float64{28.7, 0, -60, 88}).Draw(t, "lat"), Lon: rapid.SampledFrom([]float64{77.1, 179.6, -179.9, 0}).Draw(t, "lon")}
		at := time.Date(2025, 11, 14, 8, 0, 0, 0, time.UTC)
		var surges []Surge
		for range rapid.IntRange(1, 3).Draw(t, "surges") {
			surges = append(surges, Surge{BorderStation: BorderStation{Point: centre, Time: at.Add(time.Duration(rapid.IntRange(0, 72).Draw(t, "later")) * time.Hour)}})
		}
		var fires []observe.Fire
		for range rapid.IntRange(0, 60).Draw(t, "fires") {
			f := observe.Fire{
				Point:    geo.Travel(centre, rapid.Float64Range(0, 360).Draw(t, "bearing"), rapid.Float64Range(0, r.RadiusKm*1.3).Draw(t, "km")),
				AcqDate:  rapid.SampledFrom([]string{"2025-11-10", "2025-11-12", "2025-11-13", "2025-11-14", "2025-11-15", "2025-11-31", ""}).Draw(t, "date"),
				AcqTime:  rapid.SampledFrom([]string{"", "0000", "0800", "0801", "2359"}).Draw(t, "time"),
				State:    rapid.SampledFrom(states).Draw(t, "state"),
				District: rapid.SampledFrom([]string{"", "Jind", "Karnal"}).Draw(t, "district"),
			}
			fires = append(fires, f)
		}
		got, want := Correlate(fires, surges, r), scan(fires, surges, r)
		for i := range got {
			slices.Sort(got[i].Fires)
		}
		// The two sum in different orders and may spell a state by another of its fires.
		opts := []cmp.Option{cmpopts.EquateApprox(1e-9, 1e-6), cmpopts.EquateEmpty(), cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".State" }, cmp.Comparer(func(a, b string) bool { return observe.StateKey(a) == observe.StateKey(b) }))}
		if diff := cmp.Diff(want, got, opts...); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDayNumber(t *testing.T) {
	t.Parallel()
	for day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2105; day = day.AddDate(0, 0, 1) {
		got, ok := dayNumber(day.Format(time.DateOnly))
		if want := int32(day.Unix() / 86400); !ok || got != want {
			t.Fatalf("%s = %d, want %d", day.Format(time.DateOnly), got, want)
		}
	}
	for _, bad := range []string{"", "2025-02-29", "2025-13-01", "2025-00-10", "2025-01-00", "2025-1-1", "2025/01/01", "1969-12-31", "abcd-ef-gh"} {
		if n, ok := dayNumber(bad); ok {
			t.Errorf("%q = %d", bad, n)
		}
	}
}

// season makes n fires over 60 days: three in four within the belt from the Ravi to
// the Yamuna, where they are in truth, the others over the rest of India.
func season(n int, days int) []observe.Fire {
	rnd := rand.New(rand.NewPCG(7, 11))
	states := []string{"Haryana", "Punjab", "Uttar Pradesh", "Rajasthan"}
	var districts [4][20]string
	for s := range districts {
		for d := range districts[s] {
			districts[s][d] = fmt.Sprintf("%s %d", states[s], d)
		}
	}
	first := time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC)
	dates := make([]string, days)
	for d := range dates {
		dates[d] = first.AddDate(0, 0, d).Format(time.DateOnly)
	}
	clocks := make([]string, 24*60)
	for m := range clocks {
		clocks[m] = fmt.Sprintf("%02d%02d", m/60, m%60)
	}
	out := make([]observe.Fire, n)
	for i := range out {
		p := geo.Point{Lat: 8 + rnd.Float64()*25, Lon: 69 + rnd.Float64()*26}
		if rnd.IntN(4) > 0 {
			p = geo.Point{Lat: 28 + rnd.Float64()*4.5, Lon: 73.5 + rnd.Float64()*4.5}
		}
		s := rnd.IntN(len(states))
		out[i] = observe.Fire{
			Point: p, Brightness: 320, Confidence: 60, AcqDate: dates[rnd.IntN(days)], AcqTime: clocks[rnd.IntN(len(clocks))],
			State: states[s], District: districts[s][rnd.IntN(20)],
		}
	}
	return out
}

func stations40(days int) []Surge {
	rnd := rand.New(rand.NewPCG(3, 5))
	out := make([]Surge, 40)
	for i := range out {
		out[i].Point = geo.Point{Lat: 28.4 + rnd.Float64()*0.5, Lon: 76.9 + rnd.Float64()*0.5}
		out[i].Time = time.Date(2025, 10, 3, 0, 0, 0, 0, time.UTC).Add(time.Duration(rnd.IntN(max(1, days-2)*24)) * time.Hour)
	}
	return out
}

var sink []Correlation

// A season of a million fires, 40 stations with surges spread over it.
func BenchmarkCorrelate(b *testing.B) { compare(b, 60) }

// The worst case: a million fires in the very two days before 40 surges.
func BenchmarkCorrelateTwoDays(b *testing.B) { compare(b, 2) }

// compare measures the index beside the scan over a million fires of some days.
func compare(b *testing.B, days int) {
	fires, surges := season(1_000_000, days), stations40(days)
	measure := func(by func([]observe.Fire, []Surge, Rules) []Correlation) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = by(fires, surges, Defaults())
			}
		}
	}
	b.Run("index", measure(Correlate))
	b.Run("scan", measure(scan))
}
