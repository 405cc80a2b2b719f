package engine

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A Health entry says what the score cannot show in this case. It never changes the score.
type Health struct {
	Code  string `json:"code"`            // saturation, dilution, band_out_of_reach, thin, trend_insufficient, future_signals
	Layer Layer  `json:"layer,omitempty"` // the layer it is about, if one
	Text  string `json:"text"`
}

// A Peak is the strongest single signal in the window.
type Peak struct {
	Top
	Strength float64 `json:"strength"` // its weight as 0 to 100, two decimals
}

// A Link is the one signal the score depends on most.
type Link struct {
	Top
	ScoreWithout float64 `json:"score_without"`
	BandWithout  string  `json:"band_without"`
	ChangesBand  bool    `json:"changes_band"`
}

// A Change says what it takes to leave the band.
type Change struct {
	LayerSum float64 `json:"layer_sum"` // the weighted sum now
	Up       *Move   `json:"up"`        // nil in the highest band
	Down     *Move   `json:"down"`      // nil in the lowest band
}

// A Move is the way to a neighbouring band.
type Move struct {
	Label    string  `json:"label"`
	Score    float64 `json:"score"`     // the score at the edge
	LayerSum float64 `json:"layer_sum"` // the weighted sum at the edge
	Gap      float64 `json:"gap"`       // how far the sum is from there
	Text     string  `json:"text"`
}

// thin is how few signals make a score depend on single reports.
const thin = 3

// explain fills everything that says why.
func (e *Engine) explain(s *Score, t *tally, raw [3]float64, find func(int64) *Signal) {
	s.Top = make([]Top, 0, len(t.top))
	for i := range min(t.count, len(t.top)) {
		s.Top = append(s.Top, topOf(t.top[i], find))
	}
	s.EscalationFloor = thresholdOf(0)
	if t.count > 0 {
		strength := math.Min(math.Max(t.top[0].w*100, 0), 100)
		s.Peak = &Peak{s.Top[0], round2(strength)}
		s.EscalationFloor = thresholdOf(round2(strength))
	}
	s.WeakestLink = e.weakestLink(s, t, find)
	s.Change = e.change(s, raw)
	s.Health = e.health(s, t, raw)
	s.Rationale = rationale(s)
}

func topOf(p pick, find func(int64) *Signal) Top {
	sig := find(p.ref)
	source := sig.SourceType
	if source == "" {
		source = PublicSource
	}
	return Top{
		EventSummary: sig.EventSummary, Severity: sig.Severity, Timestamp: sig.Timestamp.UTC(), SourceType: source,
		Layers: sig.RiskLayers, Location: sig.Location, Polarity: sig.Polarity, Weight: round4(p.w), ID: sig.ID, Sources: sig.Sources,
	}
}

// weakestLink tries to remove each signal that could matter most: the lightest and
// the heaviest of every set of layers. One that changes the band comes first, then
// the one that moves the score furthest.
func (e *Engine) weakestLink(s *Score, t *tally, find func(int64) *Signal) *Link {
	_, band := BandOf(s.Composite)
	sums, n := t.layerSums()
	var best Link
	var bestPick pick
	found := false
	for m := range t.groups {
		g := &t.groups[m]
		if g.n == 0 {
			continue
		}
		for _, p := range [2]pick{g.heaviest, g.lightest} {
			without := e.without(sums, n, t.count, mask(m), p.w)
			label, i := BandOf(without)
			l := Link{ScoreWithout: without, BandWithout: label.Label, ChangesBand: i != band}
			if without == s.Composite || found && !l.outranks(&best, s.Composite, p, bestPick) {
				continue
			}
			best, bestPick, found = l, p, true
		}
	}
	if !found {
		return nil
	}
	best.Top = topOf(bestPick, find)
	return &best
}

func (l *Link) outranks(o *Link, score float64, p, q pick) bool {
	if l.ChangesBand != o.ChangesBand {
		return l.ChangesBand
	}
	dl, do := math.Abs(score-l.ScoreWithout), math.Abs(score-o.ScoreWithout)
	if dl != do {
		return dl > do
	}
	return p.before(q)
}

// without returns the score after one signal of weight w and layers m is removed.
func (e *Engine) without(sums [3]float64, n [3]int, count int, m mask, w float64) float64 {
	if count == 1 {
		return 0
	}
	var layers [3]float64
	for l := range layers {
		if m.has(l) {
			sums[l] -= w
			n[l]--
		}
		layers[l] = layerScore(sums[l], n[l])
	}
	return round2(e.composite(layers))
}

// change says how far the layer sum is from the neighbouring bands.
func (e *Engine) change(s *Score, raw [3]float64) Change {
	sum := e.weightedSum(raw)
	c := Change{LayerSum: round2(sum)}
	_, i := BandOf(s.Composite)
	if i+1 < len(Bands) {
		edge := e.params.sumFor(Bands[i+1].From)
		m := Move{Label: Bands[i+1].Label, Score: Bands[i+1].From, LayerSum: round2(edge), Gap: round2(math.Max(edge-sum, 0))}
		m.Text = fmt.Sprintf("%s begins at a layer sum of %.2f; it is %.2f, so %.2f is missing. %s",
			m.Label, m.LayerSum, c.LayerSum, m.Gap, e.reach(raw, edge-sum))
		c.Up = &m
	}
	if i > 0 {
		edge := e.params.sumFor(Bands[i].From)
		m := Move{Label: Bands[i-1].Label, Score: Bands[i].From, LayerSum: round2(edge), Gap: round2(math.Max(sum-edge, 0))}
		m.Text = fmt.Sprintf("%s begins below a layer sum of %.2f; it is %.2f, so it must fall by more than %.2f.",
			m.Label, m.LayerSum, c.LayerSum, m.Gap)
		c.Down = &m
	}
	return c
}

// reach says whether one layer alone could close a gap.
func (e *Engine) reach(raw [3]float64, gap float64) string {
	for l, v := range raw {
		if (10-v)*e.layer[l] >= gap {
			return fmt.Sprintf("A rise of the %s layer alone could reach it.", Layers[l])
		}
	}
	return "No layer alone can add that much; at least two must rise."
}

// health lists what the score cannot show.
func (e *Engine) health(s *Score, t *tally, raw [3]float64) []Health {
	h := []Health{}
	sums, n := t.layerSums()
	for l, name := range Layers {
		if n[l] == 0 {
			continue
		}
		if sums[l]/float64(n[l])*10 >= 10 {
			h = append(h, Health{"saturation", name, fmt.Sprintf(
				"The %s layer is at its ceiling of 10; stronger or more signals no longer move it.", name)})
		}
		if peak := math.Min(t.heaviest(l)*10, 10); n[l] > 1 && peak > 0 && raw[l] < peak/2 {
			h = append(h, Health{"dilution", name, fmt.Sprintf(
				"The strongest %s signal alone would score %.2f; averaging over %d signals lowers the layer to %.2f.", name, peak, n[l], raw[l])})
		}
	}
	if s.Count > 0 {
		h = append(h, e.outOfReach(raw)...)
	}
	if s.Count > 0 && s.Count < thin {
		h = append(h, Health{Code: "thin", Text: fmt.Sprintf("Only %s in the window; a single report decides the score.", plural(s.Count, "signal"))})
	}
	if s.TrendBasis == "insufficient" {
		h = append(h, Health{Code: "trend_insufficient", Text: "One of the two trend periods has no signals, so stable means unknown."})
	}
	if t.future > 0 {
		h = append(h, Health{Code: "future_signals", Text: fmt.Sprintf("%s later than the reference time not counted.", plural(t.future, "signal"))})
	}
	return h
}

// heaviest returns the greatest weight in a layer.
func (t *tally) heaviest(layer int) float64 {
	w := math.Inf(-1)
	for m := range t.groups {
		if mask(m).has(layer) && t.groups[m].n > 0 {
			w = math.Max(w, t.groups[m].heaviest.w)
		}
	}
	return w
}

// outOfReach says which band the layers that carry anything could never reach, even
// if every one of them stood at 10.
func (e *Engine) outOfReach(raw [3]float64) []Health {
	var full [3]float64
	active := 0
	for l, v := range raw {
		if v > 0 {
			full[l] = 10
			active++
		}
	}
	if active == 0 || active == len(raw) {
		return nil
	}
	ceiling := round2(e.composite(full))
	_, i := BandOf(ceiling)
	if i+1 == len(Bands) {
		return nil
	}
	return []Health{{Code: "band_out_of_reach", Text: fmt.Sprintf(
		"With %s active the score cannot exceed %.2f, however severe the signals; %s is out of reach. Read the escalation floor beside it.",
		plural(active, "layer"), ceiling, Bands[i+1].Label)}}
}

// rationale is the paragraph that says why a district stands where it stands.
func rationale(s *Score) string {
	var b strings.Builder
	if primary, ok := s.Primary(); ok {
		fmt.Fprintf(&b, "Primary trigger: %s layer (%.2f/10).", title(primary), s.Layer(primary))
	} else {
		b.WriteString("Primary trigger: none.")
	}
	for i, l := range s.SecondaryTriggers {
		lead := " Secondary: "
		if i > 0 {
			lead = ", "
		}
		fmt.Fprintf(&b, "%s%s layer (%.2f/10)", lead, title(l), s.Layer(l))
	}
	if len(s.SecondaryTriggers) > 0 {
		b.WriteString(".")
	}
	if len(s.Top) > 0 {
		b.WriteString(" Contributing signals include " + contributors(s.Top) + ".")
	}
	fmt.Fprintf(&b, " %s in the %s window.", plural(s.SignalCount, "signal"), s.TimeWindow)
	if s.Threshold.Crossed {
		fmt.Fprintf(&b, " Score %.2f crosses the %s threshold (%s).", s.Composite, s.Threshold.Label, s.Threshold.Range)
	} else {
		fmt.Fprintf(&b, " Score %.2f remains in %s range (%s).", s.Composite, s.Threshold.Label, s.Threshold.Range)
	}
	fmt.Fprintf(&b, " Trend: %s based on 24h comparison", s.Trend)
	if s.TrendBasis == "insufficient" {
		b.WriteString(" (insufficient: one of the two periods has no signals)")
	}
	b.WriteString(".")
	return b.String()
}

// contributors quotes the first two signals of the list.
func contributors(top []Top) string {
	var parts []string
	for _, t := range top[:min(2, len(top))] {
		if t.EventSummary != "" {
			parts = append(parts, "“"+Clip(t.EventSummary, QuoteLength)+"”")
		}
	}
	if len(parts) == 0 {
		return plural(len(top), "report") + " without a summary"
	}
	return strings.Join(parts, " and ")
}

// QuoteLength is how many characters of a summary a sentence quotes.
const QuoteLength = 80

// Clip shortens text to at most n characters, with an ellipsis if it cut any.
func Clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	r := []rune(text)
	return strings.TrimSpace(string(r[:n-1])) + "…"
}

func title(l Layer) string { return strings.ToUpper(string(l[:1])) + string(l[1:]) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
