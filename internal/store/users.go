package store

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/db"
)

var _ auth.Store = (*Store)(nil)

const userColumns = `u.id, u.name, u.display, u.mail, u.roles, u.password, u.issuer, u.subject, u.disabled, u.created,
	u.version`

func scanUser(r db.Row) (u auth.User, err error) {
	err = scanWithUser(r, &u)
	return u, err
}

// scanWithUser reads the columns before those of a user into dest.
func scanWithUser(r db.Row, u *auth.User, dest ...any) error {
	var roles string
	err := r.Scan(append(dest, &u.ID, &u.Name, &u.Display, &u.Mail, &roles, &u.Password, &u.Issuer, &u.Subject,
		&u.Disabled, &u.Created, &u.Version)...)
	if err != nil {
		return err
	}
	return unlist(roles, &u.Roles)
}

// CreateUser returns dossier.Conflict if the name, or issuer and subject, are taken.
func (s *Store) CreateUser(ctx context.Context, u auth.User) error {
	if u.ID == "" || u.Name == "" {
		return dossier.Errorf(dossier.Invalid, "A user needs an id and a name.")
	}
	n, err := s.db.Exec(ctx, `INSERT INTO users (id, name, display, mail, roles, password, issuer, subject, disabled, created,
		version) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		u.ID, u.Name, u.Display, u.Mail, list(u.Roles), u.Password, u.Issuer, u.Subject, u.Disabled, u.Created, max(u.Version, 1))
	if err != nil {
		return fmt.Errorf("create user %s: %w", u.Name, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.Conflict, "There is a user %s already.", u.Name)
	}
	return nil
}

// UpdateUser saves u with its Version raised by one. It returns dossier.Conflict if
// the stored version is not u.Version.
func (s *Store) UpdateUser(ctx context.Context, u auth.User) error {
	n, err := s.db.Exec(ctx, `UPDATE users SET name = $2, display = $3, mail = $4, roles = $5, password = $6, issuer = $7,
		subject = $8, disabled = $9, version = version + 1 WHERE id = $1 AND version = $10`,
		u.ID, u.Name, u.Display, u.Mail, list(u.Roles), u.Password, u.Issuer, u.Subject, u.Disabled, u.Version)
	if err != nil {
		return fmt.Errorf("update user %s: %w", u.Name, err)
	}
	if n > 0 {
		return nil
	}
	if _, err := s.User(ctx, u.ID); err != nil {
		return err
	}
	return dossier.Errorf(dossier.Conflict, "User %s has changed since you looked. Look again.", u.Name)
}

// User returns a user.
func (s *Store) User(ctx context.Context, id string) (auth.User, error) {
	u, err := scanUser(s.db.QueryRow(ctx, "SELECT "+userColumns+" FROM users u WHERE u.id = $1", id))
	return u, notFound(err, "user", id)
}

// UserByName returns the user who signs in with a name.
func (s *Store) UserByName(ctx context.Context, name string) (auth.User, error) {
	u, err := scanUser(s.db.QueryRow(ctx, "SELECT "+userColumns+" FROM users u WHERE u.name = $1", name))
	return u, notFound(err, "user", name)
}

// UserBySubject finds who an identity provider vouched for.
func (s *Store) UserBySubject(ctx context.Context, issuer, subject string) (auth.User, error) {
	u, err := scanUser(s.db.QueryRow(ctx, "SELECT "+userColumns+` FROM users u
		WHERE u.issuer = $1 AND u.subject = $2 AND u.issuer <> ''`, issuer, subject))
	return u, notFound(err, "user", subject)
}

// Users returns everyone, by name.
func (s *Store) Users(ctx context.Context) ([]auth.User, error) {
	rows, err := s.db.Query(ctx, "SELECT "+userColumns+" FROM users u ORDER BY u.name")
	return db.Collect(rows, err, scanUser)
}

// CreateSession stores a session.
func (s *Store) CreateSession(ctx context.Context, x auth.Session) error {
	_, err := s.db.Exec(ctx, `INSERT INTO sessions (hash, user_id, agent, created, seen, expires)
		VALUES ($1, $2, $3, $4, $5, $6)`, x.Hash, x.User, x.Agent, x.Created, x.Seen, x.Expires)
	if err != nil {
		return fmt.Errorf("create a session: %w", err)
	}
	return nil
}

// Session returns a session, by the hash of its secret, and its user.
func (s *Store) Session(ctx context.Context, hash string) (x auth.Session, u auth.User, err error) {
	err = scanWithUser(s.db.QueryRow(ctx, `SELECT s.hash, s.user_id, s.agent, s.created, s.seen, s.expires, `+userColumns+`
		FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.hash = $1`, hash),
		&u, &x.Hash, &x.User, &x.Agent, &x.Created, &x.Seen, &x.Expires)
	return x, u, err
}

// TouchSession moves Seen and Expires.
func (s *Store) TouchSession(ctx context.Context, hash string, seen, expires time.Time) error {
	_, err := s.db.Exec(ctx, "UPDATE sessions SET seen = $2, expires = $3 WHERE hash = $1", hash, seen, expires)
	return err
}

// EndSession signs a browser out.
func (s *Store) EndSession(ctx context.Context, hash string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM sessions WHERE hash = $1", hash)
	return err
}

// EndSessions signs a user out everywhere, except from the session with the hash
// keep; "" keeps none.
func (s *Store) EndSessions(ctx context.Context, user, keep string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM sessions WHERE user_id = $1 AND hash <> $2", user, keep)
	return err
}

// DropSessions deletes sessions that expired before t.
func (s *Store) DropSessions(ctx context.Context, t time.Time) error {
	_, err := s.db.Exec(ctx, "DELETE FROM sessions WHERE expires < $1", t)
	return err
}
