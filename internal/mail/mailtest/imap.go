// Package mailtest is a mailbox for tests: a real IMAP server in the test's process.
//
// It listens on a free port of 127.0.0.1 until the test ends and holds one user's INBOX.
// A test delivers mail into it with [Mailbox.Deliver] and lets the product fetch it over
// the wire.
package mailtest

import (
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// A Mailbox is an INBOX on a server.
type Mailbox struct {
	Port int
	user *imapmemserver.User
}

// Serve starts a server with the INBOX of one user.
func Serve(t testing.TB, name, password string) *Mailbox {
	t.Helper()
	mem, user := imapmemserver.New(), imapmemserver.NewUser(name, password)
	if err := user.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	mem.AddUser(user)
	srv := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		InsecureAuth: true, Caps: imap.CapSet{imap.CapIMAP4rev1: {}},
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return &Mailbox{l.Addr().(*net.TCPAddr).Port, user}
}

// Deliver puts a mail, as RFC 5322 text, into the INBOX.
func (m *Mailbox) Deliver(t testing.TB, raw string) {
	t.Helper()
	if _, err := m.user.Append("INBOX", strings.NewReader(raw), &imap.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
}
