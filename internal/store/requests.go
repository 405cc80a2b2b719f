package store

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/records"
)

// BeginRequest keeps r, or returns the answer to an earlier request of the same
// principal with the same key. It returns dossier.Conflict if that request had
// another digest or has no answer yet.
func (s *Store) BeginRequest(ctx context.Context, r records.Request) (a records.Answer, found bool, err error) {
	n, err := s.db.Exec(ctx, `INSERT INTO requests (by_id, idem_key, digest, at, status, type, body)
		VALUES ($1, $2, $3, $4, 0, '', '') ON CONFLICT DO NOTHING`, r.By, r.Key, r.Digest, r.At)
	if err != nil {
		return a, false, fmt.Errorf("keep request %s: %w", r.Key, err)
	}
	if n > 0 {
		return a, false, nil
	}
	var digest, body string
	err = s.db.QueryRow(ctx, "SELECT digest, status, type, body FROM requests WHERE by_id = $1 AND idem_key = $2", r.By, r.Key).
		Scan(&digest, &a.Status, &a.Type, &body)
	switch {
	case err != nil:
		return a, false, fmt.Errorf("request %s: %w", r.Key, err)
	case digest != r.Digest:
		return a, false, dossier.Errorf(dossier.Conflict, "The Idempotency-Key %s was used for another request.", r.Key)
	case a.Status == 0:
		return a, false, dossier.Errorf(dossier.Conflict, "The request with this Idempotency-Key is still being answered.")
	}
	if a.Body, err = base64.StdEncoding.DecodeString(body); err != nil {
		return a, false, fmt.Errorf("request %s: %w", r.Key, err)
	}
	return a, true, nil
}

// FinishRequest keeps the answer to a request.
func (s *Store) FinishRequest(ctx context.Context, by, key string, a records.Answer) error {
	_, err := s.db.Exec(ctx, "UPDATE requests SET status = $3, type = $4, body = $5 WHERE by_id = $1 AND idem_key = $2",
		by, key, a.Status, a.Type, base64.StdEncoding.EncodeToString(a.Body))
	if err != nil {
		return fmt.Errorf("answer request %s: %w", key, err)
	}
	return nil
}

// ForgetRequest lets the key be used again, after a failure that may be retried.
func (s *Store) ForgetRequest(ctx context.Context, by, key string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM requests WHERE by_id = $1 AND idem_key = $2", by, key)
	return err
}

// DropRequests deletes what is older than before.
func (s *Store) DropRequests(ctx context.Context, before time.Time) error {
	_, err := s.db.Exec(ctx, "DELETE FROM requests WHERE at < $1", before)
	return err
}
