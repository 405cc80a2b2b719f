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
// judge agrees with labels that people gave.
type judged struct {
	Suite    string         `json:"suite"`
	Judge    string         `json:"judge"`
	Standing judge.Standing `json:"standing"` // by the labels that people gave
	ByRule   judge.Standing `json:"by_rule"`  // by those that follow from a rule, which make nothing count
	Counts   bool           `json:"counts"`
	Why      string         `json:"why,omitempty"` // why it does not count
	A        string         `json:"a"`
	B        string         `json:"b,omitempty"`
	Better   map[string]int `json:"better,omitempty"` // by a, b, tie; nil if the judge does not count
	Mean     *float64       `json:"mean,omitempty"`   // of the marks, 1 to 5; nil if the judge does not count
	Marked   int            `json:"marked,omitempty"` // rows that the mean is over
	Of       int            `json:"of"`               // rows of the run
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
		Long: "With one run a model marks each answer from 1 to 5; with two it says which answer is better, asked in\nboth orders. First it is measured against labels. Its word counts if it agrees with at least 20 labels\nof people at a kappa of 0.6; otherwise it is shown and not counted. People's labels are those of the\nreview queue (for marks) and those of --labels that say by whom they are. The labels that come with\nthe product follow from a rule: they show whether a judge can read, and make none count.",
		Example: "  dossier eval judge eval-1a2b3c4d --judge strong\n" +
			"  dossier eval judge eval-1a2b3c4d eval-5e6f7a8b --judge strong --labels people.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usageError{dossier.Errorf(dossier.Invalid, "--limit cannot be below 1.")}
			}
			ctx := cmd.Context()
			p, err := l.product(ctx)
			if err != nil {
				return err
			}
			who, err := p.models.named(alias, "Say which model judges: --judge ALIAS. The reference policy judges nothing.")
			if err != nil {
				return err
			}
			labels, err := readLabels(file)
			if err != nil {
				return err
			}
			out := judged{Judge: who.Name(), Rows: []judgedRow{}}
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
	f.StringVar(&file, "labels", "", "file of labels to measure the judge with; those with by: NAME are a person's")
	f.StringVar(&asks, "asks", "Is the reasoning correct, does it follow from the evidence, and is it clear and civil?", "what the judge is asked")
	f.IntVar(&limit, "limit", 200, "rows to judge")
	return cmd
}

// readLabels returns the labels of a file beside those that follow from a rule.
func readLabels(file string) (judge.Labels, error) {
	out, err := judge.ByRule()
	if err != nil || file == "" {
		return out, err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return out, dossier.Errorf(dossier.Invalid, "The labels %s cannot be read.", file).Because(err)
	}
	more, err := judge.Read(raw)
	out.Pairs, out.Marks = append(out.Pairs, more.Pairs...), append(out.Marks, more.Marks...)
	return out, err
}

// queueMarks returns what people said in the review queue about answers of a suite.
func (p *product) queueMarks(ctx context.Context, app, suite string) ([]judge.Marked, error) {
	items, err := p.store.Labelled(ctx, []string{app}, 10_000)
	if err != nil {
		return nil, err
	}
	var out []judge.Marked
	for _, it := range items {
		if it.Suite != suite || len(it.Got) == 0 || it.Label.By.ID == dossier.SystemPrincipal.ID {
			continue
		}
		word := judge.Poor
		if it.Label.Good {
			word = judge.Good
		}
		out = append(out, judge.Marked{Name: it.ID, Input: it.Input, Want: it.Right(), Answer: it.Got, Label: word, By: it.Label.By.Name})
	}
	return out, nil
}

// measured takes down how a judge stands with people and with the rule.
func (j *judged) measured(people, rule judge.Standing) {
	j.Standing, j.ByRule, j.Why = people, rule, people.Why()
	j.Counts = j.Why == ""
}

// markRun has every answer of a stored run marked.
func (p *product) markRun(ctx context.Context, out *judged, r judge.Rubric, labels judge.Labels, id string, limit int) error {
	run, err := p.result(ctx, id)
	if err != nil {
		return err
	}
	out.Suite, out.A = run.App+"/"+run.Suite, id
	said, err := p.queueMarks(ctx, run.App, run.Suite)
	if err != nil {
		return err
	}
	labels.Marks = append(labels.Marks, said...)
	people, rule := labels.Split()
	theirs, err := r.MeasureMarks(ctx, people.Marks)
	if err != nil {
		return err
	}
	ours, err := r.MeasureMarks(ctx, rule.Marks)
	if err != nil {
		return err
	}
	out.measured(theirs, ours)
	sum := 0
	out.Of = len(run.Rows)
	for _, row := range run.Rows[:min(limit, len(run.Rows))] {
		mark, err := "1", error(nil) // no answer explains nothing
		if len(row.Got) > 0 {
			mark, err = r.Mark(ctx, row.Example, eval.Trace{Answer: row.Got})
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			mark = "none"
		}
		if m, err := strconv.Atoi(mark); err == nil {
			sum, out.Marked = sum+m, out.Marked+1
		}
		out.Rows = append(out.Rows, judgedRow{row.Example.Name, mark})
	}
	if out.Counts && out.Marked > 0 {
		mean := float64(sum) / float64(out.Marked)
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
	out.Of = len(a.Rows)
	out.Suite, out.A, out.B = a.App+"/"+a.Suite, ids[0], ids[1]
	people, rule := labels.Split()
	theirs, err := pw.MeasurePairs(ctx, people.Pairs)
	if err != nil {
		return err
	}
	ours, err := pw.MeasurePairs(ctx, rule.Pairs)
	if err != nil {
		return err
	}
	out.measured(theirs, ours)
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
	for _, s := range []struct {
		judge.Standing
		whose string
	}{{j.Standing, "of people"}, {j.ByRule, "that follow from a rule and make nothing count"}} {
		fmt.Fprintf(w, "  agrees with %d labels %s on %.1f %%, kappa %.2f\n", s.Labels, s.whose, 100*s.Agreement, s.Kappa)
	}
	if !j.Counts {
		fmt.Fprintf(w, "  NOT COUNTED: %s. What it said:\n", j.Why)
	}
	if j.Mean != nil {
		fmt.Fprintf(w, "  mean mark %.2f of 5 over %d of %d rows (target 4.0 %s)\n", *j.Mean, j.Marked, j.Of, map[bool]string{true: "met", false: "NOT met"}[*j.Mean >= judge.GoodMark])
	}
	if j.Better != nil {
		fmt.Fprintf(w, "  %s better: %d, %s better: %d, tie: %d\n", j.A, j.Better[judge.A], j.B, j.Better[judge.B], j.Better[judge.Tie])
	}
	for _, r := range j.Rows {
		fmt.Fprintf(w, "  %s: %s\n", r.Example, r.Says)
	}
}
