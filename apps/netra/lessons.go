package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dossier/apps/netra/book"
	"dossier/apps/netra/class"
	"dossier/internal/eval"
)

// A lesson is asked about at most this many reports behind a reviewed score.
const reportsPerReview = 5

// lessons returns the reports behind scores that officers reviewed, as reports of the
// classification suite in the making. A score that was confirmed says that they were
// classified right; a false alarm leaves it open.
func (o *office) lessons(ctx context.Context) ([]eval.Lesson, error) {
	reviews, err := o.book.Reviews(ctx, 1000)
	if err != nil {
		return nil, err
	}
	var out []eval.Lesson
	for _, r := range reviews {
		behind, err := o.book.Accounts(ctx, r.Place, r.ScoreAt.Add(-time.Duration(r.Hours)*time.Hour), r.ScoreAt, reportsPerReview)
		if err != nil {
			return nil, err
		}
		for _, a := range behind {
			le, err := lessonOf(r, a)
			if err != nil {
				return nil, err
			}
			out = append(out, le)
		}
	}
	return out, nil
}

func lessonOf(r book.Review, a book.Account) (eval.Lesson, error) {
	used := a.ByRule
	if a.Used == "model" && a.ByModel != nil {
		used = *a.ByModel
	}
	c := class.Of(used)
	input, err := json.Marshal(class.In{Text: a.Signal.EventSummary})
	if err != nil {
		return eval.Lesson{}, fmt.Errorf("encode report %s: %w", a.Signal.ID, err)
	}
	got, err := json.Marshal(struct {
		Layers   []string `json:"risk_layers"`
		Polarity string   `json:"polarity"`
		Severity int      `json:"severity_score"`
		Tags     []string `json:"geo_sensitivity"`
	}{c.Layers, c.Polarity, c.Severity, c.Tags})
	if err != nil {
		return eval.Lesson{}, fmt.Errorf("encode report %s: %w", a.Signal.ID, err)
	}
	le := eval.Lesson{ID: "netra-" + r.ID + "-" + a.Signal.ID, Suite: classificationSuite, Input: input, Got: got}
	if r.FalseAlarm {
		le.Why = fmt.Sprintf("An officer called the score %.2f of %s a false alarm; this report stood behind it. %s", r.Score, r.Place, r.Note)
		return le, nil
	}
	le.Why = fmt.Sprintf("An officer confirmed the score %.2f of %s; this report stood behind it. %s", r.Score, r.Place, r.Note)
	le.Want = got
	return le, nil
}
