package airshed

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/gate"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
	"dossier/internal/db"
	"dossier/internal/faith"
	"dossier/internal/records"
)

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
	args, _ := json.Marshal(sendIn{Report: book.Ref{ReportID: draft.Report.ReportID, SHA256: draft.SHA256, ConfidenceScore: 100}})
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
	out, err := b.send(t.Context(), call(s.Cases[0], b.Clock.Now()), sendIn{Report: book.Ref{ReportID: d.Report.ReportID, SHA256: d.SHA256, ConfidenceScore: d.Report.ConfidenceScore}})
	if err != nil || out.Value.Status != filing.Partial || out.Value.Receipt != nil || calls != 3 {
		t.Fatalf("%+v after %d calls, %v", out.Value, calls, err)
	}
	if d, _ = b.book.Report(t.Context(), d.Report.ReportID); d.Status != book.PartFiled {
		t.Error(d.Status)
	}
}

// A report that was approved and not taken keeps its case open until the Commission
// has it: a legal officer sends the same text again.
func TestResend(t *testing.T) {
	t.Parallel()
	recv := &filing.Receiver{Dir: t.TempDir(), Now: func() time.Time { return then }, Log: slog.New(slog.DiscardHandler)}
	var up atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		recv.Handler().ServeHTTP(w, r)
	}))
	defer srv.Close()
	b := open(t, func(c *Config) { c.CAQMEndpoint = srv.URL + "/reports" }, nil)
	b.upload(alipur())
	b.fire()
	draft, err := b.book.ReportOf(t.Context(), b.cases()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	id, officer := draft.Report.ReportID, b.Person("officer", legalOf)
	if _, err := b.resend(t.Context(), id, officer); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a draft that nobody approved: %v", err)
	}
	b.approveAll()
	if c := b.cases()[0]; c.State != dossier.Waiting || c.Stage != book.PartFiled || c.Outcome != "" {
		t.Errorf("%s %s %q", c.State, c.Stage, c.Outcome)
	}
	again, err := b.resend(t.Context(), id, officer)
	if err != nil || again.Status != book.PartFiled || again.Result.Receipt != nil || b.cases()[0].State != dossier.Waiting {
		t.Errorf("while the Commission is down: %+v, %v", again.Result, err)
	}
	up.Store(true)
	b.As = b.Person("someone", investigator)
	if code, _ := b.Call(http.MethodPost, "/api/v1/airshed/reports/"+id+"/submit", nil, nil); code != http.StatusForbidden {
		t.Errorf("an investigator sent it: %d", code)
	}
	b.As = officer
	if code, _ := b.Call(http.MethodPost, "/api/v1/airshed/reports/"+id+"/submit", nil, &again); code != http.StatusOK {
		t.Fatal(code)
	}
	c := b.cases()[0]
	if again.Status != book.Filed || again.Result.Receipt == nil || again.Result.Receipt.SHA256 != draft.SHA256 || c.State != dossier.Closed || c.Outcome != "filed" {
		t.Errorf("%+v, %s %q", again.Result, c.State, c.Outcome)
	}
	if got, err := recv.Get(id); err != nil || got.SHA256 != draft.SHA256 {
		t.Errorf("the Commission holds another text than was approved: %v", err)
	}
	if _, err := b.resend(t.Context(), id, officer); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a report that was taken: %v", err)
	}
	filings := 0
	chain, _, _ := b.Bench.Desk.Facts(t.Context(), c.ID)
	for _, e := range chain {
		if e.Kind == casefile.Filing {
			filings++
		}
	}
	if filings != 3 {
		t.Errorf("%d filings are on record; three were tried", filings)
	}
	b.Verify(c.ID)
}

// Two officers send the same report again: one is answered by the Commission while the
// other still waits to be refused. What was taken stays taken.
func TestTwoSendAgain(t *testing.T) {
	t.Parallel()
	recv := &filing.Receiver{Dir: t.TempDir(), Now: func() time.Time { return then }, Log: slog.New(slog.DiscardHandler)}
	arrived, refuse := make(chan bool), make(chan bool)
	var calls atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := calls.Add(1); n {
		case 1: // the approved filing
			http.Error(w, "no", http.StatusBadRequest)
		case 2: // the first of the two
			close(arrived)
			<-refuse
			http.Error(w, "no", http.StatusBadRequest)
		default:
			recv.Handler().ServeHTTP(w, r)
		}
	}))
	defer srv.Close()
	b := open(t, func(c *Config) { c.CAQMEndpoint = srv.URL + "/reports" }, nil)
	b.upload(alipur())
	b.fire()
	b.approveAll()
	id, officer := "CAQM-2025-11-14-001", b.Person("officer", legalOf)
	slow := make(chan error)
	go func() {
		_, err := b.resend(t.Context(), id, officer)
		slow <- err
	}()
	<-arrived
	if d, err := b.resend(t.Context(), id, officer); err != nil || d.Status != book.Filed {
		t.Errorf("%s, %v", d.Status, err)
	}
	close(refuse)
	if err := <-slow; err != nil {
		t.Error(err)
	}
	if d, err := b.book.Report(t.Context(), id); err != nil || d.Status != book.Filed || d.Result.Receipt == nil {
		t.Errorf("%s %+v, %v", d.Status, d.Result, err)
	}
	b.Verify(b.cases()[0].ID)
}

// Two machines that share an object store file two reports of one second.
func TestReportsOfOneSecondKeepTheirCopies(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(sample.November(then))
	b.fire()
	for _, c := range b.cases() {
		d, err := b.book.ReportOf(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		b.file.Dir = t.TempDir() // its own on each machine
		out, err := b.send(t.Context(), call(c.ID, then), sendIn{Report: book.Ref{ReportID: d.Report.ReportID, SHA256: d.SHA256, ConfidenceScore: d.Report.ConfidenceScore}})
		if err != nil || out.Value.Status != filing.Success {
			t.Fatalf("%+v, %v", out.Value, err)
		}
	}
	reports, err := b.book.Reports(t.Context(), 10)
	if err != nil || len(reports) != 2 {
		t.Fatalf("%d, %v", len(reports), err)
	}
	for _, d := range reports {
		kept, err := b.lake.Get(t.Context(), "reports/"+filepath.Base(d.Result.S3Path))
		if err != nil || string(kept) != string(d.Body) {
			t.Errorf("%s is not in %s: %v", d.Report.ReportID, d.Result.S3Path, err)
		}
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
	// One filing and two notices, each asked on its own; until the last is decided the
	// case says what it waits for.
	for i, want := range []struct{ tool, stage string }{
		{"send_caqm_report_tool", "awaiting_approval"}, {"notify_state_tool", "awaiting_notices"}, {"notify_state_tool", "awaiting_notices"},
	} {
		waiting, c := b.Pending(), b.cases()[0]
		if len(waiting) != 1 || waiting[0].Tool != want.tool || c.State != dossier.Waiting || c.Stage != want.stage || len(b.Bench.Mail.Sent()) != max(0, i-1) {
			t.Fatalf("decision %d: %+v, %s %s", i, waiting, c.State, c.Stage)
		}
		b.Decide(waiting[0].ID, dossier.Decision{Verb: dossier.Approve, At: b.Clock.Now()})
	}
	sent := b.Bench.Mail.Sent()
	if len(sent) != 2 || sent[0].To[0] != "cs@haryana.example" || sent[1].To[0] != "cs@punjab.example" {
		t.Fatalf("%+v", sent)
	}
	if m := sent[0]; !strings.Contains(m.Text, "450 fire events in Haryana") || !strings.Contains(m.Text, "seeks no penalty against farmers") || !strings.Contains(m.Subject, "CAQM-2025-11-14-001") {
		t.Errorf("%+v", m)
	}
	if c := b.cases()[0]; c.State != dossier.Closed || c.Outcome != "filed" || len(b.Pending()) != 0 {
		t.Errorf("%+v", c)
	}
	// Nothing else leaves the house, even if an officer overlooked it.
	own := b.cases()[0].ID
	for name, n := range map[string]struct {
		id dossier.CaseID
		legal.Notice
	}{
		"to an address of nobody's":      {own, legal.Notice{State: "Haryana", To: []string{"press@paper.example"}, Subject: "x", Text: "x"}},
		"to a state that is no high one": {own, legal.Notice{State: "Uttar Pradesh", To: []string{"cs@up.example"}, Subject: "x", Text: "x"}},
		"from another case":              {"CASE-other", legal.Notice{State: "Haryana", To: []string{"cs@haryana.example"}, Subject: "x", Text: "x"}},
		"about farmers":                  {own, legal.Notice{State: "Haryana", To: []string{"cs@haryana.example"}, Subject: "x", Text: "Fine the farmers."}},
		"a number in the subject":        {own, legal.Notice{State: "Haryana", To: []string{"cs@haryana.example"}, Subject: "9999 fires", Text: "x"}},
	} {
		n.ReportID = "CAQM-2025-11-14-001"
		if _, err := b.notify(t.Context(), call(n.id, b.Clock.Now()), n.Notice, b.Bench.Mail.Send); !errors.Is(err, dossier.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(b.Bench.Mail.Sent()); n != 2 {
		t.Errorf("%d mails", n)
	}
}

// An officer may take days for each decision: nothing is lost by it.
func TestTheOfficerTakesDays(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) {
		c.StateMail = map[string][]string{"Haryana": {"cs@haryana.example"}, "Punjab": {"cs@punjab.example"}}
	}, nil)
	b.upload(alipur())
	b.fire()
	for range 3 {
		b.Clock.Add(26 * time.Hour)
		b.Decide(b.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve, At: b.Clock.Now()})
	}
	if c := b.cases()[0]; len(b.Bench.Mail.Sent()) != 2 || c.State != dossier.Closed || c.Outcome != book.Filed {
		t.Errorf("%d mails, %s %s %q", len(b.Bench.Mail.Sent()), c.State, c.Stage, c.Outcome)
	}
}

// A notice that the officer will not send keeps the other from nothing, and the report
// stays filed.
func TestRejectedNotice(t *testing.T) {
	t.Parallel()
	b := open(t, func(c *Config) {
		c.StateMail = map[string][]string{"Haryana": {"cs@haryana.example"}, "Punjab": {"cs@punjab.example"}}
	}, nil)
	b.upload(alipur())
	b.fire()
	for _, verb := range []dossier.Verb{dossier.Approve, dossier.Reject, dossier.Approve} {
		b.Decide(b.Pending()[0].ID, dossier.Decision{Verb: verb, Note: "The officer decided.", At: b.Clock.Now()})
	}
	c, sent := b.cases()[0], b.Bench.Mail.Sent()
	if len(sent) != 1 || sent[0].To[0] != "cs@punjab.example" || c.State != dossier.Closed || c.Outcome != "filed" {
		t.Errorf("%+v %+v", sent, c)
	}
}

// Whatever the day, a notice states no number that the report does not have.
func TestNoticesPassTheGate(t *testing.T) {
	t.Parallel()
	a := &airshed{cfg: defaults()}
	a.cfg.StateMail = map[string][]string{"Haryana": {"cs@haryana.example"}, "Punjab": {"cs@punjab.example"}, "UP": {"cs@up.example"}}
	rapid.Check(t, func(t *rapid.T) {
		d := sample.November(then)
		d.AQI = map[string]float64{"Alipur": float64(rapid.IntRange(301, 500).Draw(t, "aqi"))}
		d.Fires = map[string]int{"Haryana": rapid.IntRange(0, 300).Draw(t, "h"), "Punjab": rapid.SampledFrom([]int{0, 130, 300}).Draw(t, "p"), "Uttar Pradesh": rapid.IntRange(0, 300).Draw(t, "u")}
		rules := correlate.Defaults()
		_, all := correlate.Analyse(d.Snapshot(), correlate.Stations(), d.At, nil, rules)
		r := legal.Compose(legal.Input{ID: "CAQM-2025-11-14-001", Now: d.At, Analysis: all[0], Rules: rules})
		for _, n := range a.notices(r) {
			for _, text := range []string{n.Subject, n.Text} {
				if err := cmp.Or(faith.Check(text, gate.Facts(r)).Err(), gate.NoBlame(text), gate.NoVerdict(text, r.Conclusion)); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
			}
		}
	})
}

// A filing that nobody answers is reminded of and, after a week, taken back. No admin
// stands in for the legal officers meanwhile.
func TestAFilingThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		decide bool
		want   string
	}{{"a legal officer decides late", true, "filed"}, {"nobody decides", false, "not_filed"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil, nil)
			b.upload(alipur())
			b.fire()
			asked := b.Pending()[0]
			b.Walk(25 * time.Hour)
			agree := dossier.Decision{Verb: dossier.Approve, By: b.Person("ada", dossier.Admin)}
			if _, err := b.Inbox.Decide(t.Context(), asked.ID, "", agree); !errors.Is(err, dossier.Forbidden) {
				t.Fatalf("an admin decides about a filing: %v", err)
			}
			reminded, err := b.Bench.Env.DB.Query(t.Context(), "SELECT id FROM events WHERE kind = $1 AND approval_id = $2", records.ApprovalReminded, string(asked.ID))
			ids, err := db.Collect(reminded, err, func(r db.Row) (id int64, err error) { return id, r.Scan(&id) })
			if err != nil || len(ids) != 1 {
				t.Fatalf("%d reminders after a day, %v", len(ids), err)
			}
			if c.decide {
				agree.By = b.Person("lea", legalOf)
				if _, err := b.Inbox.Decide(t.Context(), asked.ID, "", agree); err != nil {
					t.Fatal(err)
				}
				b.Settle()
			} else {
				b.Walk(7 * 24 * time.Hour)
			}
			if cs := b.cases()[0]; cs.State != dossier.Closed || cs.Outcome != c.want || len(b.Pending()) != 0 {
				t.Errorf("%s %s %s", cs.State, cs.Stage, cs.Outcome)
			}
		})
	}
}
