package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/eval/judge"
)

// A judged run is what a judge says of stored runs. Nothing in it counts unless the
// judge agrees with the labels.
type judged struct {
	Suite    string         `json:"suite"`
	Judge    string         `json:"judge"`
	Standing judge.Standing `json:"standing"`
	Counts   bool           `json:"counts"`
	Labels   string         `json:"labels"` // where they are from
	A        string         `json:"a"`
	B        string         `json:"b,omitempty"`
	Better   map[string]int `json:"better,omitempty"` // by a, b, tie; nil if the judge does not count
	Mean     *float64       `json:"mean,omitempty"`   // of the marks, 1 to 5; nil if the judge does not count
	Rows     []judgedRow    `json:"rows"`
}

type judgedRow struct {
	Example string `json:"example"`
	Says    string `json:"says"` // a, b or tie; or a mark; or "none"
}

func (l *line) evalJudge() *cobra.Command {
	var alias, file, asks string
	var limit int
	cmd := &cobra.Command{
		Use: "judge RUN [OTHER]", Short: "Let a model mark a stored run, or say which of two is better, row by row", Args: cobra.RangeArgs(1, 2),
		Long: "With one run a model marks each answer from 1 to 5; with two it says which answer is better, asked in\nboth orders. First it is measured against labels; below a kappa of 0.6 its word is shown and not counted.\nThe labels that come with the product follow from a rule; --labels takes people's.",
		Example: "  dossier eval judge eval-1a2b3c4d --judge strong\n" +
			"  dossier eval judge eval-1a2b3c4d eval-5e6f7a8b --judge strong --labels people.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			p, err := l.product(ctx)
			if err != nil {
				return err
			}
			who, err := p.models.player(alias)
			if err != nil {
				return err
			}
			if who.Model == nil {
				return usageError{dossier.Errorf(dossier.Invalid, "Say which model judges: --judge ALIAS. The reference policy judges nothing.")}
			}
			labels, from, err := readLabels(file)
			if err != nil {
				return err
			}
			out := judged{Judge: who.Name(), Labels: from, Rows: []judgedRow{}}
			if len(args) == 1 {
				err = p.markRun(ctx, &out, judge.Rubric{Name: "reasoning_quality", Asks: asks, Model: who.Model}, labels, args[0], limit)
			} else {
				err = p.judgePair(ctx, &out, judge.Pairwise{Asks: asks, Model: who.Model}, labels, args, limit)
			}
			if err != nil {
				return err
			}
			return l.print(out, func(w io.Writer) error { writeJudged(w, out); return nil })
		},
	}
	f := cmd.Flags()
	f.StringVar(&alias, "judge", "", "model alias that judges")
	f.StringVar(&file, "labels", "", "file of labels to measure the judge with (default those that follow from a rule)")
	f.StringVar(&asks, "asks", "Is the reasoning correct, does it follow from the evidence, and is it clear and civil?", "what the judge is asked")
	f.IntVar(&limit, "limit", 200, "rows to judge")
	return cmd
}

func readLabels(file string) (judge.Labels, string, error) {
	if file == "" {
		l, err := judge.ByRule()
		return l, "a rule; nobody gave them", err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return judge.Labels{}, "", dossier.Errorf(dossier.Invalid, "The labels %s cannot be read.", file).Because(err)
	}
	l, err := judge.Read(raw)
	return l, file, err
}

// markRun has every answer of a stored run marked.
func (p *product) markRun(ctx context.Context, out *judged, r judge.Rubric, labels judge.Labels, id string, limit int) error {
	run, err := p.result(ctx, id)
	if err != nil {
		return err
	}
	out.Suite, out.A = run.App+"/"+run.Suite, id
	if out.Standing, err = r.MeasureMarks(ctx, labels.Marks); err != nil {
		return err
	}
	out.Counts = out.Standing.Counts()
	sum, n := 0, 0
	for _, row := range run.Rows[:min(limit, len(run.Rows))] {
		mark, err := r.Mark(ctx, row.Example, eval.Trace{Answer: row.Got})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			mark = "none"
		}
		if m, err := strconv.Atoi(mark); err == nil {
			sum, n = sum+m, n+1
		}
		out.Rows = append(out.Rows, judgedRow{row.Example.Name, mark})
	}
	if out.Counts && n > 0 {
		mean := float64(sum) / float64(n)
		out.Mean = &mean
	}
	return nil
}

// judgePair has the answers of two stored runs compared, example by example.
func (p *product) judgePair(ctx context.Context, out *judged, pw judge.Pairwise, labels judge.Labels, ids []string, limit int) error {
	a, err := p.result(ctx, ids[0])
	if err != nil {
		return err
	}
	b, err := p.result(ctx, ids[1])
	if err != nil {
		return err
	}
	if _, err := eval.Compare(a, b); err != nil {
		return err
	}
	out.Suite, out.A, out.B = a.App+"/"+a.Suite, ids[0], ids[1]
	if out.Standing, err = pw.MeasurePairs(ctx, labels.Pairs); err != nil {
		return err
	}
	out.Counts = out.Standing.Counts()
	type key struct {
		example string
		repeat  int
	}
	other := map[key]eval.Row{}
	for _, row := range b.Rows {
		other[key{row.Example.Name, row.Repeat}] = row
	}
	better := map[string]int{}
	for _, row := range a.Rows {
		mate, ok := other[key{row.Example.Name, row.Repeat}]
		if !ok || len(out.Rows) == limit {
			continue
		}
		word, err := pw.Better(ctx, row.Example, row.Got, mate.Got)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			word = "none"
		}
		better[word]++
		out.Rows = append(out.Rows, judgedRow{row.Example.Name, word})
	}
	if out.Counts {
		out.Better = better
	}
	return nil
}

func writeJudged(w io.Writer, j judged) {
	fmt.Fprintf(w, "%s judged by %s\n", j.Suite, j.Judge)
	fmt.Fprintf(w, "  agrees with %d labels (from %s) on %.1f %%, kappa %.2f\n", j.Standing.Labels, j.Labels, 100*j.Standing.Agreement, j.Standing.Kappa)
	if !j.Counts {
		fmt.Fprintf(w, "  NOT COUNTED: a judge counts from a kappa of %.2f on. What it said:\n", judge.LeastKappa)
	}
	if j.Mean != nil {
		fmt.Fprintf(w, "  mean mark %.2f of 5 (target 4.0 %s)\n", *j.Mean, map[bool]string{true: "met", false: "NOT met"}[*j.Mean >= judge.GoodMark])
	}
	if j.Better != nil {
		fmt.Fprintf(w, "  %s better: %d, %s better: %d, tie: %d\n", j.A, j.Better[judge.A], j.B, j.Better[judge.B], j.Better[judge.Tie])
	}
	for _, r := range j.Rows {
		fmt.Fprintf(w, "  %s: %s\n", r.Example, r.Says)
	}
}
