// Package office keeps the passes: it makes and numbers them, moves them from state to
// state, stores the photos taken at the gate, tells the desks what happened and
// answers who is out.
//
// Every change is one transaction with its history, its notifications and its
// idempotency record, on SQLite and PostgreSQL alike. A move is a compare-and-set on
// the state it starts from, so of two people who approve or scan at once exactly one
// succeeds and the other is told how the pass stands now. The rules are those of
// package pass; the office applies them and never bends them. It knows nothing of
// HTTP: problems come out as [*Problem], which says what an answer must say.
package office

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"gocloud.dev/blob"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/pass"
	"dossier/internal/app"
	"dossier/internal/db"
)

// An Office keeps passes in a database and photos in a bucket.
type Office struct {
	DB     db.DB
	Desk   app.Desk // for what is due and what happened; nil in tests of the records alone
	Photos *blob.Bucket
	Log    *slog.Logger
	Now    func() time.Time
	NewID  func(prefix string) string

	MaxPhoto int           // bytes
	Grace    time.Duration // how long someone without a time of return may stay out
	Validity time.Duration // how long a QR code holds from the approval on
	Zone     *time.Location
	URL      string // the product's address, for links to QR codes

	Sign      func([]byte) []byte
	PublicKey ed25519.PublicKey
}

// A Problem is why something was not done, with what the caller needs to go on.
type Problem struct {
	client.Problem
	cause error
}

func (p *Problem) Error() string { return p.Detail }

func (p *Problem) Unwrap() error { return p.cause }

// GetStatus returns the HTTP status of the problem.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType makes the answer a problem document.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// Details marks a problem whose text was written for the caller.
func (p *Problem) Details() {}

func problem(status int, identifier, format string, args ...any) *Problem {
	return &Problem{Problem: client.Problem{
		Title: http.StatusText(status), Status: status, Identifier: identifier, Detail: fmt.Sprintf(format, args...),
	}}
}

// Invalid returns the problem of input that breaks rules.
func Invalid(fields ...pass.FieldError) *Problem {
	p := problem(http.StatusUnprocessableEntity, "", "%s %s.", fields[0].Field, fields[0].Rule)
	p.Errors = fields
	return p
}

// NotFound returns the problem of something that is not there.
func NotFound(what, identifier string) *Problem {
	return problem(http.StatusNotFound, identifier, "There is no %s %s.", what, identifier)
}

// isID reports whether s may be an id. No database is asked about anything else.
func isID(s string) bool { return len(pass.CheckText("id", s, 64)) == 0 }

// A Person is who does something at the office.
type Person struct {
	dossier.Principal
	Claimed string // the name given in the request, if any
}

// claimed returns the name given if it is not the signed-in person's own.
func (p Person) claimed() string {
	if strings.EqualFold(strings.TrimSpace(p.Claimed), p.Name) {
		return ""
	}
	return strings.TrimSpace(p.Claimed)
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) *time.Time {
	if n == 0 {
		return nil
	}
	t := time.UnixMicro(n).UTC()
	return &t
}

const columns = `ord, id, number, person, purpose, returnable, status, created_at, created_by, approved_at, approved_by,
	claimed_name, exit_at, return_at, return_by, unverified`

// A row is a pass with its place in the order of all passes.
type row struct {
	ord int64
	pass.Pass
}

func (o *Office) scan(r db.Row) (row, error) {
	var p row
	var returnable, unverified int
	var created, approved, exit, back, by int64
	err := r.Scan(&p.ord, &p.ID, &p.Number, &p.Person, &p.Purpose, &returnable, &p.Status, &created, &p.CreatedBy, &approved,
		&p.ApprovedBy, &p.ClaimedName, &exit, &back, &by, &unverified)
	if err != nil {
		return p, err
	}
	p.Returnable, p.Unverified = returnable == 1, unverified == 1
	p.CreatedAt = time.UnixMicro(created).UTC()
	p.ApprovedAt, p.ExitTime, p.ReturnTime, p.ReturnBy = fromMicros(approved), fromMicros(exit), fromMicros(back), fromMicros(by)
	if !p.Status.Revoked() {
		p.QRCodeURL = o.URL + "/qr/" + p.Number
	}
	return p, nil
}

// find returns a pass by its number or id.
func (o *Office) find(ctx context.Context, ref string) (row, error) {
	query, key := `SELECT `+columns+` FROM gatepass_passes WHERE number = $1`, ref
	if n, ok := pass.ParseNumber(ref); ok {
		key = n
	} else if pass.IsID(strings.ToLower(strings.TrimSpace(ref))) {
		query, key = `SELECT `+columns+` FROM gatepass_passes WHERE id = $1`, strings.ToLower(strings.TrimSpace(ref))
	} else {
		return row{}, Invalid(pass.FieldError{Field: "pass_number", Rule: "must have the form GP-YYYY-NNNN"})
	}
	p, err := o.scan(o.DB.QueryRow(ctx, query, key))
	if errors.Is(err, dossier.NotFound) {
		return p, NotFound("pass", key)
	}
	if err != nil {
		return p, fmt.Errorf("read pass %s: %w", key, err)
	}
	return p, nil
}

// Pass returns a pass, by its number or id, with its history. Deleted passes are found
// too: their record stays.
func (o *Office) Pass(ctx context.Context, ref string) (pass.Pass, error) {
	p, err := o.find(ctx, ref)
	if err != nil {
		return pass.Pass{}, err
	}
	p.History, err = o.history(ctx, p.ord)
	return p.Pass, err
}

func (o *Office) history(ctx context.Context, ord int64) ([]pass.Change, error) {
	rows, err := o.DB.Query(ctx, `SELECT op, from_status, to_status, by_name, note, photo, source, at
		FROM gatepass_history WHERE ord = $1 ORDER BY seq`, ord)
	out, err := db.Collect(rows, err, func(r db.Row) (pass.Change, error) {
		var c pass.Change
		var at int64
		err := r.Scan(&c.Op, &c.From, &c.To, &c.By, &c.Note, &c.Photo, &c.Source, &at)
		c.At = time.UnixMicro(at).UTC()
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return out, nil
}
