package office

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"dossier/apps/gatepass/pass"
	"dossier/internal/app"
)

// New holds the particulars of a pass that is to be made. Returnable is nil if the
// request did not say.
type New struct {
	Person, Purpose string
	Returnable      *bool
	ReturnBy        string // RFC 3339, or local time as 2006-01-02T15:04; "": not said
}

// ordOf puts passes of all years in one order.
func ordOf(year, n int) int64 { return int64(year)*10_000_000 + int64(n) }

// Create makes a pass for n, asked for by who.
func (o *Office) Create(ctx context.Context, who Person, n New) (pass.Pass, error) {
	now := o.Now()
	by, bad := o.checkNew(n, now)
	if len(bad) > 0 {
		return pass.Pass{}, Invalid(bad...)
	}
	p := pass.Pass{
		ID: o.NewID("pass-"), Person: strings.Join(strings.Fields(n.Person), " "), Purpose: strings.TrimSpace(n.Purpose), Returnable: *n.Returnable,
		Status: pass.Pending, CreatedAt: now.UTC().Truncate(time.Microsecond), CreatedBy: who.Name, ReturnBy: by,
	}
	err := o.DB.InTx(ctx, func(ctx context.Context) error {
		year, seq, err := o.nextNumber(ctx, now)
		if err != nil {
			return err
		}
		p.Number = pass.Number(year, seq)
		p.QRCodeURL = o.URL + "/qr/" + p.Number
		if err := o.insert(ctx, ordOf(year, seq), p); err != nil {
			return err
		}
		change := pass.Change{Op: pass.Create, To: pass.Pending, By: who.Name, At: now}
		if err := o.note(ctx, ordOf(year, seq), 1, who, change); err != nil {
			return err
		}
		p.History = []pass.Change{change}
		return o.tell(ctx, p, "admin", "created", fmt.Sprintf("%s asks for a pass for %s (%s): %s.", who.Name, p.Person, p.Number, p.Purpose))
	})
	return p, err
}

func (o *Office) checkNew(n New, now time.Time) (*time.Time, []pass.FieldError) {
	var by *time.Time
	var bad []pass.FieldError
	if n.ReturnBy != "" {
		t, ok := o.moment(n.ReturnBy)
		if !ok {
			bad = append(bad, pass.FieldError{Field: "return_by", Rule: "must be a time such as 2026-11-16T17:30"})
		} else {
			by = &t
		}
	}
	if n.Returnable == nil {
		bad = append(bad, pass.FieldError{Field: "is_returnable", Rule: "must be true or false"})
	}
	returnable := n.Returnable == nil || *n.Returnable
	return by, append(bad, pass.CheckNew(n.Person, n.Purpose, returnable, by, now)...)
}

// moment reads a time, local to the site where it names no zone.
func (o *Office) moment(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC().Truncate(time.Microsecond), true
	}
	t, err := time.ParseInLocation("2006-01-02T15:04", s, o.Zone)
	return t.UTC(), err == nil
}

// nextNumber takes the next number of the year in the site's own time. The row is
// locked until the transaction ends, so no two passes share a number and none is
// given twice.
func (o *Office) nextNumber(ctx context.Context, now time.Time) (year, seq int, err error) {
	year = now.In(o.Zone).Year()
	err = o.DB.QueryRow(ctx, `INSERT INTO gatepass_numbers (year, last) VALUES ($1, 1)
		ON CONFLICT (year) DO UPDATE SET last = gatepass_numbers.last + 1 RETURNING last`, year).Scan(&seq)
	if err != nil {
		return 0, 0, fmt.Errorf("take a number: %w", err)
	}
	return year, seq, nil
}

func (o *Office) insert(ctx context.Context, ord int64, p pass.Pass) error {
	by := int64(0)
	if p.ReturnBy != nil {
		by = micros(*p.ReturnBy)
	}
	_, err := o.DB.Exec(ctx, `INSERT INTO gatepass_passes
		(ord, id, number, person, purpose, returnable, status, created_at, created_by, return_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		ord, p.ID, p.Number, p.Person, p.Purpose, flag(p.Returnable), string(p.Status), micros(p.CreatedAt), p.CreatedBy, by)
	if err != nil {
		return fmt.Errorf("write pass %s: %w", p.Number, err)
	}
	words := wordsOf(p.Person + " " + p.Purpose)
	if len(words) == 0 {
		return nil
	}
	values, args := make([]string, len(words)), make([]any, 0, 2*len(words))
	for i, w := range words {
		values[i] = fmt.Sprintf("($%d, $%d)", 2*i+1, 2*i+2)
		args = append(args, w, ord)
	}
	_, err = o.DB.Exec(ctx, `INSERT INTO gatepass_words (word, ord) VALUES `+strings.Join(values, ", ")+` ON CONFLICT (word, ord) DO NOTHING`, args...)
	if err != nil {
		return fmt.Errorf("index pass %s: %w", p.Number, err)
	}
	return nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wordsOf returns the words by which a text can be found: lower case, each once.
func wordsOf(text string) []string {
	seen := map[string]bool{}
	var out []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if len(w) > 40 {
			w = string([]rune(w)[:min(10, len([]rune(w)))])
		}
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
		if len(out) == 40 {
			break
		}
	}
	return out
}

// note appends to a pass's history.
func (o *Office) note(ctx context.Context, ord int64, seq int, who Person, c pass.Change) error {
	_, err := o.DB.Exec(ctx, `INSERT INTO gatepass_history
		(ord, seq, op, from_status, to_status, by_id, by_name, note, photo, source, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		ord, seq, string(c.Op), string(c.From), string(c.To), who.ID, c.By, c.Note, c.Photo, c.Source, micros(c.At))
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// tell leaves a notification for a desk and publishes the event for live pages.
func (o *Office) tell(ctx context.Context, p pass.Pass, desk, kind, message string) error {
	_, err := o.DB.Exec(ctx, `INSERT INTO gatepass_notifications (id, desk, message, type, pass_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, o.NewID("ntf-"), desk, message, kind, p.ID, micros(o.Now()))
	if err != nil {
		return fmt.Errorf("notify %s: %w", desk, err)
	}
	if o.Desk == nil {
		return nil
	}
	return o.Desk.Publish(ctx, app.Event{Kind: "gatepass." + kind, Text: message, Data: data(struct {
		Number string `json:"pass_number"`
		Desk   string `json:"desk"`
	}{p.Number, desk})})
}
