package auth_test

import (
	"slices"
	"testing"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/auth/authtest"
	"dossier/internal/store/storetest"
)

func newProvider(t *testing.T) *authtest.Provider {
	return authtest.NewProvider(t, storetest.NewClock().Now())
}

func oidcBench(t *testing.T, p *authtest.Provider, claim string) bench {
	t.Helper()
	return newBench(t, func(c *auth.Config) {
		c.OIDC = &auth.OIDC{
			Issuer: p.URL, Title: "Example", Client: "dossier", Secret: "s", Claim: claim, HTTP: p.Client(),
			Roles: map[string][]dossier.Role{"fleet": {"coordinator"}, "doors": {"gate", "coordinator"}},
		}
	})
}

// visit goes to the provider, which lets everyone through.
func visit(t *testing.T, p *authtest.Provider, b bench, back string) auth.Detour {
	t.Helper()
	to, d, err := b.StartOIDC(t.Context(), back)
	if err != nil {
		t.Fatal(err)
	}
	p.Visit(t, to)
	return d
}

func TestSignInThroughAProvider(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Claims.Name, p.Claims.Username, p.Claims.Email, p.Claims.Groups = "Ines V", "ines", "ines@example.org", []string{"doors", "other"}
	b := oidcBench(t, p, "groups")
	if b.ProviderTitle() != "Example" {
		t.Errorf("title %q", b.ProviderTitle())
	}
	d := visit(t, p, b, "/cases/CASE-1")
	if p.Asked.Get("code_challenge_method") != "S256" || p.Asked.Get("redirect_uri") != "https://dossier.test/api/v1/session/oidc/callback" {
		t.Errorf("asked %v", p.Asked)
	}
	in, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil {
		t.Fatal(err)
	}
	if d.Back != "/cases/CASE-1" || p.Form.Get("code_verifier") != d.Verifier {
		t.Errorf("back %q, verifier sent %q", d.Back, p.Form.Get("code_verifier"))
	}
	if in.User.Name != "ines" || in.User.Label() != "Ines V" || !slices.Equal(in.User.Roles, []dossier.Role{"gate", "coordinator"}) {
		t.Errorf("got %+v", in.User)
	}
	_, err = b.SignIn(t.Context(), "ines", "", here)
	wantKind(t, err, dossier.NotSignedIn)

	p.Claims.Groups = []string{"fleet"} // roles follow
	d = visit(t, p, b, "/")
	again, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil || again.User.ID != in.User.ID || !slices.Equal(again.User.Roles, []dossier.Role{"coordinator"}) {
		t.Errorf("second time: %+v, %v", again.User, err)
	}
}

func TestOneGroupIsAGroupToo(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Claims.Group = "fleet"
	b := oidcBench(t, p, "group")
	d := visit(t, p, b, "/")
	in, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil || !slices.Equal(in.User.Roles, []dossier.Role{"coordinator"}) {
		t.Errorf("got %+v, %v", in.User, err)
	}
}

func TestProviderAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *authtest.Provider, d *auth.Detour, state, code *string){
		"another state":  func(_ *authtest.Provider, _ *auth.Detour, state, _ *string) { *state = "x" },
		"no detour":      func(_ *authtest.Provider, d *auth.Detour, _, _ *string) { *d = auth.Detour{} },
		"no state":       func(_ *authtest.Provider, d *auth.Detour, state, _ *string) { d.State, *state = "", "" },
		"another nonce":  func(p *authtest.Provider, _ *auth.Detour, _, _ *string) { p.Claims.Nonce = "x" },
		"a bad code":     func(_ *authtest.Provider, _ *auth.Detour, _, code *string) { *code = "bad" },
		"for others":     func(p *authtest.Provider, _ *auth.Detour, _, _ *string) { p.Claims.Audience = "somebody" },
		"another issuer": func(p *authtest.Provider, _ *auth.Detour, _, _ *string) { p.Claims.Issuer = "https://evil.test" },
		"expired":        func(p *authtest.Provider, _ *auth.Detour, _, _ *string) { p.Claims.Expires -= 3601 },
		"no role":        func(p *authtest.Provider, _ *auth.Detour, _, _ *string) { p.Claims.Groups = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			p.Claims.Groups = []string{"fleet"}
			b := oidcBench(t, p, "groups")
			d := visit(t, p, b, "/")
			state, code := d.State, "good"
			change(p, &d, &state, &code)
			_, err := b.FinishOIDC(t.Context(), d, state, code, here)
			wantKind(t, err, dossier.Forbidden)
		})
	}
}

func TestAProviderCannotTakeALocalName(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Claims.Username, p.Claims.Groups = "ada", []string{"fleet"}
	b := oidcBench(t, p, "groups")
	admin := b.user(t, "ada", dossier.Admin)
	d := visit(t, p, b, "/")
	in, err := b.FinishOIDC(t.Context(), d, d.State, "good", here)
	if err != nil || in.User.ID == admin.ID || in.User.Name == "ada" || slices.Contains(in.User.Roles, dossier.Admin) {
		t.Errorf("got %+v, %v", in.User, err)
	}
}

func TestBackStaysHere(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	b := oidcBench(t, p, "groups")
	for back, want := range map[string]string{
		"": "/", "/inbox": "/inbox", "https://evil.test": "/", "//evil.test": "/", "/\\evil.test": "/", "/a\r\nb": "/",
		"/\t/evil.test": "/", "/\x00/evil.test": "/", "/cases?q=a%20b#x": "/cases?q=a%20b#x",
	} {
		if d := visit(t, p, b, back); d.Back != want {
			t.Errorf("%q: got %q, want %q", back, d.Back, want)
		}
	}
}

func TestAProviderThatIsDown(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	b := oidcBench(t, p, "groups")
	p.Close()
	_, _, err := b.StartOIDC(t.Context(), "/")
	wantKind(t, err, dossier.Unavailable)
}
