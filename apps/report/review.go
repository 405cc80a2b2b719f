package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/report/outline"
	"dossier/apps/report/rating"
	"dossier/apps/report/writer"
)

type reviewIn struct {
	Report  string `path:"report"`
	Section string `path:"section"`
	Body    struct {
		Round    int            `json:"round" minimum:"1"`
		Ratings  map[string]int `json:"ratings"`
		Notes    string         `json:"notes,omitempty" maxLength:"8000"`
		Comments []comment      `json:"comments,omitempty" doc:"Remarks on single sentences, each quoting the draft"`
		SendBack bool           `json:"send_back,omitempty" doc:"The draft needs another round; a request to make it final is rejected"`
	}
}

// review stores what a person said of a draft and puts it into the outline, beside what
// others said of that draft, where the next round reads it.
func (o *office) review(ctx context.Context, in *reviewIn, by dossier.Principal) (review, error) {
	rv := review{
		ID: o.env.NewID("rev-"), Report: in.Report, Section: in.Section, Round: in.Body.Round, Ratings: in.Body.Ratings,
		Notes: strings.TrimSpace(in.Body.Notes), Comments: in.Body.Comments, By: by.Name, Created: o.env.Now().UTC(),
	}
	if len(rv.Ratings) == 0 {
		rv.Ratings = map[string]int{}
	}
	if rv.Comments == nil {
		rv.Comments = []comment{}
	}
	for _, c := range rv.Comments {
		rv.Notes += fmt.Sprintf("\n- On “%s”: %s", c.Quote, c.Text)
	}
	rv.Notes = strings.TrimSpace(rv.Notes)
	if len(rv.Ratings) == 0 && rv.Notes == "" && !in.Body.SendBack {
		return review{}, dossier.Errorf(dossier.Invalid, "The review says nothing. Rate a dimension, write a note or send the draft back.")
	}
	return rv, o.env.DB.InTx(ctx, func(ctx context.Context) error {
		return o.keepReview(ctx, rv, in.Body.SendBack, by)
	})
}

// keepReview stores a review of the draft that stands. The report's row is held first,
// so that no other draft takes its place meanwhile.
func (o *office) keepReview(ctx context.Context, rv review, back bool, by dossier.Principal) error {
	if err := o.book.hold(ctx, rv.Report); err != nil {
		return err
	}
	d, ok, err := o.book.latest(ctx, rv.Report, rv.Section)
	switch {
	case err != nil:
		return err
	case !ok || d.Round != rv.Round:
		return dossier.Errorf(dossier.Conflict, "Round %d is not the draft that stands now; read the newest first.", rv.Round)
	case back && d.Status == "final":
		return dossier.Errorf(dossier.Conflict, "Round %d is final and cannot be sent back; have the section drafted again instead.", rv.Round)
	}
	for _, c := range rv.Comments {
		if !strings.Contains(d.Text, c.Quote) || c.Quote == "" || c.Text == "" {
			return dossier.Errorf(dossier.Invalid, "A comment must quote words of the draft and say something about them.")
		}
	}
	if err := o.book.addReview(ctx, rv, by); err != nil {
		return err
	}
	if err := o.intoOutline(ctx, rv); err != nil || !back {
		return err
	}
	if err := o.book.settle(ctx, rv.Report, rv.Section, d.Round, "sent_back"); err != nil {
		return err
	}
	return o.rejectFinal(ctx, d, by)
}

// intoOutline writes all that was said of a round into the outline: every note, and of
// each dimension the newest rating.
func (o *office) intoOutline(ctx context.Context, rv review) error {
	all, err := o.book.reviews(ctx, rv.Report)
	if err != nil {
		return err
	}
	ratings, notes := map[string]int{}, []string{}
	for _, r := range all {
		if r.Section != rv.Section || r.Round != rv.Round {
			continue
		}
		for d, n := range r.Ratings {
			ratings[d] = n
		}
		if r.Notes != "" && !slices.Contains(notes, r.Notes) {
			notes = append(notes, r.Notes)
		}
	}
	return o.book.change(ctx, rv.Report, o.env.Now(), func(rec record) ([]byte, error) {
		doc, err := outline.Parse([]byte(rec.Outline))
		if err != nil {
			return nil, err
		}
		return doc.SetReview(rv.Section, ratings, strings.Join(notes, "\n"))
	})
}

// rejectFinal rejects the request to make a draft final that waits in the inbox, if one
// does.
func (o *office) rejectFinal(ctx context.Context, d stored, by dossier.Principal) error {
	asked, err := o.asked(ctx, d, dossier.Pending)
	if err != nil || asked == nil {
		return err
	}
	_, err = o.env.Desk.Decide(ctx, asked.ID, dossier.Decision{Verb: dossier.Reject, By: by, Note: "Sent back for another round; the review says why."})
	return err
}

// asked returns the newest request to make a draft final that has a status, nil if there
// is none.
func (o *office) asked(ctx context.Context, d stored, status dossier.ApprovalStatus) (*dossier.Approval, error) {
	all, err := o.env.Desk.Approvals(ctx, d.Case)
	if err != nil {
		return nil, err
	}
	for _, a := range slices.Backward(all) {
		var in writer.FinalIn
		if a.Tool == writer.Finalize && a.Status == status && json.Unmarshal(a.Args, &in) == nil && in.Round == d.Round {
			return &a, nil
		}
	}
	return nil, nil
}

// takeRejection makes a review of what a person wrote who rejected a draft in the inbox,
// so that the next round answers it.
func (o *office) takeRejection(ctx context.Context, report, section string) error {
	d, ok, err := o.book.latest(ctx, report, section)
	if err != nil || !ok || d.Status != "draft" {
		return err
	}
	a, err := o.asked(ctx, d, dossier.Rejected)
	if err != nil || a == nil || len(a.Decisions) == 0 {
		return err
	}
	last := a.Decisions[len(a.Decisions)-1]
	rv := review{
		ID: o.env.NewID("rev-"), Report: report, Section: section, Round: d.Round, Ratings: map[string]int{},
		Notes: strings.TrimSpace(last.Note), Comments: []comment{}, By: last.By.Name, Created: last.At.UTC(),
	}
	return o.keepReview(ctx, rv, true, last.By)
}

type evalIn struct {
	Report string `path:"report"`
	Body   struct {
		RunID string `json:"run_id" minLength:"1" maxLength:"100"`
		Model string `json:"model,omitempty" doc:"Who wrote the drafts; left out, it is taken from their runs"`
	}
}

func (o *office) evaluate(ctx context.Context, in *evalIn) (*answer[json.RawMessage], error) {
	rec, err := o.book.report(ctx, in.Report)
	if err != nil {
		return nil, err
	}
	doc, err := outline.Parse([]byte(rec.Outline))
	if err != nil {
		return nil, err
	}
	by, version, err := o.rated(ctx, in.Report, doc)
	if err != nil {
		return nil, err
	}
	run, err := rating.Of(doc, rating.About{
		RunID: in.Body.RunID, Model: cmp.Or(in.Body.Model, by, "unknown"), PromptVersion: cmp.Or(version, o.promptVersion()), ToolVersion: writer.RulesVersion, At: o.env.Now(),
	})
	if err != nil {
		return nil, err
	}
	if err := o.book.addEval(ctx, in.Report, run); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(run)
	return reply(json.RawMessage(raw), err)
}

// rated says who wrote the drafts that stand, and with which version of the prompt. It
// takes out of doc the ratings that were given to an earlier draft than the one that
// stands, and lists them as problems.
func (o *office) rated(ctx context.Context, report string, doc *outline.Outline) (by, version string, err error) {
	drafts, err := o.book.drafts(ctx, report, "")
	if err != nil {
		return "", "", err
	}
	reviews, err := o.book.reviews(ctx, report)
	if err != nil {
		return "", "", err
	}
	var authors, versions []string
	for i := range doc.Sections {
		s := &doc.Sections[i]
		var d stored
		for _, x := range drafts {
			if x.Section == s.ID {
				d = x
			}
		}
		if d.Round == 0 {
			continue
		}
		author, err := o.author(ctx, d)
		if err != nil {
			return "", "", err
		}
		authors, versions = append(authors, author), append(versions, d.Prompt)
		now := slices.ContainsFunc(reviews, func(r review) bool { return r.Section == s.ID && r.Round == d.Round && len(r.Ratings) > 0 })
		if !now && len(s.Ratings) > 0 {
			s.Ratings = map[string]int{}
			doc.Problems = append(doc.Problems, outline.Problem{Section: s.ID, Line: s.Line, Message: fmt.Sprintf("The ratings are of an earlier draft and do not count; round %d is not rated yet.", d.Round)})
		}
	}
	return each(authors), each(versions), nil
}

// author returns who wrote a draft.
func (o *office) author(ctx context.Context, d stored) (string, error) {
	steps, err := o.env.Desk.Steps(ctx, d.Run)
	if err != nil {
		return "", err
	}
	return writer.Author(steps)
}

// each lists every different text once.
func each(list []string) string {
	slices.Sort(list)
	return strings.Join(slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" }), ", ")
}
