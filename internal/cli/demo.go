package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
)

func (l *line) demo() *cobra.Command {
	var addr string
	var serve bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Load demo data for every app, and serve it",
		Long:  "Loads demo data for every app into the data folder; loading it again changes nothing.\nWith --serve it then serves the product and prints a link that signs you in as admin.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if addr != "" {
				l.sets = append(l.sets, "http.addr="+addr)
			}
			if err := l.loadPast(cmd.Context()); err != nil {
				return err
			}
			if serve {
				return l.serveUntilStopped(cmd.Context(), l.welcome)
			}
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			if err := l.loadDemo(cmd.Context(), p); err != nil {
				return err
			}
			fmt.Fprintf(l.Err, "Demo data is in %s. Look around with `dossier cases`, or serve it with `dossier demo --serve`.\n", p.Data)
			return nil
		},
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "serve the product afterwards")
	cmd.Flags().StringVar(&addr, "addr", "", "address to listen on (default 127.0.0.1:8080)")
	return cmd
}

// pastBegins is how long before the demo's day its past begins.
const pastBegins = 28 * 24 * time.Hour

// loadPast has the apps make what lies behind the demo's day, by a product of its own
// whose clock stood then.
func (l *line) loadPast(ctx context.Context) error {
	s, err := l.ready()
	if err != nil {
		return err
	}
	ago := pastBegins
	now := func() time.Time { return l.now().Add(-ago) }
	p, err := build(ctx, s, l.Env, slog.New(slog.DiscardHandler), now, l.apps)
	if err != nil {
		return err
	}
	defer p.close()
	return p.store.LoadDemo(ctx, func(ctx context.Context) error {
		for _, a := range p.apps {
			if a.Kit.Past == nil {
				continue
			}
			ago = pastBegins
			if err := a.Kit.Past(ctx, func(d time.Duration) { ago = max(0, ago-d) }); err != nil {
				return fmt.Errorf("past of %s: %w", a.ID, err)
			}
		}
		return nil
	})
}

// loadDemo loads every app's demo data, saying which one it is at: some take seconds.
// Meanwhile the log holds warnings only, so that a newcomer can read what is said.
func (l *line) loadDemo(ctx context.Context, p *product) error {
	before := l.level.Level()
	l.level.Set(max(before, slog.LevelWarn))
	defer l.level.Set(before)
	return p.store.LoadDemo(ctx, func(ctx context.Context) error {
		for _, a := range p.apps {
			if a.Kit.Demo == nil {
				continue
			}
			fmt.Fprintf(l.Err, "Loading demo data: %s\n", a.Title)
			if err := a.Kit.Demo(ctx); err != nil {
				return fmt.Errorf("demo data of %s: %w", a.ID, err)
			}
		}
		return nil
	})
}

// welcome loads the demo data once the server listens and prints how to get in.
func (l *line) welcome(ctx context.Context, p *product) error {
	if err := l.loadDemo(ctx, p); err != nil {
		return err
	}
	if err := l.measureDemo(ctx, p); err != nil {
		return err
	}
	link, err := p.firstLink(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(l.Out, "\nDossier is at %s\nSign in as admin with this link, which works once:\n\n  %s\n\nStop with Ctrl-C.\n", p.url(), link)
	return nil
}

// demoSuites are measured for the demo, so that the pages about them have something to
// show; they take a second.
var demoSuites = []string{"poolpatrol/shift", "poolpatrol/outreach", "netra/classification"}

// measureDemo plays the demo's suites that were never played.
func (l *line) measureDemo(ctx context.Context, p *product) error {
	fmt.Fprintln(l.Err, "Measuring the reference policies on some suites")
	for _, name := range demoSuites {
		app, suite, _ := strings.Cut(name, "/")
		had, err := p.store.Results(ctx, []string{app}, suite, 1)
		if err != nil {
			return err
		}
		if len(had) > 0 {
			continue
		}
		if _, _, err := l.playTagged(ctx, p, name, "eval-", eval.Options{Parallel: 2}, false); err != nil {
			return fmt.Errorf("measure %s: %w", name, err)
		}
	}
	return nil
}

// firstLink returns a one-time link that makes an admin who holds every app's roles,
// so that a newcomer can try everything.
func (p *product) firstLink(ctx context.Context) (string, error) {
	roles := []dossier.Role{dossier.Admin}
	for _, a := range p.apps {
		for r := range a.Roles {
			roles = append(roles, r)
		}
	}
	s, err := p.auth.NewLink(ctx, "", roles, 24*time.Hour)
	if err != nil {
		return "", err
	}
	return p.auth.LinkURL(s), nil
}
