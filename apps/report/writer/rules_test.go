package writer_test

import (
	"fmt"
	"testing"

	"dossier"
	"dossier/apps/report/summary"
	"dossier/apps/report/writer"
	"dossier/internal/faith"
)

// Findings of versions 1 and 2, as they were recorded over charts whose figures version 3
// declares otherwise, are worked out again to the letter.
func TestFindingsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	decimal := func(s string) faith.Number {
		n, err := faith.Decimal(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	row := func(line int, scenario, label, unit, measure, year, value string) summary.RecordRow {
		return summary.RecordRow{Line: line, Scenario: scenario, Label: label, Unit: unit, Measure: measure, Values: map[string]faith.Number{year: decimal(value)}}
	}
	levels := summary.Record{ChartID: "power_mix", Title: "Power Mix", Units: "PJ", PNG: "img/p1.png", Rows: []summary.RecordRow{
		row(2, "Low", "Coal", "PJ", "", "2050", "11.5"), row(3, "Low", "Coal", "PJ", "", "2050", "21"),
		row(4, "High", "Coal", "PJ", "", "2050", "31.2"), row(5, "High", "Coal", "PJ", "", "2050", "41"), row(6, "High", "Heat", "TWh", "", "2060", "7"),
	}}
	changes := summary.Record{ChartID: "cuts", Title: "Cuts by Sector", Units: "Mt", EndYear: 2060, Rows: []summary.RecordRow{
		row(2, "Low", "Net 2025", "Mt", "", "val", "90"), row(3, "Low", "Coal", "Mt", "relative", "val", "-12.5"),
		row(4, "High", "Net 2025", "Mt", "", "val", "90"), row(5, "High", "Coal", "Mt", "relative", "val", "-31"),
	}}
	const unresolved, silent = "1 of %d numerals do not resolve. %s", "The draft is silent on %s."
	tests := []struct {
		name, text      string
		chart           summary.Record
		faith, coverage string          // reasons of versions 1 and 2
		newest          dossier.Verdict // of coverage in version 3
	}{
		{"the gap of a label's first rows", "Coal is 19.7 PJ higher in High than in Low.", levels,
			"All 1 numerals of round 1 resolve to the evidence.", "Round 1 names 2 scenarios and uses 1 charts.", dossier.Fail},
		{"the gap of totals where units end in different years", "In High the total is 39.7 PJ higher than in Low.", levels,
			fmt.Sprintf(unresolved, 1, "No number in the evidence gives “39.7 PJ”."), fmt.Sprintf(silent, "power_mix"), dossier.Pass},
		{"the year of a baseline", "From 2025 on, Coal falls by 12.5 Mt in Low and by 31 Mt in High.", changes,
			fmt.Sprintf(unresolved, 3, "The date “2025” is not in the evidence."), fmt.Sprintf(silent, "cuts"), dossier.Pass},
		{"a picture alone", "Low and High differ.\n\n![The mix](img/p1.png)", levels,
			"All 0 numerals of round 1 resolve to the evidence.", fmt.Sprintf(silent, "power_mix"), dossier.Pass},
	}
	for _, tt := range tests {
		w := writer.Written{Section: "s", Title: "S", Round: 1, Text: tt.text, Charts: []string{tt.chart.ChartID}, Scenarios: []string{"Low", "High"}}
		cited := []dossier.Evidence{
			dossier.NewEvidence(summary.EvidenceKind, dossier.Source{System: "run folder", Locator: "x.csv"}, tt.chart, "rows"),
			dossier.NewEvidence(writer.KindDraft, dossier.Source{System: "report", Locator: "x"}, w, "A draft"),
		}
		cited[0].ID, cited[1].ID = "ev-chart", "ev-draft"
		for _, r := range writer.Rules {
			f, err := r.Apply(cited)
			want := map[string]string{"faith": tt.faith, "coverage": tt.coverage}[r.Name]
			switch {
			case err != nil:
				t.Fatal(err)
			case r.Name == "coverage" && r.Version == writer.RulesVersion && f.Verdict != tt.newest:
				t.Errorf("%s: %s: %s %s", tt.name, f.By, f.Verdict, f.Reason)
			case r.Name != "consistency" && r.Version != writer.RulesVersion && f.Reason != want:
				t.Errorf("%s: %s: %s, recorded as %s", tt.name, f.By, f.Reason, want)
			}
		}
	}
}
