package netra

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/sight"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"
	"dossier/internal/tool"
)

// ID is the app's id.
const ID = "netra"

//go:embed prompts/*.md evals/*.yaml migrations/*.sql
var files embed.FS

// App is the district risk app.
var App = app.Define(app.Def[Config]{
	ID:    ID,
	Title: "Netra",
	Doc:   "Scores the risk of districts from published reports, explains it and watches for change, for district administrations.",
	Roles: map[dossier.Role]string{
		officer: "Reads scores, ingests reports, reviews scores and proposes weights.",
		senior:  "Acknowledges scores of 75 and above and decides about proposed weights.",
	},
	Files:    files,
	Default:  defaults,
	Rules:    sight.Rules,
	Commands: commands,
	Redact:   ingest.Clean,
	Build:    build,
})

func build(env app.Env, cfg Config) (*app.Kit, error) {
	o := newOffice(env, cfg)
	return &app.Kit{
		Agents:   []*agent.Agent{o.analyst(), o.explainer(), o.weigher(), o.classifier()},
		Tools:    []tool.Tool{o.scoreDistrict(), o.districtHistory()},
		Triggers: o.triggers(),
		Jobs:     map[string]app.Job{jobMail: o.mail, jobClassify: o.classify, jobDemo: o.demoArrival},
		Suites:   []eval.Suite{o.suite()},
		Lessons:  o.lessons,
		Routes:   o.routes,
		Demo:     o.demo,
		Views:    map[string]app.View{sight.Kind: app.Table, "score_history": app.Chart, "back_test": app.JSON},
	}, nil
}

func (o *office) triggers() []app.Trigger {
	none := func(work func(context.Context) error) func(context.Context, json.RawMessage) error {
		return func(ctx context.Context, _ json.RawMessage) error { return work(ctx) }
	}
	list := []app.Trigger{
		{Name: "score", Doc: "Scores every district and follows up on crossings.", Cron: o.cfg.ScoreCron, On: "netra.score", Run: none(o.scoreAll)},
		{Name: "retention", Doc: "Removes signals past their time and records the proof.", Cron: o.cfg.RetainCron, On: "netra.retention",
			Run: none(func(ctx context.Context) error { _, err := o.forget(ctx); return err })},
	}
	if len(o.cfg.Feeds) > 0 {
		list = append(list, app.Trigger{Name: "feeds", Doc: "Reads the configured feeds.", Cron: o.cfg.FeedCron, On: "netra.feeds", Run: none(o.pollFeeds)})
	}
	return list
}

// prompt returns the text of an agent's prompt.
func prompt(name string) string {
	raw, err := files.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(fmt.Sprintf("prompt %s: %v", name, err))
	}
	return string(raw)
}
