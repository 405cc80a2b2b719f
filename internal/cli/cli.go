// Package cli is the command line: it reads the configuration, wires the parts
// together and runs one command. It is the only package that sees all of them.
//
// [Main] is the whole program with its surroundings handed in, so that tests run
// the same code as the binary. A command is a function from options to an error; it
// writes what was asked for to standard output and everything else to standard
// error, and says what to do when something is wrong.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/app"
)

// A Terminal is where a command reads and writes.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
}

// A line is one command line being run: its terminal, its global flags, and the
// product if a command opened one.
type line struct {
	Terminal
	apps []app.App
	now  func() time.Time

	config string
	data   string
	json   bool
	sets   []string
	as     string

	open  *product
	level slog.LevelVar // of the log, once it is open
}

// Main runs the command named by args and returns the exit status: 0 if it did what
// was asked, 1 if not, 2 if the command line is wrong.
func Main(ctx context.Context, args []string, tty Terminal, apps []app.App) int {
	l := &line{Terminal: tty, apps: apps, now: time.Now}
	root := l.root()
	root.SetArgs(args)
	root.SetIn(tty.In)
	root.SetOut(tty.Out)
	root.SetErr(tty.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if l.open != nil {
		l.open.close()
	}
	if err == nil {
		return 0
	}
	l.json = l.json || wantsJSON(args)
	return l.report(cmd, err)
}

// errSilent ends a command with status 1 after it has said everything itself.
var errSilent = errors.New("said already")

func (l *line) report(cmd *cobra.Command, err error) int {
	if errors.Is(err, errSilent) {
		return 1
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(l.Err, "Stopped.")
		return 1
	}
	status, msg, kind := 1, dossier.Message(err), dossier.KindOf(err)
	if u, ok := usage(cmd, err); ok {
		status, msg, kind = 2, u.Error(), dossier.Invalid
	} else if kind == dossier.Internal {
		msg = err.Error()
	}
	if l.json {
		raw, merr := json.Marshal(struct {
			Error string       `json:"error"`
			Kind  dossier.Kind `json:"kind"`
		}{msg, kind})
		if merr == nil {
			fmt.Fprintln(l.Err, string(raw))
			return status
		}
	}
	fmt.Fprintln(l.Err, "dossier: "+strings.TrimSuffix(msg, "\n"))
	return status
}

func (l *line) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "dossier",
		Short:         "Runs agents whose decisions can be checked",
		Long:          "Dossier runs agents whose decisions can be checked: facts come in, code computes, an agent\ntalks and chooses among tools, a person decides what cannot be undone, and all of it can be proved.",
		SilenceErrors: true, SilenceUsage: true,
		SuggestionsMinimumDistance: 2,
	}
	f := root.PersistentFlags()
	f.StringVar(&l.config, "config", "", "configuration file (TOML); else $DOSSIER_CONFIG")
	f.StringVar(&l.data, "data", "", "folder for the product's files (default ~/.local/share/dossier)")
	f.BoolVar(&l.json, "json", false, "write JSON for programs")
	f.StringArrayVar(&l.sets, "set", nil, "set one setting: key=value")
	f.StringVar(&l.as, "as", "", "act as this user, with their roles, instead of as the operator")
	root.AddGroup(
		&cobra.Group{ID: "run", Title: "Running:"}, &cobra.Group{ID: "look", Title: "Looking and deciding:"},
		&cobra.Group{ID: "keep", Title: "Keeping:"}, &cobra.Group{ID: "apps", Title: "Apps:"},
	)
	for _, c := range []struct {
		group string
		cmds  []*cobra.Command
	}{
		{"run", []*cobra.Command{l.serve(), l.work(), l.demo(), l.mcp()}},
		{"look", []*cobra.Command{l.cases(), l.runs(), l.inbox(), l.ledger(), l.verify(), l.appsCmd(), l.eval()}},
		{"keep", []*cobra.Command{l.users(), l.configCmd(), l.doctor(), l.backup(), l.restore(), l.version()}},
	} {
		for _, cmd := range c.cmds {
			cmd.GroupID = c.group
			root.AddCommand(cmd)
		}
	}
	for _, a := range l.apps {
		if cmd := l.appCommand(a); cmd != nil {
			cmd.GroupID = "apps"
			root.AddCommand(cmd)
		}
	}
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, group("", "").RunE
		}
	}
	return root
}

// group returns a command that only holds others. Asked for one it does not have, it
// says so.
func group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return noSuchCommand(cmd, args[0])
		},
	}
}

// settings reads the configuration with the command line's own flags on top.
func (l *line) settings() (*settings, error) {
	sets := l.sets
	if l.data != "" {
		sets = append([]string{"data=" + l.data}, sets...)
	}
	return load(l.config, l.Env, sets, l.apps)
}

// product opens the product, once per command.
func (l *line) product(ctx context.Context) (*product, error) {
	if l.open != nil {
		return l.open, nil
	}
	s, err := l.ready()
	if err != nil {
		return nil, err
	}
	p, err := build(ctx, s, l.Env, l.logger(s), l.now, l.apps)
	if err != nil {
		return nil, err
	}
	l.open = p
	return p, nil
}

// ready returns the settings once the data folder is there.
func (l *line) ready() (*settings, error) {
	s, err := l.settings()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The folder %s cannot be made. Choose another with --data.", s.Data).Because(err)
	}
	return s, nil
}

func (l *line) logger(s *settings) *slog.Logger {
	if err := l.level.UnmarshalText([]byte(s.Log.Level)); err != nil {
		l.level.Set(slog.LevelInfo)
	}
	opts := &slog.HandlerOptions{Level: &l.level}
	if s.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(l.Err, opts))
	}
	return slog.New(slog.NewTextHandler(l.Err, opts))
}

// print writes v as JSON if asked for, and else calls text.
func (l *line) print(v any, text func(io.Writer) error) error {
	if !l.json {
		return text(l.Out)
	}
	enc := json.NewEncoder(l.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
