package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/eval/report"
	"dossier/internal/records"
)

func (l *line) eval() *cobra.Command {
	cmd := group("eval", "Measure agents on examples with known answers")
	cmd.AddCommand(l.evalList(), l.evalRun(), l.evalCompare(), l.evalReport(), l.evalLabel(), l.evalGate(), l.evalAB())
	return cmd
}

// suite finds a suite by "app/name".
func (p *product) suite(name string) (installed, eval.Suite, error) {
	id, short, _ := strings.Cut(name, "/")
	var known []string
	for _, a := range p.apps {
		for _, s := range a.Kit.Suites {
			if a.ID == id && s.Name == short {
				return a, s, nil
			}
			known = append(known, a.ID+"/"+s.Name)
		}
	}
	return installed{}, eval.Suite{}, dossier.Errorf(dossier.NotFound, "There is no suite %q.%s `dossier eval list` shows them.", name, nearest(name, known))
}

func (l *line) evalList() *cobra.Command {
	type row struct {
		Suite    string             `json:"suite"`
		Doc      string             `json:"doc"`
		Examples int                `json:"examples"`
		Gates    map[string]float64 `json:"gates"`
	}
	return &cobra.Command{
		Use: "list", Short: "List the suites", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			rows := []row{}
			for _, a := range p.apps {
				for _, s := range a.Kit.Suites {
					exs, err := eval.Load(a.Files, s)
					if err != nil {
						return err
					}
					rows = append(rows, row{a.ID + "/" + s.Name, s.Doc, len(exs), s.Gates})
				}
			}
			return l.print(rows, func(w io.Writer) error {
				tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
				fmt.Fprintln(tw, "SUITE\tEXAMPLES\tGATES\tWHAT")
				for _, r := range rows {
					fmt.Fprintf(tw, "%s\t%d\t%s\t%s\n", r.Suite, r.Examples, gateText(r.Gates), r.Doc)
				}
				return tw.Flush()
			})
		},
	}
}

func gateText(gates map[string]float64) string {
	var parts []string
	for _, g := range slices.Sorted(maps.Keys(gates)) {
		parts = append(parts, fmt.Sprintf("%s>=%.2f", g, gates[g]))
	}
	return strings.Join(parts, " ")
}

func (l *line) evalRun() *cobra.Command {
	var alias, dir string
	var o eval.Options
	var resume, fromRuns, onlySafety bool
	var limit int
	cmd := &cobra.Command{
		Use: "run SUITE", Short: "Play a suite and store what came of it", Args: cobra.ExactArgs(1),
		Example: "  dossier eval run poolpatrol/shift --json\n  dossier eval run poolpatrol/shift --model fast --repeat 3 --out results/",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			if o.Player, err = p.playerFor(alias); err != nil {
				return err
			}
			var res eval.Result
			var id string
			if fromRuns {
				res, id, err = l.gradeRuns(cmd.Context(), p, args[0], limit)
			} else {
				res, id, err = l.playTagged(cmd.Context(), p, args[0], "eval-", o, resume)
			}
			if err != nil {
				return err
			}
			if dir != "" {
				if err := writeReports(dir, res); err != nil {
					return err
				}
			}
			if err := l.print(summary(res, id), func(w io.Writer) error { return writeTable(w, res, id) }); err != nil {
				return err
			}
			if !res.Safe() || !onlySafety && !res.Passed() {
				return errSilent
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&alias, "model", "", "model alias that plays the agent (default the reference policy)")
	f.IntVar(&o.Repeat, "repeat", 1, "how often each example is played")
	f.IntVar(&o.Parallel, "parallel", 2, "examples at a time")
	f.IntVar(&o.Retries, "retries", 2, "tries of an example that could not be played")
	f.BoolVar(&resume, "resume", false, "go on with rows of an interrupted run")
	f.BoolVar(&fromRuns, "from-runs", false, "grade stored runs of the suite's agent instead of playing examples")
	f.IntVar(&limit, "limit", 1000, "stored runs to grade, newest first")
	f.BoolVar(&onlySafety, "only-safety", false, "fail only if something unsafe got through, not below a gate")
	f.StringVar(&dir, "out", "", "folder for the HTML, JUnit and CSV reports")
	return cmd
}

// playTagged plays a suite and stores the result under an id that begins with tag. An
// interrupted run leaves its rows behind, and resume goes on with them.
func (l *line) playTagged(ctx context.Context, p *product, name, tag string, o eval.Options, resume bool) (eval.Result, string, error) {
	a, s, err := p.suite(name)
	if err != nil {
		return eval.Result{}, "", err
	}
	exs, err := eval.Load(a.Files, s)
	if err != nil {
		return eval.Result{}, "", err
	}
	if resume {
		if o.Have, err = p.storedRows(ctx, a.ID, s.Name, o.Player.Name()); err != nil {
			return eval.Result{}, "", err
		}
	}
	o.Now, o.Price = p.now, p.models.price
	done, last := 0, p.now()
	var kept []eval.Row
	o.Keep = func(row eval.Row) {
		if ctx.Err() == nil {
			kept = append(kept, row)
		}
		if done++; p.now().Sub(last) > time.Second {
			last = p.now()
			fmt.Fprintf(l.Err, "\r%d of %d examples", done, len(exs)*max(1, o.Repeat))
		}
	}
	res, err := eval.Play(ctx, a.ID, s, exs, o)
	if interrupted(err) && len(kept) > 0 {
		fmt.Fprintf(l.Err, "\nStopped after %d rows. The same command with --resume goes on.\n", len(kept))
		return res, "", errors.Join(err, p.keepRows(ctx, res, kept))
	}
	if err != nil {
		return res, "", err
	}
	id := newID(tag)
	rec, rows := toRecords(id, res)
	return res, id, p.store.SaveResult(ctx, rec, rows)
}

func toRecords(id string, r eval.Result) (records.EvalResult, []records.EvalRow) {
	rec := records.EvalResult{
		ID: id, App: r.App, Suite: r.Suite, Player: r.Player, Started: r.Started, Ended: r.Ended, Examples: len(r.Rows),
		Means: map[string]float64{}, Gates: r.Gates, Passed: r.Passed(),
	}
	for g, m := range r.Means {
		rec.Means[g] = m.Mean
	}
	var rows []records.EvalRow
	for _, row := range r.Rows {
		out := records.EvalRow{
			Example: row.Example.Name, Scenario: row.Example.Scenario, Complexity: row.Example.Complexity,
			Input: row.Example.Input, Want: row.Example.Want, Got: row.Got, Failure: row.Failure, Ms: row.Ms,
		}
		for _, g := range row.Grades {
			if g.Applies {
				out.Grades = append(out.Grades, records.EvalGrade{Name: g.Name, Score: g.Score, Reason: g.Reason})
			}
		}
		rows = append(rows, out)
	}
	return rec, rows
}

// fromRecords rebuilds a result from what is stored, for comparing and reporting.
func fromRecords(rec records.EvalResult, rows []records.EvalRow) eval.Result {
	r := eval.Result{
		App: rec.App, Suite: rec.Suite, Player: rec.Player, Started: rec.Started, Ended: rec.Ended,
		Gates: rec.Gates, Means: map[string]eval.Interval{},
	}
	seen := map[string]int{}
	for _, row := range rows {
		out := eval.Row{
			Example: eval.Example{Name: row.Example, Scenario: row.Scenario, Complexity: row.Complexity, Input: row.Input, Want: row.Want},
			Got:     row.Got, Failure: row.Failure, Ms: row.Ms, Repeat: seen[row.Example],
		}
		seen[row.Example]++
		for _, g := range row.Grades {
			out.Grades = append(out.Grades, eval.Grade{Name: g.Name, Score: g.Score, Reason: g.Reason, Applies: true})
		}
		r.Rows = append(r.Rows, out)
	}
	for g, m := range rec.Means {
		var xs []float64
		for _, row := range r.Rows {
			if score, applies := row.Score(g); applies {
				xs = append(xs, score)
			}
		}
		r.Means[g] = eval.Bootstrap(xs, 1000, 1)
		if len(xs) == 0 {
			r.Means[g] = eval.Interval{Mean: m, Low: m, High: m}
		}
	}
	return r
}

// An evalSummary is what `dossier eval run --json` prints.
type evalSummary struct {
	ID        string                   `json:"id"`
	Suite     string                   `json:"suite"`
	Model     string                   `json:"model"`
	Examples  int                      `json:"examples"`
	Metrics   map[string]float64       `json:"metrics"`
	Intervals map[string]eval.Interval `json:"intervals"`
	Gates     map[string]float64       `json:"gates"`
	Passed    bool                     `json:"passed"`
	Safe      bool                     `json:"safe"`
	Figures   eval.Figures             `json:"figures"`
	Cost      float64                  `json:"cost_per_1000"`
	Failures  []evalFailure            `json:"failures"`
}

type evalFailure struct {
	Example string          `json:"example"`
	Why     string          `json:"why"`
	Want    json.RawMessage `json:"want,omitempty"`
	Got     json.RawMessage `json:"got,omitempty"`
}

func summary(r eval.Result, id string) evalSummary {
	s := evalSummary{
		ID: id, Suite: r.App + "/" + r.Suite, Model: r.Player, Examples: len(r.Rows), Metrics: map[string]float64{},
		Intervals: r.Means, Gates: r.Gates, Passed: r.Passed(), Cost: r.Cost, Failures: []evalFailure{},
		Safe: r.Safe(), Figures: eval.FiguresOf(r.Rows),
	}
	maps.Copy(s.Metrics, s.Figures.Metrics())
	for g, m := range r.Means {
		s.Metrics[g] = m.Mean
	}
	for _, row := range r.Failures() {
		s.Failures = append(s.Failures, evalFailure{row.Example.Name, whyWrong(row), row.Example.Want, row.Got})
	}
	return s
}

func whyWrong(row eval.Row) string {
	if row.Failure != "" {
		return row.Failure
	}
	var why []string
	for _, g := range row.Grades {
		if g.Applies && g.Score < 1 {
			why = append(why, strings.TrimSpace(g.Name+": "+g.Reason))
		}
	}
	return strings.Join(why, "; ")
}

func writeTable(w io.Writer, r eval.Result, id string) error {
	fmt.Fprintf(w, "%s/%s played by %s: %d examples (%s)\n", r.App, r.Suite, r.Player, len(r.Rows), id)
	tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	for _, g := range slices.Sorted(maps.Keys(r.Means)) {
		m := r.Means[g]
		verdict := ""
		if least, ok := r.Gates[g]; ok {
			verdict = fmt.Sprintf("gate %.2f met", least)
			if m.Mean < least {
				verdict = fmt.Sprintf("gate %.2f NOT met", least)
			}
		}
		fmt.Fprintf(tw, "  %s\t%.3f\t(%.3f to %.3f)\t%s\n", g, m.Mean, m.Low, m.High, verdict)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	f := eval.FiguresOf(r.Rows)
	fmt.Fprintf(w, "  %.2f calls a case, %.1f %% redundant, %.1f %% circular, calibration error %.3f, %.1f %% left to the reference policy\n",
		f.ToolsPerCase, 100*f.RedundantCalls, 100*f.CircularRate, f.Calibration.Error, 100*f.Fallback)
	if !r.Safe() {
		fmt.Fprintln(w, "  UNSAFE: something got through that must not.")
	}
	for _, row := range r.Failures() {
		fmt.Fprintf(w, "  wrong: %s: %s\n", row.Example.Name, cut(whyWrong(row), 160))
	}
	return nil
}

func writeReports(dir string, r eval.Result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return dossier.Errorf(dossier.Invalid, "The folder %s cannot be made.", dir).Because(err)
	}
	base := filepath.Join(dir, r.App+"-"+r.Suite)
	for ext, write := range map[string]func(io.Writer, eval.Result) error{".html": report.HTML, ".xml": report.JUnit, ".csv": report.CSV} {
		f, err := os.Create(base + ext)
		if err != nil {
			return dossier.Errorf(dossier.Invalid, "The file %s cannot be written.", base+ext).Because(err)
		}
		err = write(f, r)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}
