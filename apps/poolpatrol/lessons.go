package poolpatrol

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/app"
	"dossier/internal/eval"
)

// lessons returns what coordinators decided about answers to escalations, as replies
// of the outreach suite in the making. An answer that was sent says that the reply was
// one; an answer that was rejected leaves it open.
func lessons(env app.Env, p *patrol.Patrol) func(context.Context) ([]eval.Lesson, error) {
	return func(ctx context.Context) ([]eval.Lesson, error) {
		asked, err := env.Desk.Asked(ctx, "send_email_for_review")
		if err != nil {
			return nil, err
		}
		var out []eval.Lesson
		for _, a := range asked {
			le, ok, err := lessonOf(ctx, p, a)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, le)
			}
		}
		return out, nil
	}
}

func lessonOf(ctx context.Context, p *patrol.Patrol, a dossier.Approval) (le eval.Lesson, ok bool, err error) {
	if a.Status != dossier.Approved && a.Status != dossier.Rejected || len(a.Decisions) == 0 {
		return le, false, nil
	}
	var mail patrol.MailIn
	if json.Unmarshal(a.Args, &mail) != nil || mail.Answers == "" {
		return le, false, nil
	}
	m, err := p.Book.Message(ctx, mail.Answers)
	if err != nil {
		return le, false, err
	}
	var names []string
	if van, err := p.Roster.Crew(ctx, mail.Vanpool); err == nil {
		names = van.Names()
	}
	input, err := json.Marshal(struct {
		Text string `json:"text"`
	}{replies.Redact(replies.Clean(m.Text), names)})
	if err != nil {
		return le, false, fmt.Errorf("encode reply %s: %w", m.ID, err)
	}
	last := a.Decisions[len(a.Decisions)-1]
	le = eval.Lesson{
		ID: string(a.ID), Suite: "outreach", Case: a.Case, Run: a.Run, Input: input,
		Got: json.RawMessage(`{"bucket":"escalation","hitl_required":true}`),
		Why: fmt.Sprintf("The reply was taken for an escalation, and a person decided about the answer: %s. %s", last.Verb, last.Note),
	}
	if a.Status == dossier.Approved {
		le.Want = le.Got
	}
	return le, true, nil
}
