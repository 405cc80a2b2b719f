package auth

import (
	"context"
	"slices"
	"strings"
	"time"

	"dossier"
)

// tokenPrefix lets people and secret scanners see what a token is.
const tokenPrefix = "dossier_"

// AddToken makes a token for whoever asks, with some of their roles. The secret is
// returned here and never again.
func (a *Auth) AddToken(ctx context.Context, by dossier.Principal, name string, roles []dossier.Role, expires time.Time) (Token, Secret, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Token{}, "", dossier.Errorf(dossier.Invalid, "Say what the token is for.")
	}
	if len(roles) == 0 {
		return Token{}, "", dossier.Errorf(dossier.Invalid, "Choose at least one role for the token.")
	}
	for _, r := range roles {
		if !by.Has(r) {
			return Token{}, "", dossier.Errorf(dossier.Forbidden, "You do not hold the role %q, so your token cannot either.", r)
		}
	}
	now := a.cfg.Now()
	if !expires.IsZero() && !expires.After(now) {
		return Token{}, "", dossier.Errorf(dossier.Invalid, "The token would already have expired.")
	}
	secret := newSecret(tokenPrefix)
	t := Token{
		ID: a.cfg.NewID("tok-"), Hash: secret.hash(), Hint: string(secret[:len(tokenPrefix)+4]),
		User: by.ID, Name: cut(name, 200), Roles: slices.Clone(roles), Created: now, Expires: expires,
	}
	return t, secret, a.cfg.Store.CreateToken(ctx, t)
}

// Tokens returns a user's tokens, newest first; "" for everyone's.
func (a *Auth) Tokens(ctx context.Context, user string) ([]Token, error) {
	return a.cfg.Store.Tokens(ctx, user)
}

// RevokeToken makes a token useless at once. An admin may revoke everyone's, others
// only their own.
func (a *Auth) RevokeToken(ctx context.Context, by dossier.Principal, id string) error {
	owner := by.ID
	if by.Has(dossier.Admin) {
		owner = ""
	}
	return a.cfg.Store.RevokeToken(ctx, id, owner, a.cfg.Now())
}
