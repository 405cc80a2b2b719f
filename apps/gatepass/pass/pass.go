// Package pass holds what a gate pass is and how it may move: its states, the
// operations on them, its number and the words people filter by. Everything here is
// a pure function; the API applies it inside its transactions, the tools and the
// grammar use it to explain a refusal before or after the fact, and neither can
// disagree with the other. It never reads a clock, a database or a request.
package pass

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dossier"
)

// A Pass is one permission for one person to leave the premises.
type Pass struct {
	ID         string     `json:"id"`
	Number     string     `json:"pass_number"` // GP-YYYY-NNNN
	Person     string     `json:"person_name"`
	Purpose    string     `json:"description"`
	Returnable bool       `json:"is_returnable"`
	Status     Status     `json:"status"`
	CreatedAt  time.Time  `json:"created_at"`
	CreatedBy  string     `json:"created_by,omitempty"`
	ApprovedAt *time.Time `json:"approved_at,omitempty"`
	ApprovedBy string     `json:"approved_by,omitempty"`
	// ClaimedName is the name an approver gave when it differs from who was signed in.
	ClaimedName string     `json:"claimed_name,omitempty"`
	ExitTime    *time.Time `json:"exit_time,omitempty"`
	ReturnTime  *time.Time `json:"return_time,omitempty"`
	ReturnBy    *time.Time `json:"return_by,omitempty"` // when the person is expected back
	QRCodeURL   string     `json:"qr_code_url,omitempty"`
	// Unverified is set while the last scan was made offline and has not been
	// reconciled with the record.
	Unverified bool     `json:"unverified,omitempty"`
	History    []Change `json:"history,omitempty"` // oldest first; only in single answers
}

// A Change is one move of a pass: who did what, and where it stood afterwards.
type Change struct {
	Op     Op        `json:"operation"`
	From   Status    `json:"from,omitempty"`
	To     Status    `json:"to"`
	By     string    `json:"by"`
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
	Photo  string    `json:"photo,omitempty"`  // SHA-256 of the stored picture
	Source string    `json:"source,omitempty"` // "offline" for a scan that was queued at the gate
}

// A Notification tells a desk that something happened to a pass.
type Notification struct {
	ID      string    `json:"id"`
	Message string    `json:"message"`
	Type    string    `json:"type"`
	Created time.Time `json:"created_at"`
	Read    bool      `json:"is_read"`
	PassID  string    `json:"related_pass_id,omitempty"`
}

// A Status is where a pass stands.
type Status string

// The statuses. A pass whose holder need not return ends at Exited.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
	Exited   Status = "exited"
	Returned Status = "returned"
	Deleted  Status = "deleted"
)

// Statuses lists every status in the order of a pass's life.
var Statuses = []Status{Pending, Approved, Rejected, Exited, Returned, Deleted}

// An Op is something that moves a pass.
type Op string

// The operations. Create makes a pass and needs none before it.
const (
	Create  Op = "create"
	Approve Op = "approve"
	Reject  Op = "reject"
	Delete  Op = "delete"
	Exit    Op = "exit"
	Return  Op = "return"
)

// Ops lists the operations on an existing pass.
var Ops = []Op{Approve, Reject, Delete, Exit, Return}

// Next returns where op takes a pass that stands at s, and false if op is not
// allowed there. Whoever is outside and expected back cannot be deleted: the gate
// would lose sight of them.
func Next(s Status, returnable bool, op Op) (Status, bool) {
	switch op {
	case Approve:
		return Approved, s == Pending
	case Reject:
		return Rejected, s == Pending
	case Exit:
		return Exited, s == Approved
	case Return:
		return Returned, s == Exited && returnable
	case Delete:
		return Deleted, s != Deleted && (s != Exited || !returnable)
	default:
		return s, false
	}
}

// Allowed lists the operations that a pass which stands at s allows.
func Allowed(s Status, returnable bool) []Op {
	out := []Op{}
	for _, op := range Ops {
		if _, ok := Next(s, returnable, op); ok {
			out = append(out, op)
		}
	}
	return out
}

// From lists the statuses from which op is allowed.
func From(op Op, returnable bool) []Status {
	out := []Status{}
	for _, s := range Statuses {
		if _, ok := Next(s, returnable, op); ok {
			out = append(out, s)
		}
	}
	return out
}

// Revoked reports whether a pass at s must not open a gate whatever its QR code says.
func (s Status) Revoked() bool { return s == Rejected || s == Deleted }

// Out reports whether the holder of p is outside and expected back.
func (p Pass) Out() bool { return p.Status == Exited && p.Returnable }

// Overdue reports whether the holder of p should have been back by now. A pass
// without a time is expected back within grace of the exit.
func (p Pass) Overdue(now time.Time, grace time.Duration) bool {
	due, ok := p.Due(grace)
	return ok && now.After(due)
}

// Due returns when the holder of p is expected back, and false if they are not out.
func (p Pass) Due(grace time.Duration) (time.Time, bool) {
	if !p.Out() || p.ExitTime == nil {
		return time.Time{}, false
	}
	if p.ReturnBy != nil {
		return *p.ReturnBy, true
	}
	return p.ExitTime.Add(grace), true
}

// Limits on what people may write into a pass.
const (
	MaxName    = 120
	MaxPurpose = 500
)

// MaxAway is how long a person may be expected to stay away. The code of a pass holds as
// long, so a year that was mistyped must not pass for a time of return.
const MaxAway = 90 * 24 * time.Hour

// A FieldError says which part of an input is wrong and which rule it breaks.
type FieldError struct {
	Field string `json:"field"`
	Rule  string `json:"message"`
}

// CheckNew reports what is wrong with the particulars of a new pass.
func CheckNew(person, purpose string, returnable bool, returnBy *time.Time, now time.Time) []FieldError {
	var out []FieldError
	out = append(out, CheckText("person_name", person, MaxName)...)
	out = append(out, CheckText("description", purpose, MaxPurpose)...)
	if returnBy != nil {
		switch {
		case !returnable:
			out = append(out, FieldError{"return_by", "a pass that is not returnable cannot have a time of return"})
		case !returnBy.After(now):
			out = append(out, FieldError{"return_by", "must lie in the future"})
		case returnBy.Sub(now) > MaxAway:
			out = append(out, FieldError{"return_by", fmt.Sprintf("must lie within %d days from now, and %s does not: look at the year", MaxAway/(24*time.Hour), returnBy.Format("2 January 2006"))})
		}
	}
	return out
}

// CheckText reports what is wrong with a line that people write, of at most most letters.
func CheckText(field, s string, most int) []FieldError {
	switch {
	case strings.TrimSpace(s) == "":
		return []FieldError{{field, "must not be empty"}}
	case len([]rune(s)) > most:
		return []FieldError{{field, "is too long"}}
	case !utf8.ValidString(s):
		return []FieldError{{field, "must be text"}}
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }):
		return []FieldError{{field, "must not hold control characters"}}
	}
	return nil
}

// A Filter picks passes. Zero fields pick all but the deleted.
type Filter struct {
	Status Status
	Out    bool // only those outside and expected back
	Done   bool // only those that need nothing more: returned, or exited for good
}

// Aliases are the filter words that name no status of their own.
var Aliases = []string{"pending_return", "completed"}

// FilterWords lists every word ParseFilter accepts.
func FilterWords() []string {
	out := make([]string, 0, len(Statuses)+len(Aliases))
	for _, s := range Statuses {
		out = append(out, string(s))
	}
	return append(out, Aliases...)
}

// ParseFilter reads a filter word: a status, or one of the aliases.
func ParseFilter(word string) (Filter, error) {
	w := strings.ToLower(strings.TrimSpace(word))
	switch {
	case w == "" || w == "all":
		return Filter{}, nil
	case w == "pending_return":
		return Filter{Status: Exited, Out: true}, nil
	case w == "completed":
		return Filter{Done: true}, nil
	case slices.Contains(Statuses, Status(w)):
		return Filter{Status: Status(w)}, nil
	}
	return Filter{}, dossier.Errorf(dossier.Invalid, "There is no status %q. Use one of %s.", word, strings.Join(FilterWords(), ", "))
}

// Match reports whether f picks p.
func (f Filter) Match(p Pass) bool {
	switch {
	case f.Done:
		return p.Status == Returned || p.Status == Exited && !p.Returnable
	case f.Out:
		return p.Out()
	case f.Status != "":
		return p.Status == f.Status
	default:
		return p.Status != Deleted
	}
}
