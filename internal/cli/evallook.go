package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/records"
)

func (l *line) evalCompare() *cobra.Command {
	return &cobra.Command{
		Use: "compare A B", Short: "Put two stored runs of a suite side by side, row by row", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			a, err := p.result(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			b, err := p.result(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			c, err := eval.Compare(a, b)
			if err != nil {
				return err
			}
			return l.print(c, func(w io.Writer) error {
				writeComparison(w, c)
				return nil
			})
		},
	}
}

func writeComparison(w io.Writer, c eval.Comparison) {
	fmt.Fprintf(w, "%s: %s against %s\n", c.Suite, c.B, c.A)
	for i, side := range c.Runs {
		fmt.Fprintf(w, "  %s: %s, prompt %s, %d examples, %.4f per 1,000, %.1f ms a case\n", "AB"[i:i+1], side.Player, cmp.Or(side.Prompt, "none"), side.Examples, side.Cost, side.Ms)
	}
	if a, b := c.Runs[0], c.Runs[1]; a.Dataset != b.Dataset {
		fmt.Fprintf(w, "  The examples are not the same: %s and %s.\n", cmp.Or(a.Dataset, "unknown"), cmp.Or(b.Dataset, "unknown"))
	}
	for _, g := range slices.Sorted(maps.Keys(c.Change)) {
		ch := c.Change[g]
		fmt.Fprintf(w, "  %s changes by %+.3f (%+.3f to %+.3f)\n", g, ch.Mean, ch.Low, ch.High)
	}
	for _, d := range c.Differences {
		fmt.Fprintf(w, "  %s: %s %.2f, then %.2f\n", d.Example, d.Grade, d.A, d.B)
	}
	for _, d := range c.Detours {
		fmt.Fprintf(w, "  %s: went %s, then %s\n", d.Example, cmp.Or(strings.Join(d.A, " > "), "nowhere"), cmp.Or(strings.Join(d.B, " > "), "nowhere"))
	}
	for _, name := range c.Alone {
		fmt.Fprintf(w, "  %s was played by one of them only\n", name)
	}
}

func (p *product) result(ctx context.Context, id string) (eval.Result, error) {
	rec, rows, err := p.store.Result(ctx, id)
	if err != nil {
		return eval.Result{}, err
	}
	return fromRecords(rec, rows), nil
}

func (l *line) evalReport() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "report [RUN]", Short: "List stored runs, or write the reports of one", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				r, err := p.result(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if err := writeReports(dir, r); err != nil {
					return err
				}
				fmt.Fprintf(l.Err, "Wrote %s/%s-%s.html, .xml and .csv\n", dir, r.App, r.Suite)
				return nil
			}
			all, err := p.store.Results(cmd.Context(), nil, "", 100)
			if err != nil {
				return err
			}
			return l.print(orNone(all), func(w io.Writer) error {
				if len(all) == 0 {
					fmt.Fprintln(w, "No suite was run yet. `dossier eval run SUITE` runs one.")
					return nil
				}
				tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
				for _, r := range all {
					fmt.Fprintf(tw, "%s\t%s/%s\t%s\t%d\t%s\n", r.ID, r.App, r.Suite, r.Player, r.Examples, passed(r.Passed))
				}
				return tw.Flush()
			})
		},
	}
	cmd.Flags().StringVar(&dir, "out", ".", "folder for the reports")
	return cmd
}

func passed(ok bool) string {
	if ok {
		return "passed"
	}
	return "below a gate"
}

func (l *line) evalLabel() *cobra.Command {
	var good, bad, collect bool
	var right, note, export string
	cmd := &cobra.Command{
		Use: "label [ITEM]", Short: "Look through what people decided, and label it for the suites",
		Long: "With --collect, every decision on an approval becomes an item to label. Without an item the\nqueue is listed; with one it is labelled.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			p, err := l.product(ctx)
			if err != nil {
				return err
			}
			if collect {
				if err := p.collectLabels(ctx); err != nil {
					return err
				}
			}
			if export != "" {
				n, err := p.exportLabels(ctx, export)
				if err != nil {
					return err
				}
				fmt.Fprintf(l.Err, "Wrote %d examples to %s.\n", n, export)
				return nil
			}
			if len(args) == 1 {
				if good == bad {
					return usageError{dossier.Errorf(dossier.Invalid, "Say --good or --bad.")}
				}
				who, err := l.principal(ctx, p)
				if err != nil {
					return err
				}
				item, err := p.label(ctx, args[0], records.Label{Good: good, Right: json.RawMessage(right), Note: note, By: who, At: p.now()})
				if err != nil {
					return err
				}
				return l.print(item, func(w io.Writer) error {
					fmt.Fprintf(w, "Labelled %s.\n", item.ID)
					return nil
				})
			}
			items, err := p.store.Unlabelled(ctx, nil, 200)
			if err != nil {
				return err
			}
			return l.print(orNone(items), func(w io.Writer) error {
				if len(items) == 0 {
					fmt.Fprintln(w, "Nothing waits for a label. --collect takes in what people decided.")
					return nil
				}
				for _, it := range items {
					fmt.Fprintf(w, "%s  %s %s  %s\n  %s\n", it.ID, it.App, it.Case, it.Why, cut(string(it.Got), 120))
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&collect, "collect", false, "take in what people decided")
	f.StringVar(&export, "export", "", "file for the accepted labels, as examples of a suite")
	f.BoolVar(&good, "good", false, "the agent was right")
	f.BoolVar(&bad, "bad", false, "the agent was wrong")
	f.StringVar(&right, "right", "", "what would have been right, as JSON")
	f.StringVar(&note, "note", "", "why")
	return cmd
}
