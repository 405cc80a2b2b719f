package office

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
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
	// Scan is the gate's id of it, and the Idempotency-Key if the scan was sent before
	// and no answer came: handing it in again changes nothing.
	Scan   string    `json:"scan"`
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
	Outcome string `json:"outcome"` // "applied", "refused", "repeated": it was on record already
	Reason  string `json:"reason,omitempty"`
}

const (
	// maxAhead is how far a gate's clock may be off before anybody minds.
	maxAhead = 5 * time.Minute
	// missingExit is how long a return waits for its exit, which another gate may still
	// have to hand in.
	missingExit = 24 * time.Hour
)

// Reconcile applies a queued scan as if it had come at its own time, or records why it
// could not be: the desks are told of a person who went through on a pass that did not
// allow it. The person has passed already, so neither a photo that cannot be kept nor a
// gate's clock that runs ahead costs the record of it. A return whose exit is missing
// is not taken yet: it is for the gate to hand in again.
func (o *Office) Reconcile(ctx context.Context, who Person, s QueuedScan) (Reconciled, error) {
	out := Reconciled{Scan: s.Scan, Number: s.Number, Outcome: "applied"}
	if bad := o.checkQueued(&s); len(bad) > 0 {
		return out, Invalid(bad...)
	}
	out.Number = s.Number
	m, err := o.moveOf(ctx, s)
	if err != nil {
		return out, err
	}
	err = o.DB.InTx(ctx, func(ctx context.Context) error {
		known, err := o.seen(ctx, who, s, &out)
		if err != nil || known {
			return err
		}
		_, err = o.Do(ctx, who, s.Number, m)
		if p, ok := errors.AsType[*Problem](err); ok && (p.Status == http.StatusForbidden || p.Status == http.StatusNotFound) {
			if s.Op == pass.Return && p.State == pass.Approved && o.Now().Sub(s.At) < missingExit {
				return problem(http.StatusConflict, s.Number, "The exit of %s is not on record yet. Hand the return in again when it is.", s.Number)
			}
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

// moveOf is what a queued scan did. A photo that may not be kept is left out, and in
// place of a time to come stands the present; the history says so.
func (o *Office) moveOf(ctx context.Context, s QueuedScan) (Move, error) {
	m := Move{Op: s.Op, At: s.At, Source: "offline", Note: "scanned offline at " + s.Gate}
	if now := o.Now(); s.At.After(now) {
		m.At = now
		if s.At.After(now.Add(maxAhead)) {
			m.Note = joinNotes(m.Note, "the gate's clock said "+s.At.In(o.Zone).Format("15:04 on 2 January 2006"))
		}
	}
	if len(s.Photo) == 0 {
		return m, nil
	}
	p, err := o.CheckPhoto(s.Photo)
	if err != nil {
		m.Note = joinNotes(m.Note, "no photo: "+err.Error())
		return m, nil
	}
	m.Photo = &p
	return m, o.PutPhoto(ctx, p)
}

// tooEarly is the problem of a scan made offline before the pass allowed it.
func (o *Office) tooEarly(p pass.Pass, m Move) error {
	if m.Source != "offline" {
		return nil
	}
	before, what := p.ApprovedAt, "approved"
	if m.Op == pass.Return {
		before, what = p.ExitTime, "scanned out"
	}
	if before == nil || !m.At.Add(maxAhead).Before(*before) {
		return nil
	}
	out := problem(http.StatusForbidden, p.Number, "Pass %s was %s only at %s.", p.Number, what, before.In(o.Zone).Format("15:04 on 2 January 2006"))
	out.State, out.Allowed = p.Status, pass.Allowed(p.Status, p.Returnable)
	return out
}

func (o *Office) checkQueued(s *QueuedScan) []pass.FieldError {
	bad := pass.CheckText("scan", s.Scan, 64)
	if s.Gate != "" {
		bad = append(bad, pass.CheckText("gate", s.Gate, pass.MaxName)...)
	}
	if s.Op != pass.Exit && s.Op != pass.Return {
		bad = append(bad, pass.FieldError{Field: "operation", Rule: "must be exit or return"})
	}
	if s.At.IsZero() {
		bad = append(bad, pass.FieldError{Field: "at", Rule: "must be the time of the scan"})
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

// seen reports whether a scan is on record, and how it got there: handed in before, or
// sent while the server could still be reached, with an answer that was lost.
func (o *Office) seen(ctx context.Context, who Person, s QueuedScan, out *Reconciled) (bool, error) {
	fresh, err := o.take(ctx, who.Principal, s.Scan, "offline")
	if err != nil {
		return false, err
	}
	var number, op string
	err = o.DB.QueryRow(ctx, `SELECT number, op, outcome, reason FROM gatepass_offline WHERE scan = $1`, s.Scan).Scan(&number, &op, &out.Outcome, &out.Reason)
	switch {
	case err == nil && number == s.Number && op == string(s.Op):
		return true, nil
	case err == nil:
		return false, anotherScan(s)
	case !errors.Is(err, dossier.NotFound):
		return false, fmt.Errorf("look for scan %s: %w", s.Scan, err)
	case fresh:
		return false, nil
	}
	var body string
	err = o.DB.QueryRow(ctx, `SELECT body FROM gatepass_requests WHERE principal = $1 AND request_key = $2`, who.ID, s.Scan).Scan(&body)
	if err != nil {
		return false, fmt.Errorf("look for scan %s: %w", s.Scan, err)
	}
	var p pass.Pass
	if json.Unmarshal([]byte(body), &p) != nil || p.Number != s.Number || len(p.History) == 0 || p.History[len(p.History)-1].Op != s.Op {
		return false, anotherScan(s)
	}
	out.Outcome = "repeated"
	return true, nil
}

// anotherScan is the problem of an id that stands for a scan already, but not this one.
func anotherScan(s QueuedScan) error {
	return problem(http.StatusConflict, s.Number, "The id %s was used for another scan. Hand this one in with an id of its own.", s.Scan)
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
