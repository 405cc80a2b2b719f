package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/records"
	"dossier/internal/webhook"
)

func (s *Server) webhookRoutes(r *app.Router) {
	tags := []string{"webhooks"}
	admins := []dossier.Role{dossier.Admin}
	app.Handle(r, huma.Operation{
		OperationID: "list-webhooks", Method: http.MethodGet, Path: "/api/v1/webhooks", Tags: tags, Summary: "Addresses that are told about events",
	}, []dossier.Role{dossier.Admin, dossier.Auditor}, s.webhooks)
	app.Handle(r, huma.Operation{
		OperationID: "add-webhook", Method: http.MethodPost, Path: "/api/v1/webhooks", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Tell an address about events", Metadata: map[string]any{secretKey: true},
	}, admins, s.addWebhook)
	app.Handle(r, huma.Operation{
		OperationID: "get-webhook", Method: http.MethodGet, Path: "/api/v1/webhooks/{id}", Tags: tags,
		Summary: "An address that is told about events", Errors: []int{404},
	}, []dossier.Role{dossier.Admin, dossier.Auditor}, s.webhook)
	app.Handle(r, huma.Operation{
		OperationID: "change-webhook", Method: http.MethodPatch, Path: "/api/v1/webhooks/{id}", Tags: tags,
		Summary: "Switch a webhook on or off, or change what it is told", Errors: []int{404, 412},
	}, admins, s.changeWebhook)
	app.Handle(r, huma.Operation{
		OperationID: "remove-webhook", Method: http.MethodDelete, Path: "/api/v1/webhooks/{id}", Tags: tags,
		DefaultStatus: http.StatusNoContent, Summary: "Tell an address nothing more", Errors: []int{404},
	}, admins, s.removeWebhook)
	app.Handle(r, huma.Operation{
		OperationID: "test-webhook", Method: http.MethodPost, Path: "/api/v1/webhooks/{id}/test", Tags: tags,
		Summary: "Send a webhook one made-up event", Errors: []int{404},
	}, admins, s.testWebhook)
}

func (s *Server) sender() *webhook.Sender {
	return &webhook.Sender{Store: s.Records, HTTP: s.HTTP, Now: s.Now, Log: s.Log, Sign: s.Sign}
}

type webhooksOutput struct {
	Body struct {
		Items []records.Webhook `json:"items"`
	}
}

func (s *Server) webhooks(ctx context.Context, _ *struct{}) (*webhooksOutput, error) {
	hooks, err := s.Records.Webhooks(ctx)
	out := &webhooksOutput{}
	out.Body.Items = []records.Webhook{}
	for _, w := range hooks {
		out.Body.Items = append(out.Body.Items, tidy(w))
	}
	return out, err
}

func tidy(w records.Webhook) records.Webhook {
	w.Kinds, w.Apps = list(w.Kinds), list(w.Apps)
	return w
}

// An AddedWebhook is a new webhook with what its deliveries are signed with.
type AddedWebhook struct {
	records.Webhook
	Secret string `json:"secret" doc:"Checks the Webhook-Signature of deliveries, as Standard Webhooks describes; shown only now"`
}

type addWebhookInput struct {
	Body struct {
		URL   string   `json:"url" maxLength:"2000"`
		Kinds []string `json:"kinds,omitempty" maxItems:"50" doc:"Kinds of events, such as approval.asked or approval.*; absent: all"`
		Apps  []string `json:"apps,omitempty" maxItems:"50" doc:"Absent: all"`
	}
}

type addWebhookOutput struct{ Body AddedWebhook }

func (s *Server) addWebhook(ctx context.Context, in *addWebhookInput) (*addWebhookOutput, error) {
	if err := s.checkHook(in.Body.URL, in.Body.Apps); err != nil {
		return nil, err
	}
	last, err := s.Records.LastEvent(ctx)
	if err != nil {
		return nil, err
	}
	w := records.Webhook{
		ID: s.NewID("hook-"), URL: in.Body.URL, Kinds: list(in.Body.Kinds), Apps: list(in.Body.Apps),
		By: s.Principal(ctx).ID, Created: s.Now(), Enabled: true, Version: 1, Sent: last,
	}
	if err := s.Records.CreateWebhook(ctx, w); err != nil {
		return nil, err
	}
	s.note(ctx, "webhook.added", "added the webhook %s.", w.ID)
	return &addWebhookOutput{AddedWebhook{w, s.sender().Secret(w.ID)}}, nil
}

func (s *Server) checkHook(url string, apps []string) error {
	for _, id := range apps {
		if _, ok := s.apps[id]; !ok {
			return dossier.Errorf(dossier.Invalid, "There is no app %q.", id)
		}
	}
	return webhook.CheckURL(url)
}

type webhookID struct {
	ID string `path:"id"`
}

type webhookOutput struct {
	ETag string `header:"ETag"`
	Body records.Webhook
}

func (s *Server) webhook(ctx context.Context, in *webhookID) (*webhookOutput, error) {
	w, err := s.Records.Webhook(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &webhookOutput{versionTag(w.Version), tidy(w)}, nil
}

type changeWebhookInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" required:"true" doc:"The ETag of the webhook as you saw it"`
	Body    struct {
		URL     *string   `json:"url,omitempty" maxLength:"2000"`
		Kinds   *[]string `json:"kinds,omitempty"`
		Apps    *[]string `json:"apps,omitempty"`
		Enabled *bool     `json:"enabled,omitempty"`
		Skip    bool      `json:"skip,omitempty" doc:"Leave out what happened while it was off"`
	}
}

func (s *Server) changeWebhook(ctx context.Context, in *changeWebhookInput) (*webhookOutput, error) {
	version, err := tagVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	last, err := s.Records.LastEvent(ctx)
	if err != nil {
		return nil, err
	}
	w, err := s.Records.ChangeWebhook(ctx, in.ID, version, func(w *records.Webhook) error {
		if in.Body.URL != nil {
			w.URL = *in.Body.URL
		}
		if in.Body.Kinds != nil {
			w.Kinds = *in.Body.Kinds
		}
		if in.Body.Apps != nil {
			w.Apps = *in.Body.Apps
		}
		if in.Body.Enabled != nil {
			w.Enabled, w.Failures, w.Next = *in.Body.Enabled, 0, time.Time{}
		}
		if in.Body.Skip && last > w.Sent {
			w.Dropped += int(last - w.Sent)
			w.Sent = last
		}
		return s.checkHook(w.URL, w.Apps)
	})
	if errors.Is(err, dossier.Conflict) {
		return nil, dossier.Errorf(dossier.Conflict, "%s", dossier.Message(err)).Because(errStale)
	}
	if err != nil {
		return nil, err
	}
	s.note(ctx, "webhook.changed", "changed the webhook %s.", w.ID)
	return &webhookOutput{versionTag(w.Version), tidy(w)}, nil
}

func (s *Server) removeWebhook(ctx context.Context, in *webhookID) (*struct{}, error) {
	if err := s.Records.DeleteWebhook(ctx, in.ID); err != nil {
		return nil, err
	}
	s.note(ctx, "webhook.removed", "removed the webhook %s.", in.ID)
	return nil, nil
}

type testWebhookOutput struct {
	Body struct {
		OK   bool   `json:"ok"`
		Note string `json:"note" doc:"What the address answered"`
	}
}

func (s *Server) testWebhook(ctx context.Context, in *webhookID) (*testWebhookOutput, error) {
	w, err := s.Records.Webhook(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	note, _, err := s.sender().Deliver(ctx, w, records.Event{
		At: s.Now(), Kind: "webhook.test", By: s.Principal(ctx).ID, Text: "This is a test of the webhook.",
	})
	out := &testWebhookOutput{}
	out.Body.OK, out.Body.Note = err == nil, note
	return out, nil
}
