// Package apitest tries every route of an API as everybody.
//
// [Walk] reads the OpenAPI document, which says who may use each operation, and holds
// the server to it: with no identity, with every wrong role and with the right ones.
// It knows nothing about what operations do, so it finds the one that somebody forgot
// to guard. Nothing but tests may use it.
package apitest

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

// A Person tries the routes.
type Person struct {
	Name  string
	Roles []dossier.Role
	Token string // "": nobody is signed in
}

// A Tour says what to walk through.
type Tour struct {
	Handler  http.Handler
	Document *huma.OpenAPI
	AppRoles []dossier.Role    // every role that an app declares
	People   []Person          // nobody is added
	Bodies   map[string]string // requests that fit, by operation; else {}
	Broken   []string          // operations that fail on purpose
}

// Walk tries every operation as everybody and returns how many tries it made.
func Walk(t *testing.T, tour Tour) int {
	t.Helper()
	tries := 0
	for path, item := range tour.Document.Paths {
		for method, op := range operations(item) {
			roles, ok := op.Extensions["x-roles"].([]dossier.Role)
			if !ok {
				t.Errorf("%s %s does not say who may use it", method, path)
				continue
			}
			if public := slices.Contains(roles, app.Public); public != (len(op.Security) == 0) {
				t.Errorf("%s %s: x-roles %v, but security %v", method, path, roles, op.Security)
			}
			for _, p := range append([]Person{{}}, tour.People...) {
				tries++
				tour.try(t, method, path, op, roles, p)
			}
		}
	}
	return tries
}

// Public returns the operations that anyone may use, sorted.
func Public(doc *huma.OpenAPI) []string {
	var out []string
	for path, item := range doc.Paths {
		for method, op := range operations(item) {
			if roles, _ := op.Extensions["x-roles"].([]dossier.Role); slices.Contains(roles, app.Public) {
				out = append(out, method+" "+path)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (tour Tour) try(t *testing.T, method, path string, op *huma.Operation, roles []dossier.Role, p Person) {
	t.Helper()
	for strings.Contains(path, "{") {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + "1" + after
	}
	body := tour.Bodies[op.OperationID]
	if body == "" && method != http.MethodGet {
		body = "{}"
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("If-Match", `"1"`)
	if p.Token != "" {
		r.Header.Set("Authorization", "Bearer "+p.Token)
	}
	w := &firstWrite{httptest.NewRecorder(), cancel, streams(op) && method == http.MethodGet}
	tour.Handler.ServeHTTP(w, r)
	refused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "Your role does not allow this.")
	unsigned := w.Code == http.StatusUnauthorized && strings.Contains(w.Body.String(), "Sign in first.")
	name := fmt.Sprintf("%s %s (%s) as %q %v", method, path, op.OperationID, p.Name, p.Roles)
	switch {
	case tour.mayUse(roles, p):
		if refused || unsigned {
			t.Errorf("%s: refused with %d: %s", name, w.Code, w.Body)
		}
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable && !slices.Contains(tour.Broken, op.OperationID) {
			t.Errorf("%s: %d: %s", name, w.Code, w.Body)
		}
	case p.Token == "" && !unsigned, p.Token != "" && !refused:
		t.Errorf("%s: got %d, want it refused: %s", name, w.Code, w.Body)
	}
}

// mayUse says who may use an operation, from the document alone.
func (tour Tour) mayUse(roles []dossier.Role, p Person) bool {
	takesPart := slices.ContainsFunc(p.Roles, func(r dossier.Role) bool {
		return r != dossier.Auditor && (r == dossier.Admin || slices.Contains(tour.AppRoles, r))
	})
	switch {
	case slices.Contains(roles, app.Public):
		return true
	case p.Token == "":
		return false
	case len(roles) == 0:
		return true
	}
	return slices.ContainsFunc(roles, func(r dossier.Role) bool {
		switch r {
		case "reader":
			return takesPart || slices.Contains(p.Roles, dossier.Auditor)
		case "member":
			return takesPart
		}
		return slices.Contains(p.Roles, r)
	})
}

func streams(op *huma.Operation) bool {
	res := op.Responses["200"]
	return res != nil && res.Content["text/event-stream"] != nil
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
