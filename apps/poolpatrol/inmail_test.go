package poolpatrol

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/mail/mailtest"
)

func changed(change func(*patrol.Config)) apptest.Options {
	return apptest.Options{Change: func(c app.Config) { change(c.(*patrol.Config)) }}
}

// A mail service delivers replies to the webhook: as fields, or as the mail itself.
func TestWebhook(t *testing.T) {
	t.Parallel()
	p := start(t, changed(func(c *patrol.Config) { c.Webhook = "env:HOOK" }))
	l := p.audit("VP-102")
	first := p.Mail.Sent()[0].MessageID
	h := p.Handler()
	post := func(secret, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, base+"/inbound", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Webhook-Secret", secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	fields, err := json.Marshal(map[string]string{"from": "emp1006@example.com", "subject": "Re", "text": "What do you need?", "message_id": "one@out", "in_reply_to": first})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(map[string]string{
		"raw": "From: Fern Vale <emp1006@example.com>\r\nTo: patrol@example.com\r\nSubject: Re\r\nMessage-ID: <two@out>\r\nIn-Reply-To: <" + first + ">\r\n\r\nWhy me?\r\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if code, said := post("guess", string(fields)); code != http.StatusForbidden {
		t.Errorf("a wrong secret: %d %s", code, said)
	}
	if code, said := post("secret-of-env:HOOK", `{"from":"emp1006@example.com"}`); code != http.StatusUnprocessableEntity || !strings.Contains(said, "from and text") {
		t.Errorf("half a mail: %d %s", code, said)
	}
	for _, c := range []struct {
		body  []byte
		fresh string
	}{{fields, `"fresh":true`}, {fields, `"fresh":false`}, {whole, `"fresh":true`}} {
		p.Clock.Add(time.Minute)
		if code, said := post("secret-of-env:HOOK", string(c.body)); code != http.StatusOK || !strings.Contains(said, c.fresh) {
			t.Errorf("got %d %s, want %s", code, said, c.fresh)
		}
		p.Settle()
	}
	page, err := p.casePage(t.Context(), l.Case)
	if err != nil || len(page.Threads) != 1 || len(page.Threads[0].Messages) != 5 || page.Threads[0].Messages[3].Bucket != "question" {
		t.Errorf("P-091 got %+v %v, want a letter and two questions with answers", page.Threads, err)
	}
	t.Run("without a secret there is no webhook", func(t *testing.T) {
		t.Parallel()
		if code, _ := start(t, apptest.Options{}).Call(http.MethodPost, base+"/inbound", string(fields), nil); code != http.StatusNotFound {
			t.Errorf("got %d, want 404", code)
		}
	})
}

// Replies are fetched from a mailbox: a real IMAP server holds one from a rider and one
// from nobody we know.
func TestMailbox(t *testing.T) {
	t.Parallel()
	server := mailtest.Serve(t, "patrol", "secret-of-env:MAILBOX")
	p := start(t, changed(func(c *patrol.Config) {
		c.IMAP = patrol.IMAP{
			Host: "127.0.0.1", Port: server.Port, User: "patrol", Password: "env:MAILBOX", Mailbox: "INBOX", TLS: "none", Every: "*/5 * * * *",
		}
	}))
	l := p.audit("VP-107")
	for _, raw := range []string{
		"From: who@else.example\r\nSubject: Hello\r\nMessage-ID: <x@else>\r\n\r\nBuy now.\r\n",
		"From: emp1031@example.com\r\nSubject: Re\r\nMessage-ID: <y@out>\r\nIn-Reply-To: <" + p.Mail.Sent()[0].MessageID + ">\r\n\r\nThis is wrong, I dispute it.\r\n",
	} {
		server.Deliver(t, raw)
	}
	p.Clock.Add(time.Minute)
	for range 2 { // the second time there is nothing new
		if err := p.Fire(t.Context(), "mailbox", nil); err != nil {
			t.Fatal(err)
		}
		p.Settle()
	}
	p.wantStatus(l.Case, patrol.HITLReview)
	if asked := p.Pending(); len(asked) != 1 || asked[0].Tool != "send_email_for_review" {
		t.Errorf("P-091 got %+v, want one draft", asked)
	}
}

// The page behind a rider's link works without a script and without an account.
func TestCounterPage(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{}).as(patrol.Coordinator)
	l := p.audit("VP-102")
	var link riderLink
	threads, err := p.patrol.Book.Threads(t.Context(), l.Case)
	if err != nil {
		t.Fatal(err)
	}
	p.as(patrol.Inspector).want(403, http.MethodPost, "/threads/"+threads[0].ID+"/link", nil, nil)
	p.as(patrol.Coordinator)
	p.want(404, http.MethodPost, "/threads/THREAD-00000000/link", nil, nil)
	p.want(200, http.MethodPost, "/threads/"+threads[0].ID+"/link", nil, &link)
	at, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	h := p.Handler()
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	send := func(fields map[string]string, document string) (int, string) {
		var buf bytes.Buffer
		form := multipart.NewWriter(&buf)
		for k, v := range fields {
			_ = form.WriteField(k, v)
		}
		if document != "" {
			f, err := form.CreateFormFile("document", "rota.txt")
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.Write([]byte(document))
		}
		_ = form.Close()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, at.Path, &buf)
		r.Header.Set("Content-Type", form.FormDataContentType())
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if code, page := get(at.Path); code != 200 || !strings.Contains(page, "Your seat in VP-102") || strings.Contains(page, "Fern") || strings.Contains(page, "EMP-") {
		t.Errorf("got %d %s", code, page)
	}
	if code, page := get(at.Path + "x"); code != 403 || !strings.Contains(page, "This link is not valid") {
		t.Errorf("a forged link: %d %s", code, page)
	}
	if code, page := send(map[string]string{"about": "shift"}, ""); code != 400 || !strings.Contains(page, "Write what is wrong, or attach a document.") {
		t.Errorf("an empty form: %d %s", code, page)
	}
	p.setShift("EMP-1006", "SH-DAY")
	if code, page := send(map[string]string{"about": "shift", "statement": "I work days."}, "Mon-Fri 07:00"); code != 200 || !strings.Contains(page, "You keep your seat meanwhile") {
		t.Fatalf("a document: %d %s", code, page)
	}
	p.Settle()
	p.wantStatus(l.Case, patrol.Resolved)
	if code, page := get(at.Path); code != 409 || !strings.Contains(page, "This matter is closed") {
		t.Errorf("after the end: %d %s", code, page)
	}
	p.want(409, http.MethodPost, "/threads/"+threads[0].ID+"/link", nil, nil)
}
