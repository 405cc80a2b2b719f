package ingest

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"

	"dossier/apps/netra/engine"
)

// An Audit is the record of one ingestion: what was taken, what was not and why, and
// how much was redacted. It holds no text that was not redacted.
type Audit struct {
	Read     int           `json:"read"`     // rows that could be read at all, and those that could not
	Accepted int           `json:"accepted"` // reports that became a signal or joined one
	Folded   int           `json:"folded"`   // of these, reports of an event already known
	Rejected []Reject      `json:"rejected"`
	Redacted map[Class]int `json:"redacted"`
	Rows     []AuditRow    `json:"rows,omitempty"`

	Disclaimer string `json:"governance_disclaimer"`
}

// An AuditRow says what became of one accepted row.
type AuditRow struct {
	Line      int           `json:"line"`
	Signal    engine.Signal `json:"signal"`
	Rationale string        `json:"rationale"`
	By        string        `json:"by"`
}

// AcceptAll runs every row through [Accept] and keeps account. Folding is left to the
// caller, who knows what is stored.
func AcceptAll(rows []Row, rejects []Reject, now time.Time) ([]Accepted, Audit) {
	audit := Audit{Read: len(rows) + len(rejects), Rejected: append([]Reject{}, rejects...), Redacted: map[Class]int{}, Disclaimer: engine.Disclaimer}
	var out []Accepted
	for _, row := range rows {
		a, err := Accept(row.Report, now)
		if err != nil {
			audit.Rejected = append(audit.Rejected, Reject{row.Line, err.Error()})
			continue
		}
		for c, n := range a.Redacted {
			audit.Redacted[c] += n
		}
		audit.Rows = append(audit.Rows, AuditRow{row.Line, a.Signal, a.Classed.Rationale(), a.Classed.By})
		out = append(out, a)
	}
	slices.SortStableFunc(audit.Rejected, func(a, b Reject) int { return cmp.Compare(a.Line, b.Line) })
	audit.Accepted = len(out)
	return out, audit
}

var tag = regexp.MustCompile(`<[^>]*>`)

// plainText takes the markup out of a feed's text.
func plainText(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(s, " "))), " ")
}
