package report

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"dossier/apps/report/draft"
	"dossier/apps/report/writer"
	"dossier/internal/eval"
)

// goodRating is the rating from which on an analyst is taken to agree with a draft.
const goodRating = 4

// lessons returns the drafts that analysts rated, as examples of the faithfulness suite
// in the making, to be played on the stored report they were written for. A draft rated
// well throughout says that it must pass; any other leaves it open. A draft that the
// checks judge otherwise now, because the outline or the data are not what they were, is
// left out.
func (o *office) lessons(ctx context.Context) ([]eval.Lesson, error) {
	reports, err := o.book.reports(ctx)
	if err != nil {
		return nil, err
	}
	var out []eval.Lesson
	for _, r := range reports {
		list, err := o.lessonsOf(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func (o *office) lessonsOf(ctx context.Context, id string) ([]eval.Lesson, error) {
	rated, err := o.book.reviews(ctx, id)
	if err != nil || len(rated) == 0 {
		return nil, err
	}
	_, known, err := o.open(ctx, id)
	if err != nil {
		o.env.Log.WarnContext(ctx, "a rated report cannot be opened, so nothing is learned from it", "report", id, "err", err)
		return nil, nil
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
			return le, false, nil //nolint:nilerr // a draft of another outline or other data: the suite cannot play it
		}
		input, err := json.Marshal(trial{Report: rv.Report, Section: rv.Section, Text: d.Text})
		if err != nil {
			return le, false, fmt.Errorf("encode draft of %s: %w", rv.Section, err)
		}
		le = eval.Lesson{
			ID: rv.ID, Suite: "faithfulness", Case: d.Case, Run: d.Run, Input: input, Got: fmt.Appendf(nil, `{"ok":%t}`, d.Verdict.OK),
			Why: strings.TrimSpace(fmt.Sprintf("%s rated round %d of %s: %v. %s", rv.By, rv.Round, rv.Section, rv.Ratings, rv.Notes)),
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
