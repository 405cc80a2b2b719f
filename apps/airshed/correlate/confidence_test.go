package correlate

import (
	"math"
	"slices"
	"testing"

	"dossier/apps/airshed/observe"

	"pgregory.net/rapid"
)

var all = Availability{true, true, true}

func TestScore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		a     Availability
		fires int
		km    float64
		want  float64
	}{
		{"A-092 everything there", all, 450, 85.3, 100},
		{"A-084 A-093 without NASA", Availability{true, false, true}, 0, 0, 60},
		{"A-088 A-093 without DSS", Availability{true, true, false}, 450, 85, 80},
		{"A-093 without both", Availability{true, false, false}, 0, 0, 40},
		{"A-094 49 fires", all, 49, 85, 90},
		{"A-094 50 fires", all, 50, 85, 100},
		{"A-095 150 km", all, 60, 150, 100},
		{"A-095 over 150 km", all, 60, 150.01, 90},
		{"A4 read but empty costs 10", all, 0, 0, 90},
		{"A-094 A-095 few and far", all, 10, 180, 80},
		{"A-093 few, far, no DSS", Availability{true, true, false}, 10, 180, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Score(c.a, c.fires, c.km, Defaults())
			if got.Score != c.want {
				t.Errorf("score = %v, want %v: %+v", got.Score, c.want, got.Terms)
			}
		})
	}
	t.Run("A-096 the floor holds and is a term", func(t *testing.T) {
		t.Parallel()
		r := Defaults()
		r.NASAMissing = 90
		got := Score(Availability{CPCB: true}, 0, 0, r)
		if last := got.Terms[len(got.Terms)-1]; got.Score != 30 || last.Name != "floor" || last.Points != 40 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("A4 without a fire near the distance is not assessable", func(t *testing.T) {
		t.Parallel()
		terms := Score(all, 0, 0, Defaults()).Terms
		if terms[3].Status != Applied || terms[4].Status != NotAssessable || terms[4].Why != "Without fires there is no distance." {
			t.Errorf("%+v", terms)
		}
	})
	t.Run("A4 without NASA the fire terms are not assessable", func(t *testing.T) {
		t.Parallel()
		for _, term := range Score(Availability{true, false, true}, 0, 0, Defaults()).Terms[3:5] {
			if term.Status != NotAssessable || term.Points != 0 {
				t.Errorf("%+v", term)
			}
		}
	})
}

func TestScoreProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Availability{true, rapid.Bool().Draw(t, "nasa"), rapid.Bool().Draw(t, "dss")}
		fires, km := rapid.IntRange(0, 1000).Draw(t, "fires"), rapid.Float64Range(0, 200).Draw(t, "km")
		c := Score(a, fires, km, Defaults())
		if c.Score < 30 || c.Score > 100 {
			t.Fatalf("score %v", c.Score)
		}
		if math.Mod(c.Score, 10) != 0 { // A5: 95 cannot be reached
			t.Fatalf("score %v is not a multiple of ten", c.Score)
		}
		sum := 0.0
		for _, term := range c.Terms {
			sum += term.Points
		}
		if sum != c.Score {
			t.Fatalf("the terms add up to %v, the score is %v", sum, c.Score)
		}
	})
}

func TestAssess(t *testing.T) {
	t.Parallel()
	one := []observe.Reading{reading("Alipur", 1, noon)}
	for _, c := range []struct {
		name string
		s    observe.Snapshot
		want Availability
	}{
		{"A-132 A-035 all", observe.Snapshot{Readings: one, Fires: []observe.Fire{{}}, Share: &observe.Share{}}, all},
		{"A-085 NASA missing", observe.Snapshot{Readings: one, Share: &observe.Share{}}, Availability{true, false, true}},
		{"A4 NASA empty is there", observe.Snapshot{Readings: one, Fires: []observe.Fire{}, Share: &observe.Share{}}, all},
		{"A-089 DSS missing", observe.Snapshot{Readings: one, Fires: []observe.Fire{}}, Availability{true, true, false}},
		{"A-079 CPCB missing", observe.Snapshot{}, Availability{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Assess(c.s); got != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func states(counts ...int) Correlation {
	names := []string{"Haryana", "Punjab", "Uttar Pradesh"}
	var c Correlation
	for i, n := range counts {
		c.States = append(c.States, StateFires{State: names[i], FireCount: n, AvgDistanceKm: 100 + 30*float64(i), IsHighContribution: n > 100, Districts: []string{"Jind"}})
		c.AvgDistanceKm = (c.AvgDistanceKm*float64(c.FireCount) + (100+30*float64(i))*float64(n)) / float64(c.FireCount+n)
		c.FireCount += n
	}
	return c
}

func TestConclude(t *testing.T) {
	t.Parallel()
	r := Defaults()
	home := Correlation{States: []StateFires{{State: "NCT of Delhi", FireCount: 400, IsHighContribution: true}}, FireCount: 400}
	for _, c := range []struct {
		name string
		a    Availability
		c    Correlation
		want Conclusion
	}{
		{"a high contributor", all, states(101, 3), Primary},
		{"A3 100 is not high", all, states(100), Possible},
		{"nothing near", all, Correlation{}, NoSource},
		{"no fire data", Availability{true, false, true}, Correlation{}, Unknown},
		{"the home state's own fires are no neighbour's", all, home, NoSource},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Conclude(c.a, c.c, r); got != c.want {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	got := Without(all, states(120, 20), Defaults())
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	if h := got[0]; h.State != "Haryana" || h.FireCount != 20 || h.AvgDistanceKm != 130 || h.Confidence != 90 || h.Conclusion != Possible || len(h.Changes) != 2 {
		t.Errorf("without Haryana: %+v", h)
	}
	if p := got[1]; p.FireCount != 120 || p.AvgDistanceKm != 100 || p.Conclusion != Primary || len(p.Changes) != 0 {
		t.Errorf("without Punjab: %+v", p)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	r := Defaults()
	s := Surge{BorderStation: BorderStation{Name: "Alipur", AQI: 450}}
	got := Links(s, all, states(103), r)
	if w := got[0]; w.Fact != "the fires counted in Haryana" || w.Margin != 3 || w.Percent != 2.9 || w.Flips != "no state would be a high contributor" {
		t.Errorf("weakest %+v", w)
	}
	s.AQI = 301
	if w := Links(s, all, states(450), r)[0]; w.Margin != 1 || w.Flips != "there would be no surge to report" {
		t.Errorf("weakest %+v", w)
	}
	if w := Links(Surge{BorderStation: BorderStation{AQI: 500}}, all, states(99), r)[0]; w.Margin != 2 || w.Flips != "Haryana would be a high contributor" {
		t.Errorf("weakest %+v", w)
	}
}

func TestComparePollutantsA140(t *testing.T) {
	t.Parallel()
	var series []BorderStation
	var before []int
	for i := range 8 {
		b := BorderStation{AQI: 300, Time: at(i)}
		b.Set(observe.PM25, 100+20*float64(i))
		b.Set(observe.NO2, 50)
		series, before = append(series, b), append(before, 10*i)
	}
	s := Surge{BorderStation: series[7]}
	lines := ComparePollutants(s, series, before)
	if len(lines) != 4 {
		t.Fatalf("%d lines", len(lines))
	}
	pm := lines[0]
	if *pm.Level != 240 || *pm.Times != 4 || *pm.SubIndex != 392 || pm.Category != "Very poor" || *pm.WithFires != 1 || pm.SampleSize != 8 {
		t.Errorf("pm25 %+v", pm)
	}
	if no2 := lines[2]; no2.WithFires != nil || *no2.SubIndex != 63 {
		t.Errorf("a pollutant that never changes correlates with nothing: %+v", no2)
	}
	if so2 := lines[3]; so2.Level != nil || so2.SubIndex != nil || so2.SampleSize != 0 {
		t.Errorf("so2 %+v", so2)
	}
	few := ComparePollutants(s, series[:5], before[:5])
	if few[0].WithFires != nil {
		t.Error("five readings are too few")
	}
}

func TestRulesValidate(t *testing.T) {
	t.Parallel()
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Rules){
		"threshold": func(r *Rules) { r.SurgeAQI = -1 }, "radius": func(r *Rules) { r.RadiusKm = 0 },
		"window": func(r *Rules) { r.Window = 0 }, "floor": func(r *Rules) { r.MinConfidence = 101 },
		"penalty": func(r *Rules) { r.DSSMissing = -1 }, "shares": func(r *Rules) { r.ContraryShare = 0.9 },
		"count": func(r *Rules) { r.HighFires = -1 }, "sector": func(r *Rules) { r.SectorDegrees = 0 },
	} {
		r := Defaults()
		spoil(&r)
		if r.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestDefaultsOfTheDesign(t *testing.T) {
	t.Parallel()
	r := Defaults()
	got := []float64{r.SurgeAQI, r.RadiusKm, float64(r.HighFires), r.MinConfidence, r.NASAMissing, r.DSSMissing, r.LowFires, float64(r.LowFireCount), r.FarFires, r.FarKm, r.Window.Hours()}
	// A-097 A-098 A-099 A-100 A-101 A-102 A-103 A-104 A-105
	if want := []float64{300, 200, 100, 30, 40, 20, 10, 50, 10, 150, 48}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	var names []string
	for _, s := range Stations() {
		names = append(names, s.Name+"/"+s.Border)
	}
	if want := []string{"Alipur/Haryana", "Anand Vihar/UP", "Dwarka/Haryana", "Rohini/Haryana"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
}
