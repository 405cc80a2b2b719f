// Package records is how the product's records are asked for from outside: which
// cases, runs, approvals and events a page wants, and in which pieces.
//
// The API asks in these words and the store answers in them, so that neither
// imports the other. Everything here is a question or a plain answer; nothing here
// decides who may see what. That is why every question carries the apps the asker
// may see.
package records

import (
	"encoding/json"
	"strings"
	"time"

	"dossier"
)

// A Position is where a page of a list ends: the time and the id of its last row.
// The zero Position is the start. Lists are ordered by time and then by id, both
// falling, so a position stays good while rows are added.
type Position struct {
	At time.Time
	ID string
}

// A CaseQuery picks cases, newest opened first. Zero fields pick all.
type CaseQuery struct {
	Apps    []string        // only these apps; nil: every app, empty: none
	States  []dossier.State // none: open, waiting and closed
	Stage   string
	Subject string // the exact subject
	// Text holds words that must all begin a word, in any order and letter case, of
	// the case's id, subject, title, stage, outcome, findings' reasons or evidence
	// summaries.
	Text         string
	OpenedAfter  time.Time // at or after
	OpenedBefore time.Time // before
	After        Position  // by Opened and ID
	Limit        int
}

// A CaseCount says how many cases of an app are in a state.
type CaseCount struct {
	App   string        `json:"app"`
	State dossier.State `json:"state"`
	Count int           `json:"count"`
}

// A RunQuery picks runs, newest started first. Zero fields pick all.
type RunQuery struct {
	Apps   []string // nil: every app, empty: none
	Case   dossier.CaseID
	Agent  string
	Status dossier.Status
	For    string   // principal ID of who it is for
	Top    bool     // only runs that no other run called
	After  Position // by Started and ID
	Limit  int
}

// An ApprovalQuery picks approvals, newest asked first. Zero fields pick all.
type ApprovalQuery struct {
	Apps     []string // nil: every app, empty: none
	Case     dossier.CaseID
	Tool     string
	Statuses []dossier.ApprovalStatus
	// Roles keeps the approvals that a holder of one of them may decide: those whose
	// Roles name it and, once Remind is not after Now, those whose Escalate does.
	// Nil: all.
	Roles     []dossier.Role
	DecidedBy string    // principal ID; "": anyone
	Now       time.Time // for Roles
	After     Position  // by Asked and ID
	Limit     int
}

// An Event is something that happened, for timelines, live pages and webhooks. The
// store writes one in the transaction in which the thing happened.
type Event struct {
	Seq      int64              `json:"seq"` // rises in the order in which events became visible
	At       time.Time          `json:"at"`
	Kind     string             `json:"kind"`
	App      string             `json:"app,omitempty"`
	Case     dossier.CaseID     `json:"case,omitempty"`
	Run      dossier.RunID      `json:"run,omitempty"`
	Approval dossier.ApprovalID `json:"approval,omitempty"`
	By       string             `json:"by,omitempty"` // principal ID, agent name or rule
	Text     string             `json:"text"`         // one sentence
	Data     json.RawMessage    `json:"data,omitempty"`
}

// The kinds of events that the core writes. Apps publish their own beside them.
const (
	CaseOpened       = "case.opened"
	CaseMoved        = "case.moved"
	EvidenceRecorded = "evidence.recorded"
	FindingMade      = "finding.made"
	RunStarted       = "run.started"
	RunStepped       = "run.step" // one per recorded move; Data holds {"seq":…, "kind":…}
	RunEnded         = "run.ended"
	ApprovalAsked    = "approval.asked"
	ApprovalDecided  = "approval.decided"
	ApprovalReminded = "approval.reminded"
	ApprovalExpired  = "approval.expired"
	ApprovalVoid     = "approval.void"
)

// A Webhook is an address that is told about events. What signs its deliveries is
// derived from the product's key and the ID, so no secret is stored.
type Webhook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Kinds   []string  `json:"kinds"` // event kinds, "approval.*" for all of a noun; empty: all
	Apps    []string  `json:"apps"`  // empty: all
	By      string    `json:"by"`    // principal ID of who added it
	Created time.Time `json:"created"`
	Enabled bool      `json:"enabled"`
	Version int       `json:"version"` // counts the changes of what stands above

	Sent     int64     `json:"sent"`             // Seq of the last event dealt with
	Failures int       `json:"failures"`         // tries of the next event that failed
	Dropped  int       `json:"dropped"`          // events given up on
	Next     time.Time `json:"next,omitzero"`    // do not try before
	LastAt   time.Time `json:"last_at,omitzero"` // last try
	LastNote string    `json:"last_note"`        // what the last try came to
}

// A Request is a request that must be answered once per key.
type Request struct {
	By     string // principal ID
	Key    string // the client's Idempotency-Key
	Digest string // of method, path and body
	At     time.Time
}

// An Answer is what a request was answered with. Status 0: not answered yet.
type Answer struct {
	Status int
	Type   string // content type
	Body   []byte
}

// KindMatches reports whether a kind of event fits a pattern: the kind itself, or
// "approval.*" for all kinds of a noun.
func KindMatches(pattern, kind string) bool {
	if noun, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(kind, noun)
	}
	return pattern == kind
}
