package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/records"
)

// voidOutdated makes void the pending approvals of the case that rest on evidence
// which the appended entries replace, and wakes their runs. Approvals asked in the
// same move are not looked at: except names them.
func (l *chain) voidOutdated(ctx context.Context, except []dossier.Approval) error {
	if len(l.seen) == 0 || l.fresh {
		return nil
	}
	pending, err := l.s.approvalsWhere(ctx, "WHERE case_id = $1 AND status = 'pending' ORDER BY run_id, id", l.id)
	if err != nil {
		return err
	}
	for _, a := range pending {
		if slices.ContainsFunc(except, func(x dossier.Approval) bool { return x.ID == a.ID }) || len(a.Evidence) == 0 {
			continue
		}
		was, now, err := l.replaced(ctx, a)
		if err != nil {
			return err
		}
		if now == nil {
			continue
		}
		a.VoidedBy = fmt.Sprintf("The evidence changed. It rested on: %s Now: %s", sentence(was), sentence(*now))
		if err := l.void(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// replaced returns the cited entry that an appended one replaces, and that one.
func (l *chain) replaced(ctx context.Context, a dossier.Approval) (was dossier.Evidence, now *dossier.Evidence, err error) {
	w := where{}
	w.add("case_id = ?", l.id)
	oneOf(&w, "id", a.Evidence)
	rows, err := l.s.db.Query(ctx, "SELECT "+evidenceColumns+" FROM evidence"+w.sql()+" ORDER BY seq", w.args...)
	cited, err := db.Collect(rows, err, scanEvidence)
	if err != nil {
		return was, nil, fmt.Errorf("evidence of approval %s: %w", a.ID, err)
	}
	for _, old := range cited {
		for i := range l.seen {
			if replaces(l.seen[i], old) {
				return old, &l.seen[i], nil
			}
		}
	}
	return was, nil, nil
}

// replaces reports whether fresh takes the place of old: it says so, or it is a later
// look at the same thing that saw something else.
func replaces(fresh, old dossier.Evidence) bool {
	if fresh.Seq <= old.Seq {
		return false
	}
	if fresh.Supersedes == old.ID {
		return true
	}
	return dossier.SameFact(old, fresh) && !bytes.Equal(old.Data, fresh.Data)
}

// void ends a pending approval whose VoidedBy says why. The run's row comes before the
// approval's, as everywhere, so that no two transactions wait for each other.
func (l *chain) void(ctx context.Context, a dossier.Approval) error {
	if err := l.s.wake(ctx, a.Run, true); err != nil {
		return err
	}
	a.Status = dossier.Void
	return l.s.endApproval(ctx, a, unused[:1], records.ApprovalVoid, voidText(a), l.at, &l.events)
}

func sentence(e dossier.Evidence) string {
	if e.Summary == "" {
		return e.Kind + "."
	}
	return e.Summary
}
