package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/records"
)

func (l *line) cases() *cobra.Command {
	var q records.CaseQuery
	var appID string
	var states []string
	cmd := &cobra.Command{
		Use:   "cases [CASE]",
		Short: "List cases, or show one with its findings and evidence",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return l.showCase(cmd.Context(), p, dossier.CaseID(args[0]))
			}
			if appID != "" {
				q.Apps = []string{appID}
			}
			for _, s := range states {
				q.States = append(q.States, dossier.State(s))
			}
			found, err := p.store.Cases(cmd.Context(), q)
			if err != nil {
				return err
			}
			return l.print(orNone(found), func(w io.Writer) error {
				if len(found) == 0 {
					fmt.Fprintln(w, "No cases. An audit, a surge or an upload opens one; `dossier demo` brings some.")
					return nil
				}
				tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
				fmt.Fprintln(tw, "CASE\tAPP\tSUBJECT\tSTATE\tSTAGE\tOUTCOME\tAGE")
				for _, c := range found {
					fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.App, c.Subject, c.State, c.Stage, c.Outcome, age(p.now().Sub(c.Opened)))
				}
				return tw.Flush()
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&appID, "app", "", "only this app")
	f.StringSliceVar(&states, "state", nil, "preliminary, open, waiting, closed or cleared (default open, waiting, closed)")
	f.StringVar(&q.Stage, "stage", "", "only this stage")
	f.StringVar(&q.Subject, "subject", "", "only this subject")
	f.StringVar(&q.Text, "text", "", "only cases that hold these words")
	f.IntVar(&q.Limit, "limit", 50, "at most so many")
	return cmd
}

func orNone[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// age puts a span in the largest unit that says enough.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// A caseView is a case with everything it rests on.
type caseView struct {
	Case      dossier.Case       `json:"case"`
	Findings  []dossier.Finding  `json:"findings"`
	Evidence  []dossier.Evidence `json:"evidence"`
	Approvals []dossier.Approval `json:"approvals"`
}

func (l *line) showCase(ctx context.Context, p *product, id dossier.CaseID) error {
	c, err := p.store.Case(ctx, id)
	if err != nil {
		return err
	}
	chain, found, err := p.store.Facts(ctx, id)
	if err != nil {
		return err
	}
	asked, err := p.store.ApprovalsOf(ctx, id)
	if err != nil {
		return err
	}
	v := caseView{c, orNone(found), orNone(chain), orNone(asked)}
	return l.print(v, func(w io.Writer) error {
		fmt.Fprintf(w, "%s  %s\n%s, %s", c.ID, c.Title, c.State, c.Stage)
		if c.Outcome != "" {
			fmt.Fprintf(w, ", %s", c.Outcome)
		}
		fmt.Fprintf(w, "; %s, about %s; opened %s\n", c.App, c.Subject, c.Opened.Format("2 January 2006 15:04"))
		for _, f := range dossier.Latest(found) {
			fmt.Fprintf(w, "\n%s %s: %s (%d %%)\n  %s\n  by %s, citing %s\n", strings.ToUpper(string(f.Verdict)), f.Check, f.Subject, f.Confidence, f.Reason, f.By, join(f.Cites))
		}
		fmt.Fprintln(w, "\nEvidence:")
		for _, e := range chain {
			fmt.Fprintf(w, "  %3d %s  %s  %s (%s %s)\n", e.Seq, e.ID, e.Kind, e.Summary, e.Source.System, e.Source.Locator)
		}
		for _, a := range asked {
			fmt.Fprintf(w, "\nApproval %s, %s: %s\n", a.ID, a.Status, a.Title)
		}
		return nil
	})
}

func join[T ~string](ids []T) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(id))
	}
	return b.String()
}

func (l *line) runs() *cobra.Command {
	var q records.RunQuery
	var caseID, status string
	cmd := &cobra.Command{
		Use:   "runs [RUN]",
		Short: "List runs, or show one step by step",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return l.showRun(cmd.Context(), p, dossier.RunID(args[0]))
			}
			q.Case, q.Status = dossier.CaseID(caseID), dossier.Status(status)
			found, err := p.store.Runs(cmd.Context(), q)
			if err != nil {
				return err
			}
			return l.print(orNone(found), func(w io.Writer) error {
				tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
				fmt.Fprintln(tw, "RUN\tCASE\tAGENT\tSTATUS\tSTARTED")
				for _, r := range found {
					fmt.Fprintf(tw, "%s\t%s\t%s.%s\t%s\t%s\n", r.ID, r.Case, r.App, r.Agent, r.Status, r.Started.Format(time.DateTime))
				}
				return tw.Flush()
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&caseID, "case", "", "only runs of this case")
	f.StringVar(&status, "status", "", "ready, paused, done or failed")
	f.IntVar(&q.Limit, "limit", 50, "at most so many")
	return cmd
}

func (l *line) showRun(ctx context.Context, p *product, id dossier.RunID) error {
	run, steps, err := p.store.Load(ctx, id)
	if err != nil {
		return err
	}
	v := struct {
		Run   dossier.Run    `json:"run"`
		Steps []dossier.Step `json:"steps"`
	}{run, orNone(steps)}
	return l.print(v, func(w io.Writer) error {
		fmt.Fprintf(w, "%s  %s.%s for %s: %s\n", run.ID, run.App, run.Agent, run.For.Name, run.Status)
		for _, s := range steps {
			fmt.Fprintf(w, "%3d %s  %-9s %s\n", s.Seq, s.At.Format(time.TimeOnly), s.Kind, gist(s))
		}
		if run.Failure != "" {
			fmt.Fprintln(w, run.Failure)
		}
		return nil
	})
}

// gist puts a step in one line.
func gist(s dossier.Step) string {
	switch s.Kind {
	case dossier.ModelTurn:
		t, err := agent.TurnOf(s)
		if err != nil {
			return err.Error()
		}
		var calls []string
		for _, c := range t.Calls {
			calls = append(calls, c.Tool+" "+string(c.Args))
		}
		return cut(t.Model+": "+t.Text+strings.Join(calls, "; "), 140)
	case dossier.Returned:
		c, err := agent.CameOf(s)
		if err != nil {
			return err.Error()
		}
		return cut(c.Tool+": "+string(c.Value), 140)
	}
	return cut(string(s.Body), 140)
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
