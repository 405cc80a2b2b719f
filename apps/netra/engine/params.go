package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
)

// FormulaVersion names the formulas of this package. It changes when a formula does;
// changed weights show in [Params.Version] instead.
const FormulaVersion = "netra-1"

// Params are the numbers of the method. Nothing that moves a score is anywhere else.
type Params struct {
	DecayPerDay    float64              `json:"decay_per_day"`   // exponent of recency per 24 hours of age
	RecencyFloor   float64              `json:"recency_floor"`   // recency never falls below it
	Geo            map[Tag]float64      `json:"geo"`             // multiplier by tag; the highest of a signal's tags counts
	Polarity       map[Polarity]float64 `json:"polarity"`        // factor by polarity
	LayerWeights   map[Layer]float64    `json:"layer_weights"`   // weight of a layer in the sum
	Scale          float64              `json:"scale"`           // the layer sum that normalises to 100
	Slope          float64              `json:"slope"`           // steepness of the sigmoid
	Midpoint       float64              `json:"midpoint"`        // normalised value that scores 50
	TrendMargin    float64              `json:"trend_margin"`    // how far mean severities must differ
	SecondaryShare float64              `json:"secondary_share"` // share of the primary layer that makes a layer secondary
}

// Defaults returns the published numbers.
func Defaults() Params {
	return Params{
		DecayPerDay:    0.5,
		RecencyFloor:   0.1,
		Geo:            map[Tag]float64{SensitiveZone: 1.6, Border: 1.5, Capital: 1.4, Highway: 1.3, Market: 1.2},
		Polarity:       map[Polarity]float64{Escalatory: 1, Stabilizing: -0.5, Neutral: 0.3},
		LayerWeights:   map[Layer]float64{Cognitive: 1, Network: 1, Physical: 1},
		Scale:          30,
		Slope:          0.1,
		Midpoint:       50,
		TrendMargin:    0.5,
		SecondaryShare: 0.5,
	}
}

// Clone returns a copy that shares nothing with p.
func (p Params) Clone() Params {
	p.Geo, p.Polarity, p.LayerWeights = maps.Clone(p.Geo), maps.Clone(p.Polarity), maps.Clone(p.LayerWeights)
	return p
}

// Validate reports why p cannot be used. It keeps the properties that the method
// promises: older never counts more, stabilising never raises, multipliers stay
// between 1.0 and 1.6.
func (p Params) Validate() error {
	for _, n := range []struct {
		name      string
		v, lo, hi float64
	}{
		{"decay_per_day", p.DecayPerDay, 0, 10}, {"recency_floor", p.RecencyFloor, 0, 1},
		{"scale", p.Scale, 1, 300}, {"slope", p.Slope, 0.001, 10}, {"midpoint", p.Midpoint, 0, 100},
		{"trend_margin", p.TrendMargin, 0, 4}, {"secondary_share", p.SecondaryShare, 0, 1},
		{"polarity escalatory", p.Polarity[Escalatory], 0, 1}, {"polarity stabilizing", p.Polarity[Stabilizing], -1, 0},
		{"polarity neutral", p.Polarity[Neutral], 0, 1},
	} {
		if !(n.v >= n.lo && n.v <= n.hi) {
			return fmt.Errorf("%s must be %g to %g, not %g", n.name, n.lo, n.hi, n.v)
		}
	}
	for _, l := range Layers {
		if w, ok := p.LayerWeights[l]; !ok || !(w >= 0 && w <= 10) {
			return fmt.Errorf("layer weight %s must be given, 0 to 10", l)
		}
	}
	for _, t := range Tags {
		if g, ok := p.Geo[t]; !ok || !(g >= 1 && g <= 1.6) {
			return fmt.Errorf("geo multiplier %s must be given, 1.0 to 1.6", t)
		}
	}
	if len(p.LayerWeights) != len(Layers) || len(p.Geo) != len(Tags) || len(p.Polarity) != len(polarities) {
		return fmt.Errorf("params name an unknown layer, tag or polarity")
	}
	return nil
}

// Version names the formulas and the numbers together: the formula version alone for
// the published numbers, with a digest of the numbers behind it for any others.
func (p Params) Version() string {
	if p.digest() == Defaults().digest() {
		return FormulaVersion
	}
	return FormulaVersion + "+" + p.digest()[:8]
}

func (p Params) digest() string {
	raw, err := json.Marshal(p)
	if err != nil {
		return "unprintable"
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Recency returns the decay of a signal that is hours old: e^(-0.5 * hours/24) with
// the published numbers, never below the floor.
func (p Params) Recency(hours float64) float64 {
	return math.Max(math.Exp(-p.DecayPerDay*hours/24), p.RecencyFloor)
}

// GeoMultiplier returns the highest multiplier of the tags, and 1.0 without any.
func (p Params) GeoMultiplier(tags []Tag) float64 {
	m := 1.0
	for _, t := range tags {
		m = math.Max(m, p.Geo[t])
	}
	return m
}

// Weight returns (severity/5) × recency × geo × polarity of a signal that is hours old.
func (p Params) Weight(s *Signal, hours float64) float64 {
	return p.base(s) * p.Recency(hours)
}

// base is the weight of a signal at age zero.
func (p Params) base(s *Signal) float64 {
	return float64(s.Severity) / 5 * p.GeoMultiplier(s.GeoSensitivity) * p.Polarity[s.Polarity]
}

// Composite runs a weighted layer sum through the sigmoid: 0 to 100, unrounded.
func (p Params) Composite(sum float64) float64 { return sigmoid(sum, p.Scale, p.Slope, p.Midpoint) }

func sigmoid(sum, scale, slope, midpoint float64) float64 {
	normalized := sum / scale * 100
	return 100 / (1 + math.Exp(-slope*(normalized-midpoint)))
}

// sumFor returns the weighted layer sum at which the composite reaches score.
func (p Params) sumFor(score float64) float64 {
	normalized := p.Midpoint + math.Log(score/(100-score))/p.Slope
	return normalized * p.Scale / 100
}
