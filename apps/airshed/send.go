package airshed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/legal"
	"dossier/internal/app"
	"dossier/internal/tool"
)

type sendIn struct {
	Report          book.Ref         `json:"report" jsonschema:"the drafted report to file"`
	SaveLocal       *bool            `json:"save_local,omitempty" jsonschema:"keep a local copy; true if left out"`
	UploadS3        *bool            `json:"upload_s3,omitempty" jsonschema:"upload to the object store; true if left out"`
	SecurityContext *securityContext `json:"security_context,omitempty" jsonschema:"not used"`
}

const sendName = "send_caqm_report_tool"

func (a *airshed) sendTool() tool.Tool {
	return tool.Def[sendIn, filing.Result]{
		Name:   sendName,
		Doc:    "Files a drafted report: local copy, object store, then the Commission. A legal officer decides first, unless the operator allowed filing above a confidence.",
		Roles:  []dossier.Role{legalOf},
		Effect: tool.Act,
		Ask: func(in sendIn) string {
			if a.cfg.filesAlone(in.Report.ConfidenceScore) {
				return ""
			}
			return "A report that has been filed with the Commission cannot be taken back."
		},
		Title: func(in sendIn) string {
			return fmt.Sprintf("File report %s with the Commission for Air Quality Management (confidence %v)", in.Report.ReportID, in.Report.ConfidenceScore)
		},
		Key:    func(in sendIn) string { return in.Report.ReportID },
		Check:  func(in sendIn) error { return checkID(in.Report.ReportID) },
		Policy: asks(dossier.Approve, dossier.Reject, dossier.Respond),
		Run:    a.send,
		Happened: func(ctx context.Context, c tool.Call, in sendIn) (tool.Output[filing.Result], error) {
			return a.filed(ctx, c, in, func(d book.Draft) (filing.Result, error) {
				return a.file.Attested(ctx, d.Report, d.Body, c.Approved.By.Name+" says that it was filed: "+c.Approved.Note)
			})
		},
	}.Tool()
}

// asks is how legal officers are asked. Those who do not answer for a day are reminded;
// after a week the request is taken back. Nobody stands in for them: a filing is theirs.
func asks(verbs ...dossier.Verb) tool.Policy {
	return tool.Policy{Approvers: []dossier.Role{legalOf}, Verbs: verbs, Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour}
}

func checkID(id string) error {
	if !legal.ValidID(id) {
		return dossier.Errorf(dossier.Invalid, "%q is not the id of a report. Ids look like CAQM-2025-11-14-001.", id)
	}
	return nil
}

func (a *airshed) send(ctx context.Context, c tool.Call, in sendIn) (tool.Output[filing.Result], error) {
	return a.filed(ctx, c, in, func(d book.Draft) (filing.Result, error) {
		return a.file.File(ctx, d.Report, d.Body, filing.Options{SaveLocal: unless(in.SaveLocal), Upload: unless(in.UploadS3)})
	})
}

// filed writes down what file says became of a draft that is not filed yet.
func (a *airshed) filed(ctx context.Context, c tool.Call, in sendIn, file func(book.Draft) (filing.Result, error)) (tool.Output[filing.Result], error) {
	d, err := a.book.Report(ctx, in.Report.ReportID)
	if err != nil {
		return tool.Output[filing.Result]{}, err
	}
	if err := in.Report.Means(d, c.Case); err != nil {
		return tool.Output[filing.Result]{}, err
	}
	if d.Status == book.Filed && d.Result != nil {
		return tool.Output[filing.Result]{Value: *d.Result}, nil
	}
	res, err := file(d)
	if err != nil {
		return tool.Output[filing.Result]{}, err
	}
	seen, settled, err := a.settle(ctx, d, res, c.Now)
	if err != nil {
		return tool.Output[filing.Result]{}, err
	}
	out := tool.Output[filing.Result]{Value: res, Evidence: []dossier.Evidence{seen}}
	if !settled {
		return out, nil
	}
	next := app.Change{State: dossier.Open, Stage: statusOf(res), Note: "Report " + d.Report.ReportID + ": " + strings.ReplaceAll(res.Status, "_", " ") + ".", By: agentName}
	if len(a.notices(d.Report)) > 0 {
		next.State, next.Stage = dossier.Waiting, AwaitsNotices
	}
	if _, err := a.Desk.Move(ctx, c.Case, next); err != nil {
		return tool.Output[filing.Result]{}, err
	}
	return out, nil
}

// statusOf is the status of a report after a filing.
func statusOf(res filing.Result) string {
	if res.Receipt == nil {
		return book.PartFiled
	}
	return book.Filed
}

// settle keeps what became of a filing with its report, and returns it as evidence. It
// reports false if another filing of the report was taken meanwhile, which then stays.
func (a *airshed) settle(ctx context.Context, d book.Draft, res filing.Result, now time.Time) (dossier.Evidence, bool, error) {
	id := d.Report.ReportID
	seen := dossier.NewEvidence(casefile.Filing, dossier.Source{System: "caqm", Locator: a.file.Endpoint + "#" + id, Fetched: now}, res,
		"Filing of %s: %s.", id, strings.ReplaceAll(res.Status, "_", " "))
	settled, err := a.book.Settle(ctx, id, statusOf(res), &res)
	return seen, settled, err
}

// resend files a report again that a legal officer approved and the Commission did not
// take. What leaves the house is the text that was approved, under its number, which
// the Commission takes once however often it comes.
func (a *airshed) resend(ctx context.Context, id string, by dossier.Principal) (book.Draft, error) {
	if err := checkID(id); err != nil {
		return book.Draft{}, err
	}
	d, err := a.book.Report(ctx, id)
	switch {
	case err != nil:
		return book.Draft{}, err
	case d.Status == book.Filed:
		return book.Draft{}, dossier.Errorf(dossier.Conflict, "The Commission has %s already.", id)
	case d.Status != book.PartFiled:
		return book.Draft{}, dossier.Errorf(dossier.Conflict, "%s was not approved for filing. A legal officer decides that in the inbox.", id)
	}
	res, err := a.file.File(ctx, d.Report, d.Body, filing.Options{SaveLocal: true, Upload: true})
	if err != nil {
		return book.Draft{}, err
	}
	err = a.DB.InTx(ctx, func(ctx context.Context) error {
		seen, settled, err := a.settle(ctx, d, res, a.Now())
		if err != nil {
			return err
		}
		if _, err := a.Desk.Record(ctx, dossier.CaseID(d.Report.CaseID), []dossier.Evidence{seen}, nil); err != nil || res.Receipt == nil || !settled {
			return err
		}
		_, err = a.Desk.Move(ctx, dossier.CaseID(d.Report.CaseID), app.Change{State: dossier.Closed, Stage: Done, Outcome: book.Filed, Note: "The Commission took report " + id + " when it was sent again.", By: by.ID})
		return err
	})
	if err != nil {
		return book.Draft{}, err
	}
	return a.book.Report(ctx, id)
}

// unless returns what was asked for, and true if nothing was.
func unless(b *bool) bool { return b == nil || *b }

type closeIn struct {
	Outcome outcome `json:"outcome" jsonschema:"how the case ended"`
	Note    string  `json:"note,omitempty" jsonschema:"why, in a sentence"`
}

// An outcome is how a case ends.
type outcome string

// Values implements tool.Enum.
func (outcome) Values() []string {
	return []string{"filed", "partially_filed", "not_filed", "no_surge"}
}

type closeOut struct {
	Closed bool `json:"closed"`
}

func (a *airshed) closeTool() tool.Tool {
	return tool.Def[closeIn, closeOut]{
		Name:   "close_case_tool",
		Doc:    "Ends the work on the case. One whose report the Commission did not take stays open, so that the report can be sent again.",
		Roles:  []dossier.Role{investigator, legalOf},
		Effect: tool.Write,
		Run:    a.close,
	}.Tool()
}

// close ends the work on a case as its records stand: whoever calls it says how it
// thinks the case ended, and cannot make it so.
func (a *airshed) close(ctx context.Context, c tool.Call, in closeIn) (tool.Output[closeOut], error) {
	next := app.Change{State: dossier.Closed, Stage: Done, Outcome: string(in.Outcome), Note: in.Note, By: agentName}
	d, err := a.book.ReportOf(ctx, c.Case)
	switch {
	case errors.Is(err, dossier.NotFound):
		err = a.mayEndWithoutReport(ctx, c.Case, in.Outcome)
	case err != nil:
	case d.Status == book.Filed:
		next.Outcome = book.Filed
	case d.Status == book.PartFiled:
		next = app.Change{State: dossier.Waiting, Stage: book.PartFiled, Note: "The Commission has not taken the report. A legal officer can send it again.", By: agentName}
	default:
		next.Outcome = "not_filed"
		err = a.withdraw(ctx, d, in.Outcome)
	}
	if err != nil {
		return tool.Output[closeOut]{}, err
	}
	_, err = a.Desk.Move(ctx, c.Case, next)
	return tool.Output[closeOut]{Value: closeOut{err == nil && next.State == dossier.Closed}}, err
}

// mayEndWithoutReport refuses to end a case that has a surge and no report of it.
func (a *airshed) mayEndWithoutReport(ctx context.Context, id dossier.CaseID, how outcome) error {
	f, err := a.caseFile(ctx, id)
	switch {
	case err != nil:
		return err
	case f.Found:
		return dossier.Errorf(dossier.Conflict, "There is a surge at %s and no report of it. Draft the report; a legal officer decides whether it is filed.", f.Settings.Station.Name)
	case how != "no_surge":
		return dossier.Errorf(dossier.Invalid, "There is no surge in this case and so no report. Close it with no_surge.")
	}
	return nil
}

// withdraw takes back a draft that a legal officer would not have filed. A draft that
// nobody has decided on stays.
func (a *airshed) withdraw(ctx context.Context, d book.Draft, how outcome) error {
	id := d.Report.ReportID
	if how != "not_filed" {
		return dossier.Errorf(dossier.Invalid, "The report %s was not filed. Close the case with not_filed, or have the report filed first.", id)
	}
	approvals, err := a.Desk.Approvals(ctx, dossier.CaseID(d.Report.CaseID))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(approvals, func(ap dossier.Approval) bool {
		return ap.Tool == sendName && (ap.Status == dossier.Rejected || ap.Status == dossier.Expired)
	}) {
		return dossier.Errorf(dossier.Conflict, "Nobody has decided on the report %s yet. Ask a legal officer with %s.", id, sendName)
	}
	_, err = a.book.Settle(ctx, id, book.Withdrawn, nil)
	return err
}
