package mail

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/resend/resend-go/v3"

	"dossier"
	"dossier/internal/app"
)

// resendCarrier hands mail to the Resend service.
type resendCarrier struct{ client *resend.Client }

func newResend(c Config, client *http.Client) (resendCarrier, error) {
	if client == nil {
		client = http.DefaultClient
	}
	r := resend.NewCustomClient(client, c.Key)
	if c.URL != "" {
		base, err := url.Parse(strings.TrimRight(c.URL, "/") + "/")
		if err != nil {
			return resendCarrier{}, dossier.Errorf(dossier.Invalid, "%q is not the address of a mail service.", c.URL).Because(err)
		}
		r.BaseURL = base
	}
	return resendCarrier{r}, nil
}

func (resendCarrier) name() string { return "resend" }

func (r resendCarrier) carry(ctx context.Context, key string, m app.Message) error {
	headers := map[string]string{"Message-ID": "<" + m.MessageID + ">"}
	if m.InReplyTo != "" {
		headers["In-Reply-To"] = "<" + m.InReplyTo + ">"
	}
	if len(m.Refs) > 0 {
		headers["References"] = "<" + strings.Join(m.Refs, "> <") + ">"
	}
	_, err := r.client.Emails.SendWithOptions(ctx, &resend.SendEmailRequest{
		From: m.From, To: m.To, Subject: m.Subject, Text: m.Text, Headers: headers,
	}, &resend.SendEmailOptions{IdempotencyKey: key})
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The mail service did not take the mail; it is tried again.").Because(err)
	}
	return nil
}
