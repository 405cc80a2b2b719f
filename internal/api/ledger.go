package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/ledger"
)

func (s *Server) ledgerRoutes(r *app.Router) {
	tags := []string{"ledger"}
	readers := []dossier.Role{reader}
	app.Handle(r, huma.Operation{
		OperationID: "list-checkpoints", Method: http.MethodGet, Path: "/api/v1/ledger/checkpoints", Tags: tags,
		Summary: "Signed checkpoints of all ledgers, newest first",
	}, readers, s.checkpoints)
	app.Handle(r, huma.Operation{
		OperationID: "seal-ledger", Method: http.MethodPost, Path: "/api/v1/ledger/checkpoints", Tags: tags,
		Summary: "Make a checkpoint of everything not covered yet",
	}, []dossier.Role{dossier.Admin}, s.seal)
	app.Handle(r, huma.Operation{
		OperationID: "verify-bundle", Method: http.MethodPost, Path: "/api/v1/ledger/verify", Tags: tags, MaxBodyBytes: 64 << 20,
		Summary: "Verify a bundle, wherever it comes from", Metadata: map[string]any{streamKey: true},
	}, readers, s.verifyBundle)
	app.Handle(r, huma.Operation{
		OperationID: "verify-case", Method: http.MethodPost, Path: "/api/v1/cases/{id}/verify", Tags: tags,
		Summary: "Check a case's chain and recompute its findings", Errors: []int{404}, Metadata: map[string]any{streamKey: true},
	}, readers, s.verifyCase)
	app.Handle(r, huma.Operation{
		OperationID: "export-case", Method: http.MethodGet, Path: "/api/v1/cases/{id}/bundle", Tags: tags,
		Summary: "Everything needed to verify a case elsewhere, as one file", Errors: []int{404},
	}, readers, s.exportCase)
}

type checkpointsOutput struct {
	Body struct {
		Key   string              `json:"key" doc:"The product's public key, in base64"`
		Items []ledger.Checkpoint `json:"items"`
	}
}

func (s *Server) checkpoints(ctx context.Context, in *struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (*checkpointsOutput, error) {
	items, err := s.Ledger.Store.Checkpoints(ctx, in.Limit)
	out := &checkpointsOutput{}
	out.Body.Key, out.Body.Items = s.Ledger.PublicKey(), list(items)
	return out, err
}

type sealOutput struct {
	Body struct {
		Made       bool               `json:"made" doc:"False if there was nothing to cover"`
		Checkpoint *ledger.Checkpoint `json:"checkpoint,omitempty"`
	}
}

func (s *Server) seal(ctx context.Context, _ *struct{}) (*sealOutput, error) {
	c, made, err := s.Ledger.Seal(ctx)
	out := &sealOutput{}
	if out.Body.Made = made; made {
		out.Body.Checkpoint = &c
	}
	return out, err
}

type reportOutput struct{ Body ledger.Report }

type verifyInput struct {
	Key  string          `query:"key" doc:"The public key it must be signed with, in base64; absent: any"`
	Body json.RawMessage `doc:"A bundle as exported"`
}

func (s *Server) verifyBundle(_ context.Context, in *verifyInput) (*reportOutput, error) {
	b, err := ledger.Read(bytes.NewReader(in.Body))
	if err != nil {
		return nil, err
	}
	return &reportOutput{complete(ledger.Verify(b, in.Key, s.rulesOf(b.Case.App)))}, nil
}

func (s *Server) verifyCase(ctx context.Context, in *CaseRef) (*reportOutput, error) {
	c, err := s.caseSeen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	b, err := s.Ledger.Export(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	key := ""
	if b.Checkpoint != nil { // a case without evidence is covered by none
		key = s.Ledger.PublicKey()
	}
	return &reportOutput{complete(ledger.Verify(b, key, s.rulesOf(c.App)))}, nil
}

// rulesOf returns the rules of an app, never nil, so that findings are recomputed.
func (s *Server) rulesOf(id string) []ledger.Rule {
	in, ok := s.apps[id]
	if !ok {
		return []ledger.Rule{}
	}
	return list(in.App.Rules)
}

func complete(r ledger.Report) ledger.Report {
	r.Problems = list(r.Problems)
	for i := range r.Checks {
		for _, f := range []*dossier.Finding{&r.Checks[i].Finding, r.Checks[i].Now, r.Checks[i].NewerSays} {
			if f != nil {
				f.Cites = list(f.Cites)
			}
		}
	}
	return r
}

type bundleOutput struct {
	Disposition string `header:"Content-Disposition"`
	Body        ledger.Bundle
}

func (s *Server) exportCase(ctx context.Context, in *CaseRef) (*bundleOutput, error) {
	if _, err := s.caseSeen(ctx, in.ID); err != nil {
		return nil, err
	}
	b, err := s.Ledger.Export(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &bundleOutput{`attachment; filename="` + string(in.ID) + `.json"`, b}, nil
}
