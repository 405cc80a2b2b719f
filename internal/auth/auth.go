package auth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"dossier"
)

// A Config is what sign-in needs.
type Config struct {
	Store Store
	Now   func() time.Time
	NewID func(prefix string) string
	URL   string                  // the product's public address; https makes cookies secure
	Roles map[dossier.Role]string // every role that can be given, with what it is for
	Cost  Cost                    // of a password; zero: the default
	OIDC  *OIDC                   // nil: no identity provider
}

// An Auth finds out who requests are from and lets people sign in.
type Auth struct {
	cfg    Config
	hasher *hasher
	oidc   *provider
}

// New returns an Auth. The roles admin and auditor need not be in cfg.Roles.
func New(cfg Config) (*Auth, error) {
	roles := map[dossier.Role]string{
		dossier.Admin:   "Configures the product, manages users and sees every case.",
		dossier.Auditor: "Reads everything and decides nothing.",
	}
	maps.Copy(roles, cfg.Roles)
	cfg.Roles = roles
	a := &Auth{cfg: cfg, hasher: newHasher(cfg.Cost)}
	if cfg.OIDC != nil {
		p, err := newProvider(*cfg.OIDC, cfg.URL, cfg.Now)
		if err != nil {
			return nil, err
		}
		a.oidc = p
	}
	return a, nil
}

// Roles returns every role that can be given, with what it is for.
func (a *Auth) Roles() map[dossier.Role]string { return a.cfg.Roles }

// principal is u as the rest of the product knows them.
func principal(u User, roles []dossier.Role) dossier.Principal {
	return dossier.Principal{ID: u.ID, Name: u.Label(), Roles: slices.Clone(roles)}
}

// An Identity is who a request is from.
type Identity struct {
	dossier.Principal
	User    User
	Session string // hash of the session's secret; "" for a token
	Token   string // ID of the token; "" for a session

	hash string // of the secret that proved it
}

// Identify returns who r is from. It returns dossier.NotSignedIn if r names nobody,
// or names somebody with a secret that does not hold.
func (a *Auth) Identify(r *http.Request) (Identity, error) {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return a.byToken(r.Context(), Secret(strings.TrimSpace(bearer)).hash())
	}
	c, err := r.Cookie(a.cookieName())
	if err != nil {
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "Sign in first.")
	}
	return a.bySession(r.Context(), Secret(c.Value).hash())
}

func (a *Auth) byToken(ctx context.Context, hash string) (Identity, error) {
	t, u, err := a.cfg.Store.Token(ctx, hash)
	now := a.cfg.Now()
	switch {
	case errors.Is(err, dossier.NotFound):
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "This token is not known.")
	case err != nil:
		return Identity{}, err
	case !t.Revoked.IsZero():
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "This token was revoked.")
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "This token has expired.")
	case u.Disabled:
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "The user of this token may no longer sign in.")
	}
	if now.Sub(t.Used) > time.Minute {
		if err := a.cfg.Store.TouchToken(ctx, t.Hash, now); err != nil {
			return Identity{}, err
		}
	}
	return Identity{Principal: principal(u, both(t.Roles, u.Roles)), User: u, Token: t.ID, hash: hash}, nil
}

func (a *Auth) bySession(ctx context.Context, hash string) (Identity, error) {
	ses, u, err := a.cfg.Store.Session(ctx, hash)
	now := a.cfg.Now()
	switch {
	case errors.Is(err, dossier.NotFound):
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "Sign in again: your session ended.")
	case err != nil:
		return Identity{}, err
	case !now.Before(ses.Expires) || u.Disabled:
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "Sign in again: your session ended.")
	}
	if now.Sub(ses.Seen) > time.Minute {
		if err := a.cfg.Store.TouchSession(ctx, ses.Hash, now, sessionEnd(ses.Created, now)); err != nil {
			return Identity{}, err
		}
	}
	return Identity{Principal: principal(u, u.Roles), User: u, Session: ses.Hash, hash: hash}, nil
}

// Refresh returns id as it is now, for whoever stays connected: it fails once the
// session ended, the token was revoked or the user may no longer sign in.
func (a *Auth) Refresh(ctx context.Context, id Identity) (Identity, error) {
	if id.hash == "" {
		return Identity{}, dossier.Errorf(dossier.NotSignedIn, "Sign in first.")
	}
	if id.Token != "" {
		return a.byToken(ctx, id.hash)
	}
	return a.bySession(ctx, id.hash)
}

// Current returns p with the roles it holds now: those of p that its user still has.
// Whoever starts work for a person long after the request asks this first. The
// product itself and principals that are not users stay as they are.
func (a *Auth) Current(ctx context.Context, p dossier.Principal) (dossier.Principal, error) {
	if p.Has(dossier.System) {
		return p, nil
	}
	u, err := a.cfg.Store.User(ctx, p.ID)
	if errors.Is(err, dossier.NotFound) {
		return p, nil
	}
	if err != nil {
		return dossier.Principal{}, err
	}
	if u.Disabled {
		p.Roles = nil
		return p, nil
	}
	p.Roles = both(p.Roles, u.Roles)
	return p, nil
}

// both returns the roles that are in a and in b.
func both(a, b []dossier.Role) []dossier.Role {
	out := []dossier.Role{}
	for _, r := range a {
		if slices.Contains(b, r) {
			out = append(out, r)
		}
	}
	return out
}

// Sweep deletes what nobody can use any more.
func (a *Auth) Sweep(ctx context.Context) error {
	now := a.cfg.Now()
	return errors.Join(
		a.cfg.Store.DropSessions(ctx, now),
		a.cfg.Store.DropAttempts(ctx, now.Add(-window)),
	)
}
