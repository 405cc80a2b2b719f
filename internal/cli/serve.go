package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/api"
	"dossier/internal/app"
	"dossier/internal/mcp"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/web"
)

func (l *line) serve() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API and the console, and do due work",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if addr != "" {
				l.sets = append(l.sets, "http.addr="+addr)
			}
			return l.serveUntilStopped(cmd.Context(), nil)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "", "address to listen on (default 127.0.0.1:8080)")
	return cmd
}

// serveUntilStopped opens the product, calls ready once it listens, and serves until
// ctx ends.
func (l *line) serveUntilStopped(ctx context.Context, ready func(context.Context, *product) error) error {
	s, err := l.settings()
	if err != nil {
		return err
	}
	// Listening comes first: a port that is taken is known before anything starts.
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.HTTP.Addr)
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The address %s cannot be used. Choose another with --addr.", s.HTTP.Addr).Because(err)
	}
	defer ln.Close()
	if s.HTTP.URL == "" {
		l.sets = append(l.sets, "http.url=http://"+ln.Addr().String())
	}
	p, err := l.product(ctx)
	if err != nil {
		return err
	}
	srv := p.server()
	hs := &http.Server{Handler: p.withTools(srv.Handler()), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 2)
	go func() { served <- hs.Serve(ln) }()
	go func() { served <- srv.Run(ctx) }()
	if err := p.store.Work().Start(ctx, p.Work.Workers, p.handle); err != nil {
		return errors.Join(err, hs.Close())
	}
	stopChores := p.chores(ctx)
	if ready != nil {
		if err := ready(ctx, p); err != nil {
			return errors.Join(err, hs.Close())
		}
	} else {
		fmt.Fprintf(l.Err, "Dossier serves on %s\n", p.url())
	}
	select {
	case err = <-served:
	case <-ctx.Done():
		err = nil
	}
	stopChores()
	return errors.Join(err, p.shutDown(ctx, hs))
}

// shutDown lets requests and jobs finish for a while, and then ends them.
func (p *product) shutDown(ctx context.Context, hs *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	var err error
	if hs != nil {
		// Live streams never end by themselves; they are cut after a moment.
		quick, stop := context.WithTimeout(ctx, 2*time.Second)
		defer stop()
		if hs.Shutdown(quick) != nil {
			err = hs.Close()
		}
	}
	return errors.Join(err, p.store.Work().Stop(ctx))
}

// chores makes a checkpoint at every interval, and tries mail again that its carrier
// did not take, until the returned function is called.
func (p *product) chores(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		p.every(ctx, p.Ledger.Every, "seal the ledger", func() error {
			_, _, err := p.ledger.Seal(ctx)
			return err
		})
	})
	wg.Go(func() {
		p.every(ctx, time.Minute, "send waiting mail", func() error {
			_, err := p.outbox.Flush(ctx)
			return err
		})
	})
	wg.Go(func() { p.giveBackWhenQuiet(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// lull is how long the process must do next to nothing before it gives memory back.
const lull = 5 * time.Second

// giveBackWhenQuiet gives memory back after starting up, and after every later burst of
// work, once the process is quiet. It returns when ctx ends.
func (p *product) giveBackWhenQuiet(ctx context.Context) {
	var r rest
	p.every(ctx, lull, "give memory back", func() error {
		used, err := processorTime()
		if err != nil || !r.begins(used, lull) {
			return err
		}
		debug.FreeOSMemory()
		return dropProgram()
	})
}

// A rest follows a process's use of the processor.
type rest struct {
	used    time.Duration
	resting bool
}

// begins reports whether the process has just become quiet: it used less than a
// fiftieth of the last while, and had used more before.
func (r *rest) begins(used, while time.Duration) bool {
	quiet := used-r.used < while/50
	begins := quiet && !r.resting
	r.used, r.resting = used, quiet
	return begins
}

// every does a chore at every interval until ctx ends. One that fails is logged and
// tried again the next time.
func (p *product) every(ctx context.Context, d time.Duration, what string, do func() error) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := do(); err != nil && ctx.Err() == nil {
				p.log.Error("a chore failed: "+what, "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// server makes the API over the product's parts.
func (p *product) server() *api.Server {
	var apps []api.Installed
	for _, a := range p.apps {
		apps = append(apps, api.Installed{App: a.App, Kit: a.Kit})
	}
	return api.New(api.Config{
		Records: p.store, Auth: p.auth, Inbox: p.inbox, Ledger: p.ledger, Work: p, Evals: &queue{Store: p.store, p: p},
		Desk: func(id string) app.Desk {
			a, _ := p.app(id)
			return a.Desk
		},
		Apps: apps, Console: web.Files(), Told: p.runner.Told, Status: p.status,
		Proxied: p.HTTP.Proxied, URL: p.url(), Version: buildVersion(), Log: p.log, Now: p.now, NewID: store.NewID,
		Sign: p.ledger.Sign, HTTP: &http.Client{Timeout: 10 * time.Second}, Others: mcp.AgentName,
	})
}

func (l *line) work() *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Do due work beside other processes on one PostgreSQL",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			p, err := l.product(ctx)
			if err != nil {
				return err
			}
			if once {
				return l.workOnce(ctx, p)
			}
			if p.store.Dialect() == "sqlite" {
				fmt.Fprintln(l.Err, "On SQLite `dossier serve` does due work itself; another process beside it adds nothing.")
			}
			if err := p.store.Work().Start(ctx, p.Work.Workers, p.handle); err != nil {
				return err
			}
			fmt.Fprintf(l.Err, "Working with up to %d jobs at a time. Stop with Ctrl-C.\n", p.Work.Workers)
			p.giveBackWhenQuiet(ctx)
			return p.shutDown(ctx, nil)
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "do what is due now, and end")
	return cmd
}

// workOnce does everything that is due now, drives every run that is ready and
// returns when nothing moves any more. A run that another process is driving just now
// may be driven twice; only one of them can record.
func (l *line) workOnce(ctx context.Context, p *product) error {
	done := 0
	var before []dossier.RunID
	for {
		n, err := p.store.Work().RunDue(ctx, p.now(), p.handle)
		if err != nil {
			return err
		}
		if _, err := p.store.Sweep(ctx, p.now()); err != nil {
			return err
		}
		ready, err := p.store.Runs(ctx, records.RunQuery{Status: dossier.Ready, Limit: 1000})
		if err != nil {
			return err
		}
		for _, r := range ready {
			if _, err := p.runner.Drive(ctx, r.ID); err != nil {
				return err
			}
		}
		var now []dossier.RunID
		for _, r := range ready {
			now = append(now, r.ID)
		}
		done += n + len(ready)
		if n == 0 && slices.Equal(now, before) {
			break // nothing left, or nothing that this process can move
		}
		before = now
	}
	return l.print(struct {
		Done int `json:"done"`
	}{done}, func(w io.Writer) error {
		fmt.Fprintf(w, "Did %d jobs. Nothing more is due.\n", done)
		return nil
	})
}
