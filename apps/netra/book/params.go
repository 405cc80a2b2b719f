package book

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/internal/db"
)

// A Proposal is a proposed change of the numbers of the method, with what it would
// have changed.
type Proposal struct {
	ID        string          `json:"id"`
	Version   string          `json:"version"` // of the method with these numbers
	Params    engine.Params   `json:"params"`
	Why       string          `json:"why"` // redacted
	Proposer  string          `json:"proposer"`
	Proposed  time.Time       `json:"proposed"`
	BackTest  json.RawMessage `json:"back_test"`
	Case      dossier.CaseID  `json:"case"`
	Status    string          `json:"status"` // proposed, adopted or rejected
	Decided   time.Time       `json:"decided,omitzero"`
	DecidedBy string          `json:"decided_by,omitempty"`
}

// SaveProposal stores a new proposal.
func (b *Book) SaveProposal(ctx context.Context, p Proposal) error {
	raw, err := json.Marshal(p.Params)
	if err != nil {
		return fmt.Errorf("encode params: %w", err)
	}
	_, err = b.DB.Exec(ctx, `INSERT INTO netra_params (id, version, params, why, proposer, proposed, backtest, case_id, status, decided, decided_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'proposed', 0, '')`,
		p.ID, p.Version, string(raw), p.Why, p.Proposer, p.Proposed.UnixMicro(), string(p.BackTest), string(p.Case))
	if err != nil {
		return fmt.Errorf("save proposal: %w", err)
	}
	return nil
}

// Adopt puts a proposal into force, unless other numbers than those of version over have
// come into force since it was made: what it was held against no longer holds then, and
// what someone else decided would be undone unseen.
func (b *Book) Adopt(ctx context.Context, id, over string, base engine.Params, by string, at time.Time) error {
	return b.DB.InTx(ctx, func(ctx context.Context) error {
		if err := b.touch(ctx); err != nil { // and keep others from adopting meanwhile
			return err
		}
		e, err := b.InForce(ctx, base)
		if err != nil {
			return err
		}
		if e.Version() != over {
			return dossier.Errorf(dossier.Conflict, "Other weights have come into force since this was proposed, so its back-test no longer holds. Propose it again.")
		}
		return b.Decide(ctx, id, "adopted", by, at)
	})
}

// Decide settles a proposal. Adopting one advances the epoch, so that every process
// scores with the new numbers.
func (b *Book) Decide(ctx context.Context, id, status, by string, at time.Time) error {
	return b.DB.InTx(ctx, func(ctx context.Context) error {
		n, err := b.DB.Exec(ctx, `UPDATE netra_params SET status = $1, decided = $2, decided_by = $3 WHERE id = $4 AND status = 'proposed'`, status, at.UnixMicro(), by, id)
		if err != nil {
			return fmt.Errorf("decide proposal %s: %w", id, err)
		}
		if n == 0 {
			return dossier.Errorf(dossier.Conflict, "Proposal %s is not open any more.", id)
		}
		if status != "adopted" {
			return nil
		}
		return b.touch(ctx)
	})
}

const proposalColumns = `id, version, params, why, proposer, proposed, backtest, case_id, status, decided, decided_by`

func scanProposal(row db.Row) (p Proposal, err error) {
	var params, back string
	var proposed, decided int64
	if err := row.Scan(&p.ID, &p.Version, &params, &p.Why, &p.Proposer, &proposed, &back, &p.Case, &p.Status, &decided, &p.DecidedBy); err != nil {
		return p, err
	}
	p.Proposed, p.BackTest = micro(proposed), json.RawMessage(back)
	if decided != 0 {
		p.Decided = micro(decided)
	}
	if err := json.Unmarshal([]byte(params), &p.Params); err != nil {
		return p, fmt.Errorf("decode params of %s: %w", p.ID, err)
	}
	return p, nil
}

// Proposals returns the newest proposals.
func (b *Book) Proposals(ctx context.Context, limit int) ([]Proposal, error) {
	rows, err := b.DB.Query(ctx, `SELECT `+proposalColumns+` FROM netra_params ORDER BY proposed DESC LIMIT $1`, limit)
	return db.Collect(rows, err, scanProposal)
}

// Proposal returns one proposal.
func (b *Book) Proposal(ctx context.Context, id string) (Proposal, error) {
	p, err := scanProposal(b.DB.QueryRow(ctx, `SELECT `+proposalColumns+` FROM netra_params WHERE id = $1`, id))
	if errors.Is(err, dossier.NotFound) {
		return p, dossier.Errorf(dossier.NotFound, "There is no proposal %s.", id)
	}
	return p, err
}

// InForce returns an engine with the numbers that were adopted last, or with base if
// none ever were.
func (b *Book) InForce(ctx context.Context, base engine.Params) (*engine.Engine, error) {
	params, ok, err := b.Adopted(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		params = base
	}
	return engine.New(params)
}

// Adopted returns the numbers that were adopted last, and false if none ever were.
func (b *Book) Adopted(ctx context.Context) (engine.Params, bool, error) {
	p, err := scanProposal(b.DB.QueryRow(ctx, `SELECT `+proposalColumns+` FROM netra_params WHERE status = 'adopted' ORDER BY decided DESC LIMIT 1`))
	if errors.Is(err, dossier.NotFound) {
		return engine.Params{}, false, nil
	}
	if err != nil {
		return engine.Params{}, false, fmt.Errorf("adopted params: %w", err)
	}
	return p.Params, true, nil
}
