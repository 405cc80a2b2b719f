package store

import (
	"context"
	"fmt"

	"dossier"
)

// Setting returns a value that the product keeps for itself, such as its signing
// key, or dossier.NotFound. Whoever stores a secret seals it first.
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var v string
	err := s.db.QueryRow(ctx, "SELECT value FROM settings WHERE name = $1", name).Scan(&v)
	return v, notFound(err, "setting", name)
}

// SetSetting stores a value.
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	_, err := s.db.Exec(ctx, `INSERT INTO settings (name, value, updated) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated = excluded.updated`, name, value, s.now())
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}

// FirstSetting stores a value unless there is one, and returns the one that is stored:
// of two processes that make a key at the same time, both use the same.
func (s *Store) FirstSetting(ctx context.Context, name, value string) (string, error) {
	v, err := s.Setting(ctx, name)
	if dossier.KindOf(err) != dossier.NotFound {
		return v, err
	}
	_, err = s.db.Exec(ctx, `INSERT INTO settings (name, value, updated) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO NOTHING`, name, value, s.now())
	if err != nil {
		return "", fmt.Errorf("set %s: %w", name, err)
	}
	return s.Setting(ctx, name)
}
