package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"dossier"
)

// How long a session lasts: until nobody used it for idle, and never longer than
// longest.
const (
	idle    = 12 * time.Hour
	longest = 7 * 24 * time.Hour
)

func sessionEnd(created, seen time.Time) time.Time {
	end, last := seen.Add(idle), created.Add(longest)
	if last.Before(end) {
		return last
	}
	return end
}

// A Visitor is who tries to sign in, as far as can be told before they have.
type Visitor struct {
	Addr  string // network address without port
	Agent string // the browser's name for itself
}

// A SignedIn is the result of signing in: the secret goes into the cookie and is
// kept nowhere else.
type SignedIn struct {
	User    User
	Secret  Secret
	Session Session
}

// SignIn checks a name and a password. After too many failures it returns
// dossier.TooMany without looking at the password.
func (a *Auth) SignIn(ctx context.Context, name string, password Secret, v Visitor) (SignedIn, error) {
	name = foldName(name)
	if err := a.attempt(ctx, name, v.Addr); err != nil {
		return SignedIn{}, err
	}
	u, err := a.cfg.Store.UserByName(ctx, name)
	if err != nil && !errors.Is(err, dossier.NotFound) {
		return SignedIn{}, err
	}
	ok, err := a.hasher.check(ctx, u.Password, password)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok || u.Disabled {
		return SignedIn{}, dossier.Errorf(dossier.NotSignedIn, "The name or the password is wrong.")
	}
	if err := a.forgive(ctx, name, v.Addr); err != nil {
		return SignedIn{}, err
	}
	return a.open(ctx, u, v)
}

// open starts a session for u.
func (a *Auth) open(ctx context.Context, u User, v Visitor) (SignedIn, error) {
	now := a.cfg.Now()
	secret := newSecret("")
	s := Session{
		Hash: secret.hash(), User: u.ID, Agent: cut(v.Agent, 200),
		Created: now, Seen: now, Expires: sessionEnd(now, now),
	}
	if err := a.cfg.Store.CreateSession(ctx, s); err != nil {
		return SignedIn{}, err
	}
	return SignedIn{User: u, Secret: secret, Session: s}, nil
}

// SignOut ends the session that id came with.
func (a *Auth) SignOut(ctx context.Context, id Identity) error {
	if id.Session == "" {
		return nil
	}
	return a.cfg.Store.EndSession(ctx, id.Session)
}

// Cookie returns the cookie that carries a session.
func (a *Auth) Cookie(in SignedIn) http.Cookie {
	c := a.NoCookie()
	c.Value = string(in.Secret)
	c.MaxAge = int(longest / time.Second)
	return c
}

// NoCookie returns a cookie that makes the browser forget its session.
func (a *Auth) NoCookie() http.Cookie {
	return http.Cookie{
		Name: a.cookieName(), Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: a.secure(), SameSite: http.SameSiteLaxMode,
	}
}

func (a *Auth) secure() bool { return strings.HasPrefix(a.cfg.URL, "https://") }

// cookieName has a prefix that makes browsers refuse the cookie from a subdomain or
// over plain HTTP, where the product is served over HTTPS.
func (a *Auth) cookieName() string {
	if a.secure() {
		return "__Host-dossier"
	}
	return "dossier"
}

func foldName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// cut keeps at most n bytes of s, and of those what is text.
func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }
