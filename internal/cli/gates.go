package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/api"
	"dossier/internal/eval"
)

// A gate is the score in a suite that a model must have reached.
type gate struct {
	suite   string
	least   float64
	version string // of the suite, once the apps are there
}

// A gateList is one gate or several: gate = "shift>=0.95", or a list of such.
type gateList []string

// UnmarshalTOML implements toml.Unmarshaler.
func (g *gateList) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		text, ok := e.(string)
		if !ok {
			return dossier.Errorf(dossier.Invalid, "a gate reads like shift>=0.95, not %v", e)
		}
		*g = append(*g, text)
	}
	return nil
}

func parseGate(text string) (gate, error) {
	suite, least, ok := strings.Cut(text, ">=")
	n, err := strconv.ParseFloat(strings.TrimSpace(least), 64)
	if !ok || err != nil || n < 0 || n > 1 {
		return gate{}, dossier.Errorf(dossier.Invalid, "A gate reads like shift>=0.95, not %q.", text)
	}
	return gate{suite: strings.TrimSpace(suite), least: n}, nil
}

// setGates ties the gates of the apps' own settings to the agents that their suites
// measure, and refuses a gate that names a suite or an agent that is not there.
func (p *product) setGates() error {
	for _, id := range slices.Sorted(maps.Keys(p.appGates)) {
		for _, text := range p.appGates[id] {
			if err := p.setGate(id, text); err != nil {
				return fmt.Errorf("apps.%s.gate: %w", id, err)
			}
		}
	}
	var agents []string
	for _, a := range p.apps {
		for _, ag := range a.Kit.Agents {
			agents = append(agents, a.ID+"."+ag.Name)
		}
	}
	for name, g := range p.models.gates {
		id, short, _ := cutName(name)
		if _, ok := p.agent(id, short); !ok {
			return dossier.Errorf(dossier.Invalid, "gates.%s: there is no such agent.%s", name, nearest(name, agents))
		}
		a, s, err := p.suite(id + "/" + g.suite)
		if err != nil {
			return fmt.Errorf("gates.%s: %w", name, err)
		}
		if s.Agent != short {
			return dossier.Errorf(dossier.Invalid, "gates.%s: the suite %s does not measure this agent, but %s.", name, g.suite, cmp.Or(s.Agent, "rules alone"))
		}
		if g.version, err = eval.VersionOf(a.Files, s); err != nil {
			return fmt.Errorf("gates.%s: %w", name, err)
		}
		p.models.gates[name] = g
	}
	return nil
}

func (p *product) setGate(app, text string) error {
	g, err := parseGate(text)
	if err != nil {
		return err
	}
	_, s, err := p.suite(app + "/" + g.suite)
	if err != nil {
		return err
	}
	if s.Agent == "" {
		return dossier.Errorf(dossier.Invalid, "%s measures rules alone, so no model waits for it.", g.suite)
	}
	if _, own := p.models.gates[app+"."+s.Agent]; !own {
		p.models.gates[app+"."+s.Agent] = g
	}
	return nil
}

// suiteVersion returns the version of a suite, or "" if there is none.
func (p *product) suiteVersion(name string) string {
	a, s, err := p.suite(name)
	if err != nil {
		return ""
	}
	version, _ := eval.VersionOf(a.Files, s)
	return version
}

// gateStates says of every agent what stands before its model: a gate, or none.
func (p *product) gateStates(ctx context.Context) []api.GateState {
	out := []api.GateState{}
	for _, a := range p.apps {
		for _, ag := range a.Kit.Agents {
			out = append(out, p.gateState(ctx, a, ag))
		}
	}
	return out
}

func (p *product) gateState(ctx context.Context, a installed, ag *agent.Agent) api.GateState {
	s := p.models.standing(ctx, a.ID, ag)
	st := api.GateState{App: a.ID, Agent: ag.Name, Grade: ag.Name, Player: eval.Player{Model: s.model}.Name(), Stale: s.stale}
	if s.gate != nil {
		st.Set, st.Suite, st.Least, st.Holds, st.Checked = true, s.gate.suite, s.gate.least, s.plays, s.last != nil
		st.Note = "the reference policy stays in place: " + s.why
		if st.Checked {
			st.Mean = s.last.Reached()
			st.Note = fmt.Sprintf("%.3f of %.2f; %s", st.Mean, st.Least, st.Note)
		}
		if s.plays {
			st.Note = fmt.Sprintf("%.3f of %.2f", st.Mean, st.Least)
		}
		return st
	}
	st.Note = s.why + ": the reference policy plays"
	if s.plays {
		st.Note = s.why + " plays, and no gate stands before it"
	}
	i := slices.IndexFunc(a.Kit.Suites, func(s eval.Suite) bool { return s.Agent == ag.Name })
	if i < 0 {
		st.Note += "; no suite measures this agent"
		return st
	}
	st.Suite = a.Kit.Suites[i].Name
	last, measured, err := p.store.Measured(ctx, a.ID, st.Suite, st.Player)
	version, verr := eval.VersionOf(a.Files, a.Kit.Suites[i])
	switch {
	case err != nil || verr != nil:
		st.Note += "; what was measured could not be read"
	case !measured:
		st.Note += fmt.Sprintf("; %s was never measured in %s", st.Player, st.Suite)
	default:
		st.Checked, st.Mean, st.Stale = true, last.Reached(), last.Stale(ag.Version(), version, eval.Player{Model: s.model}.Server())
		st.Note += fmt.Sprintf("; %s last reached %.3f in %s", st.Player, st.Mean, st.Suite)
		if st.Stale != "" {
			st.Note += ", with " + st.Stale
		}
	}
	return st
}

func (l *line) evalGate() *cobra.Command {
	return &cobra.Command{
		Use: "gate", Short: "Say of every agent which model plays it, and what it must have reached", Args: cobra.NoArgs,
		Long: "A gate holds if the model reached it with the prompt, tools, suite and server that are there now.\nAgents without a gate are listed, too: nothing stands before the model that they are given.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			states := p.gateStates(cmd.Context())
			return l.print(states, func(w io.Writer) error {
				set := false
				for _, g := range states {
					word, in := "none", ""
					if g.Set {
						set, word, in = true, mark(g.Holds), " in "+g.Suite
					}
					fmt.Fprintf(w, "%-4s %s.%s%s: %s\n", word, g.App, g.Agent, in, g.Note)
				}
				if !set {
					fmt.Fprintln(w, "No gate is configured. [gates] in the configuration sets one.")
				}
				return nil
			})
		},
	}
}
