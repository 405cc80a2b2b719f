package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/ledger"
)

// Lists are never null: an empty one is []. huma has one switch for this, for the
// whole process, and no schema may be made before it is set.
func init() { huma.DefaultArrayNullable = false }

// documentVersion is raised with every change of the document: its first number when
// something that clients use goes away, its second when something is added.
const documentVersion = "2.8"

// document describes the API before any operation is in it.
func document() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Dossier", Version: documentVersion,
				Description: "Cases, the evidence they rest on, the runs that made them and the decisions people take about them.\n\n" +
					"Errors are problem details (RFC 9457); the last word of their type is the kind of error. " +
					"Lists come in pieces: pass `next` as `after`. " +
					"`x-roles` names who may use an operation: no role means anyone signed in, `public` anyone at all, " +
					"`reader` anyone with a role, `member` anyone with a role other than auditor.",
			},
			Components: &huma.Components{
				Schemas: schemas(),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {Type: "apiKey", In: "cookie", Name: "dossier", Description: "The cookie that signing in sets."},
					"token":   {Type: "http", Scheme: "bearer", Description: "A token made on the settings page."},
				},
			},
		},
		Formats: formats, DefaultFormat: "application/json",
		Transformers: []huma.Transformer{settle},
	}
}

// values are the closed lists of the vocabulary, for the document.
var values = map[reflect.Type][]any{
	reflect.TypeFor[dossier.State]():          {dossier.Preliminary, dossier.Open, dossier.Waiting, dossier.Closed, dossier.Cleared},
	reflect.TypeFor[dossier.Verdict]():        {dossier.Pass, dossier.Fail, dossier.Unclear},
	reflect.TypeFor[dossier.Status]():         {dossier.Ready, dossier.Paused, dossier.Done, dossier.Failed},
	reflect.TypeFor[dossier.ApprovalStatus](): {dossier.Pending, dossier.Approved, dossier.Rejected, dossier.Expired, dossier.Void},
	reflect.TypeFor[dossier.Verb]():           {dossier.Approve, dossier.Edit, dossier.Reject, dossier.Respond},
	reflect.TypeFor[app.View]():               {app.Table, app.Chart, app.Map, app.Picture, app.Prose, app.JSON},
	reflect.TypeFor[ledger.Agreement]():       {ledger.Agrees, ledger.Differs, ledger.Unproven, ledger.Missing, ledger.Broken},
}

// An enum stands for T in the document, with its values.
type enum[T ~string] string

// Schema describes T.
func (enum[T]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: values[reflect.TypeFor[T]()]}
}

func describeAs[T ~string](r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[T](), reflect.TypeFor[enum[T]]())
}

// schemas returns an empty registry that knows the closed lists.
func schemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	describeAs[dossier.State](r)
	describeAs[dossier.Verdict](r)
	describeAs[dossier.Status](r)
	describeAs[dossier.ApprovalStatus](r)
	describeAs[dossier.Verb](r)
	describeAs[app.View](r)
	describeAs[ledger.Agreement](r)
	return r
}

// schemaName names a type in the document. Types of apps carry the app's name,
// because two apps may call different things the same.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, rest, ok := strings.Cut(t.PkgPath(), "/apps/")
	if !ok {
		return name
	}
	id, _, _ := strings.Cut(rest, "/")
	if id == "" || strings.HasPrefix(strings.ToLower(name), id) {
		return name
	}
	return strings.ToUpper(id[:1]) + id[1:] + name
}

func (s *Server) serveDocument(w http.ResponseWriter, r *http.Request) {
	text, err := s.text()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(text) // the caller went away if this fails
}

// operation returns the operation that would answer r, or nil.
func (s *Server) operation(r *http.Request) *huma.Operation {
	_, pattern := s.mux.Handler(r)
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		return nil
	}
	item := s.api.OpenAPI().Paths[path]
	if item == nil || method != http.MethodPost {
		return nil
	}
	return item.Post
}

// list is never nil, so that it is [] in JSON.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// object is {} where there is nothing.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
