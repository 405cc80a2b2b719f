package report

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	demodata "dossier/apps/report/demo"
	"dossier/apps/report/writer"
	"dossier/internal/app/apptest"
	"dossier/internal/eval"
)

// ours is a report on data of its own: the demo's, with one figure changed everywhere.
func ours(t *testing.T, b *apptest.Bench, o *office) {
	t.Helper()
	dir := filepath.Join(o.cfg.Root, "ours")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := demodata.Write(dir); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) == ".png" {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, bytes.ReplaceAll(raw, []byte("861.5"), []byte("851.6")), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	outline, err := os.ReadFile(filepath.Join(dir, "outline.md"))
	if err != nil {
		t.Fatal(err)
	}
	charts, err := os.ReadFile(filepath.Join(dir, "section_chart_map.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.create(t.Context(), "ours", "Ours", "ours/run", outline, charts); err != nil {
		t.Fatal(err)
	}
	if _, err := o.start(t.Context(), "ours", []string{"industry"}, b.Person("ana")); err != nil {
		t.Fatal(err)
	}
	b.Settle()
}

// TestLessonsOfStoredReports rates a draft of a report with data of its own: it is
// learned from, and played on that report.
func TestLessonsOfStoredReports(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, App, apptest.Options{})
	o := newOffice(b.Env, defaults)
	ours(t, b, o)
	in := reviewOf("industry", 1, "", false)
	in.Report, in.Body.Ratings = "ours", map[string]int{"completeness": 5, "accuracy": 4}
	if _, err := o.review(t.Context(), in, b.Person("ana")); err != nil {
		t.Fatal(err)
	}
	list, err := b.Kit.Lessons(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d lessons, %v", len(list), err)
	}
	le := list[0]
	if string(le.Got) != `{"ok":true}` || string(le.Want) != `{"ok":true}` || !strings.Contains(string(le.Input), "449.3 PJ in Ampol-1p5DS") || !strings.HasPrefix(le.Why, "Person ana rated round 1 of industry") {
		t.Errorf("%s: got %s, want %s, of %s", le.Why, le.Got, le.Want, le.Input)
	}
	suite := b.Kit.Suites[slices.IndexFunc(b.Kit.Suites, func(s eval.Suite) bool { return s.Name == le.Suite })]
	ex := eval.Example{Name: le.ID, Input: le.Input, Want: le.Want}
	tr, err := suite.Run(t.Context(), ex, eval.Player{})
	if err != nil {
		t.Fatal(err)
	}
	if row := eval.GradeTrace(t.Context(), suite, ex, tr); row.Failure != "" || len(row.Grades) != 3 || slices.ContainsFunc(row.Grades, func(g eval.Grade) bool { return !g.Applies || g.Score != 1 }) {
		t.Errorf("played: %+v", row)
	}
	known, err := o.stage(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer known.Close()
	d, _, err := o.book.latest(t.Context(), "ours", "industry")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := (&writer.Sheet{Report: known, Section: "industry"}).Judge(t.Context(), d.Text, nil); err != nil || v.OK {
		t.Errorf("on the demo's data the draft must not hold: %+v, %v", v, err)
	}
	if err := os.RemoveAll(filepath.Join(o.cfg.Root, "ours")); err != nil {
		t.Fatal(err)
	}
	if list, err := b.Kit.Lessons(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("without its data: %d lessons, %v", len(list), err)
	}
	if _, err := suite.Run(t.Context(), ex, eval.Player{}); err == nil || !strings.Contains(err.Error(), "There is no run folder") {
		t.Errorf("played without its data: %v", err)
	}
}
