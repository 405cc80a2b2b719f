package api

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/auth"
	"dossier/internal/ledger"
	"dossier/internal/model"
)

// A Config is what a server serves and what it may set in motion.
type Config struct {
	Records Records
	Auth    *auth.Auth
	Inbox   *approval.Inbox
	Ledger  *ledger.Ledger
	Work    Work
	Evals   Evals
	Desk    func(app string) app.Desk // what an app may do with the core's records

	Apps    []Installed
	Console fs.FS // the built console, with index.html at its root

	// Told rebuilds what the model was told before the step of a run with this place.
	Told func(ctx context.Context, run dossier.RunID, seq int) (*model.Request, error)
	// Status reports on the product's parts, for the settings page.
	Status func(ctx context.Context) Status

	URL     string // the product's public address, without a final slash
	Version string
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func(prefix string) string
	Sign    func(message []byte) []byte // with the product's key; webhooks' secrets derive from it
	HTTP    *http.Client                // for webhooks

	// Proxied says that a proxy of the operator's own stands in front, so that callers'
	// addresses are taken from what it writes into X-Forwarded-For.
	Proxied bool

	// Others is the name of the agents that carry out calls of assistants outside the
	// product. What such a run asks is decided by people who are signed in.
	Others string

	// Poll is how often new events are looked for while somebody listens. Zero: 250 ms.
	Poll time.Duration
}

// An Installed app is one that the product runs, with its kit.
type Installed struct {
	App app.App
	Kit *app.Kit
}

// Work starts triggers.
type Work interface {
	// Fire queues a trigger of an app with an event, on behalf of by.
	Fire(ctx context.Context, app, trigger string, event json.RawMessage, by dossier.Principal) error
}

// A Server serves the API and the console.
type Server struct {
	Config
	api   huma.API
	mux   *http.ServeMux
	apps  map[string]Installed
	roles map[dossier.Role][]string // role to the apps that declare it
	hub   *hub
	text  func() ([]byte, error) // the document, written once
}

// New returns a server with every operation registered.
func New(cfg Config) *Server {
	if cfg.Poll == 0 {
		cfg.Poll = 250 * time.Millisecond
	}
	s := &Server{
		Config: cfg, mux: http.NewServeMux(),
		apps: map[string]Installed{}, roles: map[dossier.Role][]string{},
	}
	for _, in := range cfg.Apps {
		s.apps[in.App.ID] = in
		for r := range in.App.Roles {
			s.roles[r] = append(s.roles[r], in.App.ID)
		}
	}
	s.hub = newHub(cfg.Records, cfg.Poll, cfg.Log)
	s.api = humago.New(s.mux, document())
	s.api.UseMiddleware(s.checkRoles)
	s.text = sync.OnceValues(s.api.OpenAPI().YAML)
	s.routes()
	for _, in := range cfg.Apps {
		if in.Kit != nil && in.Kit.Routes != nil {
			in.Kit.Routes(app.NewRouter(in.App.ID, s.api, s, s.raw))
		}
	}
	s.mux.HandleFunc("GET /api/v1/openapi.yaml", s.serveDocument)
	s.mux.HandleFunc("/api/", s.noSuchPath)
	s.mux.Handle("/", s.console())
	return s
}

// routes registers the core's operations, one resource after the other.
func (s *Server) routes() {
	r := app.NewRouter("core", s.api, s, s.raw)
	s.sessionRoutes(r)
	s.userRoutes(r)
	s.tokenRoutes(r)
	s.appRoutes(r)
	s.caseRoutes(r)
	s.runRoutes(r)
	s.approvalRoutes(r)
	s.ledgerRoutes(r)
	s.chatRoutes(r)
	s.triggerRoutes(r)
	s.eventRoutes(r)
	s.webhookRoutes(r)
	s.evalRoutes(r)
	s.statusRoutes(r)
}

// Handler returns the server as one handler: identity, protection and headers
// around every route.
func (s *Server) Handler() http.Handler {
	var h http.Handler = s.mux
	h = s.once(h)
	h = s.identify(h)
	h = s.sameOrigin(h)
	h = s.legible(h)
	h = s.secureHeaders(h)
	h = s.observe(h)
	h = s.forwarded(h)
	return h
}

// Run does the server's own recurring work until ctx ends: it looks for new events
// and tells webhooks about them.
func (s *Server) Run(ctx context.Context) error {
	go s.sweep(ctx)
	go s.sender().Run(ctx, 2*time.Second)
	return s.hub.run(ctx)
}

// OpenAPI returns the document that describes every operation.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }
