package filing_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
)

var now = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

func report(t *testing.T, id string) legal.Report {
	t.Helper()
	r := correlate.Defaults()
	_, all := correlate.Analyse(sample.November(now).Snapshot(), correlate.Stations(), now, nil, r)
	return legal.Compose(legal.Input{ID: id, Now: now, Sweep: "s", Analysis: all[0], Rules: r})
}

// text is a report as it leaves the house.
func text(r legal.Report) []byte {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err) // our own type always encodes
	}
	return raw
}

type desk struct {
	*filing.Filer
	slept []time.Duration
	log   strings.Builder
	recv  *filing.Receiver
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{}
	dir := t.TempDir()
	clock := func() time.Time { return now }
	d.recv = &filing.Receiver{Dir: filepath.Join(dir, "receiver"), Token: "secret-token", HMACKey: "hmac-key", Now: clock, Log: slog.New(slog.DiscardHandler)}
	sleep := func(_ context.Context, p time.Duration) error { d.slept = append(d.slept, p); return nil }
	log := slog.New(slog.NewTextHandler(&d.log, nil))
	bucket := filepath.Join(dir, "lake")
	if err := os.Mkdir(bucket, 0o755); err != nil {
		t.Fatal(err)
	}
	d.Filer = &filing.Filer{
		Dir: dir, Prefix: "reports/", Endpoint: filing.SimulatedEndpoint, Token: "secret-token", HMACKey: "hmac-key", Retries: 2, Base: time.Second,
		HTTP: filing.Simulate(d.recv), Sleep: sleep, Now: clock, Log: log,
		First: func(_ context.Context, r legal.Report) (bool, error) { return r.ReportID != "CAQM-2025-11-14-002", nil },
		Lake:  &lake.Lake{URL: "file://" + bucket, Retries: 1, Base: time.Second, Sleep: sleep, Log: log},
	}
	return d
}

var both = filing.Options{SaveLocal: true, Upload: true}

func TestFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := report(t, "CAQM-2025-11-14-001")
	res, err := d.File(t.Context(), r, text(r), both)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != filing.Success || res.ReportID != r.ReportID || res.Receipt == nil || !res.Timestamp.Equal(now) || len(res.Attempts) != 3 { // A-048 A-057 A-073
		t.Fatalf("%+v", res)
	}
	if want := filepath.Join(d.Dir, "output", "caqm_report_20251114_083000.json"); res.LocalPath != want {
		t.Error(res.LocalPath)
	}
	if !strings.HasSuffix(res.S3Path, "/lake/reports/caqm_report_20251114_083000.json") {
		t.Error(res.S3Path)
	}
	raw, err := os.ReadFile(res.LocalPath)
	if err != nil {
		t.Fatal(err)
	}
	var back legal.Report
	if err := json.Unmarshal(raw, &back); err != nil || back.ReportID != r.ReportID || back.ConfidenceScore != 100 {
		t.Errorf("%v %+v", err, back)
	}
	uploaded, err := d.Lake.Get(t.Context(), "reports/caqm_report_20251114_083000.json")
	if err != nil || !bytes.Equal(uploaded, raw) {
		t.Errorf("the object differs from the copy: %v", err)
	}
	all, err := d.recv.All()
	if err != nil || len(all) != 1 || all[0].SHA256 != res.SHA256 {
		t.Errorf("%+v, %v", all, err)
	}
	if !strings.Contains(d.log.String(), "way=caqm") || !strings.Contains(d.log.String(), "way=local") { // A-055 A-124
		t.Error(d.log.String())
	}
	again, err := d.File(t.Context(), r, text(r), both)
	if err != nil || again.Receipt.ReceiptID != res.Receipt.ReceiptID || !again.Receipt.Duplicate || again.LocalPath != res.LocalPath {
		t.Errorf("filing is not idempotent: %+v, %v", again, err)
	}
	other, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-002"), text(report(t, "CAQM-2025-11-14-002")), both)
	if err != nil || filepath.Base(other.LocalPath) != "caqm_report_20251114_083000-002.json" {
		t.Errorf("a second report of the same second: %+v, %v", other, err)
	}
}

// A server that fails some times before it passes requests on.
type flaky struct {
	fails int
	code  int
	then  http.RoundTripper
	calls int
}

func (f *flaky) RoundTrip(req *http.Request) (*http.Response, error) {
	if f.calls++; f.calls > f.fails {
		return f.then.RoundTrip(req)
	}
	if f.code == 0 {
		return nil, errors.New("no route to host")
	}
	return &http.Response{StatusCode: f.code, Body: io.NopCloser(strings.NewReader("busy")), Header: http.Header{}}, nil
}

func TestSubmissionRetries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		flaky  flaky
		calls  int
		status string
		slept  []time.Duration
	}{
		{"A-052 A-109 A-127 two retries", flaky{fails: 2, code: 503}, 3, filing.Success, []time.Duration{time.Second, 2 * time.Second}},
		{"A-052 no answer at all is asked again", flaky{fails: 1}, 2, filing.Success, []time.Duration{time.Second}},
		{"A-053 A-054 A-091 partial success after the last", flaky{fails: 9, code: 503}, 3, filing.Partial, []time.Duration{time.Second, 2 * time.Second}},
		{"a refusal is not asked again", flaky{fails: 9, code: 400}, 1, filing.Partial, nil},
		{"too many requests is", flaky{fails: 1, code: 429}, 2, filing.Success, []time.Duration{time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			f := c.flaky
			f.then = d.HTTP.Transport
			d.HTTP = &http.Client{Transport: &f}
			res, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-001"), text(report(t, "CAQM-2025-11-14-001")), both)
			if err != nil || res.Status != c.status || f.calls != c.calls || !slices.Equal(d.slept, c.slept) {
				t.Errorf("%s after %d calls and %v: %v %q", res.Status, f.calls, d.slept, err, res.Problems)
			}
			if _, err := os.Stat(res.LocalPath); err != nil {
				t.Error("there is no local copy")
			}
			if c.status == filing.Partial && (res.Receipt != nil || len(res.Problems) != 1 || !strings.Contains(d.log.String(), "level=ERROR")) {
				t.Errorf("%+v", res)
			}
		})
	}
}

// A receipt for something else is no word that the Commission has this report.
func TestReceiptForAnother(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"another report": `{"receipt_id":"R-1","report_id":"CAQM-2025-11-14-002"}`,
		"another text":   `{"receipt_id":"R-1","report_id":"CAQM-2025-11-14-001","sha256":"` + strings.Repeat("0", 64) + `"}`,
	} {
		d := newDesk(t)
		d.HTTP = &http.Client{Transport: says(answer)}
		res, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-001"), text(report(t, "CAQM-2025-11-14-001")), both)
		if err != nil || res.Receipt != nil || res.Status != filing.Partial || !strings.Contains(strings.Join(res.Problems, " "), "receipt for another report or another text (R-1") {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	d := newDesk(t)
	d.HTTP = &http.Client{Transport: says(`{"receipt_id":"R-1"}`)}
	if res, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-001"), text(report(t, "CAQM-2025-11-14-001")), both); err != nil || res.Status != filing.Success || res.Receipt.ReceiptID != "R-1" {
		t.Errorf("a receipt that names no report: %+v, %v", res, err)
	}
}

// says answers every request with 200 and a text.
type says string

func (s says) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(s))), Header: http.Header{}}, nil
}

func TestUploadFailureA127(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Lake.Open = func(context.Context, string) (*blob.Bucket, error) { return nil, errors.New("denied") }
	res, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-001"), text(report(t, "CAQM-2025-11-14-001")), both)
	if err != nil || res.Status != filing.Partial || res.S3Path != "" || res.LocalPath == "" || res.Receipt == nil {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	res, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-001"), text(report(t, "CAQM-2025-11-14-001")), filing.Options{})
	if err != nil || res.Status != filing.Success || res.LocalPath != "" || res.S3Path != "" || res.Receipt == nil {
		t.Errorf("A-045 A-046: %+v, %v", res, err)
	}
	d.HTTP = &http.Client{Transport: &flaky{fails: 9, code: 500}}
	res, err = d.File(t.Context(), report(t, "CAQM-2025-11-14-002"), text(report(t, "CAQM-2025-11-14-002")), filing.Options{})
	if err != nil || res.Status != filing.Partial || res.LocalPath == "" {
		t.Errorf("A-053: a copy is kept once something failed: %+v, %v", res, err)
	}
	bad := report(t, "CAQM-2025-11-14-003")
	bad.Recommendations = nil
	if _, err := d.File(t.Context(), bad, text(bad), both); !errors.Is(err, dossier.Invalid) {
		t.Errorf("A-122: %v", err)
	}
	bad.ReportID = "../../x"
	if _, err := d.File(t.Context(), bad, text(bad), both); !errors.Is(err, dossier.Invalid) {
		t.Errorf("A-123: %v", err)
	}
}

func TestReceiver(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	server := httptest.NewServer(d.recv.Handler())
	defer server.Close()
	d.Endpoint, d.HTTP = server.URL+"/reports", server.Client()
	good := report(t, "CAQM-2025-11-14-001")
	if res, err := d.File(t.Context(), good, text(good), filing.Options{}); err != nil || res.Status != filing.Success {
		t.Fatalf("%+v, %v", res, err)
	}
	refused := func(t *testing.T, change func(*filing.Filer), want string) {
		t.Helper()
		f := *d.Filer
		change(&f)
		res, err := f.File(t.Context(), report(t, "CAQM-2025-11-14-009"), text(report(t, "CAQM-2025-11-14-009")), filing.Options{})
		if err != nil || res.Receipt != nil || !strings.Contains(strings.Join(res.Problems, " "), want) {
			t.Errorf("%+v, %v", res, err)
		}
	}
	t.Run("a wrong token", func(t *testing.T) { refused(t, func(f *filing.Filer) { f.Token = "other" }, "401") })
	t.Run("no token", func(t *testing.T) { refused(t, func(f *filing.Filer) { f.Token = "" }, "401") })
	t.Run("a wrong key", func(t *testing.T) { refused(t, func(f *filing.Filer) { f.HMACKey = "other" }, "does not fit") })
	t.Run("an old signature", func(t *testing.T) {
		refused(t, func(f *filing.Filer) { f.Now = func() time.Time { return now.Add(-time.Hour) } }, "too far from now")
	})
	t.Run("another content under the same id", func(t *testing.T) {
		changed := good
		changed.ExecutiveSummary += " More."
		res, err := d.File(t.Context(), changed, text(changed), filing.Options{})
		if err != nil || res.Receipt != nil || !strings.Contains(res.Problems[0], "409") {
			t.Errorf("%+v, %v", res, err)
		}
	})
	get := func(path string) (int, string) {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if code, body := get("/reports/CAQM-2025-11-14-001"); code != 200 || !strings.Contains(body, "Alipur") {
		t.Error(code, body)
	}
	for _, path := range []string{"/reports/..%2f..%2fetc%2fpasswd", "/reports/..%2f..%2fetc%2fpasswd/body", "/reports/CAQM-2025-11-14-009/body"} {
		if code, _ := get(path); code != 404 {
			t.Error(path, code)
		}
	}
	t.Run("the copy is what the digest is of", func(t *testing.T) {
		spaced := report(t, "CAQM-2025-11-14-003")
		spaced.ExecutiveSummary += " <AQI & more>"
		raw, err := json.MarshalIndent(spaced, "", "   ")
		if err != nil {
			t.Fatal(err)
		}
		raw = bytes.ReplaceAll(raw, []byte(`\u003c`), []byte("<"))
		res, err := d.File(t.Context(), spaced, raw, filing.Options{})
		if err != nil || res.Receipt == nil {
			t.Fatalf("%+v, %v", res, err)
		}
		code, body := get("/reports/CAQM-2025-11-14-003/body")
		if sum := sha256.Sum256([]byte(body)); code != 200 || body != string(raw) || hex.EncodeToString(sum[:]) != res.Receipt.SHA256 {
			t.Errorf("%d %s", code, body)
		}
	})
	if code, body := get("/"); code != 200 || !strings.Contains(body, "CAQM-2025-11-14-001") {
		t.Error(code, body)
	}
}

// What the Commission's system needs to take a report once and to know whose it is
// goes with every call.
func TestWhatGoesWithASubmissionA137(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var sent http.Header
	d.HTTP = &http.Client{Transport: tap{&sent, d.HTTP.Transport}}
	res, err := d.File(t.Context(), report(t, "CAQM-2025-11-14-007"), text(report(t, "CAQM-2025-11-14-007")), both)
	if err != nil || res.Receipt == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	if sent.Get("Idempotency-Key") != "CAQM-2025-11-14-007" || sent.Get("Authorization") != "Bearer secret-token" || sent.Get("X-Timestamp") != "1763109000" || !strings.HasPrefix(sent.Get("X-Signature"), "sha256=") {
		t.Errorf("%v", sent)
	}
}

// A tap keeps the headers of the last request that goes through it.
type tap struct {
	into *http.Header
	next http.RoundTripper
}

func (p tap) RoundTrip(r *http.Request) (*http.Response, error) {
	*p.into = r.Header.Clone()
	return p.next.RoundTrip(r)
}
