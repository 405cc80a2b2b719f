package summary_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dossier/apps/report/catalog"
	"dossier/apps/report/summary"
)

// chartFrom reads a chart from the text of its CSV.
func chartFrom(t *testing.T, name, text string) summary.Pair {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x", name+".csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	table, err := (&catalog.Memory{Catalog: c}).Table(t.Context(), &c.Charts[0])
	if err != nil {
		t.Fatal(err)
	}
	return summary.Pair{Chart: &c.Charts[0], Table: table}
}

func summaryOf(p summary.Pair) summary.Summary { return summary.Of(p.Chart, p.Table).Summary }

func TestBaselines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rows, want string }{
		{"R-102 one for all", "Net 2025,100,relative,A\nPower,-10,relative,A\nNet 2025,100,relative,B\nPower,-20,relative,B\n", "All scenarios start from baseline of 100 in 2025"},
		{"R-102 different ones", "Net 2025,100,relative,A\nPower,-10,relative,A\nNet 2025,90,relative,B\nPower,-20,relative,B\n", "No one baseline holds for all scenarios: 100 in A, 90 in B."},
		{"R-102 missing in one", "Net 2025,100,relative,A\nPower,-10,relative,A\nPower,-20,relative,B\n", "No one baseline holds for all scenarios: 100 in A."},
		{"R-102 without a scenario", "Net 2025,100,relative,\nPower,-10,relative,A\nPower,-20,relative,B\n", "All scenarios start from baseline of 100 in 2025"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := summaryOf(chartFrom(t, "reduction", "sector,val,measure,scen\n"+tt.rows))
			said := append(append([]string{}, s.KeyInsights...), s.Caveats...)
			if (s.Baseline != nil) != strings.HasPrefix(tt.want, "All") || !strings.Contains(strings.Join(said, "\n"), tt.want) {
				t.Errorf("baseline %+v, said %q, want %q", s.Baseline, said, tt.want)
			}
		})
	}
	t.Run("R-104 no cuts where everything rises", func(t *testing.T) {
		t.Parallel()
		s := summaryOf(chartFrom(t, "change", "sector,val,measure,scen\nPower,10,relative,A\nPower,20,relative,B\n"))
		if said := strings.Join(s.KeyInsights, "\n"); strings.Contains(said, "cuts") || strings.Contains(said, "reduction") {
			t.Errorf("insights %q", said)
		}
	})
}

func TestOddTables(t *testing.T) {
	t.Parallel()
	t.Run("R-108 a row per year", func(t *testing.T) {
		t.Parallel()
		p := chartFrom(t, "use", "scen,fuel,year,val,unit\nA,Gas,2050,80,PJ\nA,Gas,2025,50,PJ\nA,Coal,2025,7,PJ\nA,Coal,2050,5,PJ\nB,Gas,2025,50,PJ\nB,Gas,2050,40,PJ\n")
		s := summaryOf(p)
		if m := s.Part("A", "PJ").Mover("Gas"); m == nil || m.First.String() != "50" || m.Value.String() != "30" || m.Percent.Round(0) != "60" {
			t.Errorf("mover %+v", m)
		}
		if s.MeasureType != "absolute (2025 to 2050)" {
			t.Errorf("measure type %q", s.MeasureType)
		}
		trends, err := summary.Trends(p.Chart, p.Table, "Gas")
		if err != nil || len(trends) != 2 || trends[0].Direction != "rises" || trends[0].Last.String() != "80" {
			t.Errorf("trends %+v, %v", trends, err)
		}
	})
	t.Run("R-107 no number at one end", func(t *testing.T) {
		t.Parallel()
		s := summaryOf(chartFrom(t, "use", "scen,fuel,unit,2025,2050\nA,Coal,PJ,50,\nA,Solar,PJ,,80\nA,Gas,PJ,5,7\nA,Oil,PJ,,\n"))
		p := s.Part("A", "PJ")
		if len(p.Movers) != 1 || p.Movers[0].Label != "Gas" || strings.Join(p.Partial, " ") != "Coal Solar" {
			t.Errorf("movers %+v, partial %v", p.Movers, p.Partial)
		}
		if said := strings.Join(s.Caveats, "\n"); !strings.Contains(said, summary.PartialCaveat+"Coal, Solar.") {
			t.Errorf("caveats %q", said)
		}
	})
	t.Run("R-107 no number at all", func(t *testing.T) {
		t.Parallel()
		s := summaryOf(chartFrom(t, "use", "scen,fuel,unit,2025,2050\nA,Coal,PJ,,\nB,Coal,PJ,1,2\n"))
		if said := strings.Join(s.KeyInsights, "\n"); s.Part("A", "PJ") != nil || strings.Contains(said, "A ") || len(s.Gaps) != 0 {
			t.Errorf("part %+v, insights %q", s.Part("A", "PJ"), said)
		}
	})
	t.Run("R-107 no gap between different years", func(t *testing.T) {
		t.Parallel()
		s := summaryOf(chartFrom(t, "use", "scen,fuel,unit,2025,2040,2050\nA,Coal,PJ,5,4,3\nB,Coal,PJ,5,1,\n"))
		if len(s.Gaps) != 0 {
			t.Errorf("gaps %+v", s.Gaps)
		}
	})
}

func TestConsistencyWithinRounding(t *testing.T) {
	t.Parallel()
	changes := chartFrom(t, "reduction", "sector,val,measure,scen\nPower,-128.92,relative,A\n")
	levels := func(last string) summary.Pair {
		return chartFrom(t, "levels", "sector,scen,2025,2050\nPower,A,148.4,"+last+"\n")
	}
	t.Run("R9 one decimal", func(t *testing.T) {
		t.Parallel()
		pairs := []summary.Pair{changes, levels("19.4")}
		if n, bad := summary.Consistency(pairs); n != 1 || len(bad) != 0 {
			t.Errorf("compared %d, disagree %v; 129 is 128.92 to one decimal each", n, bad)
		}
		if _, bad := summary.Consistency1(pairs); len(bad) != 1 {
			t.Errorf("version 1 disagrees %v, want one as it always did", bad)
		}
	})
	t.Run("R9 beyond one decimal", func(t *testing.T) {
		t.Parallel()
		if _, bad := summary.Consistency([]summary.Pair{changes, levels("19.7")}); len(bad) != 1 {
			t.Errorf("disagree %v, want one", bad)
		}
	})
	t.Run("R9 shares and doubled labels are no change", func(t *testing.T) {
		t.Parallel()
		share := chartFrom(t, "share", "sector,val,measure,scen,unit\nPower,50,relative,A,%\n")
		stood := chartFrom(t, "stood", "sector,scen,unit,2025,2050\nPower,A,%,10,15\n")
		double := chartFrom(t, "double", "sector,scen,2025,2050\nPower,A,100,10\nPower,A,48.4,9.48\n")
		for _, pairs := range [][]summary.Pair{{share, stood}, {changes, double}} {
			if n, bad := summary.Consistency(pairs); n != 0 || len(bad) != 0 {
				t.Errorf("compared %d, disagree %v", n, bad)
			}
		}
	})
}
