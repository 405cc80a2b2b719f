package casebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/db"
)

// A Thread is the mail with one rider about one case.
type Thread struct {
	ID       string         `json:"email_thread_id"` // THREAD- and eight hex digits
	Case     dossier.CaseID `json:"case_id"`
	Vanpool  string         `json:"vanpool_id"`
	Employee string         `json:"employee_id"`
	Checks   []string       `json:"failed_checks"` // those that failed for this rider
	LastOut  time.Time      `json:"last_outbound,omitzero"`
	LastIn   time.Time      `json:"last_inbound,omitzero"`
	Settled  string         `json:"settled,omitempty"` // "": open; resolved, cancelled or kept
	Created  time.Time      `json:"created_at"`
}

// Silent reports whether the last word was ours.
func (t Thread) Silent() bool { return !t.LastOut.IsZero() && !t.LastIn.After(t.LastOut) }

// A Message is one mail of a thread.
type Message struct {
	ID        string         `json:"message_id"` // MSG- and eight hex digits
	Thread    string         `json:"email_thread_id"`
	Out       bool           `json:"outbound"`
	Kind      string         `json:"kind"` // initial, follow_up, reminder, answer, review; reply
	From      string         `json:"from"`
	Subject   string         `json:"subject"`
	Text      string         `json:"text"`
	MailID    string         `json:"mail_id"` // Message-ID header, without angle brackets
	InReplyTo string         `json:"in_reply_to,omitempty"`
	Bucket    replies.Bucket `json:"bucket,omitempty"` // of a classified reply
	Rule      string         `json:"rule,omitempty"`
	Phrases   []string       `json:"phrases,omitempty"`
	Stranger  bool           `json:"stranger,omitempty"` // it did not come from the rider's address
	At        time.Time      `json:"at"`
}

const threadColumns = `SELECT id, case_id, vanpool, employee, checks, last_out, last_in, settled, created FROM poolpatrol_threads`

func scanThread(r db.Row) (Thread, error) {
	var t Thread
	var checks string
	var out, in, created int64
	if err := r.Scan(&t.ID, &t.Case, &t.Vanpool, &t.Employee, &checks, &out, &in, &t.Settled, &created); err != nil {
		return t, err
	}
	t.LastOut, t.LastIn, t.Created = fromMicro(out), fromMicro(in), fromMicro(created)
	return t, json.Unmarshal([]byte(checks), &t.Checks)
}

// Thread returns a thread by id.
func (b Book) Thread(ctx context.Context, id string) (Thread, error) {
	t, err := scanThread(b.DB.QueryRow(ctx, threadColumns+` WHERE id = $1`, id))
	if errors.Is(err, dossier.NotFound) {
		return Thread{}, dossier.Errorf(dossier.NotFound, "There is no mail thread %s.", id)
	}
	return t, err
}

// ThreadWith returns the thread of a case with one rider.
func (b Book) ThreadWith(ctx context.Context, id dossier.CaseID, employee string) (Thread, error) {
	t, err := scanThread(b.DB.QueryRow(ctx, threadColumns+` WHERE case_id = $1 AND employee = $2`, string(id), employee))
	if errors.Is(err, dossier.NotFound) {
		return Thread{}, dossier.Errorf(dossier.NotFound, "Case %s has no mail with %s.", id, employee)
	}
	return t, err
}

// Threads returns the threads of a case, by employee.
func (b Book) Threads(ctx context.Context, id dossier.CaseID) ([]Thread, error) {
	rows, err := b.DB.Query(ctx, threadColumns+` WHERE case_id = $1 ORDER BY employee`, string(id))
	return db.Collect(rows, err, scanThread)
}

// OpenWith returns the unsettled threads with one rider, newest first.
func (b Book) OpenWith(ctx context.Context, employee string) ([]Thread, error) {
	rows, err := b.DB.Query(ctx, threadColumns+` WHERE employee = $1 AND settled = '' ORDER BY created DESC, id`, employee)
	return db.Collect(rows, err, scanThread)
}

// tries is how many ids are tried before giving up. Two of the same eight digits are
// bound to turn up among a hundred thousand mails; this many in a row are not.
const tries = 8

// Begin writes a new thread under an id that none has yet, and returns it. If the case
// has a thread with the rider already, that is the one.
func (b Book) Begin(ctx context.Context, t Thread, newID func(prefix string) string) (Thread, error) {
	checks, err := json.Marshal(orNone(t.Checks))
	if err != nil {
		return t, fmt.Errorf("encode checks of %s: %w", t.Employee, err)
	}
	for range tries {
		t.ID = newID("THREAD-")
		n, err := b.DB.Exec(ctx, `INSERT INTO poolpatrol_threads (id, case_id, vanpool, employee, checks, last_out, last_in, settled, created)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
			t.ID, string(t.Case), t.Vanpool, t.Employee, string(checks), toMicro(t.LastOut), toMicro(t.LastIn), t.Settled, t.Created.UnixMicro())
		if err != nil {
			return t, fmt.Errorf("begin thread with %s: %w", t.Employee, err)
		}
		if n == 1 {
			return t, nil
		}
		if known, err := b.ThreadWith(ctx, t.Case, t.Employee); !errors.Is(err, dossier.NotFound) {
			return known, err
		}
	}
	return t, dossier.Errorf(dossier.Conflict, "No free id was found for the mail with %s. Try again.", t.Employee)
}

// Wrote notes when a rider was last written to. Nothing else of the thread is touched:
// a reply may come in while a letter is on its way.
func (b Book) Wrote(ctx context.Context, thread string, at time.Time) error {
	if _, err := b.DB.Exec(ctx, `UPDATE poolpatrol_threads SET last_out = $1 WHERE id = $2`, at.UnixMicro(), thread); err != nil {
		return fmt.Errorf("note a letter in %s: %w", thread, err)
	}
	return nil
}

// Heard notes when a rider last wrote.
func (b Book) Heard(ctx context.Context, thread string, at time.Time) error {
	if _, err := b.DB.Exec(ctx, `UPDATE poolpatrol_threads SET last_in = $1 WHERE id = $2`, at.UnixMicro(), thread); err != nil {
		return fmt.Errorf("note a reply in %s: %w", thread, err)
	}
	return nil
}

// Settle ends the open threads of a case, or of one rider of it if employee is not "".
func (b Book) Settle(ctx context.Context, id dossier.CaseID, employee, how string) error {
	query, args := `UPDATE poolpatrol_threads SET settled = $1 WHERE case_id = $2 AND settled = ''`, []any{how, string(id)}
	if employee != "" {
		query, args = query+` AND employee = $3`, append(args, employee)
	}
	if _, err := b.DB.Exec(ctx, query, args...); err != nil {
		return fmt.Errorf("settle threads of %s: %w", id, err)
	}
	return nil
}

const messageColumns = `SELECT id, thread, outbound, kind, sender, subject, body, mail_id, in_reply_to, bucket, rule, phrases, stranger, at FROM poolpatrol_messages`

func scanMessage(r db.Row) (Message, error) {
	var m Message
	var out, stranger int
	var phrases string
	var at int64
	if err := r.Scan(&m.ID, &m.Thread, &out, &m.Kind, &m.From, &m.Subject, &m.Text, &m.MailID, &m.InReplyTo, &m.Bucket, &m.Rule, &phrases, &stranger, &at); err != nil {
		return m, err
	}
	m.Out, m.Stranger, m.At = out == 1, stranger == 1, fromMicro(at)
	return m, json.Unmarshal([]byte(phrases), &m.Phrases)
}

// Messages returns the mail of a thread, oldest first.
func (b Book) Messages(ctx context.Context, thread string) ([]Message, error) {
	rows, err := b.DB.Query(ctx, messageColumns+` WHERE thread = $1 ORDER BY at, outbound, id`, thread)
	return db.Collect(rows, err, scanMessage)
}

// Message returns one mail.
func (b Book) Message(ctx context.Context, id string) (Message, error) {
	m, err := scanMessage(b.DB.QueryRow(ctx, messageColumns+` WHERE id = $1`, id))
	if errors.Is(err, dossier.NotFound) {
		return Message{}, dossier.Errorf(dossier.NotFound, "There is no mail %s.", id)
	}
	return m, err
}

// ByMailID returns the mail with a Message-ID header.
func (b Book) ByMailID(ctx context.Context, mailID string) (Message, error) {
	return scanMessage(b.DB.QueryRow(ctx, messageColumns+` WHERE mail_id = $1`, mailID))
}

// FreeID returns an id that no mail has yet.
func (b Book) FreeID(ctx context.Context, newID func(prefix string) string) (string, error) {
	for range tries {
		id := newID("MSG-")
		if _, err := b.Message(ctx, id); errors.Is(err, dossier.NotFound) {
			return id, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", dossier.Errorf(dossier.Conflict, "No free id was found for a mail. Try again.")
}

// AddMessage writes a mail, once per Message-ID header, and reports whether it was
// new. It returns the mail as it is kept: the one of before if it was not new, and under
// another id if somebody has taken its own meanwhile.
func (b Book) AddMessage(ctx context.Context, m Message, newID func(prefix string) string) (Message, bool, error) {
	phrases, err := json.Marshal(orNone(m.Phrases))
	if err != nil {
		return m, false, fmt.Errorf("encode phrases of %s: %w", m.ID, err)
	}
	for range tries {
		n, err := b.DB.Exec(ctx, `INSERT INTO poolpatrol_messages (id, thread, outbound, kind, sender, subject, body, mail_id, in_reply_to, bucket, rule, phrases, stranger, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
			m.ID, m.Thread, flag(m.Out), m.Kind, m.From, m.Subject, m.Text, m.MailID, m.InReplyTo, string(m.Bucket), m.Rule, string(phrases), flag(m.Stranger), m.At.UnixMicro())
		if err != nil {
			return m, false, fmt.Errorf("save mail %s: %w", m.ID, err)
		}
		if n == 1 {
			return m, true, nil
		}
		if known, err := b.ByMailID(ctx, m.MailID); !errors.Is(err, dossier.NotFound) {
			return known, false, err
		}
		m.ID = newID("MSG-")
	}
	return m, false, dossier.Errorf(dossier.Conflict, "No free id was found for a mail. Try again.")
}

// Classified writes what a reply amounts to.
func (b Book) Classified(ctx context.Context, id string, r replies.Reading) error {
	phrases, err := json.Marshal(orNone(r.Phrases))
	if err != nil {
		return fmt.Errorf("encode phrases of %s: %w", id, err)
	}
	_, err = b.DB.Exec(ctx, `UPDATE poolpatrol_messages SET bucket = $1, rule = $2, phrases = $3 WHERE id = $4`, string(r.Bucket), r.Rule, string(phrases), id)
	if err != nil {
		return fmt.Errorf("classify mail %s: %w", id, err)
	}
	return nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
