package poolpatrol

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/demo"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app/apptest"
	"dossier/internal/geo"
)

// fleet returns n vans of eight riders, one in six of them with a rider on another
// shift.
func fleet(n int, today roster.Day) roster.Book {
	base := demo.Book(today)
	b := roster.Book{Shifts: base.Shifts, ZIPs: base.ZIPs}
	for i := range n {
		van := roster.Vanpool{ID: fmt.Sprintf("VP-%d", 10_000+i), Site: "Fremont", Pickup: geo.Point{Lat: 37.495, Lon: -121.941}}
		b.Vanpools = append(b.Vanpools, van)
		for r := range 8 {
			home := geo.Travel(van.Pickup, float64((i*8+r)%360), float64(5+(i+r)%30))
			e := roster.Employee{
				ID: fmt.Sprintf("EMP-%d", 1_000_000+i*8+r), Name: "Rider", Email: fmt.Sprintf("r%d@example.com", i*8+r),
				ZIP: "94538", Home: &home, Site: "Fremont", Shift: "SH-DAY",
			}
			if i%6 == 0 && r == 0 {
				e.Shift = "SH-NIGHT"
			}
			b.Employees = append(b.Employees, e)
			b.Riders = append(b.Riders, roster.Rider{Vanpool: van.ID, Employee: e.ID})
		}
	}
	return b
}

// BenchmarkAudit audits a fleet from rows to findings with the reference policies:
// case, child runs, evidence, findings and letters in the database. FLEET sets the
// number of vans; PostgreSQL is measured where DOSSIER_TEST_POSTGRES names one.
func BenchmarkAudit(b *testing.B) {
	n := 60
	if v, err := strconv.Atoi(os.Getenv("FLEET")); err == nil {
		n = v
	}
	databases := []string{"sqlite"}
	if os.Getenv("DOSSIER_TEST_POSTGRES") != "" {
		databases = append(databases, "postgres")
	}
	for _, database := range databases {
		for _, workers := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/vans=%d/workers=%d", database, n, workers), func(b *testing.B) {
				for b.Loop() {
					auditFleet(b, database, n, workers)
				}
			})
		}
	}
}

func auditFleet(b *testing.B, database string, n, workers int) {
	b.StopTimer()
	defer b.StartTimer()
	bench := apptest.Open(b, App, apptest.Options{Database: database})
	p, err := patrol.New(bench.Env, patrol.Defaults, prompt)
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Roster.Save(b.Context(), fleet(n, roster.DayOf(bench.Clock.Now()))); err != nil {
		b.Fatal(err)
	}
	vans, err := newServer(bench.Env, p).vanIDs(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	began := time.Now()
	looks, err := auditMany(b.Context(), p, vans, patrol.Order{For: dossier.SystemPrincipal}, workers)
	took := time.Since(began)
	b.StopTimer()
	if err != nil || len(looks) != n {
		b.Fatalf("%d looks: %v", len(looks), err)
	}
	b.ReportMetric(float64(n)/took.Seconds(), "vans/s")
}
