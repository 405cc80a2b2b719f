package office

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dossier"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/qr"
)

// A QueuedScan is a scan that a gate made while it could not reach the server.
type QueuedScan struct {
	Scan   string    `json:"scan"`  // the gate's id of it: syncing twice changes nothing
	Token  string    `json:"token"` // what the QR code said; "" if the number was typed
	Number string    `json:"pass_number"`
	Op     pass.Op   `json:"operation"`
	Gate   string    `json:"gate"`
	At     time.Time `json:"at"`
	Photo  []byte    `json:"photo,omitempty"`
}

// A Reconciled scan is what became of a queued one.
type Reconciled struct {
	Scan    string `json:"scan"`
	Number  string `json:"pass_number"`
	Outcome string `json:"outcome"` // "applied", "refused", "repeated"
	Reason  string `json:"reason,omitempty"`
}

// maxAhead is how far a gate's clock may run before the server's.
const maxAhead = 5 * time.Minute

// Reconcile applies a queued scan as if it had come at its own time, or records why it
// could not be: the desks are told of a person who went through on a pass that did not
// allow it. Until then the pass shows what the server knows; afterwards the move is
// marked as made offline.
func (o *Office) Reconcile(ctx context.Context, who Person, s QueuedScan) (Reconciled, error) {
	out := Reconciled{Scan: s.Scan, Number: s.Number, Outcome: "applied"}
	if bad := o.checkQueued(&s); len(bad) > 0 {
		return out, Invalid(bad...)
	}
	out.Number = s.Number
	m := Move{Op: s.Op, At: s.At, Source: "offline", Note: "scanned offline at " + s.Gate}
	if len(s.Photo) > 0 {
		p, err := o.CheckPhoto(s.Photo)
		if err != nil {
			return out, err
		}
		if err := o.PutPhoto(ctx, p); err != nil {
			return out, err
		}
		m.Photo = &p
	}
	err := o.DB.InTx(ctx, func(ctx context.Context) error {
		known, err := o.seen(ctx, s.Scan, &out)
		if err != nil || known {
			return err
		}
		_, err = o.Do(ctx, who, s.Number, m)
		if p, ok := errors.AsType[*Problem](err); ok && (p.Status == http.StatusForbidden || p.Status == http.StatusNotFound) {
			out.Outcome, out.Reason = "refused", p.Detail
			err = o.tellRefused(ctx, s, p)
		}
		if err != nil {
			return err
		}
		_, err = o.DB.Exec(ctx, `INSERT INTO gatepass_offline (scan, number, op, gate, scanned_at, synced_at, outcome, reason, by_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			s.Scan, s.Number, string(s.Op), s.Gate, micros(s.At), micros(o.Now()), out.Outcome, out.Reason, who.ID)
		if err != nil {
			return fmt.Errorf("record offline scan: %w", err)
		}
		if out.Outcome == "applied" {
			return o.verified(ctx, s)
		}
		return nil
	})
	return out, err
}

func (o *Office) checkQueued(s *QueuedScan) []pass.FieldError {
	var bad []pass.FieldError
	if s.Scan == "" || len(s.Scan) > 64 {
		bad = append(bad, pass.FieldError{Field: "scan", Rule: "must be an id of at most 64 characters"})
	}
	if s.Op != pass.Exit && s.Op != pass.Return {
		bad = append(bad, pass.FieldError{Field: "operation", Rule: "must be exit or return"})
	}
	if s.At.IsZero() || s.At.After(o.Now().Add(maxAhead)) {
		bad = append(bad, pass.FieldError{Field: "at", Rule: "must be the time of the scan, not one to come"})
	}
	if s.Token != "" {
		v := qr.Verify(s.Token, []ed25519.PublicKey{o.PublicKey}, nil, s.At)
		if v.Number == "" || s.Number != "" && s.Number != v.Number {
			bad = append(bad, pass.FieldError{Field: "token", Rule: "is not the code of this pass"})
		} else {
			s.Number = v.Number
		}
	}
	n, ok := pass.ParseNumber(s.Number)
	if !ok {
		bad = append(bad, pass.FieldError{Field: "pass_number", Rule: "must have the form GP-YYYY-NNNN"})
	}
	s.Number = n
	return bad
}

// seen reports whether a scan was reconciled before, and how.
func (o *Office) seen(ctx context.Context, scan string, out *Reconciled) (bool, error) {
	err := o.DB.QueryRow(ctx, `SELECT number, outcome, reason FROM gatepass_offline WHERE scan = $1`, scan).Scan(&out.Number, &out.Outcome, &out.Reason)
	if errors.Is(err, dossier.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// verified takes the mark off a pass whose offline scan is now on record.
func (o *Office) verified(ctx context.Context, s QueuedScan) error {
	_, err := o.DB.Exec(ctx, `UPDATE gatepass_passes SET unverified = 0 WHERE number = $1`, s.Number)
	if err != nil {
		return fmt.Errorf("verify offline scan: %w", err)
	}
	return nil
}

func (o *Office) tellRefused(ctx context.Context, s QueuedScan, why *Problem) error {
	p, err := o.find(ctx, s.Number)
	if err != nil {
		if pr, ok := errors.AsType[*Problem](err); !ok || pr.Status != http.StatusNotFound {
			return err
		}
		p.Number = s.Number
	}
	return o.tell(ctx, p.Pass, "admin", "offline_refused", fmt.Sprintf("The gate %s let someone %s on %s at %s while offline, but: %s",
		s.Gate, map[pass.Op]string{pass.Exit: "out", pass.Return: "in"}[s.Op], s.Number, s.At.In(o.Zone).Format("15:04 on 2 January"), why.Detail))
}
