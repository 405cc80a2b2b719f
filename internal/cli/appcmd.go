package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"
	"dossier/internal/tool"
)

// appCommand returns `dossier <id>` with the app's own commands, or nil if it has
// none. The commands are declared by a kit made without records, so that those which
// work on files alone need no database.
func (l *line) appCommand(a app.App) *cobra.Command {
	if a.Commands == nil {
		return nil
	}
	cmd := group(a.ID, a.Title+": "+a.Doc)
	cmd.AddCommand(a.Commands(&appCLI{line: l, app: a})...)
	return cmd
}

// An appCLI is what an app's commands may use of a command line.
type appCLI struct {
	*line
	app app.App
	who *dossier.Principal // whom --as names, once the records are open
}

var _ app.CLI = (*appCLI)(nil)

// In implements app.CLI.
func (c *appCLI) In() io.Reader { return c.Terminal.In }

// Out implements app.CLI.
func (c *appCLI) Out() io.Writer { return c.Terminal.Out }

// Err implements app.CLI.
func (c *appCLI) Err() io.Writer { return c.Terminal.Err }

// Now implements app.CLI.
func (c *appCLI) Now() time.Time { return c.now() }

// JSON implements app.CLI.
func (c *appCLI) JSON() bool { return c.json }

// Print implements app.CLI.
func (c *appCLI) Print(v any, text func(io.Writer) error) error { return c.print(v, text) }

// Open implements app.CLI.
func (c *appCLI) Open(ctx context.Context) (*app.Kit, app.Env, error) {
	p, err := c.product(ctx)
	if err != nil {
		return nil, app.Env{}, err
	}
	if c.as != "" {
		who, err := c.principal(ctx, p)
		if err != nil {
			return nil, app.Env{}, err
		}
		if !who.HasAny(append(slices.Collect(maps.Keys(c.app.Roles)), dossier.Admin)) {
			return nil, app.Env{}, dossier.Errorf(dossier.Forbidden, "%s holds no role of %s. \"dossier users roles\" gives one.", who.Name, c.app.Title)
		}
		c.who = &who
	}
	a, _ := p.app(c.app.ID)
	return a.Kit, a.Env, nil
}

// Config implements app.CLI.
func (c *appCLI) Config() (app.Config, error) {
	s, err := c.settings()
	if err != nil {
		return nil, err
	}
	return s.apps[c.app.ID], nil
}

// Stage implements app.CLI.
func (c *appCLI) Stage(ctx context.Context, a *agent.Agent, alias string) (eval.Stage, eval.Player, error) {
	s, err := c.settings()
	if err != nil {
		return eval.Stage{}, eval.Player{}, err
	}
	m, err := newModels(ctx, s, c.Env, nil)
	if err != nil {
		return eval.Stage{}, eval.Player{}, err
	}
	st := eval.Stage{App: c.app.ID, Agents: []*agent.Agent{a}, Now: c.now(), Price: m.price}
	if alias != "" {
		p, err := m.player(alias)
		return st, p, err
	}
	if _, gated := m.gates[c.app.ID+"."+a.Name]; gated || len(s.appGates[c.app.ID]) > 0 {
		p, err := c.product(ctx)
		if err != nil {
			return st, eval.Player{}, err
		}
		m = p.models
		if own, ok := p.agent(c.app.ID, a.Name); ok {
			a = own // what was measured is the product's agent
		}
	}
	mod, why := m.choose(ctx, c.app.ID, a)
	if mod == nil {
		if len(m.byAlias) > 0 {
			fmt.Fprintf(c.Terminal.Err, "The reference policy plays %s: %s.\n", a.Name, why)
		}
		return st, eval.Player{}, nil
	}
	return st, eval.Player{Alias: a.Model, Model: mod}, nil
}

// As implements app.CLI.
func (c *appCLI) As() dossier.Principal {
	if c.who != nil {
		return *c.who
	}
	return c.operator(c.app)
}

// operator is who sits at the keyboard: whoever can read the product's files holds
// every role of the app they work with.
func (l *line) operator(apps ...app.App) dossier.Principal {
	name := l.Env("USER")
	if name == "" {
		name = "operator"
	}
	p := dossier.Principal{ID: "operator", Name: name, Roles: []dossier.Role{dossier.Admin}}
	for _, a := range apps {
		p.Roles = append(p.Roles, slices.Sorted(maps.Keys(a.Roles))...)
	}
	return p
}

// principal is who the command acts for: the user named by --as, or the operator.
func (l *line) principal(ctx context.Context, p *product) (dossier.Principal, error) {
	if l.as == "" {
		return l.operator(l.apps...), nil
	}
	u, err := p.store.UserByName(ctx, l.as)
	if err != nil {
		return dossier.Principal{}, err
	}
	return dossier.Principal{ID: u.ID, Name: u.Label(), Roles: u.Roles}, nil
}

func (l *line) appsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "apps",
		Short: "List the apps with their roles, agents, tools and triggers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			var out []appLine
			for _, a := range p.apps {
				out = append(out, describe(a))
			}
			return l.print(out, func(w io.Writer) error {
				for _, a := range out {
					fmt.Fprintf(w, "%s  %s\n  %s\n", a.ID, a.Title, a.Doc)
					tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
					for _, r := range slices.Sorted(maps.Keys(a.Roles)) {
						fmt.Fprintf(tw, "  role\t%s\t%s\n", r, a.Roles[r])
					}
					for _, ag := range a.Agents {
						fmt.Fprintf(tw, "  agent\t%s\t%s\n", ag.Name, ag.Played)
					}
					for _, t := range a.Tools {
						fmt.Fprintf(tw, "  tool\t%s\t%s\n", t.Name, t.Effect)
					}
					for _, t := range a.Triggers {
						fmt.Fprintf(tw, "  trigger\t%s\t%s\n", t.Name, t.When)
					}
					if err := tw.Flush(); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

// An appLine is an app as `dossier apps` shows it.
type appLine struct {
	ID       string                  `json:"id"`
	Title    string                  `json:"title"`
	Doc      string                  `json:"doc"`
	Roles    map[dossier.Role]string `json:"roles"`
	Agents   []agentLine             `json:"agents"`
	Tools    []toolLine              `json:"tools"`
	Triggers []triggerLine           `json:"triggers"`
}

type agentLine struct {
	Name   string `json:"name"`
	Played string `json:"played_by"`
}

type toolLine struct {
	Name   string         `json:"name"`
	Effect string         `json:"effect"`
	Roles  []dossier.Role `json:"roles"`
	Input  tool.Schema    `json:"input"`
}

type triggerLine struct {
	Name string `json:"name"`
	When string `json:"when"`
}

func describe(a installed) appLine {
	out := appLine{ID: a.ID, Title: a.Title, Doc: a.Doc, Roles: a.Roles, Agents: []agentLine{}, Tools: []toolLine{}, Triggers: []triggerLine{}}
	seen := map[string]bool{}
	add := func(t tool.Tool) {
		if !seen[t.Name] {
			seen[t.Name] = true
			out.Tools = append(out.Tools, toolLine{t.Name, t.Effect.String(), t.Roles, t.Input})
		}
	}
	for _, ag := range a.Kit.Agents {
		out.Agents = append(out.Agents, agentLine{ag.Name, ag.Doc})
		for _, t := range ag.Tools {
			add(t)
		}
	}
	for _, t := range a.Kit.Tools {
		add(t)
	}
	for _, t := range a.Kit.Triggers {
		when := t.Cron
		if t.On != "" {
			when += " on " + t.On
		}
		out.Triggers = append(out.Triggers, triggerLine{t.Name, when})
	}
	return out
}
