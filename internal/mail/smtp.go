package mail

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"dossier"
	"dossier/internal/app"
)

// smtpCarrier hands mail to an SMTP server.
type smtpCarrier struct{ cfg Config }

func (smtpCarrier) name() string { return "smtp" }

func (s smtpCarrier) carry(ctx context.Context, _ string, m app.Message) (time.Duration, error) {
	msg, err := compose(m)
	if err != nil {
		return 0, err
	}
	c, err := gomail.NewClient(s.cfg.Host, s.options()...)
	if err != nil {
		return 0, dossier.Errorf(dossier.Invalid, "The SMTP settings cannot be used.").Because(err)
	}
	err = c.DialAndSendWithContext(ctx, msg)
	if err == nil || msg.IsDelivered() { // a farewell that goes wrong takes nothing back
		return 0, nil
	}
	if why := forGood(err, m); why != "" {
		return 0, dossier.Errorf(dossier.Invalid, "%s", why).Because(err)
	}
	return 0, dossier.Errorf(dossier.Unavailable, "The mail server did not take the mail; it is tried again.").Because(err)
}

// forGood says what to do about a refusal that will be the same next time, which is one
// with a code of 500 or more. It returns "" for any other failure.
func forGood(err error, m app.Message) string {
	if sent, ok := errors.AsType[*gomail.SendError](err); ok {
		switch {
		case sent.IsTemp() || sent.ErrorCode() < 500:
			return ""
		case sent.Reason == gomail.ErrSMTPMailFrom:
			return "The mail server does not take mail from " + m.From + ". Set mail.from to a sender that it knows."
		case sent.Reason == gomail.ErrSMTPRcptTo:
			return "The mail server knows no such recipient among " + strings.Join(m.To, ", ") + ". Correct the address."
		}
		return "The mail server refused the mail for good. Check its sender, recipients and text."
	}
	if told, ok := errors.AsType[*textproto.Error](err); !ok || told.Code < 500 {
		return ""
	}
	return "The mail server does not let the product in. Correct mail.host, mail.user and mail.password, then have it sent again."
}

func (s smtpCarrier) options() []gomail.Option {
	out := []gomail.Option{gomail.WithTimeout(30 * time.Second)}
	switch s.cfg.TLS {
	case "implicit":
		out = append(out, gomail.WithSSLPort(false))
	case "none":
		out = append(out, gomail.WithTLSPortPolicy(gomail.NoTLS))
	default:
		out = append(out, gomail.WithTLSPortPolicy(gomail.TLSMandatory))
	}
	if s.cfg.Port != 0 {
		out = append(out, gomail.WithPort(s.cfg.Port))
	}
	if s.cfg.User != "" {
		out = append(out, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.cfg.User), gomail.WithPassword(s.cfg.Password))
	}
	return out
}

// compose turns a message into RFC 5322 text.
func compose(m app.Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg()
	if err := msg.From(m.From); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "%q is not a sender.", m.From).Because(err)
	}
	if err := msg.To(m.To...); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "%s is not a list of addresses.", strings.Join(m.To, ", ")).Because(err)
	}
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.MessageID)
	if m.InReplyTo != "" {
		msg.SetGenHeader(gomail.HeaderInReplyTo, "<"+m.InReplyTo+">")
	}
	if len(m.Refs) > 0 {
		refs := make([]string, len(m.Refs))
		for i, r := range m.Refs {
			refs[i] = fmt.Sprintf("<%s>", r)
		}
		msg.SetGenHeader(gomail.HeaderReferences, strings.Join(refs, " "))
	}
	msg.SetDate()
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	return msg, nil
}
