// Package summary works out in code what a chart says: totals, changes, the movers
// behind them, gaps between scenarios and a few sentences that state the main
// numbers verbatim. What a model or the narrator writes about a chart rests on these
// figures; [Declare] makes the same figures known to the faith check as computations
// over the chart's cells, where they are worked out a second time.
//
// Sums are exact decimals, never floats. Rows of different units are never added,
// nor are shares, fractions and intensities. The package reads no files.
package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dossier/apps/report/catalog"
	"dossier/internal/faith"
)

// A Chart is a chart's data with its summary, as tools return it.
type Chart struct {
	ChartID  string        `json:"chart_id"`
	Title    string        `json:"title"`
	Schema   Schema        `json:"schema"`
	RowCount int           `json:"row_count"`
	Rows     []catalog.Row `json:"rows,omitempty"`
	Summary  Summary       `json:"summary"`
}

// A Schema names a chart's columns.
type Schema struct {
	Columns []string `json:"columns"`
}

// A Summary is what a chart says.
type Summary struct {
	Dimensions  []string             `json:"dimensions"`
	Measure     string               `json:"measure"`
	MeasureType string               `json:"measure_type"`
	Units       []string             `json:"units"`
	Scenarios   []string             `json:"scenarios"`
	Baseline    *Baseline            `json:"baseline,omitempty"`
	ByScenario  map[string]*Scenario `json:"by_scenario"`
	Gaps        []Gap                `json:"gaps,omitempty"`
	KeyInsights []string             `json:"key_insights"`
	Caveats     []string             `json:"caveats,omitempty"`

	Relative bool `json:"relative"` // the numbers are changes from a baseline
}

// A Baseline is the level that relative numbers start from.
type Baseline struct {
	Name  string       `json:"name"`
	Value faith.Number `json:"value"`
	Unit  string       `json:"unit"`
	Year  int          `json:"year"`
}

// A Scenario is what a chart says of one scenario. The design's names for a relative
// chart stand at the top; Parts hold the figures unit by unit.
type Scenario struct {
	Total      *faith.Number `json:"total_reduction,omitempty"` // relative charts of one unit
	Reductions []Mover       `json:"top_reductions,omitempty"`
	Increases  []Mover       `json:"increases,omitempty"`
	Notable    string        `json:"notable,omitempty"`
	Parts      []Part        `json:"parts,omitempty"`
}

// A Mover is one row's change, or its value in a chart without years.
type Mover struct {
	Label   string        `json:"sector"`
	Value   faith.Number  `json:"value"`
	First   *faith.Number `json:"first,omitempty"`
	Last    *faith.Number `json:"last,omitempty"`
	Percent *faith.Number `json:"percent,omitempty"` // nil where the first is 0
}

// A Part is a scenario's figures in one unit.
type Part struct {
	Unit      string        `json:"unit"`
	Additive  bool          `json:"additive"` // false: rows are shares or intensities and have no total
	FirstYear int           `json:"first_year,omitempty"`
	LastYear  int           `json:"last_year,omitempty"`
	First     *faith.Number `json:"first,omitempty"` // total in the first year
	Last      *faith.Number `json:"last,omitempty"`
	Change    *faith.Number `json:"change,omitempty"`
	Percent   *faith.Number `json:"percent_change,omitempty"`
	PeakYear  int           `json:"peak_year,omitempty"` // where the total is highest, if that is neither end
	Peak      *faith.Number `json:"peak,omitempty"`
	Movers    []Mover       `json:"movers"`            // by size of change, the largest first
	Partial   []string      `json:"partial,omitempty"` // rows without a number at one of the ends, whose change is unknown
}

// A Gap is the distance between the highest and the lowest scenario in the last year.
type Gap struct {
	Unit       string       `json:"unit"`
	Year       int          `json:"year,omitempty"`
	Low        string       `json:"low"` // scenario
	High       string       `json:"high"`
	LowValue   faith.Number `json:"low_value"`
	HighValue  faith.Number `json:"high_value"`
	Difference faith.Number `json:"difference"`
}

// Of summarises a chart.
func Of(ch *catalog.Chart, t *catalog.Table) *Chart {
	c := &Chart{
		ChartID: ch.ID, Title: ch.Title, Schema: Schema{t.Columns}, RowCount: len(t.Rows),
		Summary: Summary{
			Dimensions: ch.Dimensions, Measure: t.Measure, Units: unitsOf(t), Scenarios: scenariosOf(t),
			ByScenario: map[string]*Scenario{}, KeyInsights: []string{},
		},
	}
	s := &c.Summary
	w := &work{chart: ch, table: t}
	w.sort()
	s.Relative = w.relative
	s.MeasureType = w.measureType()
	s.Baseline = w.shared(s.Scenarios)
	for _, name := range cmpOr(s.Scenarios, []string{""}) {
		s.ByScenario[name] = w.scenario(name)
	}
	s.Gaps = gaps(s)
	s.KeyInsights = insights(s)
	s.Caveats = w.caveats(s)
	return c
}

func cmpOr(list, otherwise []string) []string {
	if len(list) == 0 {
		return otherwise
	}
	return list
}

func unitsOf(t *catalog.Table) []string {
	out := []string{}
	for _, r := range t.Rows {
		if !slices.Contains(out, r.Unit) {
			out = append(out, r.Unit)
		}
	}
	return out
}

func scenariosOf(t *catalog.Table) []string {
	out := []string{}
	for _, r := range t.Rows {
		if r.Scenario != "" && !slices.Contains(out, r.Scenario) {
			out = append(out, r.Scenario)
		}
	}
	slices.Sort(out)
	return out
}

// Additive reports whether rows in a unit may be summed.
func Additive(unit string) bool {
	u := strings.ToLower(unit)
	return !strings.Contains(u, "%") && !strings.Contains(u, "/") && u != "fraction" && u != "ratio" &&
		!strings.Contains(u, "share") && !strings.Contains(u, "intensity")
}

func (w *work) measureType() string {
	kind := ""
	for _, r := range w.rows {
		if r.Kind != "" {
			kind = r.Kind
			break
		}
	}
	switch {
	case w.relative && w.baseline != nil:
		return fmt.Sprintf("relative (change from %d)", w.baseline.Year)
	case w.relative && w.chart.BaseYear != 0:
		return fmt.Sprintf("relative (change from %d)", w.chart.BaseYear)
	case w.relative:
		return "relative"
	case len(w.table.Years) > 0:
		return fmt.Sprintf("absolute (%d to %d)", w.table.Years[0], w.table.Years[len(w.table.Years)-1])
	default:
		return cmp.Or(kind, "absolute")
	}
}

// scenario works out one scenario's parts.
func (w *work) scenario(name string) *Scenario {
	s := &Scenario{}
	for _, unit := range unitsOf(w.table) {
		var rows []*catalog.Row
		for _, r := range w.rows {
			if r.Scenario == name && r.Unit == unit && len(r.Cells) > 0 {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			s.Parts = append(s.Parts, w.part(unit, rows))
		}
	}
	if len(s.Parts) != 1 {
		return s
	}
	p := &s.Parts[0]
	for _, m := range p.Movers {
		switch {
		case m.Value.Sign() < 0 && len(s.Reductions) < 3:
			s.Reductions = append(s.Reductions, m)
		case m.Value.Sign() > 0 && len(s.Increases) < 3:
			s.Increases = append(s.Increases, m)
		}
	}
	if w.relative {
		s.Total = p.Change
		if len(s.Increases) > 0 {
			m := s.Increases[0]
			s.Notable = fmt.Sprintf("%s shows net INCREASE of +%s", m.Label, m.Value)
		}
	}
	return s
}

func (w *work) part(unit string, rows []*catalog.Row) Part {
	p := Part{Unit: unit, Additive: Additive(unit)}
	years := yearsOf(rows)
	if len(years) > 1 {
		p.FirstYear, p.LastYear = years[0], years[len(years)-1]
	} else if len(years) == 1 {
		p.LastYear = years[0]
	}
	p.Movers, p.Partial = movers(rows, p.FirstYear, p.LastYear)
	if !p.Additive {
		return p
	}
	last := sum(rows, p.LastYear)
	if len(years) < 2 { // a long table: the values are the changes, or the levels
		if w.relative {
			p.Change = &last
		} else {
			p.Last = &last
		}
		return p
	}
	first := sum(rows, p.FirstYear)
	change := last.Sub(first)
	p.First, p.Last, p.Change = &first, &last, &change
	if pct, ok := change.Percent(first.Abs()); ok {
		p.Percent = &pct
	}
	p.PeakYear, p.Peak = peak(rows, years, first, last)
	return p
}

// peak finds the year between the ends whose total is above both.
func peak(rows []*catalog.Row, years []int, first, last faith.Number) (int, *faith.Number) {
	best, at := first, 0
	if last.Cmp(best) > 0 {
		best = last
	}
	for _, y := range years[1 : len(years)-1] {
		if t := sum(rows, y); t.Cmp(best) > 0 {
			best, at = t, y
		}
	}
	if at == 0 {
		return 0, nil
	}
	return at, &best
}

func yearsOf(rows []*catalog.Row) []int {
	var out []int
	for _, r := range rows {
		for _, c := range r.Cells {
			if !slices.Contains(out, c.Year) {
				out = append(out, c.Year)
			}
		}
	}
	slices.Sort(out)
	return out
}

func sum(rows []*catalog.Row, year int) faith.Number {
	var total faith.Number
	for _, r := range rows {
		if v, ok := r.At(year); ok {
			total = total.Add(v)
		}
	}
	return total
}

// byLabel groups rows that share a label, in the order of their first.
func byLabel(rows []*catalog.Row) [][]*catalog.Row {
	var out [][]*catalog.Row
	at := map[string]int{}
	for _, r := range rows {
		i, ok := at[r.Label]
		if !ok {
			i = len(out)
			at[r.Label], out = i, append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// movers returns each row's change (or value), the largest first. Rows that share a
// label are added up. A label without a number at one of the ends has no known change
// and is returned as partial.
func movers(rows []*catalog.Row, first, last int) (out []Mover, partial []string) {
	has := func(rows []*catalog.Row, year int) bool {
		return slices.ContainsFunc(rows, func(r *catalog.Row) bool { _, ok := r.At(year); return ok })
	}
	for _, mine := range byLabel(rows) {
		label := mine[0].Label
		switch {
		case first == 0 && has(mine, last):
			out = append(out, Mover{Label: label, Value: sum(mine, last)})
		case !has(mine, first) && !has(mine, last): // moves no total
		case !has(mine, first) || !has(mine, last):
			partial = append(partial, label)
		default:
			f, l := sum(mine, first), sum(mine, last)
			m := Mover{Label: label, First: &f, Last: &l, Value: l.Sub(f)}
			if pct, ok := m.Value.Percent(f.Abs()); ok {
				m.Percent = &pct
			}
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Mover) int {
		return cmp.Or(b.Value.Abs().Cmp(a.Value.Abs()), strings.Compare(a.Label, b.Label))
	})
	return out, partial
}

// gaps compares the scenarios' last totals, unit by unit. Totals of different years are
// not compared.
func gaps(s *Summary) []Gap {
	var out []Gap
	for _, unit := range s.Units {
		g, n, oneYear := Gap{Unit: unit}, 0, true
		for _, name := range s.Scenarios {
			p := s.Part(name, unit)
			if p == nil || !p.Additive {
				continue
			}
			v := p.Last
			if v == nil {
				v = p.Change
			}
			if n == 0 || v.Cmp(g.LowValue) < 0 {
				g.Low, g.LowValue = name, *v
			}
			if n == 0 || v.Cmp(g.HighValue) > 0 {
				g.High, g.HighValue = name, *v
			}
			oneYear = oneYear && (n == 0 || p.LastYear == g.Year)
			g.Year = p.LastYear
			n++
		}
		if n > 1 && oneYear && g.Low != g.High {
			g.Difference = g.HighValue.Sub(g.LowValue)
			out = append(out, g)
		}
	}
	return out
}

// Part returns a scenario's figures in a unit, nil if it has none.
func (s *Summary) Part(scenario, unit string) *Part {
	sc := s.ByScenario[scenario]
	if sc == nil {
		return nil
	}
	for i := range sc.Parts {
		if sc.Parts[i].Unit == unit {
			return &sc.Parts[i]
		}
	}
	return nil
}

// Mover returns a label's change in a part, nil if the part has no such row.
func (p *Part) Mover(label string) *Mover {
	for i := range p.Movers {
		if p.Movers[i].Label == label {
			return &p.Movers[i]
		}
	}
	return nil
}

// The beginnings of caveats that a section's text must not leave out.
const (
	ApartCaveat   = "No one baseline holds for all scenarios: "
	PartialCaveat = "No change is given where the first or the last year has no number: "
)

// partialCaveats names the rows whose change is unknown.
func partialCaveats(s *Summary, unit string) []string {
	var labels []string
	for _, name := range cmpOr(s.Scenarios, []string{""}) {
		if p := s.Part(name, unit); p != nil {
			labels = append(labels, p.Partial...)
		}
	}
	slices.Sort(labels)
	if labels = slices.Compact(labels); len(labels) == 0 {
		return nil
	}
	return []string{PartialCaveat + strings.Join(labels, ", ") + "."}
}

// caveats says what a reader should know of the data.
func (w *work) caveats(s *Summary) []string {
	var out []string
	if len(s.Units) > 1 {
		out = append(out, fmt.Sprintf("The chart holds %d units (%s), which are kept apart.", len(s.Units), strings.Join(s.Units, ", ")))
	}
	for _, u := range s.Units {
		if !Additive(u) {
			out = append(out, fmt.Sprintf("Rows in %q are shares or rates and have no total.", u))
		}
	}
	for _, r := range w.rows {
		if r.Label == catalog.Blank {
			out = append(out, "Some rows have no label in the data.")
			break
		}
	}
	if w.baseline != nil && s.Baseline == nil {
		var starts []string
		for _, name := range slices.Sorted(maps.Keys(w.starts)) {
			starts = append(starts, fmt.Sprintf("%s in %s", w.starts[name], cmp.Or(name, "no scenario")))
		}
		out = append(out, ApartCaveat+strings.Join(starts, ", ")+".")
	}
	for _, u := range s.Units {
		out = append(out, partialCaveats(s, u)...)
	}
	for _, r := range w.totals {
		out = append(out, fmt.Sprintf("The row %q is a total and is not added again.", r.Label))
		break
	}
	return append(out, w.chart.Warnings...)
}
