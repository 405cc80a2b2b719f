package app

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
)

// A Router takes an app's operations. The API implements it and puts them into the
// one OpenAPI document.
type Router struct {
	App  string
	API  huma.API
	wrap Wrapper
	Raw  func(pattern string, roles []dossier.Role, h http.Handler) // for what huma cannot say: multipart, files, streams
}

// A Wrapper guards an operation: it checks roles before the handler runs and turns
// errors into problem details.
type Wrapper interface {
	// Guard adds the operation's required roles to it. No roles means anyone signed
	// in; the single role Public means anyone at all.
	Guard(op *huma.Operation, roles []dossier.Role)
	// Problem turns an error into the response for it and logs the cause.
	Problem(ctx context.Context, err error) error
	// Principal returns who the request is from.
	Principal(ctx context.Context) dossier.Principal
}

// Public marks an operation that needs no identity, such as a signed link.
const Public dossier.Role = "public"

// Own, before the roles of an operation, says that its handler itself checks that the
// caller holds one of them, because it knows ways to prove who one is that the API
// does not. The document names the roles all the same.
const Own dossier.Role = "own"

// NewRouter returns a router for one app.
func NewRouter(id string, api huma.API, w Wrapper, raw func(string, []dossier.Role, http.Handler)) *Router {
	return &Router{App: id, API: api, wrap: w, Raw: raw}
}

// Principal returns who a request is from.
func (r *Router) Principal(ctx context.Context) dossier.Principal { return r.wrap.Principal(ctx) }

// A Detailed error is a problem document of an app's own, for callers that need more
// than a sentence to go on: the state a thing is in, the field that is wrong. Its
// whole content is written for the caller.
type Detailed interface {
	huma.StatusError
	Details()
}

// Handle registers an operation. Handlers return dossier errors or a [Detailed] one;
// anything else becomes an internal error whose text stays in the log.
func Handle[I, O any](r *Router, op huma.Operation, roles []dossier.Role, h func(context.Context, *I) (*O, error)) {
	if len(op.Tags) == 0 {
		op.Tags = []string{r.App}
	}
	r.wrap.Guard(&op, roles)
	huma.Register(r.API, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := h(ctx, in)
		if own, ok := errors.AsType[Detailed](err); ok {
			return nil, own
		}
		if err != nil {
			return nil, r.wrap.Problem(ctx, err)
		}
		return out, nil
	})
}
