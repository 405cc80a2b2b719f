package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/internal/faith"
)

// A Backend reads and adds up the data of a catalog's charts. Memory is the default;
// a build with the duckdb tag has a second that also answers analysts' SQL and does
// not hold a chart in memory to add it up.
type Backend interface {
	// Name is "memory" or "duckdb".
	Name() string
	// Table returns all rows of a chart.
	Table(ctx context.Context, ch *Chart) (*Table, error)
	// Totals adds up a chart's numbers for one year (0 in a long table without
	// years) by scenario and unit, in that order.
	Totals(ctx context.Context, ch *Chart, year int) ([]Total, error)
	// Query answers one read-only statement over the catalog's tables.
	Query(ctx context.Context, statement string, lim Limits) (*Result, error)
	Close() error
}

// A Total is the sum of a chart's numbers for one scenario in one unit.
type Total struct {
	Scenario string       `json:"scenario"`
	Unit     string       `json:"unit"`
	Rows     int          `json:"rows"`
	Value    faith.Number `json:"value"`
}

// Limits bound what a query may cost.
type Limits struct {
	Rows int           // most rows returned
	Time time.Duration // longest it may run
}

// A Result is what a query returned.
type Result struct {
	Columns   []string   `json:"columns"`
	Rows      [][]string `json:"rows"`
	Truncated bool       `json:"truncated"` // there were more rows
}

// maxRows is the most rows of one chart that are held in memory.
const maxRows = 1_000_000

// A Memory is the backend that reads CSV files as they are asked for and keeps
// nothing between calls. It is safe for concurrent use.
type Memory struct{ Catalog *Catalog }

// Name returns "memory".
func (m *Memory) Name() string { return "memory" }

// Close does nothing.
func (m *Memory) Close() error { return nil }

// Table reads a chart's CSV.
func (m *Memory) Table(ctx context.Context, ch *Chart) (*Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return m.Catalog.readTable(ch, maxRows)
}

// Totals adds up a chart's CSV row by row.
func (m *Memory) Totals(ctx context.Context, ch *Chart, year int) ([]Total, error) {
	f, r, h, err := m.Catalog.open(ch)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var totals []Total
	index := map[[2]string]int{}
	for line := 2; ; line++ {
		if line%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "Line %d of chart %q cannot be read.", line, ch.ID).Because(err)
		}
		text := h.cell(rec, year)
		if slices.Contains(missing, strings.ToLower(text)) {
			continue
		}
		v, err := faith.Decimal(text)
		if err != nil {
			return nil, fmt.Errorf("chart %s, line %d: %w", ch.ID, line, err)
		}
		key := [2]string{m.Catalog.Scenario(field(rec, h.scen)), field(rec, h.unit)}
		i, ok := index[key]
		if !ok {
			i = len(totals)
			index[[2]string{strings.Clone(key[0]), strings.Clone(key[1])}] = i
			totals = append(totals, Total{Scenario: strings.Clone(key[0]), Unit: strings.Clone(key[1])})
		}
		totals[i].Rows++
		totals[i].Value = totals[i].Value.Add(v)
	}
	sortTotals(totals)
	return totals, nil
}

// cell returns the number's text for a year, "" if the row has none.
func (h *header) cell(rec []string, year int) string {
	if h.shape == Long {
		if h.yearAt >= 0 && field(rec, h.yearAt) != fmt.Sprint(year) {
			return ""
		}
		return field(rec, h.value)
	}
	for i, y := range h.years {
		if y == year {
			return field(rec, i)
		}
	}
	return ""
}

func sortTotals(totals []Total) {
	slices.SortFunc(totals, func(a, b Total) int {
		if a.Scenario != b.Scenario {
			return strings.Compare(a.Scenario, b.Scenario)
		}
		return strings.Compare(a.Unit, b.Unit)
	})
}

// Query is not offered: it needs a build with the duckdb tag.
func (m *Memory) Query(context.Context, string, Limits) (*Result, error) {
	return nil, dossier.Errorf(dossier.Unavailable,
		"SQL needs a build with the duckdb tag; compare_scenarios and trend_summary answer most questions without it.")
}
