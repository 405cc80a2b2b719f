package poolpatrol

import (
	"slices"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	t.Run("P-161 P-043 P-044 a week of silence, records put right: resolved", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-102")
		p.setShift("EMP-1006", "SH-DAY")
		p.Walk(7*24*time.Hour - time.Minute)
		p.wantStatus(l.Case, patrol.PendingReply)
		p.Walk(2 * time.Minute)
		p.wantStatus(l.Case, patrol.Resolved)
	})
	t.Run("P-161 P-046 P7 a week of silence, still failing: pre-cancel and a person", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-102")
		p.Walk(7*24*time.Hour + time.Hour)
		p.wantStatus(l.Case, patrol.PreCancel)
		asked := p.Pending()
		if len(asked) != 1 || asked[0].Tool != "cancel_membership" || asked[0].Title != "Remove EMP-1006 from VP-102" {
			t.Fatalf("got %+v", asked)
		}
		if want := []dossier.Verb{dossier.Approve, dossier.Reject}; !slices.Equal(asked[0].Verbs, want) {
			t.Errorf("P-052 got verbs %v, want %v", asked[0].Verbs, want)
		}
		if !p.rides("VP-102", "EMP-1006") {
			t.Error("P-054 the rider is gone before anybody agreed")
		}
	})
	t.Run("P7 a reminder on the fifth business day, once, and it does not move the week", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{}) // Monday 2 March 2026, noon
		p.audit("VP-102")
		p.Walk(4*24*time.Hour - time.Hour)
		if n := len(p.subjects("EMP-1006")); n != 1 {
			t.Fatalf("got %d mails on Friday morning, want 1", n)
		}
		p.Walk(2 * time.Hour)
		if got := p.subjects("EMP-1006"); len(got) != 2 || got[1] != "Reminder: your seat in VP-102" {
			t.Fatalf("got mail %q on Friday noon", got)
		}
		p.Walk(3 * 24 * time.Hour)
		if n := len(p.subjects("EMP-1006")); n != 2 || len(p.Pending()) != 1 {
			t.Errorf("got %d mails and %d questions on the next Monday, want 2 and 1", n, len(p.Pending()))
		}
	})
	t.Run("P-043 the last word was the rider's: nobody is cancelled for our silence", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-107")
		p.Clock.Add(time.Minute)
		p.reply("EMP-1031", "This is wrong, I dispute it.")
		p.Decide(p.Pending()[0].ID, dossier.Decision{Verb: dossier.Reject, Note: "I will call."})
		p.Walk(8 * 24 * time.Hour)
		if asked := p.Pending(); len(asked) != 0 || p.status(l.Case) == patrol.PreCancel {
			t.Errorf("case %s is %s, and asked is %+v", l.Case, p.status(l.Case), asked)
		}
		if got := p.subjects("EMP-1031"); len(got) != 2 || got[1] != "Your seat in VP-107: we looked again" {
			t.Errorf("got mail %q, want a new look and a letter about it", got)
		}
	})
	t.Run("P-043 a reply that comes in while a letter leaves is not lost", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-102")
		p.Clock.Add(time.Minute)
		open, err := p.patrol.Book.OpenWith(t.Context(), "EMP-1006")
		if err != nil || len(open) != 1 {
			t.Fatalf("got %+v %v", open, err)
		}
		if err := p.patrol.Book.Heard(t.Context(), open[0].ID, p.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		if err := p.patrol.Book.Wrote(t.Context(), open[0].ID, open[0].LastOut); err != nil { // by somebody who has not seen the reply
			t.Fatal(err)
		}
		after, err := p.patrol.Book.Thread(t.Context(), open[0].ID)
		if err != nil || after.Silent() || !after.LastIn.Equal(p.Clock.Now()) || after.Case != l.Case {
			t.Errorf("got %+v %v", after, err)
		}
	})
	t.Run("P7 whoever was heard is not reminded", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-102")
		threads, err := p.patrol.Book.Threads(t.Context(), l.Case)
		if err != nil || len(threads) != 1 {
			t.Fatalf("got %+v %v", threads, err)
		}
		if err := p.patrol.Book.Heard(t.Context(), threads[0].ID, p.Clock.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		p.Walk(5 * 24 * time.Hour)
		if got := p.subjects("EMP-1006"); len(got) != 1 {
			t.Errorf("got mail %q", got)
		}
	})
	t.Run("P7 an answer restarts the week", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-102")
		p.Walk(6 * 24 * time.Hour)
		p.reply("EMP-1006", "What do you need from me?")
		p.Walk(6 * 24 * time.Hour)
		p.wantStatus(l.Case, patrol.PendingReply)
		p.Walk(25 * time.Hour)
		p.wantStatus(l.Case, patrol.PreCancel)
	})
}

func TestThreeReaudits(t *testing.T) {
	t.Parallel()
	p, l := audited(t, "VP-109")
	for i, text := range []string{"I updated my profile.", "I have corrected it again.", "It has been fixed in the portal, I updated it."} {
		p.wantStatus(l.Case, patrol.PendingReply)
		if len(p.Pending()) != 0 {
			t.Fatalf("a person is asked after %d re-audits", i)
		}
		p.reply("EMP-1041", text)
	}
	t.Run("P-162 P-047 the third failed re-audit goes to a person", func(t *testing.T) {
		p.wantStatus(l.Case, patrol.PreCancel)
		if asked := p.Pending(); len(asked) != 1 || asked[0].Tool != "cancel_membership" {
			t.Errorf("got %+v", asked)
		}
	})
}

// TestTwoRiders is a van with two riders whose shifts do not fit. One puts the records
// right and is left in peace; the other stays silent, and only that seat is in question.
func TestTwoRiders(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	p.setShift("EMP-1001", "SH-NIGHT")
	p.setShift("EMP-1002", "SH-NIGHT")
	l := p.audit("VP-101")
	for _, id := range []string{"EMP-1001", "EMP-1002"} {
		if got := p.subjects(id); !slices.Equal(got, []string{"Your seat in VP-101: please check your shift"}) {
			t.Errorf("P8 %s got %q", id, got)
		}
	}
	p.Clock.Add(time.Hour)
	p.setShift("EMP-1001", "SH-DAY")
	p.reply("EMP-1001", "I switched to the day shift.")
	p.wantStatus(l.Case, patrol.PendingReply)
	settled := func() (out []string) {
		threads, err := p.patrol.Book.Threads(t.Context(), l.Case)
		if err != nil || len(threads) != 2 {
			t.Fatalf("got %+v %v", threads, err)
		}
		return append(out, threads[0].Settled, threads[1].Settled)
	}
	if got := settled(); !slices.Equal(got, []string{"resolved", ""}) {
		t.Errorf("P-045 threads are settled as %q", got)
	}
	if got := p.subjects("EMP-1001"); len(got) != 2 || got[1] != "Your seat in VP-101: thank you for the update" {
		t.Errorf("P8 EMP-1001 got %q", got)
	}
	p.Walk(8 * 24 * time.Hour)
	asked := p.Pending()
	if len(asked) != 1 || asked[0].Title != "Remove EMP-1002 from VP-101" {
		t.Fatalf("P-046 got %+v", asked)
	}
	p.Decide(asked[0].ID, dossier.Decision{Verb: dossier.Approve})
	p.wantStatus(l.Case, patrol.Cancelled)
	if !p.rides("VP-101", "EMP-1001") || p.rides("VP-101", "EMP-1002") {
		t.Error("P-164 the wrong seat is gone")
	}
	if got := settled(); !slices.Equal(got, []string{"resolved", "cancelled"}) {
		t.Errorf("threads end as %q", got)
	}
}
