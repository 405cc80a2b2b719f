package summary

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/internal/faith"
)

// EvidenceKind is the kind of evidence a chart's rows are recorded as.
const EvidenceKind = "chart_table"

// A Record is a chart's rows as evidence holds them.
type Record struct {
	ChartID  string      `json:"chart_id"`
	Title    string      `json:"title"`
	Category string      `json:"category"`
	Units    string      `json:"units"`
	PNG      string      `json:"path_png,omitempty"`
	BaseYear int         `json:"base_year,omitempty"`
	EndYear  int         `json:"final_year,omitempty"`
	Total    string      `json:"total_name,omitempty"` // label of a row that sums up the others
	Rows     []RecordRow `json:"rows"`
}

// A RecordRow is one row of a Record; Values are keyed by year, or "val".
type RecordRow struct {
	Line     int                     `json:"line"`
	Scenario string                  `json:"scenario,omitempty"`
	Label    string                  `json:"label"`
	Unit     string                  `json:"unit,omitempty"`
	Measure  string                  `json:"measure,omitempty"`
	Values   map[string]faith.Number `json:"values"`
}

// Evidence returns a chart's rows as one recorded fact.
func Evidence(ch *catalog.Chart, t *catalog.Table, system string) dossier.Evidence {
	rec := Record{ChartID: ch.ID, Title: ch.Title, Category: ch.Category, Units: ch.Units, PNG: ch.PNG, BaseYear: ch.BaseYear, EndYear: ch.FinalYear, Total: ch.Total, Rows: []RecordRow{}}
	for _, r := range t.Rows {
		row := RecordRow{Line: r.Line, Scenario: r.Scenario, Label: r.Label, Unit: r.Unit, Measure: r.Kind, Values: map[string]faith.Number{}}
		for _, c := range r.Cells {
			row.Values[valueKey(c.Year)] = c.Value
		}
		rec.Rows = append(rec.Rows, row)
	}
	return dossier.NewEvidence(EvidenceKind, dossier.Source{System: system, Locator: ch.CSV}, rec, "%s: %d rows", ch.Title, len(t.Rows))
}

// FromEvidence rebuilds a chart and its table from recorded rows.
func FromEvidence(e dossier.Evidence) (*catalog.Chart, *catalog.Table, error) {
	var rec Record
	if err := json.Unmarshal(e.Data, &rec); err != nil {
		return nil, nil, fmt.Errorf("chart evidence %s: %w", e.ID, err)
	}
	ch := &catalog.Chart{
		ID: rec.ChartID, Title: rec.Title, Category: rec.Category, Units: rec.Units, PNG: rec.PNG, BaseYear: rec.BaseYear, FinalYear: rec.EndYear,
		Total: rec.Total, CSV: e.Source.Locator, RowCount: len(rec.Rows),
	}
	t := &catalog.Table{Chart: rec.ChartID, Measure: "val", Shape: catalog.Long, Rows: []catalog.Row{}}
	for _, r := range rec.Rows {
		row := catalog.Row{Line: r.Line, Scenario: r.Scenario, Label: r.Label, Unit: r.Unit, Kind: r.Measure}
		for key, v := range r.Values {
			year, _ := strconv.Atoi(key)
			if year != 0 && !slices.Contains(t.Years, year) {
				t.Years = append(t.Years, year)
				t.Shape = catalog.Wide
			}
			row.Cells = append(row.Cells, catalog.Cell{Year: year, Value: v})
		}
		slices.SortFunc(row.Cells, func(a, b catalog.Cell) int { return a.Year - b.Year })
		t.Rows = append(t.Rows, row)
	}
	slices.Sort(t.Years)
	return ch, t, nil
}

func valueKey(year int) string {
	if year == 0 {
		return "val"
	}
	return strconv.Itoa(year)
}

// FaithUnit maps a unit of the data to the one prose is checked with.
func FaithUnit(unit string) string {
	switch {
	case strings.Contains(unit, "%"):
		return "%"
	case strings.EqualFold(unit, "fraction") || strings.EqualFold(unit, "ratio"):
		return faith.None
	default:
		return unit
	}
}

// plainLabels are labels too common as words to be taken for a row's name.
var plainLabels = []string{"other", "total", "net", "all", "none", "new", "old", "none", "base"}

// Names makes the scenarios' and rows' names known, so that a number can be tied to
// what it is said of.
func Names(f *faith.Facts, scenarios []string, tables ...*catalog.Table) {
	for _, s := range scenarios {
		f.Name("scenario", s, Aliases(s, scenarios)...)
	}
	for _, t := range tables {
		for _, r := range t.Rows {
			if named(r.Label) {
				f.Name("series", r.Label, strings.ReplaceAll(r.Label, " & ", " and "))
			}
		}
	}
}

func named(label string) bool {
	return len(label) > 2 && label != catalog.Blank && !slices.Contains(plainLabels, strings.ToLower(label))
}

// Aliases returns other ways to write a scenario: without what all share in front
// ("1p5DS"), with spaces for hyphens, with a point for p.
func Aliases(name string, all []string) []string {
	out := []string{spaced(name)}
	if prefix := commonPrefix(all); prefix != "" && len(prefix) < len(name) {
		short := name[len(prefix):]
		out = append(out, short, spaced(short), pointed(short))
	}
	return out
}

// Says reports whether words stand in a text as words of their own.
func Says(text, words string) bool {
	for from := 0; words != ""; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(words):])
		if !wordly(before) && !wordly(after) {
			return true
		}
		from = i + 1
	}
	return false
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func spaced(s string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(s) }

func pointed(s string) string {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == 'p' && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9' {
			return s[:i] + "." + s[i+1:]
		}
	}
	return s
}

// commonPrefix returns what all names share up to a hyphen, space or underscore.
func commonPrefix(all []string) string {
	if len(all) < 2 {
		return ""
	}
	prefix := all[0]
	for _, s := range all[1:] {
		for !strings.HasPrefix(s, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix[:strings.LastIndexAny(prefix, "-_ ")+1]
}

// Declare makes every cell of a chart known to f, and every figure that text may
// derive from them: totals, changes, shares, gaps and means. id is the evidence that
// holds the chart's rows.
func Declare(f *faith.Facts, id dossier.EvidenceID, ch *catalog.Chart, t *catalog.Table) error {
	return declare(&declaration{facts: f, id: id, work: &work{chart: ch, table: t}})
}

// Declare2 is Declare as versions 1 and 2 of the checks have it: scenarios are compared
// by the first row of a label and by the last year of all units, and the year of a
// baseline is no known word. What was found that way is worked out again that way.
func Declare2(f *faith.Facts, id dossier.EvidenceID, ch *catalog.Chart, t *catalog.Table) error {
	return declare(&declaration{facts: f, id: id, work: &work{chart: ch, table: t}, early: true})
}

func declare(d *declaration) error {
	f, ch, t := d.facts, d.work.chart, d.work.table
	d.work.sort()
	d.cells()
	f.Allow(ch.ID, ch.Title)
	for _, y := range t.Years {
		f.Allow(strconv.Itoa(y))
	}
	if b := d.work.baseline; b != nil && !d.early {
		f.Allow(strconv.Itoa(b.Year))
	}
	for _, y := range []int{ch.BaseYear, ch.FinalYear} {
		if y != 0 && (d.work.relative || y == ch.BaseYear) {
			f.Allow(strconv.Itoa(y))
		}
	}
	scenarios := scenariosOf(t)
	f.Add(faith.Fact{Ref: faith.Ref{Computed: ch.ID + " scenarios"}, Value: faith.Int(len(scenarios)), Unit: faith.None, Label: "scenarios in " + ch.Title})
	f.Add(faith.Fact{Ref: faith.Ref{Computed: ch.ID + " rows"}, Value: faith.Int(len(t.Rows)), Unit: faith.None, Label: "rows of " + ch.Title})
	for _, unit := range unitsOf(t) {
		for _, s := range cmpOr(scenarios, []string{""}) {
			if err := d.scenario(s, unit); err != nil {
				return err
			}
		}
		if err := d.across(scenarios, unit); err != nil {
			return err
		}
	}
	return nil
}

type declaration struct {
	facts *faith.Facts
	id    dossier.EvidenceID
	work  *work
	early bool // as versions 1 and 2 of the checks have it
}

// ref is where a row's number for a year is recorded.
func (d *declaration) ref(r *catalog.Row, year int) string {
	i := slices.IndexFunc(d.work.table.Rows, func(o catalog.Row) bool { return o.Line == r.Line })
	return faith.Ref{Evidence: d.id, Path: fmt.Sprintf("/rows/%d/values/%s", i, valueKey(year))}.String()
}

func (d *declaration) cells() {
	for i := range d.work.table.Rows {
		r := &d.work.table.Rows[i]
		base, isBase := BaselineYear(r)
		for _, c := range r.Cells {
			names := map[string]string{}
			if r.Scenario != "" && !isBase {
				names["scenario"] = r.Scenario
			}
			if named(r.Label) && !isBase {
				names["series"] = r.Label
			}
			year := c.Year
			if isBase {
				year = base
			}
			level := year
			if d.work.relative && !isBase {
				level = d.work.chart.FinalYear
			}
			d.facts.Add(faith.Fact{
				Year: level, Groups: d.groups("cell", r.Unit, c.Year, r.Scenario, r.Label, isBase || IsTotal(d.work.chart, r)),
				Ref:   faith.Ref{Evidence: d.id, Path: fmt.Sprintf("/rows/%d/values/%s", i, valueKey(c.Year))},
				Value: c.Value, Unit: FaithUnit(r.Unit), Names: names, Change: d.work.relative && !isBase,
				Trend: trend(r, c), Label: joinLabel(d.work.chart.Title, r.Label, r.Scenario, year),
			})
		}
	}
}

// groups names what a row's figure is ranked among: the other rows of its scenario, and
// the same row of the other scenarios.
func (d *declaration) groups(what, unit string, year int, scenario, label string, alone bool) map[string]string {
	if alone {
		return nil
	}
	at := fmt.Sprintf("%s %s %s %d ", d.work.chart.ID, what, unit, year)
	g := map[string]string{"scenario": at + "of " + label}
	if label != "" {
		g["series"] = at + "in " + scenario
	}
	return g
}

// trend is the way a cell was reached from the row's first.
func trend(r *catalog.Row, c catalog.Cell) int {
	if c.Year == 0 || len(r.Cells) == 0 || r.Cells[0].Year == c.Year {
		return 0
	}
	return c.Value.Cmp(r.Cells[0].Value)
}

func joinLabel(title, label, scenario string, year int) string {
	parts := []string{title, label}
	if scenario != "" {
		parts = append(parts, scenario)
	}
	if year != 0 {
		parts = append(parts, strconv.Itoa(year))
	}
	return strings.Join(parts, ", ")
}

// compute declares one figure and sets the trend that words may state of it.
func (d *declaration) compute(name string, op faith.Op, of []string, names map[string]string, trend int, label string) (string, error) {
	full := d.work.chart.ID + " " + name
	fact, err := d.facts.Compute(faith.Computed{Name: full, Op: op, Of: of, Label: d.work.chart.Title + ", " + label, Names: names})
	if err != nil {
		return "", fmt.Errorf("declare %s: %w", full, err)
	}
	if trend != 0 {
		fact.Trend = trend
		d.facts.Add(fact)
	}
	return "=" + full, nil
}

// mend changes what is known of a declared figure.
func (d *declaration) mend(ref string, change func(*faith.Fact)) {
	fact, _ := d.facts.Fact(ref)
	change(&fact)
	d.facts.Add(fact)
}
