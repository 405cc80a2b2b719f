package agent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"dossier"
	"dossier/internal/canon"
)

// waitFor asks the questions and starts the child runs that the remaining calls
// need, in one move, and pauses the run.
func (m *mover) waitFor(ctx context.Context, calls []*prepared) (Next, error) {
	mv := Move{Status: dossier.Paused}
	var entries []Entry
	for _, p := range calls {
		switch p.way {
		case question:
			a, err := m.question(ctx, p)
			if err != nil {
				return Stop, err
			}
			if p.void != nil {
				mv.Voided = append(mv.Voided, *p.void)
			}
			mv.Approvals = append(mv.Approvals, a)
			entries = append(entries, m.entry(dossier.Asked, askedBody{Call: p.call.ID, Approval: a.ID, Doubt: p.doubt}))
		case spawn:
			kid := dossier.Run{
				ID: dossier.RunID(m.NewID("run-")), Case: m.run.Case, App: m.run.App, Agent: p.kid.Name, For: m.run.For,
				Parent: StepID(m.run.ID, m.tr.seq+len(entries)+1), ParentOf: m.run.ID,
				Status: dossier.Ready, Input: p.call.Args, Started: m.Now().UTC().Truncate(time.Microsecond),
			}
			mv.Children = append(mv.Children, kid)
			entries = append(entries, m.entry(dossier.Called, calledBody{Call: p.call.ID, Child: kid.ID}))
		}
	}
	if len(entries) == 0 && m.run.Status == dossier.Paused {
		return Pause, nil
	}
	return Pause, m.record(ctx, mv, entries...)
}

// question makes the approval for a planned call, or for an act in doubt.
func (m *mover) question(ctx context.Context, p *prepared) (dossier.Approval, error) {
	chain, found, err := m.facts(ctx)
	if err != nil {
		return dossier.Approval{}, err
	}
	cites := Cited(chain, found)
	pol := p.tool.Policy
	a := dossier.Approval{
		ID: dossier.ApprovalID(m.NewID("ap-")), Case: m.run.Case, App: m.run.App, Run: m.run.ID, Call: p.call.ID, Model: m.tr.model,
		Tool: p.tool.Name, Args: p.plan.Args, Evidence: cites, Title: p.plan.Title, Why: p.plan.Ask,
		Roles: p.tool.Approvers(), Verbs: p.tool.Verbs(), Need: max(1, pol.Need), FourEyes: pol.FourEyes,
		For: m.run.For.ID, Status: dossier.Pending, Asked: m.Now(), Escalate: pol.Escalate, Doubt: p.doubt,
	}
	if pol.Expires > 0 && !p.doubt {
		a.Expires = a.Asked.Add(pol.Expires)
	}
	if pol.Remind > 0 {
		a.Remind = a.Asked.Add(pol.Remind)
	}
	if p.doubt {
		a.Title = "Did this happen? " + p.plan.Title
		a.Why = "The product stopped in the middle of this act, so nobody knows whether it took effect. " +
			"Look at the other side first, then say whether it happened, or have it done again."
		a.Verbs = []dossier.Verb{dossier.Respond, dossier.Reject, dossier.Approve}
	}
	a.Digest, err = Digest(a, chain)
	return a, err
}

// Cited returns the evidence that a decision on the case rests on now: what the
// newest findings cite or, where there are none, the newest look at every fact.
func Cited(chain []dossier.Evidence, found []dossier.Finding) []dossier.EvidenceID {
	var ids []dossier.EvidenceID
	for _, f := range dossier.Latest(found) {
		for _, id := range f.Cites {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) > 0 {
		return ids
	}
	for _, e := range chain {
		if _, replaced := Replacement(chain, e.ID); !replaced {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// Replacement returns the later entry of the chain that contradicts or replaces the
// one named id. A later look that saw the same replaces nothing.
func Replacement(chain []dossier.Evidence, id dossier.EvidenceID) (dossier.Evidence, bool) {
	i := slices.IndexFunc(chain, func(e dossier.Evidence) bool { return e.ID == id })
	if i < 0 {
		return dossier.Evidence{}, false
	}
	for j := len(chain) - 1; j > i; j-- {
		later := chain[j]
		if later.Supersedes == id {
			return later, true
		}
		if dossier.SameFact(later, chain[i]) {
			return later, string(later.Data) != string(chain[i].Data)
		}
	}
	return dossier.Evidence{}, false
}

// Digest binds an approval to its tool, its exact arguments and the evidence it
// cites.
func Digest(a dossier.Approval, chain []dossier.Evidence) (string, error) {
	hashes := make([]string, 0, len(a.Evidence))
	for _, id := range a.Evidence {
		i := slices.IndexFunc(chain, func(e dossier.Evidence) bool { return e.ID == id })
		if i < 0 {
			return "", dossier.Errorf(dossier.Conflict, "Evidence %s, which approval %s cites, is not in the ledger.", id, a.ID)
		}
		hashes = append(hashes, chain[i].Hash)
	}
	return canon.Digest(struct {
		Tool     string          `json:"tool"`
		Args     json.RawMessage `json:"args"`
		Evidence []string        `json:"evidence"`
	}{a.Tool, a.Args, hashes})
}

// Changed says in a sentence which cited evidence was replaced since the approval
// was asked, or returns "".
func Changed(a dossier.Approval, chain []dossier.Evidence) string {
	for _, id := range a.Evidence {
		if e, ok := Replacement(chain, id); ok {
			return "The evidence changed after this was asked: " + e.Summary
		}
	}
	return ""
}

// prepareAsked follows the decision about a call.
func (m *mover) prepareAsked(ctx context.Context, p *prepared) error {
	all, err := m.Log.Approvals(ctx, m.run.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(a dossier.Approval) bool { return a.ID == p.asked.Approval })
	if i < 0 {
		return dossier.Errorf(dossier.Internal, "Approval %s is missing.", p.asked.Approval)
	}
	a := all[i]
	if len(a.Decisions) > 0 {
		p.ruled = &a.Decisions[len(a.Decisions)-1]
	}
	if p.asked.Doubt && (a.Status == dossier.Void || a.Status == dossier.Expired) {
		m.inDoubt(p) // which only a person's word ends
		return nil
	}
	switch a.Status {
	case dossier.Pending:
		p.way = wait
	case dossier.Expired:
		p.refuse("Nobody decided in time, so it was not done.")
	case dossier.Void:
		p.refuse("It was not done. " + a.VoidedBy)
	case dossier.Rejected:
		m.rejected(p)
	case dossier.Approved:
		return m.approved(ctx, p, a)
	}
	return nil
}

// rejected hands the person's note to the agent. A respond about an act in doubt
// says that it did happen.
func (m *mover) rejected(p *prepared) {
	word := " rejected this: "
	if p.ruled.Verb == dossier.Respond {
		word = " answered instead: "
	}
	p.refuse(p.ruled.By.Name + word + p.ruled.Note)
	if !p.asked.Doubt {
		return
	}
	p.way, p.came.Failed = settle, p.ruled.Verb != dossier.Respond
	p.plan.Args, p.plan.Key = p.begun.Args, p.begun.Key
}

// approved lets a call run, if what the person saw still holds.
func (m *mover) approved(ctx context.Context, p *prepared, a dossier.Approval) error {
	chain, _, err := m.facts(ctx)
	if err != nil {
		return err
	}
	if sum, err := Digest(a, chain); err != nil || sum != a.Digest {
		m.unused(p, a, "The approval does not fit the call it was given for.")
		return nil
	}
	if why := Changed(a, chain); why != "" {
		m.unused(p, a, why)
		return nil
	}
	if p.asked.Doubt {
		m.doAgain(p)
		return nil
	}
	args := a.Args
	if p.ruled.Verb == dossier.Edit {
		args = p.ruled.Args
	}
	// What a person wrote is planned from the start, like what a model wrote.
	if err = m.planCall(p, args); err != nil {
		p.refuse("The edited arguments cannot be used: " + dossier.Message(err))
		return nil
	}
	if p.ruled.Verb == dossier.Edit && a.Need > 1 {
		p.way = question // the others agree to what it has become, not to what it was
		return nil
	}
	why := p.plan.Ask
	p.plan.Ask = ""
	err = m.prepareFresh(ctx, p)
	p.plan.Ask = why
	return err
}

// unused makes an approval void that a person gave and that no longer holds. What it let
// happen does not; whether an act in doubt did is asked anew.
func (m *mover) unused(p *prepared, a dossier.Approval, why string) {
	a.Status, a.VoidedBy = dossier.Void, why
	p.void = &a
	if p.asked.Doubt {
		m.inDoubt(p)
		return
	}
	p.refuse("It was not done. " + why)
}

// doAgain lets an act run that a person, who looked whether it had happened, wants done
// again. If it cannot be, it is settled as one that did not happen.
func (m *mover) doAgain(p *prepared) {
	why := m.forbidden(p.tool)
	if err := m.planCall(p, p.begun.Args); err != nil && why == "" {
		why = "It cannot be done again: " + dossier.Message(err)
	}
	p.plan.Args, p.plan.Key, p.way = p.begun.Args, p.begun.Key, act
	if why != "" {
		p.refuse(why)
		p.way = settle
	}
}

// prepareChild follows the child run that answers a call to a specialist.
func (m *mover) prepareChild(ctx context.Context, p *prepared) error {
	if p.child == "" {
		if err := p.kid.Input.Check(orEmpty(p.call.Args)); err != nil {
			p.refuse(dossier.Message(err))
			return nil
		}
		p.way = spawn
		return nil
	}
	kid, err := m.childRun(ctx, p.child)
	if err != nil {
		return err
	}
	switch kid.Status {
	case dossier.Done:
		p.came = Came{Value: kid.Answer, Child: kid.ID, Ms: ms(kid.Ended.Sub(kid.Started))}
	case dossier.Failed:
		p.came = Came{Value: failure(kid.Failure), Failed: true, Child: kid.ID}
	default:
		p.way = wait
	}
	return nil
}

// childRun returns a run that this one called, from memory if its end was seen.
func (m *mover) childRun(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	if i := slices.IndexFunc(m.ended, func(run dossier.Run) bool { return run.ID == id }); i >= 0 {
		return m.ended[i], nil
	}
	return m.Log.Run(ctx, id)
}

// callee returns a run that m has recorded as called and that nobody has driven yet.
func (m *mover) callee(id dossier.RunID) (dossier.Run, bool) {
	if m == nil {
		return dossier.Run{}, false
	}
	i := slices.IndexFunc(m.called, func(run dossier.Run) bool { return run.ID == id })
	if i < 0 {
		return dossier.Run{}, false
	}
	return m.called[i], true
}
