package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/api/apitest"
)

// bodies are requests that get past validation, by operation.
var bodies = map[string]string{
	"sign-in": `{"name":"x","password":"y"}`, "look-at-link": `{"link":"x"}`, "use-link": `{"link":"x"}`,
	"change-password": `{"old":"x","new":"y"}`, "add-user": `{"name":"x","roles":[]}`, "change-user": `{}`,
	"add-token": `{"name":"x","roles":[]}`, "ask-why": `{}`, "decide": `{"verb":"approve","digest":"x"}`,
	"verify-bundle": `{}`, "start-chat": `{"app":"none"}`, "say": `{"text":"x"}`, "say-and-stream": `{"text":"x"}`,
	"fire-trigger": `{}`, "post-event": `{}`, "add-webhook": `{"url":"x"}`, "change-webhook": `{}`, "label": `{"good":true}`,
}

// TestEveryRouteForEveryRole walks the document and tries each operation with no
// identity and as everybody.
func TestEveryRouteForEveryRole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tour := apitest.Tour{
		Handler: h.h, Document: h.server.OpenAPI(), AppRoles: []dossier.Role{"coordinator", "planner", "gate"},
		Bodies: bodies, Broken: []string{"fleet-break"},
	}
	for name, roles := range people {
		tour.People = append(tour.People, apitest.Person{Name: name, Roles: roles, Token: string(h.tokens[name])})
	}
	if n := apitest.Walk(t, tour); n < 400 {
		t.Errorf("only %d tries: the walk missed something", n)
	}
	want := []string{
		"DELETE /api/v1/session", "GET /api/v1/health", "GET /api/v1/session", "GET /api/v1/session/oidc", "GET /api/v1/session/oidc/callback",
		"POST /api/v1/session", "POST /api/v1/session/link", "POST /api/v1/session/link/look",
	}
	if got := apitest.Public(h.server.OpenAPI()); !slices.Equal(got, want) {
		t.Errorf("anyone may use %q, want %q", got, want)
	}
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
