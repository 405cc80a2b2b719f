package poolpatrol

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"
)

// A teacher makes lessons of what coordinators decided.
type teacher struct {
	desk   app.Desk
	patrol *patrol.Patrol
}

// lessons returns what coordinators decided about answers to escalations and about
// seats, as examples in the making of the suites whose agents proposed them.
func (t teacher) lessons(ctx context.Context) ([]eval.Lesson, error) {
	var out []eval.Lesson
	for _, of := range []struct {
		tool  string
		learn func(context.Context, dossier.Approval) (eval.Lesson, bool, error)
	}{{"send_email_for_review", t.answer}, {"cancel_membership", t.seat}} {
		asked, err := t.desk.Asked(ctx, of.tool)
		if err != nil {
			return nil, err
		}
		for _, a := range asked {
			if a.Status != dossier.Approved && a.Status != dossier.Rejected || len(a.Decisions) == 0 {
				continue
			}
			le, ok, err := of.learn(ctx, a)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, le)
			}
		}
	}
	return out, nil
}

// answer makes a reply of the outreach suite of an answer to an escalation. One that was
// sent says that the reply was an escalation; one that was rejected leaves it open.
func (t teacher) answer(ctx context.Context, a dossier.Approval) (le eval.Lesson, ok bool, err error) {
	p := t.patrol
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

// seat makes an example of the case manager's suite of a proposal to cancel a membership:
// what the run was started with and told, and what its tools came back with, so that
// the same proposal can be weighed again. A cancellation that stands says that it was
// right; one that was rejected or given back leaves open what would have been. A run
// that asked one tool several times about several riders cannot be told so and teaches
// nothing.
func (t teacher) seat(ctx context.Context, a dossier.Approval) (le eval.Lesson, ok bool, err error) {
	run, err := t.desk.Run(ctx, a.Run)
	if err != nil || run.Status != dossier.Done {
		return le, false, err
	}
	steps, err := t.desk.Steps(ctx, a.Run)
	if err != nil {
		return le, false, err
	}
	brief, briefed := agent.BriefOf(steps)
	path, err := eval.PathOf(steps)
	if err != nil || !briefed {
		return le, false, err
	}
	returns := map[string]json.RawMessage{}
	for _, c := range path.Calls {
		if _, twice := returns[c.Tool]; twice && c.Tool != "upsert_case" {
			return le, false, nil
		}
		returns[c.Tool] = c.Value
	}
	var said patrol.Managed
	if err := json.Unmarshal(run.Answer, &said); err != nil {
		return le, false, fmt.Errorf("answer of %s: %w", run.ID, err)
	}
	le = eval.Lesson{ID: string(a.ID), Suite: "casemanager", Case: a.Case, Run: a.Run}
	if le.Input, err = json.Marshal(managed{brief.Input, brief.Context, returns}); err != nil {
		return le, false, fmt.Errorf("encode %s: %w", run.ID, err)
	}
	if le.Got, err = json.Marshal(managedWant{path.Tools(), string(said.Status), said.Outcome}); err != nil {
		return le, false, fmt.Errorf("encode %s: %w", run.ID, err)
	}
	last := a.Decisions[len(a.Decisions)-1]
	le.Why = fmt.Sprintf("The case manager proposed to cancel a membership, and a person decided: %s. %s", last.Verb, last.Note)
	back, err := t.givenBack(ctx, a)
	if back {
		le.Why += "The seat was given back later."
	}
	if a.Status == dossier.Approved && !back {
		le.Want = le.Got
	}
	return le, true, err
}

// givenBack reports whether the membership that a cancelled was restored.
func (t teacher) givenBack(ctx context.Context, a dossier.Approval) (bool, error) {
	var about struct {
		Employee string `json:"employee_id"`
	}
	if err := json.Unmarshal(a.Args, &about); err != nil {
		return false, fmt.Errorf("arguments of %s: %w", a.ID, err)
	}
	all, err := t.patrol.Book.Removals(ctx, a.Case)
	return slices.ContainsFunc(all, func(r casebook.Removal) bool { return r.Employee == about.Employee && !r.Reversed.IsZero() }), err
}
