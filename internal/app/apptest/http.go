package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"dossier"
	"dossier/internal/app"
)

// Handler serves the app's routes to b.As, and refuses them to those who lack the
// roles of an operation.
func (b *Bench) Handler() http.Handler {
	mux := http.NewServeMux()
	cfg := huma.DefaultConfig("test", "1")
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath, cfg.CreateHooks = "", "", "", nil
	b.Kit.Routes(app.NewRouter(b.App.ID, humago.New(mux, cfg), door{b}, func(pattern string, _ []dossier.Role, h http.Handler) {
		mux.Handle(pattern, h)
	}))
	return mux
}

// Call does a request as b.As and decodes the answer into out, unless that is nil. A
// body that is a string is sent as it stands; any other is encoded.
func (b *Bench) Call(method, path string, body, out any) (status int, answer string) {
	b.T.Helper()
	var in io.Reader
	switch v := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(v)
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			b.T.Fatal(err)
		}
		in = bytes.NewReader(raw)
	}
	b.serve.Do(func() { b.http = b.Handler() })
	r := httptest.NewRequestWithContext(b.T.Context(), method, path, in)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	b.http.ServeHTTP(w, r)
	if out != nil {
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			b.T.Fatalf("%s %s answered %d: %s", method, path, w.Code, w.Body)
		}
	}
	return w.Code, w.Body.String()
}

// A door is an app.Wrapper that believes b.As.
type door struct{ b *Bench }

func (d door) Guard(op *huma.Operation, roles []dossier.Role) {
	if len(roles) == 0 {
		d.b.T.Errorf("%s is open to anyone signed in", op.OperationID)
	}
	if len(roles) == 1 && roles[0] == app.Public {
		return
	}
	op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
		if !d.b.As.HasAny(roles) {
			ctx.SetStatus(http.StatusForbidden)
			return
		}
		next(ctx)
	})
}

func (d door) Principal(context.Context) dossier.Principal { return d.b.As }

func (d door) Problem(ctx context.Context, err error) error {
	d.b.Env.Log.DebugContext(ctx, "request failed", "err", err)
	status := map[dossier.Kind]int{
		dossier.Invalid: 422, dossier.NotFound: 404, dossier.Conflict: 409, dossier.Forbidden: 403, dossier.Unavailable: 503,
	}[dossier.KindOf(err)]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	return huma.NewError(status, dossier.Message(err))
}
