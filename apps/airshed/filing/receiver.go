package filing

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dossier"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
)

// A Receiver plays the Commission's system for trials: it takes reports over HTTP,
// checks who sent them and that they are whole, keeps them as files and gives receipts.
type Receiver struct {
	Dir     string
	Token   string // "": any caller may file
	HMACKey string // "": bodies need no signature
	Now     func() time.Time
	Log     *slog.Logger

	mu sync.Mutex // one filing at a time: look, then write
}

// maxReport bounds a report's size; real ones are a hundredth of it.
const maxReport = 16 << 20

// maxSkew is how far a signature's time may be off.
const maxSkew = 5 * time.Minute

// Handler serves the receiver: POST /reports, GET /reports, GET /reports/{id},
// GET /reports/{id}/body and a page at / that lists what came in.
func (r *Receiver) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reports", r.take)
	mux.HandleFunc("GET /reports", r.list)
	mux.HandleFunc("GET /reports/{id}", r.show)
	mux.HandleFunc("GET /reports/{id}/body", r.Body)
	mux.HandleFunc("GET /{$}", r.page)
	return mux
}

func (r *Receiver) take(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxReport))
	if err != nil {
		r.refuse(w, http.StatusRequestEntityTooLarge, "The report is larger than %d MB.", maxReport>>20)
		return
	}
	if code, why := r.authorise(req, body); code != 0 {
		r.refuse(w, code, "%s", why)
		return
	}
	var report legal.Report
	if err := json.Unmarshal(body, &report); err != nil {
		r.refuse(w, http.StatusBadRequest, "The report is not JSON.")
		return
	}
	if err := report.Validate(); err != nil {
		r.refuse(w, http.StatusUnprocessableEntity, "%s", dossier.Message(err))
		return
	}
	if key := req.Header.Get("Idempotency-Key"); key != "" && key != report.ReportID {
		r.refuse(w, http.StatusUnprocessableEntity, "The Idempotency-Key is not the report's id.")
		return
	}
	receipt, code, err := r.keep(report.ReportID, body)
	switch {
	case err != nil:
		r.Log.ErrorContext(req.Context(), "receiver", "error", err)
		r.refuse(w, http.StatusInternalServerError, "The report could not be kept.")
	case code == http.StatusConflict:
		r.refuse(w, code, "%s was filed before with another content.", report.ReportID)
	default:
		r.Log.InfoContext(req.Context(), "report received", "report", report.ReportID, "receipt", receipt.ReceiptID, "duplicate", receipt.Duplicate)
		writeJSON(w, code, receipt)
	}
}

func (r *Receiver) authorise(req *http.Request, body []byte) (int, string) {
	if r.Token != "" {
		token, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(token), []byte(r.Token)) != 1 {
			return http.StatusUnauthorized, "The bearer token is missing or wrong."
		}
	}
	if r.HMACKey != "" {
		stamp := req.Header.Get("X-Timestamp")
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil || r.Now().Sub(time.Unix(seconds, 0)).Abs() > maxSkew {
			return http.StatusUnauthorized, "The X-Timestamp is missing or too far from now."
		}
		if !hmac.Equal([]byte(req.Header.Get("X-Signature")), []byte(signature(r.HMACKey, stamp, body))) {
			return http.StatusUnauthorized, "The X-Signature does not fit the body."
		}
	}
	return 0, ""
}

// A Received is a report as the receiver keeps it.
type Received struct {
	Receipt
	Report json.RawMessage `json:"report"`
}

// keep stores a report once. The same report again gives the first receipt.
func (r *Receiver) keep(id string, body []byte) (Receipt, int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	old, err := r.load(id)
	switch {
	case err == nil && old.SHA256 == digest:
		old.Duplicate = true
		return old.Receipt, http.StatusOK, nil
	case err == nil:
		return Receipt{}, http.StatusConflict, nil
	case !errors.Is(err, os.ErrNotExist):
		return Receipt{}, 0, err
	}
	receipt := Receipt{ReceiptID: "RCPT-" + digest[:12], ReportID: id, SHA256: digest, ReceivedAt: r.Now().UTC().Truncate(time.Second)}
	raw, err := json.Marshal(Received{receipt, body})
	if err != nil {
		return Receipt{}, 0, fmt.Errorf("encode filed report: %w", err)
	}
	if err := lake.WriteFile(r.bodyPath(id), body); err != nil {
		return Receipt{}, 0, err
	}
	return receipt, http.StatusCreated, lake.WriteFile(r.path(id), raw)
}

// path is where the record of a report is: the receipt and the report as it reads.
func (r *Receiver) path(id string) string { return filepath.Join(r.Dir, id+".json") }

// bodyPath is where the report is as it came, byte for byte: what the receipt's digest
// is of.
func (r *Receiver) bodyPath(id string) string { return filepath.Join(r.Dir, id+".body") }

func (r *Receiver) load(id string) (Received, error) {
	var f Received
	if !legal.ValidID(id) {
		return f, os.ErrNotExist
	}
	raw, err := os.ReadFile(r.path(id))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(raw, &f)
}

// Get returns the receiver's copy of a report.
func (r *Receiver) Get(id string) (Received, error) {
	f, err := r.load(id)
	if errors.Is(err, os.ErrNotExist) {
		return f, dossier.Errorf(dossier.NotFound, "The receiver holds no report %s.", id)
	}
	return f, err
}

// All returns the receipts of everything received, newest first.
func (r *Receiver) All() ([]Receipt, error) {
	names, err := filepath.Glob(filepath.Join(r.Dir, "CAQM-*.json"))
	if err != nil {
		return nil, err
	}
	out := []Receipt{}
	for _, n := range names {
		f, err := r.load(strings.TrimSuffix(filepath.Base(n), ".json"))
		if err != nil {
			return nil, err
		}
		out = append(out, f.Receipt)
	}
	slices.SortFunc(out, func(a, b Receipt) int {
		if c := b.ReceivedAt.Compare(a.ReceivedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ReportID, a.ReportID)
	})
	return out, nil
}

func (r *Receiver) list(w http.ResponseWriter, req *http.Request) {
	all, err := r.All()
	if err != nil {
		r.Log.ErrorContext(req.Context(), "receiver", "error", err)
		r.refuse(w, http.StatusInternalServerError, "The reports could not be listed.")
		return
	}
	writeJSON(w, http.StatusOK, all)
}

func (r *Receiver) show(w http.ResponseWriter, req *http.Request) {
	f, err := r.load(req.PathValue("id"))
	if err != nil {
		r.refuse(w, http.StatusNotFound, "There is no such report.")
		return
	}
	writeJSON(w, http.StatusOK, f)
}

// Body serves a report as it came, so that anyone can make the receipt's digest of it.
func (r *Receiver) Body(w http.ResponseWriter, req *http.Request) {
	id := req.PathValue("id")
	if _, err := r.load(id); err != nil {
		r.refuse(w, http.StatusNotFound, "There is no such report.")
		return
	}
	body, err := os.ReadFile(r.bodyPath(id))
	if err != nil {
		r.refuse(w, http.StatusNotFound, "The report %s was received before copies were kept byte for byte. Its record is at /reports/%s.", id, id)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the caller has gone if this fails
}

var page = template.Must(template.New("receiver").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Received reports</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #ccc}code{font-size:.85em}</style>
<h1>Received reports</h1><p>A trial receiver. Nothing here reached the Commission.</p>
<table><tr><th>Report<th>Receipt<th>Received<th>SHA-256</tr>{{range .}}<tr><td><a href="/reports/{{.ReportID}}">{{.ReportID}}</a><td>{{.ReceiptID}}<td>{{.ReceivedAt.Format "2 January 2006 15:04 MST"}}<td><a href="/reports/{{.ReportID}}/body"><code>{{slice .SHA256 0 16}}…</code></a></tr>{{else}}<tr><td colspan="4">None yet.</tr>{{end}}</table></html>`))

func (r *Receiver) page(w http.ResponseWriter, req *http.Request) {
	all, err := r.All()
	if err != nil {
		http.Error(w, "The reports could not be listed.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := page.Execute(w, all); err != nil {
		r.Log.ErrorContext(req.Context(), "receiver", "error", err)
	}
}

func (r *Receiver) refuse(w http.ResponseWriter, code int, format string, args ...any) {
	writeJSON(w, code, struct {
		Error string `json:"error"`
	}{fmt.Sprintf(format, args...)})
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the caller has gone if this fails
}
