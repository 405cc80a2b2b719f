package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
)

// statuses is the one table from kinds of errors to HTTP statuses and titles.
var statuses = map[dossier.Kind]struct {
	code  int
	title string
}{
	dossier.Invalid:     {http.StatusUnprocessableEntity, "The request is not valid"},
	dossier.NotSignedIn: {http.StatusUnauthorized, "Nobody is signed in"},
	dossier.Forbidden:   {http.StatusForbidden, "This is not allowed"},
	dossier.NotFound:    {http.StatusNotFound, "There is no such thing"},
	dossier.Conflict:    {http.StatusConflict, "Something changed meanwhile"},
	dossier.TooMany:     {http.StatusTooManyRequests, "Too many attempts"},
	dossier.Unavailable: {http.StatusServiceUnavailable, "Something did not answer"},
	dossier.Internal:    {http.StatusInternalServerError, "Something went wrong"},
}

// problemType is what a problem's type begins with; the error's kind follows.
const problemType = "urn:dossier:problem:"

// asProblem is what people may know of err.
func asProblem(err error) *huma.ErrorModel {
	kind := dossier.KindOf(err)
	st, ok := statuses[kind]
	if !ok {
		kind, st = dossier.Internal, statuses[dossier.Internal]
	}
	p := &huma.ErrorModel{
		Type: problemType + string(kind), Title: st.title, Status: st.code, Detail: dossier.Message(err),
	}
	if errors.Is(err, errStale) {
		p.Status = http.StatusPreconditionFailed
	}
	return p
}

// settle completes the problems that huma makes itself, about requests that do not
// fit the document: it names their kind and keeps what was sent out of the answer,
// because it may hold a secret.
func settle(_ huma.Context, _ string, v any) (any, error) {
	p, ok := v.(*huma.ErrorModel)
	if !ok || p.Type != "" {
		return v, nil
	}
	p.Type, p.Title = problemType+string(dossier.Invalid), statuses[dossier.Invalid].title
	var what []string
	for _, e := range p.Errors {
		e.Value = nil
		what = append(what, strings.TrimSpace(e.Location+" "+e.Message))
	}
	if len(what) > 0 {
		p.Detail = "The request does not fit: " + strings.Join(what, "; ") + "."
	}
	return p, nil
}

// errStale marks a conflict with an If-Match header.
var errStale = errors.New("precondition failed")

// A notModified answers a conditional read whose copy is still good.
type notModified struct{}

func (notModified) Error() string  { return "not modified" }
func (notModified) GetStatus() int { return http.StatusNotModified }

// Problem turns an error into the response for it and logs the cause of what is not
// the caller's doing.
func (s *Server) Problem(ctx context.Context, err error) error {
	if nm, ok := errors.AsType[notModified](err); ok {
		return nm
	}
	if sm, ok := errors.AsType[*huma.ErrorModel](err); ok {
		return sm
	}
	p := asProblem(err)
	switch {
	case ctx.Err() != nil:
		// The caller went away; nobody reads the answer.
	case p.Status >= http.StatusInternalServerError:
		s.Log.ErrorContext(ctx, "request failed", "status", p.Status, "err", err)
	}
	if p.Status == http.StatusTooManyRequests {
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {"900"}})
	}
	return p
}

// fail writes err as a problem outside huma.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, _ := errors.AsType[*huma.ErrorModel](s.Problem(r.Context(), err))
	if p == nil {
		p = asProblem(err)
	}
	writeProblem(w, p)
}

func writeProblem(w http.ResponseWriter, p *huma.ErrorModel) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the caller went away if this fails
}

func (s *Server) noSuchPath(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, dossier.Errorf(dossier.NotFound, "The API has nothing at this path with this method. See /api/v1/openapi.yaml."))
}
