package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/db"
)

// A Config says how mail goes out.
type Config struct {
	Via      string // "outbox", "smtp" or "resend"; "" is "outbox"
	From     string // sender, where a message names none
	Host     string // of the SMTP server
	Port     int    // 0: 587, or 465 with implicit TLS
	User     string // "": no authentication
	Password string
	TLS      string // "starttls" (also ""), "implicit" or "none"
	Key      string // of the mail service
	URL      string // of the mail service; "": its own
}

// A carrier takes a mail to its recipients. It returns dossier.Unavailable for what is
// worth trying again, and how long it wants to be left alone before that.
type carrier interface {
	name() string
	carry(ctx context.Context, key string, m app.Message) (time.Duration, error)
}

// An Outbox sends mail. It implements app.Mail.
type Outbox struct {
	db      db.DB
	now     func() time.Time
	newID   func(prefix string) string
	from    string
	carrier carrier      // nil: mail stays in the outbox
	until   atomic.Int64 // microseconds; before that the carrier wants no mail
}

var _ app.Mail = (*Outbox)(nil)

// New returns an outbox that sends as c says.
func New(c Config, d db.DB, client *http.Client, now func() time.Time, newID func(string) string) (*Outbox, error) {
	o := &Outbox{db: d, now: now, newID: newID, from: c.From}
	if o.from == "" {
		o.from = "Dossier <dossier@localhost>"
	}
	switch c.Via {
	case "", "outbox":
	case "smtp":
		if c.Host == "" {
			return nil, dossier.Errorf(dossier.Invalid, "Mail goes out by SMTP, so mail.host must name the server.")
		}
		o.carrier = smtpCarrier{c}
	case "resend":
		if c.Key == "" {
			return nil, dossier.Errorf(dossier.Invalid, "Mail goes out by Resend, so mail.key must hold its key.")
		}
		r, err := newResend(c, client, now)
		if err != nil {
			return nil, err
		}
		o.carrier = r
	default:
		return nil, dossier.Errorf(dossier.Invalid, "mail.via is %q; it must be outbox, smtp or resend.", c.Via)
	}
	return o, nil
}

// A State says how far a mail has come.
type State string

// The states of a mail.
const (
	Kept   State = "kept"   // there is no carrier; the outbox is where it ends
	Queued State = "queued" // the carrier was down; it is tried again
	Sent   State = "sent"
	Failed State = "failed" // the carrier refused it for good; it is tried again only if it is sent again
)

// A Letter is a mail in the outbox.
type Letter struct {
	ID      string      `json:"id"`
	Key     string      `json:"key"`
	Message app.Message `json:"message"`
	State   State       `json:"state"`
	Via     string      `json:"via"`
	Tries   int         `json:"tries"`
	Problem string      `json:"problem,omitempty"`
	Created time.Time   `json:"created"`
	Sent    time.Time   `json:"sent,omitzero"`
}

const letterColumns = `SELECT id, send_key, message, state, via, tries, last_error, created, sent FROM mail`

func scanLetter(r db.Row) (Letter, error) {
	var l Letter
	var raw string
	var created, sent int64
	if err := r.Scan(&l.ID, &l.Key, &raw, &l.State, &l.Via, &l.Tries, &l.Problem, &created, &sent); err != nil {
		return l, err
	}
	l.Created = time.UnixMicro(created).UTC()
	if sent > 0 {
		l.Sent = time.UnixMicro(sent).UTC()
	}
	return l, json.Unmarshal([]byte(raw), &l.Message)
}

// Send implements app.Mail. A mail that the carrier cannot take now is queued and
// counts as sent; one that it refuses for good is an error.
func (o *Outbox) Send(ctx context.Context, key string, m app.Message) (app.Receipt, error) {
	state := Kept
	if o.carrier != nil {
		state = Queued
	}
	l, err := o.put(ctx, key, m, state)
	switch {
	case err != nil:
		return app.Receipt{}, err
	case l.State == Failed && (o.carrier == nil || o.held()):
		return app.Receipt{}, dossier.Errorf(dossier.Invalid, "%s", l.Problem)
	case l.State == Failed, l.State == Queued && o.carrier != nil && !o.held():
		if err := o.deliver(ctx, l); err != nil && !errors.Is(err, dossier.Unavailable) {
			return app.Receipt{}, err
		}
	}
	return l.receipt(), nil
}

// Noted implements app.Mail.
func (o *Outbox) Noted(ctx context.Context, key string, m app.Message) (app.Receipt, error) {
	l, err := o.put(ctx, key, m, Sent)
	if err != nil {
		return app.Receipt{}, err
	}
	_, err = o.db.Exec(ctx, `UPDATE mail SET state = $1, last_error = '', sent = $2 WHERE send_key = $3 AND state = $4`,
		string(Sent), o.now().UnixMicro(), key, string(Queued))
	if err != nil {
		return app.Receipt{}, fmt.Errorf("update the outbox: %w", err)
	}
	return l.receipt(), nil
}

// put writes a mail into the outbox, unless its key is there, and returns what is
// there.
func (o *Outbox) put(ctx context.Context, key string, m app.Message, state State) (Letter, error) {
	if err := o.complete(&m); err != nil {
		return Letter{}, err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return Letter{}, fmt.Errorf("encode mail: %w", err)
	}
	via := "outbox"
	if o.carrier != nil {
		via = o.carrier.name()
	}
	now, sent := o.now().UnixMicro(), int64(0)
	if state == Sent {
		sent = now
	}
	_, err = o.db.Exec(ctx, `INSERT INTO mail (id, send_key, app, case_id, message, state, via, tries, last_error, created, sent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '', $8, $9) ON CONFLICT (send_key) DO NOTHING`,
		o.newID("mail-"), key, m.App, string(m.Case), string(raw), string(state), via, now, sent)
	if err != nil {
		return Letter{}, fmt.Errorf("put mail into the outbox: %w", err)
	}
	l, err := scanLetter(o.db.QueryRow(ctx, letterColumns+` WHERE send_key = $1`, key))
	if err != nil {
		return Letter{}, fmt.Errorf("read the outbox: %w", err)
	}
	return l, nil
}

func (l Letter) receipt() app.Receipt {
	return app.Receipt{MessageID: l.Message.MessageID, Via: l.Via, At: l.Created}
}

// complete fills in what every mail needs, and refuses one that cannot be sent.
func (o *Outbox) complete(m *app.Message) error {
	if m.From == "" {
		m.From = o.from
	}
	if m.MessageID == "" {
		m.MessageID = o.newID("mail-") + "@dossier.invalid"
	}
	switch {
	case len(m.To) == 0:
		return dossier.Errorf(dossier.Invalid, "A mail needs somebody to go to.")
	case strings.ContainsAny(m.Subject+m.From+m.MessageID+m.InReplyTo+strings.Join(m.To, "")+strings.Join(m.Refs, ""), "\r\n"):
		return dossier.Errorf(dossier.Invalid, "A mail's headers must not hold line breaks.")
	}
	return nil
}

// deliver hands a mail to the carrier and writes down what came of it.
func (o *Outbox) deliver(ctx context.Context, l Letter) error {
	wait, err := o.carrier.carry(ctx, l.Key, l.Message)
	if wait > 0 {
		o.until.Store(o.now().Add(wait).UnixMicro())
	}
	state, problem, sent := Sent, "", o.now().UnixMicro()
	if err != nil {
		state, problem, sent = Failed, dossier.Message(err), 0
		if errors.Is(err, dossier.Unavailable) {
			state = Queued
		}
	}
	if _, werr := o.db.Exec(ctx, `UPDATE mail SET state = $1, tries = tries + 1, last_error = $2, sent = $3 WHERE id = $4`,
		string(state), problem, sent, l.ID); werr != nil {
		return errors.Join(err, fmt.Errorf("update the outbox: %w", werr))
	}
	return err
}

// held reports whether the carrier wants to be left alone.
func (o *Outbox) held() bool { return o.now().UnixMicro() < o.until.Load() }

// Flush tries every queued mail again, until the carrier wants to be left alone, and
// returns how many went out.
func (o *Outbox) Flush(ctx context.Context) (int, error) {
	if o.carrier == nil {
		return 0, nil
	}
	rows, err := o.db.Query(ctx, letterColumns+` WHERE state = $1 ORDER BY created, id LIMIT 200`, string(Queued))
	queued, err := db.Collect(rows, err, scanLetter)
	if err != nil {
		return 0, err
	}
	sent := 0
	for _, l := range queued {
		if o.held() {
			break
		}
		err := o.deliver(ctx, l)
		switch {
		case err == nil:
			sent++
		case ctx.Err() != nil:
			return sent, ctx.Err()
		}
	}
	return sent, nil
}

// A Query picks mail. Zero fields pick all.
type Query struct {
	App      string
	Case     dossier.CaseID
	State    State
	Before   time.Time // with BeforeID: only what List returns after that mail
	BeforeID string
	Limit    int
}

// List returns mail of the outbox in d, newest first.
func List(ctx context.Context, d db.DB, q Query) ([]Letter, error) {
	before := int64(math.MaxInt64)
	if !q.Before.IsZero() {
		before = q.Before.UnixMicro()
	}
	rows, err := d.Query(ctx, letterColumns+` WHERE ($1 = '' OR app = $1) AND ($2 = '' OR case_id = $2) AND ($3 = '' OR state = $3)
		AND (created < $4 OR created = $4 AND id < $5) ORDER BY created DESC, id DESC LIMIT $6`,
		q.App, string(q.Case), string(q.State), before, q.BeforeID, q.Limit)
	return db.Collect(rows, err, scanLetter)
}
