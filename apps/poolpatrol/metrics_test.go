package poolpatrol

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/agent"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
	"dossier/internal/store/storetest"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	p.audit("VP-101")
	l := p.audit("VP-105")
	p.Walk(36 * time.Hour)
	p.setShift("EMP-1021", "SH-DAY")
	p.reply("EMP-1021", "I switched to the day shift.")
	p.wantStatus(l.Case, patrol.Resolved)
	m, err := p.numbers.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.Audits != 3 || m.Vans != 2 || m.Cleared != 1 || m.HoursSaved != 1.75 || m.CostSaved != 84 {
		t.Errorf("P-002 P-003 P-174 got %+v", m)
	}
	if m.Cases != 1 || m.Resolved != 1 || m.Resolution.Median != 36 || m.Resolution.N != 1 {
		t.Errorf("P-004 P-174 got %+v", m)
	}
}

// A slow model is the reference policy, a quarter of a second later.
type slow struct {
	model.Model
	clock *storetest.Clock
}

func (s slow) Generate(ctx context.Context, req *model.Request, sink func(string)) (*model.Reply, error) {
	s.clock.Add(250 * time.Millisecond)
	r, err := s.Model.Generate(ctx, req, sink)
	if err == nil {
		r.Usage = model.Usage{In: 100, Out: 10}
	}
	return r, err
}

func TestCostAndLatency(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	p.Runner.Price = func(_ string, u model.Usage) float64 { return float64(u.In+u.Out) / 11_000 }
	p.Runner.Model = func(_ string, a *agent.Agent) model.Model {
		return slow{model.Reference(a.Name, a.Policy), p.Clock}
	}
	clean := p.audit("VP-101") // case manager 2 turns, each specialist 2
	l := p.audit("VP-110")
	p.Walk(8 * 24 * time.Hour)
	p.Decide(p.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve})
	p.wantStatus(l.Case, patrol.Cancelled)
	turns := map[dossier.CaseID]int{}
	for _, id := range []dossier.CaseID{clean.Case, l.Case} {
		runs, err := p.Bench.Desk.Runs(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			_, steps, err := p.Store.Load(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range steps {
				if s.Kind == dossier.ModelTurn {
					turns[id]++
				}
			}
		}
	}
	page, err := p.casePage(t.Context(), l.Case)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("P-177 a case page shows what the case took, after the decision too", func(t *testing.T) {
		n := turns[l.Case] // specialists that think at the same time share the clock, so the time is no less
		if n < 10 || page.Spent.Turns != n || page.Spent.TokensIn != 100*n || page.Spent.TokensOut != 10*n ||
			!near(page.Spent.Cost, 0.01*float64(n)) || page.Spent.BusyMs < 250*float64(n) {
			t.Errorf("got %+v for %d turns", page.Spent, n)
		}
	})
	t.Run("P-177 the programme's numbers", func(t *testing.T) {
		m, err := p.numbers.Metrics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, n := float64(turns[l.Case]+turns[clean.Case]), float64(turns[l.Case])
		if turns[clean.Case] != 6 || !near(m.Cost, 0.01*all) || m.Tokens != 110*int(all) || !near(m.AuditCost, 0.01*all/float64(m.Audits)) {
			t.Errorf("got cost %v, %v per audit of %d, %d tokens for %v turns", m.Cost, m.AuditCost, m.Audits, m.Tokens, all)
		}
		if m.CaseCost.N != 1 || !near(m.CaseCost.Mean, 0.01*n) || !near(m.CaseTime.P90, page.Spent.BusyMs/1000) {
			t.Errorf("got per case %+v and %+v for %v turns", m.CaseCost, m.CaseTime, n)
		}
		var out strings.Builder
		if err := printMetrics(&out, m); err != nil || !strings.Contains(out.String(), fmt.Sprintf("Cost                           %.4f in all", m.Cost)) {
			t.Errorf("printed\n%s%v", out.String(), err)
		}
	})
}

func near(got, want float64) bool { return got-want < 1e-9 && want-got < 1e-9 }

func TestBackground(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	propose := func(van string) dossier.Approval {
		t.Helper()
		if _, err := p.patrol.Audit(t.Context(), patrol.Order{Vanpool: van, For: p.Person("ann"), Straight: true}); err != nil || len(p.Pending()) != 1 {
			t.Fatalf("%d questions, %v", len(p.Pending()), err)
		}
		return p.Pending()[0]
	}
	told := func(a dossier.Approval, who string) map[string]string {
		t.Helper()
		out := map[string]string{}
		for _, b := range p.Kit.Tell(t.Context(), p.Env.Log, a, p.Person(who)) {
			out[b.Label] = b.Value
			if b.How == "" || b.Link != "/apps/poolpatrol#reversals" {
				t.Errorf("%s does not say how it is computed: %+v", b.Label, b)
			}
		}
		return out
	}
	first := propose("VP-110")
	t.Run("P-005 nothing is on record yet", func(t *testing.T) {
		got := told(first, "ann")
		if len(got) != 4 || got["All cancellations"] != "none carried out yet" || got["After the shift check"] != "none carried out yet" {
			t.Errorf("got %v", got)
		}
	})
	p.Decide(first.ID, dossier.Decision{Verb: dossier.Approve, By: p.Person("ann")})
	if err := p.server.reinstate(t.Context(), p.Person("cora"), "VP-110", "EMP-1046"); err != nil {
		t.Fatal(err)
	}
	p.Decide(propose("VP-102").ID, dossier.Decision{Verb: dossier.Reject, Note: "No.", By: p.Person("bob")})
	t.Run("P-005 by rule, model and approver at the moment of deciding", func(t *testing.T) {
		a := propose("VP-103") // a matter of location, and nobody was cancelled for that
		want := map[string]string{
			"All cancellations":                 "1 of 1 undone (100 %); 1 of 2 proposals rejected",
			"After the location check":          "none carried out yet",
			"Proposed by reference/casemanager": "1 of 1 undone (100 %); 1 of 2 proposals rejected",
			"Decided by you":                    "1 of 1 undone (100 %); 0 of 1 proposals rejected",
		}
		if got := told(a, "ann"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := told(a, "bob")["Decided by you"]; got != "none carried out yet; 1 of 1 proposals rejected" {
			t.Errorf("bob is told %q", got)
		}
		if got := told(first, "ann")["After the shift check"]; got != "1 of 1 undone (100 %); 1 of 2 proposals rejected" {
			t.Errorf("the shift check: %q", got)
		}
	})
	t.Run("other questions have none", func(t *testing.T) {
		if got := p.Kit.Tell(t.Context(), p.Env.Log, dossier.Approval{Tool: "send_email_for_review"}, p.Person("ann")); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})
}

func TestWeeklyAudit(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	if err := p.Fire(t.Context(), "audit", nil); err != nil {
		t.Fatal(err)
	}
	p.Settle()
	m, err := p.numbers.Metrics(t.Context())
	if err != nil || m.Audits != 16 || m.Cleared != 5 {
		t.Errorf("P-001 got %d audits, %d verified %v, want 16 and 5", m.Audits, m.Cleared, err)
	}
}
