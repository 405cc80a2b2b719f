package summary

import (
	"fmt"
	"regexp"
	"strings"

	"dossier/apps/report/catalog"
	"dossier/internal/faith"
)

// work is a table with its rows told apart: those that count, the baseline, totals.
type work struct {
	chart    *catalog.Chart
	table    *catalog.Table
	rows     []*catalog.Row
	totals   []*catalog.Row // rows that are the sum of others, left out of sums
	baseline *Baseline
	starts   map[string]string // each scenario's baseline, in words
	apart    bool              // the scenarios start from different levels
	relative bool
	half     faith.Number // of the last place that the table's cells are rounded to
}

var baselineName = regexp.MustCompile(`(?i)^(?:net|base|baseline|total)\s+((?:19|20|21)\d\d)$`)

func (w *work) sort() {
	for i := range w.table.Rows {
		r := &w.table.Rows[i]
		if strings.EqualFold(r.Kind, "relative") {
			w.relative = true
		}
	}
	for i := range w.table.Rows {
		r := &w.table.Rows[i]
		switch year, is := BaselineYear(r); {
		case is && w.table.Shape == catalog.Long && len(w.table.Years) == 0:
			w.start(r, year)
		case IsTotal(w.chart, r):
			w.totals = append(w.totals, r)
		default:
			w.rows = append(w.rows, r)
		}
	}
}

// start takes a row that holds a baseline. The first is the chart's; the scenarios
// start apart if one differs from it.
func (w *work) start(r *catalog.Row, year int) {
	if len(r.Cells) == 0 {
		return
	}
	b := Baseline{Name: r.Label, Value: r.Cells[0].Value, Unit: r.Unit, Year: year}
	if w.baseline == nil {
		w.baseline, w.starts = &b, map[string]string{}
	}
	w.starts[r.Scenario] = quantity(b.Value, b.Unit)
	w.apart = w.apart || b.Value.Cmp(w.baseline.Value) != 0 || b.Unit != w.baseline.Unit || b.Year != w.baseline.Year
}

// shared returns the baseline that holds for every scenario, nil if none does.
func (w *work) shared(scenarios []string) *Baseline {
	for _, name := range scenarios {
		if _, ok := w.starts[name]; !ok && w.starts[""] == "" {
			return nil
		}
	}
	if w.apart {
		return nil
	}
	return w.baseline
}

// BaselineYear recognises a row that holds the level of a year, such as "Net 2025".
func BaselineYear(r *catalog.Row) (int, bool) {
	g := baselineName.FindStringSubmatch(r.Label)
	if g == nil {
		return 0, false
	}
	year := 0
	_, _ = fmt.Sscan(g[1], &year)
	return year, true
}

// IsTotal recognises a row that sums up the others.
func IsTotal(ch *catalog.Chart, r *catalog.Row) bool {
	return strings.EqualFold(r.Kind, "total") || ch.Total != "" && strings.EqualFold(r.Label, ch.Total) ||
		strings.EqualFold(r.Label, "total") || strings.EqualFold(r.Label, "net emissions")
}
