package poolpatrol

import (
	"embed"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
)

//go:embed prompts evals migrations
var files embed.FS

// App is the vanpool audit app.
var App = app.Define(app.Def[patrol.Config]{
	ID:    "poolpatrol",
	Title: "Pool Patrol",
	Doc:   "Decides whether the riders of a vanpool may share it, for the people who run a vanpool programme.",
	Roles: map[dossier.Role]string{
		patrol.Coordinator: "Runs the vanpool programme; approves answers to disputes and cancellations.",
		patrol.Inspector:   "Audits vans and reads findings.",
	},
	Files:   files,
	Default: patrol.Defaults,
	Rules: []app.Rule{
		{Name: "shift", Version: "1", Doc: "Riders share their ways to and from work with the majority shift.", Apply: engine.RecheckShifts},
		{Name: "location", Version: "1", Doc: "Riders live within the allowed miles of the pickup point.", Apply: engine.RecheckDistances},
	},
	Commands: commands,
	Build:    build,
})

func build(env app.Env, c patrol.Config) (*app.Kit, error) { return buildWith(env, c) }

// buildWith builds the app with further checks beside its own.
func buildWith(env app.Env, c patrol.Config, more ...patrol.Check) (*app.Kit, error) {
	p, err := patrol.New(env, c, prompt, more...)
	if err != nil {
		return nil, err
	}
	s := newServer(env, p)
	return &app.Kit{
		Agents:   p.Agents,
		Tools:    p.Looks,
		Triggers: p.Triggers(),
		Jobs:     p.Jobs(),
		Suites:   suites(p.Agents),
		Lessons:  teacher{env.Desk, p}.lessons,
		Routes:   s.routes,
		Demo:     s.loadDemo,
		Past:     s.loadPast,
		Views: map[string]app.View{
			engine.EmployeeShift: app.Table, engine.MajorityShift: app.Table, engine.ShiftMismatch: app.Table,
			engine.EmployeeProfile: app.Table, engine.VanpoolPickup: app.Map, engine.DistanceCheck: app.Map,
			"vanpool_roster": app.Table, "reply": app.Prose, "mail_sent": app.Prose,
			"counter_evidence": app.Prose, "membership_cancelled": app.Table,
		},
		Why: s.why.Why, Background: s.numbers.Background,
	}, nil
}

func prompt(name string) string {
	b, err := files.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err) // a missing embedded file is a build error
	}
	return string(b)
}
