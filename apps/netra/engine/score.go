package engine

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// Disclaimer stands on every score.
const Disclaimer = "Derived from public open-source indicators. Decision support only."

// A Score is the risk score of one district over one window at one time, with its
// explanation. The fields down to Disclaimer are the published output; the rest says
// how far the score can be trusted and never changes it.
type Score struct {
	District          string      `json:"district"`
	State             string      `json:"state"`
	Composite         float64     `json:"score"` // two decimals
	Level             string      `json:"risk_level"`
	Trend             string      `json:"trend"` // rising, stable or falling
	PrimaryTrigger    string      `json:"primary_trigger"`
	SecondaryTriggers []Layer     `json:"secondary_triggers"`
	LayerScores       LayerScores `json:"layer_scores"`
	Top               []Top       `json:"top_contributing_signals"`
	Threshold         Threshold   `json:"threshold"`
	TimeWindow        string      `json:"time_window"`
	SignalCount       int         `json:"signal_count"`
	Timestamp         time.Time   `json:"timestamp"` // the reference time
	Disclaimer        string      `json:"governance_disclaimer"`

	WindowHours     int         `json:"window_hours"`
	TrendArrow      string      `json:"trend_arrow"` // ↑ → ↓
	TrendBasis      string      `json:"trend_basis"` // comparison or insufficient
	Rationale       string      `json:"rationale"`
	Action          string      `json:"action_required"`
	Health          []Health    `json:"health"`
	Peak            *Peak       `json:"peak"`
	Count           int         `json:"count"`
	LayerCounts     LayerCounts `json:"layer_counts"`
	EscalationFloor Threshold   `json:"escalation_floor"` // the band that the peak alone would call for
	WeakestLink     *Link       `json:"weakest_link"`
	Change          Change      `json:"band_change"`
	Version         string      `json:"methodology_version"`
}

// LayerScores are the three layer scores, 0 to 10, two decimals.
type LayerScores struct {
	Cognitive float64 `json:"cognitive"`
	Network   float64 `json:"network"`
	Physical  float64 `json:"physical"`
}

// LayerCounts are the signals in the window by layer. One signal may be in several.
type LayerCounts struct {
	Cognitive int `json:"cognitive"`
	Network   int `json:"network"`
	Physical  int `json:"physical"`
}

// A Threshold is a band as a score shows it. Crossed is true from MONITORING up.
type Threshold struct {
	Label   string `json:"label"`
	Range   string `json:"range"`
	Crossed bool   `json:"crossed"`
}

// A Top is one of the signals that contribute most.
type Top struct {
	EventSummary string    `json:"event_summary"`
	Severity     int       `json:"severity"`
	Timestamp    time.Time `json:"timestamp"`
	SourceType   string    `json:"source_type"`
	Layers       []Layer   `json:"layers"`
	Location     string    `json:"location"`
	Polarity     Polarity  `json:"polarity"`
	Weight       float64   `json:"weight"` // four decimals
	ID           string    `json:"id,omitempty"`
	Sources      int       `json:"sources,omitempty"`
}

// Primary returns the layer that scores highest, and false if none scores.
func (s Score) Primary() (Layer, bool) {
	return Layer(s.PrimaryTrigger), s.PrimaryTrigger != noTrigger
}

// Place returns the district that s is about.
func (s Score) Place() Place { return Place{s.State, s.District} }

// Layer returns the score of one layer.
func (s Score) Layer(l Layer) float64 {
	switch l {
	case Cognitive:
		return s.LayerScores.Cognitive
	case Network:
		return s.LayerScores.Network
	default:
		return s.LayerScores.Physical
	}
}

const noTrigger = "none"

// An Engine scores districts with one set of numbers. Its methods are safe for
// concurrent use.
type Engine struct {
	params  Params
	version string
	decay   *decay
	layer   [3]float64 // weights of the layers, in their order
}

// New returns an engine that uses p.
func New(p Params) (*Engine, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return build(p.Clone()), nil
}

// Default returns an engine with the published numbers.
func Default() *Engine { return published() }

var published = sync.OnceValue(func() *Engine { return build(Defaults()) })

func build(p Params) *Engine {
	e := &Engine{params: p, version: p.Version(), decay: newDecay(p)}
	for i, l := range Layers {
		e.layer[i] = p.LayerWeights[l]
	}
	return e
}

// Params returns a copy of the numbers that e uses.
func (e *Engine) Params() Params { return e.params.Clone() }

// Version names the formulas and numbers that e uses.
func (e *Engine) Version() string { return e.version }

// Compute scores place from the signals that happened there within window before at.
// Signals of other districts and signals later than at are left out.
func (e *Engine) Compute(place Place, signals []Signal, window Window, at time.Time) (Score, error) {
	if !window.Valid() {
		return Score{}, fmt.Errorf("a window is 24, 72 or 168 hours, not %d", int(window))
	}
	var t tally
	now := at.UnixMicro()
	for i := range signals {
		s := &signals[i]
		if !s.Place().same(place) {
			continue
		}
		if err := s.Validate(); err != nil {
			return Score{}, fmt.Errorf("signal %d: %w", i+1, err)
		}
		e.count(&t, item{s.Timestamp.UnixMicro(), e.params.base(s), int64(i), maskOf(s.RiskLayers), uint8(s.Severity)}, window, now)
	}
	return e.assemble(place, window, at, &t, func(ref int64) *Signal { return &signals[ref] }), nil
}

// count puts one item where it belongs: the trend, the window, both or neither.
func (e *Engine) count(t *tally, it item, window Window, now int64) {
	age := now - it.at
	if age < 0 {
		t.future++
		return
	}
	t.trend(age, it.sev)
	if age <= int64(window)*microsPerHour {
		t.add(it.base*e.decay.at(age), it.mask, it.at, it.ref)
	}
}

const microsPerHour = int64(time.Hour / time.Microsecond)

// ComputeAll scores every place of a map from its signals, as Compute does for one.
func (e *Engine) ComputeAll(byPlace map[Place][]Signal, window Window, at time.Time) (map[Place]Score, error) {
	out := make(map[Place]Score, len(byPlace))
	for place, signals := range byPlace {
		s, err := e.Compute(place, signals, window, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		out[place] = s
	}
	return out, nil
}

// assemble turns a tally into a score with its explanation. There is no other way to
// make a Score, so the explanation cannot be left out.
func (e *Engine) assemble(place Place, window Window, at time.Time, t *tally, find func(int64) *Signal) Score {
	sums, n := t.layerSums()
	var raw [3]float64
	for l := range raw {
		raw[l] = layerScore(sums[l], n[l])
	}
	s := Score{
		District: place.District, State: place.State, Timestamp: at.UTC(), Disclaimer: Disclaimer,
		TimeWindow: window.String(), WindowHours: int(window), SignalCount: t.count, Count: t.count,
		LayerScores: LayerScores{round2(raw[0]), round2(raw[1]), round2(raw[2])},
		LayerCounts: LayerCounts{n[0], n[1], n[2]}, Version: e.version,
	}
	if t.count > 0 {
		s.Composite = round2(e.composite(raw))
	}
	s.Level = RiskLevel(s.Composite)
	band, _ := BandOf(s.Composite)
	s.Threshold, s.Action = thresholdOf(s.Composite), band.Action
	s.Trend, s.TrendArrow, s.TrendBasis = e.trend(t)
	s.PrimaryTrigger, s.SecondaryTriggers = e.triggers(raw)
	e.explain(&s, t, raw, find)
	return s
}

// composite is the unrounded score of three layer scores. It does not copy the numbers,
// as a method of Params would.
func (e *Engine) composite(layers [3]float64) float64 {
	p := &e.params
	return sigmoid(e.weightedSum(layers), p.Scale, p.Slope, p.Midpoint)
}

// weightedSum is Σ layer score × layer weight.
func (e *Engine) weightedSum(layers [3]float64) (sum float64) {
	for l, v := range layers {
		sum += v * e.layer[l]
	}
	return sum
}

func thresholdOf(score float64) Threshold {
	b, i := BandOf(score)
	return Threshold{b.Label, b.Range, i > 0}
}

// trend compares the mean severity of the last 24 hours with that of the 48 before,
// whatever the window.
func (e *Engine) trend(t *tally) (word, arrow, basis string) {
	if t.recentN == 0 || t.olderN == 0 {
		return "stable", "→", "insufficient"
	}
	diff := float64(t.recentSum)/float64(t.recentN) - float64(t.olderSum)/float64(t.olderN)
	switch {
	case diff > e.params.TrendMargin:
		return "rising", "↑", "comparison"
	case diff < -e.params.TrendMargin:
		return "falling", "↓", "comparison"
	}
	return "stable", "→", "comparison"
}

// triggers names the highest layer and those with at least half its score.
func (e *Engine) triggers(layers [3]float64) (primary string, secondary []Layer) {
	best := 0
	for l := range layers {
		if layers[l] > layers[best] {
			best = l
		}
	}
	secondary = []Layer{}
	if layers[best] <= 0 {
		return noTrigger, secondary
	}
	for l, v := range layers {
		if l != best && v > 0 && v >= layers[best]*e.params.SecondaryShare {
			secondary = append(secondary, Layers[l])
		}
	}
	return string(Layers[best]), secondary
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }
func round4(v float64) float64 { return math.Round(v*1e4) / 1e4 }
