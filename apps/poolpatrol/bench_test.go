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
// number of vans, DATABASE the database.
func BenchmarkAudit(b *testing.B) {
	n := 1200
	if v, err := strconv.Atoi(os.Getenv("FLEET")); err == nil {
		n = v
	}
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("vans=%d/workers=%d", n, workers), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				bench := apptest.Open(b, App, apptest.Options{Database: os.Getenv("DATABASE")})
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
				if err != nil || len(looks) != n {
					b.Fatalf("%d looks: %v", len(looks), err)
				}
				b.ReportMetric(float64(n)/took.Seconds(), "vans/s")
				b.ReportMetric(took.Seconds(), "s/fleet")
			}
		})
	}
}
