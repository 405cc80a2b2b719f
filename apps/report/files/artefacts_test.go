package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhoWroteIsKnownFromTheArtefacts rates a report that a command wrote, as it is and
// after somebody changed it by hand.
func TestWhoWroteIsKnownFromTheArtefacts(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	report := filepath.Join(dir, "report.md")
	if _, _, err := run(t, false, "generate-section", "--outline", filepath.Join(dir, "outline.md"), "--data-root", filepath.Join(dir, "run"), "--section", "emissions", "--output", report); err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, "changed.md")
	if err := os.Rename(filepath.Join(dir, "report.artefacts"), filepath.Join(dir, "changed.artefacts")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "report.artefacts"), os.DirFS(filepath.Join(dir, "changed.artefacts"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, []byte(strings.Replace(read(t, report), "Transport", "Traffic", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file, want string
		more             []string
	}{
		{"R-058 R-134 as written", report, `"model": "reference/writer"`, nil},
		{"R-073 the version of the prompt", report, `"prompt_version": "v1"`, nil},
		{"R-134 changed by hand", changed, `"model": "unknown"`, nil},
		{"R-134 as told", changed, `"model": "a person"`, []string{"--model", "a person"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "eval.json")
			args := append([]string{"run-eval", "--outline", tt.file, "--run-id", "one", "--output", out}, tt.more...)
			if _, _, err := run(t, false, args...); err != nil || !strings.Contains(read(t, out), tt.want) {
				t.Errorf("%v\n%.400s\nlacks %s", err, read(t, out), tt.want)
			}
		})
	}
}

func TestMapProblems(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	chartMap := filepath.Join(dir, "map.json")
	if err := os.WriteFile(chartMap, []byte(`{"emision": {"charts": ["net_emissions_by_sector"]}, "transport": {"charts": ["moon"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []string{"--outline", filepath.Join(dir, "outline.md"), "--data-root", filepath.Join(dir, "run"), "--map", chartMap}
	unknown := `The map has an entry "emision", which is no section of the outline.`
	t.Run("R-052 R-070 an entry for no section", func(t *testing.T) {
		t.Parallel()
		if _, errs, err := run(t, false, append([]string{"inspect-section-mapping"}, files...)...); err != nil || !strings.Contains(errs, unknown) {
			t.Errorf("%v\n%s", err, errs)
		}
	})
	t.Run("R-070 said when a report is written", func(t *testing.T) {
		t.Parallel()
		_, errs, err := run(t, false, append([]string{"generate-section", "--section", "industry"}, files...)...)
		if err != nil || !strings.Contains(errs, unknown) || !strings.Contains(errs, `transport: The map names "moon", which is no chart of this run.`) {
			t.Errorf("%v\n%s", err, errs)
		}
	})
}
