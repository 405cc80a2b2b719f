package report

import (
	"embed"
	"fmt"

	"dossier"
	"dossier/apps/report/files"
	"dossier/apps/report/summary"
	"dossier/internal/agent"
	"dossier/internal/app"

	"github.com/spf13/cobra"
)

// ID is the app's id.
const ID = "report"

//go:embed prompts/*.md evals/*.yaml migrations/*.sql
var content embed.FS

// App is the report app.
var App = app.Define(app.Def[Config]{
	ID:    ID,
	Title: "Report",
	Doc:   "Writes the sections of a report from an energy model's outputs, drafted, reviewed and redrafted, for energy analysts.",
	Roles: map[dossier.Role]string{
		analyst:  "Starts reports, has sections drafted and redrafted, and reads everything.",
		reviewer: "Rates drafts, comments on them and decides which sections are final.",
	},
	Files:    content,
	Default:  defaults,
	Rules:    rules,
	Commands: func(c app.CLI) []*cobra.Command { return fileWriter().Commands(c) },
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

// fileWriter tells the commands about the agent that writes.
func fileWriter() files.Writer {
	o := &office{cfg: defaults}
	return files.Writer{Name: "reference/" + writerName, Prompt: prompt("writer"), Version: o.promptVersion(), Rules: rulesVersion}
}

// prompt returns the text of an agent's prompt.
func prompt(name string) string {
	raw, err := content.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(fmt.Sprintf("prompt %s: %v", name, err))
	}
	return string(raw)
}
