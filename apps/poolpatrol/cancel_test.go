package poolpatrol

import (
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
	"dossier/internal/db"
)

// trail returns what the timeline of a case says was done, and by whom.
func (p programme) trail(id dossier.CaseID) string {
	p.T.Helper()
	rows, err := p.Env.DB.Query(p.T.Context(), `SELECT kind, actor FROM events WHERE case_id = $1 ORDER BY id`, string(id))
	list, err := db.Collect(rows, err, func(r db.Row) (string, error) {
		var kind, actor string
		err := r.Scan(&kind, &actor)
		return kind + " by " + actor, err
	})
	if err != nil {
		p.T.Fatal(err)
	}
	return strings.Join(list, "\n")
}

func TestCancel(t *testing.T) {
	t.Parallel()
	straight := func(t *testing.T, p programme) (patrol.Look, dossier.Approval) {
		t.Helper()
		l, err := p.patrol.Audit(t.Context(), patrol.Order{Vanpool: "VP-110", For: p.Person("ann"), Straight: true})
		if err != nil || len(p.Pending()) != 1 {
			t.Fatalf("got %+v %v with %d questions", l, err, len(p.Pending()))
		}
		return l, p.Pending()[0]
	}
	t.Run("P-163 reject: the rider stays", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l, a := straight(t, p)
		p.Decide(a.ID, dossier.Decision{Verb: dossier.Reject, Note: "On a training rota until May."})
		p.wantStatus(l.Case, patrol.Resolved)
		if !p.rides("VP-110", "EMP-1046") {
			t.Error("the rider was removed")
		}
		m, err := p.numbers.Metrics(t.Context())
		if err != nil || m.Reversals.All.Rejected != 1 || m.Reversals.All.Proposed != 1 {
			t.Errorf("P-005 got %+v %v", m.Reversals.All, err)
		}
	})
	t.Run("P-164 P-081 approve: the rider is removed exactly once", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l, a := straight(t, p)
		p.Decide(a.ID, dossier.Decision{Verb: dossier.Approve})
		p.wantStatus(l.Case, patrol.Cancelled)
		if p.rides("VP-110", "EMP-1046") {
			t.Error("the rider still rides")
		}
		removed, err := p.patrol.Book.Removals(t.Context(), "")
		if err != nil || len(removed) != 1 || removed[0].Approver != "Person person" || removed[0].Model != "reference/casemanager" {
			t.Fatalf("P-182 got %+v %v", removed, err)
		}
		if _, err := p.Inbox.Decide(t.Context(), a.ID, "", dossier.Decision{Verb: dossier.Approve, By: p.Person("bob")}); err == nil {
			t.Error("a second decision was taken")
		}
		p.Walk(48 * time.Hour)
		if again, _ := p.patrol.Book.Removals(t.Context(), ""); len(again) != 1 {
			t.Errorf("got %d removals", len(again))
		}
		if err := p.server.reinstate(t.Context(), p.Person("cora"), "VP-110", "EMP-1046"); err != nil || !p.rides("VP-110", "EMP-1046") {
			t.Errorf("reinstate: %v", err)
		}
		m, err := p.numbers.Metrics(t.Context())
		if err != nil || m.Reversals.All.Rate != 1 || m.Reversals.ByRule[0].Name != "shift" || m.Reversals.ByApprover[0].Reversed != 1 || m.Reversals.ByModel[0].Name != "reference/casemanager" {
			t.Errorf("P-005 got %+v %v", m.Reversals, err)
		}
		p.Verify(l.Case)
		trail := p.trail(l.Case)
		for _, done := range []string{
			"case.opened by ann", "case.moved by case_manager_agent", "approval.asked by casemanager", "approval.decided by person",
			"act.done by casemanager", "membership.reinstated by cora",
		} {
			if !strings.Contains(trail, done) {
				t.Errorf("P-182 the timeline does not say %q:\n%s", done, trail)
			}
		}
	})
	t.Run("P-165 P5 P-055 P-057 nothing is lost by a restart before the decision", func(t *testing.T) {
		t.Parallel()
		url := "sqlite:" + t.TempDir() + "/restart.db"
		first := start(t, apptest.Options{URL: url})
		l, a := straight(t, first)
		second := start(t, apptest.Options{URL: url}) // another process over the same rows
		second.Decide(a.ID, dossier.Decision{Verb: dossier.Approve})
		second.wantStatus(l.Case, patrol.Cancelled)
		if second.rides("VP-110", "EMP-1046") {
			t.Error("the rider still rides")
		}
	})
	t.Run("P-052 an inspector may not decide", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		_, a := straight(t, p)
		_, err := p.Inbox.Decide(t.Context(), a.ID, "", dossier.Decision{Verb: dossier.Approve, By: p.Person("ann", patrol.Inspector)})
		if dossier.KindOf(err) != dossier.Forbidden {
			t.Errorf("got %v, want forbidden", err)
		}
	})
}
