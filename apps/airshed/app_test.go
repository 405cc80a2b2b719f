package airshed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/apps/airshed/sample"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, App)
}

// A bench is the app over a real store, with the app's own parts at hand.
type bench struct {
	*apptest.Bench
	*airshed
}

func open(t *testing.T, change func(*Config), log *slog.Logger) *bench {
	t.Helper()
	cfg := defaults()
	cfg.RetryBackoffBaseSeconds = 0
	if change != nil {
		change(&cfg)
	}
	b := apptest.Open(t, App, apptest.Options{At: then, Log: log, Change: func(c app.Config) { *c.(*Config) = cfg }})
	a, err := newAirshed(b.Env, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{b, a}
}

// upload puts a day into the lake, as the ingester does.
func (b *bench) upload(day sample.Day) {
	b.T.Helper()
	raw, err := json.Marshal(day.Snapshot())
	if err != nil {
		b.T.Fatal(err)
	}
	b.put("data/sensor_"+day.At.Format("20060102_150405")+".json", raw)
}

func (b *bench) put(key string, raw []byte) {
	b.T.Helper()
	if _, err := b.lake.Put(b.T.Context(), key, "application/json", raw); err != nil {
		b.T.Fatal(err)
	}
	// File systems stamp with the machine's clock; the newest must be the last put.
	name := filepath.Join(b.airshed.Dir, "lake", filepath.FromSlash(key))
	at := b.Clock.Now()
	if err := os.Chtimes(name, at, at); err != nil {
		b.T.Fatal(err)
	}
}

// fire is what the ingester's event does.
func (b *bench) fire() {
	b.T.Helper()
	if err := b.Fire(b.T.Context(), "uploaded", nil); err != nil {
		b.T.Fatal(err)
	}
	b.Settle()
}

func (b *bench) cases() []dossier.Case {
	b.T.Helper()
	out, err := b.Bench.Desk.Cases(b.T.Context(), app.CaseFilter{})
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

// alipur is a day on which only Alipur is in a surge.
func alipur() sample.Day {
	d := sample.November(then)
	d.AQI = map[string]float64{"Alipur": 450, "Anand Vihar": 200, "Dwarka": 200}
	return d
}

func (b *bench) approveAll() int {
	n := 0
	for {
		waiting := b.Pending()
		if len(waiting) == 0 {
			return n
		}
		b.Decide(waiting[0].ID, dossier.Decision{Verb: dossier.Approve, At: b.Clock.Now()})
		n++
	}
}

// The whole way: an upload, a surge, a case, a draft that waits for the legal officer,
// and after the approval the report with the Commission.
func TestFromSurgeToFiledReport(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	b.fire() // A-003 A-112
	cases := b.cases()
	if len(cases) != 1 || cases[0].Subject != "station/Alipur/2025-11-14T08:00Z" || cases[0].Stage != AwaitsApproval || cases[0].State != dossier.Waiting { // A-001 A-002
		t.Fatalf("%+v", cases)
	}
	id := cases[0].ID
	t.Run("A-008 A-006 five tasks in order", func(t *testing.T) {
		runs, err := b.Bench.Desk.Runs(t.Context(), id)
		if err != nil || len(runs) != 1 || runs[0].Status != dossier.Paused {
			t.Fatalf("%+v, %v", runs, err)
		}
		_, steps, err := b.Store.Load(t.Context(), runs[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		var called []string
		for _, s := range steps {
			if s.Kind == dossier.Returned {
				for _, name := range []string{"read_correlated_data_tool", "detect_surge_tool", "correlate_fires_tool", "generate_report_tool"} {
					if bytes.Contains(s.Body, []byte(`"`+name+`"`)) {
						called = append(called, name)
					}
				}
			}
		}
		if got := strings.Join(called, " "); got != "read_correlated_data_tool detect_surge_tool correlate_fires_tool generate_report_tool" {
			t.Error(got)
		}
	})
	draft, err := b.book.ReportOf(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("A-027 A-056 A-071 the draft", func(t *testing.T) {
		r := draft.Report
		if r.ReportID != "CAQM-2025-11-14-001" || r.ConfidenceScore != 100 || r.FireCount != 620 || len(r.Evidence) != 6 || r.CaseID != string(id) || draft.Result != nil {
			t.Errorf("%+v", r)
		}
		for _, e := range r.Evidence {
			if len(e.Hash) != 64 || e.Timestamp.IsZero() {
				t.Errorf("%+v", e)
			}
		}
		if len(r.Sources) != 4 || r.Sources[0].AgeHours != 0.5 || !r.DataQuality.Fresh {
			t.Errorf("%+v", r.Sources)
		}
	})
	waiting := b.Pending()
	t.Run("nothing is filed before the legal officer agrees", func(t *testing.T) {
		if len(waiting) != 1 || waiting[0].Tool != "send_caqm_report_tool" || !strings.Contains(string(waiting[0].Args), draft.SHA256) || waiting[0].Roles[0] != legalOf {
			t.Fatalf("%+v", waiting)
		}
		if all, err := b.recv.All(); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		_, err := b.Inbox.Decide(t.Context(), waiting[0].ID, "", dossier.Decision{Verb: dossier.Approve, By: b.Person("someone", investigator), At: b.Clock.Now()})
		if !errors.Is(err, dossier.Forbidden) {
			t.Errorf("an investigator decided: %v", err)
		}
	})
	b.Decide(waiting[0].ID, dossier.Decision{Verb: dossier.Approve, At: b.Clock.Now()})
	t.Run("A-007 A-073 A-133 filed", func(t *testing.T) {
		d, err := b.book.Report(t.Context(), "CAQM-2025-11-14-001")
		if err != nil || d.Status != book.Filed || d.Result.Status != filing.Success || d.Result.Receipt == nil {
			t.Fatalf("%+v, %v", d.Result, err)
		}
		if _, err := os.Stat(d.Result.LocalPath); err != nil {
			t.Error(err)
		}
		kept, err := b.recv.All()
		if err != nil || len(kept) != 1 || kept[0].ReportID != d.Report.ReportID {
			t.Errorf("%+v, %v", kept, err)
		}
		c, err := b.Bench.Desk.Case(t.Context(), id)
		if err != nil || c.State != dossier.Closed || c.Outcome != "filed" {
			t.Errorf("%+v, %v", c, err)
		}
		runs, _ := b.Bench.Desk.Runs(t.Context(), id)
		var ans agentAnswer
		if err := json.Unmarshal(runs[0].Answer, &ans); err != nil || ans.Status != "filed" || ans.ReportID != d.Report.ReportID || ans.Score != 100 {
			t.Errorf("%s, %v", runs[0].Answer, runs[0].Failure)
		}
	})
	t.Run("everything verifies", func(t *testing.T) {
		if r := b.Verify(id); len(r.Checks) != 5 {
			t.Errorf("%d checks", len(r.Checks))
		}
	})
	t.Run("A-114 report log", func(t *testing.T) {
		log, err := b.log(t.Context())
		if err != nil || len(log.Reports) != 1 {
			t.Fatalf("%+v, %v", log, err)
		}
		raw, _ := json.Marshal(log)
		if want := `{"reports":[{"report_id":"CAQM-2025-11-14-001","station":"Alipur","aqi":450,"timestamp":"2025-11-14T08:00:00Z","generated_at":"2025-11-14T08:30:00Z"}]}`; string(raw) != want {
			t.Errorf("%s", raw)
		}
	})
	t.Run("pages", func(t *testing.T) { b.testPages(t, id) })
}

func (b *bench) testPages(t *testing.T, id dossier.CaseID) {
	d, err := b.document(t.Context(), "CAQM-2025-11-14-001")
	if err != nil || d.Signer != "Person person" || len(d.Fires) != 620 || d.VerifyURL != "http://dossier.test/api/v1/cases/"+string(id)+"/bundle" {
		t.Fatalf("%s %d %s, %v", d.Signer, len(d.Fires), d.VerifyURL, err)
	}
	scene, err := b.scene(t.Context(), id, nil)
	if err != nil || !scene.Record || scene.Surge == nil || scene.Analysis.Correlation.FireCount != 620 || scene.Report != "CAQM-2025-11-14-001" {
		t.Fatalf("%+v, %v", scene.Surge, err)
	}
	radius, threshold := 100.0, 460.0
	other, err := b.scene(t.Context(), id, &Figures{RadiusKm: &radius})
	if err != nil || other.Record || other.Analysis.Correlation.FireCount >= 620 || other.Analysis.Correlation.FireCount == 0 {
		t.Errorf("a narrower radius: %v, %+v", err, other.Analysis)
	}
	other, err = b.scene(t.Context(), id, &Figures{Threshold: &threshold})
	if err != nil || other.Record || other.Surge != nil {
		t.Errorf("a higher threshold leaves no surge: %v", err)
	}
	if d, _ := b.book.ReportOf(t.Context(), id); d.Report.FireCount != 620 {
		t.Error("a what-if changed the record")
	}
	w := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	req.SetPathValue("id", "CAQM-2025-11-14-999")
	b.page("application/pdf", nil).ServeHTTP(w, req)
	if w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
}

func TestRejectedReportIsNotFiled(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	b.fire()
	b.Decide(b.Pending()[0].ID, dossier.Decision{Verb: dossier.Reject, Note: "The station is under repair.", At: b.Clock.Now()})
	c := b.cases()[0]
	d, err := b.book.ReportOf(t.Context(), c.ID)
	if err != nil || d.Status != book.Withdrawn || c.State != dossier.Closed || c.Outcome != "not_filed" {
		t.Errorf("%s %+v, %v", d.Status, c, err)
	}
	if all, _ := b.recv.All(); len(all) != 0 {
		t.Error("it was filed")
	}
}

func TestAutomaticFilingAboveAConfidence(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) { c.AutoFileConfidence = 90 }, nil)
	b.upload(alipur())
	b.fire()
	if all, _ := b.recv.All(); len(all) != 1 || len(b.Pending()) != 0 {
		t.Errorf("%d filed, %d waiting", len(all), len(b.Pending()))
	}
	weak := open(t, func(c *Config) { c.AutoFileConfidence = 90 }, nil)
	d := alipur()
	d.Share = -1 // 80
	weak.upload(d)
	weak.fire()
	if all, _ := weak.recv.All(); len(all) != 0 || len(weak.Pending()) != 1 {
		t.Errorf("%d filed, %d waiting", len(all), len(weak.Pending()))
	}
}

// A confidence that the arguments claim and the draft does not have files nothing.
func TestClaimedConfidenceDoesNotFile(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) { c.AutoFileConfidence = 90 }, nil)
	d := alipur()
	d.Share = -1
	b.upload(d)
	b.fire()
	c := b.cases()[0]
	draft, err := b.book.ReportOf(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	args, _ := json.Marshal(sendIn{Report: reportRef{draft.Report.ReportID, draft.SHA256, 100}})
	var in sendIn
	_ = json.Unmarshal(args, &in)
	if _, err := b.send(t.Context(), call(c.ID, b.Clock.Now()), in); !errors.Is(err, dossier.Conflict) {
		t.Error(err)
	}
	in.Report.ConfidenceScore, in.Report.SHA256 = 80, strings.Repeat("0", 64)
	if _, err := b.send(t.Context(), call(c.ID, b.Clock.Now()), in); !errors.Is(err, dossier.Conflict) {
		t.Error(err)
	}
}

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

func TestTwoSweepsAtOnceFileOnce(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(sample.November(then)) // Alipur and Anand Vihar
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { _, errs[i] = b.sweep(t.Context(), "test") })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
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

func TestMissingFeedsFileWithLessConfidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		day  func(*sample.Day)
		want float64
	}{
		{"A-134 A-082 NASA missing", func(d *sample.Day) { d.Fires = nil }, 60},
		{"A-134 A-086 DSS missing", func(d *sample.Day) { d.Share = -1 }, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil, nil)
			d := alipur()
			c.day(&d)
			b.upload(d)
			b.fire()
			b.approveAll()
			r, err := b.book.ReportOf(t.Context(), b.cases()[0].ID)
			if err != nil || r.Report.ConfidenceScore != c.want || r.Status != book.Filed {
				t.Errorf("%v %s, %v", r.Report.ConfidenceScore, r.Status, err)
			}
			b.Verify(b.cases()[0].ID)
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

func TestReadTool(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	read := func(in readIn) (readOut, error) {
		out, err := b.read(t.Context(), call("CASE-none", b.Clock.Now()), in)
		return out.Value, err
	}
	name := b.lake.Name()
	t.Run("A-025 an empty lake", func(t *testing.T) {
		out, err := read(readIn{BucketName: name})
		if err != nil || out.Error != "S3 read failed" || out.Details == "" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("A-012 another bucket is refused", func(t *testing.T) {
		if _, err := read(readIn{BucketName: "elsewhere"}); !errors.Is(err, dossier.Invalid) {
			t.Error(err)
		}
	})
	t.Run("A-126 A-021 invalid JSON", func(t *testing.T) {
		b.put("data/bad.json", []byte(`{"cpcb_data": [`))
		if out, err := read(readIn{BucketName: name}); err != nil || out.Error != "Sensor data invalid" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("A-126 A-022 missing fields", func(t *testing.T) {
		b.Clock.Add(time.Minute)
		b.put("data/none.json", []byte(`{"timestamp":"2025-11-14T08:30:00Z"}`))
		if out, err := read(readIn{BucketName: name}); err != nil || out.Error != "CPCB data missing" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("A-013 A-015 A-016 A-017 A-018 A-058 the data", func(t *testing.T) {
		b.Clock.Add(time.Minute)
		b.upload(alipur())
		out, err := read(readIn{BucketName: name})
		if err != nil || out.Error != "" || len(out.CPCBData) != 3 || out.NASACount < 620 || len(out.NASAData) != shownFires || out.DSSData.Percent != 22.5 || out.Timestamp != "2025-11-14T08:30:00Z" || !out.Fresh {
			t.Fatalf("%+v, %v", out, err)
		}
		if r := out.CPCBData[0]; r.Station != "Alipur" || *r.AQI != 450 || *r.PM25 != 350.5 || *r.PM10 != 420.2 || r.Lat != 28.8 || r.Lon != 77.1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("A-014 A-047 the schema", func(t *testing.T) {
		tools := map[string]string{}
		for _, x := range b.Kit.Agents[0].Tools {
			tools[x.Name] = string(x.Input.Text)
		}
		for _, want := range []string{`"bucket_name"`, `"prefix"`, `"security_context"`} {
			if !strings.Contains(tools["read_correlated_data_tool"], want) {
				t.Errorf("no %s in %s", want, tools["read_correlated_data_tool"])
			}
		}
		for _, want := range []string{`"report"`, `"save_local"`, `"upload_s3"`, `"security_context"`} { // A-043 A-044 A-045 A-046
			if !strings.Contains(tools["send_caqm_report_tool"], want) {
				t.Errorf("no %s in %s", want, tools["send_caqm_report_tool"])
			}
		}
	})
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

func TestPartialSuccessA054(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) { c.CAQMEndpoint = "http://caqm.test/reports" }, nil)
	calls := 0
	b.file.HTTP = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		calls++
		return &http.Response{StatusCode: 503, Body: io.NopCloser(strings.NewReader("down")), Header: http.Header{}}, nil
	})}
	b.upload(alipur())
	s, err := b.sweep(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	b.Settle()
	d, err := b.book.ReportOf(t.Context(), s.Cases[0])
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.send(t.Context(), call(s.Cases[0], b.Clock.Now()), sendIn{Report: reportRef{d.Report.ReportID, d.SHA256, d.Report.ConfidenceScore}})
	if err != nil || out.Value.Status != filing.Partial || out.Value.Receipt != nil || calls != 3 {
		t.Fatalf("%+v after %d calls, %v", out.Value, calls, err)
	}
	if d, _ = b.book.Report(t.Context(), d.Report.ReportID); d.Status != book.PartFiled {
		t.Error(d.Status)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNoticesToStatesA141(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) {
		c.StateMail = map[string][]string{"Haryana": {"cs@haryana.example"}, "Punjab": {"cs@punjab.example"}, "Uttar Pradesh": {"cs@up.example"}}
	}, nil)
	b.upload(alipur())
	b.fire()
	if n := b.approveAll(); n != 3 {
		t.Errorf("%d approvals: one filing and two notices are wanted", n)
	}
	sent := b.Bench.Mail.Sent()
	if len(sent) != 2 || sent[0].To[0] != "cs@haryana.example" || sent[1].To[0] != "cs@punjab.example" {
		t.Fatalf("%+v", sent)
	}
	if m := sent[0]; !strings.Contains(m.Text, "450 fire events in Haryana") || !strings.Contains(m.Text, "seeks no penalty against farmers") || !strings.Contains(m.Subject, "CAQM-2025-11-14-001") {
		t.Errorf("%+v", m)
	}
	if c := b.cases()[0]; c.Outcome != "filed" {
		t.Errorf("%+v", c)
	}
	// To nobody but the configured addresses.
	_, err := b.notify(t.Context(), call(b.cases()[0].ID, b.Clock.Now()), notice{ReportID: "CAQM-2025-11-14-001", State: "Haryana", To: []string{"press@paper.example"}, Subject: "x", Text: "x"})
	if !errors.Is(err, dossier.Invalid) {
		t.Error(err)
	}
}

func TestHistoryFromTheStoreA139(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	if err := b.pastSeasons(t.Context(), then); err != nil {
		t.Fatal(err)
	}
	b.upload(alipur())
	b.fire()
	d, err := b.book.ReportOf(t.Context(), b.cases()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	h := d.Report.History
	if len(h.Years) != 2 || h.Years[0].Year != 2024 || h.Years[0].Readings != 29 || h.Years[0].Reports != 1 || len(h.Recurring) == 0 || h.Recurring[0].District != "Jind" || h.Recurring[0].Reports != 2 {
		t.Errorf("%+v", h)
	}
	b.Verify(b.cases()[0].ID)
}

func TestAnalyzeHasNoSideEffects(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(sample.November(then).Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	c := defaults()
	o, err := c.analyse("x.json", raw, then)
	if err != nil || o.Status != book.SweepReported || len(o.Reports) != 2 || o.SweepID == "" || o.Reports[1].ReportID != "CAQM-2025-11-14-002" {
		t.Fatalf("%+v, %v", o, err)
	}
	again, _ := c.analyse("x.json", raw, then)
	x, _ := json.Marshal(o)
	if y, _ := json.Marshal(again); !bytes.Equal(x, y) {
		t.Error("the same file gives another answer")
	}
	var got struct {
		SweepID string         `json:"sweep_id"`
		Reports []legal.Report `json:"reports"`
	}
	if err := json.Unmarshal(x, &got); err != nil || got.SweepID != o.SweepID || got.Reports[0].SurgeDetails.Station != "Alipur" || got.Reports[0].Validate() != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if o, err := c.analyse("x.json", []byte(`{"nasa_data":[],"timestamp":"2025-11-14T08:30:00Z"}`), then); err == nil || o.Status != book.SweepFailed || o.Error != "CPCB data missing" {
		t.Errorf("A-081: %+v, %v", o, err)
	}
	if o, err := c.analyse("x.json", raw, then.Add(48*time.Hour)); err != nil || o.Status != book.SweepStale || len(o.Reports) != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestConfigDefaultsOfTheDesign(t *testing.T) {
	t.Parallel()
	c := defaults()
	got := []float64{
		c.SurgeAQIThreshold, c.FireCorrelationRadiusKm, float64(c.HighContributionFireCount), c.MinConfidenceScore, c.NASADataMissingPenalty, c.DSSDataMissingPenalty,
		c.LowFireCountPenalty, c.HighDistancePenalty, c.CorrelationWindowHours, c.MaxDataAgeHours, c.ExecutionTimeoutMinutes, float64(c.S3ReadRetries), float64(c.CAQMSubmissionRetries), c.RetryBackoffBaseSeconds,
	}
	want := []float64{300, 200, 100, 30, 40, 20, 10, 10, 48, 24, 10, 3, 2, 1}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("constant A-%03d = %v, want %v", 97+i, got[i], want[i])
		}
	}
	if len(c.BorderStations) != 4 || c.BorderStations[1] != (BorderStation{"Anand Vihar", 28.65, 77.32, "UP"}) || c.Prefix != "data/" {
		t.Errorf("%+v", c.BorderStations)
	}
	if c.rules() != correlate.Defaults() {
		t.Errorf("%+v", c.rules())
	}
	for name, spoil := range map[string]func(*Config){
		"stations": func(c *Config) { c.BorderStations = nil }, "schedule": func(c *Config) { c.Schedule = "often" }, "retries": func(c *Config) { c.S3ReadRetries = -1 },
		"mail": func(c *Config) { c.StateMail = map[string][]string{"Haryana": {"nobody"}} }, "endpoint": func(c *Config) { c.CAQMEndpoint = "caqm" },
		"timeout": func(c *Config) { c.ExecutionTimeoutMinutes = 0 }, "auto": func(c *Config) { c.AutoFileConfidence = 101 }, "radius": func(c *Config) { c.FireCorrelationRadiusKm = -1 },
	} {
		x := defaults()
		spoil(&x)
		if err := x.Validate(); !errors.Is(err, dossier.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRulesAreRegistered(t *testing.T) {
	t.Parallel()
	if len(App.Rules) != len(casefile.Rules) || App.Rules[0].Name != casefile.CheckSurge {
		t.Errorf("%+v", App.Rules)
	}
}

func TestAgentA009(t *testing.T) {
	t.Parallel()
	a, err := (&airshed{cfg: defaults()}).agent()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Legal Analyst and Evidence Correlator", "# Goal", "# Backstory"} {
		if !strings.Contains(a.Prompt, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if a.Limits.Wall != 10*time.Minute {
		t.Error(a.Limits.Wall)
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

// The same texts of SQL on both databases, from the surge to the filed report.
func TestBothDatabases(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := apptest.Open(t, App, apptest.Options{Database: name, At: then})
			a, err := newAirshed(tb.Env, defaults())
			if err != nil {
				t.Fatal(err)
			}
			b := &bench{tb, a}
			if err := b.pastSeasons(t.Context(), then); err != nil {
				t.Fatal(err)
			}
			b.upload(sample.November(then))
			for range 2 {
				if _, err := b.sweep(t.Context(), "test"); err != nil {
					t.Fatal(err)
				}
			}
			b.Settle()
			b.approveAll()
			reports, err := b.book.Reports(t.Context(), 10)
			if err != nil || len(reports) != 4 || reports[0].Status != book.Filed || reports[1].Status != book.Filed {
				t.Fatalf("%d reports, %v", len(reports), err)
			}
			for _, c := range b.cases() {
				b.Verify(c.ID)
			}
		})
	}
}

// Reading, checking, judging and composing the reports of a real-size day.
func BenchmarkAnalyzeRealDay(b *testing.B) {
	raw, err := json.Marshal(sample.RealDay(then))
	if err != nil {
		b.Fatal(err)
	}
	c := defaults()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if o, err := c.analyse("x.json", raw, then); err != nil || len(o.Reports) != 2 {
			b.Fatal(err)
		}
	}
}
