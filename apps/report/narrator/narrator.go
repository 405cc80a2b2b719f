// Package narrator writes the sections of a report from chart summaries, without a
// model. It is the reference policy's hand: a topic sentence, the comparison across
// scenarios, the main drivers, what moves against the trend, and caveats, each number
// taken from a summary. The same section over the same data always gives the same
// text; different sections use different turns of phrase.
//
// The narrator computes nothing and is trusted with nothing: its drafts pass the same
// faith and coverage checks as a model's.
package narrator

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"dossier/apps/report/catalog"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

// An Input is what a section is written from.
type Input struct {
	Section   outline.Section
	Charts    []Chart
	Scenarios []string               // of the whole run
	Disagree  []summary.Disagreement // between the section's charts
	Notes     []outline.Note         // of the last review, to be answered
	Children  []string               // titles of the sections below this one
	Omitted   map[string]string      // chart ID to the reason it cannot be used
}

// A Chart is one of the section's charts with its rows and summary.
type Chart struct {
	Chart   *catalog.Chart
	Table   *catalog.Table
	Summary *summary.Chart
}

// A Draft is a section as written.
type Draft struct {
	Text    string   `json:"text"` // Markdown without headings
	Used    []string `json:"used"` // chart IDs
	Answers []Answer `json:"answers,omitempty"`
}

// An Answer says which words of a draft answer a reviewer's note. Quote is "" if
// nothing was changed for it, and Why says why.
type Answer struct {
	Note  string `json:"note"` // ID
	Quote string `json:"quote,omitempty"`
	Why   string `json:"why,omitempty"`
}

// Write drafts a section.
func Write(in Input) Draft {
	w := &writer{in: in, said: map[string]bool{}}
	for i := range in.Charts {
		w.chart(&in.Charts[i], i == 0)
	}
	if len(in.Charts) == 0 {
		w.para("No chart of this run speaks to this section, so it makes no quantitative statement.")
	}
	w.coverage()
	answers := w.answer()
	w.caveats()
	w.children()
	d := Draft{Text: strings.Join(w.paras, "\n\n"), Used: []string{}, Answers: answers}
	for _, c := range in.Charts {
		d.Used = append(d.Used, c.Chart.ID)
	}
	return d
}

type writer struct {
	in    Input
	paras []string
	said  map[string]bool // figures stated in an earlier paragraph
}

// tell notes that a figure is stated and reports whether it is news.
func (w *writer) tell(about ...string) bool {
	key := strings.Join(about, "\x00")
	if w.said[key] {
		return false
	}
	w.said[key] = true
	return true
}

func (w *writer) para(sentences ...string) {
	var kept []string
	for _, s := range sentences {
		if s != "" {
			kept = append(kept, s)
		}
	}
	if len(kept) > 0 {
		w.paras = append(w.paras, strings.Join(kept, " "))
	}
}

// pick chooses a turn of phrase: the same for the same section, chart and slot.
func (w *writer) pick(chart, slot string, options ...string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(w.in.Section.ID + "\x00" + chart + "\x00" + slot))
	return options[int(h.Sum32())%len(options)]
}

// chart writes one chart's paragraph and its figure.
func (w *writer) chart(c *Chart, lead bool) {
	s := &c.Summary.Summary
	switch {
	case len(s.Scenarios) == 0:
		w.plain(c)
	case s.Relative:
		w.relative(c)
	default:
		for _, unit := range s.Units {
			if summary.Additive(unit) {
				w.levels(c, unit, lead)
			} else {
				w.shares(c, unit)
			}
		}
	}
	w.figure(c)
}

// figure refers to the chart's picture; renderers number it.
func (w *writer) figure(c *Chart) {
	target := c.Chart.PNG
	if target == "" {
		target = "chart:" + c.Chart.ID
	}
	caption := c.Chart.Title
	if c.Chart.Units != "" {
		caption += ", " + strings.ReplaceAll(c.Chart.Units, ";", " and")
	}
	w.paras = append(w.paras, fmt.Sprintf("![%s](%s)", caption, target))
}

// relative writes about changes from a baseline.
func (w *writer) relative(c *Chart) {
	s := &c.Summary.Summary
	id := c.Chart.ID
	topic := ""
	switch b := s.Baseline; {
	case b != nil && len(s.Scenarios) == 1:
		topic = fmt.Sprintf("%s starts from %s in %d.", s.Scenarios[0], amount(b.Value, b.Unit), b.Year)
	case b != nil:
		topic = fmt.Sprintf(w.pick(id, "topic",
			"All %s scenarios start from %s in %d, and they part from there.",
			"The %s scenarios share one starting point, %s in %d, and end far apart.",
			"Every one of the %s scenarios begins at %s in %d; what separates them is how much is taken away."),
			spell(len(s.Scenarios)), amount(b.Value, b.Unit), b.Year)
	}
	for _, unit := range s.Units {
		low, high := extremes(s, unit)
		if low == "" {
			continue
		}
		w.para(topic, w.cuts(c, unit), w.gapOf(s, unit))
		w.para(w.leader(c, unit), w.topReductions(c, unit, low), w.spread(c, unit, low, high), w.risers(c, unit))
		topic = ""
	}
}

// cuts compares the totals of a relative chart.
func (w *writer) cuts(c *Chart, unit string) string {
	s := &c.Summary.Summary
	var parts []string
	for _, name := range byChange(s, unit) {
		p := s.Part(name, unit)
		parts = append(parts, fmt.Sprintf("%s %s", name, byAmount(p.Change, unit, "cuts", "adds")))
	}
	return sentence(join(parts))
}

// leader names what falls most in every scenario.
func (w *writer) leader(c *Chart, unit string) string {
	s := &c.Summary.Summary
	label := ""
	var total = zero
	for _, name := range s.Scenarios {
		m := firstDown(s.Part(name, unit))
		if m == nil || label != "" && m.Label != label {
			return ""
		}
		label, total = m.Label, total.Add(m.Value)
	}
	if label == "" || len(s.Scenarios) < 2 {
		return ""
	}
	mean := total.Div(len(s.Scenarios))
	return fmt.Sprintf(w.pick(c.Chart.ID, "leader",
		"%s brings the largest reduction in every scenario, %s on average.",
		"The largest single reduction comes from %s throughout: %s as the mean of the scenarios.",
		"%s leads the reduction in all of them, at a mean of %s."), label, rounded(mean.Abs(), 2, unit))
}

func (w *writer) topReductions(c *Chart, unit, name string) string {
	p := c.Summary.Summary.Part(name, unit)
	var parts []string
	for _, m := range p.Movers {
		if m.Value.Sign() < 0 && len(parts) < 3 {
			w.tell(m.Label, name, amount(m.Value.Abs(), unit))
			parts = append(parts, fmt.Sprintf("%s (%s)", m.Label, amount(m.Value.Abs(), unit)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(w.pick(c.Chart.ID, "drivers",
		"In %s the main reductions are those of %s.",
		"In %s, reductions come above all from %s.",
		"What carries %s are reductions in %s."), name, join(parts))
}

// spread says where the two outer scenarios differ most.
func (w *writer) spread(c *Chart, unit, low, high string) string {
	if low == high {
		return ""
	}
	s := &c.Summary.Summary
	a, b := s.Part(low, unit), s.Part(high, unit)
	best, label := zero, ""
	for _, m := range a.Movers {
		o := b.Mover(m.Label)
		if o == nil || o.Value.Sign() >= 0 || m.Value.Sign() >= 0 {
			continue
		}
		if d := o.Value.Sub(m.Value); d.Cmp(best) > 0 {
			best, label = d, m.Label
		}
	}
	if label == "" {
		return ""
	}
	return fmt.Sprintf("%s separates the paths most where it falls in both: it falls by %s in %s but falls by only %s in %s.",
		label, amount(a.Mover(label).Value.Abs(), unit), low, amount(b.Mover(label).Value.Abs(), unit), high)
}

// risers says what moves against a reduction.
func (w *writer) risers(c *Chart, unit string) string {
	s := &c.Summary.Summary
	var out []string
	cut := false
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || p.Change.Sign() >= 0 {
			continue // nothing is cut, so nothing moves against it
		}
		cut = true
		for _, m := range p.Movers {
			if m.Value.Sign() > 0 && len(out) < 3 {
				w.tell(m.Label, name, amount(m.Value, unit))
				out = append(out, fmt.Sprintf("%s rises by %s in %s", m.Label, amount(m.Value, unit), name))
			}
		}
	}
	if !cut {
		return ""
	}
	if len(out) == 0 {
		return w.pick(c.Chart.ID, "no riser", "Nothing moves against this trend.", "No part of it moves the other way.")
	}
	return w.pick(c.Chart.ID, "riser", "Against the trend, ", "The exception: ", "Moving the other way, ") + join(out) + "."
}

// levels writes about a quantity that adds up, over the years.
func (w *writer) levels(c *Chart, unit string, lead bool) {
	s := &c.Summary.Summary
	if !oneSpan(s, unit) {
		w.standing(c, unit)
		return
	}
	w.para(w.topic(c, unit, lead), w.paths(c, unit), w.gapOf(s, unit), w.peaks(c, unit))
	w.para(w.drivers(c, unit), w.exceptions(c, unit))
}

// topic says in words where the chart goes.
func (w *writer) topic(c *Chart, unit string, lead bool) string {
	s := &c.Summary.Summary
	up, down, all := 0, 0, 0
	var span *summary.Part
	for _, name := range s.Scenarios {
		if p := s.Part(name, unit); p != nil && p.Change != nil {
			span = p
			all++
			switch p.Change.Sign() {
			case 1:
				up++
			case -1:
				down++
			}
		}
	}
	what := subject(c.Chart.Title, unit, len(s.Units) > 1)
	many := plural(what)
	way := numbered(many, "moves in different directions from one scenario to the next", "move in different directions from one scenario to the next")
	switch {
	case down == all && all > 0:
		way = w.pick(c.Chart.ID, "down", numbered(many, "falls in every scenario", "fall in every scenario"),
			numbered(many, "declines in all scenarios", "decline in all scenarios"), numbered(many, "comes down on every path", "come down on every path"))
	case up == all && all > 0:
		way = w.pick(c.Chart.ID, "up", numbered(many, "grows in every scenario", "grow in every scenario"),
			numbered(many, "rises in all scenarios", "rise in all scenarios"), numbered(many, "goes up on every path", "go up on every path"))
	case up == 0 && down == 0:
		way = numbered(many, "does not change", "do not change")
	case up == 0:
		way = numbered(many, "falls in some scenarios and does not change in others", "fall in some scenarios and do not change in others")
	case down == 0:
		way = numbered(many, "rises in some scenarios and does not change in others", "rise in some scenarios and do not change in others")
	}
	open := capital(what)
	if !lead {
		open = w.pick(c.Chart.ID, "open", capital(what), "Taken together, "+what, "For their part, "+what)
		if !many {
			open = w.pick(c.Chart.ID, "open", capital(what), "Taken as a whole, "+what, "At the same time, "+what)
		}
	}
	return fmt.Sprintf("%s %s between %d and %d.", open, way, span.FirstYear, span.LastYear)
}

// paths compares where the scenarios end.
func (w *writer) paths(c *Chart, unit string) string {
	s := &c.Summary.Summary
	if same, start := oneStart(s, unit); same {
		if text := w.fromOneStart(c, unit, start); text != "" {
			return text
		}
	}
	var out []string
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || p.First == nil {
			out = append(out, fmt.Sprintf("%s has no data in this chart.", name))
			continue
		}
		out = append(out, fmt.Sprintf("In %s it %s from %s to %s%s.", name, verb(p.Change.Sign()), amount(*p.First, unit), amount(*p.Last, unit), inPercent(p)))
	}
	return strings.Join(out, " ")
}

func (w *writer) fromOneStart(c *Chart, unit string, start summary.Part) string {
	s := &c.Summary.Summary
	way := start.Change.Sign()
	var parts []string
	for _, name := range byChange(s, unit) {
		p := s.Part(name, unit)
		if p == nil || p.Change == nil || p.Change.Sign() != way || way == 0 {
			return ""
		}
		parts = append(parts, fmt.Sprintf("%s in %s%s", amount(*p.Last, unit), name, inPercent(p)))
	}
	verbs := map[int]string{-1: w.pick(c.Chart.ID, "verb", "fall", "drop", "decline"), 1: w.pick(c.Chart.ID, "verb", "rise", "grow", "climb")}
	return fmt.Sprintf("From %s in %d, the figures %s to %s by %d.", amount(*start.First, unit), start.FirstYear, verbs[way], join(parts), start.LastYear)
}

// peaks mentions totals that are highest between the ends.
func (w *writer) peaks(c *Chart, unit string) string {
	s := &c.Summary.Summary
	var out []string
	for _, name := range s.Scenarios {
		if p := s.Part(name, unit); p != nil && p.Peak != nil && pronounced(p) {
			out = append(out, fmt.Sprintf("in %s the total first reaches %s in %d", name, amount(*p.Peak, unit), p.PeakYear))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "The path is not straight: " + join(out) + "."
}

// pronounced reports whether a peak stands more than one in two hundred above both ends.
func pronounced(p *summary.Part) bool {
	end := *p.First
	if p.Last.Cmp(end) > 0 {
		end = *p.Last
	}
	rise, ok := p.Peak.Sub(end).Percent(end.Abs())
	half, _ := faith.Decimal("0.5")
	return ok && rise.Cmp(half) > 0
}

// gapOf states the distance between the outer scenarios.
func (w *writer) gapOf(s *summary.Summary, unit string) string {
	i := slices.IndexFunc(s.Gaps, func(g summary.Gap) bool { return g.Unit == unit })
	if i < 0 {
		return ""
	}
	g := s.Gaps[i]
	if g.LowValue.Sign() == 0 || !w.tell("gap", g.High, g.Low, amount(g.Difference, unit)) {
		return ""
	}
	if g.Year != 0 {
		return fmt.Sprintf(w.pick(g.Low+unit, "gap", "By %d, %s ends %s above %s.", "In %d, %s stands %s above %s."), g.Year, g.High, amount(g.Difference, unit), g.Low)
	}
	return fmt.Sprintf(w.pick(g.Low, "gap", "That leaves %s between %s and %s.", "A distance of %s lies between %s and %s."), amount(g.Difference, unit), g.High, g.Low)
}
