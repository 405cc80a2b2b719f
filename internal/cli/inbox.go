package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/records"
)

func (l *line) inbox() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "What waits for a person; approve, edit, reject or respond",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			q := records.ApprovalQuery{Now: p.now(), Limit: 500}
			if !all {
				who, err := l.principal(cmd.Context(), p)
				if err != nil {
					return err
				}
				q.Statuses, q.Roles = []dossier.ApprovalStatus{dossier.Pending}, who.Roles
			}
			found, err := p.store.ListApprovals(cmd.Context(), q)
			if err != nil {
				return err
			}
			return l.print(orNone(found), func(w io.Writer) error { return l.listApprovals(w, found, p.now()) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "decided ones, too")
	cmd.AddCommand(l.showApproval(), l.decide(dossier.Approve), l.decide(dossier.Edit), l.decide(dossier.Reject), l.decide(dossier.Respond))
	return cmd
}

func (l *line) listApprovals(w io.Writer, found []dossier.Approval, now time.Time) error {
	if len(found) == 0 {
		fmt.Fprintln(w, "Nothing waits for you.")
		return nil
	}
	tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "APPROVAL\tCASE\tSTATUS\tLEFT\tWHAT")
	for _, a := range found {
		left := "-"
		if !a.Expires.IsZero() {
			left = age(a.Expires.Sub(now))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", a.ID, a.Case, a.Status, left, a.Title)
	}
	return tw.Flush()
}

// An approvalShown is an approval with what the app knows beside the case.
type approvalShown struct {
	dossier.Approval
	Background []app.Background `json:"background"`
}

func (l *line) showApproval() *cobra.Command {
	return &cobra.Command{
		Use:   "show APPROVAL",
		Short: "Show what is asked, why, and on which evidence",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			p, err := l.product(ctx)
			if err != nil {
				return err
			}
			a, err := p.store.Approval(ctx, dossier.ApprovalID(args[0]))
			if err != nil {
				return whereApprovals(err)
			}
			chain, _, err := p.store.Facts(ctx, a.Case)
			if err != nil {
				return err
			}
			who, err := l.principal(ctx, p)
			if err != nil {
				return err
			}
			seen := approvalShown{a, []app.Background{}}
			if in, ok := p.app(a.App); ok {
				seen.Background = in.Kit.Tell(ctx, p.log, a, who)
			}
			return l.print(seen, func(w io.Writer) error {
				fmt.Fprintf(w, "%s\n%s\n\nTool %s with\n%s\n\nCase %s, %s. May be decided by %s:\n", a.Title, a.Why, a.Tool, a.Args, a.Case, a.Status, join(a.Roles))
				for _, v := range a.Verbs {
					fmt.Fprintf(w, "  %s: %s\n", v, a.Does(v))
				}
				for _, b := range seen.Background {
					fmt.Fprintf(w, "  %s: %s. %s\n", b.Label, b.Value, b.How)
				}
				for _, e := range chain {
					if slices.Contains(a.Evidence, e.ID) {
						fmt.Fprintf(w, "  rests on %s: %s (%s %s)\n", e.ID, e.Summary, e.Source.System, e.Source.Locator)
					}
				}
				for _, d := range a.Decisions {
					fmt.Fprintf(w, "%s by %s on %s: %s\n", d.Verb, d.By.Name, d.At.Format(time.DateTime), d.Note)
				}
				return nil
			})
		},
	}
}

// whereApprovals adds to an error about an approval that is not there where to find those
// that are.
func whereApprovals(err error) error {
	if dossier.KindOf(err) != dossier.NotFound {
		return err
	}
	return dossier.Errorf(dossier.NotFound, "%s `dossier inbox --all` lists those there are.", dossier.Message(err)).Because(err)
}

func (l *line) decide(verb dossier.Verb) *cobra.Command {
	var note, argsText string
	short := map[dossier.Verb]string{
		dossier.Approve: "Run the call exactly as it stands",
		dossier.Edit:    "Run the call with other arguments",
		dossier.Reject:  "Do not run the call, and say why",
		dossier.Respond: "Do not run the call; tell the agent something instead",
	}[verb]
	cmd := &cobra.Command{
		Use:   string(verb) + " APPROVAL",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			d := dossier.Decision{Verb: verb, Note: note}
			if verb == dossier.Edit {
				if d.Args, err = readArgs(argsText); err != nil {
					return err
				}
			}
			if d.By, err = l.principal(cmd.Context(), p); err != nil {
				return err
			}
			return l.decideNow(cmd.Context(), p, dossier.ApprovalID(args[0]), d)
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "why; told to the agent and kept in the record")
	if verb == dossier.Edit {
		cmd.Flags().StringVar(&argsText, "args", "", "the arguments to use instead: JSON, or @FILE")
	}
	return cmd
}

func readArgs(text string) (json.RawMessage, error) {
	if len(text) > 0 && text[0] == '@' {
		raw, err := os.ReadFile(text[1:])
		if err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "The file %s cannot be read.", text[1:]).Because(err)
		}
		return raw, nil
	}
	if text == "" {
		return nil, usageError{dossier.Errorf(dossier.Invalid, "An edit needs --args with the arguments to use instead.")}
	}
	return json.RawMessage(text), nil
}

// decideNow records the decision and goes on with the run until it waits again, so
// that the person sees what came of it.
func (l *line) decideNow(ctx context.Context, p *product, id dossier.ApprovalID, d dossier.Decision) error {
	a, err := p.inbox.Decide(ctx, id, "", d)
	if err != nil {
		return whereApprovals(err)
	}
	out := struct {
		Approval dossier.Approval `json:"approval"`
		Run      dossier.Status   `json:"run_status"`
	}{Approval: a}
	if a.Status != dossier.Pending {
		run, err := p.driveUp(ctx, a.Run)
		if err != nil {
			return err
		}
		out.Run = run.Status
	}
	return l.print(out, func(w io.Writer) error {
		if a.Status == dossier.Pending {
			fmt.Fprintf(w, "Recorded. %d more must agree.\n", a.Need-len(a.Decisions))
			return nil
		}
		fmt.Fprintf(w, "%s: %s\nThe run is %s.\n", a.Status, a.Title, out.Run)
		return nil
	})
}

// driveUp drives a run and then the runs that wait for it.
func (p *product) driveUp(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	for {
		run, err := p.runner.Drive(ctx, id)
		if err != nil || run.ParentOf == "" || !run.Status.Ended() {
			return run, err
		}
		id = run.ParentOf
	}
}
