package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
)

func (s *Server) tokenRoutes(r *app.Router) {
	tags := []string{"tokens"}
	app.Handle(r, huma.Operation{
		OperationID: "list-tokens", Method: http.MethodGet, Path: "/api/v1/tokens", Tags: tags,
		Summary: "One's own tokens; an admin or auditor may ask for everyone's", Errors: []int{403},
	}, nil, s.tokens)
	app.Handle(r, huma.Operation{
		OperationID: "add-token", Method: http.MethodPost, Path: "/api/v1/tokens", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Make a token with some of one's own roles", Errors: []int{403}, Metadata: map[string]any{secretKey: true},
	}, nil, s.addToken)
	app.Handle(r, huma.Operation{
		OperationID: "revoke-token", Method: http.MethodDelete, Path: "/api/v1/tokens/{id}", Tags: tags,
		DefaultStatus: http.StatusNoContent, Summary: "Make a token useless at once", Errors: []int{404},
	}, nil, s.revokeToken)
}

type tokensOutput struct {
	Body struct {
		Items []auth.Token `json:"items"`
	}
}

func (s *Server) tokens(ctx context.Context, in *struct {
	All bool `query:"all" doc:"Everyone's"`
}) (*tokensOutput, error) {
	p := s.Principal(ctx)
	owner := p.ID
	if in.All {
		if !p.Has(dossier.Admin) && !p.Has(dossier.Auditor) {
			return nil, dossier.Errorf(dossier.Forbidden, "Only an admin or an auditor sees everyone's tokens.")
		}
		owner = ""
	}
	tokens, err := s.Auth.Tokens(ctx, owner)
	out := &tokensOutput{}
	out.Body.Items = list(tokens)
	return out, err
}

// An AddedToken is a new token with its secret.
type AddedToken struct {
	auth.Token
	Secret auth.Secret `json:"secret" doc:"Send it as Authorization: Bearer …; shown only now"`
}

type addTokenInput struct {
	Body struct {
		Name    string         `json:"name" maxLength:"200" doc:"What it is for"`
		Roles   []dossier.Role `json:"roles" doc:"Some of your own"`
		Expires time.Time      `json:"expires,omitzero" required:"false" doc:"Never, if absent"`
	}
}

type addTokenOutput struct{ Body AddedToken }

func (s *Server) addToken(ctx context.Context, in *addTokenInput) (*addTokenOutput, error) {
	t, secret, err := s.Auth.AddToken(ctx, s.Principal(ctx), in.Body.Name, in.Body.Roles, in.Body.Expires)
	if err != nil {
		return nil, err
	}
	s.note(ctx, "token.added", "made the token %s (%s) with the roles %v.", t.Name, t.ID, t.Roles)
	return &addTokenOutput{AddedToken{t, secret}}, nil
}

func (s *Server) revokeToken(ctx context.Context, in *struct {
	ID string `path:"id"`
}) (*struct{}, error) {
	if err := s.Auth.RevokeToken(ctx, s.Principal(ctx), in.ID); err != nil {
		return nil, err
	}
	s.note(ctx, "token.revoked", "revoked the token %s.", in.ID)
	return nil, nil
}
