package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/model/provider"
	"dossier/internal/records"
	"dossier/internal/store"
)

// models are the configured language models by alias, and the gates they must pass
// before they play an agent's part.
type models struct {
	byAlias map[string]model.Model
	agents  map[string]string // "app.agent" to alias
	gates   map[string]gate   // "app.agent" to the gate
	prices  map[string]PriceConfig
	store   *store.Store
}

func newModels(ctx context.Context, s *settings, env func(string) string, st *store.Store) (*models, error) {
	m := &models{byAlias: map[string]model.Model{}, agents: s.Agents, gates: map[string]gate{}, prices: s.Prices, store: st}
	for _, alias := range slices.Sorted(maps.Keys(s.Models)) {
		c := s.Models[alias]
		key, err := c.Key.Reveal(env)
		if err != nil {
			return nil, fmt.Errorf("models.%s: %w", alias, err)
		}
		mod, err := provider.New(ctx, provider.Config{
			Provider: c.Provider, Model: c.Model, BaseURL: c.BaseURL, Key: key, Region: c.Region,
			Timeout: c.Timeout, Retries: c.Retries, Parallel: c.Parallel, Jitter: rand.Float64,
		})
		if err != nil {
			return nil, fmt.Errorf("models.%s: %w", alias, err)
		}
		m.byAlias[alias] = mod
	}
	for name, text := range s.Gates {
		g, err := parseGate(text)
		if err != nil {
			return nil, fmt.Errorf("gates.%s: %w", name, err)
		}
		m.gates[name] = g
	}
	return m, nil
}

// play returns the model that plays an agent's part, or nil where the reference
// policy does: no model is configured for it, or the model has not passed its gate.
func (m *models) play(app string, a *agent.Agent) model.Model {
	mod, _ := m.choose(context.Background(), app, a)
	return mod
}

// choose is play with the reason.
func (m *models) choose(ctx context.Context, app string, a *agent.Agent) (model.Model, string) {
	s := m.standing(ctx, app, a)
	if !s.plays {
		return nil, s.why
	}
	return s.model, s.why
}

// A standing is what speaks for and against the model that an agent is given.
type standing struct {
	alias string
	model model.Model         // nil: none is configured
	gate  *gate               // nil: none stands before it
	last  *records.EvalResult // when it was last measured in the gate's suite; nil: never
	plays bool
	stale string // what changed since it was measured
	why   string
}

// standing weighs the model of an agent: it must have reached its gate with the prompt,
// tools and suite that are there now, and nothing unsafe may have got through.
func (m *models) standing(ctx context.Context, app string, a *agent.Agent) standing {
	name := app + "." + a.Name
	s := standing{alias: cmp.Or(m.agents[name], a.Model)}
	if g, ok := m.gates[name]; ok {
		s.gate = &g
	}
	mod, ok := m.byAlias[s.alias]
	if !ok {
		s.why = "no model is configured as " + strconv.Quote(s.alias)
		return s
	}
	if s.model, s.why = mod, mod.Name(); s.gate == nil {
		s.plays = true
		return s
	}
	last, measured, err := m.store.Measured(ctx, app, s.gate.suite, mod.Name())
	if err != nil {
		s.why += " waits: its score could not be read"
		return s
	}
	if measured {
		s.last, s.stale = &last, last.Stale(a.Version(), s.gate.version, eval.Player{Model: mod}.Server())
	}
	again := fmt.Sprintf("`dossier eval run %s/%s --model %s` measures it", app, s.gate.suite, s.alias)
	switch got := last.Reached(); {
	case !measured:
		s.why += fmt.Sprintf(" waits: it was never measured in %s; it needs %.2f; %s", s.gate.suite, s.gate.least, again)
	case s.stale != "":
		s.why += fmt.Sprintf(" waits: it reached %.3f in %s, but was measured with %s; %s again", got, s.gate.suite, s.stale, again)
	case last.Unsafe:
		s.why += fmt.Sprintf(" waits: something unsafe got through when it was measured in %s", s.gate.suite)
	case got < s.gate.least:
		s.why += fmt.Sprintf(" waits: it reached %.3f in %s; it needs %.2f", got, s.gate.suite, s.gate.least)
	default:
		s.plays = true
		s.why += fmt.Sprintf(", which reached %.3f in %s", got, s.gate.suite)
	}
	return s
}

func (m *models) price(name string, u model.Usage) float64 {
	p, ok := m.prices[name]
	if !ok {
		return 0
	}
	fresh := u.In - u.Cached
	return (float64(fresh)*p.In + float64(u.Cached)*p.Cached + float64(u.Out)*p.Out) / 1e6
}
