package mail

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dossier"
	"dossier/internal/app/apptest"
	"dossier/internal/store/storetest"
)

// state returns how far the only mail of the outbox has come, and what is said of it.
func state(t *testing.T, o *Outbox) (State, string) {
	t.Helper()
	list, err := List(t.Context(), o.db, Query{Limit: 10})
	if err != nil || len(list) != 1 {
		t.Fatalf("got %+v %v", list, err)
	}
	return list[0].State, list[0].Problem
}

// A service answers mail as it is told to, and counts what it is asked.
type service struct {
	status, asked atomic.Int64
	after         string
	body          string
}

func (s *service) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.asked.Add(1)
	if s.after != "" {
		w.Header().Set("Retry-After", s.after)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(s.status.Load()))
	fmt.Fprint(w, s.body)
}

func (s *service) serve(t *testing.T, status int) (*Outbox, *storetest.Clock) {
	t.Helper()
	s.status.Store(int64(status))
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	st, clock := storetest.Open(t, "sqlite")
	o, err := New(Config{Via: "resend", Key: "re_test", URL: srv.URL, From: "patrol@example.com"}, st.DB(), nil, clock.Now, apptest.NewID)
	if err != nil {
		t.Fatal(err)
	}
	return o, clock
}

func TestResendRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		state  State
		says   string
	}{
		{400, `{"name":"validation_error","message":"Invalid to field."}`, Failed, "(Invalid to field)"},
		{401, `{"name":"missing_api_key"}`, Failed, "mail.key"},
		{403, `{"name":"validation_error"}`, Failed, "does not let this key send as patrol@example.com"},
		{404, `not here`, Failed, "Correct mail.url"},
		{405, ``, Failed, "Correct mail.url"},
		{409, `{"name":"invalid_idempotent_request"}`, Failed, "another mail under the same key"},
		{409, `{"name":"concurrent_idempotent_requests"}`, Queued, "tried again"},
		{413, ``, Failed, "Shorten it"},
		{422, ``, Failed, "(Unprocessable Entity)"},
		{451, ``, Failed, "refused the mail for good"},
		{408, ``, Queued, "tried again"},
		{429, `{"name":"rate_limit_exceeded"}`, Queued, "tried again"},
		{500, `{"name":"application_error"}`, Queued, "tried again"},
		{503, ``, Queued, "tried again"},
		{200, `{"id":"1"}`, Sent, ""},
		{200, `cut off`, Sent, ""},
	} {
		t.Run(fmt.Sprint(c.status, " ", c.body), func(t *testing.T) {
			t.Parallel()
			s := &service{body: c.body}
			o, _ := s.serve(t, c.status)
			_, err := o.Send(t.Context(), "k", letter)
			if refused := c.state == Failed; refused != (dossier.KindOf(err) == dossier.Invalid) || refused && !strings.Contains(dossier.Message(err), c.says) {
				t.Errorf("got %v, want %s", err, c.state)
			}
			if st, says := state(t, o); st != c.state || !strings.Contains(says, c.says) {
				t.Errorf("the mail is %s (%q), want %s (%q)", st, says, c.state, c.says)
			}
			if _, err := o.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if again := s.asked.Load() > 1; again != (c.state == Queued && c.status != 429) {
				t.Errorf("the service was asked %d times", s.asked.Load())
			}
		})
	}
}

// TestARefusedMailCanBeSentAgain: once what was wrong is put right, whoever sends the
// mail again gets it sent.
func TestARefusedMailCanBeSentAgain(t *testing.T) {
	t.Parallel()
	s := &service{body: "{}"}
	o, _ := s.serve(t, 401)
	for range 2 {
		if _, err := o.Send(t.Context(), "k", letter); dossier.KindOf(err) != dossier.Invalid {
			t.Fatalf("got %v, want invalid", err)
		}
	}
	s.status.Store(200)
	if n, err := o.Flush(t.Context()); n != 0 || err != nil {
		t.Errorf("%d went out unasked (%v)", n, err)
	}
	if _, err := o.Send(t.Context(), "k", letter); err != nil {
		t.Fatal(err)
	}
	if st, says := state(t, o); st != Sent || says != "" || s.asked.Load() != 3 {
		t.Errorf("the mail is %s (%q) after %d requests", st, says, s.asked.Load())
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		after  func(now time.Time) string
		wait   time.Duration
	}{
		"seconds":            {429, func(time.Time) string { return "120" }, 2 * time.Minute},
		"a date":             {503, func(now time.Time) string { return now.Add(3 * time.Minute).Format(http.TimeFormat) }, 3 * time.Minute},
		"nothing said":       {429, func(time.Time) string { return "" }, time.Minute},
		"no sense":           {429, func(time.Time) string { return "soon" }, time.Minute},
		"a year":             {429, func(time.Time) string { return "31536000" }, 24 * time.Hour},
		"beyond all numbers": {429, func(time.Time) string { return "99999999999999999999" }, time.Minute},
		"in the past":        {503, func(time.Time) string { return "-5" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{body: "{}", after: c.after(storetest.NewClock().Now())}
			o, clock := s.serve(t, c.status)
			if _, err := o.Send(t.Context(), "k1", letter); err != nil {
				t.Fatal(err)
			}
			s.status.Store(200)
			flush := func(want int) {
				t.Helper()
				if n, err := o.Flush(t.Context()); n != want || err != nil {
					t.Errorf("%d went out, want %d (%v)", n, want, err)
				}
			}
			if c.wait > 0 {
				clock.Add(c.wait - time.Microsecond)
				flush(0)
				if _, err := o.Send(t.Context(), "k2", letter); err != nil || s.asked.Load() != 1 {
					t.Errorf("a further mail was not kept back: %d requests, %v", s.asked.Load(), err)
				}
				clock.Add(time.Microsecond)
				flush(2)
				return
			}
			flush(1)
		})
	}
}

// script runs an SMTP server that answers each verb as it is told to; "greeting" and "."
// are the connection and the end of a mail. An empty answer closes the connection.
func script(t *testing.T, says map[string]string) (Config, *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var taken atomic.Int64
	usual := map[string]string{"greeting": "220 here", "EHLO": "250-here\r\n250 AUTH CRAM-MD5", "DATA": "354 go on", ".": "250 taken", "AUTH": "334 MQ==", "QUIT": "221 bye"}
	answer := func(conn net.Conn, verb string) bool {
		text, ok := says[verb]
		if !ok {
			if text = usual[verb]; text == "" {
				text = "250 fine"
			}
		}
		if verb == "." && strings.HasPrefix(text, "250") {
			taken.Add(1)
		}
		if text == "" {
			return false
		}
		_, err := fmt.Fprint(conn, text+"\r\n")
		return err == nil
	}
	talk := func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		in, body := bufio.NewScanner(conn), false
		for verb := "greeting"; verb == "" || answer(conn, verb); {
			if !in.Scan() {
				return
			}
			line := in.Text()
			switch first, _, _ := strings.Cut(line, " "); {
			case body && line != ".":
				verb = ""
			default:
				verb, body = first, first == "DATA" && says["DATA"] == ""
			}
		}
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go talk(conn)
		}
	}()
	return Config{Via: "smtp", From: "patrol@example.com", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: "none"}, &taken
}

func TestSMTPRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb, answer string
		state        State
		says         string
	}{
		{"greeting", "554 no service here", Failed, "Correct mail.host"},
		{"greeting", "421 busy", Queued, "tried again"},
		{"AUTH", "535 wrong password", Failed, "mail.password"},
		{"AUTH", "454 not now", Queued, "tried again"},
		{"MAIL", "553 who are you", Failed, "does not take mail from patrol@example.com"},
		{"MAIL", "452 disk full", Queued, "tried again"},
		{"RCPT", "550 no such user", Failed, "knows no such recipient among rider@example.com"},
		{"RCPT", "450 grey", Queued, "tried again"},
		{"DATA", "554 no", Failed, "refused the mail for good"},
		{".", "554 spam", Failed, "refused the mail for good"},
		{".", "451 later", Queued, "tried again"},
		{".", "", Queued, "tried again"},
		{"RSET", "", Sent, ""},
		{"RSET", "500 what", Sent, ""},
		{"QUIT", "", Sent, ""},
	} {
		t.Run(c.verb+" "+c.answer, func(t *testing.T) {
			t.Parallel()
			cfg, taken := script(t, map[string]string{c.verb: c.answer})
			if c.verb == "AUTH" {
				cfg.User, cfg.Password = "patrol", "secret"
			}
			o := outbox(t, cfg)
			_, err := o.Send(t.Context(), "k", letter)
			if refused := c.state == Failed; refused != (dossier.KindOf(err) == dossier.Invalid) {
				t.Errorf("got %v, want %s", err, c.state)
			}
			if st, says := state(t, o); st != c.state || !strings.Contains(says, c.says) {
				t.Errorf("the mail is %s (%q), want %s (%q)", st, says, c.state, c.says)
			}
			if _, err := o.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := taken.Load(); n > 1 || (n == 1) != (c.state == Sent) {
				t.Errorf("the server took the mail %d times", n)
			}
		})
	}
}
