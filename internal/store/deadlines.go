package store

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/records"
)

// Overdue returns the pending approvals whose Expires is not after now, and those
// whose Remind is not after now and that were not reminded yet.
func (s *Store) Overdue(ctx context.Context, now time.Time) (expired, remind []dossier.Approval, err error) {
	expired, err = s.approvalsWhere(ctx, `WHERE status = 'pending' AND expires > 0 AND expires <= $1 LIMIT 500`, now)
	if err != nil {
		return nil, nil, err
	}
	remind, err = s.approvalsWhere(ctx, `WHERE status = 'pending' AND reminded = 0 AND remind > 0 AND remind <= $1
		AND (expires = 0 OR expires > $1) LIMIT 500`, now)
	return expired, remind, err
}

// Reminded marks an approval as reminded, lets those decide it to whom it escalates,
// and tells whoever listens. It returns dossier.Conflict if it was reminded before or
// is no longer pending.
func (s *Store) Reminded(ctx context.Context, id dossier.ApprovalID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		a, err := s.Approval(ctx, id)
		if err != nil {
			return err
		}
		now, roles := s.now(), union(a.Roles, a.Escalate)
		n, err := s.db.Exec(ctx, `UPDATE approvals SET reminded = $2, roles = $3
			WHERE id = $1 AND status = 'pending' AND reminded = 0`, a.ID, now, list(roles))
		if err != nil {
			return fmt.Errorf("remind of approval %s: %w", id, err)
		}
		if n == 0 {
			return dossier.Errorf(dossier.Conflict, "Approval %s needs no reminder.", id)
		}
		return s.publish(ctx, records.Event{
			At: now, App: a.App, Case: a.Case, Run: a.Run, Approval: a.ID, Kind: records.ApprovalReminded,
			Text: "Still waiting: " + wants(a), Data: data(map[string][]dossier.Role{"roles": roles}),
		})
	})
}

// sweepApprovals expires and reminds what is pending and due. Another process may be
// at the same; whoever is second finds nothing to do.
func (s *Store) sweepApprovals(ctx context.Context, now time.Time) error {
	expired, remind, err := s.Overdue(ctx, now)
	if err != nil {
		return err
	}
	for _, a := range expired {
		a.Status = dossier.Expired
		if err := s.Settle(ctx, a); err != nil && dossier.KindOf(err) != dossier.Conflict {
			return err
		}
	}
	for _, a := range remind {
		if err := s.Reminded(ctx, a.ID); err != nil && dossier.KindOf(err) != dossier.Conflict {
			return err
		}
	}
	return nil
}

// unused is where an approval stands of which a run says that it is not carried out.
var unused = []dossier.ApprovalStatus{dossier.Pending, dossier.Approved}

// endApproval gives an approval its last status and adds the event. One that stands
// elsewhere than from stays as it is.
func (s *Store) endApproval(ctx context.Context, a dossier.Approval, from []dossier.ApprovalStatus, kind, text string, at time.Time, events *[]records.Event) error {
	w := where{}
	set := "UPDATE approvals SET status = " + w.arg(a.Status) + ", voided_by = " + w.arg(a.VoidedBy)
	w.add("id = ?", a.ID)
	oneOf(&w, "status", from)
	n, err := s.db.Exec(ctx, set+w.sql(), w.args...)
	if err != nil {
		return fmt.Errorf("end approval %s: %w", a.ID, err)
	}
	if n > 0 {
		*events = append(*events, records.Event{
			At: at, App: a.App, Case: a.Case, Run: a.Run, Approval: a.ID, Kind: kind, Text: text,
		})
	}
	return nil
}

func union(a, b []dossier.Role) []dossier.Role {
	out := append([]dossier.Role(nil), a...)
	for _, r := range b {
		if !(dossier.Principal{Roles: out}).Has(r) {
			out = append(out, r)
		}
	}
	return out
}
