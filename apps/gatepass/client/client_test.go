package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)

// start returns a client of a server that runs h, and the waits the client made.
func start(t *testing.T, h http.HandlerFunc) (*Client, *[]time.Duration) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return newClient(t, s.URL)
}

func newClient(t *testing.T, base string) (*Client, *[]time.Duration) {
	t.Helper()
	c, err := New(base, 0, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	waits := &[]time.Duration{}
	c.Sleep = func(_ context.Context, d time.Duration) error { *waits = append(*waits, d); return nil }
	n := 0
	c.NewKey = func() string { n++; return fmt.Sprintf("key-%d", n) }
	return c, waits
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "gate.example.org", "ftp://host", "http://", "http://h?x=1", "://"} {
		if _, err := New(base, 0, nil); err == nil {
			t.Errorf("G-054 New(%q) is accepted", base)
		}
	}
	c, err := New("http://host/", 0, nil)
	if err != nil || c.Base != "http://host" {
		t.Errorf("G-054 New: %v %v", c, err)
	}
	if DefaultTimeout != 30*time.Second {
		t.Errorf("G-054 the default time-out is %v", DefaultTimeout)
	}
}

func TestSuccess(t *testing.T) {
	t.Parallel()
	c, waits := start(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q,"query":%q,"auth":%q}`, r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"))
	})
	c.Authorize = func(_ context.Context, r *http.Request) error { r.Header.Set("Authorization", "Bearer x"); return nil }
	res := c.Do(t.Context(), Request{Method: "GET", Endpoint: "/hr/gatepass/list", Params: url.Values{"status": {"pending"}}})
	var got struct{ Path, Query, Auth string }
	if err := res.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !res.Success || res.StatusCode != 200 || res.Error != "" || res.Tries != 1 || len(*waits) != 0 {
		t.Errorf("G-055 response: %+v", res)
	}
	if got.Path != "/hr/gatepass/list" || got.Query != "status=pending" || got.Auth != "Bearer x" {
		t.Errorf("G-055 request: %+v", got)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method string
		status []int // of each try; the last one repeats
		tries  int
		ok     bool
	}{
		{"G-090 three more tries", "GET", []int{503}, 4, false},
		{"G-090 heals", "GET", []int{502, 504, 200}, 3, true},
		{"G5 a post heals too", "POST", []int{503, 200}, 2, true},
		{"G5 500 is not repeated", "GET", []int{500}, 1, false},
		{"G5 422 is not repeated", "POST", []int{422}, 1, false},
		{"G5 404 is not repeated", "GET", []int{404}, 1, false},
		{"G5 429 is not repeated", "GET", []int{429}, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			keys := make(chan string, 8)
			bodies := make(chan string, 8)
			c, waits := start(t, func(w http.ResponseWriter, r *http.Request) {
				i := int(n.Add(1)) - 1
				b, _ := io.ReadAll(r.Body)
				keys <- r.Header.Get("Idempotency-Key")
				bodies <- string(b)
				w.WriteHeader(tt.status[min(i, len(tt.status)-1)])
			})
			var retries []Retry
			c.OnRetry = func(_ context.Context, r Retry) { retries = append(retries, r) }
			res := c.Do(t.Context(), Request{Method: tt.method, Endpoint: "/x", JSON: map[string]string{"a": "b"}})
			if res.Success != tt.ok || res.Tries != tt.tries || int(n.Load()) != tt.tries {
				t.Errorf("got %v after %d tries (%d seen), want %v after %d", res.Success, res.Tries, n.Load(), tt.ok, tt.tries)
			}
			if want := Waits[:tt.tries-1]; !cmp.Equal(*waits, append([]time.Duration{}, want...)) {
				t.Errorf("waits %v, want %v", *waits, want)
			}
			if len(retries) != tt.tries-1 {
				t.Errorf("G-097 told of %d retries, want %d", len(retries), tt.tries-1)
			}
			for i, r := range retries {
				want := fmt.Sprintf("The gate pass service does not work just now; trying again in %d s (%d of 3).", []int{2, 4, 8}[i], i+1)
				if r.String() != want {
					t.Errorf("G-097 people are told %q, want %q", r, want)
				}
			}
			want := ""
			if tt.method == "POST" {
				want = "key-1"
			}
			for range tt.tries {
				if k, b := <-keys, <-bodies; k != want || b != `{"a":"b"}` {
					t.Errorf("G7 a try carried key %q and body %q", k, b)
				}
			}
			if !tt.ok && tt.tries == 4 && !strings.HasPrefix(res.Info.Guidance, "I tried 4 times.") {
				t.Errorf("G-091 guidance: %q", res.Info.Guidance)
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	t.Run("G-081 timeout", func(t *testing.T) {
		t.Parallel()
		block := make(chan struct{})
		c, waits := start(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-block:
			case <-r.Context().Done():
			}
		})
		t.Cleanup(func() { close(block) })
		c.Timeout = 20 * time.Millisecond
		res := c.Do(t.Context(), Request{Method: "GET", Endpoint: "/slow"})
		if res.Info == nil || res.Info.Type != Timeout || len(*waits) != 3 || !strings.Contains(res.Info.Guidance, "did not answer within 20ms") {
			t.Errorf("got %+v, waits %v", res.Info, *waits)
		}
	})
	t.Run("G-082 refused", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		base := "http://" + l.Addr().String()
		l.Close()
		c, waits := newClient(t, base)
		res := c.Do(t.Context(), Request{Method: "GET", Endpoint: "/"})
		if res.Info == nil || res.Info.Type != Refused || !res.Info.Retry || len(*waits) != 3 || !strings.Contains(res.Info.Guidance, "try again") {
			t.Errorf("got %+v, waits %v", res.Info, *waits)
		}
	})
	t.Run("G-083 dns", func(t *testing.T) {
		t.Parallel()
		c, waits := newClient(t, "http://gate.invalid")
		c.HTTP = &http.Client{Transport: failing{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "gate.invalid", IsNotFound: true}}}}
		res := c.Do(t.Context(), Request{Method: "GET", Endpoint: "/"})
		if res.Info == nil || res.Info.Type != DNS || res.Info.Retry || len(*waits) != 0 || !strings.Contains(res.Info.Guidance, "gate.invalid") {
			t.Errorf("got %+v, waits %v", res.Info, *waits)
		}
	})
	t.Run("G-089 broken connection", func(t *testing.T) {
		t.Parallel()
		c, waits := newClient(t, "http://host")
		c.HTTP = &http.Client{Transport: failing{errors.New("connection reset")}}
		res := c.Do(t.Context(), Request{Method: "GET", Endpoint: "/"})
		if res.Info == nil || res.Info.Type != Network || len(*waits) != 0 {
			t.Errorf("got %+v, waits %v", res.Info, *waits)
		}
	})
	t.Run("a caller that goes away stops the tries", func(t *testing.T) {
		t.Parallel()
		c, _ := start(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		c.Sleep = func(context.Context, time.Duration) error { return context.Canceled }
		if res := c.Do(t.Context(), Request{Method: "GET", Endpoint: "/"}); res.Tries != 1 || res.Success {
			t.Errorf("tries %d", res.Tries)
		}
	})
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestLogged(t *testing.T) {
	t.Parallel()
	c, _ := start(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	var b strings.Builder
	c.Log = slog.New(slog.NewJSONHandler(&b, nil))
	c.Do(t.Context(), Request{Method: "GET", Endpoint: "/hr/gatepass/list"})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("G-092 %d lines, want 4", len(lines))
	}
	var l struct {
		At       time.Time
		Endpoint string
		Try      int
		Status   int
	}
	if err := json.Unmarshal([]byte(lines[3]), &l); err != nil || !l.At.Equal(at) || l.Endpoint != "/hr/gatepass/list" || l.Try != 4 || l.Status != 503 {
		t.Errorf("G-092 line: %+v %v", l, err)
	}
}

func TestHandleError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   ErrorType
		retry  bool
		says   []string
	}{
		{"G-076 400", 400, `{}`, BadRequest, true, []string{"did not understand"}},
		{"G9 401", 401, `{"detail":"nobody is signed in"}`, NotSignedIn, false, []string{"Sign in"}},
		{
			"G-077 G-096 wrong state", 403,
			`{"detail":"no","identifier":"GP-2026-0012","state":"exited","allowed_operations":["return"],"allowed_from":["approved"],"first_exit":"2026-11-16T08:30:00Z"}`,
			WrongState, false,
			[]string{"GP-2026-0012 is exited now", "went out on 16 November 2026 at 08:30", "only while a pass is approved", "can be done with it now: return"},
		},
		{"G-096 nothing is possible", 403, `{"state":"deleted"}`, WrongState, false, []string{"Nothing more can be done"}},
		{"G-160 wrong role", 403, `{"detail":"no","required_role":"gate"}`, WrongRole, false, []string{"different permissions", "gate"}},
		{"G-160 wrong role, unnamed", 403, `{}`, WrongRole, false, []string{"right permissions"}},
		{"G-078 G-095 404", 404, `{"identifier":"GP-2026-0099"}`, NotFound, true, []string{"GP-2026-0099", "typing error", "list the passes", "search"}},
		{"409", 409, `{}`, Conflict, true, []string{"Look at the pass again"}},
		{"413", 413, ``, TooLarge, true, []string{"lower resolution"}},
		{
			"G-079 G-094 422", 422, `{"errors":[{"field":"person_name","message":"must not be empty"},{"field":"return_by","message":"must lie in the future"}]}`,
			Validation, true,
			[]string{"The person's name must not be empty (for example Ravi Kumar)", "the time of return must lie in the future", "try again"},
		},
		{"422 without detail", 422, `{}`, Validation, true, []string{"not valid"}},
		{"429", 429, `{}`, TooMany, true, []string{"Wait a minute"}},
		{"G-080 500", 500, `not json`, ServerError, true, []string{"error of its own"}},
		{"503", 503, ``, Unavailable, true, []string{"not available"}},
		{"a teapot", 418, ``, BadRequest, false, []string{"refused"}},
	}
	for _, tt := range tests {
		got := HandleError(tt.status, []byte(tt.body))
		if got.Type != tt.want || got.Retry != tt.retry || got.Message == "" {
			t.Errorf("%s: got %s, retry %v, message %q", tt.name, got.Type, got.Retry, got.Message)
		}
		for _, s := range tt.says {
			if !strings.Contains(got.Guidance, s) {
				t.Errorf("%s: guidance %q does not say %q", tt.name, got.Guidance, s)
			}
		}
	}
	raw, err := json.Marshal(HandleError(422, []byte(`{"errors":[{"field":"person_name","message":"must not be empty"}]}`)))
	want := `{"error_type":"validation","error_message":"the API answered 422 Unprocessable Entity","user_guidance":"The person's name must not be empty (for example Ravi Kumar). Tell me the right value and I will try again.","retry_possible":true,"related_context":{"parameter":"person_name","rule":"must not be empty","status":422}}`
	if err != nil || string(raw) != want {
		t.Errorf("G-065 ErrorInfo as JSON:\n%s\nwant\n%s", raw, want)
	}
}

func TestClientErrors(t *testing.T) {
	t.Parallel()
	if e := MissingParameter("pass_number"); e.Type != Missing || e.Guidance != "I still need the pass number (for example GP-2026-0012)." || e.Context.Parameter != "pass_number" {
		t.Errorf("G-086 %+v", e)
	}
	if e := UnknownRole("chef", []string{"hr", "admin", "gate"}); e.Type != InvalidRole || e.Guidance != `There is no role "chef". Use one of hr, admin or gate.` {
		t.Errorf("G-087 %+v", e)
	}
}

func TestMultipart(t *testing.T) {
	t.Parallel()
	c, _ := start(t, func(w http.ResponseWriter, r *http.Request) {
		f, h, err := r.FormFile("photo")
		if err != nil {
			w.WriteHeader(400)
			return
		}
		b, _ := io.ReadAll(f)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"number":%q,"name":%q,"mime":%q,"data":%q}`, r.FormValue("pass_number"), h.Filename, h.Header.Get("Content-Type"), b)
	})
	res := c.Do(t.Context(), Request{
		Method: "POST", Endpoint: "/gate/scan-exit", Fields: map[string]string{"pass_number": "GP-2026-0012"},
		Files: []File{{"photo", `a"b.jpg`, "image/jpeg", []byte("bytes")}},
	})
	var got struct{ Number, Name, Mime, Data string }
	if err := res.Decode(&got); err != nil {
		t.Fatalf("G-099 %v %+v", err, res)
	}
	if got.Number != "GP-2026-0012" || got.Name != `a"b.jpg` || got.Mime != "image/jpeg" || got.Data != "bytes" {
		t.Errorf("G-099 multipart: %+v", got)
	}
}
