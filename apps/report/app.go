package report

import (
	"embed"

	"dossier"
	"dossier/apps/report/files"
	"dossier/apps/report/summary"
	"dossier/apps/report/writer"
	"dossier/internal/agent"
	"dossier/internal/app"

	"github.com/spf13/cobra"
)

// ID is the app's id.
const ID = "report"

//go:embed evals/*.yaml migrations/*.sql
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
	Rules:    writer.Rules,
	Commands: func(c app.CLI) []*cobra.Command { return fileWriter().Commands(c) },
	Build:    build,
})

func build(env app.Env, cfg Config) (*app.Kit, error) {
	o := newOffice(env, cfg)
	return &app.Kit{
		Agents:  []*agent.Agent{o.writer()},
		Tools:   o.desk().Looks(),
		Suites:  o.suites(),
		Lessons: o.lessons,
		Routes:  o.routes,
		Demo:    o.demo,
		Views:   map[string]app.View{summary.EvidenceKind: app.Table, writer.KindDraft: app.Prose},
	}, nil
}

// fileWriter tells the commands about the agent that writes.
func fileWriter() files.Writer {
	o := &office{cfg: defaults}
	return files.Writer{Version: o.promptVersion(), Model: func(c app.CLI) string {
		if cfg, err := c.Config(); err == nil {
			return cfg.(*Config).Model
		}
		return defaults.Model
	}}
}
