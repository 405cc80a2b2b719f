package writer_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/report/writer"
	"dossier/internal/app"
	"dossier/internal/eval"
	"dossier/internal/tool"
)

// TestDraftsThatCannotBeCheckedOrShown puts drafts forward that the numeral check would
// pass or that no format could print.
func TestDraftsThatCannotBeCheckedOrShown(t *testing.T) {
	t.Parallel()
	s := sheet(t, "emissions")
	p, err := s.Play(t.Context(), eval.Stage{App: "report"}, eval.Player{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, more, want string }{
		{"R-086 R8 wide digits", "Ampol-1p5DS cuts ４７２.３５ Mt CO₂-e.", "0 to 9"},
		{"R-086 R8 Arabic digits", "Ampol-1p5DS cuts ٩٩٩ Mt CO₂-e.", "0 to 9"},
		{"R-086 R8 raised digits", "Ampol-1p5DS cuts ⁴⁹⁹ Mt CO₂-e.", "0 to 9"},
		{"R-086 R8 a raised digit after a number", "Ampol-1p5DS cuts 472.53¹ Mt CO₂-e.", "0 to 9"},
		{"R-086 R8 a fraction", "Ampol-1p5DS cuts ½ of it.", "0 to 9"},
		{"R-086 R8 a Roman sign", "Ampol-1p5DS cuts Ⅳ Mt CO₂-e.", "0 to 9"},
		{"R-113 a picture that is not there", "![Cuts](emissions/cuts.png)", "no picture of this run"},
		{"R-113 a picture from elsewhere", "![Cuts](https://example.org/x.png)", "no picture of this run"},
		{"R-113 a picture by reference", "![Cuts][1]\n\n[1]: ../secret.png", "no picture of this run"},
		{"R-113 a chart of the run", "![Storage](chart:storage_capacity)", ""},
		{"names with small digits", "CO₂, m², m³ and kWh⁻¹ are units.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args, err := json.Marshal(writer.WriteIn{Section: "emissions", Content: p.Text + "\n\n" + tt.more})
			if err != nil {
				t.Fatal(err)
			}
			own := &writer.Sheet{Report: s.Report, Section: "emissions"}
			_, err = own.NewDesk().Write().Run(t.Context(), tool.Call{}, args)
			if tt.want == "" && err != nil || tt.want != "" && (dossier.KindOf(err) != dossier.Invalid || !strings.Contains(dossier.Message(err), tt.want)) {
				t.Errorf("write = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestCoverageOfRecordedDrafts recomputes coverage where the rows are recorded under IDs
// of their own, as in a case.
func TestCoverageOfRecordedDrafts(t *testing.T) {
	t.Parallel()
	s := sheet(t, "emissions")
	seen, err := s.Evidence(t.Context(), tool.Call{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		seen[i].ID = dossier.EvidenceID(strings.Replace(string(seen[i].ID), "chart:", "ev-", 1))
	}
	verdict := func(t *testing.T, version, text string) dossier.Finding {
		t.Helper()
		w := writer.Written{
			Section: "emissions", Title: "Emissions", Round: 1, Text: text, Scenarios: s.Report.Catalog.Scenarios(),
			Charts: []string{"emissions_reduction_by_sector", "built_environment_emissions"},
		}
		cited := append(slices.Clone(seen), dossier.NewEvidence(writer.KindDraft, dossier.Source{System: "report", Locator: "x"}, w, "A draft"))
		i := slices.IndexFunc(writer.Rules, func(r app.Rule) bool { return r.Name == "coverage" && r.Version == version })
		f, err := writer.Rules[i].Apply(cited)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	cells := "In Ampol-1p5DS, Power Generation falls by 128.92 Mt CO₂-e. Emissions of Ampol-2p5DS and Ampol-House-View are shown in “Built Environment Emissions”."
	t.Run("R-087 a cell is a use of its chart", func(t *testing.T) {
		t.Parallel()
		if f := verdict(t, "3", cells); f.Verdict != dossier.Pass {
			t.Errorf("%s: %s", f.Verdict, f.Reason)
		}
	})
	t.Run("earlier findings stand as they were", func(t *testing.T) {
		t.Parallel()
		if f := verdict(t, "2", cells); f.Verdict != dossier.Fail {
			t.Errorf("%s: %s", f.Verdict, f.Reason)
		}
	})
}
