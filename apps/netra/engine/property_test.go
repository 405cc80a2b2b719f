package engine

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var cachar = Place{"Assam", "Cachar"}

// drawSignal makes any valid signal of the last nine days, on whole seconds.
func drawSignal(t *rapid.T) Signal {
	layers := mask(rapid.IntRange(1, 7).Draw(t, "layers")).layers()
	age := time.Duration(rapid.Int64Range(-3600, 9*86400).Draw(t, "age")) * time.Second
	var tags []Tag
	if i := rapid.IntRange(0, len(Tags)).Draw(t, "tag"); i < len(Tags) {
		tags = append(tags, Tags[i])
	}
	return Signal{State: cachar.State, District: cachar.District, EventSummary: rapid.StringMatching(`[a-z]{3,8}`).Draw(t, "summary"),
		Timestamp: refTime.Add(-age), RiskLayers: layers, GeoSensitivity: tags,
		Polarity: rapid.SampledFrom(polarities[:]).Draw(t, "polarity"), Severity: rapid.IntRange(1, 5).Draw(t, "severity")}
}

func drawSignals(t *rapid.T, n int) []Signal {
	return rapid.SliceOfN(rapid.Custom(drawSignal), 0, n).Draw(t, "signals")
}

func drawWindow(t *rapid.T) Window { return rapid.SampledFrom(Windows[:]).Draw(t, "window") }

func mustCompute(t *rapid.T, signals []Signal, w Window) Score {
	s, err := Default().Compute(cachar, signals, w, refTime)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPropertyEmptyWindow(t *testing.T) {
	t.Parallel()
	t.Run("N-099", rapid.MakeCheck(func(t *rapid.T) {
		w := drawWindow(t)
		var old []Signal
		for _, s := range drawSignals(t, 5) {
			s.Timestamp = refTime.Add(-w.Duration() - 73*time.Hour)
			old = append(old, s)
		}
		s := mustCompute(t, old, w)
		if s.Composite != 0 || s.Threshold.Label != "BASELINE" || s.PrimaryTrigger != "none" || s.Trend != "stable" || s.SignalCount != 0 ||
			s.Peak != nil || s.WeakestLink != nil || s.Rationale == "" || s.Disclaimer != Disclaimer {
			t.Fatalf("empty window gives %+v", s)
		}
	}))
}

func TestPropertyComposite(t *testing.T) {
	t.Parallel()
	t.Run("N-100", rapid.MakeCheck(func(t *rapid.T) {
		e := Default()
		layer := rapid.Float64Range(0, 10)
		a := [3]float64{layer.Draw(t, "c"), layer.Draw(t, "n"), layer.Draw(t, "p")}
		b := a
		i := rapid.IntRange(0, 2).Draw(t, "which")
		b[i] = rapid.Float64Range(a[i], 10).Draw(t, "more")
		lo, hi := e.composite(a), e.composite(b)
		if lo > hi {
			t.Fatalf("%v scores %v, %v scores %v", a, lo, b, hi)
		}
		if round2(lo) < 0.67 || round2(hi) > 99.33 {
			t.Fatalf("out of bounds: %v, %v", lo, hi)
		}
	}))
}

func TestPropertyStabilising(t *testing.T) {
	t.Parallel()
	t.Run("N-101", rapid.MakeCheck(func(t *rapid.T) {
		signals, w := drawSignals(t, 12), drawWindow(t)
		calm := drawSignal(t)
		calm.Polarity = Stabilizing
		before, after := mustCompute(t, signals, w), mustCompute(t, append(slices.Clone(signals), calm), w)
		for _, l := range Layers {
			if after.Layer(l) > before.Layer(l) {
				t.Fatalf("a stabilising signal raised %s from %v to %v", l, before.Layer(l), after.Layer(l))
			}
		}
	}))
}

func TestPropertyAge(t *testing.T) {
	t.Parallel()
	t.Run("N-102", rapid.MakeCheck(func(t *rapid.T) {
		s, p := drawSignal(t), Defaults()
		young := rapid.Float64Range(0, 168).Draw(t, "young")
		old := rapid.Float64Range(young, 168).Draw(t, "old")
		if math.Abs(p.Weight(&s, old)) > math.Abs(p.Weight(&s, young)) {
			t.Fatalf("at %v hours it weighs more than at %v", old, young)
		}
		s.Polarity = Escalatory
		scored := func(hours float64) float64 {
			s := s
			s.Timestamp = refTime.Add(-time.Duration(hours * float64(time.Hour)))
			got := mustCompute(t, []Signal{s}, Week)
			return got.LayerScores.Cognitive + got.LayerScores.Network + got.LayerScores.Physical
		}
		if a, b := scored(young), scored(old); b > a {
			t.Fatalf("%v hours old it scores %v, %v hours old %v", young, a, old, b)
		}
	}))
}

func TestPropertyReferenceTime(t *testing.T) {
	t.Parallel()
	t.Run("N-103", rapid.MakeCheck(func(t *rapid.T) {
		signals, w := drawSignals(t, 12), drawWindow(t)
		shift := time.Duration(rapid.Int64Range(-1e8, 1e8).Draw(t, "shift")) * time.Second
		moved := slices.Clone(signals)
		for i := range moved {
			moved[i].Timestamp = moved[i].Timestamp.Add(shift)
		}
		a := mustCompute(t, signals, w)
		b, err := Default().Compute(cachar, moved, w, refTime.Add(shift))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
			t.Fatalf("the same signals at the same distance score differently:\n%s", diff)
		}
		if !a.Timestamp.Equal(refTime) || !b.Timestamp.Equal(refTime.Add(shift)) {
			t.Fatalf("the scores are of %s and %s", a.Timestamp, b.Timestamp)
		}
	}))
}

// close compares scores made in different orders of addition.
var closely = cmp.Options{cmpopts.EquateApprox(0, 0.011)}

func TestPropertyOneAnswer(t *testing.T) {
	t.Parallel()
	t.Run("N-085 batch and live agree with compute", rapid.MakeCheck(func(t *rapid.T) {
		signals, w := drawSignals(t, 40), drawWindow(t)
		want := mustCompute(t, signals, w)
		c, d := &Columns{Places: []Place{cachar}}, Default().NewLive(cachar)
		for i := range signals {
			if err := c.Append(&signals[i]); err != nil {
				t.Fatal(err)
			}
			if err := d.Add(signals[i]); err != nil {
				t.Fatal(err)
			}
		}
		batch, err := Default().Batch(c, w, refTime, func(row int) *Signal { return &signals[row] })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, batch[0]); diff != "" {
			t.Fatalf("batch differs:\n%s", diff)
		}
		d.Expire(refTime)
		live, err := d.Score(w, refTime)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(stripText(want), stripText(live), closely); diff != "" {
			t.Fatalf("live differs:\n%s", diff)
		}
	}))
}

// stripText drops the sentences, whose last digits follow the order of addition, and
// the link, which may tie.
func stripText(s Score) Score {
	s.Rationale, s.WeakestLink, s.Change, s.Health = "", nil, Change{}, nil
	return s
}

func TestPropertyWeakestLink(t *testing.T) {
	t.Parallel()
	t.Run("N9 matches trying every signal", rapid.MakeCheck(func(t *rapid.T) {
		signals, w := drawSignals(t, 15), drawWindow(t)
		s := mustCompute(t, signals, w)
		_, band := BandOf(s.Composite)
		bestBand, bestMove := false, 0.0
		for i := range signals {
			rest := mustCompute(t, slices.Delete(slices.Clone(signals), i, i+1), w)
			_, b := BandOf(rest.Composite)
			move := math.Abs(rest.Composite - s.Composite)
			if (b != band) == bestBand && move > bestMove || b != band && !bestBand {
				bestBand, bestMove = b != band, move
			}
		}
		switch {
		case s.WeakestLink == nil && bestMove > 0.011:
			t.Fatalf("no link, but one removal moves by %v", bestMove)
		case s.WeakestLink != nil && s.WeakestLink.ChangesBand != bestBand:
			t.Fatalf("link changes band: %v, want %v", s.WeakestLink.ChangesBand, bestBand)
		case s.WeakestLink != nil && math.Abs(math.Abs(s.WeakestLink.ScoreWithout-s.Composite)-bestMove) > 0.011:
			t.Fatalf("link moves to %v from %v, the best move is %v", s.WeakestLink.ScoreWithout, s.Composite, bestMove)
		}
	}))
}

func TestPropertyExplained(t *testing.T) {
	t.Parallel()
	t.Run("N-003 N-059 N-071 N-073 N-077 every score explains itself", rapid.MakeCheck(func(t *rapid.T) {
		s := mustCompute(t, drawSignals(t, 12), drawWindow(t))
		if s.Rationale == "" || s.Disclaimer != Disclaimer || s.Version == "" || s.Action == "" || len(s.Top) != min(3, s.SignalCount) {
			t.Fatalf("unexplained: %+v", s)
		}
		for i := 1; i < len(s.Top); i++ {
			if s.Top[i].Weight > s.Top[i-1].Weight {
				t.Fatalf("top signals out of order: %+v", s.Top)
			}
		}
	}))
}

func TestPropertyDecayTable(t *testing.T) {
	t.Parallel()
	t.Run("N-011 the table is the formula", rapid.MakeCheck(func(t *rapid.T) {
		p := Defaults()
		p.DecayPerDay = rapid.Float64Range(0, 10).Draw(t, "decay")
		p.RecencyFloor = rapid.Float64Range(0, 1).Draw(t, "floor")
		age := rapid.Int64Range(0, 2*horizon).Draw(t, "age")
		got, want := newDecay(p).at(age), p.Recency(float64(age)/float64(microsPerHour))
		if math.Abs(got-want) > 1e-12*want {
			t.Fatalf("at %d µs the table gives %v, the formula %v", age, got, want)
		}
	}))
}
