package auth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/store/storetest"
)

const password auth.Secret = "correct horse battery"

// A bench is an Auth on a fresh store, with a clock that tests move.
type bench struct {
	*auth.Auth
	now *storetest.Clock
	url string // of the store
}

func (b bench) wait(d time.Duration) { b.now.Add(d) }

func newBench(t *testing.T, change func(*auth.Config)) bench {
	t.Helper()
	b := bench{now: storetest.NewClock(), url: storetest.URL(t, "sqlite")}
	var ids atomic.Int64
	cfg := auth.Config{
		Store: storetest.OpenURL(t, b.url, b.now), Now: b.now.Now,
		NewID: func(p string) string { return fmt.Sprintf("%s%d", p, ids.Add(1)) },
		URL:   "https://dossier.test", Roles: map[dossier.Role]string{"coordinator": "Decides.", "gate": "Scans."},
		Cost: auth.Cost{Memory: 64, Passes: 1, Threads: 1},
	}
	if change != nil {
		change(&cfg)
	}
	a, err := auth.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Auth = a
	return b
}

func (b bench) user(t *testing.T, name string, roles ...dossier.Role) auth.User {
	t.Helper()
	u, err := b.AddUser(t.Context(), auth.NewUser{Name: name, Display: "Person " + name, Roles: roles, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var here = auth.Visitor{Addr: "192.0.2.1", Agent: "test"}

// request returns a request that carries a cookie.
func (b bench) request(in auth.SignedIn) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	c := b.Cookie(in)
	r.AddCookie(&c)
	return r
}

func bearer(s auth.Secret) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+string(s))
	return r
}

func wantKind(t *testing.T, err error, k dossier.Kind) {
	t.Helper()
	if !errors.Is(err, k) {
		t.Fatalf("got %v, want %s", err, k)
	}
}

func TestSignInWithAPassword(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.user(t, "ines", "coordinator")
	in, err := b.SignIn(t.Context(), " Ines ", password, here)
	if err != nil {
		t.Fatal(err)
	}
	id, err := b.Identify(b.request(in))
	if err != nil || id.ID != u.ID || id.Principal.Name != "Person ines" || !id.Has("coordinator") {
		t.Fatalf("got %+v, %v", id.Principal, err)
	}
	c := b.Cookie(in)
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Name != "__Host-dossier" {
		t.Errorf("cookie %+v", c)
	}
	for name, pw := range map[string]auth.Secret{"ines": "wrong password", "nobody": password, "": ""} {
		_, err := b.SignIn(t.Context(), name, pw, here)
		wantKind(t, err, dossier.NotSignedIn)
		if got := dossier.Message(err); got != "The name or the password is wrong." {
			t.Errorf("%s is told %q, which says more than it should", name, got)
		}
	}
}

func TestStoredSecretsAreHashed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.user(t, "ines", "coordinator")
	in, err := b.SignIn(t.Context(), "ines", password, here)
	if err != nil {
		t.Fatal(err)
	}
	_, tok, err := b.AddToken(t.Context(), dossier.Principal{ID: u.ID, Roles: u.Roles}, "ci", u.Roles, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	link, err := b.NewLink(t.Context(), u.ID, nil, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	file, _, _ := strings.Cut(strings.TrimPrefix(b.url, "sqlite:"), "?")
	for _, name := range []string{file, file + "-wal"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kept.Write(raw)
	}
	if !strings.Contains(kept.String(), u.Password) {
		t.Fatal("the test does not look where users are stored")
	}
	for name, s := range map[string]auth.Secret{"password": password, "session": in.Secret, "token": tok, "link": link} {
		if strings.Contains(kept.String(), string(s)) {
			t.Errorf("the %s is stored as it is", name)
		}
	}
	if !strings.HasPrefix(u.Password, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Errorf("password is stored as %s", u.Password)
	}
}

func TestSecretsArePrintedHidden(t *testing.T) {
	t.Parallel()
	s := auth.Secret("do-not-print")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "in", struct{ S auth.Secret }{s})
	printed := fmt.Sprintf("%v %s %+v %#v %q", s, s, struct{ S auth.Secret }{s}, struct{ S auth.Secret }{s}, s)
	if strings.Contains(printed, "do-not-print") {
		t.Errorf("printed: %s", printed)
	}
	raw, err := json.Marshal(s)
	if err != nil || string(raw) != `"do-not-print"` {
		t.Errorf("JSON is how a secret is shown once: got %s, %v", raw, err)
	}
}

func TestLockout(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.user(t, "ines", "coordinator")
	for range 10 {
		_, err := b.SignIn(t.Context(), "ines", "wrong password", here)
		wantKind(t, err, dossier.NotSignedIn)
	}
	_, err := b.SignIn(t.Context(), "ines", password, here)
	wantKind(t, err, dossier.TooMany)

	elsewhere := auth.Visitor{Addr: "192.0.2.2"}
	if _, err := b.SignIn(t.Context(), "ines", password, elsewhere); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
	b.wait(15*time.Minute + time.Second)
	if _, err := b.SignIn(t.Context(), "ines", password, here); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestLockoutCountsManyAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.user(t, "ines", "coordinator")
	var looked atomic.Int64
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			if _, err := b.SignIn(t.Context(), "ines", "wrong password", here); errors.Is(err, dossier.NotSignedIn) {
				looked.Add(1)
			}
		})
	}
	wg.Wait()
	if n := looked.Load(); n > 10 {
		t.Errorf("%d of 40 guesses were looked at, want at most 10", n)
	}
}

func TestSuccessForgivesTheNameNotTheAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.user(t, "ines", "coordinator")
	for range 5 {
		for range 9 {
			_, err := b.SignIn(t.Context(), "ines", "wrong password", here)
			wantKind(t, err, dossier.NotSignedIn)
		}
		if _, err := b.SignIn(t.Context(), "ines", password, here); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	for i := 0; i < 60 && !errors.Is(err, dossier.TooMany); i++ {
		_, err = b.SignIn(t.Context(), fmt.Sprintf("other%d", i), "wrong password", here)
	}
	wantKind(t, err, dossier.TooMany)
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.user(t, "ines", "coordinator")
	sign := func() auth.SignedIn {
		in, err := b.SignIn(t.Context(), "ines", password, here)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	gone := func(name string, in auth.SignedIn) {
		t.Helper()
		if _, err := b.Identify(b.request(in)); !errors.Is(err, dossier.NotSignedIn) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	in := sign()
	id, err := b.Identify(b.request(in))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SignOut(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	gone("signed out", in)

	in = sign()
	b.wait(12*time.Hour + time.Second)
	gone("idle", in)

	in = sign()
	for range 14 { // used every eleven hours, it still ends after a week
		b.wait(11 * time.Hour)
		if _, err := b.Identify(b.request(in)); err != nil {
			t.Fatal(err)
		}
	}
	b.wait(15 * time.Hour)
	gone("a week old", in)

	in = sign()
	off := true
	if _, err := b.ChangeUser(t.Context(), dossier.Principal{ID: "admin", Roles: []dossier.Role{dossier.Admin}}, u.ID, u.Version, auth.UserChange{Disabled: &off}); err != nil {
		t.Fatal(err)
	}
	gone("disabled", in)
	_, err = b.SignIn(t.Context(), "ines", password, here)
	wantKind(t, err, dossier.NotSignedIn)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.user(t, "ines", "coordinator", "gate")
	p := dossier.Principal{ID: u.ID, Name: "Ines", Roles: u.Roles}
	tok, secret, err := b.AddToken(t.Context(), p, "scanner", []dossier.Role{"gate"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	id, err := b.Identify(bearer(secret))
	if err != nil || !slices.Equal(id.Roles, []dossier.Role{"gate"}) || id.ID != u.ID {
		t.Fatalf("a token holds its own roles: got %+v, %v", id.Principal, err)
	}
	if !strings.HasPrefix(string(secret), tok.Hint) || len(tok.Hint) > 12 {
		t.Errorf("hint %q does not fit the secret", tok.Hint)
	}

	t.Run("not more than the user has", func(t *testing.T) {
		_, _, err := b.AddToken(t.Context(), p, "x", []dossier.Role{dossier.Admin}, time.Time{})
		wantKind(t, err, dossier.Forbidden)
	})
	t.Run("not what the user has lost", func(t *testing.T) {
		roles := []dossier.Role{"coordinator"}
		if _, err := b.ChangeUser(t.Context(), p, u.ID, 1, auth.UserChange{Roles: &roles}); err != nil {
			t.Fatal(err)
		}
		if id, err := b.Identify(bearer(secret)); err != nil || len(id.Roles) != 0 {
			t.Errorf("got %v, %v", id.Roles, err)
		}
	})
	t.Run("expires", func(t *testing.T) {
		_, s, err := b.AddToken(t.Context(), p, "x", []dossier.Role{"gate"}, b.now.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		b.wait(time.Hour)
		_, err = b.Identify(bearer(s))
		wantKind(t, err, dossier.NotSignedIn)
	})
	t.Run("others cannot revoke", func(t *testing.T) {
		err := b.RevokeToken(t.Context(), dossier.Principal{ID: "user-9", Roles: []dossier.Role{"gate"}}, tok.ID)
		wantKind(t, err, dossier.NotFound)
	})
	t.Run("revoked", func(t *testing.T) {
		if err := b.RevokeToken(t.Context(), p, tok.ID); err != nil {
			t.Fatal(err)
		}
		_, err = b.Identify(bearer(secret))
		wantKind(t, err, dossier.NotSignedIn)
	})
	_, err = b.Identify(bearer("dossier_guess"))
	wantKind(t, err, dossier.NotSignedIn)
}

// TestAnOddBrowserSignsIn: what a browser calls itself may be no text.
func TestAnOddBrowserSignsIn(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.user(t, "ines")
	in, err := b.SignIn(t.Context(), "ines", password, auth.Visitor{Addr: here.Addr, Agent: "Brow\xffser"})
	if err != nil || in.Session.Agent != "Browser" {
		t.Errorf("got %+v, %v", in.Session, err)
	}
}

func TestChangeUser(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	admin := b.user(t, "ada", dossier.Admin)
	p := dossier.Principal{ID: admin.ID, Roles: admin.Roles}
	u := b.user(t, "ines")
	roles := []dossier.Role{"gate"}
	got, err := b.ChangeUser(t.Context(), p, u.ID, 1, auth.UserChange{Roles: &roles})
	if err != nil || got.Version != 2 || !slices.Equal(got.Roles, roles) {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = b.ChangeUser(t.Context(), p, u.ID, 1, auth.UserChange{Roles: &roles})
	wantKind(t, err, dossier.Conflict)
	roles = []dossier.Role{"emperor"}
	_, err = b.ChangeUser(t.Context(), p, u.ID, 2, auth.UserChange{Roles: &roles})
	wantKind(t, err, dossier.Invalid)
	roles = []dossier.Role{dossier.System}
	_, err = b.ChangeUser(t.Context(), p, u.ID, 2, auth.UserChange{Roles: &roles})
	wantKind(t, err, dossier.Invalid)
	roles = []dossier.Role{"gate"}
	_, err = b.ChangeUser(t.Context(), p, admin.ID, 1, auth.UserChange{Roles: &roles})
	wantKind(t, err, dossier.Conflict)
	_, err = b.AddUser(t.Context(), auth.NewUser{Name: "INES"})
	wantKind(t, err, dossier.Conflict)
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.user(t, "ines", "gate")
	one, err := b.SignIn(t.Context(), "ines", password, here)
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.SignIn(t.Context(), "ines", password, here)
	if err != nil {
		t.Fatal(err)
	}
	id, err := b.Identify(b.request(one))
	if err != nil {
		t.Fatal(err)
	}
	wantKind(t, b.ChangePassword(t.Context(), id, "wrong password", "another good one", here), dossier.Forbidden)
	wantKind(t, b.ChangePassword(t.Context(), id, password, "short", here), dossier.Invalid)
	if err := b.ChangePassword(t.Context(), id, password, "another good one", here); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Identify(b.request(one)); err != nil {
		t.Errorf("whoever changes it stays signed in: %v", err)
	}
	_, err = b.Identify(b.request(two))
	wantKind(t, err, dossier.NotSignedIn)
}

func TestCurrentRoles(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.user(t, "ines", "gate")
	then := dossier.Principal{ID: u.ID, Roles: []dossier.Role{"gate", "coordinator"}}
	if p, err := b.Current(t.Context(), then); err != nil || !slices.Equal(p.Roles, []dossier.Role{"gate"}) {
		t.Errorf("got %v, %v", p.Roles, err)
	}
	if p, err := b.Current(t.Context(), dossier.SystemPrincipal); err != nil || !p.Has(dossier.System) {
		t.Errorf("the product itself: %v, %v", p, err)
	}
	off := true
	if _, err := b.ChangeUser(t.Context(), dossier.Principal{ID: "x"}, u.ID, 1, auth.UserChange{Disabled: &off}); err != nil {
		t.Fatal(err)
	}
	if p, err := b.Current(t.Context(), then); err != nil || len(p.Roles) != 0 {
		t.Errorf("disabled: got %v, %v", p.Roles, err)
	}
}
