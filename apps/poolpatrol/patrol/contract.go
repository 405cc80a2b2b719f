package patrol

import (
	"dossier"
	"dossier/apps/poolpatrol/replies"
	"slices"
)

// An Outreach is what the outreach agent answers.
type Outreach struct {
	Thread  string          `json:"email_thread_id"`
	Message *string         `json:"message_id"` // null if nothing was sent
	Bucket  *replies.Bucket `json:"bucket"`     // null if there was nothing to classify
	Review  bool            `json:"hitl_required"`
	Sent    bool            `json:"sent"`
}

// A Managed is what the case manager answers.
type Managed struct {
	Case         string   `json:"case_id"`
	Vanpool      string   `json:"vanpool_id"`
	Status       Status   `json:"status"`
	Outcome      string   `json:"outcome"` // "verified", "resolved", "cancelled" or "" while it goes on
	FailedChecks []string `json:"failed_checks"`
	Reasoning    string   `json:"reasoning"`
}

// A Status is where a case stands, in the programme's words. It is the core's stage
// while the case lives, and its outcome once it is closed.
type Status string

// The statuses.
const (
	Opened       Status = "open"
	Verification Status = "verification"
	PendingReply Status = "pending_reply"
	ReAudit      Status = "re_audit"
	HITLReview   Status = "hitl_review"
	PreCancel    Status = "pre_cancel"
	Resolved     Status = "resolved"
	Cancelled    Status = "cancelled"
)

// Values lists the statuses, for schemas.
func (Status) Values() []string {
	return []string{
		string(Opened), string(Verification), string(PendingReply), string(ReAudit),
		string(HITLReview), string(PreCancel), string(Resolved), string(Cancelled),
	}
}

// state returns the core's state for a status.
func (s Status) state() dossier.State {
	switch s {
	case PendingReply, HITLReview, PreCancel:
		return dossier.Waiting
	case Resolved, Cancelled:
		return dossier.Closed
	case Opened, Verification, ReAudit:
		return dossier.Open
	}
	return dossier.Open
}

// A Reason is why a case was opened.
type Reason string

// Values lists the reasons, for schemas.
func (Reason) Values() []string { return []string{"shift_mismatch", "location_mismatch", "unknown"} }

// reasonFor returns the reason for failed checks. Where shift and location both
// failed it is the shift; a check that only missing records failed is unknown.
func reasonFor(failed, unclear []string) Reason {
	for _, check := range []string{"shift", "location"} {
		if slices.Contains(failed, check) && !slices.Contains(unclear, check) {
			return Reason(check + "_mismatch")
		}
	}
	return "unknown"
}
