package api

import (
	"context"
	"time"

	"dossier"
	"dossier/internal/records"
)

// Records is what the API reads. The store implements it; the API must not import
// the store, so that apps and tests can serve the same pages over other records.
type Records interface {
	Cases(ctx context.Context, q records.CaseQuery) ([]dossier.Case, error)
	// CaseCounts counts the cases of apps by state, every state included; nil apps
	// are all.
	CaseCounts(ctx context.Context, apps []string) ([]records.CaseCount, error)
	Case(ctx context.Context, id dossier.CaseID) (dossier.Case, error)
	// Facts returns a case's evidence chain and findings, each in order.
	Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error)
	Evidence(ctx context.Context, id dossier.EvidenceID) (dossier.Evidence, error)

	Runs(ctx context.Context, q records.RunQuery) ([]dossier.Run, error)
	// Load returns a run and its steps in order.
	Load(ctx context.Context, id dossier.RunID) (dossier.Run, []dossier.Step, error)
	Run(ctx context.Context, id dossier.RunID) (dossier.Run, error)
	// ChildRuns returns the runs that a run's steps called, oldest first.
	ChildRuns(ctx context.Context, id dossier.RunID) ([]dossier.Run, error)

	ListApprovals(ctx context.Context, q records.ApprovalQuery) ([]dossier.Approval, error)
	Approval(ctx context.Context, id dossier.ApprovalID) (dossier.Approval, error)

	Events
	Webhooks
	Requests
}

// Events are everything that happened, in the order in which it became visible: an
// event whose Seq is lower than one already returned never appears later.
type Events interface {
	// Events returns up to limit events after seq, oldest first.
	Events(ctx context.Context, after int64, limit int) ([]records.Event, error)
	// LastEvent returns the highest Seq, and 0 if nothing has happened yet.
	LastEvent(ctx context.Context) (int64, error)
	// Publish writes an event.
	Publish(ctx context.Context, e records.Event) error
	// Changed returns a channel that is closed when this process next writes an event.
	Changed() <-chan struct{}
	// Timeline returns up to limit events of a case after seq, oldest first.
	Timeline(ctx context.Context, id dossier.CaseID, after int64, limit int) ([]records.Event, error)
}

// Webhooks keeps the addresses that are told about events.
type Webhooks interface {
	Webhooks(ctx context.Context) ([]records.Webhook, error)
	Webhook(ctx context.Context, id string) (records.Webhook, error)
	CreateWebhook(ctx context.Context, w records.Webhook) error
	SaveDelivery(ctx context.Context, w records.Webhook) error
	ChangeWebhook(ctx context.Context, id string, version int, change func(*records.Webhook) error) (records.Webhook, error)
	DeleteWebhook(ctx context.Context, id string) error
	// ClaimWebhook returns an enabled webhook that has events after Sent and whose Next
	// is not after now, having set its Next to until so that no other process claims
	// it meanwhile. It returns dossier.NotFound if there is none.
	ClaimWebhook(ctx context.Context, now, until time.Time) (records.Webhook, error)
}

// Requests remembers what was answered to requests that carry an Idempotency-Key.
type Requests interface {
	// BeginRequest keeps r, or returns the answer to an earlier request of the same
	// principal with the same key. It returns dossier.Conflict if that request had
	// another digest or has no answer yet.
	BeginRequest(ctx context.Context, r records.Request) (answer records.Answer, found bool, err error)
	FinishRequest(ctx context.Context, by, key string, a records.Answer) error
	// ForgetRequest lets the key be used again, after a failure that may be retried.
	ForgetRequest(ctx context.Context, by, key string) error
	// DropRequests deletes what is older than before.
	DropRequests(ctx context.Context, before time.Time) error
}
