package dossier

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// An Approval asks people to decide about one planned tool call before it runs.
// It holds the exact arguments and the evidence they rest on, and a decision
// applies to those and no others.
type Approval struct {
	ID       ApprovalID      `json:"id"`
	Case     CaseID          `json:"case"`
	App      string          `json:"app"`
	Run      RunID           `json:"run"`
	Call     string          `json:"call"`            // the model's id of the planned call
	Model    string          `json:"model,omitempty"` // the model that planned it
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"` // canonical JSON
	Evidence []EvidenceID    `json:"evidence"`
	Digest   string          `json:"digest"`    // binds tool, arguments and evidence
	Title    string          `json:"title"`     // the action in one sentence
	Why      string          `json:"why"`       // why a person is asked
	Roles    []Role          `json:"roles"`     // who may decide
	Verbs    []Verb          `json:"verbs"`     // what they may do
	Need     int             `json:"need"`      // how many people must approve, at least 1
	FourEyes bool            `json:"four_eyes"` // whoever the run is for may not decide
	For      string          `json:"for"`       // principal ID the run is for
	Status   ApprovalStatus  `json:"status"`
	Asked    time.Time       `json:"asked"`
	Remind   time.Time       `json:"remind,omitzero"`    // zero: no reminder
	Expires  time.Time       `json:"expires,omitzero"`   // zero: never
	Escalate []Role          `json:"escalate,omitempty"` // who may also decide once reminded

	Decisions []Decision `json:"decisions"`           // in order; more than one where Need is
	VoidedBy  string     `json:"voided_by,omitempty"` // a sentence on what changed, when void

	// Doubt says that the act had begun when the product stopped and that nobody knows
	// whether it took effect. Approve then does it again, Respond records that it
	// happened and Reject that it did not.
	Doubt bool `json:"doubt,omitempty"`
}

// An ApprovalStatus is where an approval stands.
type ApprovalStatus string

// The statuses. Only a pending approval can be decided.
const (
	Pending  ApprovalStatus = "pending"
	Approved ApprovalStatus = "approved" // enough people approved, or one edited
	Rejected ApprovalStatus = "rejected" // one person rejected or responded instead
	Expired  ApprovalStatus = "expired"
	Void     ApprovalStatus = "void" // the evidence changed after it was asked
)

// A Decision is what a person did about an approval.
type Decision struct {
	Verb Verb            `json:"verb"`
	By   Principal       `json:"by"`
	At   time.Time       `json:"at"`
	Args json.RawMessage `json:"args,omitempty"` // the replacement arguments, when Verb is Edit
	Note string          `json:"note,omitempty"` // why; told to the agent
}

// A Verb is something a person may do about an approval.
type Verb string

// The verbs.
const (
	Approve Verb = "approve" // run the call as it stands
	Edit    Verb = "edit"    // run it with other arguments
	Reject  Verb = "reject"  // do not run it
	Respond Verb = "respond" // do not run it; tell the agent this instead
)

// Decide checks d against a and, if it holds, records it. The roles of d.By must be
// those of the moment of deciding.
func (a *Approval) Decide(d Decision) error {
	switch {
	case a.Status == Expired || a.Status == Pending && !a.Expires.IsZero() && d.At.After(a.Expires):
		return Errorf(Conflict, "This request expired on %s.", a.Expires.Format("2 January 2006 15:04 MST"))
	case a.Status == Void:
		return Errorf(Conflict, "This request is void: %s", a.VoidedBy)
	case a.Status != Pending:
		last := a.Decisions[len(a.Decisions)-1]
		return Errorf(Conflict, "%s already decided this (%s).", last.By.Name, last.Verb)
	case !a.MayDecide(d.By):
		return Errorf(Forbidden, "Your role does not allow this decision.")
	case a.FourEyes && d.By.ID == a.For:
		return Errorf(Forbidden, "Whoever asked for this cannot also approve it.")
	case slices.ContainsFunc(a.Decisions, func(o Decision) bool { return o.By.ID == d.By.ID }):
		return Errorf(Conflict, "You have already agreed; %d more must.", a.Need-len(a.Decisions))
	case !slices.Contains(a.Verbs, d.Verb):
		return Errorf(Invalid, "This request cannot be answered with %q.", d.Verb)
	case d.Verb == Edit && len(d.Args) == 0:
		return Errorf(Invalid, "An edit needs the arguments to use instead.")
	case (d.Verb == Reject || d.Verb == Respond) && d.Note == "":
		return Errorf(Invalid, "Say why in a note, so that the agent and the record know.")
	}
	a.Decisions = append(slices.Clone(a.Decisions), d)
	switch d.Verb {
	case Reject, Respond:
		a.Status = Rejected
	case Approve, Edit:
		if d.Verb == Edit || len(a.Decisions) >= a.Need {
			a.Status = Approved
		}
	}
	return nil
}

// MayDecide reports whether p holds a role that may decide a. The auditor and the
// product itself never may.
func (a *Approval) MayDecide(p Principal) bool {
	if p.Has(System) {
		return false
	}
	return slices.ContainsFunc(a.Roles, p.Has)
}

// Does says what deciding a with v sets in motion.
func (a *Approval) Does(v Verb) string {
	left := a.Need - len(a.Decisions) - 1
	switch {
	case v == Approve && left > 0:
		return fmt.Sprintf("Records that you agree. %s runs, exactly as shown and once, when %d more have agreed.", a.Tool, left)
	case v == Approve && a.Doubt:
		return "Runs " + a.Tool + " again, exactly as shown. If it did happen before, it happens twice."
	case v == Reject && a.Doubt:
		return "Records that " + a.Tool + " did not happen, and does not run it. The agent reads your note and goes on without it."
	case v == Respond && a.Doubt:
		return "Records that " + a.Tool + " did happen, and does not run it again. The agent goes on as if it had seen it, with your note."
	case v == Approve:
		return "Runs " + a.Tool + " exactly as shown, once. It cannot be taken back here."
	case v == Edit:
		return "Runs " + a.Tool + " with your arguments instead, after checking them like a fresh call."
	case v == Reject:
		return "Does not run " + a.Tool + ". The agent reads your note and goes on without it."
	case v == Respond:
		return "Does not run " + a.Tool + ". The agent gets your answer and may plan anew."
	default:
		return string(v)
	}
}
