package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/mail"
	"dossier/internal/store"
	"dossier/internal/trace"
	"dossier/internal/work"
)

// oidc makes the identity provider's settings with its secret revealed.
func (p *product) oidc() (*auth.OIDC, error) {
	secret, err := p.OIDC.Secret.Reveal(p.env)
	if err != nil {
		return nil, err
	}
	return &auth.OIDC{Issuer: p.OIDC.Issuer, Client: p.OIDC.Client, Secret: auth.Secret(secret), Claim: p.OIDC.Claim, Roles: p.OIDC.Roles}, nil
}

// mailer makes the way mail goes out.
func (p *product) mailer() (*mail.Outbox, error) {
	password, err := p.Mail.Password.Reveal(p.env)
	if err != nil {
		return nil, fmt.Errorf("mail.password: %w", err)
	}
	key, err := p.Mail.Key.Reveal(p.env)
	if err != nil {
		return nil, fmt.Errorf("mail.key: %w", err)
	}
	return mail.New(mail.Config{
		Via: p.Mail.Via, From: p.Mail.From, Host: p.Mail.Host, Port: p.Mail.Port, User: p.Mail.User,
		Password: password, TLS: p.Mail.TLS, Key: key,
	}, p.store.DB(), &http.Client{Timeout: 30 * time.Second}, p.now, store.NewID)
}

// tracing returns where traces go, or "".
func (p *product) tracing() string {
	if p.Trace.Endpoint != "" {
		return p.Trace.Endpoint
	}
	if p.env("LANGSMITH_API_KEY") != "" {
		return trace.LangSmithEndpoint
	}
	return ""
}

func startTracing(ctx context.Context, s *settings, env func(string) string) (func(), error) {
	headers := map[string]string{}
	for name, v := range s.Trace.Headers {
		text := string(v)
		if v.named() {
			var err error
			if text, err = v.Reveal(env); err != nil {
				return nil, fmt.Errorf("trace.headers.%s: %w", name, err)
			}
		}
		headers[name] = text
	}
	return trace.Start(ctx, trace.Options{
		Endpoint: s.Trace.Endpoint, Headers: headers, LangSmith: env("LANGSMITH_API_KEY"),
		Project: env("LANGSMITH_PROJECT"), Version: buildVersion(),
	})
}

// Fire implements api.Work: it queues a trigger of an app with an event.
func (p *product) Fire(ctx context.Context, id, trigger string, event json.RawMessage, _ dossier.Principal) error {
	a, _ := p.app(id)
	return p.store.Work().Enqueue(ctx, work.Job{Kind: work.Trigger, App: id, Name: trigger, Args: a.RedactedJSON(event)})
}

// cutName splits "app.agent".
func cutName(name string) (id, agentName string, ok bool) { return strings.Cut(name, ".") }
