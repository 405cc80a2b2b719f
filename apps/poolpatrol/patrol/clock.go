package patrol

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/letters"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app"
)

// awaitReply starts the clock after a mail: a reminder, and a look at the silence. The
// case waits for the rider, unless a coordinator is being asked about a membership.
func (p *Patrol) awaitReply(ctx context.Context, t casebook.Thread, in MailIn) error {
	if in.Kind == string(Reminder) {
		return nil
	}
	c, err := p.env.Desk.Case(ctx, t.Case)
	if err != nil {
		return err
	}
	if s := StatusOf(c); s != PendingReply && s != PreCancel && s != ReAudit && c.State.Live() {
		if _, err := p.env.Desk.Move(ctx, t.Case, app.Change{
			State: dossier.Waiting, Stage: string(PendingReply), Note: "Waiting for " + t.Employee + ".", By: "outreach_agent",
		}); err != nil {
			return err
		}
	}
	at := roster.BusinessDay(t.LastOut, p.Config.ReminderDays)
	if err := p.env.Desk.Later(ctx, jobReminder, threadArgs{t.ID, t.LastOut}, at, "reminder/"+t.ID); err != nil {
		return err
	}
	return p.watch(ctx, t.Case, t.LastOut)
}

// watch makes the next look at a case's silence due: when the first of its riders will
// have been silent long enough, and at the latest after one more silence.
func (p *Patrol) watch(ctx context.Context, id dossier.CaseID, now time.Time) error {
	threads, err := p.Book.Threads(ctx, id)
	if err != nil {
		return err
	}
	next := now.Add(p.Config.Silence)
	for _, t := range threads {
		if due := p.due(t); t.Settled == "" && due.After(now) && due.Before(next) {
			next = due
		}
	}
	return p.env.Desk.Later(ctx, jobSilence, caseArgs{Case: id}, next, "silence/"+string(id))
}

// due returns when nothing has happened in a thread for too long.
func (p *Patrol) due(t casebook.Thread) time.Time {
	last := t.LastOut
	if t.LastIn.After(last) {
		last = t.LastIn
	}
	if last.IsZero() {
		last = t.Created
	}
	return last.Add(p.Config.Silence)
}

// onSilence looks at the riders of a case who have not answered. Silence leads to a
// new audit and, if that fails, to a coordinator.
func (p *Patrol) onSilence(ctx context.Context, a caseArgs) error {
	c, err := p.env.Desk.Case(ctx, a.Case)
	if err != nil || !c.State.Live() || c.State == dossier.Preliminary {
		return err
	}
	threads, err := p.Book.Threads(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, t := range threads {
		if t.Settled != "" || p.env.Now().Before(p.due(t)) {
			continue
		}
		asked, err := p.asked(ctx, c.ID, t.Employee)
		if err != nil {
			return err
		}
		if asked {
			continue // a person is being asked about this rider already
		}
		in := managerIn{Vanpool: t.Vanpool, Trigger: ByTimeout, Employee: t.Employee, Thread: t.ID}
		if !t.Silent() { // the last word was the rider's: nobody may be cancelled for our silence
			in.Trigger = ByPerson
		}
		if _, err := p.manage(ctx, c, in, dossier.SystemPrincipal); err != nil {
			return err
		}
		if c, err = p.env.Desk.Case(ctx, c.ID); err != nil || !c.State.Live() {
			return err
		}
	}
	return p.watch(ctx, c.ID, p.env.Now())
}

// asked reports whether a question about a rider is pending in a case.
func (p *Patrol) asked(ctx context.Context, id dossier.CaseID, employee string) (bool, error) {
	all, err := p.env.Desk.Approvals(ctx, id)
	if err != nil {
		return false, err
	}
	for _, a := range all {
		var about struct {
			Employee string `json:"employee_id"`
		}
		if a.Status == dossier.Pending && json.Unmarshal(a.Args, &about) == nil && about.Employee == employee {
			return true, nil
		}
	}
	return false, nil
}

// onReminder writes once more to a rider who has not answered the last mail.
func (p *Patrol) onReminder(ctx context.Context, a threadArgs) error {
	t, err := p.Book.Thread(ctx, a.Thread)
	if err != nil || !t.LastOut.Equal(a.After) {
		return err
	}
	return p.Remind(ctx, t)
}

// Remind writes once more to a rider of whom nothing was heard since the last mail. A
// mail is reminded of once.
func (p *Patrol) Remind(ctx context.Context, t casebook.Thread) error {
	c, err := p.env.Desk.Case(ctx, t.Case)
	if err != nil {
		return err
	}
	if t.Settled != "" || !t.Silent() || StatusOf(c) != PendingReply {
		return nil
	}
	e, err := p.Roster.Employee(ctx, t.Employee)
	if errors.Is(err, dossier.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	_, found, err := p.env.Desk.Facts(ctx, t.Case)
	if err != nil {
		return err
	}
	in := MailIn{Case: string(t.Case), Vanpool: t.Vanpool, Employee: t.Employee, Kind: string(Reminder), Round: int(t.LastOut.Unix())}
	in.Subject, in.Body = letters.Write(string(Reminder), p.letterFacts(t.Vanpool, t.Employee, found))
	_, _, err = p.post(ctx, p.env.Now(), t, e, in, p.env.Mail.Send)
	return err
}
