package airshed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/dryrun"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/observe"
	"dossier/apps/airshed/render"
	"dossier/internal/app"
)

// commands are those of `dossier airshed`.
func commands(c app.CLI) []*cobra.Command {
	l := line{c}
	return []*cobra.Command{l.ingest(), l.analyze(), l.run(), l.report(), l.submit(), l.history(), l.receiver()}
}

// A line is the app's command line.
type line struct{ app.CLI }

func (l line) config() (Config, error) {
	c, err := l.Config()
	if err != nil {
		return Config{}, err
	}
	switch c := c.(type) {
	case *Config:
		return *c, nil
	case Config:
		return c, nil
	}
	return Config{}, fmt.Errorf("the configuration of airshed is a %T", c)
}

// open builds the product and returns the app at work.
func (l line) open(ctx context.Context) (*airshed, error) {
	_, env, err := l.Open(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := l.config()
	if err != nil {
		return nil, err
	}
	return newAirshed(env, cfg)
}

// settings returns the configuration and the time that --at names, zero for none.
func (l line) settings(at string) (time.Time, Config, error) {
	cfg, err := l.config()
	if err != nil || at == "" {
		return time.Time{}, cfg, err
	}
	t, ok := observe.ParseTime(at)
	if !ok {
		return time.Time{}, cfg, dossier.Errorf(dossier.Invalid, "--at: %q is not a time. Write it as 2025-11-14T08:30:00Z.", at)
	}
	return t, cfg, nil
}

func (l line) analyze() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "analyze FILE",
		Short: "Analyse a harmonised object without recording, filing or sending anything",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			when, cfg, err := l.settings(at)
			if err != nil {
				return err
			}
			raw, err := l.read(args[0])
			if err != nil {
				return err
			}
			o, failure := dryrun.Of(filepath.Base(args[0]), raw, when, cfg.stations(), cfg.rules())
			if err := l.Print(o, o.Text); err != nil {
				return err
			}
			return failure
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "analyse as of this time (default: that of the object)")
	return cmd
}

func (l line) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(l.In())
	}
	raw, err := os.ReadFile(name)
	return raw, unreadable(name, "Check its name and that you may read it.", err)
}

// unreadable says why a file cannot be read, nil if it could be.
func unreadable(name, hint string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return dossier.Errorf(dossier.Invalid, "There is no file %s. %s", name, hint).Because(err)
	}
	return dossier.Errorf(dossier.Invalid, "%s cannot be read. %s", name, hint).Because(err)
}

func (l line) run() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Sweep the lake now: open a case for each new surge and work on it until a person must decide",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := l.open(cmd.Context())
			if err != nil {
				return err
			}
			s, err := a.sweep(cmd.Context(), "command")
			if err != nil {
				return err
			}
			type result struct {
				Case   dossier.CaseID  `json:"case"`
				Run    dossier.RunID   `json:"run"`
				Status dossier.Status  `json:"status"`
				Report string          `json:"report_id,omitempty"`
				Answer json.RawMessage `json:"answer,omitempty"`
			}
			results := []result{}
			for i, id := range s.Runs {
				run, err := a.Desk.Drive(cmd.Context(), id)
				if err != nil {
					return err
				}
				res := result{Case: s.Cases[i], Run: id, Status: run.Status, Answer: run.Answer}
				if d, err := a.book.ReportOf(cmd.Context(), s.Cases[i]); err == nil {
					res.Report = d.Report.ReportID
				}
				results = append(results, res)
			}
			return l.Print(struct {
				book.Sweep
				Results []result `json:"results"`
			}{s, results}, func(w io.Writer) error {
				fmt.Fprintf(w, "%s: %s, %s\n", s.ID, strings.ReplaceAll(s.Status, "_", " "), correlate.Count(s.Surges, "surge"))
				if s.Detail != "" {
					fmt.Fprintln(w, s.Detail)
				}
				for _, r := range results {
					fmt.Fprintf(w, "  %s  report %s  %s\n", r.Case, r.Report, r.Status)
				}
				return nil
			})
		},
	}
}

func (l line) report() *cobra.Command {
	var pdf, page bool
	var out string
	cmd := &cobra.Command{
		Use:   "report ID",
		Short: "Show a report, or write it as PDF or HTML",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := l.open(cmd.Context())
			if err != nil {
				return err
			}
			if err := checkID(args[0]); err != nil {
				return err
			}
			if !pdf && !page {
				d, err := a.book.Report(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return l.Print(d.Report, func(w io.Writer) error {
					raw, err := json.MarshalIndent(d.Report, "", "  ")
					if err == nil {
						_, err = fmt.Fprintf(w, "%s\n", raw)
					}
					return err
				})
			}
			write, ext := render.PDF, ".pdf"
			if page {
				write, ext = render.HTML, ".html"
			}
			if out == "" {
				out = args[0] + ext
			}
			d, err := a.document(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			raw, err := write(d)
			if err != nil {
				return err
			}
			if out == "-" {
				_, err = l.Out().Write(raw)
				return err
			}
			if err := lake.WriteFile(out, raw); err != nil {
				return err
			}
			return l.Print(struct {
				File string `json:"file"`
			}{out}, func(w io.Writer) error { _, err := fmt.Fprintln(w, out); return err })
		},
	}
	cmd.Flags().BoolVar(&pdf, "pdf", false, "write a PDF")
	cmd.Flags().BoolVar(&page, "html", false, "write a page")
	cmd.MarkFlagsMutuallyExclusive("pdf", "html")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, - for standard output (default: the id with its ending)")
	return cmd
}

func (l line) submit() *cobra.Command {
	return &cobra.Command{
		Use:   "submit ID",
		Short: "Send an approved report again that the Commission did not take",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := l.open(cmd.Context())
			if err != nil {
				return err
			}
			if !l.As().Has(legalOf) {
				return dossier.Errorf(dossier.Forbidden, "Only a legal officer files reports.")
			}
			d, err := a.resend(cmd.Context(), args[0], l.As())
			if err != nil {
				return err
			}
			if err := l.Print(d.Result, func(w io.Writer) error {
				if d.Result.Receipt == nil {
					return nil
				}
				_, err := fmt.Fprintf(w, "%s: filed, receipt %s\n", args[0], d.Result.Receipt.ReceiptID)
				return err
			}); err != nil {
				return err
			}
			if d.Result.Receipt == nil {
				return dossier.Errorf(dossier.Unavailable, "%s", strings.Join(d.Result.Problems, " "))
			}
			return nil
		},
	}
}

func (l line) history() *cobra.Command {
	return &cobra.Command{
		Use:   "history",
		Short: "List the reports made so far: the log that duplicates are checked against",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := l.open(cmd.Context())
			if err != nil {
				return err
			}
			log, err := a.log(cmd.Context())
			if err != nil {
				return err
			}
			return l.Print(log, func(w io.Writer) error {
				if len(log.Reports) == 0 {
					fmt.Fprintln(w, "No report has been made yet.")
				}
				for _, r := range log.Reports {
					fmt.Fprintf(w, "%s  %-12s  index %v at %s, made %s\n", r.ReportID, r.Station, r.AQI, r.Timestamp.Format(time.RFC3339), r.GeneratedAt.Format(time.RFC3339))
				}
				return nil
			})
		},
	}
}

func (l line) receiver() *cobra.Command {
	var addr, dir string
	cmd := &cobra.Command{
		Use:   "receiver",
		Short: "Play the Commission's system for trials: take reports over HTTP and keep them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := l.open(cmd.Context())
			if err != nil {
				return err
			}
			if dir == "" {
				dir = filepath.Join(a.Dir, "caqm")
			}
			if err := os.MkdirAll(dir, 0o750); err != nil {
				return dossier.Errorf(dossier.Invalid, "Reports cannot be kept in %s. Name another folder with --dir.", dir).Because(err)
			}
			r := &filing.Receiver{Dir: dir, Token: a.file.Token, HMACKey: a.file.HMACKey, Now: a.Now, Log: a.Log}
			return l.serve(cmd.Context(), addr, r.Handler())
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8095", "address to listen on")
	cmd.Flags().StringVar(&dir, "dir", "", "folder for what comes in (default: the app's own)")
	return cmd
}

// serve serves until the command is stopped.
func (l line) serve(ctx context.Context, addr string, h http.Handler) error {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "Nobody can listen on %s. Name a host and a free port, such as 127.0.0.1:8095.", addr).Because(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(l.Err(), "The receiver takes reports at http://%s/reports. Stop with Ctrl-C.\n", ln.Addr())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(ln) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(end)
}
