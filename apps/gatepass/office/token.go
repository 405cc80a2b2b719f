package office

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/qr"
	"dossier/internal/db"
)

// Token returns what the QR code of a pass says. A pass that was rejected or deleted
// has none.
func (o *Office) Token(ctx context.Context, ref string) (pass.Pass, string, error) {
	p, err := o.find(ctx, ref)
	if err != nil {
		return pass.Pass{}, "", err
	}
	if p.Status.Revoked() {
		out := problem(http.StatusForbidden, p.Number, "Pass %s is %s and has no QR code.", p.Number, p.Status)
		out.State, out.Allowed = p.Status, pass.Allowed(p.Status, p.Returnable)
		out.AllowedFrom = []pass.Status{pass.Pending, pass.Approved, pass.Exited, pass.Returned}
		return pass.Pass{}, "", out
	}
	return p.Pass, qr.Sign(o.token(p.Pass), o.Sign), nil
}

func (o *Office) token(p pass.Pass) qr.Token {
	from := p.CreatedAt
	if p.ApprovedAt != nil {
		from = *p.ApprovedAt
	}
	until := from.Add(o.Validity)
	if p.ReturnBy != nil && p.ReturnBy.After(until) {
		until = *p.ReturnBy
	}
	return qr.Token{
		Number: p.Number, From: from.Unix(), Until: until.Unix(), Returnable: p.Returnable, Key: qr.KeyID(o.PublicKey),
		Approved: p.Status == pass.Approved || p.Status == pass.Exited || p.Status == pass.Returned,
	}
}

// GateKit is what a gate needs to check codes without the server. Of the passes that
// went out it holds those whose codes may still hold, because a pass goes out once.
type GateKit struct {
	Keys        []string       `json:"keys"` // ed25519 public keys, base64
	KeyIDs      []string       `json:"key_ids"`
	Revocations qr.Revocations `json:"revocations"`
	Out         []Exit         `json:"out"`  // passes that are out now and expected back
	Used        []Exit         `json:"used"` // passes that are back, or out for good
}

// An Exit is a pass that went out, and when.
type Exit struct {
	Number string    `json:"pass_number"`
	At     time.Time `json:"exit_time"`
}

// slack is how long a code that ran out is still spoken of, for gates whose clock is off.
const slack = 24 * time.Hour

// GateKit returns the keys, the signed revocation list, and the passes that went out.
func (o *Office) GateKit(ctx context.Context) (GateKit, error) {
	now := o.Now()
	// A code holds from the approval for as long as is configured, or until the return.
	since, until := micros(now.Add(-o.Validity-slack)), micros(now.Add(-slack))
	// What must not be asked of the status alone is asked with <>, so that the times decide
	// which rows are read: most passes ever made are back.
	numbers, err := gather(ctx, o, func(r db.Row) (n string, err error) { return n, r.Scan(&n) },
		`SELECT number FROM gatepass_passes WHERE created_at >= $1 AND NOT (status <> 'rejected' AND status <> 'deleted')
			OR status = 'deleted' AND (approved_at >= $1 OR return_by >= $2)`, since, until)
	if err != nil {
		return GateKit{}, err
	}
	out, err := gather(ctx, o, exit, `SELECT number, exit_at FROM gatepass_passes WHERE status = 'exited' AND returnable = 1 ORDER BY ord`)
	if err != nil {
		return GateKit{}, err
	}
	used, err := gather(ctx, o, exit, `SELECT number, exit_at FROM gatepass_passes
		WHERE (exit_at >= $1 OR return_by > 0 AND return_by >= $2 AND exit_at > 0) AND status <> 'deleted' AND NOT (status = 'exited' AND returnable = 1)`, since, until)
	if err != nil {
		return GateKit{}, err
	}
	slices.SortFunc(used, func(a, b Exit) int { return strings.Compare(a.Number, b.Number) })
	return GateKit{
		Keys: []string{base64.StdEncoding.EncodeToString(o.PublicKey)}, KeyIDs: []string{qr.KeyID(o.PublicKey)},
		Revocations: qr.SignList(numbers, o.PublicKey, o.Sign, now), Out: out, Used: used,
	}, nil
}

func exit(r db.Row) (e Exit, err error) {
	var at int64
	err = r.Scan(&e.Number, &at)
	e.At = time.UnixMicro(at).UTC()
	return e, err
}

// gather returns the rows of a query, and an empty list if there are none.
func gather[T any](ctx context.Context, o *Office, scan func(db.Row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := o.DB.Query(ctx, query, args...)
	out, err := db.Collect(rows, err, scan)
	if err != nil {
		return nil, fmt.Errorf("gather for the gate: %w", err)
	}
	if out == nil {
		out = []T{}
	}
	return out, nil
}

// Verify checks a scanned text with the server's own knowledge.
func (o *Office) Verify(ctx context.Context, text string) (qr.Verdict, *pass.Pass, error) {
	v := qr.Verify(text, []ed25519.PublicKey{o.PublicKey}, nil, o.Now())
	if v.Number == "" {
		return v, nil, nil
	}
	p, err := o.Pass(ctx, v.Number)
	if err != nil {
		return v, nil, err
	}
	if p.Status.Revoked() {
		v.Valid, v.Code, v.Reason = false, "revoked", fmt.Sprintf("Pass %s was %s. Do not let the person through.", p.Number, p.Status)
	}
	return v, &p, nil
}
