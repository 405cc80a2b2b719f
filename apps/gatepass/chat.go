package gatepass

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/grammar"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/rest"
	"dossier/internal/agent"
	"dossier/internal/app"
)

// A terminal is a conversation at the keyboard.
type terminal struct {
	app.CLI
	house *house
	who   dossier.Principal
	run   dossier.Run
	in    *bufio.Scanner
	files []app.Attachment // to send with the next line
}

func chatCommand(c app.CLI) *cobra.Command {
	var role, resume string
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to the assistant of a desk",
		Long: "Talks to the assistant of the hr, admin or gate desk. Besides plain sentences there are\n" +
			"  /photo PATH   attach a photo to what you say next\n  /history      show the conversation so far\n  /reset        forget what was spoken of\n  /quit         leave (the conversation can be taken up again with --resume)",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(operation.Desks, role) {
				return dossier.Errorf(dossier.Invalid, "%s", client.UnknownRole(role, operation.Desks).Guidance)
			}
			h, err := openHouse(cmd, c)
			if err != nil {
				return err
			}
			t := &terminal{CLI: c, house: h, who: c.As(), in: bufio.NewScanner(c.In())}
			t.who.Roles = rest.RolesOf(role)
			if err := t.start(cmd.Context(), role, dossier.RunID(resume)); err != nil {
				return err
			}
			return t.loop(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "hr, admin or gate")
	cmd.Flags().StringVar(&resume, "resume", "", "the conversation to go on with")
	_ = cmd.MarkFlagRequired("role") // the flag was just declared
	return cmd
}

func (t *terminal) start(ctx context.Context, role string, resume dossier.RunID) (err error) {
	desk := t.house.env.Desk
	if resume != "" {
		t.run, err = desk.Run(ctx, resume)
		if err == nil && (t.run.For.ID != t.who.ID || t.run.Agent != role) {
			return dossier.Errorf(dossier.NotFound, "You have no conversation %s at the %s desk.", resume, role)
		}
		if err != nil {
			return err
		}
		return t.askPending(ctx)
	}
	c, _, err := desk.Open(ctx, app.Opening{
		Subject: "chat/" + t.who.ID + "/" + t.house.env.NewID(""), Title: "Conversation with " + t.who.Name, State: dossier.Open, Stage: "conversation", By: t.who,
	})
	if err != nil {
		return err
	}
	if t.run, err = desk.Start(ctx, app.Start{Case: c.ID, Agent: role, For: t.who, Input: struct{}{}, Hold: true}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Err(), "Talking to the %s desk as %s (%s). Say \"help\", or /quit to leave.\n", role, t.who.Name, t.run.ID)
	return err
}

func (t *terminal) loop(ctx context.Context) error {
	for {
		fmt.Fprint(t.Err(), "> ")
		if !t.in.Scan() {
			fmt.Fprintln(t.Err())
			return t.in.Err()
		}
		line := strings.TrimSpace(t.in.Text())
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "" && len(t.files) == 0:
		case word == "/quit" || word == "/exit":
			return nil
		case word == "/photo":
			if err := t.attach(ctx, strings.TrimSpace(rest)); err != nil {
				fmt.Fprintln(t.Err(), plainly(err))
			}
		case word == "/history":
			if err := t.history(ctx); err != nil {
				return err
			}
		case word == "/reset":
			if err := t.say(ctx, "start over"); err != nil {
				return err
			}
		default:
			if err := t.say(ctx, line); err != nil {
				return err
			}
		}
	}
}

// plainly is what a person may read of an error of the office.
func plainly(err error) string {
	if p, ok := err.(interface{ GetStatus() int }); ok && p.GetStatus() < 500 { //nolint:errorlint // made by the call itself
		return err.Error()
	}
	return dossier.Message(err)
}

func (t *terminal) attach(ctx context.Context, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "The file %q cannot be read. Give the path of a photo.", path).Because(err)
	}
	p, err := t.house.office.CheckPhoto(raw)
	if err != nil {
		return err
	}
	ref, err := t.house.office.Attach(ctx, t.who, filepath.Base(path), p)
	if err != nil {
		return err
	}
	t.files = append(t.files, app.Attachment{Name: filepath.Base(path), MIME: p.Format.MIME(), Ref: ref})
	_, err = fmt.Fprintf(t.Err(), "Attached %s. Say what to do with it.\n", filepath.Base(path))
	return err
}

// say speaks, prints the answer as it comes and settles what must be confirmed.
func (t *terminal) say(ctx context.Context, text string) error {
	files := t.files
	t.files = nil
	if err := t.house.env.Desk.Say(ctx, t.run.ID, t.who, text, files); err != nil {
		return err
	}
	return t.drive(ctx)
}

func (t *terminal) drive(ctx context.Context) error {
	watched := agent.WithSink(ctx, func(s string) { fmt.Fprint(t.Out(), s) })
	run, err := t.house.env.Desk.Drive(agent.WithProgress(watched, func(s string) { fmt.Fprintln(t.Err(), s) }), t.run.ID)
	if err != nil {
		return err
	}
	fmt.Fprintln(t.Out())
	if run.Status == dossier.Failed {
		return dossier.Errorf(dossier.Conflict, "The conversation has ended: %s", run.Failure)
	}
	return t.askPending(ctx)
}

// askPending asks what the conversation waits for, if it does, and goes on with the answer.
func (t *terminal) askPending(ctx context.Context) error {
	asked, err := t.pending(ctx)
	if err != nil || asked == nil {
		return err
	}
	said, err := t.confirm(ctx, *asked)
	if err != nil || said {
		return err
	}
	return t.drive(ctx)
}

func (t *terminal) pending(ctx context.Context) (*dossier.Approval, error) {
	all, err := t.house.env.Desk.Approvals(ctx, t.run.Case)
	for i := range all {
		if all[i].Status == dossier.Pending && all[i].Run == t.run.ID {
			return &all[i], err
		}
	}
	return nil, err
}

// confirm asks about a deed and records the answer. It reports whether something else
// was said instead, which withdraws the deed.
func (t *terminal) confirm(ctx context.Context, a dossier.Approval) (bool, error) {
	known, err := t.house.background(ctx, a, t.who)
	if err != nil {
		return false, err
	}
	for _, b := range known {
		fmt.Fprintf(t.Out(), "%s: %s\n", b.Label, b.Value)
	}
	// Asked whether an act happened, a yes says that it did; it does not do it again.
	d, question := dossier.Decision{Verb: dossier.Approve, By: t.who}, "Shall I?"
	if a.Doubt {
		d.Verb, d.Note, question = dossier.Respond, "said yes in the conversation", "Did it happen?"
	}
	fmt.Fprintf(t.Out(), "%s %s %s (yes or no)\n> ", a.Title, a.Why, question)
	if !t.in.Scan() {
		return true, t.in.Err()
	}
	line := strings.TrimSpace(t.in.Text())
	yes, clear := grammar.Agrees(line)
	switch {
	case !clear && a.Doubt: // nothing can be said before this is settled
		return false, nil
	case !clear:
		return true, t.say(ctx, line)
	}
	if !yes {
		d.Verb, d.Note = dossier.Reject, saidNo
	}
	_, err = t.house.env.Desk.Decide(ctx, a.ID, d)
	return false, err
}

// history prints what was said and called so far.
func (t *terminal) history(ctx context.Context) error {
	facts, _, err := t.house.env.Desk.Facts(ctx, t.run.Case)
	if err != nil {
		return err
	}
	return t.Print(facts, func(w io.Writer) error {
		for _, e := range facts {
			if _, err := fmt.Fprintf(w, "%s  %s\n", e.At.In(t.house.zone).Format("15:04:05"), e.Summary); err != nil {
				return err
			}
		}
		return nil
	})
}
