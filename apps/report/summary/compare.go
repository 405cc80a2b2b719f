package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/internal/faith"
)

// A Comparison sets two scenarios of a chart side by side.
type Comparison struct {
	ChartID string       `json:"chart_id"`
	A       string       `json:"a"`
	B       string       `json:"b"`
	Year    int          `json:"year,omitempty"`
	Rows    []CompareRow `json:"rows"` // the widest difference first
	Totals  []CompareRow `json:"totals"`
	Only    []MissingRow `json:"only_in_one,omitempty"`
	Note    string       `json:"note,omitempty"`
	Largest *CompareRow  `json:"largest,omitempty"`
}

// A CompareRow is one label (or the total) in both scenarios.
type CompareRow struct {
	Label      string       `json:"label"`
	Unit       string       `json:"unit"`
	A          faith.Number `json:"a"`
	B          faith.Number `json:"b"`
	Difference faith.Number `json:"difference"` // a less b
}

// A MissingRow is a label that only one scenario has.
type MissingRow struct {
	Label    string `json:"label"`
	Scenario string `json:"scenario"`
}

// Compare sets two scenarios of a chart side by side for a year, 0 meaning the last.
func Compare(ch *catalog.Chart, t *catalog.Table, a, b string, year int) (*Comparison, error) {
	w := &work{chart: ch, table: t}
	w.sort()
	for _, s := range []string{a, b} {
		if !slices.Contains(scenariosOf(t), s) {
			return nil, dossier.Errorf(dossier.NotFound, "Chart %q has no scenario %q; it has %s.", ch.ID, s, strings.Join(scenariosOf(t), ", "))
		}
	}
	if year == 0 && len(t.Years) > 0 {
		year = t.Years[len(t.Years)-1]
	}
	if year != 0 && !slices.Contains(t.Years, year) {
		return nil, dossier.Errorf(dossier.NotFound, "Chart %q has no year %d.", ch.ID, year)
	}
	c := &Comparison{ChartID: ch.ID, A: a, B: b, Year: year, Rows: []CompareRow{}, Totals: []CompareRow{}}
	for _, unit := range unitsOf(t) {
		w.compare(c, unit)
	}
	slices.SortStableFunc(c.Rows, func(x, y CompareRow) int {
		return cmp.Or(y.Difference.Abs().Cmp(x.Difference.Abs()), strings.Compare(x.Label, y.Label))
	})
	if len(c.Rows) > 0 {
		c.Largest = &c.Rows[0]
	}
	return c, nil
}

func (w *work) compare(c *Comparison, unit string) {
	side := func(s string) (map[string]faith.Number, []string, faith.Number) {
		values, order := map[string]faith.Number{}, []string{}
		var total faith.Number
		for _, r := range w.rows {
			v, ok := r.At(c.Year)
			if r.Scenario != s || r.Unit != unit || !ok {
				continue
			}
			if _, seen := values[r.Label]; !seen {
				order = append(order, r.Label)
			}
			values[r.Label] = values[r.Label].Add(v)
			total = total.Add(v)
		}
		return values, order, total
	}
	as, labels, ta := side(c.A)
	bs, others, tb := side(c.B)
	for _, l := range labels {
		if _, ok := bs[l]; !ok {
			c.Only = append(c.Only, MissingRow{l, c.A})
			continue
		}
		c.Rows = append(c.Rows, CompareRow{l, unit, as[l], bs[l], as[l].Sub(bs[l])})
	}
	for _, l := range others {
		if _, ok := as[l]; !ok {
			c.Only = append(c.Only, MissingRow{l, c.B})
		}
	}
	if Additive(unit) && len(labels)+len(others) > 0 {
		c.Totals = append(c.Totals, CompareRow{"total", unit, ta, tb, ta.Sub(tb)})
	} else {
		c.Note = "Rows are shares or rates, so there is no total."
	}
}

// A Trend is how one series, or the total, moves over the years.
type Trend struct {
	ChartID   string        `json:"chart_id"`
	Scenario  string        `json:"scenario,omitempty"`
	Label     string        `json:"label"` // "total" for the sum of all rows
	Unit      string        `json:"unit"`
	FirstYear int           `json:"first_year"`
	LastYear  int           `json:"last_year"`
	First     faith.Number  `json:"first"`
	Last      faith.Number  `json:"last"`
	Change    faith.Number  `json:"change"`
	Percent   *faith.Number `json:"percent_change,omitempty"`
	Direction string        `json:"direction"` // "rises", "falls", "rises then falls", "falls then rises", "is flat", "moves both ways"
	PeakYear  int           `json:"peak_year"`
	Peak      faith.Number  `json:"peak"`
	LowYear   int           `json:"low_year"`
	Low       faith.Number  `json:"low"`
}

// Trends describes every series of a chart over its years; label "" means all.
func Trends(ch *catalog.Chart, t *catalog.Table, label string) ([]Trend, error) {
	if len(t.Years) < 2 {
		return nil, dossier.Errorf(dossier.Invalid, "Chart %q has no years to follow; get_chart_data gives its values.", ch.ID)
	}
	w := &work{chart: ch, table: t}
	w.sort()
	var out []Trend
	for _, scen := range cmpOr(scenariosOf(t), []string{""}) {
		for _, unit := range unitsOf(t) {
			var rows []*catalog.Row
			for _, r := range w.rows {
				if r.Scenario == scen && r.Unit == unit {
					rows = append(rows, r)
				}
			}
			if len(rows) == 0 {
				continue
			}
			if Additive(unit) && (label == "" || label == "total") {
				out = append(out, trendOf(ch, scen, "total", unit, rows))
			}
			for _, same := range byLabel(rows) {
				if label == "" || strings.EqualFold(label, same[0].Label) {
					out = append(out, trendOf(ch, scen, same[0].Label, unit, same))
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, dossier.Errorf(dossier.NotFound, "Chart %q has no row %q.", ch.ID, label)
	}
	return out, nil
}

func trendOf(ch *catalog.Chart, scen, label, unit string, rows []*catalog.Row) Trend {
	years := yearsOf(rows)
	t := Trend{ChartID: ch.ID, Scenario: scen, Label: label, Unit: unit}
	if len(years) == 0 {
		t.Direction = "has no data"
		return t
	}
	var signs []int
	var prev faith.Number
	for i, y := range years {
		v := sum(rows, y)
		if i == 0 || v.Cmp(t.Peak) > 0 {
			t.PeakYear, t.Peak = y, v
		}
		if i == 0 || v.Cmp(t.Low) < 0 {
			t.LowYear, t.Low = y, v
		}
		if s := v.Cmp(prev); i > 0 && s != 0 && (len(signs) == 0 || signs[len(signs)-1] != s) {
			signs = append(signs, s)
		}
		prev = v
	}
	t.FirstYear, t.LastYear = years[0], years[len(years)-1]
	t.First, t.Last = sum(rows, t.FirstYear), sum(rows, t.LastYear)
	t.Change = t.Last.Sub(t.First)
	if pct, ok := t.Change.Percent(t.First.Abs()); ok {
		t.Percent = &pct
	}
	t.Direction = directionOf(signs)
	return t
}

func directionOf(signs []int) string {
	switch {
	case len(signs) == 0:
		return "is flat"
	case len(signs) > 2:
		return "moves both ways"
	case len(signs) == 2 && signs[0] > 0:
		return "rises then falls"
	case len(signs) == 2:
		return "falls then rises"
	case signs[0] > 0:
		return "rises"
	default:
		return "falls"
	}
}

// A Disagreement is one quantity that two charts state differently.
type Disagreement struct {
	Quantity   string       `json:"quantity"`
	ChartA     string       `json:"chart_a"`
	A          faith.Number `json:"a"`
	ChartB     string       `json:"chart_b"`
	B          faith.Number `json:"b"`
	Unit       string       `json:"unit"`
	Difference faith.Number `json:"difference"`
	Tolerance  faith.Number `json:"tolerance"` // what rounding of the cells explains
}

func (d Disagreement) String() string {
	return fmt.Sprintf("%s: %s has %s %s, %s has %s %s", d.Quantity, d.ChartA, d.A, d.Unit, d.ChartB, d.B, d.Unit)
}

// A Pair is a chart with its rows.
type Pair struct {
	Chart *catalog.Chart
	Table *catalog.Table
}

// Consistency compares quantities that two charts hold both: changes against levels
// of the same rows, and a row of one chart against the total of the chart that is
// about it. It returns how many were compared and which disagree by more than the
// rounding of their cells. A chart's cells are taken to be rounded to the most decimals
// that any of them has, but to no more than two. Shares and rows whose label stands
// twice are not compared with a change.
func Consistency(pairs []Pair) (compared int, out []Disagreement) {
	return consistency(pairs, (*work).rounding, true)
}

// Consistency1 is Consistency as it was first: every cell is taken to be rounded to two
// decimals, and shares and doubled labels are compared, too. What was found that way is
// worked out again that way.
func Consistency1(pairs []Pair) (compared int, out []Disagreement) {
	return consistency(pairs, func(*work) faith.Number { return hundredth }, false)
}

func consistency(pairs []Pair, rounding func(*work) faith.Number, strict bool) (compared int, out []Disagreement) {
	for i := range pairs {
		for j := range pairs {
			if i == j {
				continue
			}
			a, b := newWork(pairs[i]), newWork(pairs[j])
			a.half, b.half = rounding(a), rounding(b)
			n, bad := changesAgainstLevels(a, b, strict)
			compared, out = compared+n, append(out, bad...)
			n, bad = rowAgainstTotal(a, b)
			compared, out = compared+n, append(out, bad...)
		}
	}
	return compared, out
}

func newWork(p Pair) *work {
	w := &work{chart: p.Chart, table: p.Table}
	w.sort()
	return w
}

// changesAgainstLevels compares a chart of changes with a chart of levels that has
// most of its labels.
func changesAgainstLevels(a, b *work, strict bool) (compared int, out []Disagreement) {
	if !a.relative || b.relative || len(b.table.Years) < 2 || !sharesLabels(a, b) {
		return 0, nil
	}
	first, last := b.table.Years[0], b.table.Years[len(b.table.Years)-1]
	for _, r := range a.rows {
		for _, o := range b.rows {
			if o.Label != r.Label || o.Scenario != r.Scenario || o.Unit != r.Unit || len(r.Cells) != 1 {
				continue
			}
			if strict && (!Additive(r.Unit) || len(a.like(r)) > 1 || len(b.like(r)) > 1) {
				continue
			}
			x, ok1 := o.At(first)
			y, ok2 := o.At(last)
			if !ok1 || !ok2 {
				continue
			}
			compared++
			q := fmt.Sprintf("change of %s in %s from %d to %d", r.Label, r.Scenario, first, last)
			out = appendDisagreement(out, q, a, r.Cells[0].Value, b, y.Sub(x), r.Unit, 2)
		}
	}
	return compared, out
}

// like returns the rows with another row's scenario, label and unit.
func (w *work) like(r *catalog.Row) []*catalog.Row {
	var out []*catalog.Row
	for _, o := range w.rows {
		if o.Label == r.Label && o.Scenario == r.Scenario && o.Unit == r.Unit {
			out = append(out, o)
		}
	}
	return out
}

func sharesLabels(a, b *work) bool {
	have := map[string]bool{}
	for _, r := range b.rows {
		have[r.Label] = true
	}
	all, both := map[string]bool{}, 0
	for _, r := range a.rows {
		if !all[r.Label] && have[r.Label] {
			both++
		}
		all[r.Label] = true
	}
	return len(all) > 0 && both*10 >= len(all)*6
}

// rowAgainstTotal compares a row "Iron & Steel" with the total of a chart titled
// "Iron and Steel Emissions", if both are about the same measure.
func rowAgainstTotal(a, b *work) (compared int, out []Disagreement) {
	if a.relative || b.relative {
		return 0, nil
	}
	title := words(b.chart.Title)
	for _, r := range a.rows {
		label := words(r.Label)
		if !about(label, title, words(a.chart.Title)) || !Additive(r.Unit) {
			continue
		}
		var rows []*catalog.Row
		for _, o := range b.rows {
			if o.Scenario == r.Scenario && o.Unit == r.Unit {
				rows = append(rows, o)
			}
		}
		for _, c := range r.Cells {
			if len(rows) == 0 || !slices.Contains(yearsOf(rows), c.Year) {
				continue
			}
			compared++
			out = appendDisagreement(out, fmt.Sprintf("%s in %s, %d", r.Label, r.Scenario, c.Year), a, c.Value, b, sum(rows, c.Year), r.Unit, len(rows))
		}
	}
	return compared, out
}

// qualifiers change what a measure is: captured emissions are not emissions.
var qualifiers = []string{"captured", "abatement", "abated", "reduction", "intensity", "net", "new", "annual", "capacity", "fraction", "share"}

// about reports whether a chart's title is a label followed by the very measure that
// ends the other chart's title, before "by".
func about(label, title, other []string) bool {
	if len(label) == 0 || len(title) <= len(label) || !slices.Equal(title[:len(label)], label) {
		return false
	}
	rest, other := beforeBy(title[len(label):]), beforeBy(other)
	if len(rest) == 0 || len(other) < len(rest) || !slices.Equal(other[len(other)-len(rest):], rest) {
		return false
	}
	for _, q := range qualifiers {
		if slices.Contains(rest, q) != slices.Contains(other, q) {
			return false
		}
	}
	return true
}

func beforeBy(words []string) []string {
	if i := slices.Index(words, "by"); i >= 0 {
		return words[:i]
	}
	return words
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "&", "and")), func(r rune) bool { return r == ' ' || r == '-' || r == ',' })
}

// hundredth is half of the second decimal.
var hundredth = must(faith.Decimal("0.005"))

func must(n faith.Number, err error) faith.Number {
	if err != nil {
		panic(err)
	}
	return n
}

// rounding is half a unit in the last place of the table's cells.
func (w *work) rounding() faith.Number {
	places := 0
	for _, r := range w.table.Rows {
		for _, c := range r.Cells {
			_, decimals, _ := strings.Cut(c.Value.String(), ".")
			if places = max(places, len(decimals)); places >= 2 {
				return hundredth
			}
		}
	}
	return faith.Int(5).Div(10).Div([]int{1, 10}[places])
}

// appendDisagreement adds one if a's cell and the figure from so many cells of b differ
// by more than the rounding of each.
func appendDisagreement(out []Disagreement, what string, a *work, x faith.Number, b *work, y faith.Number, unit string, cells int) []Disagreement {
	tolerance := a.half
	for range cells {
		tolerance = tolerance.Add(b.half)
	}
	diff := x.Sub(y)
	if diff.Abs().Cmp(tolerance) <= 0 {
		return out
	}
	return append(out, Disagreement{what, a.chart.ID, x, b.chart.ID, y, unit, diff, tolerance})
}
