package app

import (
	"fmt"
	"maps"
	"slices"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/tool"
)

// validate reports the first thing in k that a programmer must mend before the
// product can start.
func (k *Kit) validate(a App) error {
	v := validator{app: a, tools: map[string]bool{}, agents: map[string]bool{}}
	for _, t := range k.Tools {
		if err := v.tool("app", t); err != nil {
			return err
		}
	}
	for _, ag := range k.Agents {
		if err := v.agent(ag); err != nil {
			return err
		}
	}
	rules := map[string]bool{}
	for _, r := range a.Rules {
		name := r.Name + "@" + r.Version
		if r.Name == "" || r.Version == "" || r.Apply == nil || rules[name] {
			return fmt.Errorf("app %s: rule %s: name, version and Apply are required, once each", a.ID, name)
		}
		rules[name] = true
	}
	for _, tr := range k.Triggers {
		if tr.Name == "" || tr.Run == nil || tr.Cron == "" && tr.On == "" {
			return fmt.Errorf("app %s: trigger %q needs a name, a Run and a Cron or an On", a.ID, tr.Name)
		}
	}
	for _, s := range k.Suites {
		if s.Agent != "" && !v.agents[s.Agent] {
			return fmt.Errorf("app %s: suite %s names an agent %q that does not exist", a.ID, s.Name, s.Agent)
		}
	}
	return nil
}

type validator struct {
	app    App
	tools  map[string]bool // per agent
	agents map[string]bool
}

func (v validator) agent(ag *agent.Agent) error {
	if err := ag.Validate(); err != nil {
		return fmt.Errorf("app %s: %w", v.app.ID, err)
	}
	if v.agents[ag.Name] {
		return fmt.Errorf("app %s: agent %s is declared twice", v.app.ID, ag.Name)
	}
	v.agents[ag.Name] = true
	for _, t := range ag.Tools {
		if err := v.tool("agent "+ag.Name, t); err != nil {
			return err
		}
	}
	return nil
}

func (v validator) tool(owner string, t tool.Tool) error {
	if owner == "app" {
		if v.tools[t.Name] {
			return fmt.Errorf("app %s: tool %s is declared twice", v.app.ID, t.Name)
		}
		v.tools[t.Name] = true
	}
	for _, r := range slices.Concat(t.Roles, t.Policy.Approvers, t.Policy.Escalate) {
		if _, ok := v.app.Roles[r]; !ok && r != dossier.Admin {
			return fmt.Errorf("app %s: tool %s: role %q is not declared; the app has %v",
				v.app.ID, t.Name, r, slices.Sorted(maps.Keys(v.app.Roles)))
		}
	}
	if t.Effect == tool.Act && len(t.Approvers()) == 0 {
		return fmt.Errorf("app %s: tool %s: an act needs a role that may approve it", v.app.ID, t.Name)
	}
	return nil
}

// Tool finds a tool of the app by name, among its own and its agents'.
func (k *Kit) Tool(name string) (tool.Tool, bool) {
	for _, t := range k.Tools {
		if t.Name == name {
			return t, true
		}
	}
	for _, a := range k.Agents {
		for _, t := range a.Tools {
			if t.Name == name {
				return t, true
			}
		}
	}
	return tool.Tool{}, false
}
