package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
)

// bodies are requests that get past validation, by operation.
var bodies = map[string]string{
	"sign-in": `{"name":"x","password":"y"}`, "look-at-link": `{"link":"x"}`, "use-link": `{"link":"x"}`,
	"change-password": `{"old":"x","new":"y"}`, "add-user": `{"name":"x","roles":[]}`, "change-user": `{}`,
	"add-token": `{"name":"x","roles":[]}`, "ask-why": `{}`, "decide": `{"verb":"approve","digest":"x"}`,
	"verify-bundle": `{}`, "start-chat": `{"app":"none"}`, "say": `{"text":"x"}`, "say-and-stream": `{"text":"x"}`,
	"fire-trigger": `{}`, "post-event": `{}`, "add-webhook": `{"url":"x"}`, "change-webhook": `{}`, "label": `{"good":true}`,
}

// mayUse says who may use an operation, from the document alone.
func mayUse(roles []dossier.Role, person string) bool {
	held := people[person]
	appRole := slices.ContainsFunc(held, func(r dossier.Role) bool { return r == "coordinator" || r == "planner" || r == "gate" })
	switch {
	case slices.Contains(roles, app.Public):
		return true
	case person == "":
		return false
	case len(roles) == 0:
		return true
	}
	return slices.ContainsFunc(roles, func(r dossier.Role) bool {
		switch r {
		case reader:
			return appRole || slices.Contains(held, dossier.Admin) || slices.Contains(held, dossier.Auditor)
		case member:
			return appRole || slices.Contains(held, dossier.Admin)
		}
		return slices.Contains(held, r)
	})
}

// TestEveryRouteForEveryRole walks the document and tries each operation with no
// identity and as everybody.
func TestEveryRouteForEveryRole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tried := 0
	for path, item := range h.server.OpenAPI().Paths {
		for method, op := range operations(item) {
			roles, ok := op.Extensions[rolesExtension].([]dossier.Role)
			if !ok {
				t.Errorf("%s %s does not say who may use it", method, path)
				continue
			}
			if public := slices.Contains(roles, app.Public); public != (len(op.Security) == 0) {
				t.Errorf("%s %s: x-roles %v, but security %v", method, path, roles, op.Security)
			}
			for _, person := range slices.Concat([]string{""}, keys(people)) {
				tried++
				tryRoute(t, h, method, path, op, roles, person)
			}
		}
	}
	if tried < 400 {
		t.Errorf("only %d tries: the walk missed something", tried)
	}
}

func tryRoute(t *testing.T, h *house, method, path string, op *huma.Operation, roles []dossier.Role, person string) {
	t.Helper()
	for strings.Contains(path, "{") {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + "1" + after
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(bodies[op.OperationID]))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("If-Match", `"1"`)
	if person != "" {
		r.Header.Set("Authorization", "Bearer "+string(h.tokens[person]))
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	w := &firstWrite{httptest.NewRecorder(), cancel, op.OperationID == "listen"}
	h.h.ServeHTTP(w, r.WithContext(ctx))
	refused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "Your role does not allow this. It needs")
	unsigned := w.Code == http.StatusUnauthorized && strings.Contains(w.Body.String(), "Sign in first.")
	name := fmt.Sprintf("%s %s (%s) as %q", method, path, op.OperationID, person)
	switch {
	case mayUse(roles, person):
		if refused || unsigned {
			t.Errorf("%s: refused with %d: %s", name, w.Code, w.Body)
		}
		if w.Code >= 500 && op.OperationID != "fleet-break" {
			t.Errorf("%s: %d: %s", name, w.Code, w.Body)
		}
	case person == "" && !unsigned, person != "" && !refused:
		t.Errorf("%s: got %d, want it refused: %s", name, w.Code, w.Body)
	}
}

// A firstWrite ends a stream once it has begun.
type firstWrite struct {
	*httptest.ResponseRecorder
	cancel context.CancelFunc
	stream bool
}

// SetWriteDeadline is what streams ask of a connection.
func (*firstWrite) SetWriteDeadline(time.Time) error { return nil }

func (w *firstWrite) Write(b []byte) (int, error) {
	if w.stream {
		w.cancel()
	}
	return w.ResponseRecorder.Write(b)
}

func operations(item *huma.PathItem) map[string]*huma.Operation {
	out := map[string]*huma.Operation{}
	for m, op := range map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
	} {
		if op != nil {
			out[m] = op
		}
	}
	return out
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestAnUnguardedOperationIsRefused registers one past the guard.
func TestAnUnguardedOperationIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	huma.Register(h.server.api, huma.Operation{OperationID: "open", Method: http.MethodGet, Path: "/open"},
		func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
	h.do("admin", http.MethodGet, "/open").problem(500, dossier.Internal)
}

func TestWhatOthersSee(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.measured()
	c, run, a := h.audit("EMP-1")
	for _, path := range []string{
		"/api/v1/cases/" + string(c.ID), "/api/v1/cases/" + string(c.ID) + "/timeline", "/api/v1/cases/" + string(c.ID) + "/evidence",
		"/api/v1/cases/" + string(c.ID) + "/findings", "/api/v1/cases/" + string(c.ID) + "/bundle", "/api/v1/runs/" + string(run.ID),
		"/api/v1/runs/" + string(run.ID) + "/steps/2/prompt", "/api/v1/approvals/" + string(a.ID), "/api/v1/evidence/" + string(a.Evidence[0]),
		"/api/v1/runs/" + string(run.ID) + "/compare/" + string(run.ID), "/api/v1/apps/fleet", "/api/v1/evals/results/res-1",
	} {
		for _, person := range []string{"admin", "auditor", "coordinator", "planner"} {
			h.do(person, http.MethodGet, path).want(200, nil)
		}
		h.do("gate", http.MethodGet, path).problem(404, dossier.NotFound)
	}
	for _, path := range []string{"/api/v1/cases", "/api/v1/runs", "/api/v1/approvals?view=all", "/api/v1/evals/results", "/api/v1/triggers", "/api/v1/evals/suites"} {
		var seen, hidden Page[struct{}]
		h.do("auditor", http.MethodGet, path).want(200, &seen)
		h.do("gate", http.MethodGet, path).want(200, &hidden)
		if len(seen.Items) == 0 || len(hidden.Items) != 0 {
			t.Errorf("%s: the auditor sees %d, the gate %d", path, len(seen.Items), len(hidden.Items))
		}
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		h.do("gate", http.MethodGet, path+sep+"app=fleet").want(200, &hidden)
		if len(hidden.Items) != 0 {
			t.Errorf("%s: asking for the app by name shows %d", path, len(hidden.Items))
		}
	}
	h.do("gate", http.MethodPost, "/api/v1/cases/"+string(c.ID)+"/verify").problem(404, dossier.NotFound)
	h.do("gate", http.MethodPost, "/api/v1/cases/"+string(c.ID)+"/why", map[string]string{}).problem(404, dossier.NotFound)
	h.do("gate", http.MethodPost, "/api/v1/approvals/"+string(a.ID)+"/decision", map[string]string{"verb": "approve", "digest": a.Digest}).problem(404, dossier.NotFound)
	h.do("gate", http.MethodPost, "/api/v1/triggers/fleet/weekly", map[string]string{}).problem(404, dossier.NotFound)
	h.do("gate", http.MethodPost, "/api/v1/chat", map[string]string{"app": "fleet"}).problem(404, dossier.NotFound)
}
