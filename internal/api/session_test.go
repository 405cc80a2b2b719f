package api

import (
	"net/http"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/auth"
)

// signIn returns the Cookie header of a fresh session.
func (h *house) signIn(name string) string {
	h.t.Helper()
	res := h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": name, "password": string(password)}).want(200, nil)
	for _, c := range res.Cookies() {
		if c.Name == "dossier" {
			return "Cookie: dossier=" + c.Value
		}
	}
	h.t.Fatalf("no cookie in %v", res.Header)
	return ""
}

func TestSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var s Session
	h.do("", http.MethodGet, "/api/v1/session").want(200, &s)
	if s.SignedIn || s.User != nil || s.Version != "1.2.3" {
		t.Errorf("nobody: %+v", s)
	}
	res := h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "planner", "password": string(password)}).want(200, &s)
	if !s.SignedIn || s.User.Name != "planner" || s.User.Apps[0] != "fleet" || !s.User.Local {
		t.Errorf("signed in: %+v", s.User)
	}
	set := res.Header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(set, want) {
			t.Errorf("the cookie lacks %s: %s", want, set)
		}
	}
	cookie := h.signIn("planner")
	h.do("", http.MethodGet, "/api/v1/cases", cookie).want(200, nil)
	out := h.do("", http.MethodDelete, "/api/v1/session", cookie).want(204, nil)
	if !strings.Contains(out.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("the browser keeps its cookie: %s", out.Header.Get("Set-Cookie"))
	}
	h.do("", http.MethodGet, "/api/v1/cases", cookie).problem(401, dossier.NotSignedIn)
	h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "planner", "password": "wrong"}).problem(401, dossier.NotSignedIn)
	h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "planner"}).problem(422, dossier.Invalid)
	h.do("", http.MethodGet, "/api/v1/session/oidc").problem(404, dossier.NotFound)
	h.do("", http.MethodGet, auth.CallbackPath+"?state=x&code=y").problem(403, dossier.Forbidden)
}

func TestLockout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 10 {
		h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "planner", "password": "wrong"}).problem(401, dossier.NotSignedIn)
	}
	res := h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "planner", "password": string(password)})
	res.problem(429, dossier.TooMany)
	if res.Header.Get("Retry-After") != "900" {
		t.Errorf("Retry-After %q", res.Header.Get("Retry-After"))
	}
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cookie := h.signIn("gate")
	h.do("", http.MethodPut, "/api/v1/session/password", cookie, map[string]string{"old": "wrong", "new": "another good one"}).problem(403, dossier.Forbidden)
	h.do("", http.MethodPut, "/api/v1/session/password", cookie, map[string]string{"old": string(password), "new": "short"}).problem(422, dossier.Invalid)
	h.do("", http.MethodPut, "/api/v1/session/password", cookie, map[string]string{"old": string(password), "new": "another good one"}).want(204, nil)
	h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "gate", "password": "another good one"}).want(200, nil)
}

// TestOtherSites sends what a browser sends for a page of another site.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	cookie := h.signIn("coordinator")
	for _, from := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.test"} {
		msg := h.decide("", a, cookie, from, decision(dossier.Approve, a)).problem(403, dossier.Forbidden)
		if !strings.Contains(msg, "another site") {
			t.Errorf("%s: told %q", from, msg)
		}
	}
	h.do("", http.MethodPost, "/api/v1/session", "Sec-Fetch-Site: cross-site", map[string]string{"name": "planner", "password": string(password)}).problem(403, dossier.Forbidden)
	h.do("", http.MethodGet, "/api/v1/cases", cookie, "Sec-Fetch-Site: cross-site").want(200, nil)
	h.decide("", a, cookie, "Sec-Fetch-Site: same-origin", decision(dossier.Approve, a)).want(200, nil)
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, path := range []string{"/", "/api/v1/session", "/api/v1/cases", "/api/v1/none"} {
		res := h.do("", http.MethodGet, path)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		csp := res.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'self'", "script-src 'self';", "object-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: the policy lacks %s", path, want)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the policy is not strict: %s", path, csp)
		}
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for path, want := range map[string]struct {
		status      int
		cache, kind string
	}{
		"/":                         {200, "no-store", "text/html; charset=utf-8"},
		"/index.html":               {200, "no-store", "text/html; charset=utf-8"},
		"/cases/CASE-1":             {200, "no-store", "text/html; charset=utf-8"},
		"/assets":                   {200, "no-store", "text/html; charset=utf-8"},
		"/assets/index-Ab12Cd34.js": {200, "public, max-age=2592000, immutable", "text/javascript; charset=utf-8"},
		"/icon.svg":                 {200, "public, max-age=3600", "image/svg+xml"},
		"/assets/gone-12345678.js":  {404, "no-store", "application/problem+json"},
		"/api/v1/none":              {404, "no-store", "application/problem+json"},
		"/api/v2/cases":             {404, "no-store", "application/problem+json"},
		"/../../etc/passwd":         {307, "no-store", "text/html; charset=utf-8"},
	} {
		res := h.do("", http.MethodGet, path)
		if res.StatusCode != want.status || res.Header.Get("Cache-Control") != want.cache || res.Header.Get("Content-Type") != want.kind {
			t.Errorf("%s: got %d, %q, %q; want %+v", path, res.StatusCode, res.Header.Get("Cache-Control"), res.Header.Get("Content-Type"), want)
		}
	}
	h.do("", http.MethodPost, "/").problem(404, dossier.NotFound)
	h.do("", http.MethodDelete, "/api/v1/cases").problem(404, dossier.NotFound)
}

// TestNoSecretIsLoggedOrEchoed passes secrets through every door and reads the log.
func TestNoSecretIsLoggedOrEchoed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cookie := h.signIn("planner")
	_, session, _ := strings.Cut(cookie, "=")
	link, err := h.auth.NewLink(t.Context(), h.users["gate"].ID, nil, linkLasts)
	if err != nil {
		t.Fatal(err)
	}
	var token AddedToken
	h.do("planner", http.MethodPost, "/api/v1/tokens", map[string]any{"name": "ci", "roles": []string{"planner"}}).want(201, &token)
	secrets := map[string]string{
		"password": string(password), "wrong password": "my-wrong-password", "session": session, "token": string(token.Secret),
		"link": string(link), "unknown token": "dossier_unknown-token", "code": "the-oidc-code", "database": "hunter2-db",
	}
	h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "planner", "password": secrets["wrong password"]})
	h.do("", http.MethodGet, "/api/v1/cases", "Authorization: Bearer "+secrets["unknown token"])
	h.do("", http.MethodPost, "/api/v1/session/link", map[string]string{"link": string(link), "password": "short"})
	h.do("", http.MethodGet, auth.CallbackPath+"?state=x&code="+secrets["code"])
	h.do("", http.MethodGet, "/api/v1/cases", cookie)
	res := h.do("planner", http.MethodGet, "/fleet/break")
	if msg := res.problem(500, dossier.Internal); msg != "Something went wrong inside the product. The log says what." {
		t.Errorf("the caller is told %q", msg)
	}
	// A body that does not fit must not come back with what was in it.
	bad := h.do("", http.MethodPost, "/api/v1/session", map[string]any{"name": 1, "password": []string{secrets["wrong password"]}})
	if strings.Contains(string(bad.body), secrets["wrong password"]) {
		t.Errorf("echoed: %s", bad.body)
	}
	log := h.log.String()
	if !strings.Contains(log, "hunter2-db") || !strings.Contains(log, "/api/v1/session/link") {
		t.Fatalf("the log lacks what it should hold: %s", log)
	}
	delete(secrets, "database") // the cause of a failure is for the log
	for name, s := range secrets {
		if strings.Contains(log, s) {
			t.Errorf("the %s is in the log", name)
		}
	}
}

func TestAppRoutes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	res := h.do("planner", http.MethodPost, "/fleet/upload/photo").want(200, nil)
	if string(res.body) != "got photo from The planner" {
		t.Errorf("got %s", res.body)
	}
	h.do("gate", http.MethodPost, "/fleet/upload/photo").problem(403, dossier.Forbidden)
	h.do("", http.MethodPost, "/fleet/upload/photo").problem(401, dossier.NotSignedIn)
	doc := string(h.do("", http.MethodGet, "/api/v1/openapi.yaml").want(200, nil).body)
	for _, want := range []string{"/fleet/break:", "/fleet/upload/{name}:", "/api/v1/cases:"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document lacks %s", want)
		}
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.server.mux.HandleFunc("GET /api/v1/panic", func(http.ResponseWriter, *http.Request) { panic("boom") })
	h.do("", http.MethodGet, "/api/v1/panic").problem(500, dossier.Internal)
	if !strings.Contains(h.log.String(), "boom") {
		t.Error("the log does not say why")
	}
}
