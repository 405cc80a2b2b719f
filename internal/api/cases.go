package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/records"
)

func (s *Server) caseRoutes(r *app.Router) {
	tags := []string{"cases"}
	readers := []dossier.Role{reader}
	app.Handle(r, huma.Operation{
		OperationID: "list-cases", Method: http.MethodGet, Path: "/api/v1/cases", Tags: tags,
		Summary: "Cases, newest first",
	}, readers, s.cases)
	app.Handle(r, huma.Operation{
		OperationID: "get-case", Method: http.MethodGet, Path: "/api/v1/cases/{id}", Tags: tags, Summary: "One case", Errors: []int{404},
	}, readers, s.getCase)
	app.Handle(r, huma.Operation{
		OperationID: "get-timeline", Method: http.MethodGet, Path: "/api/v1/cases/{id}/timeline", Tags: tags,
		Summary: "Everything that happened in a case, in order", Errors: []int{404},
	}, readers, s.timeline)
	app.Handle(r, huma.Operation{
		OperationID: "list-evidence", Method: http.MethodGet, Path: "/api/v1/cases/{id}/evidence", Tags: tags,
		Summary: "The evidence of a case, in the order of its chain", Errors: []int{404},
	}, readers, s.listEvidence)
	app.Handle(r, huma.Operation{
		OperationID: "list-findings", Method: http.MethodGet, Path: "/api/v1/cases/{id}/findings", Tags: tags,
		Summary: "The findings of a case", Errors: []int{404},
	}, readers, s.findings)
	app.Handle(r, huma.Operation{
		OperationID: "ask-why", Method: http.MethodPost, Path: "/api/v1/cases/{id}/why", Tags: tags,
		Summary: "Why a case stands as it does, with what the answer rests on", Errors: []int{404},
		Metadata: map[string]any{streamKey: true},
	}, readers, s.why)
	app.Handle(r, huma.Operation{
		OperationID: "get-evidence", Method: http.MethodGet, Path: "/api/v1/evidence/{id}", Tags: tags,
		Summary: "One piece of evidence", Errors: []int{404},
	}, readers, s.evidence)
}

type casesInput struct {
	Paging
	App          string          `query:"app"`
	State        []dossier.State `query:"state" enum:"preliminary,open,waiting,closed,cleared" doc:"Several, divided by commas; none: open, waiting and closed"`
	Stage        string          `query:"stage"`
	Subject      string          `query:"subject" doc:"The exact subject"`
	Text         string          `query:"q" maxLength:"200" doc:"Words that must all occur in the case, its findings or its evidence"`
	OpenedAfter  time.Time       `query:"opened_after"`
	OpenedBefore time.Time       `query:"opened_before"`
}

type casesOutput struct{ Body Page[dossier.Case] }

func (s *Server) cases(ctx context.Context, in *casesInput) (*casesOutput, error) {
	after, err := in.position()
	if err != nil {
		return nil, err
	}
	rows, err := s.Records.Cases(ctx, records.CaseQuery{
		Apps: s.within(s.Principal(ctx), in.App), States: in.State, Stage: in.Stage, Subject: in.Subject, Text: strings.TrimSpace(in.Text),
		OpenedAfter: in.OpenedAfter, OpenedBefore: in.OpenedBefore, After: after, Limit: in.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return &casesOutput{page(rows, in.Limit, func(c dossier.Case) (time.Time, string) { return c.Opened, string(c.ID) })}, nil
}

// CaseRef is a case that an operation is about.
type CaseRef struct {
	ID dossier.CaseID `path:"id"`
}

// caseSeen returns a case that the principal may see.
func (s *Server) caseSeen(ctx context.Context, id dossier.CaseID) (dossier.Case, error) {
	c, err := s.Records.Case(ctx, id)
	if err != nil {
		return dossier.Case{}, err
	}
	return c, s.see(ctx, c.App, "case "+string(id))
}

type caseOutput struct {
	ETag string `header:"ETag"`
	Body dossier.Case
}

func (s *Server) getCase(ctx context.Context, in *struct {
	CaseRef
	IfNoneMatch string `header:"If-None-Match"`
}) (*caseOutput, error) {
	c, err := s.caseSeen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	tag := versionTag(c.Version)
	if in.IfNoneMatch == tag {
		return nil, notModified{}
	}
	return &caseOutput{tag, c}, nil
}

type timelineInput struct {
	CaseRef
	After int64 `query:"after" doc:"The seq of the last entry you have"`
	Limit int   `query:"limit" minimum:"1" maximum:"1000" default:"500"`
}

type timelineOutput struct {
	Body struct {
		Items []records.Event `json:"items"`
		Next  int64           `json:"next,omitempty" doc:"Pass this as after to get more; absent at the end"`
	}
}

func (s *Server) timeline(ctx context.Context, in *timelineInput) (*timelineOutput, error) {
	if _, err := s.caseSeen(ctx, in.ID); err != nil {
		return nil, err
	}
	events, err := s.Records.Timeline(ctx, in.ID, in.After, in.Limit)
	out := &timelineOutput{}
	out.Body.Items = list(events)
	if len(events) == in.Limit {
		out.Body.Next = events[len(events)-1].Seq
	}
	return out, err
}

// An EvidenceView is evidence with how it is shown.
type EvidenceView struct {
	dossier.Evidence
	View      app.View           `json:"view"`
	Replaced  dossier.EvidenceID `json:"replaced_by,omitempty" doc:"A newer look at the same thing"`
	CitedBy   []string           `json:"cited_by" doc:"Checks whose latest finding rests on it"`
	CaseTitle string             `json:"case_title,omitempty"`
}

type evidenceListOutput struct {
	Body struct {
		Items []EvidenceView `json:"items"`
	}
}

func (s *Server) listEvidence(ctx context.Context, in *CaseRef) (*evidenceListOutput, error) {
	c, err := s.caseSeen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	chain, found, err := s.Records.Facts(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &evidenceListOutput{}
	out.Body.Items = s.viewEvidence(c, chain, found)
	return out, nil
}

// viewEvidence says how each piece of a chain is shown, what replaced it and what
// rests on it.
func (s *Server) viewEvidence(c dossier.Case, chain []dossier.Evidence, found []dossier.Finding) []EvidenceView {
	cites := map[dossier.EvidenceID][]string{}
	for _, f := range dossier.Latest(found) {
		for _, id := range f.Cites {
			cites[id] = append(cites[id], f.Check)
		}
	}
	out := make([]EvidenceView, 0, len(chain))
	type fact struct{ kind, system, locator string }
	newest := map[fact]dossier.EvidenceID{}
	replaced := map[dossier.EvidenceID]dossier.EvidenceID{}
	for _, e := range slices.Backward(chain) {
		k := fact{e.Kind, e.Source.System, e.Source.Locator}
		if by, ok := newest[k]; ok {
			replaced[e.ID] = by
		} else {
			newest[k] = e.ID
		}
		if e.Supersedes != "" {
			replaced[e.Supersedes] = e.ID
		}
	}
	for _, e := range chain {
		slices.Sort(cites[e.ID])
		out = append(out, EvidenceView{
			Evidence: e, View: s.viewOf(c.App, e.Kind), Replaced: replaced[e.ID], CitedBy: list(slices.Compact(cites[e.ID])),
		})
	}
	return out
}

func (s *Server) viewOf(id, kind string) app.View {
	if in, ok := s.apps[id]; ok && in.Kit.Views[kind] != "" {
		return in.Kit.Views[kind]
	}
	return app.JSON
}

type evidenceOutput struct{ Body EvidenceView }

func (s *Server) evidence(ctx context.Context, in *struct {
	ID dossier.EvidenceID `path:"id"`
}) (*evidenceOutput, error) {
	e, err := s.Records.Evidence(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.caseSeen(ctx, e.Case)
	if err != nil {
		return nil, err
	}
	chain, found, err := s.Records.Facts(ctx, e.Case)
	if err != nil {
		return nil, err
	}
	for _, v := range s.viewEvidence(c, chain, found) {
		if v.ID == in.ID {
			v.CaseTitle = c.Title
			return &evidenceOutput{v}, nil
		}
	}
	return nil, dossier.Errorf(dossier.NotFound, "There is no evidence %s.", in.ID)
}

// A FindingView is a finding that says whether a newer one answers its check.
type FindingView struct {
	dossier.Finding
	Latest bool `json:"latest"`
}

type findingsOutput struct {
	Body struct {
		Items []FindingView `json:"items"`
	}
}

func (s *Server) findings(ctx context.Context, in *CaseRef) (*findingsOutput, error) {
	if _, err := s.caseSeen(ctx, in.ID); err != nil {
		return nil, err
	}
	_, found, err := s.Records.Facts(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	latest := map[dossier.FindingID]bool{}
	for _, f := range dossier.Latest(found) {
		latest[f.ID] = true
	}
	out := &findingsOutput{}
	out.Body.Items = []FindingView{}
	for _, f := range found {
		f.Cites = list(f.Cites)
		out.Body.Items = append(out.Body.Items, FindingView{f, latest[f.ID]})
	}
	return out, nil
}

type whyInput struct {
	CaseRef
	Body struct {
		Question string `json:"question,omitempty" maxLength:"1000" doc:"Absent: why the case stands as it does"`
	}
}

type whyOutput struct{ Body app.Explanation }

func (s *Server) why(ctx context.Context, in *whyInput) (*whyOutput, error) {
	c, err := s.caseSeen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	ex := app.Explanation{}
	if inst, ok := s.apps[c.App]; ok && inst.Kit.Why != nil {
		ex, err = inst.Kit.Why(ctx, in.ID, in.Body.Question)
	} else {
		var found []dossier.Finding
		if _, found, err = s.Records.Facts(ctx, in.ID); err == nil {
			ex = explain(c, dossier.Latest(found), in.Body.Question)
		}
	}
	ex.Cites = list(ex.Cites)
	return &whyOutput{ex}, err
}
