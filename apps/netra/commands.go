package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/app"

	"github.com/spf13/cobra"
)

// commands are those below `dossier netra`.
func commands(c app.CLI) []*cobra.Command {
	return []*cobra.Command{ingestCommand(c), scoreCommand(c), batchCommand(c), watchCommand(c), methodologyCommand(c), backtestCommand(c), retentionCommand(c)}
}

// open builds the product and returns the app at work in it.
func open(ctx context.Context, c app.CLI) (*office, error) {
	_, env, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := c.Config()
	if err != nil {
		return nil, err
	}
	return newOffice(env, *cfg.(*Config)), nil
}

func ingestCommand(c app.CLI) *cobra.Command {
	var format, auditFile string
	cmd := &cobra.Command{
		Use: "ingest FILE", Short: "Take in reports from a CSV, JSONL, RSS or Atom file (- is standard input)", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, done, err := input(c, args[0])
			if err != nil {
				return err
			}
			defer done()
			rows, rejects, err := readAs(formatOf(format, args[0]), in)
			if err != nil {
				return dossier.Errorf(dossier.Invalid, "%s: %v.", args[0], err)
			}
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			audit, err := o.ingestRows(cmd.Context(), rows, rejects)
			if err != nil {
				return err
			}
			if auditFile != "" {
				if err := writeJSON(auditFile, audit); err != nil {
					return err
				}
			}
			return c.Print(audit, func(w io.Writer) error { return printAudit(w, audit) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "csv, jsonl or feed; by the file's name if left out")
	cmd.Flags().StringVar(&auditFile, "audit", "", "write the audit of every row to this file as JSON")
	return cmd
}

func formatOf(format, name string) string {
	if format != "" {
		return format
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return "csv"
	case ".xml", ".rss", ".atom":
		return "feed"
	}
	return "jsonl"
}

func input(c app.CLI, name string) (io.Reader, func(), error) {
	if name == "-" {
		return c.In(), func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, dossier.Errorf(dossier.NotFound, "%s cannot be read. Check its name and that you may read it.", name).Because(err)
	}
	return f, func() { _ = f.Close() }, nil
}

func writeJSON(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	if err := os.WriteFile(name, append(raw, '\n'), 0o600); err != nil {
		return dossier.Errorf(dossier.Invalid, "The reports were taken in, but %s cannot be written. Choose a folder that is there.", name).Because(err)
	}
	return nil
}

func printAudit(w io.Writer, a ingest.Audit) error {
	fmt.Fprintf(w, "%d read, %d accepted, %d of them folded into known events, %d rejected\n", a.Read, a.Accepted, a.Folded, len(a.Rejected))
	for _, class := range ingest.Classes {
		if n := a.Redacted[class]; n > 0 {
			fmt.Fprintf(w, "redacted: %d %s\n", n, class)
		}
	}
	for _, r := range a.Rejected {
		fmt.Fprintf(w, "line %d: %s\n", r.Line, r.Reason)
	}
	_, err := fmt.Fprintln(w, a.Disclaimer)
	return err
}

func watchCommand(c app.CLI) *cobra.Command {
	var every time.Duration
	var win string
	var rounds int
	cmd := &cobra.Command{
		Use: "watch", Short: "Print scores as they change, until interrupted", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := window(win)
			if err != nil {
				return err
			}
			if every < time.Second || rounds < 0 {
				return dossier.Errorf(dossier.Invalid, "--every must be at least 1s, and --rounds not below 0.")
			}
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			return o.watchScreen(cmd.Context(), c, w, every, rounds)
		},
	}
	cmd.Flags().DurationVar(&every, "every", 5*time.Second, "how often to look")
	cmd.Flags().StringVar(&win, "window", "24h", "24h, 72h or 7d")
	cmd.Flags().IntVar(&rounds, "rounds", 0, "stop after so many looks; 0 is never")
	return cmd
}

// watchScreen prints a line for each district whose score changed since the last look.
func (o *office) watchScreen(ctx context.Context, c app.CLI, w engine.Window, every time.Duration, rounds int) error {
	type change struct {
		standing
		Disclaimer string `json:"governance_disclaimer"`
	}
	if !c.JSON() {
		fmt.Fprintln(c.Out(), engine.Disclaimer)
	}
	seen := map[engine.Place]float64{}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for round := 1; ; round++ {
		all, err := o.standings(ctx, w)
		if err != nil {
			return err
		}
		for _, d := range all.Districts {
			if was, ok := seen[d.Place]; ok && was == d.Score || !ok && d.Score == 0 {
				continue
			}
			seen[d.Place] = d.Score
			if err := c.Print(change{d, engine.Disclaimer}, func(out io.Writer) error {
				_, err := fmt.Fprintf(out, "%s %6.2f %s %-20s %s\n", d.Timestamp.Format(time.TimeOnly), d.Score, d.TrendArrow, d.Threshold.Label, d.Place)
				return err
			}); err != nil {
				return err
			}
		}
		if round == rounds {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func methodologyCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "methodology", Short: "Print every formula, weight and limit of the method in force", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			e, err := o.board.Engine(cmd.Context(), o.env.Now())
			if err != nil {
				return err
			}
			m := e.Methodology()
			return c.Print(m, func(w io.Writer) error { _, err := io.WriteString(w, m.Text()); return err })
		},
	}
}

func backtestCommand(c app.CLI) *cobra.Command {
	var days int
	var layers []string
	cmd := &cobra.Command{
		Use: "backtest", Short: "Show what other layer weights would have done to the stored weeks; changes nothing", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ch, err := changeOf(layers)
			if err != nil {
				return err
			}
			if days < 1 || days > 366 {
				return dossier.Errorf(dossier.Invalid, "--days must be from 1 to 366.")
			}
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			now := o.env.Now()
			e, err := o.board.Engine(cmd.Context(), now)
			if err != nil {
				return err
			}
			t, err := o.backTest(cmd.Context(), ch.over(e.Params()), days, now)
			if err != nil {
				return err
			}
			return c.Print(t, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s against %s over %d days: %d scores, %d in another band, mean %.2f to %.2f\nreviewed false alarms: %d still cross, %d do not; confirmed crossings: %d kept, %d lost; %d cannot be judged any more\n%s\n",
					t.Params.To, t.Params.From, days, t.Scores, t.BandMoves, t.MeanBefore, t.MeanAfter, t.FalseKept, t.FalseGone, t.TrueKept, t.TrueLost, t.Unjudged, t.Disclaimer)
				return err
			})
		},
	}
	cmd.Flags().IntVar(&days, "days", 14, "how many days back")
	cmd.Flags().StringSliceVar(&layers, "layer", nil, "a layer and its weight, such as physical=1.5")
	return cmd
}

func changeOf(layers []string) (weightChange, error) {
	ch := weightChange{LayerWeights: map[engine.Layer]float64{}}
	for _, l := range layers {
		name, text, _ := strings.Cut(l, "=")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !slices.Contains(engine.Layers[:], engine.Layer(name)) {
			return ch, dossier.Errorf(dossier.Invalid, "--layer takes a layer and a number, such as physical=1.5.")
		}
		ch.LayerWeights[engine.Layer(name)] = v
	}
	return ch, nil
}

func retentionCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "retention", Short: "Remove signals past their time now and print the proof", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			a, err := o.forget(cmd.Context())
			if err != nil {
				return err
			}
			return c.Print(struct {
				book.Archive
				Disclaimer string `json:"governance_disclaimer"`
			}{a, engine.Disclaimer}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d signals older than %s removed, %d of them left; digest %s\n%s\n", a.Removed, a.Before.Format(time.RFC3339), a.Remaining, a.Digest, engine.Disclaimer)
				return err
			})
		},
	}
}
