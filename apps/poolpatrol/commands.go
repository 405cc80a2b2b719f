package poolpatrol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
)

// commands are those below `dossier poolpatrol`.
func commands(c app.CLI) []*cobra.Command {
	return []*cobra.Command{
		importCommand(c), exportCommand(c), auditCommand(c), casesCommand(c), whyCommand(c), replyCommand(c), metricsCommand(c),
	}
}

// open builds the product and returns this app at work.
func open(ctx context.Context, c app.CLI) (*server, error) {
	_, env, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := c.Config()
	if err != nil {
		return nil, err
	}
	cfg := *raw.(*patrol.Config)
	p, err := patrol.New(env, cfg, prompt)
	if err != nil {
		return nil, err
	}
	return newServer(env, p), nil
}

func auditCommand(c app.CLI) *cobra.Command {
	var all, again bool
	var stage string
	var checks []string
	var workers int
	cmd := &cobra.Command{
		Use:   "audit [VANPOOL...]",
		Short: "Audit vanpools: their riders' shifts and homes",
		Long: "Audits the named vanpools, or all of them with --all. A van whose case is open already is left to\n" +
			"that case unless --again is given. --stage pre_cancel puts the memberships that fail straight before\n" +
			"a coordinator, without writing to the riders first.",
		Example: "  dossier poolpatrol audit VP-102\n  dossier poolpatrol audit --all\n  dossier poolpatrol audit VP-102 --again --checks shift",
		RunE: func(cmd *cobra.Command, vans []string) error {
			if all == (len(vans) > 0) {
				return dossier.Errorf(dossier.Invalid, "Name vanpools, or use --all.")
			}
			if stage != "" && stage != string(patrol.PreCancel) {
				return dossier.Errorf(dossier.Invalid, "--stage can only be pre_cancel.")
			}
			if len(checks) > 0 && !again {
				return dossier.Errorf(dossier.Invalid, "--checks is for a second look; give --again with it.")
			}
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			if err := s.patrol.KnowsChecks(checks); err != nil {
				return err
			}
			if all {
				if vans, err = s.vanIDs(cmd.Context()); err != nil {
					return err
				}
				if len(vans) == 0 {
					return dossier.Errorf(dossier.NotFound, "There are no vanpools yet. Take them in with `dossier poolpatrol import`.")
				}
			}
			order := patrol.Order{For: c.As(), Straight: stage != "", Again: again, Recheck: checks}
			looks, err := auditMany(cmd.Context(), s.patrol, vans, order, workers)
			if len(looks) == 0 && err != nil {
				return err
			}
			return errors.Join(c.Print(looks, func(w io.Writer) error { return printLooks(w, looks) }), err)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "audit every vanpool")
	cmd.Flags().BoolVar(&again, "again", false, "look again at vanpools whose case is open")
	cmd.Flags().StringVar(&stage, "stage", "", "pre_cancel: ask a coordinator at once")
	cmd.Flags().StringSliceVar(&checks, "checks", nil, "with --again: only these checks")
	cmd.Flags().IntVar(&workers, "workers", 4, "how many vanpools to audit at a time")
	return cmd
}

// auditMany audits vans, some at a time. It returns what it could look at, in the
// order of the vans, and every error.
func auditMany(ctx context.Context, p *patrol.Patrol, vans []string, order patrol.Order, workers int) ([]patrol.Look, error) {
	looks := make([]patrol.Look, len(vans))
	errs := make([]error, len(vans))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(1, workers), len(vans)) {
		wg.Go(func() {
			for i := range next {
				o := order
				o.Vanpool = vans[i]
				looks[i], errs[i] = p.Audit(ctx, o)
				errs[i] = pointing(errs[i], "`dossier poolpatrol export` lists those there are")
			}
		})
	}
	for i := range vans {
		next <- i
	}
	close(next)
	wg.Wait()
	done := looks[:0]
	for i, l := range looks {
		if errs[i] == nil {
			done = append(done, l)
		}
	}
	return done, errors.Join(errs...)
}

// pointing adds to an error about something that does not exist where to look.
func pointing(err error, where string) error {
	if dossier.KindOf(err) != dossier.NotFound {
		return err
	}
	return dossier.Errorf(dossier.NotFound, "%s %s.", dossier.Message(err), where).Because(err)
}

func printLooks(w io.Writer, looks []patrol.Look) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "VANPOOL\tSTATUS\tFAILED\tCASE\tWHY")
	for _, l := range looks {
		id, status := string(l.Case), string(l.Status)
		if l.Outcome == "verified" {
			id = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", l.Vanpool, status, strings.Join(l.Failed, ","), id, l.Reason)
	}
	return t.Flush()
}

func casesCommand(c app.CLI) *cobra.Command {
	var closed bool
	cmd := &cobra.Command{
		Use: "cases", Short: "List the cases of the programme", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			list, err := s.caseRows(cmd.Context(), closed)
			if err != nil {
				return err
			}
			return c.Print(list, func(w io.Writer) error {
				t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
				fmt.Fprintln(t, "CASE\tVANPOOL\tSTATUS\tREASON\tFAILED\tRE-AUDITS\tUPDATED")
				for _, r := range list {
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", r.Case, r.Vanpool, r.Status, r.Meta.Reason,
						strings.Join(r.Meta.FailedChecks, ","), r.Meta.Reaudits, r.Updated.Format("2006-01-02 15:04"))
				}
				return t.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&closed, "closed", false, "closed cases, too")
	return cmd
}

func whyCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "why CASE", Short: "Say why a case stands where it does, with the evidence", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			e, err := s.why.Why(cmd.Context(), dossier.CaseID(args[0]), "")
			if err != nil {
				return pointing(err, "`dossier poolpatrol cases --closed` lists them")
			}
			return c.Print(e, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, e.Text)
				return err
			})
		},
	}
}

func replyCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "reply THREAD|EMPLOYEE TEXT", Short: "Take a reply as if the rider had mailed it", Args: cobra.ExactArgs(2),
		Example: "  dossier poolpatrol reply EMP-1006 \"I switched to the day shift.\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			thread := args[0]
			if strings.TrimSpace(args[1]) == "" {
				return dossier.Errorf(dossier.Invalid, "The reply is empty. Give what the rider wrote as the second argument.")
			}
			if strings.HasPrefix(thread, "EMP-") {
				threads, err := s.patrol.Book.OpenWith(cmd.Context(), thread)
				if err != nil {
					return err
				}
				if len(threads) == 0 {
					return dossier.Errorf(dossier.NotFound, "There is no open mail thread with %s. Riders are written to when an audit fails; `dossier poolpatrol cases` lists the open cases.", thread)
				}
				thread = threads[0].ID
			}
			m, err := s.patrol.ReplyAs(cmd.Context(), thread, args[1])
			if err != nil {
				return pointing(err, "Name the rider instead, as in EMP-1006")
			}
			t, err := s.patrol.Book.Thread(cmd.Context(), m.Thread)
			if err != nil {
				return err
			}
			row, err := s.caseRow(cmd.Context(), t.Case)
			if err != nil {
				return err
			}
			return c.Print(replied{m.ID, m.Thread, string(t.Case), string(m.Bucket), m.Rule, m.Phrases, string(row.Status)}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s counts as %s (%s %q). Case %s is %s.\n", m.ID, m.Bucket, m.Rule, m.Phrases, t.Case, row.Status)
				return err
			})
		},
	}
}

// replied is what became of a reply.
type replied struct {
	Message string   `json:"message_id"`
	Thread  string   `json:"email_thread_id"`
	Case    string   `json:"case_id"`
	Bucket  string   `json:"bucket"`
	Rule    string   `json:"rule"`
	Phrases []string `json:"phrases"`
	Status  string   `json:"status"`
}

func metricsCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "metrics", Short: "Count audits, hours saved, time to resolution, cost and reversals", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			m, err := s.numbers.Metrics(cmd.Context())
			if err != nil {
				return err
			}
			return c.Print(m, func(w io.Writer) error { return printMetrics(w, m) })
		},
	}
}

func printMetrics(w io.Writer, m numbers.Metrics) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "Audits\t%d of %d vans, %d verified\n", m.Audits, m.Vans, m.Cleared)
	fmt.Fprintf(t, "Hours saved\t%.1f (%.1f %% of two people over three months), worth %.0f\n", m.HoursSaved, 100*m.BaselinePart, m.CostSaved)
	fmt.Fprintf(t, "Cases\t%d: %d open, %d resolved, %d cancelled\n", m.Cases, m.Open, m.Resolved, m.Cancelled)
	if m.Resolution.N == 0 {
		fmt.Fprintln(t, "Hours to resolution\tno case is closed yet")
	} else {
		fmt.Fprintf(t, "Hours to resolution\tmean %.1f, median %.1f, nine in ten within %.1f\n", m.Resolution.Mean, m.Resolution.Median, m.Resolution.P90)
	}
	fmt.Fprintf(t, "Seconds per audit\tmean %.2f, nine in ten within %.2f\n", m.Latency.Mean, m.Latency.P90)
	fmt.Fprintf(t, "Seconds per case\tmean %.2f, nine in ten within %.2f (models and tools)\n", m.CaseTime.Mean, m.CaseTime.P90)
	fmt.Fprintf(t, "Cost\t%.4f in all, %.4f per audit; per case mean %.4f, nine in ten within %.4f; %d tokens\n", m.Cost, m.AuditCost, m.CaseCost.Mean, m.CaseCost.P90, m.Tokens)
	groups := []struct {
		name string
		list []numbers.Reversal
	}{{"rule", m.Reversals.ByRule}, {"model", m.Reversals.ByModel}, {"approver", m.Reversals.ByApprover}}
	all := m.Reversals.All
	fmt.Fprintf(t, "Reversals\t%d of %d cancellations (%.1f %%); %d of %d proposals rejected\n", all.Reversed, all.Cancelled, 100*all.Rate, all.Rejected, all.Proposed)
	for _, g := range groups {
		for _, r := range g.list {
			fmt.Fprintf(t, "  %s %s\t%d of %d reversed (%.1f %%), %d of %d rejected\n", g.name, r.Name, r.Reversed, r.Cancelled, 100*r.Rate, r.Rejected, r.Proposed)
		}
	}
	return t.Flush()
}
