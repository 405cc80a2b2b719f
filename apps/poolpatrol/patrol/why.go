package patrol

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dossier"
	"dossier/internal/app"
)

// Why says why a case stands where it does: the newest finding of each check, with the
// evidence that names the riders concerned.
func (p *Patrol) Why(ctx context.Context, id dossier.CaseID, _ string) (app.Explanation, error) {
	c, err := p.env.Desk.Case(ctx, id)
	if err != nil {
		return app.Explanation{}, err
	}
	chain, found, err := p.env.Desk.Facts(ctx, id)
	if err != nil {
		return app.Explanation{}, err
	}
	var out app.Explanation
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s.\n", strings.TrimPrefix(c.Subject, "vanpool/"), strings.ReplaceAll(string(StatusOf(c)), "_", " "))
	for _, f := range dossier.Latest(found) {
		fmt.Fprintf(&b, "\nThe %s check came out as %s (confidence %d of 5, %s). %s\n", f.Check, f.Verdict, max(1, f.Confidence/20), f.By, f.Reason)
		for _, e := range chain {
			if contains(ids(f.Cites), string(e.ID)) && tells(f, e) {
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
	f, err := p.Book.File(ctx, id)
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
	if decode(e.Data, &about) != nil || about.Employee == "" {
		return true
	}
	return contains(failingIn(f), about.Employee)
}

func ids(list []dossier.EvidenceID) []string {
	out := make([]string, len(list))
	for i, id := range list {
		out[i] = string(id)
	}
	return out
}
