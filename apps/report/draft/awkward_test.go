package draft_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dossier/apps/report/catalog"
	"dossier/apps/report/draft"
	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/faith"

	"pgregory.net/rapid"
)

// chartOf draws a chart of any shape that run folders have: long or by year, changes or
// levels, one unit or two, with numbers and whole rows missing.
func chartOf(t *rapid.T, id string, scenarios []string) narrator.Chart {
	labels := []string{"Power Generation", "Land Use", "Gas", "Other", "Total"}
	units := [][]string{{"PJ"}, {"Mt CO₂-e"}, {"%"}, {"PJ", "%"}, {"PJ", "Mt CO₂-e"}, {""}, {"fraction"}}[rapid.IntRange(0, 6).Draw(t, "units")]
	years := [][]int{{0}, {2025, 2050}, {2025, 2030, 2050}}[rapid.IntRange(0, 2).Draw(t, "years")]
	relative := years[0] == 0 && rapid.Bool().Draw(t, "relative")
	table := &catalog.Table{Chart: id, Columns: []string{"scen", "fuel", "unit"}, Measure: "val", Shape: catalog.Long, Rows: []catalog.Row{}}
	byYear := years[0] != 0 && rapid.Bool().Draw(t, "a row per year")
	if years[0] != 0 {
		table.Years = years
	}
	if years[0] != 0 && !byYear {
		table.Shape = catalog.Wide
	}
	add := func(scen, label, unit string, cells ...catalog.Cell) {
		r := catalog.Row{Line: len(table.Rows) + 2, Scenario: scen, Label: label, Unit: unit, Cells: cells}
		if relative {
			r.Kind = "relative"
		}
		table.Rows = append(table.Rows, r)
	}
	number := func() faith.Number {
		v, err := faith.Decimal(fmt.Sprintf("%d.%02d", rapid.IntRange(-900, 900).Draw(t, "whole"), rapid.IntRange(0, 99).Draw(t, "cents")))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, scen := range scenarios {
		if relative && rapid.Bool().Draw(t, "has baseline") {
			add(scen, "Net 2025", units[0], catalog.Cell{Value: number()})
		}
		for _, label := range labels[:rapid.IntRange(0, len(labels)).Draw(t, "rows")] {
			var cells []catalog.Cell
			for _, y := range years {
				if rapid.IntRange(0, 7).Draw(t, "gap") > 0 {
					cells = append(cells, catalog.Cell{Year: y, Value: number()})
				}
			}
			unit := units[rapid.IntRange(0, len(units)-1).Draw(t, "unit")]
			if !byYear {
				add(scen, label, unit, cells...)
				continue
			}
			for _, c := range cells {
				add(scen, label, unit, c)
			}
		}
	}
	ch := &catalog.Chart{ID: id, Title: "Energy Use of " + id, UnitList: units, Units: strings.Join(units, "; "), Years: table.Years, FinalYear: 2050, CSV: id + ".csv"}
	return narrator.Chart{Chart: ch, Table: table, Summary: summary.Of(ch, table)}
}

// TestNarratorHoldsOnAnyData has the narrator write about charts that nobody looked at
// first: it neither fails nor writes what its own checks refuse.
func TestNarratorHoldsOnAnyData(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := []string{"Run-High", "Run-Low", "Run-Middle"}
		var charts []narrator.Chart
		sel := mapping.Selection{Section: "energy"}
		for i := range rapid.IntRange(1, 2).Draw(t, "charts") {
			c := chartOf(t, fmt.Sprintf("chart_%c", 'a'+i), run[:rapid.IntRange(1, 3).Draw(t, "scenarios")])
			if len(c.Table.Rows) == 0 {
				continue
			}
			charts = append(charts, c)
			sel.Choices = append(sel.Choices, mapping.Choice{ChartID: c.Chart.ID, Key: c.Chart.ID})
		}
		notes := []outline.Note{{ID: "N1", Text: "Add a baseline comparison."}, {ID: "N2", Text: "Say more about Land Use in Run-Low."}, {ID: "N3", Text: "Give it year by year."}, {ID: "N4", Text: "Compare the scenarios."}}
		c := draft.NewContext(outline.Section{ID: "energy", Title: "Energy"}, sel, charts, nil, run, notes[:rapid.IntRange(0, 4).Draw(t, "notes")])
		d := narrator.Write(c.Input())
		f, err := c.Facts(nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := c.Check(d.Text, f, d.Answers); !v.OK {
			var rows []string
			for _, ch := range charts {
				for _, r := range ch.Table.Rows {
					rows = append(rows, fmt.Sprint(ch.Chart.ID, " ", r.Scenario, " | ", r.Label, " | ", r.Unit, " | ", r.Kind, r.Cells))
				}
			}
			t.Fatalf("reasons %q\n%s\n\n%s", slices.Compact(v.Reasons), strings.Join(rows, "\n"), d.Text)
		}
	})
}
