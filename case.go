package dossier

import "time"

// A Case is one matter an app looks into, from the first look to the outcome.
// An app has at most one live case per subject.
type Case struct {
	ID      CaseID    `json:"id"`
	App     string    `json:"app"`     // app ID: "poolpatrol"
	Subject string    `json:"subject"` // what it is about, in the app's own terms: "vanpool/VP-101"
	Title   string    `json:"title"`
	State   State     `json:"state"`
	Stage   string    `json:"stage"`   // the app's own word for where it stands: "pending_reply"
	Outcome string    `json:"outcome"` // set when it ends; the app defines the values
	Opened  time.Time `json:"opened"`
	Updated time.Time `json:"updated"`
	Closed  time.Time `json:"closed,omitzero"` // zero while live
	Version int       `json:"version"`         // counts changes, for If-Match
}

// A State is where a case stands.
type State string

const (
	// Preliminary: facts are being gathered and nobody has been bothered yet. Lists
	// of cases leave it out unless asked.
	Preliminary State = "preliminary"
	// Open: work can go on.
	Open State = "open"
	// Waiting: a person or a date must come first.
	Waiting State = "waiting"
	// Closed: done. Looking again makes a new case.
	Closed State = "closed"
	// Cleared: the first look found nothing. Kept as a record, never counted as a case.
	Cleared State = "cleared"
)

// Live reports whether a case in state s can still move.
func (s State) Live() bool { return s == Preliminary || s == Open || s == Waiting }

// CanBecome reports whether a case may go from s to next. Staying is always allowed
// while live.
func (s State) CanBecome(next State) bool {
	switch s {
	case Preliminary:
		return next != Closed
	case Open, Waiting:
		return next == Open || next == Waiting || next == Closed
	default:
		return false
	}
}
