package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/auth/authtest"
	"dossier/internal/store/storetest"
)

// TestSignInThroughAProvider goes the whole way a browser goes.
func TestSignInThroughAProvider(t *testing.T) {
	t.Parallel()
	p := authtest.NewProvider(t, storetest.NewClock().Now())
	p.Claims.Username, p.Claims.Groups = "noor", []string{"doors"}
	h := newHouseOn(t, "sqlite", func(a *auth.Config, _ *Config) {
		a.OIDC = &auth.OIDC{
			Issuer: p.URL, Title: "Example", Client: "dossier", Claim: "groups", HTTP: p.Client(),
			Roles: map[string][]dossier.Role{"doors": {"gate"}},
		}
	})
	var s Session
	h.do("", http.MethodGet, "/api/v1/session").want(200, &s)
	if s.Provider != "Example" {
		t.Errorf("provider %q", s.Provider)
	}
	go302 := h.do("", http.MethodGet, "/api/v1/session/oidc?back=/inbox").want(302, nil)
	p.Visit(t, go302.Header.Get("Location"))
	detour := go302.Cookies()[0]
	if !detour.HttpOnly || detour.SameSite != http.SameSiteLaxMode || detour.Path != auth.CallbackPath {
		t.Errorf("detour %+v", detour)
	}
	callback := auth.CallbackPath + "?code=good&state=" + p.Asked.Get("state")
	h.do("", http.MethodGet, callback).problem(403, dossier.Forbidden) // another browser
	h.do("", http.MethodGet, callback+"&error=access_denied", "Cookie: "+detour.Name+"="+detour.Value).problem(403, dossier.Forbidden)
	// A person is taken to the sign-in page, which says why they are there again.
	p.Claims.Groups = nil
	refused := h.do("", http.MethodGet, callback, "Cookie: "+detour.Name+"="+detour.Value, "Sec-Fetch-Mode: navigate").want(302, nil)
	told := map[string]string{}
	for _, c := range refused.Cookies() {
		told[c.Name] = c.Value
	}
	if refused.Header.Get("Location") != "/" || told["dossier_told"] != url.PathEscape("Your account gives you no role here. Ask an admin for one.") || told["dossier"] != "" {
		t.Errorf("sent to %s with %v", refused.Header.Get("Location"), told)
	}
	p.Claims.Groups = []string{"doors"}
	back := h.do("", http.MethodGet, callback, "Cookie: "+detour.Name+"="+detour.Value, "Sec-Fetch-Site: cross-site").want(302, nil)
	if got := back.Header.Get("Location"); got != "/inbox" {
		t.Errorf("back at %s", got)
	}
	var session string
	for _, c := range back.Cookies() {
		if c.Name == "dossier" {
			session = c.Value
		}
	}
	h.do("", http.MethodGet, "/api/v1/session", "Cookie: dossier="+session).want(200, &s)
	if !s.SignedIn || s.User.Name != "noor" || s.User.Local || s.User.Roles[0] != "gate" {
		t.Errorf("got %+v", s.User)
	}
}

// TestAddressBehindAProxy locks out one visitor and not another behind the same proxy.
func TestAddressBehindAProxy(t *testing.T) {
	t.Parallel()
	h := newHouseOn(t, "sqlite", func(_ *auth.Config, c *Config) { c.Proxied = true })
	try := func(from, password string) answer {
		return h.do("", http.MethodPost, "/api/v1/session", "X-Forwarded-For: "+from, map[string]string{"name": "gate", "password": password})
	}
	for range 10 {
		try("203.0.113.7", "wrong").problem(401, dossier.NotSignedIn)
	}
	try("203.0.113.7", string(password)).problem(429, dossier.TooMany)
	try("198.51.100.1, 203.0.113.7", string(password)).problem(429, dossier.TooMany) // the first entry is made up
	try("203.0.113.8", string(password)).want(200, nil)
}

// TestSecureOverHTTPS holds the cookie and header that only HTTPS allows.
func TestSecureOverHTTPS(t *testing.T) {
	t.Parallel()
	h := newHouseOn(t, "sqlite", func(a *auth.Config, c *Config) { a.URL, c.URL = "https://dossier.test", "https://dossier.test" })
	res := h.do("", http.MethodPost, "/api/v1/session", map[string]string{"name": "gate", "password": string(password)}).want(200, nil)
	if set := res.Header.Get("Set-Cookie"); !strings.HasPrefix(set, "__Host-dossier=") || !strings.Contains(set, "Secure") {
		t.Errorf("cookie %s", set)
	}
	if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security %q", got)
	}
}
