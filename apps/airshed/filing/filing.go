// Package filing brings a finished report out of the house: to a file, to the object
// store and to the Commission, in that order, and tells what became of each.
//
// A [Filer] keeps a local copy before it tries anything that can fail, so that a
// report is never lost to a network. Filing is idempotent by report id: the Commission
// is told the id and a digest, and asking twice gives the first receipt again. The
// [Receiver] is the other end for trials: what it demands of a filing is what a Filer
// sends.
package filing

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
)

// The outcomes of a filing.
const (
	Success = "success"
	Partial = "partial_success" // the copy is safe, but not every way out worked
	Failed  = "error"           // not even a copy could be kept
)

// A Filer files reports.
type Filer struct {
	Dir      string     // reports are kept in its folder "output"
	Lake     *lake.Lake // nil: there is no object store to upload to
	Prefix   string     // of the uploaded objects: "reports/"
	Endpoint string     // the Commission's address
	Token    string     // bearer token; "": none is sent
	HMACKey  string     // signs the body; "": no signature is sent
	Retries  int        // of the submission, after the first call
	Base     time.Duration
	HTTP     *http.Client
	Sleep    func(context.Context, time.Duration) error
	Now      func() time.Time
	Log      *slog.Logger

	// First reports whether no earlier report was made in the same second.
	First func(context.Context, legal.Report) (bool, error)
}

// Options say which ways out to take.
type Options struct {
	SaveLocal bool
	Upload    bool
}

// A Result says what became of a filing.
type Result struct {
	Status    string    `json:"status"`
	ReportID  string    `json:"report_id"`
	LocalPath string    `json:"local_path"`
	S3Path    string    `json:"s3_path"`
	Timestamp time.Time `json:"timestamp"`
	Receipt   *Receipt  `json:"receipt"` // nil: the Commission did not take it
	SHA256    string    `json:"sha256"`  // of the filed text
	Attempts  []Attempt `json:"attempts"`
	Problems  []string  `json:"problems"`
}

// An Attempt is one try at one way out, for the audit trail.
type Attempt struct {
	Way     string    `json:"way"` // "local", "object_store", "caqm"
	At      time.Time `json:"at"`
	OK      bool      `json:"ok"`
	Failure string    `json:"failure,omitempty"`
}

// A Receipt is the Commission's word that it has a report.
type Receipt struct {
	ReceiptID  string    `json:"receipt_id"`
	ReportID   string    `json:"report_id"`
	SHA256     string    `json:"sha256"`
	ReceivedAt time.Time `json:"received_at"`
	Duplicate  bool      `json:"duplicate"` // it had the report already
}

// Attested is what is known of a filing that was interrupted and that a person says was
// done: the copy is kept, and there is no receipt.
func (f *Filer) Attested(ctx context.Context, r legal.Report, body []byte, word string) (Result, error) {
	res, name, err := f.begin(ctx, r, body)
	if err != nil {
		return Result{}, err
	}
	f.keep(ctx, &res, name, body)
	res.Problems = append(res.Problems, "The filing was interrupted and no receipt came back. "+word)
	res.Status = Partial
	return res, nil
}

// begin makes the result of a filing of which nothing is done yet, and the name of the
// report's file.
func (f *Filer) begin(ctx context.Context, r legal.Report, body []byte) (Result, string, error) {
	if err := r.Validate(); err != nil {
		return Result{}, "", err
	}
	sum := sha256.Sum256(body)
	res := Result{ReportID: r.ReportID, Timestamp: f.Now().UTC().Truncate(time.Second), SHA256: hex.EncodeToString(sum[:]), Attempts: []Attempt{}, Problems: []string{}}
	name, err := f.fileName(ctx, r)
	return res, name, err
}

// File files a report, of which body is the text: exactly those bytes leave the house.
// It returns no error for a way out that failed: the result says so, and keeps the
// report's copy in any case.
func (f *Filer) File(ctx context.Context, r legal.Report, body []byte, opt Options) (Result, error) {
	res, name, err := f.begin(ctx, r, body)
	if err != nil {
		return Result{}, err
	}
	if opt.SaveLocal {
		f.keep(ctx, &res, name, body)
	}
	if opt.Upload && f.Lake != nil {
		f.upload(ctx, &res, name, body)
	}
	f.submit(ctx, &res, body)
	if res.LocalPath == "" && len(res.Problems) > 0 {
		f.keep(ctx, &res, name, body) // a copy is kept whatever was asked, once something failed
	}
	switch {
	case len(res.Problems) == 0:
		res.Status = Success
	case res.LocalPath != "":
		res.Status = Partial
	default:
		res.Status = Failed
	}
	f.Log.InfoContext(ctx, "report filed", "report", r.ReportID, "status", res.Status, "local", res.LocalPath, "object", res.S3Path, "receipt", res.Receipt != nil, "problems", res.Problems)
	return res, nil
}

// fileName returns the report's file name: by its time, and by its number too where
// an earlier report of the same second has the name. It rests on records and not on
// what is in the folder: other machines file to the same object store.
func (f *Filer) fileName(ctx context.Context, r legal.Report) (string, error) {
	stem := "caqm_report_" + r.Timestamp.UTC().Format("20060102_150405")
	if !legal.ValidID(r.ReportID) { // the number becomes part of a path
		return "", dossier.Errorf(dossier.Invalid, "%q is not the id of a report.", r.ReportID)
	}
	if first, err := f.First(ctx, r); err != nil || first {
		return stem + ".json", err
	}
	return stem + r.ReportID[strings.LastIndex(r.ReportID, "-"):] + ".json", nil
}

func (f *Filer) keep(ctx context.Context, res *Result, name string, body []byte) {
	path := filepath.Join(f.Dir, "output", name)
	err := lake.WriteFile(path, body)
	if f.note(ctx, res, "local", "The local copy could not be written", err) {
		res.LocalPath = path
	}
}

func (f *Filer) upload(ctx context.Context, res *Result, name string, body []byte) {
	var path string
	err := f.Lake.Try(ctx, "upload", f.Lake.Retries, func() error {
		var err error
		path, err = f.Lake.Put(ctx, f.Prefix+name, "application/json", body)
		return err
	})
	if f.note(ctx, res, "object_store", "The report could not be uploaded to "+f.Lake.Place(), err) {
		res.S3Path = path
	}
}

// submit posts the report to the Commission, again after a pause while that can help.
func (f *Filer) submit(ctx context.Context, res *Result, body []byte) {
	pause := f.Base
	for attempt := 0; ; attempt++ {
		receipt, again, err := f.post(ctx, res.ReportID, body)
		if err == nil {
			res.Receipt = &receipt
			f.note(ctx, res, "caqm", "", nil)
			return
		}
		last := !again || attempt == f.Retries
		if !last {
			res.Attempts = append(res.Attempts, Attempt{"caqm", f.Now().UTC(), false, dossier.Message(err)})
			f.Log.WarnContext(ctx, "submission failed", "report", res.ReportID, "attempt", attempt+1, "of", f.Retries+1, "error", err)
			last = f.Sleep(ctx, pause) != nil
			pause *= 2
		}
		if last {
			f.note(ctx, res, "caqm", "The Commission did not take the report", err)
			return
		}
	}
}

func (f *Filer) note(ctx context.Context, res *Result, way, what string, err error) bool {
	a := Attempt{Way: way, At: f.Now().UTC(), OK: err == nil}
	if err != nil {
		a.Failure = dossier.Message(err)
		res.Problems = append(res.Problems, what+": "+a.Failure)
		f.Log.ErrorContext(ctx, "filing", "report", res.ReportID, "way", way, "error", err)
	} else {
		f.Log.InfoContext(ctx, "filing", "report", res.ReportID, "way", way)
	}
	res.Attempts = append(res.Attempts, a)
	return err == nil
}

// post makes one call. again says whether another one could end better.
func (f *Filer) post(ctx context.Context, id string, body []byte) (r Receipt, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.Endpoint, bytes.NewReader(body))
	if err != nil {
		return Receipt{}, false, dossier.Errorf(dossier.Invalid, "The Commission's address %q is not an address.", f.Endpoint).Because(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", id)
	if f.Token != "" {
		req.Header.Set("Authorization", "Bearer "+f.Token)
	}
	if f.HMACKey != "" {
		stamp := strconv.FormatInt(f.Now().Unix(), 10)
		req.Header.Set("X-Timestamp", stamp)
		req.Header.Set("X-Signature", signature(f.HMACKey, stamp, body))
	}
	resp, err := f.HTTP.Do(req)
	if err != nil {
		return Receipt{}, true, dossier.Errorf(dossier.Unavailable, "The Commission's system did not answer.").Because(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return Receipt{}, true, dossier.Errorf(dossier.Unavailable, "The Commission's answer broke off.").Because(err)
	}
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		if err := json.Unmarshal(text, &r); err != nil || r.ReceiptID == "" {
			return Receipt{}, true, dossier.Errorf(dossier.Unavailable, "The Commission's system answered %d without a receipt.", code).Because(err)
		}
		if sum := sha256.Sum256(body); r.ReportID != "" && r.ReportID != id || r.SHA256 != "" && !strings.EqualFold(r.SHA256, hex.EncodeToString(sum[:])) {
			return Receipt{}, false, dossier.Errorf(dossier.Unavailable, "The Commission's system answered with a receipt for another report or another text (%s, %s). Ask it what it has.", clip(r.ReceiptID), clip(r.ReportID))
		}
		return r, false, nil
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500:
		return Receipt{}, true, dossier.Errorf(dossier.Unavailable, "The Commission's system answered %d.", code)
	default:
		return Receipt{}, false, dossier.Errorf(dossier.Invalid, "The Commission's system refused the report with %d: %s", code, clip(string(text)))
	}
}

// signature signs a body at a time, so that neither can be changed or sent again later.
func signature(key, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
