package patrol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/app"
	"dossier/internal/canon"
)

// An Order says which van to look at, why and for whom.
type Order struct {
	Vanpool  string
	For      dossier.Principal
	Straight bool     // put the membership before a coordinator without outreach
	Recheck  []string // for a case that is open already: checks to run again
	Again    bool     // look again at a van whose case is open already
}

// A Look is what came of looking at a van.
type Look struct {
	Case    dossier.CaseID `json:"case_id"`
	Vanpool string         `json:"vanpool_id"`
	Status  Status         `json:"status"`
	Outcome string         `json:"outcome,omitempty"`
	Waiting bool           `json:"waiting"` // a person or a date comes first
	Reason  string         `json:"reasoning"`
	Failed  []string       `json:"failed_checks"`
	Run     dossier.RunID  `json:"run_id,omitempty"`
}

// Audit looks at a van. A van whose case is open already is left to that case, unless
// the order says otherwise.
func (p *Patrol) Audit(ctx context.Context, o Order) (Look, error) {
	van, err := p.Roster.Vanpool(ctx, o.Vanpool)
	if err != nil {
		return Look{}, err
	}
	in := managerIn{Vanpool: van.ID, Trigger: ByAudit, Straight: o.Straight}
	c, run, err := p.open(ctx, in, o.For)
	if err != nil {
		return Look{}, err
	}
	if run.ID != "" {
		return p.drive(ctx, run, in)
	}
	if c.State != dossier.Preliminary {
		if !o.Straight && !o.Again {
			return p.lookOf(ctx, c)
		}
		in.Trigger, in.Recheck = ByPerson, o.Recheck
	}
	return p.manage(ctx, c, in, o.For)
}

// open returns the live case of a van, or opens one with the run that looks at it.
func (p *Patrol) open(ctx context.Context, in managerIn, by dossier.Principal) (c dossier.Case, run dossier.Run, err error) {
	err = p.env.DB.InTx(ctx, func(ctx context.Context) error {
		var fresh bool
		c, fresh, err = p.env.Desk.Open(ctx, app.Opening{
			Subject: Subject(in.Vanpool), Title: "Vanpool " + in.Vanpool, State: dossier.Preliminary, Stage: string(Verification), By: by,
		})
		if err == nil && fresh {
			run, err = p.start(ctx, c.ID, in, by)
		}
		return err
	})
	return c, run, err
}

// lookOf describes a case that is not being looked at now.
func (p *Patrol) lookOf(ctx context.Context, c dossier.Case) (Look, error) {
	l := Look{Case: c.ID, Vanpool: c.Subject[len("vanpool/"):], Status: StatusOf(c), Outcome: c.Outcome, Waiting: c.State == dossier.Waiting, Failed: []string{}}
	f, err := p.Book.File(ctx, c.ID)
	if errors.Is(err, dossier.NotFound) {
		return l, nil
	}
	l.Failed, l.Reason = verify.OrEmpty(f.FailedChecks), f.Details
	return l, err
}

// manage has the case manager work on a case until it waits or is done. Doing it again
// after a crash goes on with the run that was begun.
func (p *Patrol) manage(ctx context.Context, c dossier.Case, in managerIn, by dossier.Principal) (Look, error) {
	run, err := p.begun(ctx, c.ID, in)
	if err != nil {
		return Look{}, err
	}
	if run.ID == "" {
		if run, err = p.start(ctx, c.ID, in, by); err != nil {
			return Look{}, err
		}
	}
	return p.drive(ctx, run, in)
}

// start begins a run of the case manager, which the caller drives.
func (p *Patrol) start(ctx context.Context, id dossier.CaseID, in managerIn, by dossier.Principal) (dossier.Run, error) {
	return p.env.Desk.Start(ctx, app.Start{Case: id, Agent: "casemanager", For: by, Input: in, Hold: true})
}

func (p *Patrol) drive(ctx context.Context, run dossier.Run, in managerIn) (Look, error) {
	if !run.Status.Ended() {
		var err error
		if run, err = p.env.Desk.Drive(ctx, run.ID); err != nil {
			return Look{}, err
		}
	}
	return p.after(ctx, run.Case, in, run)
}

// begun returns the run that already serves in, if one does. A reply is served once;
// anything else may come up again once its run has ended.
func (p *Patrol) begun(ctx context.Context, id dossier.CaseID, in managerIn) (dossier.Run, error) {
	want, err := canon.Digest(in)
	if err != nil {
		return dossier.Run{}, err
	}
	runs, err := p.env.Desk.Runs(ctx, id)
	if err != nil {
		return dossier.Run{}, err
	}
	for _, r := range runs {
		if r.Agent != "casemanager" || r.Parent != "" || r.Status == dossier.Failed {
			continue
		}
		got, err := canon.Digest(r.Input)
		if err == nil && got == want && (in.Trigger == ByReply || !r.Status.Ended()) {
			return r, nil
		}
	}
	return dossier.Run{}, nil
}

// after follows a run of the case manager: a van that was verified leaves no case, and
// every look is counted.
func (p *Patrol) after(ctx context.Context, id dossier.CaseID, in managerIn, run dossier.Run) (Look, error) {
	var said Managed
	if run.Status == dossier.Done {
		if err := json.Unmarshal(run.Answer, &said); err != nil {
			return Look{}, fmt.Errorf("answer of %s: %w", run.ID, err)
		}
	}
	var c dossier.Case
	err := p.env.DB.InTx(ctx, func(ctx context.Context) error {
		var err error
		if c, err = p.env.Desk.Case(ctx, id); err != nil {
			return err
		}
		if said.Outcome == "verified" && c.State == dossier.Preliminary {
			c, err = p.env.Desk.Move(ctx, id, app.Change{
				State: dossier.Cleared, Stage: "verified", Outcome: "verified", Note: said.Reasoning, By: managerName,
			})
			if err != nil {
				return err
			}
		}
		return p.Book.Audited(ctx, casebook.Audit{
			Run: run.ID, Vanpool: in.Vanpool, Case: id, Trigger: string(in.Trigger), Status: string(StatusOf(c)), At: run.Started, Took: took(run, p.env.Now()),
		})
	})
	if err != nil {
		return Look{}, err
	}
	if run.Status == dossier.Failed {
		return Look{}, dossier.Errorf(dossier.Unavailable, "The audit of %s could not be finished: %s", in.Vanpool, run.Failure)
	}
	l, err := p.lookOf(ctx, c)
	l.Run = run.ID
	if said.Reasoning != "" {
		l.Reason = said.Reasoning
	}
	return l, err
}

func took(r dossier.Run, now time.Time) time.Duration {
	if r.Ended.IsZero() {
		return now.Sub(r.Started)
	}
	return r.Ended.Sub(r.Started)
}

// Due work, by name.
const (
	jobAudit    = "audit"
	jobReply    = "reply"
	jobSilence  = "silence"
	jobReminder = "reminder"
	jobRecheck  = "recheck"
)

type auditArgs struct {
	Vanpool string `json:"vanpool_id"`
}

type replyArgs struct {
	Thread  string `json:"email_thread_id"`
	Message string `json:"message_id"`
}

type caseArgs struct {
	Case     dossier.CaseID `json:"case_id"`
	Employee string         `json:"employee_id,omitempty"`
}

type threadArgs struct {
	Thread string    `json:"email_thread_id"`
	After  time.Time `json:"after"` // the mail it reminds of
}

func (p *Patrol) Jobs() map[string]app.Job {
	return map[string]app.Job{
		jobAudit: job(func(ctx context.Context, a auditArgs) error {
			_, err := p.Audit(ctx, Order{Vanpool: a.Vanpool, For: dossier.SystemPrincipal})
			return err
		}),
		jobReply:    job(p.onReply),
		jobSilence:  job(p.onSilence),
		jobReminder: job(p.onReminder),
		jobRecheck:  job(p.onRecheck),
	}
}

func job[T any](do func(context.Context, T) error) app.Job {
	return func(ctx context.Context, raw json.RawMessage) error {
		var args T
		if err := json.Unmarshal(raw, &args); err != nil {
			return fmt.Errorf("arguments of a job: %w", err)
		}
		return do(ctx, args)
	}
}

// AuditAll makes every van's audit due now. It returns how many.
func (p *Patrol) AuditAll(ctx context.Context) (int, error) {
	vans, err := p.Roster.Vanpools(ctx)
	if err != nil {
		return 0, err
	}
	return len(vans), p.env.DB.InTx(ctx, func(ctx context.Context) error {
		for _, v := range vans {
			if err := p.env.Desk.Later(ctx, jobAudit, auditArgs{v.ID}, p.env.Now(), "audit/"+v.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// onReply has a reply classified and acted on.
func (p *Patrol) onReply(ctx context.Context, a replyArgs) error {
	t, err := p.Book.Thread(ctx, a.Thread)
	if err != nil {
		return err
	}
	c, err := p.env.Desk.Case(ctx, t.Case)
	if err != nil {
		return err
	}
	if !c.State.Live() || t.Settled != "" {
		return p.env.Desk.Publish(ctx, app.Event{
			Kind: "mail.late", Case: c.ID, By: t.Employee, Text: t.Employee + " wrote after the matter was settled.",
		})
	}
	_, err = p.manage(ctx, c, managerIn{
		Vanpool: t.Vanpool, Trigger: ByReply, Employee: t.Employee, Thread: t.ID, Message: a.Message,
	}, dossier.SystemPrincipal)
	return err
}

// onRecheck looks at a van again because of what a rider sent.
func (p *Patrol) onRecheck(ctx context.Context, a caseArgs) error {
	c, err := p.env.Desk.Case(ctx, a.Case)
	if err != nil || !c.State.Live() {
		return err
	}
	_, err = p.manage(ctx, c, managerIn{
		Vanpool: c.Subject[len("vanpool/"):], Trigger: ByCounter, Employee: a.Employee,
	}, dossier.SystemPrincipal)
	return err
}
