package airshed

import (
	"context"
	"encoding/json"
	"strings"

	"dossier"
	"dossier/internal/app"
)

// background shows whoever decides on a filing what would be filed: the request itself
// names the draft by its digest, and nobody should agree to a text unread.
func (a *airshed) background(ctx context.Context, ap dossier.Approval, _ dossier.Principal) ([]app.Background, error) {
	var in sendIn
	if ap.Tool != sendName || json.Unmarshal(ap.Args, &in) != nil {
		return nil, nil
	}
	d, err := a.book.Report(ctx, in.Report.ReportID)
	if err != nil {
		return nil, err
	}
	how, link := "These are the words of the draft that this request names; what is filed is that text, to the byte.", "/apps/airshed/reports/"+d.Report.ReportID
	if err := in.Report.Means(d, ap.Case); err != nil {
		return []app.Background{{Label: "The draft", Value: "is no longer the one that was asked about", How: dossier.Message(err), Link: link}}, nil
	}
	r := d.Report
	var out []app.Background
	for _, part := range []struct{ label, text string }{
		{"Summary", r.ExecutiveSummary}, {"Reasoning", r.Reasoning}, {"Request", r.LegalCitations.EnforcementRequest + "."},
		{"Recommendations", strings.Join(r.Recommendations, "; ")}, {"Addressed to", strings.Join(r.LegalCitations.Addressees, "; ")},
		{"To be read with it", strings.Join(r.Caveats, " ")}, {"Gaps in the data", strings.Join(r.DataQuality.Gaps, " ")}, {"Texts by", r.WrittenBy},
	} {
		if part.text != "" {
			out = append(out, app.Background{Label: part.label, Value: part.text, How: how, Link: link})
		}
	}
	return out, nil
}
