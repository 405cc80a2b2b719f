package poolpatrol

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/poolpatrol/demo"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/agent"
	"dossier/internal/app/apptest"
)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, App)
}

// A programme is the app over a real store with the demo's roster.
type programme struct {
	*apptest.Bench
	*server
}

func start(t *testing.T, o apptest.Options) programme {
	t.Helper()
	b := apptest.Open(t, App, o)
	cfg := *b.App.Default().(*patrol.Config)
	p, err := patrol.New(b.Env, cfg, prompt)
	if err != nil {
		t.Fatal(err)
	}
	pr := programme{b, newServer(b.Env, p)}
	vans, err := p.Roster.Vanpools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(vans) == 0 {
		if err := p.Roster.Save(t.Context(), demo.Book(roster.DayOf(b.Clock.Now()))); err != nil {
			t.Fatal(err)
		}
	}
	return pr
}

// audited is a programme that has audited one van.
func audited(t *testing.T, van string) (programme, patrol.Look) {
	t.Helper()
	p := start(t, apptest.Options{})
	return p, p.audit(van)
}

func (p programme) audit(van string) patrol.Look {
	p.T.Helper()
	l, err := p.patrol.Audit(p.T.Context(), patrol.Order{Vanpool: van, For: p.Person("ann")})
	if err != nil {
		p.T.Fatal(err)
	}
	return l
}

// reply mails text as a rider and does what follows.
func (p programme) reply(rider, text string) string {
	p.T.Helper()
	open, err := p.patrol.Book.OpenWith(p.T.Context(), rider)
	if err != nil || len(open) == 0 {
		p.T.Fatalf("no thread with %s: %v", rider, err)
	}
	m, err := p.patrol.ReplyAs(p.T.Context(), open[0].ID, text)
	if err != nil {
		p.T.Fatal(err)
	}
	p.Settle()
	return string(m.Bucket)
}

func (p programme) status(id dossier.CaseID) patrol.Status {
	p.T.Helper()
	c, err := p.Bench.Desk.Case(p.T.Context(), id)
	if err != nil {
		p.T.Fatal(err)
	}
	return patrol.StatusOf(c)
}

func (p programme) wantStatus(id dossier.CaseID, want patrol.Status) {
	p.T.Helper()
	if got := p.status(id); got != want {
		p.T.Fatalf("case %s is %s, want %s", id, got, want)
	}
}

func (p programme) setShift(rider, shift string) {
	p.T.Helper()
	if _, err := p.Env.DB.Exec(p.T.Context(), `UPDATE poolpatrol_employees SET shift = $1 WHERE id = $2`, shift, rider); err != nil {
		p.T.Fatal(err)
	}
}

func (p programme) rides(van, rider string) bool {
	p.T.Helper()
	v, err := p.patrol.Roster.Van(p.T.Context(), van)
	if err != nil {
		p.T.Fatal(err)
	}
	_, ok := v.Rider(rider)
	return ok
}

// tools returns the names of the tools that a case's runs called, in order.
func (p programme) tools(id dossier.CaseID) []string {
	p.T.Helper()
	runs, err := p.Bench.Desk.Runs(p.T.Context(), id)
	if err != nil {
		p.T.Fatal(err)
	}
	var out []string
	for _, r := range runs {
		_, steps, err := p.Store.Load(p.T.Context(), r.ID)
		if err != nil {
			p.T.Fatal(err)
		}
		for _, s := range steps {
			var turn agent.Turn
			if s.Kind == dossier.ModelTurn && json.Unmarshal(s.Body, &turn) == nil {
				for _, c := range turn.Calls {
					out = append(out, r.Agent+":"+c.Tool)
				}
			}
		}
	}
	return out
}

func (p programme) subjects(rider string) []string {
	var out []string
	for _, m := range p.Mail.Sent() {
		if slices.Contains(m.To, "emp"+strings.TrimPrefix(rider, "EMP-")+"@example.com") {
			out = append(out, m.Subject)
		}
	}
	return out
}
