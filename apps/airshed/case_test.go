package airshed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/gate"
	"dossier/apps/airshed/sample"
)

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
	t.Run("the legal officer sees what would be filed", func(t *testing.T) {
		told := b.Kit.Tell(t.Context(), b.airshed.Log, waiting[0], b.Person("lex"))
		text := ""
		for _, f := range told {
			text += f.Label + ": " + f.Value + "\n"
			if f.Link != "/apps/airshed/reports/CAQM-2025-11-14-001" {
				t.Errorf("%+v", f)
			}
		}
		r := draft.Report
		for _, want := range append([]string{r.ExecutiveSummary, r.Reasoning, r.LegalCitations.EnforcementRequest, "Texts by: rule"}, append(r.Recommendations, r.Caveats...)...) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		other := waiting[0]
		other.Args = bytes.ReplaceAll(other.Args, []byte(draft.SHA256), bytes.Repeat([]byte("0"), 64))
		if told := b.Kit.Tell(t.Context(), b.airshed.Log, other, b.Person("lex")); len(told) != 1 || told[0].Value != "is no longer the one that was asked about" {
			t.Errorf("%+v", told)
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
		var ans gate.Answer
		if err := json.Unmarshal(runs[0].Answer, &ans); err != nil || ans.Status != "filed" || ans.ReportID != d.Report.ReportID || ans.Score != 100 {
			t.Errorf("%s, %v", runs[0].Answer, runs[0].Failure)
		}
	})
	t.Run("the receiver's record and copy", func(t *testing.T) {
		list, err := b.listReceived(t.Context(), nil)
		if err != nil || !list.Body.Trial || len(list.Body.Items) != 1 || list.Body.Items[0].ReportID != "CAQM-2025-11-14-001" {
			t.Fatalf("%+v, %v", list, err)
		}
		d, _ := b.book.Report(t.Context(), "CAQM-2025-11-14-001")
		got, err := b.recv.Get("CAQM-2025-11-14-001")
		if err != nil || got.SHA256 != d.SHA256 || d.Result.SHA256 != draft.SHA256 || got.ReceiptID != d.Result.Receipt.ReceiptID || !got.ReceivedAt.Equal(b.Clock.Now()) || !strings.Contains(string(got.Report), "Alipur") {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := b.recv.Get("CAQM-2025-11-14-002"); !errors.Is(err, dossier.NotFound) {
			t.Error(err)
		}
		code, body := b.Call(http.MethodGet, "/api/v1/airshed/received/CAQM-2025-11-14-001/body", nil, nil)
		if sum := sha256.Sum256([]byte(body)); code != http.StatusOK || hex.EncodeToString(sum[:]) != d.SHA256 {
			t.Errorf("%d, the receiver's copy is another text than the one that was approved: %s", code, body)
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

// What was not let go out is no earlier report: neither one that waits nor one that was
// taken back.
func TestHistoryCountsWhatWentOutA139(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(sample.November(then)) // Alipur and Anand Vihar
	b.fire()
	for i, want := range []int{0, 1} {
		id := b.Pending()[0].ID
		b.Decide(id, dossier.Decision{Verb: []dossier.Verb{dossier.Reject, dossier.Approve}[i], Note: "The officer decided.", At: b.Clock.Now()})
		past, err := b.book.Past(t.Context(), then)
		if err != nil || len(past) != want {
			t.Errorf("%d earlier reports, want %d, %v", len(past), want, err)
		}
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

// TestAFilingInDoubt dies at the filing, after it and before it. If a person says that
// the Commission has the report, it counts as filed, with no receipt but one that the app
// had written down; if it is done again, it is filed once.
func TestAFilingInDoubt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before bool
		verb   dossier.Verb
		stage  string
		filed  int
	}{
		{false, dossier.Respond, book.Filed, 1}, {true, dossier.Respond, book.PartFiled, 0},
		{false, dossier.Approve, book.Filed, 1}, {true, dossier.Approve, book.Filed, 1},
	} {
		t.Run(fmt.Sprintf("before=%v %s", c.before, c.verb), func(t *testing.T) {
			t.Parallel()
			b := open(t, nil, nil)
			b.upload(alipur())
			b.fire()
			a := b.Pending()[0]
			b.CrashOn(c.before, a, b.Person("lex"))
			asked := b.Pending()
			if len(asked) != 1 || asked[0].Title != "Did this happen? "+a.Title {
				t.Fatalf("asked %+v", asked)
			}
			b.Decide(asked[0].ID, dossier.Decision{Verb: c.verb, Note: "Their clerk has it."})
			b.approveAll()
			d, err := b.book.ReportOf(t.Context(), b.cases()[0].ID)
			if err != nil || d.Status != c.stage || d.Result == nil || (d.Result.Receipt == nil) != (c.stage == book.PartFiled) {
				t.Fatalf("%s %+v, %v", d.Status, d.Result, err)
			}
			if c.stage == book.PartFiled && (len(d.Result.Problems) != 1 || !strings.HasSuffix(d.Result.Problems[0], "says that it was filed: Their clerk has it.")) {
				t.Errorf("problems %q", d.Result.Problems)
			}
			if all, err := b.recv.All(); err != nil || len(all) != c.filed {
				t.Errorf("the Commission has %d reports, %v", len(all), err)
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
