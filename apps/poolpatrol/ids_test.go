package poolpatrol

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
	"dossier/internal/mail"
	"dossier/internal/store/storetest"
)

// naming is a programme whose ids for threads and mails come from next.
func naming(t *testing.T, o apptest.Options, next func() int64) programme {
	t.Helper()
	p := start(t, o)
	p.Env.NewID = func(prefix string) string {
		if prefix == "THREAD-" || prefix == "MSG-" {
			return fmt.Sprintf("%s%08x", prefix, next())
		}
		return apptest.NewID(prefix)
	}
	return p.rebuilt()
}

// TestTakenIDs gives every id out several times. Eight hex digits do repeat among a
// hundred thousand mails: then another is tried, no mail is lost, and no thread becomes
// somebody else's.
func TestTakenIDs(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run("P-028 P-029 on "+database, func(t *testing.T) {
			t.Parallel()
			var given atomic.Int64
			p := naming(t, apptest.Options{Database: database}, func() int64 { return given.Add(1) / 4 })
			first := p.audit("VP-102")
			second := p.audit("VP-107")
			for i, said := range []string{"What do you need from me?", "Why?", "How long does it take?"} {
				p.Clock.Add(time.Minute)
				if b := p.reply("EMP-1006", said); b != "question" {
					t.Fatalf("reply %d was taken as %q", i, b)
				}
			}
			if _, fresh, err := p.patrol.Receive(t.Context(), mail.Inbound{From: "emp1031@example.com", Text: "Why?", MessageID: "a@b"}); err != nil || !fresh {
				t.Fatalf("a mail from outside: %v %v", fresh, err)
			}
			p.Settle()
			seen := map[string]bool{}
			for id, want := range map[dossier.CaseID]int{first.Case: 7, second.Case: 3} {
				threads, err := p.patrol.Book.Threads(t.Context(), id)
				if err != nil || len(threads) != 1 || seen[threads[0].ID] {
					t.Fatalf("threads of %s: %+v %v", id, threads, err)
				}
				seen[threads[0].ID] = true
				kept, err := p.patrol.Book.Messages(t.Context(), threads[0].ID)
				if err != nil || len(kept) != want {
					t.Errorf("%s keeps %d mails %v, want %d", id, len(kept), err, want)
				}
				for _, m := range kept {
					if seen[m.ID] {
						t.Errorf("two mails are %s", m.ID)
					}
					seen[m.ID] = true
				}
			}
			if n := len(p.Mail.Sent()); n != 6 {
				t.Errorf("%d mails went out, want 6", n)
			}
		})
	}
	t.Run("when none is free, nothing is overwritten or sent", func(t *testing.T) {
		t.Parallel()
		p := naming(t, apptest.Options{}, func() int64 { return 7 })
		l := p.audit("VP-102")
		before, err := p.patrol.Book.Threads(t.Context(), l.Case)
		if err != nil || len(before) != 1 {
			t.Fatalf("got %+v %v", before, err)
		}
		if _, err := p.patrol.ReplyAs(t.Context(), before[0].ID, "Why?"); dossier.KindOf(err) != dossier.Conflict {
			t.Errorf("a reply without an id: %v", err)
		}
		_, _ = p.patrol.Audit(t.Context(), patrol.Order{Vanpool: "VP-107", For: p.Person("ann")})
		after, err := p.patrol.Book.Threads(t.Context(), l.Case)
		if err != nil || fmt.Sprint(after) != fmt.Sprint(before) || len(p.Mail.Sent()) != 1 {
			t.Errorf("got %+v %v and %d mails, want %+v and 1", after, err, len(p.Mail.Sent()), before)
		}
	})
}
