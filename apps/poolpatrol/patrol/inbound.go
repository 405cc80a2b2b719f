package patrol

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/internal/app"
	"dossier/internal/mail"
)

// Receive takes a mail that came in: finds its thread by the headers, or by the sender
// if it has none, writes it down once and makes its handling due. It reports false for
// a mail that was taken before.
func (p *Patrol) Receive(ctx context.Context, in mail.Inbound) (casebook.Message, bool, error) {
	id, err := p.Book.FreeID(ctx, p.env.NewID)
	if err != nil {
		return casebook.Message{}, false, err
	}
	return p.receive(ctx, id, in, p.env.Now())
}

// receive takes a mail under an id. Its handling is due at a time.
func (p *Patrol) receive(ctx context.Context, id string, in mail.Inbound, due time.Time) (casebook.Message, bool, error) {
	t, err := p.threadOf(ctx, in)
	if err != nil {
		return casebook.Message{}, false, err
	}
	e, err := p.Roster.Employee(ctx, t.Employee)
	if err != nil {
		return casebook.Message{}, false, err
	}
	m := casebook.Message{
		ID: id, Thread: t.ID, Kind: "reply", From: in.From, Subject: in.Subject, Text: in.Text,
		MailID: in.MessageID, InReplyTo: in.InReplyTo, Stranger: !strings.EqualFold(in.From, e.Email), At: p.env.Now(),
	}
	if m.MailID == "" {
		sum := sha256.Sum256([]byte(in.From + "\n" + in.Subject + "\n" + in.Text + "\n" + in.Date.String()))
		m.MailID = hex.EncodeToString(sum[:16]) + "@unsigned"
	}
	fresh := false
	err = p.env.DB.InTx(ctx, func(ctx context.Context) error {
		if m, fresh, err = p.Book.AddMessage(ctx, m, p.env.NewID); err != nil || !fresh {
			return err
		}
		if err := p.Book.Heard(ctx, t.ID, m.At); err != nil {
			return err
		}
		if err := p.env.Desk.Publish(ctx, app.Event{Kind: "mail.received", Case: t.Case, By: t.Employee, Text: t.Employee + " replied."}); err != nil {
			return err
		}
		return p.env.Desk.Later(ctx, jobReply, replyArgs{t.ID, m.ID}, due, "reply/"+m.ID)
	})
	return m, fresh, err
}

// threadOf finds the thread a mail belongs to.
func (p *Patrol) threadOf(ctx context.Context, in mail.Inbound) (casebook.Thread, error) {
	for _, ref := range append([]string{in.InReplyTo}, in.Refs...) {
		if ref == "" {
			continue
		}
		m, err := p.Book.ByMailID(ctx, ref)
		if err == nil {
			return p.Book.Thread(ctx, m.Thread)
		}
		if !errors.Is(err, dossier.NotFound) {
			return casebook.Thread{}, err
		}
	}
	e, err := p.Roster.ByEmail(ctx, in.From)
	if err != nil {
		return casebook.Thread{}, err
	}
	open, err := p.Book.OpenWith(ctx, e.ID)
	if err != nil {
		return casebook.Thread{}, err
	}
	if len(open) == 0 {
		return casebook.Thread{}, dossier.Errorf(dossier.NotFound, "There is no open mail thread with the sender of this mail.")
	}
	return open[0], nil
}

// safetyNet is how long after a reply that is handled at once it is looked at again,
// in case the process died over it.
const safetyNet = 2 * time.Minute

// ReplyAs takes text as if the rider of a thread had mailed it, for demonstrations and
// for replies that came by telephone, and handles it at once.
func (p *Patrol) ReplyAs(ctx context.Context, thread, text string) (casebook.Message, error) {
	t, err := p.Book.Thread(ctx, thread)
	if err != nil {
		return casebook.Message{}, err
	}
	e, err := p.Roster.Employee(ctx, t.Employee)
	if err != nil {
		return casebook.Message{}, err
	}
	id, err := p.Book.FreeID(ctx, p.env.NewID)
	if err != nil {
		return casebook.Message{}, err
	}
	in := mail.Inbound{From: e.Email, Subject: "Re: your seat in " + t.Vanpool, Text: text, MessageID: strings.ToLower(id+"."+t.ID) + "@console"}
	refs, err := p.references(ctx, t.ID)
	if err != nil {
		return casebook.Message{}, err
	}
	if len(refs) > 0 {
		in.InReplyTo = refs[len(refs)-1]
	}
	m, _, err := p.receive(ctx, id, in, p.env.Now().Add(safetyNet))
	if err != nil {
		return m, err
	}
	if err := p.onReply(ctx, replyArgs{m.Thread, m.ID}); err != nil {
		return m, err
	}
	return p.Book.Message(ctx, m.ID)
}

// fetchMail takes what has come into the mailbox since the last time. A mail that
// belongs to no thread is left to people.
func (p *Patrol) fetchMail(ctx context.Context) error {
	password, err := p.env.Secret(p.Config.IMAP.Password)
	if err != nil {
		return err
	}
	box := mail.Mailbox{
		Host: p.Config.IMAP.Host, Port: p.Config.IMAP.Port, User: p.Config.IMAP.User, Password: password, Folder: p.Config.IMAP.Mailbox, TLS: p.Config.IMAP.TLS,
	}
	return box.Fetch(ctx, func(in mail.Inbound) error {
		_, _, err := p.Receive(ctx, in)
		if errors.Is(err, dossier.NotFound) {
			p.env.Log.InfoContext(ctx, "a mail belongs to no thread", "message_id", in.MessageID)
			return nil
		}
		return err
	})
}
