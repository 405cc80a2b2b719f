package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dossier"
)

// A gate is the score in a suite that a model must have reached.
type gate struct {
	suite string
	least float64
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
	return gate{strings.TrimSpace(suite), n}, nil
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
		id, agent, _ := cutName(name)
		if _, ok := p.agent(id, agent); !ok {
			return dossier.Errorf(dossier.Invalid, "gates.%s: there is no such agent.%s", name, nearest(name, agents))
		}
		if _, _, err := p.suite(id + "/" + g.suite); err != nil {
			return fmt.Errorf("gates.%s: %w", name, err)
		}
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
