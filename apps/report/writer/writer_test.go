package writer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/report/demo"
	"dossier/apps/report/draft"
	"dossier/apps/report/writer"
	"dossier/internal/agent/agenttest"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/tool"
)

func sheet(t *testing.T, section string) *writer.Sheet {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	r, err := draft.Load(t.Context(), draft.Files{Outline: filepath.Join(dir, "outline.md"), DataRoot: filepath.Join(dir, "run")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return &writer.Sheet{Report: r, Section: section}
}

// TestThePolicyTakesOver lets a model do odd things first: whatever it looked at or
// claimed, a draft that holds comes out, and who wrote it is said.
func TestThePolicyTakesOver(t *testing.T) {
	t.Parallel()
	claim := agenttest.Says(`{"section_id":"emissions","status":"written","round":1}`)
	bad := agenttest.Calls("write_section_draft", `{"section_id":"emissions","content":"Emissions fall by 7 Mt CO₂-e."}`)
	tests := []struct {
		name  string
		lines []agenttest.Line
		why   string
	}{
		{"claims what it did not do", []agenttest.Line{claim, claim}, "gave two answers that could not be used"},
		{"gives up", []agenttest.Line{bad, agenttest.Says(`{"section_id":"emissions","status":"refused","round":0}`), claim}, "gave two answers that could not be used"},
		{"looks at parts of charts", []agenttest.Line{
			agenttest.Calls("get_section_context", `{"section_id":"transport"}`, "get_chart_data", `{"chart_id":"net_emissions_by_sector"}`,
				"get_chart_data", `{"chart_id":"emissions_reduction_by_sector","rows":true,"scenario":"Ampol-1p5DS"}`,
				"get_chart_data", `{"chart_id":"moon","rows":true}`), bad, bad,
		}, "made 2 calls in a row that were refused"},
		{"writes another section", []agenttest.Line{
			agenttest.Calls("write_section_draft", `{"section_id":"transport","content":"x"}`), agenttest.Calls("write_section_draft", `{"section_id":"transport","content":"x"}`),
		}, "made 2 calls in a row that were refused"},
	}
	for _, tt := range tests {
		t.Run("R-069 R-086 "+tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := sheet(t, "emissions").Play(t.Context(), eval.Stage{App: "report"}, eval.Player{Model: agenttest.NewScript(tt.lines...)})
			if err != nil {
				t.Fatal(err)
			}
			if !p.Verdict.OK || p.By != "reference/writer" || !strings.Contains(p.Fallback, tt.why) || !strings.Contains(p.Text, "472.53") {
				t.Errorf("by %q because %q: %v\n%s", p.By, p.Fallback, p.Verdict.Reasons, p.Text)
			}
		})
	}
}

func TestTheReferenceWrites(t *testing.T) {
	t.Parallel()
	p, err := sheet(t, "transport").Play(t.Context(), eval.Stage{App: "report"}, eval.Player{})
	if err != nil || !p.Verdict.OK || p.By != "reference/writer" || p.Fallback != "" || len(p.Refused) > 0 || p.Path.Usage != (model.Usage{}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := sheet(t, "moon").Play(t.Context(), eval.Stage{App: "report"}, eval.Player{}); err == nil {
		t.Error("a section that is not there is written")
	}
}

// TestEarlierFindingsStillVerify recomputes a finding of version 1 over a draft that
// version 2 stops for its words.
func TestEarlierFindingsStillVerify(t *testing.T) {
	t.Parallel()
	s := sheet(t, "emissions")
	text := "Ampol-1p5DS cuts 472.53 Mt CO₂-e, and Ampol-2p5DS makes the deepest cut, 397.51 Mt CO₂-e, ahead of Ampol-House-View. " +
		"Net Emissions by Sector and Built Environment Emissions are left out."
	cited, err := s.Evidence(t.Context(), tool.Call{})
	if err != nil {
		t.Fatal(err)
	}
	w := writer.Written{
		Section: "emissions", Title: "Emissions", Round: 1, Text: text, Scenarios: s.Report.Catalog.Scenarios(),
		Charts: []string{"emissions_reduction_by_sector", "net_emissions_by_sector", "built_environment_emissions"},
	}
	cited = append(cited, dossier.NewEvidence(writer.KindDraft, dossier.Source{System: "report", Locator: "x"}, w, "A draft"))
	for _, r := range writer.Rules {
		if r.Name != "faith" {
			continue
		}
		f, err := r.Apply(cited)
		if err != nil || (f.Verdict == dossier.Pass) != (r.Version == "1") || f.By != "rule/faith@"+r.Version {
			t.Errorf("version %s: %s %s by %s, %v", r.Version, f.Verdict, f.Reason, f.By, err)
		}
	}
}
