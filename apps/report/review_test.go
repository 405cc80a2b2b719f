package report

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/report/outline"
	"dossier/apps/report/rating"
	"dossier/apps/report/writer"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// inOutline returns a section as the stored outline has it.
func inOutline(t *testing.T, o *office, section string) outline.Section {
	t.Helper()
	rec, err := o.book.report(t.Context(), demoReport)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := outline.Parse([]byte(rec.Outline))
	if err != nil {
		t.Fatal(err)
	}
	s, err := doc.Section(section)
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

// evaluated records the ratings of a report.
func evaluated(t *testing.T, o *office, report, id string) (*rating.Run, error) {
	t.Helper()
	in := &evalIn{Report: report}
	in.Body.RunID = id
	out, err := o.evaluate(t.Context(), in)
	if err != nil {
		return nil, err
	}
	run, err := rating.Parse(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return run, nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordsOfRatings(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			b := apptest.Open(t, App, apptest.Options{Database: database, Model: model.Reference("planter", writer.Policy)})
			must(t, b.Kit.Demo(t.Context()))
			o := newOffice(b.Env, defaults)
			ours(t, b, o)
			_, err := o.review(t.Context(), reviewOf("emissions", 1, "Add a baseline comparison.", false), b.Person("ana"))
			must(t, err)
			first, err := evaluated(t, o, demoReport, "v1")
			must(t, err)
			t.Run("R-061 a record is its report's alone", func(t *testing.T) {
				if _, err := evaluated(t, o, "ours", "v1"); err != nil {
					t.Fatal(err)
				}
				runs, err := o.book.evals(t.Context(), demoReport)
				if err != nil || len(runs) != 1 || runs[0].Rated["completeness"] != 1 {
					t.Errorf("records %+v, %v", runs, err)
				}
			})
			t.Run("R-061 a record is not written over", func(t *testing.T) {
				if _, err := evaluated(t, o, demoReport, "v1"); dossier.KindOf(err) != dossier.Conflict {
					t.Errorf("evaluate = %v", err)
				}
			})
			d, _, err := o.book.latest(t.Context(), demoReport, "emissions")
			must(t, err)
			t.Run("R-058 R-073 R-134 who wrote, with which prompt", func(t *testing.T) {
				if first.Model != "reference/planter" || first.PromptVersion != d.Prompt || d.Prompt == "" {
					t.Errorf("model %q, prompt %q; the draft has %q", first.Model, first.PromptVersion, d.Prompt)
				}
			})
			t.Run("R-059 ratings of an earlier draft do not count", func(t *testing.T) {
				_, err := o.start(t.Context(), demoReport, []string{"emissions"}, b.Person("ana"))
				must(t, err)
				b.Settle()
				run, err := evaluated(t, o, demoReport, "v2")
				if err != nil || len(run.Rated) != 0 || len(run.Problems) != 1 || !strings.Contains(run.Problems[0].Message, "round 2 is not rated") {
					t.Errorf("record %+v, %v", run, err)
				}
				_, err = o.review(t.Context(), reviewOf("emissions", 2, "", false), b.Person("ana"))
				must(t, err)
				if run, err = evaluated(t, o, demoReport, "v3"); err != nil || run.Rated["completeness"] != 1 || len(run.Problems) != 0 {
					t.Errorf("record %+v, %v", run, err)
				}
			})
		})
	}
}

func TestSeveralReviewers(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	first := reviewOf("emissions", 1, "Add a baseline comparison.", false)
	first.Body.Ratings = map[string]int{"accuracy": 5, "clarity": 4}
	_, err := o.review(t.Context(), first, b.Person("ana"))
	must(t, err)
	b.Walk(time.Minute)
	second := reviewOf("emissions", 1, "Say more about Transport.", false)
	second.Body.Ratings = map[string]int{"clarity": 2}
	_, err = o.review(t.Context(), second, b.Person("bo"))
	must(t, err)
	t.Run("R-130 R-132 both are heard in the next round", func(t *testing.T) {
		s := inOutline(t, o, "emissions")
		if s.Notes != "Add a baseline comparison.\nSay more about Transport." || s.Ratings["accuracy"] != 5 || s.Ratings["clarity"] != 2 {
			t.Errorf("notes %q, ratings %v", s.Notes, s.Ratings)
		}
	})
	t.Run("R-130 a review that says nothing is refused", func(t *testing.T) {
		none := reviewOf("emissions", 1, " ", false)
		none.Body.Ratings = nil
		if _, err := o.review(t.Context(), none, b.Person("ana")); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("review = %v", err)
		}
	})
	t.Run("R-131 notes alone leave the ratings", func(t *testing.T) {
		note := reviewOf("emissions", 1, "One more thing.", false)
		note.Body.Ratings = nil
		rv, err := o.review(t.Context(), note, b.Person("ana"))
		if s := inOutline(t, o, "emissions"); err != nil || rv.Ratings == nil || len(s.Ratings) != 2 {
			t.Errorf("review %+v, ratings %v, %v", rv, s.Ratings, err)
		}
	})
}

func TestSendingBack(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	ctx, ana := t.Context(), b.Person("ana")
	asked := pending(t, b, o, "emissions")
	_, err := o.review(ctx, reviewOf("emissions", 1, "Mention the fleet.", true), ana)
	must(t, err)
	t.Run("R-137 nobody can make it final any more", func(t *testing.T) {
		for _, a := range b.Pending() {
			if a.ID == asked.ID {
				t.Error("the request to make it final still waits")
			}
		}
		d, _, err := o.book.latest(ctx, demoReport, "emissions")
		must(t, err)
		call := tool.Call{Case: d.Case, For: ana, Now: b.Clock.Now()}
		if _, err := o.finalize().Run(ctx, call, asked.Args); dossier.KindOf(err) != dossier.Conflict || d.Status != "sent_back" {
			t.Errorf("finalize = %v of a draft that is %s", err, d.Status)
		}
	})
	t.Run("R-132 what was said in the inbox is in the next prompt", func(t *testing.T) {
		b.Decide(pending(t, b, o, "transport").ID, dossier.Decision{Verb: dossier.Reject, Note: "Mention the fleet in 2035."})
		_, err := o.start(ctx, demoReport, []string{"transport"}, ana)
		must(t, err)
		if s := inOutline(t, o, "transport"); s.Notes != "Mention the fleet in 2035." {
			t.Errorf("notes %q", s.Notes)
		}
		b.Settle()
		drafts, err := o.book.drafts(ctx, demoReport, "transport")
		if err != nil || len(drafts) != 2 || drafts[0].Status != "sent_back" || len(drafts[1].Verdict.Notes) != 1 {
			t.Errorf("drafts %+v, %v", drafts, err)
		}
	})
	t.Run("R-137 a final draft is not sent back", func(t *testing.T) {
		b.Decide(pending(t, b, o, "industry").ID, dossier.Decision{Verb: dossier.Approve})
		if _, err := o.review(ctx, reviewOf("industry", 1, "No.", true), ana); dossier.KindOf(err) != dossier.Conflict {
			t.Errorf("review = %v", err)
		}
	})
}

func TestPrintedReportSaysWhatIsNotFinal(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	printed := func(format string) string {
		req := httptest.NewRequest(http.MethodGet, "/report/reports/demo/file?format="+format, nil)
		req.SetPathValue("report", demoReport)
		w := httptest.NewRecorder()
		o.file(w, req)
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return w.Body.String()
	}
	b.Decide(pending(t, b, o, "industry").ID, dossier.Decision{Verb: dossier.Approve})
	t.Run("R-137 some", func(t *testing.T) {
		if got := printed("html"); !strings.Contains(got, "<p>Draft. Not final yet: Projection results, Emissions,") || strings.Contains(got, "Transport, Industry") {
			t.Errorf("%.900s", got)
		}
	})
	t.Run("R-112 the Markdown is the outline", func(t *testing.T) {
		if got := printed("md"); !strings.HasPrefix(got, "# Projection results\n") {
			t.Errorf("%.200s", got)
		}
	})
	for _, a := range b.Pending() {
		b.Decide(a.ID, dossier.Decision{Verb: dossier.Approve})
	}
	t.Run("R-137 none", func(t *testing.T) {
		if got := printed("html"); strings.Contains(got, "Not final") {
			t.Errorf("%.900s", got)
		}
	})
}

func TestStart(t *testing.T) {
	t.Parallel()
	o, b := atWork(t)
	ctx, ana := t.Context(), b.Person("ana")
	b.Decide(pending(t, b, o, "industry").ID, dossier.Decision{Verb: dossier.Approve})
	t.Run("R-137 final sections are left alone unless named", func(t *testing.T) {
		runs, err := o.start(ctx, demoReport, nil, ana)
		if err != nil || len(runs) != 8 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		again, err := o.start(ctx, demoReport, []string{"emissions"}, ana)
		if err != nil || len(again) != 1 || !has(runs, again[0].ID) {
			t.Errorf("R-114 asked twice, a second run %+v, %v", again, err)
		}
		b.Settle()
		for section, round := range map[string]int{"industry": 1, "emissions": 2} {
			if d, _, err := o.book.latest(ctx, demoReport, section); err != nil || d.Round != round {
				t.Errorf("%s is at round %d, %v; want %d", section, d.Round, err, round)
			}
		}
		if s := inOutline(t, o, "industry"); !strings.Contains(s.Content, "PJ") {
			t.Errorf("final text %q", s.Content)
		}
	})
	t.Run("R-137 all final", func(t *testing.T) {
		for _, a := range b.Pending() {
			b.Decide(a.ID, dossier.Decision{Verb: dossier.Approve})
		}
		if _, err := o.start(ctx, demoReport, nil, ana); dossier.KindOf(err) != dossier.Conflict {
			t.Errorf("start = %v", err)
		}
		runs, err := o.start(ctx, demoReport, []string{"industry"}, ana)
		if err != nil || len(runs) != 1 {
			t.Errorf("named: %d runs, %v", len(runs), err)
		}
	})
}

func has(runs []dossier.Run, id dossier.RunID) bool {
	for _, r := range runs {
		if r.ID == id {
			return true
		}
	}
	return false
}
