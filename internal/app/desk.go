package app

import (
	"context"
	"encoding/json"
	"time"

	"dossier"
	"dossier/internal/agent"
)

// A Desk is what an app may do with the core's records. Calls made inside
// Env.DB.InTx, or by a write tool, commit with it.
type Desk interface {
	// Open returns the live case about a subject, or opens one.
	Open(ctx context.Context, o Opening) (c dossier.Case, fresh bool, err error)
	// Case returns a case of this app.
	Case(ctx context.Context, id dossier.CaseID) (dossier.Case, error)
	// CaseOf returns the live case about a subject, or dossier.NotFound.
	CaseOf(ctx context.Context, subject string) (dossier.Case, error)
	// Cases lists cases of this app, newest first.
	Cases(ctx context.Context, f CaseFilter) ([]dossier.Case, error)
	// Move changes a case and writes the change to its timeline.
	Move(ctx context.Context, id dossier.CaseID, ch Change) (dossier.Case, error)

	// Record appends evidence to a case's chain and findings to the case. A finding
	// that cites nothing is tied to this evidence. Approvals that rest on evidence
	// which the new entries replace become void.
	Record(ctx context.Context, id dossier.CaseID, seen []dossier.Evidence, found []dossier.Finding) ([]dossier.Evidence, error)
	// Facts returns a case's evidence chain and findings, each in order.
	Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error)

	// Start begins a run of one of this app's agents and queues it.
	Start(ctx context.Context, s Start) (dossier.Run, error)
	// Drive advances a run in the caller's goroutine until it waits or ends.
	Drive(ctx context.Context, id dossier.RunID) (dossier.Run, error)
	// Run returns a run.
	Run(ctx context.Context, id dossier.RunID) (dossier.Run, error)
	// Runs returns the runs of a case, oldest first.
	Runs(ctx context.Context, id dossier.CaseID) ([]dossier.Run, error)
	// Steps returns the recorded steps of a run, in order.
	Steps(ctx context.Context, id dossier.RunID) ([]dossier.Step, error)
	// Spent returns what the runs of this app took so far; those of one case alone if id
	// is not "". The model is left out.
	Spent(ctx context.Context, id dossier.CaseID) (dossier.Expense, error)
	// SpentByCase returns what each of this app's open, waiting and closed cases took.
	SpentByCase(ctx context.Context) (map[dossier.CaseID]dossier.Expense, error)
	// Say adds what a person said to a conversation and makes it ready.
	Say(ctx context.Context, id dossier.RunID, by dossier.Principal, text string, attached []Attachment) error

	// Approvals returns the approvals of a case, oldest first.
	Approvals(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error)
	// Asked returns the approvals that were asked for calls of a tool of this app, newest
	// first: the last ten thousand.
	Asked(ctx context.Context, tool string) ([]dossier.Approval, error)
	// Decide records what a person decided about an approval of this app. d.By must
	// carry the roles the person has now.
	Decide(ctx context.Context, id dossier.ApprovalID, d dossier.Decision) (dossier.Approval, error)

	// Reached returns what whoever plays an agent now reached, from 0 to 1, when it was
	// last measured with a suite of this app; false if it never was, or if the agent's
	// prompt or tools or the suite are not what they were then.
	Reached(ctx context.Context, agent, suite string) (score float64, measured bool, err error)

	// Later queues the app's job for a time. A second call with the same name and
	// unique key replaces the first while it has not run; "" never replaces.
	Later(ctx context.Context, job string, args any, at time.Time, unique string) error
	// Publish tells everyone who listens, and the case's timeline, that something
	// happened.
	Publish(ctx context.Context, e Event) error
}

// An Opening says which case to open.
type Opening struct {
	ID      dossier.CaseID // "" lets the core choose one
	Subject string
	Title   string
	State   dossier.State // "" means Preliminary
	Stage   string
	By      dossier.Principal
}

// A CaseFilter picks cases. Zero fields pick all.
type CaseFilter struct {
	States  []dossier.State // none: open, waiting and closed
	Subject string
	Stage   string
	Limit   int // 0: 1,000
}

// A Change moves a case. Empty fields stay as they are.
type Change struct {
	State   dossier.State
	Stage   string
	Outcome string
	Title   string
	Note    string // for the timeline: why
	By      string // principal ID or agent name, for the timeline
}

// A Start says which run to begin.
type Start struct {
	Case  dossier.CaseID
	Agent string
	For   dossier.Principal
	Input any
	Hold  bool // do not queue it: the caller drives it
}

// An Attachment is a file that a person sent with a message, kept by the app.
type Attachment = agent.Attachment

// An Event is something that happened, for timelines and live pages.
type Event struct {
	Kind string          `json:"kind"` // "mail.sent", "score.crossed"
	Case dossier.CaseID  `json:"case,omitempty"`
	By   string          `json:"by,omitempty"`
	Text string          `json:"text"` // one sentence
	Data json.RawMessage `json:"data,omitempty"`
}

// Mail sends mail the way the operator configured: into the outbox, by SMTP or by a
// service.
type Mail interface {
	// Send sends m once per key: a second call with the same key returns the first
	// receipt.
	Send(ctx context.Context, key string, m Message) (Receipt, error)

	// Noted writes down that m went out, because a person says so, and sends nothing.
	// What is known of the key stands, and is not tried again.
	Noted(ctx context.Context, key string, m Message) (Receipt, error)
}

// A Message is one mail.
type Message struct {
	App       string         `json:"app"`
	Case      dossier.CaseID `json:"case,omitempty"`
	From      string         `json:"from,omitempty"` // "" is the configured sender
	To        []string       `json:"to"`
	Subject   string         `json:"subject"`
	Text      string         `json:"text"`
	MessageID string         `json:"message_id,omitempty"` // without angle brackets
	InReplyTo string         `json:"in_reply_to,omitempty"`
	Refs      []string       `json:"references,omitempty"`
}

// A Receipt says what became of a mail.
type Receipt struct {
	MessageID string    `json:"message_id"`
	Via       string    `json:"via"` // "outbox", "smtp", "resend"
	At        time.Time `json:"at"`
}
