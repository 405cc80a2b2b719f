// Package why answers the question that every case is asked sooner or later: why does it
// stand where it does? The answer is made of findings and of the evidence they cite, in
// the words that were recorded with them. Nothing is computed anew and no model is asked.
package why

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/app"
)

// An Answerer answers from the ledger and the case book.
type Answerer struct {
	Desk app.Desk
	Book casebook.Book
}

// Why says why a case stands where it does: the newest finding of each check, with the
// evidence that names the riders concerned.
func (w Answerer) Why(ctx context.Context, id dossier.CaseID, _ string) (app.Explanation, error) {
	c, err := w.Desk.Case(ctx, id)
	if err != nil {
		return app.Explanation{}, err
	}
	chain, found, err := w.Desk.Facts(ctx, id)
	if err != nil {
		return app.Explanation{}, err
	}
	var out app.Explanation
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s.\n", strings.TrimPrefix(c.Subject, "vanpool/"), strings.ReplaceAll(string(patrol.StatusOf(c)), "_", " "))
	for _, f := range dossier.Latest(found) {
		fmt.Fprintf(&b, "\nThe %s check came out as %s (confidence %d of 5, %s). %s\n", f.Check, f.Verdict, max(1, f.Confidence/20), f.By, f.Reason)
		for _, e := range chain {
			if slices.Contains(f.Cites, e.ID) && tells(f, e) {
				fmt.Fprintf(&b, "- [%s] %s\n", e.ID, e.Summary)
				out.Cites = append(out.Cites, e.ID)
			}
		}
	}
	for _, e := range chain {
		if e.Kind == "reply" || e.Kind == "counter_evidence" || e.Kind == "membership_cancelled" {
			fmt.Fprintf(&b, "\n[%s] %s", e.ID, e.Summary)
			out.Cites = append(out.Cites, e.ID)
		}
	}
	f, err := w.Book.File(ctx, id)
	switch {
	case errors.Is(err, dossier.NotFound):
	case err != nil:
		return app.Explanation{}, err
	default:
		fmt.Fprintf(&b, "\nReason: %s. Looked at again %d times. Opened by %s.", f.Reason, f.Reaudits, f.OpenedBy)
	}
	out.Text = strings.TrimSpace(b.String())
	return out, nil
}

// tells reports whether a piece of evidence tells something about a finding: all of it
// where the check passed, else what names a rider concerned or the van.
func tells(f dossier.Finding, e dossier.Evidence) bool {
	if f.Verdict == dossier.Pass {
		return true
	}
	var about struct {
		Employee string `json:"employee_id"`
	}
	if json.Unmarshal(e.Data, &about) != nil || about.Employee == "" {
		return true
	}
	return slices.Contains(verify.Failing(f), about.Employee)
}
