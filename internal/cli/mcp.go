package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/mcp"
	"dossier/internal/store"
)

func (l *line) mcp() *cobra.Command {
	var id, token, addr string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the apps' tools to other assistants (Model Context Protocol)",
		Long: "Serves the tools that the holder of --token may use, on standard input and output, or over HTTP with --addr;\n" +
			"there every request carries its own token as a bearer. Without a token the tools are those of the operator.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			p, err := l.product(ctx)
			if err != nil {
				return err
			}
			s, err := p.tools(id)
			if err != nil {
				return err
			}
			if addr != "" {
				return l.serveMCP(ctx, p, s, addr)
			}
			who, err := l.holder(ctx, p, token)
			if err != nil {
				return err
			}
			return s.For(who).Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(l.In), Writer: keepOpen{l.Out}})
		},
	}
	cmd.Flags().StringVar(&id, "app", "", "serve only this app's tools")
	cmd.Flags().StringVar(&token, "token", "", "API token of who the calls are for; else $DOSSIER_TOKEN")
	cmd.Flags().StringVar(&addr, "addr", "", "serve over HTTP at this address, under /mcp")
	return cmd
}

// keepOpen is a writer that its user must not close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// tools returns the apps, or one of them, as the protocol serves them.
func (p *product) tools(id string) (*mcp.Server, error) {
	s := &mcp.Server{Version: buildVersion(), NewID: store.NewID}
	for _, a := range p.apps {
		if id != "" && a.ID != id {
			continue
		}
		s.Apps = append(s.Apps, mcp.App{
			ID: a.ID, Title: a.Title, Kit: a.Kit, Desk: a.Desk, Redact: a.RedactedJSON,
			Steps: func(ctx context.Context, run dossier.RunID) ([]dossier.Step, error) {
				_, steps, err := p.store.Load(ctx, run)
				return steps, err
			},
		})
	}
	if len(s.Apps) == 0 {
		return nil, dossier.Errorf(dossier.NotFound, "There is no app %q. `dossier apps` lists those there are.", id)
	}
	return s, nil
}

// holder is who a token belongs to, or whoever the command acts for without one.
func (l *line) holder(ctx context.Context, p *product, token string) (dossier.Principal, error) {
	if token == "" {
		token = l.Env("DOSSIER_TOKEN")
	}
	if token == "" {
		return l.principal(ctx, p)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		return dossier.Principal{}, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return p.bearer(r)
}

// bearer is who a request's token belongs to. A browser's cookie does not count here.
func (p *product) bearer(r *http.Request) (dossier.Principal, error) {
	if r.Header.Get("Authorization") == "" {
		return dossier.Principal{}, dossier.Errorf(dossier.NotSignedIn, "Send an API token as a bearer.")
	}
	id, err := p.auth.Identify(r)
	return id.Principal, err
}

func (l *line) serveMCP(ctx context.Context, p *product, s *mcp.Server, addr string) error {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The address %s cannot be used. Choose another with --addr.", addr).Because(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler(p.bearer))
	hs := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(l.Err, "Tools are served at http://%s/mcp\n", ln.Addr())
	stop := context.AfterFunc(ctx, func() { _ = hs.Close() }) // the process ends with it
	defer stop()
	if err := hs.Serve(ln); ctx.Err() == nil {
		return err
	}
	return nil
}

// withTools serves every app's tools under /mcp beside next.
func (p *product) withTools(next http.Handler) http.Handler {
	s, err := p.tools("")
	if err != nil {
		return next // there are no apps, so there are no tools
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler(p.bearer))
	mux.Handle("/", next)
	return mux
}
