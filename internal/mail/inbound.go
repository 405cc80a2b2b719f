package mail

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // mail comes in every charset
	gomail "github.com/emersion/go-message/mail"

	"dossier"
)

// An Inbound is a mail that came in. Nothing in it has been checked: From is what the
// sender wrote.
type Inbound struct {
	From      string    `json:"from"` // address alone
	To        []string  `json:"to,omitempty"`
	Subject   string    `json:"subject"`
	Text      string    `json:"text"` // plain text if there is any, else HTML
	MessageID string    `json:"message_id"`
	InReplyTo string    `json:"in_reply_to,omitempty"`
	Refs      []string  `json:"references,omitempty"`
	Date      time.Time `json:"date,omitzero"`
}

// maxText is how much of a mail's text is kept, in bytes.
const maxText = 256 << 10

// Parse reads RFC 5322 text. An unknown charset or a broken part is no reason to
// refuse a mail; one without a sender is.
func Parse(r io.Reader) (Inbound, error) {
	m, err := gomail.CreateReader(r)
	if m == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return Inbound{}, dossier.Errorf(dossier.Invalid, "This is not a mail.").Because(err)
	}
	defer func() { _ = m.Close() }()
	var in Inbound
	from, _ := m.Header.AddressList("From")
	if len(from) == 0 {
		return Inbound{}, dossier.Errorf(dossier.Invalid, "The mail does not say who it is from.")
	}
	in.From = readable(strings.ToLower(from[0].Address))
	if to, err := m.Header.AddressList("To"); err == nil {
		for _, a := range to {
			in.To = append(in.To, readable(a.Address))
		}
	}
	subject, _ := m.Header.Subject()
	id, _ := m.Header.MessageID()
	in.Subject, in.MessageID = readable(subject), readable(id)
	if ids, err := m.Header.MsgIDList("In-Reply-To"); err == nil && len(ids) > 0 {
		in.InReplyTo = readable(ids[0])
	}
	refs, _ := m.Header.MsgIDList("References")
	for _, ref := range refs {
		in.Refs = append(in.Refs, readable(ref))
	}
	in.Date, _ = m.Header.Date()
	in.Text = readable(textOf(m))
	return in, nil
}

// readable replaces what is no text: bytes of another charset than the mail says, half a
// letter where it was cut, and NUL. No database keeps those, and a mail that cannot be
// kept would hold up all that come after it.
func readable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// textOf returns the first plain text of a mail, or its first HTML.
func textOf(m *gomail.Reader) string {
	html := ""
	for {
		p, err := m.NextPart()
		if errors.Is(err, io.EOF) {
			return html
		}
		if err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			return html
		}
		h, inline := p.Header.(*gomail.InlineHeader)
		if !inline {
			continue
		}
		kind, _, _ := h.ContentType()
		body, err := io.ReadAll(io.LimitReader(p.Body, maxText))
		if err != nil && len(body) == 0 {
			continue
		}
		switch {
		case kind == "text/plain" || kind == "":
			return string(body)
		case kind == "text/html" && html == "":
			html = string(body)
		}
	}
}
