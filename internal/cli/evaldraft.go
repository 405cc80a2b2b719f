package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/eval/drafts"
	"dossier/internal/records"
)

// A draftedReport is what `dossier eval draft --json` prints.
type draftedReport struct {
	Suite      string   `json:"suite"`
	Model      string   `json:"model"`
	Queued     []string `json:"queued"` // ids of the items that now wait for a person
	Duplicates int      `json:"duplicates"`
	Refused    []string `json:"refused"`
}

func (l *line) evalDraft() *cobra.Command {
	var alias string
	var count int
	cmd := &cobra.Command{
		Use: "draft SUITE", Short: "Ask a model for further examples, which wait until a person accepts them", Args: cobra.ExactArgs(1),
		Long:    "A model writes inputs in the suite's form. Each is checked, left out if it is there already, and played\nby the reference policy, which says what is right; the model never does. What is left waits in the review\nqueue (`dossier eval label`, or the console) and joins the suite when a person accepts it.",
		Example: "  dossier eval draft poolpatrol/shift --model strong --count 20",
		RunE: func(cmd *cobra.Command, args []string) error {
			if count < 1 || count > 200 {
				return usageError{dossier.Errorf(dossier.Invalid, "Ask for 1 to 200 examples with --count.")}
			}
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			who, err := p.models.named(alias, "Say which model writes: --model ALIAS. The reference policy writes no examples.")
			if err != nil {
				return err
			}
			out, err := p.draft(cmd.Context(), args[0], who, count)
			if err != nil {
				return err
			}
			return l.print(out, func(w io.Writer) error {
				fmt.Fprintf(w, "%s drafted %d examples of %s; they wait for a person: `dossier eval label`.\n", out.Model, len(out.Queued), out.Suite)
				fmt.Fprintf(w, "%d were there already, %d could not be used.\n", out.Duplicates, len(out.Refused))
				for _, why := range out.Refused {
					fmt.Fprintf(w, "  %s\n", cut(why, 160))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&alias, "model", "", "model alias that writes the inputs")
	cmd.Flags().IntVar(&count, "count", 10, "how many to ask for")
	return cmd
}

// draft asks a model for further examples of a suite and queues what can be used.
func (p *product) draft(ctx context.Context, name string, who eval.Player, count int) (draftedReport, error) {
	out := draftedReport{Suite: name, Model: who.Name(), Queued: []string{}}
	a, s, err := p.suite(name)
	if err != nil {
		return out, err
	}
	known, err := p.known(ctx, a, s)
	if err != nil {
		return out, err
	}
	batch, err := drafts.Ask(ctx, who.Model, s, known, count)
	if err != nil {
		return out, err
	}
	out.Duplicates, out.Refused = batch.Duplicates, batch.Refused
	for _, ex := range batch.Examples {
		err := p.store.AskLabel(ctx, records.LabelItem{
			ID: ex.Name, App: a.ID, Suite: s.Name, Input: a.RedactedJSON(ex.Input), Want: ex.Want, Drafted: out.Model, Queued: p.now(),
			Why: fmt.Sprintf("%s drafted this example: %s. What is right follows from the reference policy.", out.Model, cut(a.Redacted(ex.Tags[0]), 120)),
		})
		if err != nil {
			return out, err
		}
		out.Queued = append(out.Queued, ex.Name)
	}
	return out, nil
}

// known returns the examples that a suite has or that wait to join it.
func (p *product) known(ctx context.Context, a installed, s eval.Suite) ([]eval.Example, error) {
	out, err := eval.Load(a.Files, s)
	if err != nil {
		return nil, err
	}
	waiting, err := p.store.Unlabelled(ctx, []string{a.ID}, 10_000)
	if err != nil {
		return nil, err
	}
	said, err := p.store.Labelled(ctx, []string{a.ID}, 10_000)
	if err != nil {
		return nil, err
	}
	for _, it := range append(waiting, said...) {
		if it.Suite == s.Name && len(it.Input) > 0 {
			out = append(out, eval.Example{Name: it.ID, Input: it.Input, HeldOut: true})
		}
	}
	return out, nil
}
