package auth

import (
	"context"
	"time"

	"dossier"
)

// A Store keeps who may sign in and how. Each method is one transaction. Secrets
// reach it hashed: passwords with argon2id, everything random with SHA-256.
type Store interface {
	Users
	Sessions
	Tokens
	Links
	Attempts
}

// Users keeps people.
type Users interface {
	// CreateUser returns dossier.Conflict if the name, or issuer and subject, are taken.
	CreateUser(ctx context.Context, u User) error
	// UpdateUser saves u with its Version raised by one. It returns dossier.Conflict
	// if the stored version is not u.Version.
	UpdateUser(ctx context.Context, u User) error
	User(ctx context.Context, id string) (User, error)
	UserByName(ctx context.Context, name string) (User, error)
	// UserBySubject finds who an identity provider vouched for.
	UserBySubject(ctx context.Context, issuer, subject string) (User, error)
	// Users returns everyone, by name.
	Users(ctx context.Context) ([]User, error)
}

// Sessions keeps who is signed in with a browser.
type Sessions interface {
	CreateSession(ctx context.Context, s Session) error
	// Session returns a session, by the hash of its secret, and its user.
	Session(ctx context.Context, hash string) (Session, User, error)
	// TouchSession moves Seen and Expires.
	TouchSession(ctx context.Context, hash string, seen, expires time.Time) error
	EndSession(ctx context.Context, hash string) error
	// EndSessions signs a user out everywhere, except from the session with the hash
	// keep; "" keeps none.
	EndSessions(ctx context.Context, user, keep string) error
	// DropSessions deletes sessions that expired before t.
	DropSessions(ctx context.Context, t time.Time) error
}

// Tokens keeps API tokens.
type Tokens interface {
	CreateToken(ctx context.Context, t Token) error
	// Token returns a token, by the hash of its secret, and its user.
	Token(ctx context.Context, hash string) (Token, User, error)
	// Tokens returns a user's tokens, newest first; "" for everyone's.
	Tokens(ctx context.Context, user string) ([]Token, error)
	// RevokeToken sets Revoked of the token with this ID, once. A user other than ""
	// must be its owner. It returns dossier.NotFound for any other.
	RevokeToken(ctx context.Context, id, user string, at time.Time) error
	TouchToken(ctx context.Context, hash string, used time.Time) error
}

// Links keeps one-time links.
type Links interface {
	CreateLink(ctx context.Context, l Link) error
	// Link returns a link by the hash of its secret.
	Link(ctx context.Context, hash string) (Link, error)
	// UseLink sets Used, and returns dossier.Conflict if it was set already.
	UseLink(ctx context.Context, hash string, at time.Time) error
	// DropLinks deletes the links of a user that nobody has used.
	DropLinks(ctx context.Context, user string) error
}

// Attempts keeps failed sign-ins, so that guessing is slow on every machine.
type Attempts interface {
	AddAttempt(ctx context.Context, key string, at time.Time) error
	// Attempts counts the attempts for a key at or after since.
	Attempts(ctx context.Context, key string, since time.Time) (int, error)
	ClearAttempts(ctx context.Context, key string) error
	// DropAttempts deletes attempts older than before.
	DropAttempts(ctx context.Context, before time.Time) error
}

// A User is a person who may sign in.
type User struct {
	ID       string         `json:"id"`   // "user-…"
	Name     string         `json:"name"` // what they sign in with; lower case, unique
	Display  string         `json:"display"`
	Mail     string         `json:"mail,omitempty"`
	Roles    []dossier.Role `json:"roles"`
	Password string         `json:"-"` // argon2id in its usual text form; "": cannot sign in with one
	Issuer   string         `json:"issuer,omitempty"`
	Subject  string         `json:"-"` // the issuer's name for them
	Disabled bool           `json:"disabled"`
	Created  time.Time      `json:"created"`
	Version  int            `json:"version"` // counts changes, for If-Match; from 1
}

// A Session is a browser that is signed in.
type Session struct {
	Hash    string // SHA-256 of the cookie's secret, in hex
	User    string
	Agent   string // the browser's name for itself
	Created time.Time
	Seen    time.Time
	Expires time.Time
}

// A Token lets a program act for its user, with some of the user's roles.
type Token struct {
	ID      string         `json:"id"` // "tok-…"
	Hash    string         `json:"-"`  // SHA-256 of the secret, in hex
	Hint    string         `json:"hint"`
	User    string         `json:"user"`
	Name    string         `json:"name"` // what it is for
	Roles   []dossier.Role `json:"roles"`
	Created time.Time      `json:"created"`
	Expires time.Time      `json:"expires,omitzero"` // zero: never
	Used    time.Time      `json:"used,omitzero"`    // last use, to the minute
	Revoked time.Time      `json:"revoked,omitzero"`
}

// A Link signs someone in once. It makes the first admin, invites people and lets
// them choose a new password.
type Link struct {
	Hash    string         // SHA-256 of the secret, in hex
	User    string         // who it signs in; "": whoever opens it becomes a new user
	Roles   []dossier.Role // the new user's
	Created time.Time
	Expires time.Time
	Used    time.Time // zero: not yet
}
