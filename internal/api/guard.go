package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
)

// Roles that stand for several, as operations name them.
const (
	// reader is anyone with a role: an app's, admin or auditor.
	reader dossier.Role = "reader"
	// member is anyone who may take part: an app's role or admin, never the auditor
	// alone.
	member dossier.Role = "member"
)

// Keys of an operation's metadata.
const (
	rolesKey  = "roles"
	streamKey = "stream" // the answer is a stream and cannot be repeated
	secretKey = "secret" // the answer holds a secret and must not be kept
)

// rolesExtension is where the document says which roles an operation needs.
const rolesExtension = "x-roles"

type identityKey struct{}

// whoever is what is known about who a request is from.
type whoever struct {
	auth.Identity
	err error // why it is nobody
}

// A caller finds out who a request is from, once and only if somebody asks: the
// console's files need nobody.
type caller struct {
	once sync.Once
	find func() (auth.Identity, error)
	who  whoever
}

func (c *caller) identity() whoever {
	c.once.Do(func() { c.who.Identity, c.who.err = c.find() })
	return c.who
}

func who(ctx context.Context) whoever {
	if c, ok := ctx.Value(identityKey{}).(*caller); ok {
		return c.identity()
	}
	return whoever{err: dossier.Errorf(dossier.NotSignedIn, "Sign in first.")}
}

// Principal returns who the request is from.
func (s *Server) Principal(ctx context.Context) dossier.Principal { return who(ctx).Principal }

// Guard writes the roles that an operation needs into it, for the check before the
// handler and for the document.
func (s *Server) Guard(op *huma.Operation, roles []dossier.Role) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	if op.Extensions == nil {
		op.Extensions = map[string]any{}
	}
	op.Metadata[rolesKey] = list(roles)
	if len(roles) > 0 && roles[0] == app.Own {
		op.Metadata[rolesKey], roles = []dossier.Role{app.Public}, roles[1:]
	}
	op.Extensions[rolesExtension] = list(roles)
	if slices.Contains(roles, app.Public) {
		return
	}
	op.Security = []map[string][]string{{"session": {}}, {"token": {}}}
	if op.Method == http.MethodPost && op.Metadata[streamKey] == nil {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: onceHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "A key of your choice. A second request with the same key gets the first one's answer and does nothing.",
		})
	}
}

// checkRoles runs before every operation. One that Guard has not seen is refused.
func (s *Server) checkRoles(ctx huma.Context, next func(huma.Context)) {
	seen(ctx.Context()).path = ctx.Operation().Path
	if err := s.mayUse(ctx.Context(), ctx.Operation()); err != nil {
		r, w := humago.Unwrap(ctx)
		s.fail(w, r, err)
		return
	}
	next(ctx)
}

// mayUse reports why the request may not use an operation.
func (s *Server) mayUse(ctx context.Context, op *huma.Operation) error {
	roles, ok := op.Metadata[rolesKey].([]dossier.Role)
	if !ok {
		return dossier.Errorf(dossier.Internal, "This operation says nothing about who may use it.")
	}
	return s.allow(ctx, roles)
}

// allow reports why the request may not use an operation that needs roles.
func (s *Server) allow(ctx context.Context, roles []dossier.Role) error {
	if slices.Contains(roles, app.Public) {
		return nil
	}
	w := who(ctx)
	if w.err != nil {
		return w.err
	}
	if len(roles) == 0 || slices.ContainsFunc(roles, func(r dossier.Role) bool { return s.holds(w.Principal, r) }) {
		return nil
	}
	return dossier.Errorf(dossier.Forbidden, "Your role does not allow this. It needs %s.", s.listRoles(roles))
}

func (s *Server) holds(p dossier.Principal, r dossier.Role) bool {
	switch r {
	case reader:
		return p.Has(dossier.Admin) || p.Has(dossier.Auditor) || s.hasAppRole(p)
	case member:
		return p.Has(dossier.Admin) || s.hasAppRole(p)
	default:
		return p.Has(r)
	}
}

func (s *Server) hasAppRole(p dossier.Principal) bool {
	return slices.ContainsFunc(p.Roles, func(r dossier.Role) bool { return len(s.roles[r]) > 0 })
}

func (s *Server) listRoles(roles []dossier.Role) string {
	var out []string
	for _, r := range roles {
		switch r {
		case reader:
			out = append(out, "a role in an app, or auditor")
		case member:
			out = append(out, "a role in an app")
		default:
			out = append(out, string(r))
		}
	}
	return strings.Join(out, " or ")
}

// visible returns the apps whose records p may see; nil means all of them.
func (s *Server) visible(p dossier.Principal) []string {
	if p.Has(dossier.Admin) || p.Has(dossier.Auditor) {
		return nil
	}
	out := []string{}
	for _, in := range s.Apps {
		if slices.ContainsFunc(p.Roles, func(r dossier.Role) bool { _, ok := in.App.Roles[r]; return ok }) {
			out = append(out, in.App.ID)
		}
	}
	return out
}

// within narrows what p may see to one app, if one is asked for.
func (s *Server) within(p dossier.Principal, app string) []string {
	apps := s.visible(p)
	if app == "" {
		return apps
	}
	if apps == nil || slices.Contains(apps, app) {
		return []string{app}
	}
	return []string{}
}

// see reports dossier.NotFound for a record of an app that the principal may not see,
// as if it did not exist.
func (s *Server) see(ctx context.Context, app, what string) error {
	apps := s.visible(s.Principal(ctx))
	if apps == nil || slices.Contains(apps, app) {
		return nil
	}
	return dossier.Errorf(dossier.NotFound, "There is no %s.", what)
}

// raw registers a handler that huma cannot describe, with the same guard, and puts
// it into the document by method and path.
func (s *Server) raw(pattern string, roles []dossier.Role, h http.Handler) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, pattern
	}
	op := &huma.Operation{
		Method: method, Path: path, OperationID: rawID(method, path), Tags: []string{rawTag(path)},
		Metadata:  map[string]any{streamKey: true},
		Responses: map[string]*huma.Response{"default": {Description: "See the app's documentation."}},
	}
	s.Guard(op, roles)
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			op.Parameters = append(op.Parameters, &huma.Param{
				Name: strings.TrimRight(name, ".}"), In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
			})
		}
	}
	s.api.OpenAPI().AddOperation(op)
	s.mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
		seen(r.Context()).path = path
		if err := s.allow(r.Context(), op.Metadata[rolesKey].([]dossier.Role)); err != nil {
			s.fail(w, r, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func rawID(method, path string) string {
	return strings.ToLower(method) + "-" + strings.Trim(strings.NewReplacer("/", "-", "{", "", "}", "", ".", "").Replace(path), "-")
}

func rawTag(path string) string {
	tag, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return tag
}
