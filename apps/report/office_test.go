package report

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/report/outline"
	"dossier/apps/report/writer"
	"dossier/internal/app/apptest"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/tool"

	"github.com/goccy/go-yaml"
)

// atWork is the app with its demo report drafted, and the bench it stands on.
func atWork(t *testing.T) (*office, *apptest.Bench) {
	t.Helper()
	b := apptest.Open(t, App, apptest.Options{})
	if err := b.Kit.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Settle()
	return newOffice(b.Env, defaults), b
}

func reviewOf(section string, round int, notes string, back bool) *reviewIn {
	in := &reviewIn{Report: demoReport, Section: section}
	in.Body.Round, in.Body.Notes, in.Body.SendBack = round, notes, back
	in.Body.Ratings = map[string]int{"completeness": 3}
	return in
}

// pending returns what waits for a section.
func pending(t *testing.T, b *apptest.Bench, o *office, section string) dossier.Approval {
	t.Helper()
	d, ok, err := o.book.latest(t.Context(), demoReport, section)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, a := range b.Pending() {
		if a.Case == d.Case {
			return a
		}
	}
	t.Fatalf("nothing waits for %s", section)
	return dossier.Approval{}
}

func TestTwoRounds(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	ctx, ana := t.Context(), b.Person("ana")
	in := reviewOf("emissions", 1, "Good coverage of 1p5DS. Add a baseline comparison. Mention the weather.", true)
	first, _, err := o.book.latest(ctx, demoReport, "emissions")
	if err != nil {
		t.Fatal(err)
	}
	in.Body.Comments = []comment{{Quote: "end far apart", Text: "Say more about Transport in House View."}}
	if _, err := o.review(ctx, in, ana); err != nil {
		t.Fatal(err)
	}
	t.Run("R-006 R-130 the review is in the outline", func(t *testing.T) {
		rec, err := o.book.report(ctx, demoReport)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := outline.Parse([]byte(rec.Outline))
		if err != nil {
			t.Fatal(err)
		}
		s, _ := doc.Section("emissions")
		if s.Ratings["completeness"] != 3 || !strings.Contains(s.Notes, "On “end far apart”: Say more") || s.Content != first.Text {
			t.Errorf("section %+v", s)
		}
	})
	b.Settle()
	if _, err := o.start(ctx, demoReport, []string{"emissions"}, ana); err != nil {
		t.Fatal(err)
	}
	b.Settle()
	second, _, err := o.book.latest(ctx, demoReport, "emissions")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R-006 R-024 R-132 R7 the next round answers", func(t *testing.T) {
		var open []string
		for _, n := range second.Verdict.Notes {
			if !n.Closed {
				open = append(open, n.Text)
			}
		}
		if second.Round != 2 || len(second.Verdict.Notes) != 4 || len(open) != 1 || open[0] != "Mention the weather." {
			t.Errorf("round %d, open %q of %+v", second.Round, open, second.Verdict.Notes)
		}
		if !strings.Contains(second.Text, "Measured against the baseline") || second.Text == first.Text {
			t.Errorf("second round:\n%s", second.Text)
		}
	})
	t.Run("R-114 other sections are as they were", func(t *testing.T) {
		if d, _, err := o.book.latest(ctx, demoReport, "transport"); err != nil || d.Round != 1 {
			t.Errorf("round %d, %v", d.Round, err)
		}
	})
	t.Run("R-137 an old round cannot be reviewed or made final", func(t *testing.T) {
		if _, err := o.review(ctx, reviewOf("emissions", 1, "", false), ana); dossier.KindOf(err) != dossier.Conflict {
			t.Errorf("review = %v", err)
		}
		call := tool.Call{Case: second.Case, For: ana, Now: b.Clock.Now()}
		if _, err := o.finalize().Run(ctx, call, json.RawMessage(`{"section_id":"emissions","round":1}`)); dossier.KindOf(err) != dossier.Conflict {
			t.Errorf("finalize = %v", err)
		}
	})
	t.Run("R-137 final only by a person", func(t *testing.T) {
		if second.Status != "draft" {
			t.Errorf("status %s before anybody decided", second.Status)
		}
		b.Decide(pending(t, b, o, "emissions").ID, dossier.Decision{Verb: dossier.Approve})
		d, _, err := o.book.latest(ctx, demoReport, "emissions")
		if err != nil || d.Status != "final" || d.Round != 2 {
			t.Errorf("draft %s round %d, %v", d.Status, d.Round, err)
		}
		b.Verify(d.Case)
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	ctx := t.Context()
	t.Run("R-080 a section for the page", func(t *testing.T) {
		t.Parallel()
		p, err := o.getSection(ctx, &sectionPath{demoReport, "emissions"})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Body.Charts) != 3 || p.Body.Approval == nil || len(p.Body.Evidence) < 3 || !strings.Contains(string(p.Body.Rounds), `"resolved_to"`) {
			t.Errorf("page %+v", p.Body)
		}
	})
	t.Run("R-080 the list", func(t *testing.T) {
		t.Parallel()
		l, err := o.listReports(ctx, nil)
		if err != nil || len(l.Body) != 1 || l.Body[0].Drafted != 9 || l.Body[0].Final != 0 {
			t.Errorf("list %+v, %v", l, err)
		}
	})
	t.Run("R-030 R-080 a chart with its Plotly specification", func(t *testing.T) {
		t.Parallel()
		c, err := o.getChart(ctx, &chartPath{demoReport, "emissions_reduction_by_sector"})
		if err != nil || !strings.Contains(string(c.Body.Plot), "waterfall") || !strings.Contains(string(c.Body.Data), "-472.53") {
			t.Errorf("chart %+v, %v", c, err)
		}
	})
	t.Run("R-080 a chart whose Plotly specification is broken", func(t *testing.T) {
		t.Parallel()
		if err := os.WriteFile(filepath.Join(b.Env.Dir, "runs", demoReport, "run", "transport", "road_vehicle_stock_by_drivetrain.json"), []byte(`{"data": NaN}`), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := o.getChart(ctx, &chartPath{demoReport, "road_vehicle_stock_by_drivetrain"})
		if err != nil || c.Body.Plot != nil || !strings.Contains(string(c.Body.Data), "Battery electric") {
			t.Errorf("chart %+v, %v", c, err)
		}
	})
	t.Run("R-054 R-055 R-056 R-057 R-071 R-136 rubric", func(t *testing.T) {
		t.Parallel()
		want := map[string]string{"accuracy": "correct", "completeness": "scenarios", "clarity": "clear", "data_use": "Charts"}
		for _, d := range rubric() {
			if !strings.Contains(d.Asks, want[d.Name]) {
				t.Errorf("%s asks %q", d.Name, d.Asks)
			}
		}
	})
	t.Run("R-067 a data root outside", func(t *testing.T) {
		t.Parallel()
		for _, root := range []string{"../", "/etc", "demo/../../x"} {
			if _, err := o.create(ctx, "x", "X", root, []byte("# A\n"), nil); dossier.KindOf(err) != dossier.Invalid {
				t.Errorf("create(%q) = %v", root, err)
			}
		}
		if err := os.Symlink("/etc", filepath.Join(b.Env.Dir, "runs", "leak")); err != nil {
			t.Fatal(err)
		}
		if _, err := o.create(ctx, "x", "X", "leak", []byte("# A\n"), nil); err == nil {
			t.Error("a link that leads out is followed")
		}
	})
	t.Run("R-061 R-076 R-133 evaluations are stored and compared", func(t *testing.T) {
		t.Parallel()
		for _, id := range []string{"one", "two"} {
			in := &evalIn{Report: demoReport}
			in.Body.RunID = id
			if _, err := o.evaluate(ctx, in); err != nil {
				t.Fatal(err)
			}
		}
		e, err := o.getEvals(ctx, &reportIn{demoReport})
		if err != nil || !strings.Contains(string(e.Body.Runs), `"run_id":"two"`) || !strings.HasPrefix(e.Body.Chart, "<svg") {
			t.Errorf("evals %+v, %v", e, err)
		}
	})
	t.Run("R-061 no such report", func(t *testing.T) {
		t.Parallel()
		if _, err := o.getEvals(ctx, &reportIn{"moon"}); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("evals = %v", err)
		}
	})
	t.Run("a comment must quote the draft", func(t *testing.T) {
		t.Parallel()
		in := reviewOf("transport", 1, "", false)
		in.Body.Comments = []comment{{Quote: "words that are not there", Text: "x"}}
		if _, err := o.review(ctx, in, b.Person("ana")); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("review = %v", err)
		}
	})
}

func TestSuites(t *testing.T) {
	t.Parallel()
	for _, s := range (&office{}).suites() {
		t.Run("R-069 R-086 R-087 "+s.Name, func(t *testing.T) {
			t.Parallel()
			examples := readExamples(t, s.File)
			if len(examples) < 5 {
				t.Fatalf("%d examples", len(examples))
			}
			for _, ex := range examples {
				tr, err := s.Run(t.Context(), ex, eval.Player{})
				if err != nil {
					t.Fatal(err)
				}
				for _, gr := range s.Graders {
					g, err := gr.Grade(t.Context(), ex, tr)
					if err != nil || g.Applies && g.Score != 1 {
						t.Errorf("%s: %s %v %s, %v", ex.Name, gr.Name, g.Score, g.Reason, err)
					}
				}
			}
		})
	}
}

func readExamples(t *testing.T, file string) []eval.Example {
	t.Helper()
	raw, err := content.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	var out []eval.Example
	if err := json.Unmarshal(asJSON, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAModelsDraftIsHeldToTheSame lets a model plant an error first and mend it when
// it is told.
func TestAModelsDraftIsHeldToTheSame(t *testing.T) {
	t.Parallel()
	play := func(ctx context.Context, req *model.Request) (*model.Reply, error) {
		last, wrote := req.Last("write_section_draft")
		if wrote && last.Failed {
			if n := len(req.Returns("write_section_draft")); n > 1 || !strings.Contains(last.Problem(), "opposite direction") {
				t.Errorf("refused %d times: %s", n, last.Problem())
			}
			req = without(req, "write_section_draft") // forget the refusal and write honestly
			return writer.Policy(ctx, req)
		}
		reply, err := writer.Policy(ctx, req)
		if err != nil || wrote {
			return reply, err
		}
		for i, p := range reply.Parts {
			if c, ok := p.(model.Call); ok && c.Tool == "write_section_draft" {
				c.Args = json.RawMessage(strings.ReplaceAll(string(c.Args), "Land Use rises by", "Land Use falls by"))
				reply.Parts[i] = c
			}
		}
		return reply, nil
	}
	b := apptest.Open(t, App, apptest.Options{Model: model.Reference("planter", play)})
	if err := b.Kit.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Settle()
	o := newOffice(b.Env, defaults)
	t.Run("R-069 R-086 R8 refused, then mended", func(t *testing.T) {
		d, ok, err := o.book.latest(t.Context(), demoReport, "emissions")
		if err != nil || !ok || d.Round != 1 || !d.Verdict.OK || strings.Contains(d.Text, "Land Use falls by 33.58") {
			t.Errorf("draft %+v, %v, %v", d.Verdict.Reasons, ok, err)
		}
	})
}

// without returns req as if a tool had not been called.
func without(req *model.Request, name string) *model.Request {
	out := *req
	out.Messages = nil
	for _, m := range req.Messages {
		kept := model.Message{From: m.From}
		for _, p := range m.Parts {
			if r, ok := p.(model.Return); !ok || r.Tool != name {
				kept.Parts = append(kept.Parts, p)
			}
		}
		out.Messages = append(out.Messages, kept)
	}
	return &out
}

// A section whose run failed says why on its page, until a later one goes well.
func TestASectionSaysWhyItsRunFailed(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	ctx, ana := t.Context(), b.Person("ana", "analyst")
	page := func() *failedRun {
		t.Helper()
		p, err := o.getSection(ctx, &sectionPath{demoReport, "emissions"})
		if err != nil {
			t.Fatal(err)
		}
		return p.Body.Failed
	}
	if f := page(); f != nil {
		t.Errorf("a run that wrote a draft is said to have failed: %+v", f)
	}
	limits := b.Kit.Agents[0].Limits
	b.Kit.Agents[0].Limits.Turns = 1
	b.Clock.Add(time.Minute)
	runs, err := o.start(ctx, demoReport, []string{"emissions"}, ana)
	if err != nil {
		t.Fatal(err)
	}
	b.Settle()
	if f := page(); f == nil || *f != (failedRun{runs[0].ID, "The agent did not come to an end within 1 turns."}) {
		t.Errorf("%+v", f)
	}
	b.Kit.Agents[0].Limits = limits
	b.Clock.Add(time.Minute)
	if _, err := o.start(ctx, demoReport, []string{"emissions"}, ana); err != nil {
		t.Fatal(err)
	}
	b.Settle()
	if f := page(); f != nil {
		t.Errorf("it was written since, and the page says %+v", f)
	}
}
