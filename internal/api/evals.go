package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/records"
)

// Evals are the results of measuring agents, and what people still have to label.
type Evals interface {
	// Results returns the newest runs of suites; "" for every suite, nil for every app.
	Results(ctx context.Context, apps []string, suite string, limit int) ([]records.EvalResult, error)
	// Result returns one run of a suite with its rows.
	Result(ctx context.Context, id string) (records.EvalResult, []records.EvalRow, error)
	// Unlabelled returns what people should look at, the most useful first.
	Unlabelled(ctx context.Context, apps []string, limit int) ([]records.LabelItem, error)
	// Label records what a person says about an item.
	Label(ctx context.Context, id string, l records.Label) (records.LabelItem, error)
}

func (s *Server) evalRoutes(r *app.Router) {
	tags := []string{"evals"}
	readers := []dossier.Role{reader}
	app.Handle(r, huma.Operation{
		OperationID: "list-suites", Method: http.MethodGet, Path: "/api/v1/evals/suites", Tags: tags, Summary: "Suites of examples and their gates",
	}, readers, s.suites)
	app.Handle(r, huma.Operation{
		OperationID: "list-eval-results", Method: http.MethodGet, Path: "/api/v1/evals/results", Tags: tags, Summary: "Runs of suites, newest first",
	}, readers, s.evalResults)
	app.Handle(r, huma.Operation{
		OperationID: "get-eval-result", Method: http.MethodGet, Path: "/api/v1/evals/results/{id}", Tags: tags,
		Summary: "One run of a suite, row by row", Errors: []int{404},
	}, readers, s.evalResult)
	app.Handle(r, huma.Operation{
		OperationID: "list-labels", Method: http.MethodGet, Path: "/api/v1/evals/labels", Tags: tags, Summary: "What people should look at",
	}, readers, s.unlabelled)
	app.Handle(r, huma.Operation{
		OperationID: "label", Method: http.MethodPost, Path: "/api/v1/evals/labels/{id}", Tags: tags,
		Summary: "Say what the right answer would have been", Errors: []int{404, 409},
	}, []dossier.Role{member}, s.label)
}

type suitesOutput struct {
	Body struct {
		Items []SuiteInfo `json:"items"`
	}
}

func (s *Server) suites(ctx context.Context, in *struct {
	App string `query:"app"`
}) (*suitesOutput, error) {
	apps := s.within(s.Principal(ctx), in.App)
	out := &suitesOutput{}
	out.Body.Items = []SuiteInfo{}
	for _, inst := range s.Apps {
		if apps == nil || slices.Contains(apps, inst.App.ID) {
			out.Body.Items = append(out.Body.Items, suites(inst)...)
		}
	}
	return out, nil
}

type evalResultsOutput struct {
	Body struct {
		Items []records.EvalResult `json:"items"`
	}
}

func (s *Server) evalResults(ctx context.Context, in *struct {
	App   string `query:"app"`
	Suite string `query:"suite"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (*evalResultsOutput, error) {
	rows, err := s.Evals.Results(ctx, s.within(s.Principal(ctx), in.App), in.Suite, in.Limit)
	out := &evalResultsOutput{}
	out.Body.Items = list(rows)
	return out, err
}

type evalResultOutput struct {
	Body struct {
		records.EvalResult
		Rows []records.EvalRow `json:"rows"`
	}
}

func (s *Server) evalResult(ctx context.Context, in *struct {
	ID string `path:"id"`
}) (*evalResultOutput, error) {
	res, rows, err := s.Evals.Result(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.see(ctx, res.App, "result "+in.ID); err != nil {
		return nil, err
	}
	out := &evalResultOutput{}
	out.Body.EvalResult, out.Body.Rows = res, list(rows)
	return out, nil
}

type labelsOutput struct {
	Body struct {
		Items []records.LabelItem `json:"items"`
	}
}

func (s *Server) unlabelled(ctx context.Context, in *struct {
	App   string `query:"app"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (*labelsOutput, error) {
	items, err := s.Evals.Unlabelled(ctx, s.within(s.Principal(ctx), in.App), in.Limit)
	out := &labelsOutput{}
	out.Body.Items = list(items)
	return out, err
}

type labelInput struct {
	ID   string `path:"id"`
	Body struct {
		Good  bool            `json:"good" doc:"What happened was right"`
		Right json.RawMessage `json:"right,omitempty" doc:"What it should have been, if not"`
		Note  string          `json:"note,omitempty" maxLength:"2000"`
	}
}

type labelOutput struct{ Body records.LabelItem }

func (s *Server) label(ctx context.Context, in *labelInput) (*labelOutput, error) {
	item, err := s.Evals.Label(ctx, in.ID, records.Label{
		Good: in.Body.Good, Right: in.Body.Right, Note: in.Body.Note, By: s.Principal(ctx), At: s.Now().Truncate(time.Microsecond),
		Apps: s.visible(s.Principal(ctx)),
	})
	return &labelOutput{item}, err
}
