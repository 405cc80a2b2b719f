package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps"
	"dossier/internal/api/apitest"
	"dossier/internal/auth"
)

// TestEveryRouteOfEveryApp tries each operation of the whole product, those of the apps
// among them, with no identity, with every wrong role and with the right ones.
func TestEveryRouteOfEveryApp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &line{Terminal: Terminal{In: strings.NewReader(""), Out: &out, Err: &out, Env: func(string) string { return "" }}, apps: apps.All(), now: time.Now, data: t.TempDir()}
	p, err := l.product(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	srv := p.server()
	tour := apitest.Tour{Handler: srv.Handler(), Document: srv.OpenAPI()}
	for role := range p.auth.Roles() {
		if role != dossier.Admin && role != dossier.Auditor {
			tour.AppRoles = append(tour.AppRoles, role)
		}
		tour.People = append(tour.People, person(t, p, string(role), role))
	}
	if n := apitest.Walk(t, tour); n < 1000 {
		t.Errorf("only %d tries: the walk missed something", n)
	}
	for _, op := range apitest.Public(srv.OpenAPI()) {
		if !strings.Contains(op, " /api/v1/") && !slices.Contains(openRoutes, op) {
			t.Errorf("anyone may use %s; guard it, or add it to the list with a reason", op)
		}
	}
}

// openRoutes are the apps' operations that need no identity.
var openRoutes = []string{
	"GET /methodology",                 // how scores are made is for everyone to read
	"GET /poolpatrol/counter/{token}",  // a signed link in a mail, for riders
	"POST /poolpatrol/counter/{token}", // the same
}

func person(t *testing.T, p *product, name string, roles ...dossier.Role) apitest.Person {
	t.Helper()
	u, err := p.auth.AddUser(t.Context(), auth.NewUser{Name: name, Roles: roles})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := p.auth.AddToken(t.Context(), dossier.Principal{ID: u.ID, Roles: roles}, "test", roles, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Person{Name: name, Roles: roles, Token: string(secret)}
}
