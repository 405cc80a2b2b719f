package office

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/photo"
)

func data(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("encode event: " + err.Error()) // plain structs always encode
	}
	return raw
}

// A Move is one operation on a pass.
type Move struct {
	Op    pass.Op
	Photo *photo.Photo // of a scan
	Note  string
	At    time.Time // when it happened; zero: now
	// Source is "offline" for a scan that a gate made without the server.
	Source string
}

// Do applies m to the pass with this number or id. A pass whose state does not allow
// it stays as it is, and the problem says how it stands.
func (o *Office) Do(ctx context.Context, who Person, ref string, m Move) (pass.Pass, error) {
	if m.At.IsZero() {
		m.At = o.Now()
	}
	m.At = m.At.UTC().Truncate(time.Microsecond)
	var out pass.Pass
	err := o.DB.InTx(ctx, func(ctx context.Context) error {
		for {
			p, err := o.find(ctx, ref)
			if err != nil {
				return err
			}
			next, ok := pass.Next(p.Status, p.Returnable, m.Op)
			if !ok {
				return o.wrongState(p.Pass, m.Op)
			}
			if why := o.tooEarly(p.Pass, m); why != nil {
				return why
			}
			moved, err := o.set(ctx, who, p, next, m)
			if err != nil {
				return err
			}
			if moved {
				out, err = o.follow(ctx, who, p, next, m)
				return err
			}
			// Someone else moved it between the read and the write: look again.
		}
	})
	return out, err
}

// done are the operations as they are spoken of afterwards.
var done = map[pass.Op]string{
	pass.Approve: "approved", pass.Reject: "rejected", pass.Delete: "deleted", pass.Exit: "scanned out", pass.Return: "scanned in",
}

// wrongState says how the pass stands, what it allows now, and from where the
// operation would be allowed. A pass that went out shows when.
func (o *Office) wrongState(p pass.Pass, op pass.Op) *Problem {
	if p.Status == pass.Deleted {
		out := problem(http.StatusForbidden, p.Number, "Pass %s was deleted.", p.Number)
		out.State, out.Allowed, out.AllowedFrom = p.Status, pass.Allowed(p.Status, p.Returnable), pass.From(op, p.Returnable)
		return out
	}
	out := problem(http.StatusForbidden, p.Number, "Pass %s is %s and cannot be %s now.", p.Number, p.Status, done[op])
	out.State, out.Allowed, out.AllowedFrom = p.Status, pass.Allowed(p.Status, p.Returnable), pass.From(op, p.Returnable)
	if op == pass.Exit && p.ExitTime != nil {
		out.FirstExit = p.ExitTime
		out.Detail = fmt.Sprintf("Pass %s was already scanned out on %s.", p.Number, p.ExitTime.In(o.Zone).Format("2 January 2006 at 15:04 MST"))
	}
	return out
}

// set moves the row if it still stands where it was read, and reports whether it did.
func (o *Office) set(ctx context.Context, who Person, p row, next pass.Status, m Move) (bool, error) {
	at := micros(m.At)
	query, args := "", []any{string(next), p.ord, string(p.Status)}
	switch m.Op {
	case pass.Approve:
		query, args = `, approved_at = $4, approved_by = $5, claimed_name = $6`, append(args, at, who.Name, who.claimed())
	case pass.Exit:
		query, args = `, exit_at = $4, unverified = $5`, append(args, at, flag(m.Source == "offline"))
	case pass.Return:
		query, args = `, return_at = $4, unverified = $5`, append(args, at, flag(m.Source == "offline"))
	case pass.Reject, pass.Delete:
		// The name beside an approval stays the approver's; the history has the others.
		if p.ApprovedAt == nil {
			query, args = `, claimed_name = $4`, append(args, who.claimed())
		}
	}
	n, err := o.DB.Exec(ctx, `UPDATE gatepass_passes SET status = $1`+query+` WHERE ord = $2 AND status = $3`, args...)
	if err != nil {
		return false, fmt.Errorf("%s pass %s: %w", m.Op, p.Number, err)
	}
	return n == 1, nil
}

// follow writes what a move leaves behind: history, photo, notifications, due work.
func (o *Office) follow(ctx context.Context, who Person, before row, next pass.Status, m Move) (pass.Pass, error) {
	p, err := o.scan(o.DB.QueryRow(ctx, `SELECT `+columns+` FROM gatepass_passes WHERE ord = $1`, before.ord))
	if err != nil {
		return pass.Pass{}, fmt.Errorf("read pass %s: %w", before.Number, err)
	}
	var seq int
	if err := o.DB.QueryRow(ctx, `SELECT COALESCE(MAX(seq), 0) FROM gatepass_history WHERE ord = $1`, before.ord).Scan(&seq); err != nil {
		return pass.Pass{}, fmt.Errorf("read history: %w", err)
	}
	c := pass.Change{Op: m.Op, From: before.Status, To: next, By: who.Name, Note: m.Note, At: m.At, Source: m.Source}
	if name := who.claimed(); name != "" {
		c.Note = joinNotes(c.Note, "in the name of "+name)
	}
	if m.Photo != nil {
		c.Photo = m.Photo.SHA256
		if err := o.keepPhoto(ctx, p.ord, m); err != nil {
			return pass.Pass{}, err
		}
	}
	if err := o.note(ctx, p.ord, seq+1, who, c); err != nil {
		return pass.Pass{}, err
	}
	if err := o.announce(ctx, who, p.Pass, m); err != nil {
		return pass.Pass{}, err
	}
	p.History, err = o.history(ctx, p.ord)
	return p.Pass, err
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// announce tells the desks that care about a move, and plans the look at whether a
// person came back in time; a return brings that look forward, to close a case on it.
func (o *Office) announce(ctx context.Context, who Person, p pass.Pass, m Move) error {
	switch m.Op {
	case pass.Approve:
		return o.tell(ctx, p, "hr", "approved", fmt.Sprintf("%s approved %s for %s.", who.Name, p.Number, p.Person))
	case pass.Reject:
		return o.tell(ctx, p, "hr", "rejected", fmt.Sprintf("%s rejected %s for %s.", who.Name, p.Number, p.Person))
	case pass.Delete:
		return o.tell(ctx, p, "hr", "deleted", fmt.Sprintf("%s deleted %s for %s.", who.Name, p.Number, p.Person))
	case pass.Exit:
		if err := o.tell(ctx, p, "hr", "exited", fmt.Sprintf("%s went out with %s.", p.Person, p.Number)); err != nil {
			return err
		}
		if due, ok := p.Due(o.Grace); ok && o.Desk != nil {
			return o.Desk.Later(ctx, OverdueJob, OverdueArgs{Number: p.Number}, due.Add(time.Second), "overdue/"+p.Number)
		}
	case pass.Return:
		if o.Desk != nil {
			if err := o.Desk.Later(ctx, OverdueJob, OverdueArgs{Number: p.Number}, o.Now(), "overdue/"+p.Number); err != nil {
				return err
			}
		}
		return o.tell(ctx, p, "hr", "returned", fmt.Sprintf("%s came back with %s.", p.Person, p.Number))
	}
	return nil
}

// OverdueJob is the name of the work that looks whether a person came back in time.
const OverdueJob = "overdue"

// OverdueArgs says which pass to look at, and how often the desks were told before.
type OverdueArgs struct {
	Number string `json:"pass_number"`
	Told   int    `json:"told"`
}
