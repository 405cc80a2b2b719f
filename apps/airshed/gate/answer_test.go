package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"dossier/apps/airshed/book"
)

// The answer may not claim another end than the report had.
func TestTheAnswersStatusIsTheReports(t *testing.T) {
	t.Parallel()
	kept := book.Draft{}
	kept.Report.ReportID = "CAQM-2025-11-14-001"
	for status, good := range map[string]string{
		book.Drafted: "not_filed error", book.Withdrawn: "not_filed error", book.PartFiled: "partially_filed error", book.Filed: "filed partially_filed error", "": "not_filed no_surge error",
	} {
		for _, says := range []string{"filed", "partially_filed", "not_filed", "no_surge", "error", "done"} {
			raw, _ := json.Marshal(Answer{Status: says, Summary: "Done."})
			kept.Status = status
			report := &kept
			if status == "" {
				report = nil
			}
			want := strings.Contains(" "+good+" ", " "+says+" ") || report == nil && says == "done"
			if err := Judge(raw, report); (err == nil) != want {
				t.Errorf("%q of a report that is %q: %v", says, status, err)
			}
		}
	}
}
