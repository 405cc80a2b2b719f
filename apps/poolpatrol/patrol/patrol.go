// Package patrol takes the case of a vanpool from the first look to its outcome.
//
// A [Patrol] has the case manager and the outreach agent, the tools they use, and what
// is due: audits, replies, silence, reminders. Agents decide nothing that a rule or a
// person should: the tools compare what a model says with the findings and refuse what
// does not follow from them. Everything that waits is a row.
//
// The package knows nothing of HTTP or the command line; the app's own package puts
// those around it.
package patrol

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/tool"
)

// The roles of the app.
const (
	Coordinator dossier.Role = "coordinator"
	Inspector   dossier.Role = "inspector"
)

var (
	// Staff may audit vans and open cases.
	Staff = []dossier.Role{Coordinator, Inspector}
	// Readers may look at vans, cases and figures.
	Readers = []dossier.Role{Coordinator, Inspector, dossier.Admin, dossier.Auditor}
)

// A Patrol is the app at work: its settings, its records and what it may reach.
type Patrol struct {
	Config Config
	Roster roster.Rows
	Book   casebook.Book
	Agents []*agent.Agent // the case manager first
	Looks  []tool.Tool    // of the specialists: they look at a van and change nothing

	env    app.Env
	prompt func(agent string) string
}

// A Check makes a specialist beside the app's own two.
type Check func(verify.Specialists) *agent.Agent

// New returns a patrol. The case manager calls every specialist it is given and knows
// them only by the contract they share, so more of them need nothing else.
func New(env app.Env, c Config, prompt func(agent string) string, more ...Check) (*Patrol, error) {
	p := &Patrol{Config: c, Roster: roster.Rows{DB: env.DB}, Book: casebook.Book{DB: env.DB}, env: env, prompt: prompt}
	with := verify.Specialists{Roster: p.Roster, Shifts: c.ShiftParams(), MaxMiles: c.MaxMiles, Roles: Staff, Prompt: prompt, Case: env.Desk.Case}
	switch c.Routing {
	case "osrm":
		with.Route = verify.OSRM(env.HTTP, c.RouteURL)
	case "google":
		key, err := env.Secret(c.RouteKey)
		if err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "routing is google, so route_key must say where its key is.").Because(err)
		}
		with.Route = verify.GoogleRoutes(env.HTTP, c.RouteURL, key)
	}
	checks := []*agent.Agent{with.Shift(), with.Location()}
	for _, add := range more {
		checks = append(checks, add(with))
	}
	for _, c := range checks {
		p.Looks = append(p.Looks, c.Tools...)
	}
	outreach := p.outreachAgent()
	p.Agents = append([]*agent.Agent{p.caseManager(checks, outreach), outreach}, checks...)
	return p, nil
}

// KnowsChecks refuses names that no specialist answers to.
func (p *Patrol) KnowsChecks(names []string) error {
	var there []string
	for _, a := range p.Agents {
		if strings.HasSuffix(a.ToolName, "_specialist") {
			there = append(there, a.Name)
		}
	}
	for _, n := range names {
		if !slices.Contains(there, n) {
			return dossier.Errorf(dossier.Invalid, "There is no check %q; there are %s.", n, strings.Join(there, " and "))
		}
	}
	return nil
}

// Triggers are what starts work unasked.
func (p *Patrol) Triggers() []app.Trigger {
	out := []app.Trigger{{
		Name: "audit", Doc: "Audits every vanpool.", Cron: p.Config.Schedule, On: "poolpatrol.audit",
		Run: func(ctx context.Context, _ json.RawMessage) error {
			_, err := p.AuditAll(ctx)
			return err
		},
	}}
	if p.Config.IMAP.Host != "" {
		out = append(out, app.Trigger{
			Name: "mailbox", Doc: "Fetches replies from the mailbox.", Cron: p.Config.IMAP.Every,
			Run: func(ctx context.Context, _ json.RawMessage) error { return p.fetchMail(ctx) },
		})
	}
	return out
}

// Subject returns what a case about a van is about.
func Subject(vanpool string) string { return "vanpool/" + vanpool }
