package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/records"
	"dossier/internal/store"
)

// player returns who an alias is; "" and "reference" are the reference policy.
func (m *models) player(alias string) (eval.Player, error) {
	if alias == "" || alias == "reference" {
		return eval.Player{}, nil
	}
	mod, ok := m.byAlias[alias]
	if !ok {
		return eval.Player{}, dossier.Errorf(dossier.Invalid, "No model is configured as %q. Add [models.%s] to the configuration.", alias, alias)
	}
	return eval.Player{Alias: alias, Model: mod}, nil
}

// named returns the model that an alias names; the reference policy is none, and missing
// says so.
func (m *models) named(alias, missing string) (eval.Player, error) {
	who, err := m.player(alias)
	if err == nil && who.Model == nil {
		err = usageError{dossier.Errorf(dossier.Invalid, "%s", missing)}
	}
	return who, err
}

func (l *line) evalAB() *cobra.Command {
	var aliases []string
	var grade string
	var o eval.Options
	var resume bool
	cmd := &cobra.Command{
		Use: "ab SUITE", Short: "Play a suite with several models and say which may replace the first", Args: cobra.ExactArgs(1),
		Example: "  dossier eval ab poolpatrol/shift --model reference --model fast --model strong",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			if err := countsOf(o, 1); err != nil {
				return err
			}
			if len(aliases) < 2 {
				return usageError{dossier.Errorf(dossier.Invalid, "Name at least two models with --model; the first is the baseline.")}
			}
			var all []eval.Result
			var ids []string
			for _, alias := range aliases {
				if o.Player, err = p.models.player(alias); err != nil {
					return err
				}
				res, id, err := l.playTagged(cmd.Context(), p, args[0], "ab_test-", o, resume)
				if err != nil {
					return err
				}
				all, ids = append(all, res), append(ids, id)
			}
			if grade == "" {
				grade = all[0].MainGrade()
			}
			e, err := eval.Contest(grade, all[0], all[1:]...)
			if err != nil {
				return err
			}
			e.Results = ids
			return l.print(e, func(w io.Writer) error { return writeContest(w, e) })
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&aliases, "model", nil, "model alias, or reference; give it for each model, the baseline first")
	f.StringVar(&grade, "grade", "", "grade to compare by (default the suite's first)")
	f.IntVar(&o.Repeat, "repeat", 1, "how often each example is played")
	f.IntVar(&o.Parallel, "parallel", 2, "examples at a time")
	f.IntVar(&o.Retries, "retries", 2, "tries of an example that could not be played")
	f.BoolVar(&resume, "resume", false, "go on with rows of an interrupted run")
	return cmd
}

func writeContest(w io.Writer, e eval.Experiment) error {
	fmt.Fprintf(w, "%s by %s (%s)\n", e.Suite, e.Grade, strings.Join(e.Tags, ", "))
	tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "MODEL\tSIMPLE\tEDGE\tCOST PER 1,000\tMS A CASE\tCHANGE\tDECISION")
	fmt.Fprintf(tw, "%s\t%.3f\t%.3f\t%.4f\t%.1f\t\tbaseline\n", e.Base.Name, e.Base.Simple, e.Base.Edge, e.Base.CostPer, e.Base.Ms)
	for _, v := range e.Others {
		word := "keep the baseline"
		if v.Decision.Replace {
			word = "may replace it"
		}
		fmt.Fprintf(tw, "%s\t%.3f\t%.3f\t%.4f\t%.1f\t%+.3f (%+.3f to %+.3f)\t%s: %s\n",
			v.Name, v.Simple, v.Edge, v.CostPer, v.Ms, v.Change.Mean, v.Change.Low, v.Change.High, word, v.Decision.Why)
	}
	return tw.Flush()
}

// rightOf returns what the runs of a suite should have come to, by people's labels. A
// label about something else, like a decision on an approval, says nothing about that.
func rightOf(labels []records.LabelItem, suite string) map[dossier.RunID]json.RawMessage {
	right := map[dossier.RunID]json.RawMessage{}
	for _, it := range labels {
		if want := it.Right(); len(want) > 0 && it.Suite == suite {
			right[it.Run] = want
		}
	}
	return right
}

// gradeRuns grades stored runs of a suite's agent without running them again. A label
// of a person on the same run is what the run should have come to.
func (l *line) gradeRuns(ctx context.Context, p *product, name string, limit int) (eval.Result, string, error) {
	a, s, err := p.suite(name)
	if err != nil {
		return eval.Result{}, "", err
	}
	if s.Agent == "" {
		return eval.Result{}, "", dossier.Errorf(dossier.Invalid, "%s measures a rule, so there are no runs of it.", name)
	}
	labels, err := p.store.Labelled(ctx, []string{a.ID}, 10_000)
	if err != nil {
		return eval.Result{}, "", err
	}
	right := rightOf(labels, s.Name)
	runs, err := p.store.Runs(ctx, records.RunQuery{Apps: []string{a.ID}, Agent: s.Agent, Limit: 20_000})
	if err != nil {
		return eval.Result{}, "", err
	}
	res := eval.Result{App: a.ID, Suite: s.Name, Player: "production", Started: p.now(), Targets: s.Targets}
	for _, r := range runs {
		if !r.Status.Ended() {
			continue
		}
		if len(res.Rows) == limit {
			break
		}
		run, steps, err := p.store.Load(ctx, r.ID)
		if err != nil {
			return res, "", err
		}
		seen, found, err := p.store.Facts(ctx, r.Case)
		if err != nil {
			return res, "", err
		}
		asked, err := p.store.Approvals(ctx, r.ID)
		if err != nil {
			return res, "", err
		}
		ex := eval.Example{Name: string(r.ID), Scenario: "production", Complexity: "production", Input: run.Input, Want: right[r.ID]}
		res.Rows = append(res.Rows, eval.GradeTrace(ctx, s, ex, eval.TraceOf(run, steps, seen, found, asked)))
	}
	res.Summarise(s)
	res.Ended = p.now()
	id := store.NewID("eval-")
	return res, id, p.store.SaveResult(ctx, toRecord(id, s, res), toRows(res.Rows))
}
