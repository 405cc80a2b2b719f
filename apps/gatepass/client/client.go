// Package client speaks to a Gate Pass API over HTTP, this product's own or a remote
// one.
//
// It does what every caller would otherwise do by hand: addresses, authentication, a
// time-out for each try, a first try and up to three more for failures that pass by
// themselves, multipart uploads, and one idempotency key for all tries of a change,
// so that an answer lost on the way never makes a second pass or a second scan.
// Whatever goes wrong comes back as an [ErrorInfo] that says what happened and what
// to do now. The package knows nothing of conversations, roles or states beyond what
// the API says.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"dossier"
)

// DefaultTimeout bounds one try.
const DefaultTimeout = 30 * time.Second

// Waits are the pauses before the second, third and fourth try.
var Waits = []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}

// maxBody bounds what is read of an answer.
const maxBody = 32 << 20

// A Client sends requests to one API. The zero Timeout means DefaultTimeout. It is
// safe for concurrent use.
type Client struct {
	Base    string // "https://gate.example.org", without a final slash
	Timeout time.Duration
	HTTP    *http.Client

	// Authorize adds credentials to a request. Nil: none.
	Authorize func(context.Context, *http.Request) error
	// Sleep waits between tries and returns early with an error when ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// NewKey makes an idempotency key for a change that brings none.
	NewKey func() string
	// OnRetry is told before each wait that the request will be sent again. Nil: nobody is.
	OnRetry func(ctx context.Context, r Retry)
	Log     *slog.Logger
	Now     func() time.Time
}

// A Retry says that a try failed and that another follows.
type Retry struct {
	Method, Endpoint string
	Try              int // the one that failed, from 1
	Wait             time.Duration
	Why              ErrorInfo
	At               time.Time
}

// String says for people what went wrong and when the next try is.
func (r Retry) String() string {
	what := "does not work just now"
	switch r.Why.Type {
	case Timeout:
		what = "did not answer in time"
	case Refused:
		what = "cannot be reached"
	}
	return fmt.Sprintf("The gate pass service %s; trying again in %d s (%d of %d).", what, int(r.Wait.Seconds()), r.Try, len(Waits))
}

// New returns a client for the API at base, which must be an http or https address.
// now is the clock of its log.
func New(base string, timeout time.Duration, now func() time.Time) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, dossier.Errorf(dossier.Invalid, "The address of the Gate Pass API, %q, is not one. Write it as https://host, with no query.", base)
	}
	if timeout < 0 {
		return nil, dossier.Errorf(dossier.Invalid, "The time-out of the Gate Pass API must not be negative.")
	}
	return &Client{
		Base: strings.TrimRight(base, "/"), Timeout: timeout, HTTP: http.DefaultClient, Sleep: sleep, Now: now,
		Log: slog.New(slog.DiscardHandler),
	}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A Request is one operation of the API.
type Request struct {
	Method   string // GET or POST
	Endpoint string // path from the base, "/hr/gatepass/list"
	Params   url.Values
	JSON     any               // the body, if not nil
	Fields   map[string]string // multipart fields, with Files
	Files    []File
	Key      string // idempotency key of a POST; "" makes one
}

// A File is one file of a multipart request.
type File struct {
	Field, Name, MIME string
	Data              []byte
}

// A Response is the API's answer, or why there is none.
type Response struct {
	Success    bool            `json:"success"`
	StatusCode int             `json:"status_code"` // 0: no answer came
	Data       json.RawMessage `json:"data,omitempty"`
	Error      string          `json:"error,omitempty"`

	Info  *ErrorInfo `json:"-"` // nil when Success
	Type  string     `json:"-"` // content type
	Body  []byte     `json:"-"` // as it came, for pictures and documents
	Tries int        `json:"-"`
}

// Decode reads the data of a successful response into v.
func (r Response) Decode(v any) error {
	if err := json.Unmarshal(r.Data, v); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The Gate Pass API answered something this client does not understand.").Because(err)
	}
	return nil
}

// Do sends r, again if the failure may pass by itself, and returns what came of it.
func (c *Client) Do(ctx context.Context, r Request) Response {
	body, contentType, err := r.encode()
	if err != nil {
		return failed(0, ErrorInfo{Type: BadRequest, Message: err.Error(), Guidance: "The request could not be written down. Check what you entered and try again."})
	}
	if r.Method == http.MethodPost && r.Key == "" && c.NewKey != nil {
		r.Key = c.NewKey()
	}
	for try := 1; ; try++ {
		res := c.once(ctx, r, body, contentType)
		res.Tries = try
		if res.Success {
			return res
		}
		c.Log.WarnContext(ctx, "gate pass api", "method", r.Method, "endpoint", r.Endpoint, "try", try,
			"status", res.StatusCode, "type", res.Info.Type, "err", res.Info.Message, "at", c.Now().UTC())
		if !repeatable(res) || try > len(Waits) || ctx.Err() != nil {
			res.giveUp()
			return res
		}
		wait := Waits[try-1]
		if c.OnRetry != nil {
			c.OnRetry(ctx, Retry{r.Method, r.Endpoint, try, wait, *res.Info, c.Now()})
		}
		if c.Sleep(ctx, wait) != nil {
			res.giveUp()
			return res
		}
	}
}

// repeatable reports whether a failure may pass by itself: time-outs, refused
// connections and the three answers of a server that is not there.
func repeatable(r Response) bool {
	switch r.StatusCode {
	case 0:
		return r.Info.Type == Timeout || r.Info.Type == Refused
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// giveUp tells how often the request was tried.
func (r *Response) giveUp() {
	if r.Tries > 1 {
		r.Info.Context.Tries = r.Tries
		r.Info.Guidance = fmt.Sprintf("I tried %d times. %s", r.Tries, r.Info.Guidance)
	}
	r.Error = r.Info.Message
}

func (c *Client) once(ctx context.Context, r Request, body []byte, contentType string) Response {
	limit := c.Timeout
	if limit == 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	address := c.Base + r.Endpoint
	if len(r.Params) > 0 {
		address += "?" + r.Params.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(body))
	if err != nil {
		return failed(0, networkInfo(err, limit))
	}
	req.Header.Set("Accept", "application/json, image/png, application/pdf")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if r.Method == http.MethodPost && r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	if c.Authorize != nil {
		if err := c.Authorize(ctx, req); err != nil {
			return failed(0, ErrorInfo{Type: NotSignedIn, Message: err.Error(), Guidance: "Sign in again and repeat the request."})
		}
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return failed(0, networkInfo(err, limit))
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return failed(0, networkInfo(err, limit))
	}
	if len(raw) > maxBody {
		return failed(resp.StatusCode, ErrorInfo{Type: ServerError, Message: "the answer is too large", Guidance: "Ask for fewer passes at a time."})
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		out := Response{Success: true, StatusCode: resp.StatusCode, Type: resp.Header.Get("Content-Type"), Body: raw}
		if strings.HasPrefix(out.Type, "application/json") {
			out.Data = raw
		}
		return out
	}
	return failed(resp.StatusCode, HandleError(resp.StatusCode, raw))
}

func failed(status int, info ErrorInfo) Response {
	return Response{StatusCode: status, Info: &info, Error: info.Message}
}

// encode writes the body once, so that every try sends the same bytes.
func (r Request) encode() ([]byte, string, error) {
	switch {
	case len(r.Files) > 0:
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for _, name := range sortedKeys(r.Fields) {
			if err := w.WriteField(name, r.Fields[name]); err != nil {
				return nil, "", err
			}
		}
		for _, f := range r.Files {
			h := textproto.MIMEHeader{}
			h.Set("Content-Disposition", multipart.FileContentDisposition(f.Field, f.Name))
			h.Set("Content-Type", f.MIME)
			part, err := w.CreatePart(h)
			if err != nil {
				return nil, "", err
			}
			if _, err := part.Write(f.Data); err != nil {
				return nil, "", err
			}
		}
		if err := w.Close(); err != nil {
			return nil, "", err
		}
		return b.Bytes(), w.FormDataContentType(), nil
	case r.JSON != nil:
		raw, err := json.Marshal(r.JSON)
		return raw, "application/json", err
	}
	return nil, "", nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
