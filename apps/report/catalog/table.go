package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dossier"
	"dossier/internal/faith"
)

// A Shape is how a chart's CSV lays its numbers out.
type Shape string

// The shapes.
const (
	Long  Shape = "long" // one number per row: dim, val, measure, scen
	Wide  Shape = "wide" // one column per year: scen, dim, unit, 2025, …, 2050
	Empty Shape = ""     // no data that can be read
)

// A Table is the rows of one chart.
type Table struct {
	Chart   string   `json:"chart_id"`
	Columns []string `json:"columns"`
	Shape   Shape    `json:"shape"`
	Measure string   `json:"measure"` // name of the number column of a long table
	Years   []int    `json:"years,omitempty"`
	Rows    []Row    `json:"rows"`
}

// A Row is one line of a chart's CSV.
type Row struct {
	Line     int    `json:"line"` // in the file, from 2
	Scenario string `json:"scenario,omitempty"`
	Written  string `json:"scenario_written,omitempty"` // the scenario as the file spells it, if otherwise
	Label    string `json:"label"`                      // the other dimensions, joined by " / "
	Unit     string `json:"unit,omitempty"`
	Kind     string `json:"measure,omitempty"` // "relative", "absolute", "total"; "" if the file does not say
	Cells    []Cell `json:"cells"`             // by year in a wide table, one in a long one; only those that hold a number
}

// A Cell is one number of a row.
type Cell struct {
	Year  int          `json:"year,omitempty"`
	Value faith.Number `json:"value"`
}

// At returns the row's number for a year (0 in a long table without years).
func (r *Row) At(year int) (faith.Number, bool) {
	for _, c := range r.Cells {
		if c.Year == year {
			return c.Value, true
		}
	}
	return faith.Number{}, false
}

// A header says what each column of a CSV is.
type header struct {
	columns                         []string
	scen, unit, kind, value, yearAt int // -1 if there is none
	dims                            []int
	years                           map[int]int // column to year
	shape                           Shape
}

func readHeader(columns []string) header {
	h := header{columns: slices.Clone(columns), scen: -1, unit: -1, kind: -1, value: -1, yearAt: -1, years: map[int]int{}}
	for i, name := range columns {
		switch n := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))); n {
		case "scen", "scenario":
			h.scen = i
		case "unit", "units":
			h.unit = i
		case "measure":
			h.kind = i
		case "val", "value":
			h.value = i
		case "year":
			h.yearAt = i
		default:
			if y, err := strconv.Atoi(n); err == nil && y >= 1900 && y < 2200 {
				h.years[i] = y
				continue
			}
			h.dims = append(h.dims, i)
		}
	}
	switch {
	case len(h.years) > 0:
		h.shape = Wide
	case h.value >= 0:
		h.shape = Long
	}
	return h
}

// dimensions names the columns that tell rows apart, in file order.
func (h *header) dimensions() []string {
	out := []string{}
	for i, name := range h.columns {
		if i == h.scen || i == h.yearAt || slices.Contains(h.dims, i) {
			out = append(out, strings.TrimPrefix(name, "\ufeff"))
		}
	}
	return out
}

func (h *header) yearList() []int {
	out := make([]int, 0, len(h.years))
	for _, y := range h.years {
		out = append(out, y)
	}
	slices.Sort(out)
	return out
}

func field(rec []string, i int) string {
	if i < 0 || i >= len(rec) {
		return ""
	}
	return strings.TrimSpace(rec[i])
}

// open starts reading a chart's CSV.
func (c *Catalog) open(ch *Chart) (io.Closer, *csv.Reader, header, error) {
	if ch.CSV == "" {
		return nil, nil, header{}, dossier.Errorf(dossier.NotFound, "Chart %q has no data file.", ch.ID)
	}
	f, err := c.root.Open(ch.CSV)
	if err != nil {
		return nil, nil, header{}, dossier.Errorf(dossier.NotFound, "The data of chart %q cannot be opened.", ch.ID).Because(err)
	}
	r := csv.NewReader(f)
	r.ReuseRecord, r.FieldsPerRecord, r.LazyQuotes = true, -1, true
	columns, err := r.Read()
	if err != nil {
		return nil, nil, header{}, errors.Join(dossier.Errorf(dossier.Invalid, "The data of chart %q has no header line.", ch.ID), f.Close())
	}
	h := readHeader(columns)
	if h.shape == Empty {
		return nil, nil, h, errors.Join(dossier.Errorf(dossier.Invalid,
			"The data of chart %q has neither a val column nor a column per year.", ch.ID), f.Close())
	}
	return f, r, h, nil
}

// scanCSV learns what a chart's data is about, one row at a time.
func (c *Catalog) scanCSV(ch *Chart) error {
	ch.Columns, ch.Dimensions, ch.Measures, ch.UnitList = []string{}, []string{}, []string{}, []string{}
	if ch.CSV == "" {
		return nil
	}
	f, r, h, err := c.open(ch)
	if err != nil {
		return err
	}
	defer f.Close()
	ch.Columns, ch.Dimensions, ch.Shape, ch.Years = h.columns, h.dimensions(), h.shape, h.yearList()
	ch.Measures = []string{"val"}
	if h.value >= 0 {
		ch.Measures = []string{h.columns[h.value]}
	}
	scenarios, units, years := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return dossier.Errorf(dossier.Invalid, "The data of chart %q cannot be read after %d rows.", ch.ID, ch.RowCount).Because(err)
		}
		ch.RowCount++
		if s := field(rec, h.scen); s != "" && !scenarios[s] {
			scenarios[strings.Clone(s)] = true
		}
		if u := field(rec, h.unit); u != "" && !units[u] {
			units[strings.Clone(u)] = true
		}
		if y := h.yearOf(rec); y != 0 {
			years[y] = true
		}
	}
	if h.shape == Long && len(years) > 0 {
		ch.Years = slices.Sorted(maps.Keys(years))
	}
	for s := range scenarios {
		ch.written = append(ch.written, s)
	}
	for u := range units {
		ch.UnitList = append(ch.UnitList, u)
	}
	slices.Sort(ch.written)
	slices.Sort(ch.UnitList)
	return nil
}

// readTable reads all rows of a chart.
func (c *Catalog) readTable(ch *Chart, limit int) (*Table, error) {
	f, r, h, err := c.open(ch)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &Table{Chart: ch.ID, Columns: h.columns, Shape: h.shape, Measure: "val", Years: h.yearList(), Rows: []Row{}}
	if h.value >= 0 {
		t.Measure = h.columns[h.value]
	}
	unit := ""
	if len(ch.UnitList) == 1 {
		unit = ch.UnitList[0]
	}
	for line := 2; ; line++ {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			slices.Sort(t.Years)
			return t, nil
		}
		if err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "Line %d of chart %q cannot be read.", line, ch.ID).Because(err)
		}
		if len(t.Rows) == limit {
			return nil, dossier.Errorf(dossier.Invalid, "Chart %q has more than %d rows; use a build with the duckdb backend.", ch.ID, limit)
		}
		row, err := h.row(rec, line, unit)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", ch.ID, err)
		}
		if h.shape == Long && len(row.Cells) > 0 && row.Cells[0].Year != 0 && !slices.Contains(t.Years, row.Cells[0].Year) {
			t.Years = append(t.Years, row.Cells[0].Year)
		}
		if usual := c.Scenario(row.Scenario); usual != row.Scenario {
			row.Written, row.Scenario = row.Scenario, usual
		}
		t.Rows = append(t.Rows, row)
	}
}

// Blank is the label of a row whose dimensions are empty.
const Blank = "(unlabelled)"

func (h *header) row(rec []string, line int, unit string) (Row, error) {
	row := Row{Line: line, Scenario: strings.Clone(field(rec, h.scen)), Kind: strings.Clone(field(rec, h.kind)), Unit: unit}
	if u := field(rec, h.unit); u != "" {
		row.Unit = strings.Clone(u)
	}
	var labels []string
	for _, d := range h.dims {
		if v := field(rec, d); v != "" {
			labels = append(labels, strings.Clone(v))
		}
	}
	if row.Label = strings.Join(labels, " / "); row.Label == "" {
		row.Label = Blank
	}
	if h.shape == Long {
		return row, row.add(h.yearOf(rec), field(rec, h.value))
	}
	row.Cells = make([]Cell, 0, len(h.years))
	for i := range h.columns {
		if y, ok := h.years[i]; ok {
			if err := row.add(y, field(rec, i)); err != nil {
				return row, err
			}
		}
	}
	return row, nil
}

// yearOf returns what a record of a long table says in its year column, 0 if nothing.
func (h *header) yearOf(rec []string) int {
	year, _ := strconv.Atoi(field(rec, h.yearAt))
	return year
}

// missing are the usual marks for a number that is not there, in lower case.
var missing = []string{"", "nan", "na", "n/a", "null", "none", "-"}

// add appends a cell; an empty one and the usual marks for missing are left out.
func (r *Row) add(year int, text string) error {
	v, err := faith.Decimal(text)
	if err != nil {
		if slices.Contains(missing, strings.ToLower(text)) {
			return nil
		}
		return dossier.Errorf(dossier.Invalid, "Line %d holds %.40q where a number should be.", r.Line, text)
	}
	r.Cells = append(r.Cells, Cell{Year: year, Value: v})
	return nil
}
