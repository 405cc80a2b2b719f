package store

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/db"
)

const tokenColumns = "t.id, t.hash, t.hint, t.user_id, t.name, t.roles, t.created, t.expires, t.used, t.revoked"

// CreateToken stores an API token.
func (s *Store) CreateToken(ctx context.Context, t auth.Token) error {
	_, err := s.db.Exec(ctx, `INSERT INTO tokens (id, hash, hint, user_id, name, roles, created, expires, used, revoked)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		t.ID, t.Hash, t.Hint, t.User, t.Name, list(t.Roles), t.Created, t.Expires, t.Used, t.Revoked)
	if err != nil {
		return fmt.Errorf("create token %s: %w", t.ID, err)
	}
	return nil
}

// Token returns a token, by the hash of its secret, and its user.
func (s *Store) Token(ctx context.Context, hash string) (t auth.Token, u auth.User, err error) {
	var roles string
	err = scanWithUser(s.db.QueryRow(ctx, "SELECT "+tokenColumns+", "+userColumns+`
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1`, hash),
		&u, &t.ID, &t.Hash, &t.Hint, &t.User, &t.Name, &roles, &t.Created, &t.Expires, &t.Used, &t.Revoked)
	if err != nil {
		return t, u, err
	}
	return t, u, unlist(roles, &t.Roles)
}

// Tokens returns a user's tokens, newest first; "" for everyone's.
func (s *Store) Tokens(ctx context.Context, user string) ([]auth.Token, error) {
	w := where{}
	w.equal("t.user_id", user)
	rows, err := s.db.Query(ctx, "SELECT "+tokenColumns+" FROM tokens t"+w.sql()+" ORDER BY t.created DESC, t.id", w.args...)
	return db.Collect(rows, err, func(r db.Row) (t auth.Token, err error) {
		var roles string
		err = r.Scan(&t.ID, &t.Hash, &t.Hint, &t.User, &t.Name, &roles, &t.Created, &t.Expires, &t.Used, &t.Revoked)
		if err != nil {
			return t, err
		}
		return t, unlist(roles, &t.Roles)
	})
}

// RevokeToken sets Revoked of the token with this ID, once. A user other than "" must
// be its owner. It returns dossier.NotFound for any other.
func (s *Store) RevokeToken(ctx context.Context, id, user string, at time.Time) error {
	w := where{}
	w.args = append(w.args, at)
	w.add("id = ?", id)
	w.add("revoked = 0")
	w.equal("user_id", user)
	n, err := s.db.Exec(ctx, "UPDATE tokens SET revoked = $1"+w.sql(), w.args...)
	if err != nil {
		return fmt.Errorf("revoke token %s: %w", id, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.NotFound, "There is no token %s that could be revoked.", id)
	}
	return nil
}

// TouchToken notes when a token was used.
func (s *Store) TouchToken(ctx context.Context, hash string, used time.Time) error {
	_, err := s.db.Exec(ctx, "UPDATE tokens SET used = $2 WHERE hash = $1", hash, used)
	return err
}

// CreateLink stores a one-time link.
func (s *Store) CreateLink(ctx context.Context, l auth.Link) error {
	_, err := s.db.Exec(ctx, "INSERT INTO links (hash, user_id, roles, created, expires, used) VALUES ($1, $2, $3, $4, $5, $6)",
		l.Hash, l.User, list(l.Roles), l.Created, l.Expires, l.Used)
	if err != nil {
		return fmt.Errorf("create a link: %w", err)
	}
	return nil
}

// Link returns a link by the hash of its secret.
func (s *Store) Link(ctx context.Context, hash string) (l auth.Link, err error) {
	var roles string
	err = s.db.QueryRow(ctx, "SELECT hash, user_id, roles, created, expires, used FROM links WHERE hash = $1", hash).
		Scan(&l.Hash, &l.User, &roles, &l.Created, &l.Expires, &l.Used)
	if err != nil {
		return l, err
	}
	return l, unlist(roles, &l.Roles)
}

// UseLink sets Used, and returns dossier.Conflict if it was set already.
func (s *Store) UseLink(ctx context.Context, hash string, at time.Time) error {
	n, err := s.db.Exec(ctx, "UPDATE links SET used = $2 WHERE hash = $1 AND used = 0", hash, at)
	if err != nil {
		return fmt.Errorf("use a link: %w", err)
	}
	if n > 0 {
		return nil
	}
	if _, err := s.Link(ctx, hash); err != nil {
		return err
	}
	return dossier.Errorf(dossier.Conflict, "This link has been used already.")
}

// DropLinks deletes the links of a user that nobody has used.
func (s *Store) DropLinks(ctx context.Context, user string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM links WHERE user_id = $1 AND user_id <> '' AND used = 0", user)
	return err
}

// AddAttempt counts a failed sign-in.
func (s *Store) AddAttempt(ctx context.Context, key string, at time.Time) error {
	_, err := s.db.Exec(ctx, "INSERT INTO attempts (attempt_key, at) VALUES ($1, $2)", key, at)
	return err
}

// Attempts counts the attempts for a key at or after since.
func (s *Store) Attempts(ctx context.Context, key string, since time.Time) (int, error) {
	var n int
	err := s.db.QueryRow(ctx, "SELECT count(*) FROM attempts WHERE attempt_key = $1 AND at >= $2", key, since).Scan(&n)
	return n, err
}

// ClearAttempts forgets the attempts for a key.
func (s *Store) ClearAttempts(ctx context.Context, key string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM attempts WHERE attempt_key = $1", key)
	return err
}

// DropAttempts deletes attempts older than before.
func (s *Store) DropAttempts(ctx context.Context, before time.Time) error {
	_, err := s.db.Exec(ctx, "DELETE FROM attempts WHERE at < $1", before)
	return err
}
