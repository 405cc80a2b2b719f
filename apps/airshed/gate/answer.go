package gate

import (
	"encoding/json"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/internal/faith"
)

// An Answer is what the agent must say when it is done.
type Answer struct {
	Status   string  `json:"status" jsonschema:"filed, partially_filed, not_filed, no_surge or error"`
	ReportID string  `json:"report_id,omitempty"`
	Score    float64 `json:"confidence_score,omitempty"`
	Summary  string  `json:"summary" jsonschema:"what was found and done, in a sentence or two"`
}

// Judge compares an answer with the report of its case or, where that is nil, with the
// evidence.
func Judge(raw json.RawMessage, kept *book.Draft, chain ...dossier.Evidence) error {
	var ans Answer
	if err := json.Unmarshal(raw, &ans); err != nil {
		return dossier.Errorf(dossier.Invalid, "The answer does not fit.").Because(err)
	}
	if err := NoBlame(ans.Summary); err != nil {
		return err
	}
	if kept == nil {
		if ans.Status == book.Filed || ans.Status == book.PartFiled {
			return dossier.Errorf(dossier.Invalid, "There is no report in this case, and so none was filed.")
		}
		facts := &faith.Facts{}
		if err := facts.AddEvidence(chain...); err != nil {
			return err
		}
		return faith.Check(ans.Summary, facts).Err()
	}
	r := kept.Report
	if err := fits(ans.Status, *kept); err != nil {
		return err
	}
	if ans.ReportID != "" && ans.ReportID != r.ReportID || ans.Score != 0 && ans.Score != r.ConfidenceScore {
		return dossier.Errorf(dossier.Invalid, "The report of this case is %s with confidence %v.", r.ReportID, r.ConfidenceScore)
	}
	if err := NoVerdict(ans.Summary, r.Conclusion); err != nil {
		return err
	}
	return faith.Check(ans.Summary, Facts(r)).Err()
}

// fits refuses a status that the report does not have. A report that was taken when it
// was sent again, while the agent waited, was partly filed as far as the agent saw.
func fits(status string, kept book.Draft) error {
	is := map[string][]string{
		book.Drafted: {"not_filed"}, book.Withdrawn: {"not_filed"}, book.PartFiled: {book.PartFiled}, book.Filed: {book.Filed, book.PartFiled},
	}[kept.Status]
	if status == book.SweepFailed || slices.Contains(is, status) {
		return nil
	}
	return dossier.Errorf(dossier.Invalid, "The report %s is %s; the status %q is not true of it. Say %s.", kept.Report.ReportID, strings.ReplaceAll(kept.Status, "_", " "), status, is[0])
}
