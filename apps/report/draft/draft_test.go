package draft_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dossier/apps/report/demo"
	"dossier/apps/report/draft"
	"dossier/apps/report/narrator"
	"dossier/internal/faith"
)

func demoFiles(t testing.TB) draft.Files {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	return draft.Files{Outline: filepath.Join(dir, "outline.md"), DataRoot: filepath.Join(dir, "run")}
}

func load(t testing.TB, f draft.Files) *draft.Report {
	t.Helper()
	r, err := draft.Load(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// write drafts a section with the narrator and judges it.
func write(t testing.TB, r *draft.Report, id string) (*draft.Context, *faith.Facts, narrator.Draft, draft.Verdict) {
	t.Helper()
	c, err := r.Context(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Facts(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := narrator.Write(c.Input())
	return c, f, d, c.Check(d.Text, f, d.Answers)
}

func TestNarratorPassesItsOwnGate(t *testing.T) {
	t.Parallel()
	r := load(t, demoFiles(t))
	for _, s := range r.Outline.Sections {
		t.Run("R-005 R-086 R-087 "+s.ID, func(t *testing.T) {
			t.Parallel()
			_, _, d, v := write(t, r, s.ID)
			if !v.OK {
				t.Errorf("refused: %s\n%s", strings.Join(v.Reasons, "\n"), d.Text)
			}
			if len(v.Faith.Numerals) < 4 {
				t.Errorf("only %d numerals in\n%s", len(v.Faith.Numerals), d.Text)
			}
			if again := narrator.Write(mustContext(t, r, s.ID).Input()); again.Text != d.Text {
				t.Error("the same section reads differently the second time")
			}
		})
	}
}

func mustContext(t testing.TB, r *draft.Report, id string) *draft.Context {
	t.Helper()
	c, err := r.Context(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlantedErrorsAreStopped(t *testing.T) {
	t.Parallel()
	r := load(t, demoFiles(t))
	c, f, d, _ := write(t, r, "emissions")
	tests := []struct{ name, old, new, reason string }{
		{"R-086 R8 digit", "472.53", "472.63", "No number in the evidence"},
		{"R-086 R8 unit", "472.53 Mt CO₂-e", "472.53 PJ", "wrong unit"},
		{"R-086 R8 scenario", "Ampol-House-View cuts 195.63", "Ampol-2p5DS cuts 195.63", "belongs to Ampol-House-View"},
		{"R-086 R8 direction", "Land Use rises by 33.58", "Land Use falls by 33.58", "opposite direction"},
		{"R-087 scenario left out", "Ampol-House-View", "the third one", "does not name the scenario Ampol-House-View"},
		{"R-087 chart left out", "built", "other", "neither uses the chart built_environment_emissions"},
		{"R2 truncation", "128.56", "128.55", "rounded half-even"},
		{"invented year", "in 2025", "in 2024", "2024"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.ReplaceAll(strings.ReplaceAll(d.Text, tt.old, tt.new), "Built", strings.ReplaceAll("Built", strings.ToUpper(tt.old[:1])+tt.old[1:], "Other"))
			if text == d.Text {
				t.Fatalf("the draft has no %q:\n%s", tt.old, d.Text)
			}
			if tt.name == "R-087 chart left out" {
				text = dropParagraphs(d.Text, "built environment", "5.79", "14.25", "Residential")
			}
			v := c.Check(text, f, nil)
			if v.OK || !strings.Contains(strings.Join(v.Reasons, "\n"), tt.reason) {
				t.Errorf("reasons %q lack %q in\n%s", v.Reasons, tt.reason, text)
			}
		})
	}
}

func dropParagraphs(text string, with ...string) string {
	var kept []string
	for _, p := range strings.Split(text, "\n\n") {
		drop := false
		for _, w := range with {
			drop = drop || strings.Contains(strings.ToLower(p), strings.ToLower(w))
		}
		if !drop {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

func TestNotes(t *testing.T) {
	t.Parallel()
	f := demoFiles(t)
	r := load(t, f)
	_, _, first, _ := write(t, r, "emissions")
	source, err := r.Outline.SetContent("emissions", first.Text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Outline, source, 0o644); err != nil {
		t.Fatal(err)
	}
	r = load(t, f)
	source, err = r.Outline.SetReview("emissions", map[string]int{"completeness": 3},
		"Good coverage of 1p5DS. Missed the House View's Transport. Add a baseline comparison. Consider a year-by-year breakdown. Mention the moon.")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Outline, source, 0o644); err != nil {
		t.Fatal(err)
	}
	r = load(t, f)
	_, _, d, v := write(t, r, "emissions")
	t.Run("R-006 R-092 R-132 R7 notes are answered one by one", func(t *testing.T) {
		t.Parallel()
		if !v.OK {
			t.Errorf("refused: %s\n%s", strings.Join(v.Reasons, "\n"), d.Text)
		}
		var got []string
		for _, n := range v.Notes {
			mark := "open"
			if n.Closed {
				mark = "closed"
			}
			got = append(got, n.ID+" "+mark)
		}
		if want := "N1 closed, N2 closed, N3 closed, N4 closed, N5 open"; strings.Join(got, ", ") != want {
			t.Errorf("got %s, want %s\n%+v\n%s", strings.Join(got, ", "), want, v.Notes, d.Text)
		}
	})
	t.Run("R7 words that were there before close nothing", func(t *testing.T) {
		t.Parallel()
		source, err := r.Outline.SetContent("emissions", d.Text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := draft.LoadText(context.Background(), source, f)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		_, _, _, v := write(t, again, "emissions")
		for _, n := range v.Notes[1:4] {
			if n.Closed {
				t.Errorf("%s is closed by old words: %q", n.ID, n.Quote)
			}
		}
	})
}

func BenchmarkFullReport(b *testing.B) {
	r := load(b, demoFiles(b))
	for b.Loop() {
		for _, s := range r.Outline.Sections {
			_, _, _, v := write(b, r, s.ID)
			if !v.OK {
				b.Fatal(v.Reasons)
			}
		}
	}
}
