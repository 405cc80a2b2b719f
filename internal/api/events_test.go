package api

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/internal/records"
	"dossier/internal/store/storetest"
)

// A stream reads server-sent events.
type stream struct {
	t      testing.TB
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

// A sent is one server-sent event.
type sent struct{ id, event, data string }

// live serves h over a real connection until the test ends.
func (h *house) live() *httptest.Server {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	done := make(chan error, 1)
	go func() { done <- h.server.Run(ctx) }()
	srv := httptest.NewServer(h.h)
	h.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Error(err)
		}
		srv.Close()
	})
	return srv
}

// listen opens a stream as a person and waits until it is open.
func (h *house) listen(srv *httptest.Server, as, query string, headers ...string) *stream {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 2*time.Minute)
	h.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/api/v1/events"+query, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+string(h.tokens[as]))
	for _, x := range headers {
		k, v, _ := strings.Cut(x, ": ")
		r.Header.Set(k, v)
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = res.Body.Close() })
	if ct := res.Header.Get("Content-Type"); res.StatusCode != 200 || ct != "text/event-stream" {
		h.t.Fatalf("got %d, %s", res.StatusCode, ct)
	}
	s := &stream{h.t, bufio.NewScanner(res.Body), cancel}
	if !s.lines.Scan() || !strings.HasPrefix(s.lines.Text(), ": listening after") {
		h.t.Fatalf("the stream begins with %q", s.lines.Text())
	}
	return s
}

// next returns the next event, and false at the end of the stream.
func (s *stream) next() (sent, bool) {
	var e sent
	for s.lines.Scan() {
		line := s.lines.Text()
		k, v, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.data != "":
			return e, true
		case k == "id":
			e.id = v
		case k == "event":
			e.event = v
		case k == "data":
			e.data = v
		}
	}
	return e, false
}

// until reads events up to the first of a kind and returns all of them.
func (s *stream) until(kind string) []records.Event {
	s.t.Helper()
	var out []records.Event
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before %s; got %+v", kind, out)
		}
		var ev records.Event
		if err := json.Unmarshal([]byte(e.data), &ev); err != nil {
			s.t.Fatal(err)
		}
		if e.id != strconv.FormatInt(ev.Seq, 10) {
			s.t.Errorf("event %d has id %s", ev.Seq, e.id)
		}
		out = append(out, ev)
		if ev.Kind == kind {
			return out
		}
	}
}

func TestLiveEventsResume(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			liveEventsResume(t, newHouseOn(t, database, nil))
		})
	}
}

func liveEventsResume(t *testing.T, h *house) {
	h.audit("EMP-0") // what happened before listening is not sent
	srv := h.live()
	s := h.listen(srv, "coordinator", "")
	_, _, a := h.audit("EMP-1")
	got := s.until(records.ApprovalAsked)
	if got[0].Kind != records.CaseOpened || got[len(got)-1].Approval != a.ID {
		t.Errorf("got %+v", got)
	}
	s.cancel()

	// While nobody listens, more happens; whoever comes back misses nothing.
	last := got[len(got)-1].Seq
	h.decide("coordinator", a, decision(dossier.Approve, a)).want(200, nil)
	_, _, b := h.audit("EMP-2")
	s = h.listen(srv, "coordinator", "", "Last-Event-ID: "+strconv.FormatInt(last, 10))
	more := s.until(records.ApprovalAsked)
	if more[0].Seq <= last || more[0].Kind != records.ApprovalDecided || more[0].Approval != a.ID || more[len(more)-1].Approval != b.ID {
		t.Errorf("after %d: %+v", last, more)
	}
	for i := 1; i < len(more); i++ {
		if more[i].Seq <= more[i-1].Seq {
			t.Errorf("out of order: %d after %d", more[i].Seq, more[i-1].Seq)
		}
	}
	s = h.listen(srv, "coordinator", "?after="+strconv.FormatInt(last, 10))
	if again := s.until(records.ApprovalAsked); len(again) != len(more) {
		t.Errorf("with ?after: %d events, want %d", len(again), len(more))
	}

	// Whoever saw events that a restored backup does not have hears of what happens now.
	s = h.listen(srv, "coordinator", "", "Last-Event-ID: "+strconv.FormatInt(math.MaxInt64, 10))
	_, _, c := h.audit("EMP-3")
	if now := s.until(records.ApprovalAsked); now[len(now)-1].Approval != c.ID {
		t.Errorf("after a restore: %+v", now)
	}
}

func TestLiveEventsShowOnlyWhatOneMaySee(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	srv := h.live()
	gate := h.listen(srv, "gate", "")
	only := h.listen(srv, "auditor", "?kind=approval.*&app=fleet")
	h.audit("EMP-1")
	if err := h.store.Publish(t.Context(), records.Event{Kind: "door.opened", App: "doors", Text: "A door opened."}); err != nil {
		t.Fatal(err)
	}
	if got := gate.until("door.opened"); len(got) != 1 {
		t.Errorf("the gate saw %+v", got)
	}
	if got := only.until(records.ApprovalAsked); len(got) != 1 {
		t.Errorf("asked for approvals, got %+v", got)
	}
}

func TestAStreamEndsWithTheServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.server.Run(ctx) }()
	srv := httptest.NewServer(h.h)
	defer srv.Close()
	s := h.listen(srv, "auditor", "")
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if e, ok := s.next(); ok {
		t.Errorf("got %+v", e)
	}
}

func TestStillSignedIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+string(h.tokens["gate"]))
	id, err := h.auth.Identify(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.server.stillSignedIn(t.Context(), whoever{Identity: id}); err != nil {
		t.Errorf("signed in, but %v", err)
	}
	u := h.users["gate"]
	h.do("admin", http.MethodPatch, "/api/v1/users/"+u.ID, `If-Match: "1"`, map[string]any{"roles": []string{}}).want(200, nil)
	if _, err := h.server.stillSignedIn(t.Context(), whoever{Identity: id}); dossier.KindOf(err) != dossier.Forbidden {
		t.Errorf("without a role: %v", err)
	}
	h.do("admin", http.MethodPatch, "/api/v1/users/"+u.ID, `If-Match: "2"`, map[string]any{"disabled": true}).want(200, nil)
	if _, err := h.server.stillSignedIn(t.Context(), whoever{Identity: id}); dossier.KindOf(err) != dossier.NotSignedIn {
		t.Errorf("disabled: %v", err)
	}
}

// TestAdministrationIsNoted holds that auditors, and nobody else beside admins, see who
// gave whom which rights.
func TestAdministrationIsNoted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("admin", http.MethodPost, "/api/v1/users", map[string]any{"name": "noor", "roles": []string{"gate"}, "password": string(password)}).want(201, nil)
	var tok AddedToken
	h.do("gate", http.MethodPost, "/api/v1/tokens", map[string]any{"name": "ci", "roles": []string{"gate"}}).want(201, &tok)
	h.do("admin", http.MethodDelete, "/api/v1/tokens/"+tok.ID).want(204, nil)
	h.do("gate", http.MethodDelete, "/api/v1/tokens/"+tok.ID).problem(404, dossier.NotFound)
	if err := h.store.Publish(t.Context(), records.Event{Kind: "door.opened", App: "doors", Text: "A door opened."}); err != nil {
		t.Fatal(err)
	}
	srv := h.live()
	got := h.listen(srv, "auditor", "?after=0").until("door.opened")
	want := []string{"user.added", "token.added", "token.revoked", "door.opened"}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, e := range got {
		if e.Kind != want[i] {
			t.Errorf("got %s, want %s", e.Kind, want[i])
		}
		if strings.Contains(e.Text, string(tok.Secret)) {
			t.Errorf("a secret in %q", e.Text)
		}
	}
	if got[0].Text != "The admin added the user noor with the roles [gate]." || got[0].By != h.users["admin"].ID {
		t.Errorf("got %+v", got[0])
	}
	if got := h.listen(srv, "gate", "?after=0").until("door.opened"); len(got) != 1 {
		t.Errorf("the gate sees %+v", got)
	}
}
