package apptest

import (
	"io/fs"
	"testing"

	"dossier/internal/agent"
	"dossier/internal/app"
)

// Run holds the checks that every app must pass: it builds, its agents have prompts
// and policies, its suites have files, its rules are named, and its demo data loads
// twice without harm.
func Run(t *testing.T, a app.App) {
	t.Helper()
	b := Open(t, a, Options{})
	var check func(*agent.Agent)
	check = func(ag *agent.Agent) {
		if ag.Prompt == "" || ag.Policy == nil {
			t.Errorf("agent %s: needs a prompt and a reference policy", ag.Name)
		}
		if ag.Model == "" {
			t.Errorf("agent %s: needs a model alias", ag.Name)
		}
		for _, s := range ag.Specialists {
			check(s)
		}
	}
	for _, ag := range b.Kit.Agents {
		check(ag)
	}
	for _, s := range b.Kit.Suites {
		if _, err := fs.Stat(a.Files, s.File); err != nil {
			t.Errorf("suite %s: %v", s.Name, err)
		}
	}
	for kind, v := range b.Kit.Views {
		switch v {
		case app.Table, app.Chart, app.Map, app.Picture, app.Prose, app.JSON:
		default:
			t.Errorf("evidence %s: there is no view %q", kind, v)
		}
	}
	if b.Kit.Demo == nil {
		t.Error("the app has no demo data")
		return
	}
	for range 2 {
		if err := b.Kit.Demo(t.Context()); err != nil {
			t.Fatalf("demo data: %v", err)
		}
	}
}
