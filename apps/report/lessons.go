package report

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	demodata "dossier/apps/report/demo"
	"dossier/apps/report/draft"
	"dossier/apps/report/writer"
	"dossier/internal/eval"
)

// goodRating is the rating from which on an analyst is taken to agree with a draft.
const goodRating = 4

// lessons returns the drafts that analysts rated, as drafts of the faithfulness suite in
// the making. A draft rated well throughout says that it must pass; any other leaves it
// open. The suite is played on the demo report's data, so only drafts that its checks
// judge as they were judged then can be taught.
func (o *office) lessons(ctx context.Context) ([]eval.Lesson, error) {
	reports, err := o.book.reports(ctx)
	if err != nil {
		return nil, err
	}
	var rated []review
	for _, r := range reports {
		list, err := o.book.reviews(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		rated = append(rated, list...)
	}
	if len(rated) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "report-lessons-")
	if err != nil {
		return nil, fmt.Errorf("folder for lessons: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := demodata.Write(dir); err != nil {
		return nil, err
	}
	known, err := draft.Load(ctx, draft.Files{Outline: filepath.Join(dir, "outline.md"), DataRoot: filepath.Join(dir, "run")})
	if err != nil {
		return nil, err
	}
	defer known.Close()
	var out []eval.Lesson
	for _, rv := range rated {
		le, ok, err := o.lessonOf(ctx, known, rv)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, le)
		}
	}
	return out, nil
}

func (o *office) lessonOf(ctx context.Context, known *draft.Report, rv review) (le eval.Lesson, ok bool, err error) {
	drafts, err := o.book.drafts(ctx, rv.Report, rv.Section)
	if err != nil {
		return le, false, err
	}
	for _, d := range drafts {
		if d.Round != rv.Round {
			continue
		}
		sheet := &writer.Sheet{Report: known, Section: rv.Section}
		now, err := sheet.Judge(ctx, d.Text, nil)
		if err != nil || now.OK != d.Verdict.OK {
			return le, false, nil //nolint:nilerr // a draft of other data: the suite cannot play it
		}
		input, err := json.Marshal(trial{Section: rv.Section, Text: d.Text})
		if err != nil {
			return le, false, fmt.Errorf("encode draft of %s: %w", rv.Section, err)
		}
		le = eval.Lesson{
			ID: rv.ID, Suite: "faithfulness", Case: d.Case, Run: d.Run, Input: input, Got: fmt.Appendf(nil, `{"ok":%t}`, d.Verdict.OK),
			Why: fmt.Sprintf("%s rated round %d of %s: %v. %s", rv.By, rv.Round, rv.Section, rv.Ratings, rv.Notes),
		}
		least := goodRating
		for _, n := range rv.Ratings {
			least = min(least, n)
		}
		if len(rv.Ratings) > 0 && least >= goodRating {
			le.Want = json.RawMessage(`{"ok":true}`)
		}
		return le, true, nil
	}
	return le, false, nil
}
