package summary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/demo"
	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

func load(t testing.TB, id string) (*catalog.Chart, *catalog.Table) {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(context.Background(), filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	ch, err := c.Chart(id)
	if err != nil {
		t.Fatal(err)
	}
	table, err := (&catalog.Memory{Catalog: c}).Table(context.Background(), ch)
	if err != nil {
		t.Fatal(err)
	}
	return ch, table
}

func list(movers []summary.Mover) string {
	var out []string
	for _, m := range movers {
		out = append(out, m.Label+" "+m.Value.String())
	}
	return strings.Join(out, ", ")
}

func TestGolden(t *testing.T) {
	t.Parallel()
	ch, table := load(t, "emissions_reduction_by_sector")
	c := summary.Of(ch, table)
	s := c.Summary
	equal := func(name, got, want string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	equal("R-032 chart", c.ChartID, "emissions_reduction_by_sector")
	equal("R-033 R-093 columns", strings.Join(c.Schema.Columns, " "), "process_sector0 val measure scen")
	equal("R-034 R1 rows", fmt.Sprint(c.RowCount), "24")
	equal("R-035 R-094 dimensions", strings.Join(s.Dimensions, " ")+"|"+s.Measure, "process_sector0 scen|val")
	equal("R-036 R-095 measure type", s.MeasureType, "relative (change from 2025)")
	equal("R-037 R-096 scenarios", strings.Join(s.Scenarios, " "), "Ampol-1p5DS Ampol-2p5DS Ampol-House-View")
	equal("R-038 R-084 R-097 baseline", s.Baseline.Name+" "+s.Baseline.Value.String(), "Net 2025 401.05")
	one, two, view := s.ByScenario["Ampol-1p5DS"], s.ByScenario["Ampol-2p5DS"], s.ByScenario["Ampol-House-View"]
	equal("R-039 R-084 R-098 total", one.Total.String(), "-472.53")
	equal("R-040 R-099 top three", list(one.Reductions), "Power Generation -128.92, Industry -109.74, Transport -94.07")
	equal("R-100 total", two.Total.String(), "-397.51")
	equal("R-100 top three", list(two.Reductions), "Power Generation -128.92, Land Use -101.06, Industry -97.01")
	equal("R-101 total", view.Total.String(), "-195.63")
	equal("R-041 R-084 R-101 notable", view.Notable, "Land Use shows net INCREASE of +33.58")
	equal("R-041 nothing notable", one.Notable, "")
	insights := strings.Join(s.KeyInsights, "\n")
	for name, want := range map[string]string{
		"R-042 R-102 baseline":       "All scenarios start from baseline of 401.05 Mt CO₂-e in 2025",
		"R-103 R2 leader, half-even": "Power Generation provides the largest reduction across all scenarios (a mean of 128.56 Mt CO₂-e, rounded 129)",
		"R-104 deepest":              "Ampol-1p5DS achieves the deepest cuts (-472.53 Mt CO₂-e), with Industry (-109.74) and Transport (-94.07) contributing significantly",
		"R-105 weakest":              "Ampol-House-View shows weaker Transport reductions (-21.01 against -94.07 in Ampol-1p5DS) and net increase from Land Use (+33.58)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(insights, want) {
				t.Errorf("insights lack %q:\n%s", want, insights)
			}
		})
	}
	t.Run("R-028 the design's names in JSON", func(t *testing.T) {
		t.Parallel()
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"total_reduction":-472.53`, `{"sector":"Power Generation","value":-128.92}`, `"baseline":{"name":"Net 2025","value":401.05`, `"row_count":24`} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("JSON lacks %s", want)
			}
		}
	})
}

func TestWide(t *testing.T) {
	t.Parallel()
	ch, table := load(t, "net_emissions_by_sector")
	s := summary.Of(ch, table).Summary
	p := s.Part("Ampol-1p5DS", "Mt CO₂-e")
	t.Run("R-107 R-125 ends and change", func(t *testing.T) {
		t.Parallel()
		got := fmt.Sprintf("%d %s %d %s %s %s", p.FirstYear, p.First, p.LastYear, p.Last, p.Change, p.Percent.Round(2))
		if want := "2025 401.05 2050 -71.48 -472.53 -117.82"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("R-107 gap", func(t *testing.T) {
		t.Parallel()
		g := s.Gaps[0]
		got := fmt.Sprintf("%s %s less %s %s is %s", g.High, g.HighValue, g.Low, g.LowValue, g.Difference)
		if want := "Ampol-House-View 205.42 less Ampol-1p5DS -71.48 is 276.9"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestUnitsAreKeptApart(t *testing.T) {
	t.Parallel()
	t.Run("R-110 mixed units", func(t *testing.T) {
		t.Parallel()
		ch, table := load(t, "storage_capacity")
		s := summary.Of(ch, table).Summary
		gw, gwh := s.Part("Ampol-1p5DS", "GW"), s.Part("Ampol-1p5DS", "GWh")
		if gw.Last.String() != "46" || gwh.Last.String() != "553.9" || s.ByScenario["Ampol-1p5DS"].Total != nil {
			t.Errorf("GW %s, GWh %s", gw.Last, gwh.Last)
		}
	})
	t.Run("shares have no total", func(t *testing.T) {
		t.Parallel()
		ch, table := load(t, "road_vehicle_stock_by_drivetrain")
		s := summary.Of(ch, table).Summary
		if p := s.Part("Ampol-1p5DS", "Vehicle Stock (%)"); p.Additive || p.Last != nil || len(s.Gaps) != 0 {
			t.Errorf("part %+v", p)
		}
	})
	t.Run("no scenarios", func(t *testing.T) {
		t.Parallel()
		ch, table := load(t, "building_stock_by_type")
		s := summary.Of(ch, table).Summary
		if len(s.ByScenario[""].Parts) != 2 || !strings.Contains(s.KeyInsights[0], "11250000") {
			t.Errorf("summary %+v", s)
		}
	})
}

func TestTotalRowsAreNotAddedTwice(t *testing.T) {
	t.Parallel()
	n := func(s string) catalog.Cell { v, _ := faith.Decimal(s); return catalog.Cell{Year: 2025, Value: v} }
	table := &catalog.Table{Shape: catalog.Wide, Years: []int{2025}, Rows: []catalog.Row{
		{Line: 2, Scenario: "A", Label: "x", Unit: "PJ", Cells: []catalog.Cell{n("1")}},
		{Line: 3, Scenario: "A", Label: "y", Unit: "PJ", Cells: []catalog.Cell{n("2")}},
		{Line: 4, Scenario: "A", Label: "Net", Unit: "PJ", Cells: []catalog.Cell{n("3")}},
	}}
	s := summary.Of(&catalog.Chart{ID: "c", Total: "Net"}, table).Summary
	if got := s.Part("A", "PJ").Last.String(); got != "3" {
		t.Errorf("total %s, want 3", got)
	}
}

// TestSumsAreExact draws tables and compares the totals with integer arithmetic.
func TestSumsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.SliceOfN(rapid.Int64Range(-1_000_000, 1_000_000), 1, 40).Draw(t, "cents")
		table := &catalog.Table{Shape: catalog.Long, Rows: []catalog.Row{}}
		total := int64(0)
		for i, c := range cents {
			v, _ := faith.Decimal(fmt.Sprintf("%de-2", c))
			total += c
			table.Rows = append(table.Rows, catalog.Row{Line: i + 2, Scenario: "A", Label: fmt.Sprint("r", i), Unit: "PJ", Kind: "relative", Cells: []catalog.Cell{{Value: v}}})
		}
		s := summary.Of(&catalog.Chart{ID: "c"}, table).Summary
		want, _ := faith.Decimal(fmt.Sprintf("%de-2", total))
		if got := s.ByScenario["A"].Total; got.Cmp(want) != 0 {
			t.Fatalf("total %s, want %s", got, want)
		}
	})
}

func TestDeclare(t *testing.T) {
	t.Parallel()
	ch, table := load(t, "emissions_reduction_by_sector")
	f := &faith.Facts{}
	if err := summary.Declare(f, "EVD-1", ch, table); err != nil {
		t.Fatal(err)
	}
	summary.Names(f, []string{"Ampol-1p5DS", "Ampol-2p5DS", "Ampol-House-View"}, table)
	tests := []struct {
		name, text string
		fault      faith.Fault
	}{
		{"R-086 cells, totals and computations", "From 401.05 Mt CO₂-e in 2025, Ampol-1p5DS cuts 472.53 Mt CO₂-e, Ampol-2p5DS 397.51 Mt CO₂-e and House View 195.63 Mt CO₂-e.", ""},
		{"R-086 share", "In Ampol-1p5DS Power Generation contributes 27.28 % of the reduction.", ""},
		{"R-086 gap", "The difference between 1p5DS and House View is 276.9 Mt CO₂-e.", ""},
		{"R-086 mean, half-even", "The mean reduction of Power Generation is 129 Mt CO₂-e.", ""},
		{"R8 truncated mean", "The mean reduction of Power Generation is 128.5 Mt CO₂-e.", faith.Rounding},
		{"R-101 rise", "In House View, Land Use rises by 33.58 Mt CO₂-e.", ""},
		{"R8 planted digit", "Ampol-1p5DS cuts 472.63 Mt CO₂-e.", faith.Unknown},
		{"R8 planted unit", "Ampol-1p5DS cuts 472.53 PJ.", faith.Unit},
		{"R8 planted scenario", "Ampol-House-View cuts 472.53 Mt CO₂-e.", faith.Name},
		{"R8 planted direction", "In House View, Land Use falls by 33.58 Mt CO₂-e.", faith.Direction},
		{"R8 planted sector", "In 1p5DS, Transport falls by 109.74 Mt CO₂-e.", faith.Name},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got faith.Fault
			bad := faith.Check(tt.text, f).Problems()
			if len(bad) > 0 {
				got = bad[0].Fault
			}
			if got != tt.fault {
				t.Errorf("Check(%q) faults %q, want %q: %+v", tt.text, got, tt.fault, bad)
			}
		})
	}
}

func TestEvidenceRoundTrip(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"emissions_reduction_by_sector", "storage_capacity"} {
		ch, table := load(t, id)
		e := summary.Evidence(ch, table, "run")
		e.ID = "EVD-7"
		ch2, table2, err := summary.FromEvidence(e)
		if err != nil {
			t.Fatal(err)
		}
		was, is := summary.Of(ch, table).Summary, summary.Of(ch2, table2).Summary
		if d := cmp.Diff(fmt.Sprint(was.KeyInsights), fmt.Sprint(is.KeyInsights)); d != "" {
			t.Errorf("%s: %s", id, d)
		}
	}
	if _, _, err := summary.FromEvidence(dossier.Evidence{Data: []byte("[]")}); err == nil {
		t.Error("an array is taken for a chart")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	ch, table := load(t, "net_emissions_by_sector")
	t.Run("R-078 compare_scenarios", func(t *testing.T) {
		t.Parallel()
		c, err := summary.Compare(ch, table, "Ampol-House-View", "Ampol-1p5DS", 0)
		if err != nil {
			t.Fatal(err)
		}
		if c.Year != 2050 || c.Totals[0].Difference.String() != "276.9" || c.Largest.Label != "Land Use" || c.Largest.Difference.String() != "113.34" {
			t.Errorf("comparison %+v", c)
		}
	})
	t.Run("R-078 unknown scenario and year", func(t *testing.T) {
		t.Parallel()
		if _, err := summary.Compare(ch, table, "X", "Ampol-1p5DS", 0); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("Compare = %v", err)
		}
		if _, err := summary.Compare(ch, table, "Ampol-2p5DS", "Ampol-1p5DS", 2036); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("Compare = %v", err)
		}
	})
	t.Run("R-078 trend_summary", func(t *testing.T) {
		t.Parallel()
		trends, err := summary.Trends(ch, table, "Land Use")
		if err != nil || len(trends) != 3 {
			t.Fatalf("trends %+v, %v", trends, err)
		}
		if got := trends[0].Direction + " " + trends[2].Direction + " " + trends[0].Last.String(); got != "falls rises -55.84" {
			t.Errorf("got %q", got)
		}
		if _, err := summary.Trends(ch, table, "Moon"); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("Trends = %v", err)
		}
	})
}

func TestConsistency(t *testing.T) {
	t.Parallel()
	a, at := load(t, "emissions_reduction_by_sector")
	b, bt := load(t, "net_emissions_by_sector")
	pairs := []summary.Pair{{Chart: a, Table: at}, {Chart: b, Table: bt}}
	t.Run("R-079 R9 agreeing charts", func(t *testing.T) {
		t.Parallel()
		if n, bad := summary.Consistency(pairs); n != 21 || len(bad) != 0 {
			t.Errorf("compared %d, disagree %v", n, bad)
		}
	})
	t.Run("R-079 R9 a disagreement is reported", func(t *testing.T) {
		t.Parallel()
		x, xt := load(t, "net_emissions_by_sector")
		xt.Rows[1].Cells[len(xt.Rows[1].Cells)-1].Value = faith.Float(20.36)
		_, bad := summary.Consistency([]summary.Pair{{Chart: a, Table: at}, {Chart: x, Table: xt}})
		if len(bad) != 1 || !strings.Contains(bad[0].String(), "change of Industry in Ampol-1p5DS") || bad[0].Difference.String() != "-0.1" {
			t.Errorf("disagreements %v", bad)
		}
	})
	t.Run("R9 a row against the chart about it", func(t *testing.T) {
		t.Parallel()
		cell := func(v float64) []catalog.Cell { return []catalog.Cell{{Year: 2025, Value: faith.Float(v)}} }
		whole := summary.Pair{Chart: &catalog.Chart{ID: "m", Title: "Manufacturing Emissions by Sector"}, Table: &catalog.Table{Years: []int{2025}, Rows: []catalog.Row{{Line: 2, Scenario: "A", Label: "Iron & Steel", Unit: "Mt", Cells: cell(18.27)}}}}
		part := summary.Pair{Chart: &catalog.Chart{ID: "i", Title: "Iron and Steel Emissions"}, Table: &catalog.Table{Years: []int{2025}, Rows: []catalog.Row{
			{Line: 2, Scenario: "A", Label: "Coke", Unit: "Mt", Cells: cell(1.22)}, {Line: 3, Scenario: "A", Label: "Furnace", Unit: "Mt", Cells: cell(17.04)},
		}}}
		if n, bad := summary.Consistency([]summary.Pair{whole, part}); n != 1 || len(bad) != 0 {
			t.Errorf("compared %d, disagree %v; 0.01 is rounding", n, bad)
		}
		part.Table.Rows[1].Cells = cell(16)
		if _, bad := summary.Consistency([]summary.Pair{whole, part}); len(bad) != 1 {
			t.Errorf("disagree %v, want one", bad)
		}
	})
}

func TestAliases(t *testing.T) {
	t.Parallel()
	all := []string{"Ampol-1p5DS", "Ampol-2p5DS", "Ampol-House-View"}
	got := strings.Join(summary.Aliases("Ampol-1p5DS", all), "|") + "|" + strings.Join(summary.Aliases("Ampol-House-View", all), "|")
	for _, want := range []string{"1p5DS", "1.5DS", "House View"} {
		if !strings.Contains(got, want) {
			t.Errorf("aliases %q lack %q", got, want)
		}
	}
}
