package airshed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/dryrun"
	"dossier/apps/airshed/observe"
	"dossier/apps/airshed/sample"
)

func TestDeduplication(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	b.fire()
	t.Run("A-115 the same data again", func(t *testing.T) {
		b.Clock.Add(time.Minute)
		b.fire()
		sweeps, _ := b.book.Sweeps(t.Context(), 1)
		if len(b.cases()) != 1 || sweeps[0].Status != book.SweepKnown || sweeps[0].Surges != 1 {
			t.Errorf("%d cases, %+v", len(b.cases()), sweeps[0])
		}
	})
	t.Run("A6 the same run six hours later", func(t *testing.T) {
		b.Clock.Add(6 * time.Hour)
		d := alipur()
		d.At, d.AQI["Alipur"] = then.Add(6*time.Hour), 470
		d.History = 3 // 285 at most three hours before would end the run
		snap := d.Snapshot()
		raise := 400.0
		for i := range snap.Readings {
			if snap.Readings[i].Station == "Alipur" && snap.Readings[i].Time.Before(d.At.Truncate(time.Hour)) {
				snap.Readings[i].AQI = &raise
			}
		}
		raw, _ := json.Marshal(snap)
		b.put("data/later.json", raw)
		b.fire()
		if n := len(b.cases()); n != 1 {
			t.Errorf("%d cases", n)
		}
	})
	t.Run("A6 A-113 a new surge after it came down", func(t *testing.T) {
		b.Clock.Add(20 * time.Hour)
		d := alipur()
		d.At = then.Add(26 * time.Hour)
		b.upload(d)
		b.fire()
		if n := len(b.cases()); n != 2 {
			t.Errorf("%d cases", n)
		}
	})
}

// A6 holds within one sweep as it does between two: a dip of minutes makes no second
// report, and the one there is stands for the worst.
func TestADipOfMinutesIsOneSurgeA6(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	const day = `{"cpcb_data":[{"station":"Alipur","aqi":310,"timestamp":"2025-11-14T07:00:00Z"},{"station":"Alipur","aqi":290,"timestamp":"2025-11-14T07:20:00Z"},
	 {"station":"Alipur","aqi":330,"timestamp":"2025-11-14T07:40:00Z"},{"station":"Alipur","aqi":250,"timestamp":"2025-11-14T08:00:00Z"},{"station":"Rohini","aqi":305,"timestamp":"2025-11-14T08:00:00Z"}],"nasa_data":[],"timestamp":"2025-11-14T08:30:00Z"}`
	b.put("data/dip.json", []byte(day))
	b.fire()
	subjects := []string{}
	for _, c := range b.cases() {
		subjects = append(subjects, c.Subject)
		d, err := b.book.ReportOf(t.Context(), c.ID)
		if err != nil || !strings.Contains(c.Title, fmt.Sprintf("index %v ", d.Report.SurgeDetails.AQI)) {
			t.Errorf("%s is reported with %v, %v", c.Title, d.Report.SurgeDetails.AQI, err)
		}
	}
	slices.Sort(subjects)
	if got := strings.Join(subjects, " "); got != "station/Alipur/2025-11-14T07:40Z station/Rohini/2025-11-14T08:00Z" {
		t.Error(got)
	}
	o, err := dryrun.Of("dip.json", []byte(day), then, b.cfg.stations(), b.cfg.rules())
	if err != nil || len(o.Reports) != 2 || o.Reports[0].SurgeDetails.AQI != 330 || o.Reports[1].ReportID != "CAQM-2025-11-14-002" {
		t.Errorf("%d reports, %v", len(o.Reports), err)
	}
}

// A surge whose run ended without a report is unreported, and the next sweep sees to it.
func TestUnreportedSurgeIsTakenUpA113(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	s, err := b.sweep(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(time.Hour) // nobody worked on it within its time
	b.Settle()
	if runs, _ := b.Bench.Desk.Runs(t.Context(), s.Cases[0]); len(runs) != 1 || runs[0].Status != dossier.Failed {
		t.Fatalf("%+v", runs)
	}
	for _, want := range []int{2, 2} { // once, and then it waits for the officer
		b.fire()
		runs, _ := b.Bench.Desk.Runs(t.Context(), s.Cases[0])
		if len(b.cases()) != 1 || len(runs) != want || len(b.Pending()) != 1 {
			t.Errorf("%d cases, %d runs, %d waiting", len(b.cases()), len(runs), len(b.Pending()))
		}
	}
	sweeps, _ := b.book.Sweeps(t.Context(), 3)
	var details []string
	for _, s := range sweeps {
		details = append(details, s.Detail)
	}
	if got := strings.Join(details, "|"); !strings.Contains(got, "Work on 1 case that had ended without a decision was taken up again.") {
		t.Error(got)
	}
	b.Decide(b.Pending()[0].ID, dossier.Decision{Verb: dossier.Reject, Note: "The station is under repair.", At: b.Clock.Now()})
	b.fire()
	if runs, _ := b.Bench.Desk.Runs(t.Context(), s.Cases[0]); len(runs) != 2 || len(b.Pending()) != 0 {
		t.Errorf("what was decided is taken up again: %d runs", len(runs))
	}
}

func TestTwoSweepsAtOnceFileOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			openOn(t, name, nil, nil).sweepAtOnce(t)
		})
	}
}

func (b *bench) sweepAtOnce(t *testing.T) {
	b.upload(sample.November(then)) // Alipur and Anand Vihar
	var wg sync.WaitGroup
	errs, sweeps := make([]error, 4), make([]book.Sweep, 4)
	for i := range errs {
		wg.Go(func() { sweeps[i], errs[i] = b.sweep(t.Context(), "test") })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	// One of them found both surges new, whichever it was; the others knew them.
	first, knew := 0, 0
	for _, s := range sweeps {
		switch {
		case s.Status == book.SweepReported && s.NewCases == 2:
			first++
		case s.Status == book.SweepKnown && s.NewCases == 0:
			knew++
		}
	}
	if first != 1 || knew != 3 {
		t.Errorf("%+v", sweeps)
	}
	b.Settle()
	b.approveAll()
	reports, err := b.book.Reports(t.Context(), 10)
	all, _ := b.recv.All()
	if err != nil || len(b.cases()) != 2 || len(reports) != 2 || len(all) != 2 { // A7: one per station
		t.Errorf("%d cases, %d reports, %d filed, %v", len(b.cases()), len(reports), len(all), err)
	}
	if reports[0].Report.ReportID == reports[1].Report.ReportID || reports[0].Report.SweepID != reports[1].Report.SweepID { // A9 A7
		t.Errorf("%s %s", reports[0].Report.ReportID, reports[1].Report.ReportID)
	}
	if a, b := reports[0].Result.LocalPath, reports[1].Result.LocalPath; a == b {
		t.Errorf("both are in %s", a)
	}
}

func TestScheduleA004A113(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	if cron := b.Kit.Triggers[1].Cron; cron != "0 */6 * * *" {
		t.Error(cron)
	}
	b.Clock.Add(3 * time.Hour)
	if err := b.Store.Work().Ticks(t.Context(), b.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	d := alipur()
	d.At = b.Clock.Now()
	b.upload(d)
	b.Walk(2 * time.Hour)
	if n := len(b.cases()); n != 1 {
		t.Errorf("%d cases after the clock passed noon", n)
	}
	sweeps, _ := b.book.Sweeps(t.Context(), 5)
	if len(sweeps) == 0 || sweeps[0].Cause != "schedule" {
		t.Errorf("%+v", sweeps)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) { c.Watch = "*/5 * * * *" }, nil)
	watch := func() {
		t.Helper()
		if err := b.Fire(t.Context(), "watch", nil); err != nil {
			t.Fatal(err)
		}
		b.Settle()
	}
	watch() // an empty lake is nothing new
	b.upload(alipur())
	watch()
	watch()
	sweeps, err := b.book.Sweeps(t.Context(), 10)
	if err != nil || len(sweeps) != 1 || sweeps[0].Cause != "watch" || len(b.cases()) != 1 {
		t.Errorf("%d sweeps, %d cases, %v", len(sweeps), len(b.cases()), err)
	}
}

func TestSweepsThatReportNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		day    func(*sample.Day)
		late   time.Duration
		status string
	}{
		{"A-134 no surge", func(d *sample.Day) { d.AQI = map[string]float64{"Alipur": 300} }, 0, book.SweepQuiet},
		{"A-060 A-106 within 24 hours", func(*sample.Day) {}, 23 * time.Hour, book.SweepReported},
		{"A-060 A-106 stale", func(*sample.Day) {}, 25 * time.Hour, book.SweepStale},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil, nil)
			d := alipur()
			c.day(&d)
			b.upload(d)
			b.Clock.Add(c.late)
			s, err := b.sweep(t.Context(), "test")
			if err != nil || s.Status != c.status {
				t.Errorf("%s (%s), %v", s.Status, s.Detail, err)
			}
			if n := len(b.cases()); (n > 0) != (c.status == book.SweepReported) {
				t.Errorf("%d cases", n)
			}
		})
	}
}

func TestCPCBMissingA079A080A081(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	b := open(t, nil, slog.New(slog.NewTextHandler(&text, nil)))
	b.put("data/x.json", []byte(`{"cpcb_data":[],"nasa_data":[],"timestamp":"2025-11-14T08:30:00Z"}`))
	s, err := b.sweep(t.Context(), "test")
	if !errors.Is(err, observe.ErrNoReadings) || s.Status != book.SweepFailed || len(b.cases()) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if !strings.Contains(text.String(), "critical: CPCB data missing") || !strings.Contains(text.String(), "level=ERROR") {
		t.Error(text.String())
	}
	sweeps, _ := b.book.Sweeps(t.Context(), 1)
	if len(sweeps) != 1 || sweeps[0].Status != book.SweepFailed {
		t.Errorf("the failed sweep is not on record: %+v", sweeps)
	}
}

func TestFallbackToTheLastGoodRead(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	first, err := b.sweep(t.Context(), "test")
	if err != nil || first.Object.FromCache {
		t.Fatal(err)
	}
	b.lake.URL = strings.Replace(b.lake.URL, "file://", "broken://", 1)
	if _, err := b.sweep(t.Context(), "test"); err == nil {
		t.Error("another address has another cache")
	}
	// The same address, unreadable.
	b2 := open(t, nil, nil)
	b2.upload(alipur())
	if _, err := b2.lake.Latest(t.Context(), "data/"); err != nil {
		t.Fatal(err)
	}
	obj, _ := b2.lake.Latest(t.Context(), "data/")
	if err := b2.lake.Remember("data/", obj); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(b2.airshed.Dir, "lake")); err != nil {
		t.Fatal(err)
	}
	s, err := b2.sweep(t.Context(), "test")
	if err != nil || !s.Object.FromCache || s.Status != book.SweepReported {
		t.Fatalf("A-090: %+v, %v", s, err)
	}
	b2.Settle()
	d, err := b2.book.ReportOf(t.Context(), s.Cases[0])
	if err != nil || !d.Report.DataQuality.FromCache || !strings.Contains(strings.Join(d.Report.Caveats, " "), "last good object") {
		t.Errorf("the fallback is not marked: %+v, %v", d.Report.DataQuality, err)
	}
}

func TestStoppedSweep(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := b.sweep(ctx, "test"); err == nil || len(b.cases()) != 0 {
		t.Error("a stopped sweep opened a case")
	}
}
