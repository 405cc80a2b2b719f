package cli

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/model/provider"
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
	name := app + "." + a.Name
	alias := a.Model
	if own, ok := m.agents[name]; ok {
		alias = own
	}
	mod, ok := m.byAlias[alias]
	if !ok {
		return nil, "no model is configured as " + strconv.Quote(alias)
	}
	g, ok := m.gates[name]
	if !ok {
		return mod, mod.Name()
	}
	got, measured, err := m.store.Reached(ctx, app, g.suite, mod.Name())
	switch {
	case err != nil:
		return nil, mod.Name() + " waits: its score could not be read"
	case !measured:
		return nil, fmt.Sprintf("%s waits: it was never measured in %s; it needs %.2f", mod.Name(), g.suite, g.least)
	case got < g.least:
		return nil, fmt.Sprintf("%s waits: it reached %.3f in %s; it needs %.2f", mod.Name(), got, g.suite, g.least)
	}
	return mod, fmt.Sprintf("%s, which reached %.3f in %s", mod.Name(), got, g.suite)
}

func (m *models) price(name string, u model.Usage) float64 {
	p, ok := m.prices[name]
	if !ok {
		return 0
	}
	fresh := u.In - u.Cached
	return (float64(fresh)*p.In + float64(u.Cached)*p.Cached + float64(u.Out)*p.Out) / 1e6
}
