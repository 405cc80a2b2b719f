package auth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"dossier"
)

// An OIDC says how people sign in through an OpenID Connect provider.
type OIDC struct {
	Issuer string
	Title  string // what the button says: "Sign in with …"
	Client string
	Secret Secret
	Scopes []string // beside openid, profile and email

	// Claim names the claim that holds a person's groups, and Roles says which roles
	// each group gives. Roles are set anew at every sign-in.
	Claim string
	Roles map[string][]dossier.Role

	HTTP *http.Client
}

// CallbackPath is where the provider sends people back to.
const CallbackPath = "/api/v1/session/oidc/callback"

// A provider talks to one identity provider. It reads the provider's description at
// the first sign-in, not at the start: a provider that is down must not keep the
// product down.
type provider struct {
	cfg      OIDC
	redirect string
	now      func() time.Time

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier
	oauth    *oauth2.Config
}

func newProvider(cfg OIDC, url string, now func() time.Time) (*provider, error) {
	if cfg.Issuer == "" || cfg.Client == "" || url == "" {
		return nil, dossier.Errorf(dossier.Invalid, "Sign-in through an identity provider needs its issuer, a client and the product's public URL.")
	}
	if cfg.HTTP == nil {
		cfg.HTTP = http.DefaultClient
	}
	return &provider{cfg: cfg, redirect: url + CallbackPath, now: now}, nil
}

// ProviderTitle returns what the identity provider is called, and "" if there is none.
func (a *Auth) ProviderTitle() string {
	if a.oidc == nil {
		return ""
	}
	if a.oidc.cfg.Title == "" {
		return a.oidc.cfg.Issuer
	}
	return a.oidc.cfg.Title
}

func (p *provider) ready(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.oauth != nil {
		return p.oauth, p.verifier, nil
	}
	// The verifier keeps the context it was made with for fetching keys later, so
	// it must outlive this request.
	long := oidc.ClientContext(context.WithoutCancel(ctx), p.cfg.HTTP)
	found, err := oidc.NewProvider(long, p.cfg.Issuer)
	if err != nil {
		return nil, nil, dossier.Errorf(dossier.Unavailable, "The identity provider does not answer. Try again soon.").Because(err)
	}
	p.verifier = found.VerifierContext(long, &oidc.Config{ClientID: p.cfg.Client, Now: p.now})
	p.oauth = &oauth2.Config{
		ClientID: p.cfg.Client, ClientSecret: string(p.cfg.Secret), Endpoint: found.Endpoint(), RedirectURL: p.redirect,
		Scopes: append([]string{oidc.ScopeOpenID, "profile", "email"}, p.cfg.Scopes...),
	}
	return p.oauth, p.verifier, nil
}

// A Detour is what the browser keeps while it is at the identity provider. It ties
// the answer to the question: to this browser and to this one try.
type Detour struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // PKCE
	Back     string `json:"b"` // path to return to
}

// StartOIDC returns the provider's address to go to and what the browser must bring
// back.
func (a *Auth) StartOIDC(ctx context.Context, back string) (string, Detour, error) {
	if a.oidc == nil {
		return "", Detour{}, dossier.Errorf(dossier.NotFound, "No identity provider is configured.")
	}
	conf, _, err := a.oidc.ready(ctx)
	if err != nil {
		return "", Detour{}, err
	}
	d := Detour{
		State: string(newSecret("")), Nonce: string(newSecret("")), Verifier: oauth2.GenerateVerifier(), Back: localPath(back),
	}
	return conf.AuthCodeURL(d.State, oidc.Nonce(d.Nonce), oauth2.S256ChallengeOption(d.Verifier)), d, nil
}

// localPath returns a path of the product's own, whatever it is given. Browsers leave
// tabs and other control characters out and read \ as /, so "/<tab>/host" is another host.
func localPath(p string) string {
	odd := func(r rune) bool { return r == '\\' || unicode.IsControl(r) }
	if !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") || strings.ContainsFunc(p, odd) {
		return "/"
	}
	return p
}

// FinishOIDC takes the provider's answer and signs the person in.
func (a *Auth) FinishOIDC(ctx context.Context, d Detour, state, code string, v Visitor) (SignedIn, error) {
	if a.oidc == nil {
		return SignedIn{}, dossier.Errorf(dossier.NotFound, "No identity provider is configured.")
	}
	if d.State == "" || subtle.ConstantTimeCompare([]byte(d.State), []byte(state)) != 1 {
		return SignedIn{}, dossier.Errorf(dossier.Forbidden, "This sign-in was not started here. Begin again.")
	}
	c, err := a.oidc.exchange(ctx, d, code)
	if err != nil {
		return SignedIn{}, err
	}
	u, err := a.vouched(ctx, c)
	if err != nil {
		return SignedIn{}, err
	}
	return a.open(ctx, u, v)
}

// claims are what a provider says about a person.
type claims struct {
	Issuer   string
	Subject  string
	Name     string `json:"name"`
	Username string `json:"preferred_username"`
	Email    string `json:"email"`
	groups   []string
}

func (p *provider) exchange(ctx context.Context, d Detour, code string) (claims, error) {
	conf, verifier, err := p.ready(ctx)
	if err != nil {
		return claims{}, err
	}
	refused := dossier.Errorf(dossier.Forbidden, "The identity provider did not confirm who you are. Begin again.")
	tok, err := conf.Exchange(oidc.ClientContext(ctx, p.cfg.HTTP), code, oauth2.VerifierOption(d.Verifier))
	if err != nil {
		return claims{}, refused.Because(fmt.Errorf("exchange code: %w", withoutBody(err)))
	}
	raw, ok := tok.Extra("id_token").(string)
	if !ok {
		return claims{}, refused.Because(errors.New("no id_token in the answer"))
	}
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return claims{}, refused.Because(err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(d.Nonce)) != 1 {
		return claims{}, refused.Because(errors.New("nonce differs"))
	}
	c := claims{Issuer: id.Issuer, Subject: id.Subject}
	var all map[string]json.RawMessage
	if err := errors.Join(id.Claims(&c), id.Claims(&all)); err != nil {
		return claims{}, refused.Because(err)
	}
	c.groups = groupsIn(all[p.cfg.Claim])
	return c, nil
}

// withoutBody keeps the provider's answer, which may hold secrets, out of the log.
func withoutBody(err error) error {
	if re, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("status %d, error %q", re.Response.StatusCode, re.ErrorCode)
	}
	return err
}

// groupsIn reads a claim that is a list of names, or one.
func groupsIn(raw json.RawMessage) []string {
	var many []string
	if json.Unmarshal(raw, &many) == nil {
		return many
	}
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	return nil
}

// vouched returns the user a provider vouched for, adding or updating them.
func (a *Auth) vouched(ctx context.Context, c claims) (User, error) {
	roles := []dossier.Role{}
	for _, g := range c.groups {
		for _, r := range a.oidc.cfg.Roles[g] {
			if !slices.Contains(roles, r) {
				roles = append(roles, r)
			}
		}
	}
	if err := a.checkRoles(roles); err != nil {
		return User{}, err
	}
	u, err := a.cfg.Store.UserBySubject(ctx, c.Issuer, c.Subject)
	if errors.Is(err, dossier.NotFound) {
		return a.addVouched(ctx, c, roles)
	}
	if err != nil {
		return User{}, err
	}
	if u.Disabled {
		return User{}, dossier.Errorf(dossier.Forbidden, "You may no longer sign in.")
	}
	if len(a.oidc.cfg.Roles) > 0 && !slices.Equal(u.Roles, roles) {
		u.Roles = roles
		if err := a.cfg.Store.UpdateUser(ctx, u); err != nil {
			return User{}, err
		}
		u.Version++
	}
	return u, nil
}

func (a *Auth) addVouched(ctx context.Context, c claims, roles []dossier.Role) (User, error) {
	if len(roles) == 0 {
		return User{}, dossier.Errorf(dossier.Forbidden, "Your account gives you no role here. Ask an admin for one.")
	}
	name := foldName(c.Username)
	if !nameForm.MatchString(name) {
		name = foldName(c.Email)
	}
	if !nameForm.MatchString(name) {
		name = a.cfg.NewID("oidc-")
	}
	u := User{
		ID: a.cfg.NewID("user-"), Name: name, Display: cut(c.Name, 200), Mail: c.Email, Roles: roles,
		Issuer: c.Issuer, Subject: c.Subject, Created: a.cfg.Now(), Version: 1,
	}
	err := a.cfg.Store.CreateUser(ctx, u)
	if errors.Is(err, dossier.Conflict) {
		// A local user has the name. They are not the same person until an admin says so.
		u.Name = a.cfg.NewID("oidc-")
		err = a.cfg.Store.CreateUser(ctx, u)
	}
	return u, err
}
