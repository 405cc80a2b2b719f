package engine

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dossier"
)

var fremont = Place{37.495, -121.941}

func lives(id string, from Place, basis Basis) DistanceFact {
	return DistanceFact{Employee: id, Vanpool: "VP-101", Basis: basis, From: from, Method: Estimated, Threshold: 50}.Measure(fremont, 0)
}

func TestJudgeDistances(t *testing.T) {
	t.Parallel()
	near, far := Place{37.339, -121.895}, Place{34.079, -118.264} // San José, Los Angeles
	for _, c := range []struct {
		name       string
		facts      []DistanceFact
		verdict    dossier.Verdict
		confidence int
		failing    []string
	}{
		{"P-025 all within 50 miles", []DistanceFact{lives("EMP-1", near, ByCoordinates)}, dossier.Pass, 5, nil},
		{"P-026 Los Angeles by ZIP", []DistanceFact{lives("EMP-1", near, ByCoordinates), lives("EMP-1234", far, ByZIP)}, dossier.Fail, 4, []string{"EMP-1234"}},
		{"P10 a ZIP that does not decide costs nothing", []DistanceFact{lives("EMP-1", near, ByZIP), lives("EMP-2", far, ByCoordinates)}, dossier.Fail, 5, []string{"EMP-2"}},
		{"P10 unknown home", []DistanceFact{lives("EMP-1", near, ByCoordinates), {Employee: "EMP-2", Basis: ByNothing}}, dossier.Unclear, 2, []string{"EMP-2"}},
		{"P10 empty van", nil, dossier.Pass, 5, nil},
		{"P10 the threshold itself is allowed", []DistanceFact{{Employee: "EMP-1", Basis: ByCoordinates, Distance: 50}}, dossier.Pass, 4, nil},
		{"P10 a hundredth more is not", []DistanceFact{{Employee: "EMP-1", Basis: ByCoordinates, Distance: 50.01}}, dossier.Fail, 4, []string{"EMP-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := JudgeDistances(c.facts, 50)
			if got.Verdict != c.verdict || got.Confidence != c.confidence || !slices.Equal(got.Failing(), c.failing) {
				t.Errorf("got %s (%d) %v, want %s (%d) %v: %s", got.Verdict, got.Confidence, got.Failing(), c.verdict, c.confidence, c.failing, got.Reason)
			}
		})
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	t.Run("P10 great circle times 1.2, both figures kept", func(t *testing.T) {
		t.Parallel()
		f := lives("EMP-1234", Place{34.079, -118.264}, ByZIP)
		if math.Abs(f.GreatCircle-313.5) > 1 || f.Distance != hundredth(f.GreatCircle*1.2) && math.Abs(f.Distance-f.GreatCircle*1.2) > 0.02 || f.Routed != 0 {
			t.Errorf("got %+v, want about 313 miles and 1.2 times that", f)
		}
	})
	t.Run("P10 a routed distance decides and the estimate stays", func(t *testing.T) {
		t.Parallel()
		f := DistanceFact{Employee: "EMP-1", Basis: ByCoordinates, From: Place{37.339, -121.895}, Method: "osrm"}.Measure(fremont, 61.234)
		if f.Distance != 61.23 || f.Routed != 61.23 || f.GreatCircle < 10 || f.GreatCircle > 12 {
			t.Errorf("got %+v", f)
		}
	})
}

func TestRecheckDistances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var facts []DistanceFact
		for range rapid.IntRange(0, 6).Draw(t, "riders") {
			f := DistanceFact{
				Employee: "EMP-1", Vanpool: "VP-101", Method: Estimated, Threshold: 50,
				Basis: rapid.SampledFrom([]Basis{ByCoordinates, ByZIP, ByNothing}).Draw(t, "basis"),
				From:  Place{rapid.Float64Range(36, 39).Draw(t, "lat"), rapid.Float64Range(-123, -120).Draw(t, "lng")},
			}
			facts = append(facts, f.Measure(fremont, rapid.SampledFrom([]float64{0, 12.5, 70}).Draw(t, "routed")))
		}
		want := JudgeDistances(facts, 50).Finding()
		got, err := RecheckDistances(DistanceEvidence(PickupFact{"VP-101", fremont, 50}, facts, time.Unix(0, 0)))
		if err != nil || got.Verdict != want.Verdict || string(got.Figures) != string(want.Figures) {
			t.Fatalf("got %+v %v, want %+v", got, err, want)
		}
	})
}
