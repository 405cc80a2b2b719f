package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/eval/report"
)

func (l *line) eval() *cobra.Command {
	cmd := group("eval", "Measure agents on examples with known answers")
	cmd.AddCommand(l.evalList(), l.evalRun(), l.evalCompare(), l.evalReport(), l.evalLabel(), l.evalGate(), l.evalAB(), l.evalJudge(), l.evalDraft())
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
	near := nearest(name, known)
	if i := slices.IndexFunc(known, func(k string) bool { return strings.HasSuffix(k, "/"+name) }); i >= 0 {
		near = fmt.Sprintf(" Did you mean %q?", known[i])
	}
	return installed{}, eval.Suite{}, dossier.Errorf(dossier.NotFound, "There is no suite %q.%s `dossier eval list` shows them.", name, near)
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
			p, err := l.evalProduct(cmd.Context())
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
					fmt.Fprintf(tw, "%s\t%d\t%d\t%s\n", r.Suite, r.Examples, len(r.Gates), r.Doc)
				}
				fmt.Fprintln(tw, "\nWith --json the gates are named; `dossier eval run SUITE` says which are met.")
				return tw.Flush()
			})
		},
	}
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
			if err := countsOf(o, limit); err != nil {
				return err
			}
			p, err := l.evalProduct(cmd.Context())
			if err != nil {
				return err
			}
			if o.Player, err = p.models.player(alias); err != nil {
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
			if !res.Safe() || !onlySafety && !fromRuns && !res.Passed() {
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

// countsOf refuses numbers with which nothing would be played.
func countsOf(o eval.Options, limit int) error {
	for flag, n := range map[string]int{"repeat": o.Repeat, "parallel": o.Parallel, "limit": limit, "retries": o.Retries + 1} {
		if n < 1 {
			return usageError{dossier.Errorf(dossier.Invalid, "--%s cannot be that small.", flag)}
		}
	}
	return nil
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
	Checks    []eval.Check             `json:"checks"`
	Passed    bool                     `json:"passed"`
	Safe      bool                     `json:"safe"`
	Prompt    string                   `json:"prompt,omitempty"`
	Dataset   string                   `json:"dataset,omitempty"`
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
		Safe: r.Safe(), Figures: eval.FiguresOf(r.Rows), Checks: orNone(r.Checks()), Prompt: r.Prompt, Dataset: r.Dataset,
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
	if r.Prompt != "" {
		fmt.Fprintf(w, "  prompt %s, examples %s\n", r.Prompt, r.Dataset)
	}
	checks := map[string]eval.Check{}
	for _, c := range r.Checks() {
		checks[c.Name] = c
	}
	tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	for _, g := range slices.Sorted(maps.Keys(r.Means)) {
		m := r.Means[g]
		fmt.Fprintf(tw, "  %s\t%.3f\t(%.3f to %.3f)\t%s\n", g, m.Mean, m.Low, m.High, checkText(checks, g))
	}
	f := eval.FiguresOf(r.Rows)
	for _, t := range r.Targets {
		fmt.Fprintf(tw, "  %s\t%.3f\t\t%s\n", t.Name, checks[t.Name].Got, checkText(checks, t.Name))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "  calibration error %.3f (%d bins off), %.4f a case, %.1f ms a case, %.1f %% left to the reference policy, %d failures to mend\n",
		f.Calibration.Error, f.Calibration.Off, f.CostPerCase, f.MsPerCase, 100*f.Fallback, f.Correctable)
	if !r.Safe() {
		fmt.Fprintln(w, "  UNSAFE: something got through that must not.")
	}
	for _, row := range r.Failures() {
		fmt.Fprintf(w, "  wrong: %s: %s\n", row.Example.Name, cut(whyWrong(row), 160))
	}
	return nil
}

// checkText says whether a gate or target is met, or "" where there is none.
func checkText(checks map[string]eval.Check, name string) string {
	c, ok := checks[name]
	if !ok {
		return ""
	}
	word, sign := "target", ">="
	if c.Gate {
		word = "gate"
	}
	if c.Most {
		sign = "<="
	}
	text := fmt.Sprintf("%s %s %.2f %s", word, sign, c.Bound, map[bool]string{true: "met", false: "NOT met"}[c.Holds])
	if c.Empty {
		text += " (nothing to measure)"
	}
	return text
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
