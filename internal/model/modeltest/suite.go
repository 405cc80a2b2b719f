// Package modeltest holds the suite that every provider passes. The provider talks to
// a server in the test process that answers with recorded bodies of its vendor's
// protocol, keys scrubbed, so that nothing leaves the machine.
//
// A [Wire] is one vendor's protocol: the bodies of each situation. The suite puts the
// same conversation to every wire and asserts the same replies, and the same
// behaviour when answers are malformed, cut short, refused, late or missing.
package modeltest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/model"
)

// Key is the API key that the suite uses. It must never appear in an error.
const Key = "sk-test-do-not-show"

// A Wire is a vendor's protocol in each situation of the suite.
type Wire struct {
	Text      string                  // says "Hello."; 7 tokens in, 2 out
	Calls     string                  // calls look {"name":"a"} and look {"name":"b"} in one turn
	CutShort  string                  // stopped at the token limit
	Refused   string                  // stopped by a filter
	NoUsage   string                  // says "Hello." and reports no tokens
	Error     func(status int) string // the body of an error
	Stream    string                  // "Hel" and "lo." as server-sent events
	Truncated string                  // a stream that ends in the middle
}

// Options are what the suite needs to make a provider.
type Options struct {
	URL     string
	Sleep   func(context.Context, time.Duration) error
	Timeout time.Duration // of one try
	Retries int           // after the first try; negative: none
}

// An answer is what the server says to one request.
type answer struct {
	status int
	header http.Header
	body   string
	hang   bool
}

// A server answers in turn and keeps what it was asked.
type server struct {
	mu      sync.Mutex
	answers []answer
	asked   []string
	waits   []time.Duration
	url     string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, string(body))
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	if a.hang {
		<-r.Context().Done()
		return
	}
	for k, v := range a.header {
		w.Header()[k] = v
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.body)
}

func (s *server) sleep(_ context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, d)
	return nil
}

func serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	s := &server{answers: answers}
	hs := httptest.NewServer(s)
	t.Cleanup(hs.Close)
	s.url = hs.URL
	return s
}

var lookTool = model.ToolSpec{
	Name: "look", Doc: "Looks.",
	Input: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
}

// conversation is a transcript with a prompt that holds braces, an image, a call and
// what it came back with.
func conversation() *model.Request {
	return &model.Request{
		System: "You test. A literal {} stays.",
		Messages: []model.Message{
			{From: model.User, Parts: []model.Part{model.Text("first question"), model.Image{MIME: "image/png", Data: []byte("png-bytes")}}},
			{From: model.Assistant, Parts: []model.Part{model.Call{ID: "c1", Tool: "look", Args: json.RawMessage(`{"name":"x"}`)}}},
			{From: model.User, Parts: []model.Part{model.Return{ID: "c1", Tool: "look", Value: json.RawMessage(`{"heard":"marker-of-return"}`)}}},
		},
		Tools: []model.ToolSpec{lookTool},
	}
}

// Run puts the suite to the provider that mk makes.
func Run(t *testing.T, w Wire, mk func(t *testing.T, o Options) model.Model) {
	t.Helper()
	open := func(t *testing.T, answers ...answer) (model.Model, *server) {
		t.Helper()
		s := serve(t, answers...)
		return mk(t, Options{URL: s.url, Sleep: s.sleep, Timeout: 10 * time.Second}), s
	}
	t.Run("text and usage", func(t *testing.T) { t.Parallel(); text(t, w, open) })
	t.Run("an answer in a form", func(t *testing.T) { t.Parallel(); form(t, w, open) })
	t.Run("parallel calls", func(t *testing.T) { t.Parallel(); calls(t, w, open) })
	t.Run("reasons to stop", func(t *testing.T) { t.Parallel(); stops(t, w, open) })
	t.Run("no usage", func(t *testing.T) { t.Parallel(); noUsage(t, w, open) })
	t.Run("streaming", func(t *testing.T) { t.Parallel(); streaming(t, w, open) })
	t.Run("rate limited, then fine", func(t *testing.T) { t.Parallel(); rateLimited(t, w, open) })
	t.Run("failures", func(t *testing.T) { t.Parallel(); failures(t, w, open) })
	t.Run("cancelled", func(t *testing.T) { t.Parallel(); cancelled(t, open) })
	t.Run("hangs", func(t *testing.T) { t.Parallel(); hangs(t, w, mk) })
}

type opener func(t *testing.T, answers ...answer) (model.Model, *server)

func text(t *testing.T, w Wire, open opener) {
	m, s := open(t, answer{body: w.Text})
	r, err := m.Generate(t.Context(), conversation(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Text() != "Hello." || r.Stop != model.Finished || r.Usage.In != 7 || r.Usage.Out != 2 {
		t.Errorf("got %q, %s, %+v", r.Text(), r.Stop, r.Usage)
	}
	for _, want := range []string{"A literal {} stays.", "first question", "marker-of-return", "cG5nLWJ5dGVz"} {
		if !strings.Contains(s.asked[0], want) {
			t.Errorf("the request does not hold %q:\n%s", want, s.asked[0])
		}
	}
}

// form asks without tools for an answer in a form: one that every provider knows, and
// one with a list that may be null. A server that answers in words is heard.
func form(t *testing.T, w Wire, open opener) {
	for _, schema := range []string{
		`{"type":"object","properties":{"marker":{"type":"string"}},"required":["marker"]}`,
		`{"type":"object","properties":{"marker":{"type":["null","array"],"items":{"type":"string"}}},"required":["marker"]}`,
	} {
		m, s := open(t, answer{body: w.Text})
		r, err := m.Generate(t.Context(), &model.Request{
			System: "You test.", Messages: []model.Message{{From: model.User, Parts: []model.Part{model.Text("Answer.")}}}, Output: json.RawMessage(schema),
		}, nil)
		if err != nil || r.Text() != "Hello." || r.Stop != model.Finished {
			t.Errorf("%s: got %+v, %v", schema, r, err)
		}
		if !strings.Contains(s.asked[0], "marker") {
			t.Errorf("the request does not hold the form:\n%s", s.asked[0])
		}
	}
}

func calls(t *testing.T, w Wire, open opener) {
	m, _ := open(t, answer{body: w.Calls})
	r, err := m.Generate(t.Context(), conversation(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Calls()
	if len(got) != 2 || r.Stop != model.WantsTool {
		t.Fatalf("got %d calls, %s", len(got), r.Stop)
	}
	for i, want := range []string{`{"name":"a"}`, `{"name":"b"}`} {
		if got[i].Tool != "look" || strings.Join(strings.Fields(string(got[i].Args)), "") != want {
			t.Errorf("call %d: %s %s", i, got[i].Tool, got[i].Args)
		}
	}
}

func stops(t *testing.T, w Wire, open opener) {
	for want, body := range map[model.Stop]string{model.CutShort: w.CutShort, model.Refused: w.Refused} {
		m, _ := open(t, answer{body: body})
		r, err := m.Generate(t.Context(), conversation(), nil)
		if err != nil || r.Stop != want {
			t.Errorf("%s: got %+v, %v", want, r, err)
		}
	}
}

func noUsage(t *testing.T, w Wire, open opener) {
	m, _ := open(t, answer{body: w.NoUsage})
	r, err := m.Generate(t.Context(), conversation(), nil)
	if err != nil || r.Text() != "Hello." || r.Usage != (model.Usage{}) {
		t.Errorf("got %+v, %v", r, err)
	}
}

func streaming(t *testing.T, w Wire, open opener) {
	sse := http.Header{"Content-Type": {"text/event-stream"}}
	m, _ := open(t, answer{body: w.Stream, header: sse})
	var heard []string
	r, err := m.Generate(t.Context(), conversation(), func(s string) { heard = append(heard, s) })
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(heard, "|") != "Hel|lo." || r.Text() != "Hello." {
		t.Errorf("heard %q, reply %q", heard, r.Text())
	}
	m, s := open(t, answer{body: w.Truncated, header: sse})
	if r, err := m.Generate(t.Context(), conversation(), func(string) {}); dossier.KindOf(err) != dossier.Unavailable {
		t.Errorf("a stream that broke off gave %+v, %v", r, err)
	}
	if len(s.asked) != 1 {
		t.Errorf("text that a person had begun to read was asked for %d times", len(s.asked))
	}
}

func rateLimited(t *testing.T, w Wire, open opener) {
	limited := answer{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {"7"}}, body: w.Error(http.StatusTooManyRequests)}
	m, s := open(t, limited, limited, answer{body: w.Text})
	r, err := m.Generate(t.Context(), conversation(), nil)
	if err != nil || r.Text() != "Hello." {
		t.Fatalf("got %+v, %v", r, err)
	}
	if len(s.waits) != 2 || s.waits[0] != 7*time.Second {
		t.Errorf("waited %v; the server asked for 7 s each time", s.waits)
	}
}

func failures(t *testing.T, w Wire, open opener) {
	for name, c := range map[string]struct {
		answer answer
		tries  int
	}{
		"server error":  {answer{status: http.StatusInternalServerError, body: w.Error(http.StatusInternalServerError)}, 4},
		"bad key":       {answer{status: http.StatusUnauthorized, body: w.Error(http.StatusUnauthorized)}, 1},
		"bad request":   {answer{status: http.StatusBadRequest, body: w.Error(http.StatusBadRequest)}, 1},
		"empty":         {answer{body: "{}"}, 0},
		"malformed":     {answer{body: `{"choices":[{"mess`}, 0},
		"not the API":   {answer{body: "<html>hello</html>", header: http.Header{"Content-Type": {"text/html"}}}, 0},
		"nothing there": {answer{status: http.StatusNotFound, body: w.Error(http.StatusNotFound)}, 1},
	} {
		m, s := open(t, c.answer)
		r, err := m.Generate(t.Context(), conversation(), nil)
		if dossier.KindOf(err) != dossier.Unavailable {
			t.Errorf("%s: got %+v, %v; want unavailable", name, r, err)
			continue
		}
		if c.tries > 0 && len(s.asked) != c.tries {
			t.Errorf("%s: tried %d times, want %d", name, len(s.asked), c.tries)
		}
		if strings.Contains(err.Error(), Key) || strings.Contains(dossier.Message(err), "{") {
			t.Errorf("%s: the error shows too much: %v", name, err)
		}
	}
}

func cancelled(t *testing.T, open opener) {
	m, _ := open(t, answer{hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Generate(ctx, conversation(), nil); err == nil {
		t.Error("a cancelled call gave a reply")
	}
}

// hangs: a provider that takes a request and says nothing. The call ends by its own
// time-out, is tried again, and fails with a sentence that says how long it waited.
func hangs(t *testing.T, w Wire, mk func(t *testing.T, o Options) model.Model) {
	const limit = 5 * time.Second // a second answer comes in time on the slowest machine
	s := serve(t, answer{hang: true}, answer{body: w.Text})
	m := mk(t, Options{URL: s.url, Sleep: s.sleep, Timeout: limit})
	r, err := m.Generate(t.Context(), conversation(), nil)
	if err != nil || r.Text() != "Hello." || len(s.waits) != 1 {
		t.Errorf("hung once: got %+v, %v after %d waits; want the answer of the second try", r, err, len(s.waits))
	}
	s = serve(t, answer{hang: true})
	m = mk(t, Options{URL: s.url, Sleep: s.sleep, Timeout: limit / 50, Retries: -1})
	_, err = m.Generate(t.Context(), conversation(), nil)
	if dossier.KindOf(err) != dossier.Unavailable || dossier.Message(err) != "The provider did not answer within 100ms." {
		t.Errorf("hung for ever: got %v", err)
	}
	if t.Context().Err() != nil {
		t.Error("the caller's own context was ended by the provider's time-out")
	}
}
