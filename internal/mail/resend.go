package mail

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/resend/resend-go/v3"

	"dossier"
	"dossier/internal/app"
)

// resendCarrier hands mail to the Resend service.
type resendCarrier struct {
	client *resend.Client
	now    func() time.Time
}

func newResend(c Config, client *http.Client, now func() time.Time) (resendCarrier, error) {
	if client == nil {
		client = http.DefaultClient
	}
	heard := *client // the service's client keeps neither the status nor, mostly, when to come back
	heard.Transport = listening{client.Transport}
	r := resend.NewCustomClient(&heard, c.Key)
	if c.URL != "" {
		base, err := url.Parse(strings.TrimRight(c.URL, "/") + "/")
		if err != nil {
			return resendCarrier{}, dossier.Errorf(dossier.Invalid, "%q is not the address of a mail service.", c.URL).Because(err)
		}
		r.BaseURL = base
	}
	return resendCarrier{r, now}, nil
}

func (resendCarrier) name() string { return "resend" }

func (r resendCarrier) carry(ctx context.Context, key string, m app.Message) (time.Duration, error) {
	headers := map[string]string{"Message-ID": "<" + m.MessageID + ">"}
	if m.InReplyTo != "" {
		headers["In-Reply-To"] = "<" + m.InReplyTo + ">"
	}
	if len(m.Refs) > 0 {
		headers["References"] = "<" + strings.Join(m.Refs, "> <") + ">"
	}
	var said refusal
	_, err := r.client.Emails.SendWithOptions(context.WithValue(ctx, refusal{}, &said), &resend.SendEmailRequest{
		From: m.From, To: m.To, Subject: m.Subject, Text: m.Text, Headers: headers,
	}, &resend.SendEmailOptions{IdempotencyKey: key})
	switch {
	case err == nil || said.status >= 200 && said.status < 300: // whatever it says then, it took the mail
		return 0, nil
	case said.forGood():
		return 0, dossier.Errorf(dossier.Invalid, "%s", said.advice(m.From)).Because(err)
	}
	return said.wait(r.now()), dossier.Errorf(dossier.Unavailable, "The mail service did not take the mail; it is tried again.").Because(err)
}

// A refusal is what the service answered to a mail. Its status is zero if it did not
// answer at all.
type refusal struct {
	status int
	after  string // Retry-After
	Name   string `json:"name"`
	Text   string `json:"message"`
}

// listening is a transport that notes the answer in the refusal of the request's context.
type listening struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l listening) RoundTrip(req *http.Request) (*http.Response, error) {
	base := l.base
	if base == nil {
		base = http.DefaultTransport
	}
	res, err := base.RoundTrip(req)
	said, ok := req.Context().Value(refusal{}).(*refusal)
	if err != nil || !ok {
		return res, err
	}
	*said = refusal{status: res.StatusCode, after: res.Header.Get("Retry-After")}
	if res.StatusCode >= 400 {
		raw, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // half an answer is no answer
		_ = json.Unmarshal(raw, said)                          // nor is one in another form
		_ = res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(raw))
	}
	return res, nil
}

// forGood reports whether the same mail would be refused again. A service that is busy
// with the same mail, wants more time or is broken may take it later.
func (r *refusal) forGood() bool {
	switch {
	case r.status < 400 || r.status >= 500:
		return false
	case r.status == http.StatusRequestTimeout, r.status == http.StatusTooEarly, r.status == http.StatusTooManyRequests:
		return false
	}
	return r.Name != "concurrent_idempotent_requests"
}

// advice says what to do about a refusal for good.
func (r *refusal) advice(from string) string {
	switch r.status {
	case http.StatusUnauthorized:
		return "The mail service does not accept the key. Put a valid one into mail.key, then have it sent again."
	case http.StatusForbidden:
		return "The mail service does not let this key send as " + from + ". Check mail.key, and that the sender's domain is verified there."
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "No mail service takes mail at this address. Correct mail.url, then have it sent again."
	case http.StatusConflict:
		return "The mail service has had another mail under the same key, which may have gone out. Look there before sending this one another way."
	case http.StatusRequestEntityTooLarge:
		return "The mail is too large for the mail service. Shorten it."
	}
	text := strings.TrimRight(strings.ToValidUTF8(r.Text[:min(len(r.Text), 200)], ""), ". ")
	if text == "" {
		text = http.StatusText(r.status)
	}
	return "The mail service refused the mail for good (" + text + "). Check its sender, recipients and text."
}

// wait is how long the service wants to be left alone, at most a day. One that counts
// requests and does not say is left alone for a minute.
func (r *refusal) wait(now time.Time) time.Duration {
	wait := time.Duration(0)
	if r.status == http.StatusTooManyRequests {
		wait = time.Minute
	}
	if s, err := strconv.ParseInt(strings.TrimSpace(r.after), 10, 64); err == nil {
		wait = time.Duration(min(s, 24*60*60)) * time.Second
	} else if at, err := http.ParseTime(r.after); err == nil {
		wait = at.Sub(now)
	}
	return max(0, min(wait, 24*time.Hour))
}
