package poolpatrol

import (
	"fmt"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
)

// doubts are how a process may die at an act, and what a person may say about it then.
var doubts = []struct {
	before bool // it died before the act, not after it
	verb   dossier.Verb
}{{false, dossier.Respond}, {true, dossier.Respond}, {false, dossier.Approve}, {true, dossier.Approve}}

// answerDoubt decides the one question about what became of an act.
func (p programme) answerDoubt(about string, verb dossier.Verb) {
	p.T.Helper()
	asked := p.Pending()
	if len(asked) != 1 || asked[0].Title != "Did this happen? "+about {
		p.T.Fatalf("%d requests, the first: %q", len(asked), asked[0].Title)
	}
	p.Decide(asked[0].ID, dossier.Decision{Verb: verb, Note: "I looked."})
}

// TestALetterInDoubt dies at the first letter of a case. Whatever a person says, the
// rider has one letter, the thread holds it, and the week of silence runs.
func TestALetterInDoubt(t *testing.T) {
	t.Parallel()
	for _, c := range doubts {
		t.Run(fmt.Sprintf("before=%v %s", c.before, c.verb), func(t *testing.T) {
			t.Parallel()
			p := start(t, apptest.Options{})
			p.Crash(c.before, func() error {
				_, err := p.patrol.Audit(t.Context(), patrol.Order{Vanpool: "VP-102", For: p.Person("ann")})
				return err
			})
			p.answerDoubt("Write to EMP-1006: Your seat in VP-102: please check your shift", c.verb)
			sent := 1
			if c.before && c.verb == dossier.Respond {
				sent = 0 // it left the house some other way, says the person
			}
			if got := p.Mail.Sent(); len(got) != sent {
				t.Errorf("%d letters went out, want %d", len(got), sent)
			}
			open, err := p.patrol.Book.OpenWith(t.Context(), "EMP-1006")
			if err != nil || len(open) != 1 {
				t.Fatalf("%d threads, %v", len(open), err)
			}
			mail, err := p.patrol.Book.Messages(t.Context(), open[0].ID)
			if err != nil || len(mail) != 1 || !mail[0].Out {
				t.Errorf("the thread holds %+v, %v", mail, err)
			}
			p.wantStatus(open[0].Case, patrol.PendingReply)
			p.Walk(7*24*time.Hour + time.Hour)
			p.wantStatus(open[0].Case, patrol.PreCancel)
		})
	}
}

// TestACancellationInDoubt dies at the removal of a rider.
func TestACancellationInDoubt(t *testing.T) {
	t.Parallel()
	for _, c := range doubts {
		t.Run(fmt.Sprintf("before=%v %s", c.before, c.verb), func(t *testing.T) {
			t.Parallel()
			p, l := audited(t, "VP-102")
			p.Walk(7*24*time.Hour + time.Hour)
			p.CrashOn(c.before, p.Pending()[0], p.Person("cora"))
			p.answerDoubt("Remove EMP-1006 from VP-102", c.verb)
			p.wantStatus(l.Case, patrol.Cancelled)
			gone, err := p.patrol.Book.Removals(t.Context(), "")
			if err != nil || len(gone) != 1 || p.rides("VP-102", "EMP-1006") {
				t.Fatalf("removals %+v, rides on: %v, %v", gone, p.rides("VP-102", "EMP-1006"), err)
			}
			approver := "Person cora"
			if c.before && c.verb == dossier.Approve {
				approver = "Person person" // who had it done, in the end
			}
			if gone[0].Approver != approver {
				t.Errorf("%s agreed, want %s", gone[0].Approver, approver)
			}
			p.Verify(l.Case)
		})
	}
}
