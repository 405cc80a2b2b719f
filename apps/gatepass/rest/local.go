package rest

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"dossier"
	"dossier/internal/app"
)

// Local returns the API as a handler of its own, for the product's tools, for tests and
// for a command that serves it alone. It knows nobody but who the product acts for.
func (a *API) Local() http.Handler {
	mux := http.NewServeMux()
	cfg := huma.DefaultConfig("Gate Pass API", "1")
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil
	w := &wrapper{api: a}
	a.Routes(app.NewRouter("gatepass", humago.New(mux, cfg), w, func(pattern string, _ []dossier.Role, h http.Handler) {
		mux.Handle(pattern, h)
	}))
	return mux
}

// A wrapper guards nothing itself: every operation checks who asks.
type wrapper struct{ api *API }

func (*wrapper) Guard(*huma.Operation, []dossier.Role) {}

func (*wrapper) Principal(context.Context) dossier.Principal { return dossier.Principal{} }

func (w *wrapper) Problem(ctx context.Context, err error) error { return w.api.problem(ctx, err) }

// Transport carries requests to a handler in the same process.
type Transport struct{ Handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.RequestURI = in.URL.RequestURI()
	w := &kept{header: http.Header{}}
	t.Handler.ServeHTTP(w, in)
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// kept is a response that stays in memory.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *kept) Header() http.Header { return w.header }

func (w *kept) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *kept) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}
