package engine

import (
	"fmt"
	"strings"
)

// A Methodology is the published account of how scores are made: every formula,
// weight and limit, with the version that scores carry.
type Methodology struct {
	Version    string      `json:"version"`
	Params     Params      `json:"params"`
	Formulas   []Formula   `json:"formulas"`
	Layers     []LayerDoc  `json:"layers"`
	Bands      []Band      `json:"bands"`
	Windows    []WindowDoc `json:"windows"`
	Limits     []string    `json:"limits"`
	Disclaimer string      `json:"governance_disclaimer"`
}

// A Formula is one step of the method.
type Formula struct {
	Name string `json:"name"`
	Is   string `json:"is"`
	Note string `json:"note,omitempty"`
}

// A LayerDoc says what a layer holds.
type LayerDoc struct {
	Layer  Layer   `json:"layer"`
	Holds  string  `json:"holds"`
	Weight float64 `json:"weight"`
}

// A WindowDoc says what a window is good for.
type WindowDoc struct {
	Window string `json:"window"`
	Hours  int    `json:"hours"`
	Use    string `json:"use"`
}

// Methodology returns the account of what e does, made from the numbers it uses.
func (e *Engine) Methodology() Methodology {
	p := e.Params()
	m := Methodology{Version: e.version, Params: p, Bands: Bands[:], Disclaimer: Disclaimer, Formulas: formulas(p)}
	holds := map[Layer]string{
		Cognitive: "Language-based indicators: rumours, misinformation, narratives, protests, agitation, threats",
		Network:   "Coordination indicators: bandhs, shutdowns, strikes, mass mobilisation, coordinated actions",
		Physical:  "Material incidents: violence, arms, explosives, narcotics, border activity",
	}
	for _, l := range Layers {
		m.Layers = append(m.Layers, LayerDoc{l, holds[l], p.LayerWeights[l]})
	}
	for _, w := range Windows {
		m.Windows = append(m.Windows, WindowDoc{w.String(), int(w), w.Use()})
	}
	single := round2(p.Composite(10 * p.LayerWeights[Physical]))
	m.Limits = []string{
		"The score describes what was published. It predicts nothing and claims no predictive accuracy.",
		fmt.Sprintf("One layer at its maximum of 10 scores only %.2f: a severe event in one layer alone stays in BASELINE. Read the escalation floor and the peak beside the score.", single),
		"A layer is a mean: many weak reports lower it, many equally strong ones leave it unchanged. The number of signals is shown and does not enter the score.",
		"A layer cannot rise above 10. Health entries say when it is at its ceiling.",
		"Districts are the finest unit. Nothing is aggregated below them and no person is described.",
		"Larger windows hold more signals and are steadier; shorter windows react faster and rest on fewer reports.",
	}
	return m
}

func formulas(p Params) []Formula {
	return []Formula{
		{"signal weight", "(severity / 5) × recency × geo multiplier × polarity factor", "severity is a whole number from 1 to 5"},
		{"recency", fmt.Sprintf("e^(−%g × hours_ago / 24), at least %g", p.DecayPerDay, p.RecencyFloor), "hours_ago is counted to the reference time of the score"},
		{"geo multiplier", fmt.Sprintf("the highest of the signal's tags: sensitive_zone %g, border %g, capital %g, highway %g, market %g; none 1.0",
			p.Geo[SensitiveZone], p.Geo[Border], p.Geo[Capital], p.Geo[Highway], p.Geo[Market]), ""},
		{"polarity factor", fmt.Sprintf("escalatory %g, stabilizing %g, neutral %g",
			p.Polarity[Escalatory], p.Polarity[Stabilizing], p.Polarity[Neutral]), ""},
		{"layer score", "mean weight of the layer's signals × 10, held between 0 and 10; 0 without signals", "each layer stands alone; a signal may be in several"},
		{"weighted sum", fmt.Sprintf("Σ layer score × layer weight (cognitive %g, network %g, physical %g)",
			p.LayerWeights[Cognitive], p.LayerWeights[Network], p.LayerWeights[Physical]), ""},
		{"normalised", fmt.Sprintf("weighted sum / %g × 100", p.Scale), ""},
		{"score", fmt.Sprintf("100 / (1 + e^(−%g × (normalised − %g))), rounded to two decimals; 0 without signals", p.Slope, p.Midpoint), "bands and level are read from the rounded score"},
		{"risk level", "low below 30, medium below 60, high below 75, critical from 75", ""},
		{"trend", fmt.Sprintf("mean severity of the last 24 h against 24–72 h: rising above +%g, falling below −%g, else stable", p.TrendMargin, p.TrendMargin), "stable with basis insufficient if either period is empty"},
		{"primary trigger", "the layer with the highest score; none if all are 0", "ties go to the layer listed first"},
		{"secondary triggers", fmt.Sprintf("other layers above 0 with at least %g of the primary's score", p.SecondaryShare), ""},
		{"peak and escalation floor", "the heaviest signal, its weight × 100 held between 0 and 100, and the band of that number", "beside the score, never part of it"},
		{"weakest link", "the signal whose removal changes the band, or else moves the score most", "beside the score, never part of it"},
	}
}

// Text renders m for a terminal.
func (m Methodology) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Methodology %s\n\nFormulas\n", m.Version)
	for _, f := range m.Formulas {
		fmt.Fprintf(&b, "  %s = %s\n", f.Name, f.Is)
		if f.Note != "" {
			fmt.Fprintf(&b, "      %s\n", f.Note)
		}
	}
	b.WriteString("\nLayers\n")
	for _, l := range m.Layers {
		fmt.Fprintf(&b, "  %-9s weight %g: %s\n", l.Layer, l.Weight, l.Holds)
	}
	b.WriteString("\nBands\n")
	for _, x := range m.Bands {
		fmt.Fprintf(&b, "  %-6s %-20s %s\n", x.Range, x.Label, x.Action)
	}
	b.WriteString("\nWindows\n")
	for _, w := range m.Windows {
		fmt.Fprintf(&b, "  %-3s %s\n", w.Window, w.Use)
	}
	b.WriteString("\nLimits\n")
	for _, l := range m.Limits {
		fmt.Fprintf(&b, "  %s\n", l)
	}
	fmt.Fprintf(&b, "\n%s\n", m.Disclaimer)
	return b.String()
}
