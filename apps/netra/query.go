package netra

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/app"

	"github.com/spf13/cobra"
)

// A query is what score and batch ask for.
type query struct{ signals, district, state, window, at string }

func (q *query) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.signals, "signals", "", "score the processed signals of this JSONL file alone, with no database")
	cmd.Flags().StringVar(&q.window, "window", "24h", "24h, 72h or 7d")
	cmd.Flags().StringVar(&q.at, "at", "", "reference time; now if left out")
}

// time returns the reference time: as given, or another.
func (q *query) time(other time.Time) (time.Time, error) {
	if q.at == "" {
		return other, nil
	}
	at, err := engine.ParseTime(q.at)
	if err != nil {
		return at, dossier.Errorf(dossier.Invalid, "--at: %s", sentence(err))
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
	p := ingest.Canonical(engine.Place{State: q.state, District: q.district})
	i := slices.IndexFunc(signals, func(s engine.Signal) bool {
		return strings.EqualFold(s.District, p.District) && (p.State == "" || strings.EqualFold(s.State, p.State))
	})
	if i >= 0 {
		p = signals[i].Place()
	} else if p, err = locate(p.State, p.District); err != nil {
		return engine.Score{}, err // a quiet district scores 0; a misspelt one must not
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
	signals, rejects, err := ingest.ReadSignals(in)
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	for _, r := range rejects {
		fmt.Fprintf(c.Err(), "line %d: %s\n", r.Line, r.Reason)
	}
	if len(signals) == 0 && len(rejects) > 0 {
		return nil, nil, time.Time{}, dossier.Errorf(dossier.Invalid, "No line of %s is a processed signal, so nothing can be scored.", q.signals)
	}
	at, err := q.time(c.Now())
	return e, signals, at, err
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
	e, err := o.board.Engine(ctx, o.env.Now())
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
	slices.SortStableFunc(list, func(a, b engine.Score) int { return cmp.Compare(b.Composite, a.Composite) })
	for _, s := range list {
		fmt.Fprintf(w, "%6.2f %s %-20s %3d signals  %s, %s\n", s.Composite, s.TrendArrow, s.Threshold.Label, s.SignalCount, s.District, s.State)
	}
	_, err := fmt.Fprintln(w, engine.Disclaimer)
	return err
}
