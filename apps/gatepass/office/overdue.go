package office

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/gatepass/pass"
	"dossier/internal/app"
)

// A Late is a pass whose holder should have been back, as a rule sees it.
type Late struct {
	Number   string     `json:"pass_number"`
	Person   string     `json:"person_name"`
	Exit     time.Time  `json:"exit_time"`
	ReturnBy *time.Time `json:"return_by,omitempty"`
	Grace    int64      `json:"grace_seconds"`
	SeenAt   time.Time  `json:"seen_at"`
	Photo    string     `json:"exit_photo_sha256,omitempty"`
}

// Judge answers the check "return" from what was seen of a pass.
func (l Late) Judge() dossier.Finding {
	due := l.Exit.Add(time.Duration(l.Grace) * time.Second)
	if l.ReturnBy != nil {
		due = *l.ReturnBy
	}
	late := l.SeenAt.Sub(due)
	f := dossier.Finding{
		Check: "return", Subject: l.Number, By: "rule/return@1", Verdict: dossier.Pass, Confidence: 100,
		Reason: fmt.Sprintf("%s is expected back by %s.", l.Person, due.UTC().Format("2 January 2006 15:04 MST")),
		Figures: data(struct {
			Due     time.Time `json:"due"`
			Minutes int       `json:"minutes_late"`
		}{due.UTC(), max(0, int(late/time.Minute))}),
	}
	if late > 0 {
		f.Verdict = dossier.Fail
		f.Reason = fmt.Sprintf("%s was expected back by %s and is %d minutes late.", l.Person, due.UTC().Format("2 January 2006 15:04 MST"), int(late/time.Minute))
	}
	return f
}

// ReturnRule recomputes a finding on a late return from its evidence.
func ReturnRule(cited []dossier.Evidence) (dossier.Finding, error) {
	for _, e := range cited {
		if e.Kind == "pass_out" {
			var l Late
			if err := json.Unmarshal(e.Data, &l); err != nil {
				return dossier.Finding{}, fmt.Errorf("decode evidence %s: %w", e.ID, err)
			}
			return l.Judge(), nil
		}
	}
	return dossier.Finding{}, dossier.Errorf(dossier.Invalid, "The finding cites no look at a pass.")
}

// reminders is how often the desks are reminded before the matter is escalated.
const reminders = 1

// Overdue looks whether the holder of a pass came back in time. If not, it opens a
// case, reminds the desks, and comes back after step to escalate; once the person is
// back it closes the case.
func (o *Office) Overdue(ctx context.Context, a OverdueArgs, step time.Duration) error {
	p, err := o.find(ctx, a.Number)
	if err != nil {
		return err
	}
	now := o.Now()
	if !p.Out() {
		return o.settle(ctx, p.Pass)
	}
	if !p.Overdue(now, o.Grace) {
		due, _ := p.Due(o.Grace)
		return o.Desk.Later(ctx, OverdueJob, a, due.Add(time.Second), "overdue/"+p.Number)
	}
	return o.DB.InTx(ctx, func(ctx context.Context) error {
		c, _, err := o.Desk.Open(ctx, app.Opening{
			Subject: "pass/" + p.Number, Title: fmt.Sprintf("%s has not come back (%s)", p.Person, p.Number),
			State: dossier.Open, Stage: "overdue", By: dossier.SystemPrincipal,
		})
		if err != nil {
			return err
		}
		late := Late{Number: p.Number, Person: p.Person, Exit: *p.ExitTime, ReturnBy: p.ReturnBy, Grace: int64(o.Grace / time.Second), SeenAt: now.UTC().Truncate(time.Second)}
		if _, photos, err := o.PhotosOf(ctx, p.Number); err == nil && len(photos) > 0 {
			late.Photo = photos[0].SHA256
		}
		f := late.Judge()
		seen := dossier.NewEvidence("pass_out", dossier.Source{System: "gatepass", Locator: p.Number}, late, "%s", f.Reason)
		if _, err := o.Desk.Record(ctx, c.ID, []dossier.Evidence{seen}, []dossier.Finding{f}); err != nil {
			return err
		}
		if err := o.remind(ctx, c, p.Pass, f, a.Told); err != nil {
			return err
		}
		if a.Told > reminders {
			return nil
		}
		return o.Desk.Later(ctx, OverdueJob, OverdueArgs{Number: a.Number, Told: a.Told + 1}, now.Add(step), "overdue/"+p.Number)
	})
}

// remind tells HR the first time and the admins from then on.
func (o *Office) remind(ctx context.Context, c dossier.Case, p pass.Pass, f dossier.Finding, told int) error {
	desk, kind, stage := "hr", "overdue", "overdue"
	if told >= reminders {
		desk, kind, stage = "admin", "overdue_escalated", "escalated"
	}
	if c.Stage != stage {
		if _, err := o.Desk.Move(ctx, c.ID, app.Change{Stage: stage, Note: f.Reason, By: "rule/return"}); err != nil {
			return err
		}
	}
	return o.tell(ctx, p, desk, kind, fmt.Sprintf("%s (%s)", f.Reason, p.Number))
}

// settle closes the case of a person who is back, or whose pass ended otherwise.
func (o *Office) settle(ctx context.Context, p pass.Pass) error {
	c, err := o.Desk.CaseOf(ctx, "pass/"+p.Number)
	if errors.Is(err, dossier.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = o.Desk.Move(ctx, c.ID, app.Change{State: dossier.Closed, Outcome: string(p.Status), Note: fmt.Sprintf("%s is %s.", p.Number, p.Status), By: "rule/return"})
	return err
}
