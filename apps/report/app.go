package report

import (
	"embed"
	"fmt"

	"dossier"
	"dossier/apps/report/summary"
	"dossier/internal/agent"
	"dossier/internal/app"
)

// ID is the app's id.
const ID = "report"

//go:embed prompts/*.md evals/*.yaml migrations/*.sql
var files embed.FS

// App is the report app.
var App = app.Define(app.Def[Config]{
	ID:    ID,
	Title: "Report",
	Doc:   "Writes the sections of a report from an energy model's outputs, drafted, reviewed and redrafted, for energy analysts.",
	Roles: map[dossier.Role]string{
		analyst:  "Starts reports, has sections drafted and redrafted, and reads everything.",
		reviewer: "Rates drafts, comments on them and decides which sections are final.",
	},
	Files:    files,
	Default:  defaults,
	Rules:    rules,
	Commands: commands,
	Build:    build,
})

func build(env app.Env, cfg Config) (*app.Kit, error) {
	o := newOffice(env, cfg)
	return &app.Kit{
		Agents: []*agent.Agent{o.writer()},
		Tools:  o.looks(),
		Rules:  rules,
		Suites: suites(),
		Routes: o.routes,
		Demo:   o.demo,
		Views:  map[string]app.View{summary.EvidenceKind: app.Table, kindDraft: app.Prose},
	}, nil
}

// prompt returns the text of an agent's prompt.
func prompt(name string) string {
	raw, err := files.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(fmt.Sprintf("prompt %s: %v", name, err))
	}
	return string(raw)
}
