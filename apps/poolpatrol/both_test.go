package poolpatrol

import (
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
	"dossier/internal/store/storetest"
)

// TestBothDatabases takes a case the long way on each database: letter, reply, silence,
// cancellation, and the numbers afterwards.
func TestBothDatabases(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			p := start(t, apptest.Options{Database: database})
			l := p.audit("VP-102")
			p.Clock.Add(time.Minute)
			if b := p.reply("EMP-1006", "What do you need from me?"); b != "question" {
				t.Fatalf("got bucket %s", b)
			}
			p.Clock.Add(7 * 24 * time.Hour)
			p.Settle()
			p.wantStatus(l.Case, patrol.PreCancel)
			p.Decide(p.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve})
			p.wantStatus(l.Case, patrol.Cancelled)
			m, err := p.numbers.Metrics(t.Context())
			if err != nil || m.Cancelled != 1 || m.Resolution.Median < 168 || p.rides("VP-102", "EMP-1006") {
				t.Errorf("got %+v %v", m, err)
			}
			book, err := p.patrol.Roster.All(t.Context())
			if err != nil || len(book.Employees) != 70 || len(book.Vanpools) != 16 || len(book.Riders) != 69 {
				t.Errorf("got %d employees, %d vans, %d riders %v", len(book.Employees), len(book.Vanpools), len(book.Riders), err)
			}
			p.Verify(l.Case)
		})
	}
}
