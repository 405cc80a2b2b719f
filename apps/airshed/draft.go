package airshed

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/gate"
	"dossier/apps/airshed/legal"
	"dossier/internal/app"
	"dossier/internal/tool"
)

type draftOut struct {
	ReportID         string         `json:"report_id"`
	SHA256           string         `json:"sha256"`
	ExecutiveSummary string         `json:"executive_summary"`
	Reasoning        string         `json:"reasoning"`
	ConfidenceScore  float64        `json:"confidence_score"`
	Recommendations  []string       `json:"recommendations"`
	Caveats          []string       `json:"caveats"`
	Notices          []legal.Notice `json:"notices"` // drafts, one per state with an address
}

func (a *airshed) draftTool() tool.Tool {
	return tool.Def[gate.Texts, draftOut]{
		Name:   "generate_report_tool",
		Doc:    "Makes the legal report of the case from its evidence and stores it as a draft with its number. Texts of your own are used only if every number in them agrees with the evidence; you are told what does not.",
		Roles:  []dossier.Role{investigator, legalOf},
		Effect: tool.Write,
		Run:    a.draft,
	}.Tool()
}

func (a *airshed) draft(ctx context.Context, c tool.Call, in gate.Texts) (tool.Output[draftOut], error) {
	f, err := a.freshFile(ctx, c.Case)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	if err := needSurge(f); err != nil {
		return tool.Output[draftOut]{}, err
	}
	id, err := a.reportID(ctx, c)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	r, err := compose(f, id, c, in)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	d, err := a.book.PutReport(ctx, r)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	next := app.Change{State: dossier.Waiting, Stage: AwaitsApproval, Note: "Report " + id + " was drafted. A legal officer decides whether it is filed.", By: agentName}
	if a.cfg.filesAlone(r.ConfidenceScore) {
		next = app.Change{Stage: book.Drafted, Note: "Report " + id + " was drafted.", By: agentName}
	}
	if _, err := a.Desk.Move(ctx, c.Case, next); err != nil {
		return tool.Output[draftOut]{}, err
	}
	return a.drafted(f, d, c), nil
}

// compose makes the report of a case, with the texts of in where they hold.
func compose(f casefile.File, id string, c tool.Call, in gate.Texts) (legal.Report, error) {
	r := legal.Compose(legal.Input{
		ID: id, Now: c.Now, Sweep: f.Settings.Sweep, Analysis: f.Analysis, Quality: f.Quality(), Sources: f.Sources(c.Now), Rules: f.Settings.Rules,
	})
	r.CaseID = string(c.Case)
	for _, e := range f.Entries {
		r.Evidence = append(r.Evidence, legal.Digest{ID: string(e.ID), Kind: e.Kind, Hash: e.Hash, Timestamp: e.At})
	}
	if err := gate.Use(&r, in); err != nil {
		return legal.Report{}, err
	}
	return r, r.Validate()
}

// drafted tells of a draft, which is evidence of its case.
func (a *airshed) drafted(f casefile.File, d book.Draft, c tool.Call) tool.Output[draftOut] {
	r := d.Report
	return tool.Output[draftOut]{
		Value: draftOut{r.ReportID, d.SHA256, r.ExecutiveSummary, r.Reasoning, r.ConfidenceScore, r.Recommendations, r.Caveats, a.notices(r)},
		Evidence: []dossier.Evidence{dossier.NewEvidence(casefile.Report, dossier.Source{System: "airshed", Locator: "report/" + r.ReportID, Fetched: c.Now}, json.RawMessage(d.Body),
			"Draft of %s, digest %s.", r.ReportID, d.SHA256[:12])},
		Findings: []dossier.Finding{ruleNamed(casefile.CheckCitations).Of(f)},
	}
}

// The stages of a case besides those that are the status of its report.
const (
	Analysis       = "analysis"          // the agent reads and judges
	AwaitsApproval = "awaiting_approval" // the draft is before a legal officer
	AwaitsNotices  = "awaiting_notices"  // filed; the notices to states are before a legal officer
	Done           = "closed"
)

// reportID returns the id of the case's draft, or takes a new one. A filed report is
// not drafted again.
func (a *airshed) reportID(ctx context.Context, c tool.Call) (string, error) {
	old, err := a.book.ReportOf(ctx, c.Case)
	switch {
	case errors.Is(err, dossier.NotFound):
		return a.book.NextID(ctx, c.Now)
	case err != nil:
		return "", err
	case old.Status != book.Drafted:
		return "", dossier.Errorf(dossier.Conflict, "The report %s is %s and cannot be drafted again.", old.Report.ReportID, strings.ReplaceAll(old.Status, "_", " "))
	}
	return old.Report.ReportID, nil
}
