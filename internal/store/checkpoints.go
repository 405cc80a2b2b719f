package store

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/ledger"
)

var _ ledger.Store = (*Store)(nil)

func scanHead(r db.Row) (h ledger.Head, err error) {
	err = r.Scan(&h.Case, &h.Seq, &h.Hash)
	return h, err
}

// Uncovered returns the heads of all chains that grew since they were last covered.
func (s *Store) Uncovered(ctx context.Context) ([]ledger.Head, error) {
	rows, err := s.db.Query(ctx, `SELECT c.id, e.seq, e.hash FROM cases c
		JOIN evidence e ON e.case_id = c.id AND e.seq = c.entries
		WHERE c.entries > c.covered ORDER BY c.id`)
	return db.Collect(rows, err, scanHead)
}

// AddCheckpoint saves a checkpoint with the heads it covers. It returns
// dossier.Conflict if the number is taken.
func (s *Store) AddCheckpoint(ctx context.Context, c ledger.Checkpoint, heads []ledger.Head) error {
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode checkpoint %d: %w", c.Number, err)
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		n, err := s.db.Exec(ctx, `INSERT INTO checkpoints (number, at, body) VALUES ($1, $2, $3)
			ON CONFLICT DO NOTHING`, c.Number, c.At, json.RawMessage(body))
		if err != nil {
			return fmt.Errorf("save checkpoint %d: %w", c.Number, err)
		}
		if n == 0 {
			return dossier.Errorf(dossier.Conflict, "There is a checkpoint %d already.", c.Number)
		}
		for _, h := range heads {
			_, err := s.db.Exec(ctx, "INSERT INTO heads (checkpoint, case_id, seq, hash) VALUES ($1, $2, $3, $4)",
				c.Number, h.Case, h.Seq, h.Hash)
			if err != nil {
				return fmt.Errorf("save checkpoint %d: %w", c.Number, err)
			}
			if _, err := s.db.Exec(ctx, "UPDATE cases SET covered = $2 WHERE id = $1", h.Case, h.Seq); err != nil {
				return fmt.Errorf("save checkpoint %d: %w", c.Number, err)
			}
		}
		return nil
	})
}

// Checkpoints returns the newest checkpoints, newest first.
func (s *Store) Checkpoints(ctx context.Context, limit int) ([]ledger.Checkpoint, error) {
	rows, err := s.db.Query(ctx, "SELECT body FROM checkpoints ORDER BY number DESC LIMIT $1", limit)
	return db.Collect(rows, err, scanBody[ledger.Checkpoint])
}

// Covering returns the newest checkpoint that covers a case, with its heads, or
// dossier.NotFound.
func (s *Store) Covering(ctx context.Context, id dossier.CaseID) (ledger.Checkpoint, []ledger.Head, error) {
	c, err := scanBody[ledger.Checkpoint](s.db.QueryRow(ctx, `SELECT body FROM checkpoints WHERE number =
		(SELECT max(checkpoint) FROM heads WHERE case_id = $1)`, id))
	if err != nil {
		return c, nil, notFound(err, "checkpoint that covers case", id)
	}
	rows, err := s.db.Query(ctx, "SELECT case_id, seq, hash FROM heads WHERE checkpoint = $1 ORDER BY case_id", c.Number)
	heads, err := db.Collect(rows, err, scanHead)
	return c, heads, err
}

// scanBody reads a row whose only column is a value as JSON.
func scanBody[T any](r db.Row) (v T, err error) {
	var raw json.RawMessage
	if err := r.Scan(&raw); err != nil {
		return v, err
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("decode a stored %T: %w", v, err)
	}
	return v, nil
}
