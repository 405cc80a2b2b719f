package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
)

func (s *Server) statusRoutes(r *app.Router) {
	tags := []string{"status"}
	app.Handle(r, huma.Operation{
		OperationID: "get-health", Method: http.MethodGet, Path: "/api/v1/health", Tags: tags,
		Summary: "Whether the product can serve; for load balancers", Errors: []int{503},
	}, []dossier.Role{app.Public}, s.health)
	app.Handle(r, huma.Operation{
		OperationID: "get-status", Method: http.MethodGet, Path: "/api/v1/status", Tags: tags,
		Summary: "Models, gates, database and version, for the settings page",
	}, []dossier.Role{dossier.Admin, dossier.Auditor}, s.status)
}

// A Status reports on the product's parts.
type Status struct {
	Version  string       `json:"version"`
	Started  time.Time    `json:"started"`
	Database Part         `json:"database"`
	Work     Part         `json:"work" doc:"The queue: what waits and what failed"`
	Mail     Part         `json:"mail"`
	Tracing  Part         `json:"tracing"`
	Models   []ModelState `json:"models"`
	Gates    []GateState  `json:"gates" doc:"Thresholds that evaluation must reach"`
}

// A Part is one thing the product needs.
type Part struct {
	Name string `json:"name" doc:"Which one is used: sqlite, postgres, smtp, off"`
	OK   bool   `json:"ok"`
	Note string `json:"note" doc:"One sentence"`
}

// A ModelState is a model alias and what stands behind it.
type ModelState struct {
	Alias string `json:"alias"`
	Model string `json:"model" doc:"provider/model; reference where no model is configured"`
	OK    bool   `json:"ok"`
	Note  string `json:"note"`
}

// A GateState is what stands before the model of an agent, and the newest mean.
type GateState struct {
	App     string  `json:"app"`
	Agent   string  `json:"agent"`
	Grade   string  `json:"grade" doc:"The agent, under its older name"`
	Suite   string  `json:"suite" doc:"The suite of the gate, or one that measures the agent; empty if none does"`
	Set     bool    `json:"set" doc:"False if no gate stands before the agent's model"`
	Least   float64 `json:"least"`
	Player  string  `json:"player" doc:"The model that is configured, or reference"`
	Mean    float64 `json:"mean"`
	Holds   bool    `json:"holds" doc:"The model was measured with what is configured now, and reached the gate"`
	Checked bool    `json:"checked" doc:"False if the suite was never run"`
	Stale   string  `json:"stale,omitempty" doc:"What changed since the suite was run"`
	Note    string  `json:"note" doc:"One sentence"`
}

type healthOutput struct {
	Body struct {
		OK      bool   `json:"ok"`
		Version string `json:"version"`
	}
}

func (s *Server) health(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	if _, err := s.Records.LastEvent(ctx); err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "The database does not answer.").Because(err)
	}
	out := &healthOutput{}
	out.Body.OK, out.Body.Version = true, s.Version
	return out, nil
}

type statusOutput struct{ Body Status }

func (s *Server) status(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	st := s.Status(ctx)
	st.Version, st.Models, st.Gates = s.Version, list(st.Models), list(st.Gates)
	return &statusOutput{st}, nil
}

// sweep deletes what nobody can use any more, now and every hour.
func (s *Server) sweep(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := s.Auth.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "sweep sessions", "err", err)
		}
		if err := s.Records.DropRequests(ctx, s.Now().Add(-24*time.Hour)); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "sweep requests", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
