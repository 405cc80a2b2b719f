package poolpatrol

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dossier"
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
