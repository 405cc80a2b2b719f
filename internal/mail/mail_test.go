package mail

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-smtp"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/mail/mailtest"
	"dossier/internal/store/storetest"
)

// A server is an SMTP server that keeps what it gets and can be told to refuse.
type server struct {
	mu     sync.Mutex
	got    []string
	refuse error
}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{s}, nil }

type session struct{ s *server }

func (s *session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s *session) Reset()                               {}
func (s *session) Logout() error                        { return nil }
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	if s.s.refuse != nil {
		return s.s.refuse
	}
	s.s.got = append(s.s.got, string(raw))
	return nil
}

func (s *server) letters() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.got...)
}

func (s *server) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = err
}

func serveSMTP(t *testing.T) (*server, Config) {
	t.Helper()
	be := &server{}
	srv := smtp.NewServer(be)
	srv.Domain = "localhost"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return be, Config{Via: "smtp", From: "Pool Patrol <patrol@example.com>", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: "none"}
}

func outbox(t *testing.T, c Config) *Outbox {
	t.Helper()
	s, clock := storetest.Open(t, "sqlite")
	o, err := New(c, s.DB(), nil, clock.Now, apptest.NewID)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

var letter = app.Message{
	App: "poolpatrol", Case: "CASE-1", To: []string{"rider@example.com"}, Subject: "Your seat: größer?", Text: "Hello Ada,\n\nplease check.\n",
	MessageID: "msg-1@example.com", InReplyTo: "a@b", Refs: []string{"x@y", "a@b"},
}

func TestSMTP(t *testing.T) {
	t.Parallel()
	be, c := serveSMTP(t)
	o := outbox(t, c)
	t.Run("P-093 a mail goes out by a real SMTP server, threaded", func(t *testing.T) {
		r, err := o.Send(t.Context(), "k1", letter)
		if err != nil || r.Via != "smtp" || r.MessageID != "msg-1@example.com" {
			t.Fatalf("got %+v %v", r, err)
		}
		in, err := Parse(strings.NewReader(be.letters()[0]))
		if err != nil {
			t.Fatal(err)
		}
		if in.From != "patrol@example.com" || in.Subject != letter.Subject || in.MessageID != "msg-1@example.com" || in.InReplyTo != "a@b" ||
			len(in.Refs) != 2 || !strings.Contains(strings.ReplaceAll(in.Text, "\r\n", "\n"), "please check.") {
			t.Errorf("got %+v", in)
		}
	})
	t.Run("the same key is sent once", func(t *testing.T) {
		if _, err := o.Send(t.Context(), "k1", letter); err != nil || len(be.letters()) != 1 {
			t.Errorf("got %d letters %v", len(be.letters()), err)
		}
	})
	t.Run("a server that is busy leaves the mail queued, and it goes out later", func(t *testing.T) {
		be.set(&smtp.SMTPError{Code: 451, Message: "later"})
		m := letter
		m.MessageID = "msg-2@example.com"
		if _, err := o.Send(t.Context(), "k2", m); err != nil {
			t.Fatal(err)
		}
		list, err := List(t.Context(), o.db, Query{Case: "CASE-1", Limit: 10})
		if err != nil || len(list) != 2 || count(list, Queued) != 1 {
			t.Fatalf("got %+v %v", list, err)
		}
		be.set(nil)
		if n, err := o.Flush(t.Context()); err != nil || n != 1 || len(be.letters()) != 2 {
			t.Errorf("got %d sent %v, %d letters", n, err, len(be.letters()))
		}
	})
	t.Run("a refusal for good is an error", func(t *testing.T) {
		be.set(&smtp.SMTPError{Code: 550, Message: "no such rider"})
		m := letter
		m.MessageID = "msg-3@example.com"
		for range 2 { // asking again does not turn the refusal into a receipt
			if _, err := o.Send(t.Context(), "k3", m); dossier.KindOf(err) != dossier.Invalid {
				t.Errorf("got %v, want invalid", err)
			}
		}
		be.set(nil)
	})
	t.Run("the outbox is read newest first, in pieces", func(t *testing.T) {
		var got []string
		q := Query{App: letter.App, Limit: 2}
		for range 2 {
			list, err := List(t.Context(), o.db, q)
			if err != nil || len(list) == 0 {
				t.Fatalf("got %+v %v", list, err)
			}
			for _, l := range list {
				got = append(got, l.Key)
			}
			q.Before, q.BeforeID = list[len(list)-1].Created, list[len(list)-1].ID
		}
		slices.Sort(got) // all were sent in one moment
		if !slices.Equal(got, []string{"k1", "k2", "k3"}) {
			t.Errorf("got %q", got)
		}
		failed, err := List(t.Context(), o.db, Query{State: Failed, Limit: 10})
		none, nerr := List(t.Context(), o.db, Query{App: "another", Limit: 10})
		if err != nil || nerr != nil || len(failed) != 1 || failed[0].Key != "k3" || len(none) != 0 {
			t.Errorf("got %+v %v and %+v %v", failed, err, none, nerr)
		}
	})
	t.Run("what a person says went out is neither sent nor tried again", func(t *testing.T) {
		before := len(be.letters())
		be.set(&smtp.SMTPError{Code: 451, Message: "later"})
		m := letter
		m.MessageID = "msg-5@example.com"
		if _, err := o.Send(t.Context(), "k5", m); err != nil {
			t.Fatal(err)
		}
		be.set(nil)
		other := letter
		other.MessageID = "msg-6@example.com"
		for key, m := range map[string]app.Message{"k5": other, "k6": other} {
			r, err := o.Noted(t.Context(), key, m)
			if want := map[string]string{"k5": "msg-5@example.com", "k6": "msg-6@example.com"}[key]; err != nil || r.MessageID != want {
				t.Errorf("%s: got %+v, %v", key, r, err)
			}
		}
		list, err := List(t.Context(), o.db, Query{State: Sent, Limit: 10})
		if err != nil || len(list) != 4 || slices.ContainsFunc(list, func(l Letter) bool { return l.Sent.IsZero() }) {
			t.Errorf("sent %+v, %v", list, err)
		}
		if n, err := o.Flush(t.Context()); err != nil || n != 0 || len(be.letters()) != before {
			t.Errorf("%d were tried again, %v, %d letters", n, err, len(be.letters())-before)
		}
	})
	t.Run("headers cannot be smuggled in", func(t *testing.T) {
		m := letter
		m.Subject = "Hi\r\nBcc: all@example.com"
		if _, err := o.Send(t.Context(), "k4", m); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("got %v, want invalid", err)
		}
	})
}

func count(list []Letter, s State) int {
	n := 0
	for _, l := range list {
		if l.State == s {
			n++
		}
	}
	return n
}

func TestOutboxAlone(t *testing.T) {
	t.Parallel()
	o := outbox(t, Config{})
	r, err := o.Send(t.Context(), "k", letter)
	list, lerr := List(t.Context(), o.db, Query{Limit: 10})
	if err != nil || lerr != nil || r.Via != "outbox" || len(list) != 1 || list[0].State != Kept || list[0].Message.Text != letter.Text {
		t.Errorf("got %+v %v and %+v %v", r, err, list, lerr)
	}
}

func TestResend(t *testing.T) {
	t.Parallel()
	var got map[string]json.RawMessage
	var key, auth string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, auth = r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization")
		_ = json.NewDecoder(r.Body).Decode(&got)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"1"}`))
	}))
	t.Cleanup(srv.Close)
	o := outbox(t, Config{Via: "resend", Key: "re_test", URL: srv.URL, From: "patrol@example.com"})
	r, err := o.Send(t.Context(), "case/1", letter)
	if err != nil || r.Via != "resend" {
		t.Fatalf("P-093 got %+v %v", r, err)
	}
	if key != "case/1" || auth != "Bearer re_test" || string(got["to"]) != `["rider@example.com"]` || !strings.Contains(string(got["headers"]), "msg-1@example.com") {
		t.Errorf("P-093 got key %q, auth %q, body %s", key, auth, got)
	}
}

func TestIMAP(t *testing.T) {
	t.Parallel()
	server := mailtest.Serve(t, "patrol", "secret")
	deliver := func(n int) {
		server.Deliver(t, "From: Ada <ada@example.com>\r\nTo: patrol@example.com\r\nSubject: Re\r\nMessage-ID: <r"+strconv.Itoa(n)+"@example.com>\r\nIn-Reply-To: <msg-1@example.com>\r\n\r\nI moved.\r\n")
	}
	deliver(1)
	deliver(2)
	box := Mailbox{Host: "127.0.0.1", Port: server.Port, User: "patrol", Password: "secret", Folder: "INBOX", TLS: "none"}
	var got []Inbound
	take := func(in Inbound) error { got = append(got, in); return nil }
	if err := box.Fetch(t.Context(), take); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].InReplyTo != "msg-1@example.com" || strings.TrimSpace(got[0].Text) != "I moved." {
		t.Fatalf("got %+v", got)
	}
	deliver(3)
	full := errors.New("the disk is full")
	if err := box.Fetch(t.Context(), func(Inbound) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	got = nil
	if err := box.Fetch(t.Context(), take); err != nil || len(got) != 1 || got[0].MessageID != "r3@example.com" {
		t.Errorf("a mail that was not taken is lost or one that was comes again: %+v %v", got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	box.Password = "wrong"
	if err := box.Fetch(ctx, take); dossier.KindOf(err) != dossier.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("From: a@b.example\r\nSubject: x\r\n\r\nhi")
	f.Add("From: a@b.example\r\nContent-Type: multipart/alternative; boundary=q\r\n\r\n--q\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n--q--\r\n")
	f.Add("From: =?utf-8?q?=41?= <A@b.example>\r\nContent-Transfer-Encoding: base64\r\nContent-Type: text/plain; charset=latin9\r\n\r\naGk=")
	f.Add("From: a@b.example\r\nSubject: na\xefve\x00\r\n\r\nI moved to M\xfcnchen.\x00\r\n")
	f.Add("From: a@b.example\r\nMessage-ID: <\xff@b>\r\nReferences: <\xfe@b>\r\n\r\n" + strings.Repeat("ü", maxText/2) + "aü")
	f.Add("From: a@b.example\r\n\r\na" + strings.Repeat("ü", maxText/2))
	f.Fuzz(func(t *testing.T, raw string) {
		in, err := Parse(strings.NewReader(raw))
		if err == nil && (in.From == "" || len(in.Text) > maxText*4) {
			t.Errorf("got %+v", in)
		}
		for _, text := range append([]string{in.From, in.Subject, in.Text, in.MessageID, in.InReplyTo}, append(in.Refs, in.To...)...) {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				t.Errorf("no database keeps %.80q", text)
			}
		}
	})
}
