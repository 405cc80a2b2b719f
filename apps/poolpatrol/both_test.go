package poolpatrol

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
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

// TestSaveMany saves more records than one statement takes, some of them twice, and
// then all once more: the last of each counts.
func TestSaveMany(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			rows := roster.Rows{DB: apptest.Open(t, App, apptest.Options{Database: database}).Env.DB}
			want := fleet(60, roster.DayOf(time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)))
			want.PTO = []roster.Leave{{Employee: "EMP-1000003", Span: roster.Span{From: 20_000, To: 20_002}}}
			twice := want
			twice.Employees = append([]roster.Employee{want.Employees[7]}, want.Employees...)
			twice.Employees[0].Site = "Oakland"
			for range 2 {
				if err := rows.Save(t.Context(), twice); err != nil {
					t.Fatal(err)
				}
			}
			got, err := rows.All(t.Context())
			byID := cmpopts.SortSlices(func(a, b any) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
			if diff := cmp.Diff(want, got, byID); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestTotals counts audits on each database, over the turn of a week and a year.
func TestTotals(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			p := start(t, apptest.Options{Database: database})
			if m, err := p.numbers.Metrics(t.Context()); err != nil || m.Audits != 0 || len(m.Weeks) != 0 || m.Latency.N != 0 {
				t.Fatalf("a programme without audits: %+v %v", m, err)
			}
			for i, look := range []struct{ van, status, at string }{
				{"VP-101", "verified", "2026-03-01T23:59:59.999999Z"}, // a Sunday
				{"VP-102", "pending_reply", "2026-03-02T00:00:00Z"},
				{"VP-102", "resolved", "2026-03-22T12:00:00Z"},
				{"VP-102", "verified", "2026-03-16T01:00:00Z"},
				{"VP-103", "verified", "2025-12-31T12:00:00Z"},
			} {
				at, err := time.Parse(time.RFC3339Nano, look.at)
				if err != nil {
					t.Fatal(err)
				}
				a := casebook.Audit{Run: dossier.RunID(fmt.Sprint("r", i)), Vanpool: look.van, Status: look.status, At: at, Took: time.Duration(i*i+1) * time.Second}
				if err := p.patrol.Book.Audited(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			m, err := p.numbers.Metrics(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if m.Audits != 5 || m.Vans != 3 || m.Cleared != 3 || m.Latency != (numbers.Spread{N: 5, Mean: 7, Median: 5, P90: 17}) {
				t.Errorf("P-002 P-174 got %+v", m)
			}
			weeks := fmt.Sprint(m.Weeks)
			if len(m.Weeks) != 12 || m.Weeks[0].Monday != "2025-12-29" || !strings.HasSuffix(weeks, "{2026-02-23 1 0} {2026-03-02 1 1} {2026-03-09 0 0} {2026-03-16 2 1}]") {
				t.Errorf("P-174 got weeks %s", weeks)
			}
		})
	}
}
