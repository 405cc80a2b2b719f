package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dossier"
)

func TestChat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var c Conversation
	h.do("planner", http.MethodPost, "/api/v1/chat", map[string]string{"app": "fleet", "text": "Hello"}).want(201, &c)
	if c.Agent != "talker" || c.Status != dossier.Paused || answerOf(c) != `"You said: Hello"` {
		t.Fatalf("got %+v", c)
	}
	path := "/api/v1/chat/" + string(c.ID)
	h.do("planner", http.MethodPost, path+"/messages", map[string]string{"text": "Again"}).want(200, &c)
	if answerOf(c) != `"You said: Again"` {
		t.Errorf("got %s", answerOf(c))
	}
	h.do("planner", http.MethodGet, path).want(200, &c)
	if n := len(slices.DeleteFunc(slices.Clone(c.Steps), func(s StepView) bool { return s.Kind != dossier.Answered })); n != 2 {
		t.Errorf("%d answers in %+v", n, c.Steps)
	}
	var p Page[Conversation]
	h.do("planner", http.MethodGet, "/api/v1/chat").want(200, &p)
	if len(p.Items) != 1 || p.Items[0].ID != c.ID {
		t.Errorf("mine: %+v", p.Items)
	}
	h.do("coordinator", http.MethodGet, "/api/v1/chat").want(200, &p)
	if len(p.Items) != 0 {
		t.Errorf("somebody else's: %+v", p.Items)
	}
	h.do("coordinator", http.MethodGet, path).problem(404, dossier.NotFound)
	h.do("coordinator", http.MethodPost, path+"/messages", map[string]string{"text": "Me too"}).problem(404, dossier.NotFound)
	h.do("planner", http.MethodPost, path+"/messages", map[string]string{"text": ""}).problem(422, dossier.Invalid)
	h.do("planner", http.MethodPost, "/api/v1/chat", map[string]string{"app": "fleet", "agent": "manager"}).problem(404, dossier.NotFound)
	h.do("auditor", http.MethodPost, "/api/v1/chat", map[string]string{"app": "fleet"}).problem(403, dossier.Forbidden)
	_, run, _ := h.audit("EMP-1")
	h.do("second", http.MethodPost, "/api/v1/chat/"+string(run.ID)+"/messages", map[string]string{"text": "Hi"}).problem(404, dossier.NotFound)
	h.do("gate", http.MethodPost, "/api/v1/chat", map[string]any{"app": "doors", "case": run.Case}).problem(404, dossier.NotFound)
}

func answerOf(c Conversation) string {
	for _, st := range slices.Backward(c.Steps) {
		if st.Kind == dossier.Answered {
			return string(st.Value)
		}
	}
	return ""
}

func TestChatStream(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var c Conversation
	h.do("planner", http.MethodPost, "/api/v1/chat", map[string]string{"app": "fleet"}).want(201, &c)
	srv := h.live()
	post := func(as, body string) []sent {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/api/v1/chat/"+string(c.ID)+"/stream", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+string(h.tokens[as]))
		r.Header.Set("Content-Type", "application/json")
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		s := &stream{t: t, lines: bufio.NewScanner(res.Body)}
		var out []sent
		for e, ok := s.next(); ok; e, ok = s.next() {
			out = append(out, e)
		}
		return out
	}
	got := post("planner", `{"text":"Hello"}`)
	var kinds []string
	var text strings.Builder
	for _, e := range got {
		kinds = append(kinds, e.event)
		if e.event == "text" {
			var part ChatText
			if err := json.Unmarshal([]byte(e.data), &part); err != nil {
				t.Fatal(err)
			}
			text.WriteString(part.Text)
		}
	}
	if got[0].event != "progress" || got[0].data != `{"text":"Listening to Hello."}` {
		t.Errorf("how the work goes on is not told: %+v", got[0])
	}
	if text.String() != "You said: Hello" || !slices.Equal(slices.Compact(kinds), []string{"progress", "text", "step", "done"}) {
		t.Errorf("text %q, events %v", text.String(), kinds)
	}
	var done Conversation
	if err := json.Unmarshal([]byte(got[len(got)-1].data), &done); err != nil || answerOf(done) != `"You said: Hello"` {
		t.Errorf("done: %s, %v", got[len(got)-1].data, err)
	}
	got = post("coordinator", `{"text":"Hello"}`)
	if len(got) != 1 || got[0].event != "problem" || !strings.Contains(got[0].data, "You have no conversation") {
		t.Errorf("somebody else: %+v", got)
	}
}
