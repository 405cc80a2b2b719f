// Package approval is the inbox: what waits for a person, and what they decide.
//
// A decision is checked against the approval as it is stored, the roles the person
// has at that moment, the evidence as it stands now and, for an edit, the tool's
// schema. It is saved together with making the run ready and queueing it. Deciding
// is not doing: the runner checks roles and evidence once more before it acts.
package approval

import (
	"context"
	"slices"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/tool"
	"dossier/internal/trace"
)

// A Store keeps approvals. Each method is one transaction.
type Store interface {
	Approval(ctx context.Context, id dossier.ApprovalID) (dossier.Approval, error)
	// Facts returns a case's evidence chain and findings, each in order.
	Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error)
	// Settle saves a's status and its newest decisions. Unless a is still pending, it
	// makes the run ready and queues it, all or nothing. It returns dossier.Conflict
	// if a was decided, voided or expired meanwhile.
	Settle(ctx context.Context, a dossier.Approval) error
}

// An Inbox lets people decide.
type Inbox struct {
	Store Store
	Now   func() time.Time
	// Tool finds the tool that an approval is about, for checking edits.
	Tool func(app, name string) (tool.Tool, bool)
	// Redact takes out of a note what the app must not keep. Nil: nothing.
	Redact func(app, note string) string
}

// Decide records what a person did about an approval. Seen is the digest of what
// they looked at: if the approval has another one now, they are told to look again;
// "" skips that check. By must carry the roles the person has now.
func (i *Inbox) Decide(ctx context.Context, id dossier.ApprovalID, seen string, d dossier.Decision) (dossier.Approval, error) {
	a, err := i.Store.Approval(ctx, id)
	if err != nil {
		return a, err
	}
	if seen != "" && seen != a.Digest {
		return a, dossier.Errorf(dossier.Conflict, "This request is not the one you looked at. Open it again.")
	}
	d.At = i.Now()
	if i.Redact != nil {
		d.Note = i.Redact(a.App, d.Note)
	}
	if !a.Remind.IsZero() && !d.At.Before(a.Remind) {
		a.Roles = slices.Concat(a.Roles, a.Escalate)
	}
	if d.Verb == dossier.Edit {
		if d.Args, err = i.plan(a, d); err != nil {
			return a, err
		}
	}
	if a.Status == dossier.Pending {
		if void, err := i.void(ctx, a); err != nil {
			return void, err
		}
	}
	if err := a.Decide(d); err != nil {
		return a, err
	}
	if err := i.Store.Settle(ctx, a); err != nil {
		return a, err
	}
	trace.Decision(ctx, a, d.Verb)
	return a, nil
}

// plan checks the arguments of an edit as if a model had written them.
func (i *Inbox) plan(a dossier.Approval, d dossier.Decision) ([]byte, error) {
	t, ok := i.Tool(a.App, a.Tool)
	if !ok {
		return nil, dossier.Errorf(dossier.Conflict, "The tool %s no longer exists, so this cannot be edited. Reject it.", a.Tool)
	}
	p, err := t.Plan(d.Args)
	return p.Args, err
}

// void settles an approval as void if the evidence it cites has been replaced, and
// returns the error that tells the person so.
func (i *Inbox) void(ctx context.Context, a dossier.Approval) (dossier.Approval, error) {
	chain, _, err := i.Store.Facts(ctx, a.Case)
	if err != nil {
		return a, err
	}
	why := agent.Changed(a, chain)
	if why == "" {
		return a, nil
	}
	a.Status, a.VoidedBy = dossier.Void, why
	if err := i.Store.Settle(ctx, a); err != nil {
		return a, err
	}
	return a, dossier.Errorf(dossier.Conflict, "This request is void. %s", why)
}
