package netra

import (
	"bufio"
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
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/app"

	"github.com/spf13/cobra"
)

// commands are those below `dossier netra`.
func commands(c app.CLI) []*cobra.Command {
	return []*cobra.Command{ingestCommand(c), scoreCommand(c), batchCommand(c), watchCommand(c), methodologyCommand(c), backtestCommand(c), gateCommand(c), retentionCommand(c)}
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
		return nil, nil, dossier.Errorf(dossier.NotFound, "%s cannot be read.", name).Because(err)
	}
	return f, func() { _ = f.Close() }, nil
}

func writeJSON(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	if err := os.WriteFile(name, append(raw, '\n'), 0o600); err != nil {
		return dossier.Errorf(dossier.Invalid, "%s cannot be written.", name).Because(err)
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
	return nil
}

// A query is what score and batch ask for.
type query struct{ signals, district, state, window, at string }

func (q *query) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.signals, "signals", "", "score the processed signals of this JSONL file alone, with no database")
	cmd.Flags().StringVar(&q.window, "window", "24h", "24h, 72h or 7d")
	cmd.Flags().StringVar(&q.at, "at", "", "reference time; with --signals the newest signal's if left out, else now")
}

// time returns the reference time: as given, or another.
func (q *query) time(other time.Time) (time.Time, error) {
	if q.at == "" {
		return other, nil
	}
	at, err := engine.ParseTime(q.at)
	if err != nil {
		return at, dossier.Errorf(dossier.Invalid, "--at: %s.", sentence(err))
	}
	return at, nil
}

func scoreCommand(c app.CLI) *cobra.Command {
	var q query
	var example bool
	cmd := &cobra.Command{
		Use: "score", Short: "Score one district", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := q.score(cmd.Context(), c, example)
			if err != nil {
				return err
			}
			return c.Print(s, func(w io.Writer) error { _, err := io.WriteString(w, s.Text()); return err })
		},
	}
	q.flags(cmd)
	cmd.Flags().StringVar(&q.district, "district", "", "the district")
	cmd.Flags().StringVar(&q.state, "state", "", "its state")
	cmd.Flags().BoolVar(&example, "example", false, "score the worked example of the methodology")
	return cmd
}

func (q *query) score(ctx context.Context, c app.CLI, example bool) (engine.Score, error) {
	w, err := window(q.window)
	if err != nil {
		return engine.Score{}, err
	}
	if example {
		at, err := q.time(exampleTime)
		if err != nil {
			return engine.Score{}, err
		}
		place, signals := engine.Example(at)
		return engine.Default().Compute(place, signals, w, at)
	}
	if q.district == "" {
		return engine.Score{}, dossier.Errorf(dossier.Invalid, "Say which district with --district.")
	}
	if q.signals != "" {
		return q.scoreFile(c, w)
	}
	p, err := locate(q.state, q.district)
	if err != nil {
		return engine.Score{}, err
	}
	o, err := open(ctx, c)
	if err != nil {
		return engine.Score{}, err
	}
	at, err := q.time(o.env.Now())
	if err != nil {
		return engine.Score{}, err
	}
	_, s, err := o.sight(ctx, p, w, at)
	return s, err
}

var exampleTime = time.Date(2026, 2, 3, 14, 58, 29, 0, time.UTC)

func (q *query) scoreFile(c app.CLI, w engine.Window) (engine.Score, error) {
	e, signals, at, err := q.read(c)
	if err != nil {
		return engine.Score{}, err
	}
	p := canonical(engine.Place{State: q.state, District: q.district})
	if p.State == "" {
		if i := slices.IndexFunc(signals, func(s engine.Signal) bool { return strings.EqualFold(s.District, p.District) }); i >= 0 {
			p.State = signals[i].State
		}
	}
	return e.Compute(p, signals, w, at)
}

// read loads a file of processed signals with the configured weights. Lines that
// cannot be used are named on the error output.
func (q *query) read(c app.CLI) (*engine.Engine, []engine.Signal, time.Time, error) {
	cfg, err := c.Config()
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	e, err := engine.New(cfg.(*Config).params())
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	in, done, err := input(c, q.signals)
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	defer done()
	signals, rejects, err := readSignals(in)
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	for _, r := range rejects {
		fmt.Fprintf(c.Err(), "line %d: %s\n", r.Line, r.Reason)
	}
	var newest time.Time
	for _, s := range signals {
		if s.Timestamp.After(newest) {
			newest = s.Timestamp
		}
	}
	at, err := q.time(newest)
	return e, signals, at, err
}

// readSignals reads processed signals line by line. Texts are redacted again: nobody
// can tell where a file has been.
func readSignals(r io.Reader) (out []engine.Signal, rejects []ingest.Reject, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for line := 1; in.Scan(); line++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		var s engine.Signal
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			rejects = append(rejects, ingest.Reject{Line: line, Reason: "the line is no processed signal with an ISO 8601 timestamp"})
			continue
		}
		p := canonical(s.Place())
		s.State, s.District = p.State, p.District
		s.EventSummary, s.Location, s.SourceURL = ingest.Clean(s.EventSummary), ingest.Clean(s.Location), ingest.Clean(s.SourceURL)
		s.SourceType, s.ID = ingest.SourceType(s.SourceType), ingest.Clean(s.ID)
		if err := s.Validate(); err != nil {
			rejects = append(rejects, ingest.Reject{Line: line, Reason: err.Error()})
			continue
		}
		out = append(out, s)
	}
	if err := in.Err(); err != nil {
		return nil, nil, dossier.Errorf(dossier.Invalid, "The file cannot be read: a line is too long.").Because(err)
	}
	return out, rejects, nil
}

// canonical returns the table's name of a place, and the place as given, redacted,
// where the table has none.
func canonical(p engine.Place) engine.Place {
	if q, err := locate(p.State, p.District); err == nil {
		return q
	}
	return engine.Place{State: ingest.Clean(p.State), District: ingest.Clean(p.District)}
}

func batchCommand(c app.CLI) *cobra.Command {
	var q query
	cmd := &cobra.Command{
		Use: "batch", Short: "Score all districts", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			scores, err := q.batch(cmd.Context(), c)
			if err != nil {
				return err
			}
			return c.Print(scores, func(w io.Writer) error { return printScores(w, scores) })
		},
	}
	q.flags(cmd)
	return cmd
}

func (q *query) batch(ctx context.Context, c app.CLI) ([]engine.Score, error) {
	w, err := window(q.window)
	if err != nil {
		return nil, err
	}
	if q.signals == "" {
		o, err := open(ctx, c)
		if err != nil {
			return nil, err
		}
		at, err := q.time(o.env.Now())
		if err != nil {
			return nil, err
		}
		return o.batch(ctx, w, at)
	}
	e, signals, at, err := q.read(c)
	if err != nil {
		return nil, err
	}
	return scoreColumns(e, &engine.Columns{}, signals, w, at)
}

// batch scores every district from the records at any time.
func (o *office) batch(ctx context.Context, w engine.Window, at time.Time) ([]engine.Score, error) {
	e, err := o.board.current(ctx, o.env.Now())
	if err != nil {
		return nil, err
	}
	var signals []engine.Signal
	for _, p := range places() {
		list, err := o.book.Signals(ctx, p, at.Add(-max(w.Duration(), engine.ThreeDays.Duration())), at)
		if err != nil {
			return nil, err
		}
		signals = append(signals, list...)
	}
	return scoreColumns(e, &engine.Columns{Places: places()}, signals, w, at)
}

func scoreColumns(e *engine.Engine, cols *engine.Columns, signals []engine.Signal, w engine.Window, at time.Time) ([]engine.Score, error) {
	cols.Grow(len(signals))
	for i := range signals {
		if err := cols.Append(&signals[i]); err != nil {
			return nil, err
		}
	}
	return e.Batch(cols, w, at, func(row int) *engine.Signal { return &signals[row] })
}

func printScores(w io.Writer, scores []engine.Score) error {
	list := slices.Clone(scores)
	slices.SortStableFunc(list, func(a, b engine.Score) int { return int(100 * (b.Composite - a.Composite)) })
	for _, s := range list {
		fmt.Fprintf(w, "%6.2f %s %-20s %3d signals  %s, %s\n", s.Composite, s.TrendArrow, s.Threshold.Label, s.SignalCount, s.District, s.State)
	}
	_, err := fmt.Fprintln(w, engine.Disclaimer)
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
			if err := c.Print(d, func(out io.Writer) error {
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
		Use: "methodology", Short: "Print every formula, weight and limit of the configured method", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := c.Config()
			if err != nil {
				return err
			}
			e, err := engine.New(cfg.(*Config).params())
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
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			now := o.env.Now()
			e, err := o.board.current(cmd.Context(), now)
			if err != nil {
				return err
			}
			t, err := o.backTest(cmd.Context(), ch.over(e.Params()), days, now)
			if err != nil {
				return err
			}
			return c.Print(t, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s against %s over %d days: %d scores, %d in another band, mean %.2f to %.2f\nreviewed false alarms: %d still cross, %d do not; confirmed crossings: %d kept, %d lost\n",
					t.Params.To, t.Params.From, days, t.Scores, t.BandMoves, t.MeanBefore, t.MeanAfter, t.FalseKept, t.FalseGone, t.TrueKept, t.TrueLost)
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

func gateCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "gate", Short: "Measure the configured classifier on the labelled examples and store the result", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			g, err := o.measure(cmd.Context())
			if err != nil {
				return err
			}
			return c.Print(g, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d of %d examples classified as labelled; %.0f %% are needed\n", g.Agreed, g.Examples, o.cfg.ModelGate*100)
				return err
			})
		},
	}
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
			return c.Print(a, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d signals older than %s removed, %d left; digest %s\n", a.Removed, a.Before.Format(time.RFC3339), a.Remaining, a.Digest)
				return err
			})
		},
	}
}
