package auth_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/store/storetest"
)

// A fakeProvider is an OpenID Connect provider with one person.
type fakeProvider struct {
	*httptest.Server
	key    *rsa.PrivateKey
	claims map[string]any // what the ID token says beside the usual
	nonce  string         // "": the one that was asked with
	asked  url.Values     // the last authorisation request
	form   url.Values     // the last token request
}

func newFakeProvider(t *testing.T) *fakeProvider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &fakeProvider{key: key, claims: map[string]any{}}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		b64 := base64.RawURLEncoding.EncodeToString
		answer(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
			"n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		p.form = r.Form
		if r.Form.Get("code") != "good" {
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]any{"error": "invalid_grant"})
			return
		}
		answer(w, map[string]any{"access_token": "at", "token_type": "Bearer", "id_token": p.idToken()})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *fakeProvider) idToken() string {
	nonce := p.nonce
	if nonce == "" {
		nonce = p.asked.Get("nonce")
	}
	all := map[string]any{
		"iss": p.URL, "aud": "dossier", "sub": "s-1", "nonce": nonce,
		"iat": storetest.NewClock().Now().Unix(), "exp": storetest.NewClock().Now().Add(time.Hour).Unix(),
	}
	for k, v := range p.claims {
		all[k] = v
	}
	b64 := base64.RawURLEncoding.EncodeToString
	body, _ := json.Marshal(all)
	text := b64([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	sig, _ := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	return text + "." + b64(sig)
}

func oidcBench(t *testing.T, p *fakeProvider) bench {
	t.Helper()
	return newBench(t, func(c *auth.Config) {
		c.OIDC = &auth.OIDC{
			Issuer: p.URL, Title: "Example", Client: "dossier", Secret: "s", Claim: "groups", HTTP: p.Client(),
			Roles: map[string][]dossier.Role{"fleet": {"coordinator"}, "doors": {"gate", "coordinator"}},
		}
	})
}

// visit goes to the provider and comes back with a code.
func (p *fakeProvider) visit(t *testing.T, b bench, back string) auth.Detour {
	t.Helper()
	to, d, err := b.StartOIDC(t.Context(), back)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	p.asked = u.Query()
	return d
}

func TestSignInThroughAProvider(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	p.claims = map[string]any{"name": "Ines V", "preferred_username": "ines", "email": "ines@example.org", "groups": []string{"doors", "other"}}
	b := oidcBench(t, p)
	if b.ProviderTitle() != "Example" {
		t.Errorf("title %q", b.ProviderTitle())
	}
	d := p.visit(t, b, "/cases/CASE-1")
	if p.asked.Get("code_challenge_method") != "S256" || p.asked.Get("redirect_uri") != "https://dossier.test/api/v1/session/oidc/callback" {
		t.Errorf("asked %v", p.asked)
	}
	in, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil {
		t.Fatal(err)
	}
	if d.Back != "/cases/CASE-1" || p.form.Get("code_verifier") != d.Verifier {
		t.Errorf("back %q, verifier sent %q", d.Back, p.form.Get("code_verifier"))
	}
	if in.User.Name != "ines" || in.User.Label() != "Ines V" || !slices.Equal(in.User.Roles, []dossier.Role{"gate", "coordinator"}) {
		t.Errorf("got %+v", in.User)
	}
	_, err = b.SignIn(t.Context(), "ines", "", here)
	wantKind(t, err, dossier.NotSignedIn)

	p.claims["groups"] = "fleet" // one group, not a list; roles follow
	d = p.visit(t, b, "/")
	again, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil || again.User.ID != in.User.ID || !slices.Equal(again.User.Roles, []dossier.Role{"coordinator"}) {
		t.Errorf("second time: %+v, %v", again.User, err)
	}
}

func TestProviderAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(p *fakeProvider, d *auth.Detour, state, code *string)
	}{
		"another state":  {func(_ *fakeProvider, _ *auth.Detour, state, _ *string) { *state = "x" }},
		"no detour":      {func(_ *fakeProvider, d *auth.Detour, _, _ *string) { *d = auth.Detour{} }},
		"no state":       {func(_ *fakeProvider, d *auth.Detour, state, _ *string) { d.State, *state = "", "" }},
		"another nonce":  {func(p *fakeProvider, _ *auth.Detour, _, _ *string) { p.nonce = "x" }},
		"a bad code":     {func(_ *fakeProvider, _ *auth.Detour, _, code *string) { *code = "bad" }},
		"for others":     {func(p *fakeProvider, _ *auth.Detour, _, _ *string) { p.claims["aud"] = "somebody" }},
		"another issuer": {func(p *fakeProvider, _ *auth.Detour, _, _ *string) { p.claims["iss"] = "https://evil.test" }},
		"expired": {func(p *fakeProvider, _ *auth.Detour, _, _ *string) {
			p.claims["exp"] = storetest.NewClock().Now().Add(-time.Second).Unix()
		}},
		"no role": {func(p *fakeProvider, _ *auth.Detour, _, _ *string) { p.claims["groups"] = []string{} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newFakeProvider(t)
			p.claims["groups"] = []string{"fleet"}
			b := oidcBench(t, p)
			d := p.visit(t, b, "/")
			state, code := d.State, "good"
			c.change(p, &d, &state, &code)
			_, err := b.FinishOIDC(t.Context(), d, state, code, here)
			wantKind(t, err, dossier.Forbidden)
		})
	}
}

func TestAProviderCannotTakeALocalName(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	p.claims = map[string]any{"preferred_username": "ada", "groups": []string{"fleet"}}
	b := oidcBench(t, p)
	admin := b.user(t, "ada", dossier.Admin)
	d := p.visit(t, b, "/")
	in, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil || in.User.ID == admin.ID || in.User.Name == "ada" || slices.Contains(in.User.Roles, dossier.Admin) {
		t.Errorf("got %+v, %v", in.User, err)
	}
}

func TestBackStaysHere(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	b := oidcBench(t, p)
	for back, want := range map[string]string{
		"": "/", "/inbox": "/inbox", "https://evil.test": "/", "//evil.test": "/", "/\\evil.test": "/", "/a\r\nb": "/",
	} {
		if d := p.visit(t, b, back); d.Back != want {
			t.Errorf("%q: got %q, want %q", back, d.Back, want)
		}
	}
}

func TestAProviderThatIsDown(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	b := oidcBench(t, p)
	p.Close()
	_, _, err := b.StartOIDC(t.Context(), "/")
	wantKind(t, err, dossier.Unavailable)
}
