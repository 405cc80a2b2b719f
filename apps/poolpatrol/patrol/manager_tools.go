package patrol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/app"
	"dossier/internal/tool"
)

// managerName is how the case manager signs records.
const managerName = "case_manager_agent"

type upsertIn struct {
	Vanpool      string   `json:"vanpool_id"`
	Status       Status   `json:"status"`
	Reason       Reason   `json:"reason,omitempty"`
	FailedChecks []string `json:"failed_checks"`
	Details      string   `json:"details"`
}

type upsertOut struct {
	Case     string `json:"case_id"`
	Status   Status `json:"status"`
	Reaudits int    `json:"re_audits"`
}

func (p *Patrol) upsertCase() tool.Tool {
	return tool.Def[upsertIn, upsertOut]{
		Name:   "upsert_case",
		Doc:    "Opens the case of a vanpool or brings it up to date: status, reason, failed checks, details. A case is closed with close_case, not with this.",
		Roles:  Staff,
		Effect: tool.Write,
		Check: func(in upsertIn) error {
			if in.Status == Resolved || in.Status == Cancelled {
				return dossier.Errorf(dossier.Invalid, "Use close_case to end a case.")
			}
			return nil
		},
		Run: func(ctx context.Context, c tool.Call, in upsertIn) (tool.Output[upsertOut], error) {
			f, err := p.upsert(ctx, c, in)
			return tool.Output[upsertOut]{Value: upsertOut{string(c.Case), in.Status, f.Reaudits}}, err
		},
	}.Tool()
}

func (p *Patrol) upsert(ctx context.Context, c tool.Call, in upsertIn) (casebook.File, error) {
	if err := p.sameVan(ctx, c.Case, in.Vanpool); err != nil {
		return casebook.File{}, err
	}
	f, err := p.Book.File(ctx, c.Case)
	if errors.Is(err, dossier.NotFound) {
		f = casebook.File{Case: c.Case, Vanpool: in.Vanpool, OpenedBy: managerName, Created: c.Now}
	} else if err != nil {
		return f, err
	}
	if in.Status == PreCancel {
		if err := p.ripe(c, f, ""); err != nil {
			return f, err
		}
	}
	f.UpdatedBy, f.Updated, f.Details = managerName, c.Now, in.Details
	if in.Status == ReAudit {
		f.Reaudits++
	} else {
		_, found, err := p.env.Desk.Facts(ctx, c.Case)
		if err != nil {
			return f, err
		}
		failed, unclear := verify.FailedChecks(found)
		if !verify.SameSet(in.FailedChecks, failed) {
			return f, dossier.Errorf(dossier.Invalid, "The findings say that %v failed; failed_checks must be that.", failed)
		}
		f.FailedChecks, f.Reason = failed, string(reasonFor(failed, unclear))
		if err := p.settleOthers(ctx, c.Case, verify.Affected(found)); err != nil {
			return f, err
		}
	}
	if err := p.Book.Save(ctx, f); err != nil {
		return f, err
	}
	_, err = p.env.Desk.Move(ctx, c.Case, app.Change{
		State: in.Status.state(), Stage: string(in.Status), Note: in.Details, By: managerName,
	})
	if err != nil {
		return f, err
	}
	return f, p.watch(ctx, c.Case, c.Now)
}

// sameVan refuses a call about another van than the case's.
func (p *Patrol) sameVan(ctx context.Context, id dossier.CaseID, vanpool string) error {
	c, err := p.env.Desk.Case(ctx, id)
	if err != nil {
		return err
	}
	if c.Subject != Subject(vanpool) {
		return dossier.Errorf(dossier.Invalid, "Case %s is about %s, not %s.", id, c.Subject, vanpool)
	}
	return nil
}

// settleOthers ends the threads with riders who are no longer concerned.
func (p *Patrol) settleOthers(ctx context.Context, id dossier.CaseID, still map[string][]string) error {
	threads, err := p.Book.Threads(ctx, id)
	if err != nil {
		return err
	}
	for _, t := range threads {
		if _, concerned := still[t.Employee]; !concerned && t.Settled == "" {
			if err := p.Book.Settle(ctx, id, t.Employee, string(Resolved)); err != nil {
				return err
			}
		}
	}
	return nil
}

// An Outcome is how the case manager may end a case.
type Outcome string

// Values lists the outcomes, for schemas.
func (Outcome) Values() []string { return []string{string(Resolved), string(Cancelled)} }

type closeIn struct {
	Vanpool string  `json:"vanpool_id"`
	Outcome Outcome `json:"outcome"`
	Details string  `json:"details"`
}

type closeOut struct {
	Closed    bool     `json:"closed"`
	Status    Status   `json:"status"`
	Remaining []string `json:"remaining_employee_ids" jsonschema:"riders for whom the case goes on"`
}

func (p *Patrol) closeCase() tool.Tool {
	return tool.Def[closeIn, closeOut]{
		Name:   "close_case",
		Doc:    "Ends a case: resolved if the records fit now or a coordinator kept the membership, cancelled if a membership was cancelled. The case goes on if other riders are still concerned.",
		Roles:  Staff,
		Effect: tool.Write,
		Run: func(ctx context.Context, c tool.Call, in closeIn) (tool.Output[closeOut], error) {
			out, err := p.close(ctx, c, in)
			return tool.Output[closeOut]{Value: out}, err
		},
	}.Tool()
}

func (p *Patrol) close(ctx context.Context, c tool.Call, in closeIn) (closeOut, error) {
	if err := p.sameVan(ctx, c.Case, in.Vanpool); err != nil {
		return closeOut{}, err
	}
	still, err := p.concerned(ctx, c.Case, in.Vanpool)
	if err != nil {
		return closeOut{}, err
	}
	removed, kept, err := p.decided(ctx, c.Case)
	if err != nil {
		return closeOut{}, err
	}
	if in.Outcome == Outcome(Cancelled) && len(removed) == 0 {
		return closeOut{}, dossier.Errorf(dossier.Conflict, "No membership was cancelled in this case, so it cannot end as cancelled.")
	}
	for _, id := range kept {
		delete(still, id)
		if err := p.Book.Settle(ctx, c.Case, id, "kept"); err != nil {
			return closeOut{}, err
		}
	}
	remaining := slices.Sorted(maps.Keys(still))
	if len(remaining) > 0 {
		if len(removed)+len(kept) == 0 {
			return closeOut{}, dossier.Errorf(dossier.Conflict, "The records of %v still do not fit, and nobody has decided about them.", remaining)
		}
		_, err = p.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Waiting, Stage: string(PendingReply), Note: in.Details, By: managerName})
		return closeOut{false, PendingReply, remaining}, err
	}
	if err := p.Book.Settle(ctx, c.Case, "", string(in.Outcome)); err != nil {
		return closeOut{}, err
	}
	if f, err := p.Book.File(ctx, c.Case); err == nil {
		f.Details, f.UpdatedBy, f.Updated = in.Details, managerName, c.Now
		if err := p.Book.Save(ctx, f); err != nil {
			return closeOut{}, err
		}
	} else if !errors.Is(err, dossier.NotFound) {
		return closeOut{}, err
	}
	_, err = p.env.Desk.Move(ctx, c.Case, app.Change{
		State: dossier.Closed, Stage: string(in.Outcome), Outcome: string(in.Outcome), Note: in.Details, By: managerName,
	})
	return closeOut{true, Status(in.Outcome), []string{}}, err
}

// concerned returns the riders of a van whom the newest findings still name.
func (p *Patrol) concerned(ctx context.Context, id dossier.CaseID, vanpool string) (map[string][]string, error) {
	_, found, err := p.env.Desk.Facts(ctx, id)
	if err != nil {
		return nil, err
	}
	van, err := p.Roster.Crew(ctx, vanpool)
	if err != nil {
		return nil, err
	}
	still := verify.Affected(found)
	maps.DeleteFunc(still, func(id string, _ []string) bool { _, rides := van.Rider(id); return !rides })
	return still, nil
}

// decided returns the riders whose membership was cancelled in a case, and those whom
// a coordinator kept.
func (p *Patrol) decided(ctx context.Context, id dossier.CaseID) (removed, kept []string, err error) {
	gone, err := p.Book.Removals(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range gone {
		removed = append(removed, r.Employee)
	}
	asked, err := p.env.Desk.Approvals(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	for _, a := range asked {
		var in cancelIn
		// A removal that was interrupted is asked about once more; whoever says that it
		// happened has kept nobody.
		if a.Tool == "cancel_membership" && a.Status == dossier.Rejected && json.Unmarshal(a.Args, &in) == nil && !slices.Contains(removed, in.Employee) {
			kept = append(kept, in.Employee)
		}
	}
	return removed, kept, nil
}

type cancelIn struct {
	Case         string   `json:"case_id"`
	Vanpool      string   `json:"vanpool_id"`
	Employee     string   `json:"employee_id"`
	FailedChecks []string `json:"failed_checks"`
	Reason       string   `json:"reason" jsonschema:"why, for the coordinator who decides"`
}

type cancelOut struct {
	Removed bool `json:"removed"`
}

func (p *Patrol) cancelMembership() tool.Tool {
	return tool.Def[cancelIn, cancelOut]{
		Name:   "cancel_membership",
		Doc:    "Removes one rider from a vanpool. A coordinator is always asked first and may reject it.",
		Roles:  Staff,
		Effect: tool.Act,
		Ask: func(in cancelIn) string {
			return fmt.Sprintf("It takes away the seat of %s in %s. %s", in.Employee, in.Vanpool, in.Reason)
		},
		Title: func(in cancelIn) string { return fmt.Sprintf("Remove %s from %s", in.Employee, in.Vanpool) },
		Key:   func(in cancelIn) string { return in.Case + "/" + in.Vanpool + "/" + in.Employee },
		Policy: tool.Policy{
			Approvers: []dossier.Role{Coordinator}, Verbs: []dossier.Verb{dossier.Approve, dossier.Reject}, Remind: 3 * 24 * time.Hour,
		},
		Before: func(ctx context.Context, c tool.Call, in cancelIn) error {
			_, err := p.mayRemove(ctx, c, in)
			return err
		},
		Run: p.remove,
		Happened: func(ctx context.Context, c tool.Call, in cancelIn) (tool.Output[cancelOut], error) {
			return p.endMembership(ctx, c, in, in.FailedChecks)
		},
	}.Tool()
}

// remove ends a membership, if the records still speak against it.
func (p *Patrol) remove(ctx context.Context, c tool.Call, in cancelIn) (tool.Output[cancelOut], error) {
	checks, err := p.mayRemove(ctx, c, in)
	if err != nil {
		return tool.Output[cancelOut]{}, err
	}
	return p.endMembership(ctx, c, in, checks)
}

// mayRemove returns the checks that speak against a rider, and refuses a removal that
// the case does not bear out.
func (p *Patrol) mayRemove(ctx context.Context, c tool.Call, in cancelIn) ([]string, error) {
	if in.Case != string(c.Case) {
		return nil, dossier.Errorf(dossier.Invalid, "This is case %s, not %s.", c.Case, in.Case)
	}
	if err := p.sameVan(ctx, c.Case, in.Vanpool); err != nil {
		return nil, err
	}
	removed, _, err := p.decided(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	if slices.Contains(removed, in.Employee) { // an interrupted removal that is done again
		return in.FailedChecks, nil
	}
	f, err := p.Book.File(ctx, c.Case)
	if err != nil && !errors.Is(err, dossier.NotFound) {
		return nil, err
	}
	if err := p.ripe(c, f, in.Employee); err != nil {
		return nil, err
	}
	still, err := p.concerned(ctx, c.Case, in.Vanpool)
	if err != nil {
		return nil, err
	}
	checks, ok := still[in.Employee]
	if !ok {
		return nil, dossier.Errorf(dossier.Conflict, "The newest findings do not speak against %s, so the membership stays.", in.Employee)
	}
	return checks, nil
}

// endMembership takes a rider out of a van and writes that down, both once.
func (p *Patrol) endMembership(ctx context.Context, c tool.Call, in cancelIn, checks []string) (tool.Output[cancelOut], error) {
	approver := p.approver(ctx, c.Case, in.Employee)
	err := p.env.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := p.Roster.Remove(ctx, in.Vanpool, in.Employee); err != nil {
			return err
		}
		if err := p.Book.Settle(ctx, c.Case, in.Employee, string(Cancelled)); err != nil {
			return err
		}
		return p.Book.Removed(ctx, casebook.Removal{
			Case: c.Case, Vanpool: in.Vanpool, Employee: in.Employee, Checks: checks, Approver: approver, Model: c.Model, At: c.Now,
		})
	})
	if err != nil {
		return tool.Output[cancelOut]{}, err
	}
	src := dossier.Source{System: "poolpatrol", Locator: "removal/" + in.Vanpool + "/" + in.Employee, Fetched: c.Now}
	fact := struct {
		Vanpool  string `json:"vanpool_id"`
		Employee string `json:"employee_id"`
		Approver string `json:"approver"`
	}{in.Vanpool, in.Employee, approver}
	return tool.Output[cancelOut]{
		Value:    cancelOut{true},
		Evidence: []dossier.Evidence{dossier.NewEvidence("membership_cancelled", src, fact, "%s was removed from %s; %s agreed.", in.Employee, in.Vanpool, approver)},
	}, nil
}

// approver returns who agreed to a cancellation, or "" if nobody is on record.
func (p *Patrol) approver(ctx context.Context, id dossier.CaseID, employee string) string {
	asked, err := p.env.Desk.Approvals(ctx, id)
	if err != nil {
		return ""
	}
	for _, a := range slices.Backward(asked) {
		var in cancelIn
		if a.Tool == "cancel_membership" && a.Status == dossier.Approved && json.Unmarshal(a.Args, &in) == nil && in.Employee == employee && len(a.Decisions) > 0 {
			return a.Decisions[len(a.Decisions)-1].By.Name
		}
	}
	return ""
}
