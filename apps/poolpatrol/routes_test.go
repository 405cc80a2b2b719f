package poolpatrol

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/vans"
	"dossier/internal/app/apptest"
)

// as lets p be used by somebody with these roles alone.
func (p programme) as(roles ...dossier.Role) programme {
	p.As = p.Person("someone", roles...)
	return p
}

func (p programme) want(status int, method, path string, body, out any) {
	p.T.Helper()
	if got, answer := p.Call(method, base+path, body, out); got != status {
		p.T.Fatalf("%s %s answered %d, want %d: %s", method, path, got, status, answer)
	}
}

func TestRoutesOfVans(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{}).as(patrol.Coordinator)
	var clean, look patrol.Look
	p.want(200, http.MethodPost, "/vans/VP-101/audit", "{}", &clean)
	p.want(200, http.MethodPost, "/vans/VP-102/audit", "{}", &look)
	if clean.Vanpool != "VP-101" || clean.Outcome != "verified" || look.Vanpool != "VP-102" || look.Status != patrol.PendingReply || look.Failed[0] != "shift" {
		t.Errorf("audits: %+v and %+v", clean, look)
	}
	t.Run("P-024 P-167 a second look at one check", func(t *testing.T) {
		before := len(p.tools(look.Case))
		p.Clock.Add(time.Minute)
		var again patrol.Look
		p.want(200, http.MethodPost, "/vans/VP-102/audit", `{"again":true,"checks":["shift"]}`, &again)
		got := strings.Join(p.tools(look.Case)[before:], " ")
		if again.Case != look.Case || !strings.Contains(got, "run_shift_specialist") || strings.Contains(got, "run_location_specialist") {
			t.Errorf("%+v by %s", again, got)
		}
	})
	p.want(404, http.MethodPost, "/vans/VP-999/audit", "{}", nil)
	var list []vans.Line
	p.want(200, http.MethodGet, "/vans", nil, &list)
	if len(list) != 16 || list[0].Last != "verified" || list[0].Case != "" || list[1].Case != string(look.Case) || list[1].Riders != 5 {
		t.Errorf("P-171 vans: %+v", list[:2])
	}
	t.Run("P-171 vans are found by text or by an open case, page by page", func(t *testing.T) {
		for _, c := range []struct{ query, want string }{
			{"q=vp-11", "VP-110 VP-111 VP-112 VP-113 VP-114 VP-115 VP-116"},
			{"q=vp-11&limit=2&after=VP-111", "VP-112 VP-113"},
			{"q=great+mall", "VP-103 VP-107 VP-111 VP-115"},
			{"q=%25", ""}, {"q=VP_1", ""},
			{"flagged=true", "VP-102"}, {"flagged=true&q=VP-101", ""}, {"flagged=true&after=VP-102", ""},
		} {
			var page []vans.Line
			p.want(200, http.MethodGet, "/vans?"+c.query, nil, &page)
			var ids []string
			for _, v := range page {
				ids = append(ids, v.Vanpool)
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("%s: got %s, want %s", c.query, got, c.want)
			}
		}
	})
	t.Run("P-149 P-150 a van shows riders, week and homes, also by ZIP code", func(t *testing.T) {
		var v vanPage
		p.want(200, http.MethodGet, "/vans/VP-103", nil, &v)
		la := v.Riders[0]
		if la.Employee != "EMP-1011" || !la.ByZIP || la.Home == nil || la.Home.Lat != 34.079 || v.Riders[1].ByZIP || v.Pickup.Lat != 37.428 || len(la.Week) != 5 || la.Week[0] != (stretch{7 * 60, 15*60 + 30}) {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("P-151 a night that began before Monday is in the week, and so is one that ends after it", func(t *testing.T) {
		var v vanPage
		p.want(200, http.MethodGet, "/vans/VP-102", nil, &v)
		if w := v.Riders[0].Week; len(w) != 6 || w[0] != (stretch{-2 * 60, 6*60 + 30}) || w[5] != (stretch{(6*24 + 22) * 60, (7*24+6)*60 + 30}) {
			t.Errorf("got %+v", w)
		}
	})
	var due counted
	p.want(200, http.MethodPost, "/audits", nil, &due)
	var m numbers.Metrics
	p.want(200, http.MethodGet, "/metrics", nil, &m)
	if due.Due != 16 || m.Audits != 3 {
		t.Errorf("%d audits due, %d done", due.Due, m.Audits)
	}
	for _, who := range []struct {
		role                   dossier.Role
		look, audit, reinstate int
	}{
		{patrol.Inspector, 200, 200, 403}, {dossier.Auditor, 200, 403, 403}, {dossier.Admin, 200, 403, 403}, {"hr", 403, 403, 403},
	} {
		t.Run(string(who.role), func(t *testing.T) {
			p := p.as(who.role)
			p.want(who.look, http.MethodGet, "/cases", nil, nil)
			p.want(who.audit, http.MethodPost, "/vans/VP-101/audit", "{}", nil)
			p.want(who.reinstate, http.MethodPost, "/vans/VP-101/riders/EMP-1001/reinstate", nil, nil)
		})
	}
}

func TestRoutesOfCases(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{}).as(patrol.Coordinator)
	if _, err := p.patrol.Audit(t.Context(), patrol.Order{Vanpool: "VP-110", For: p.As, Straight: true}); err != nil {
		t.Fatal(err)
	}
	p.Decide(p.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve})
	var list []vans.Line
	p.want(200, http.MethodGet, "/vans", nil, &list)
	if list[9].Last != "cancelled" || list[9].Case != "" || list[9].Riders != 4 {
		t.Errorf("a van whose case a person closed: %+v", list[9])
	}
	t.Run("P-005 a seat is given back once", func(t *testing.T) {
		p.want(204, http.MethodPost, "/vans/VP-110/riders/EMP-1046/reinstate", nil, nil)
		p.want(404, http.MethodPost, "/vans/VP-110/riders/EMP-1046/reinstate", nil, nil)
		if !p.rides("VP-110", "EMP-1046") {
			t.Error("the rider has no seat")
		}
	})
	l := p.audit("VP-102")
	var page casePage
	p.want(200, http.MethodGet, "/cases/"+string(l.Case), nil, &page)
	if page.Case != string(l.Case) || page.Status != "pending_reply" || len(page.Threads) != 1 || page.Reversals.All.Reversed != 1 || page.Spent.Turns < 6 {
		t.Errorf("P-173 got %+v", page)
	}
	t.Run("P-061 the keys of a case", func(t *testing.T) {
		var keys map[string]json.RawMessage
		p.want(200, http.MethodGet, "/cases/"+string(l.Case), nil, &keys)
		for _, k := range []string{"case_id", "vanpool_id", "status", "meta", "outcome", "created_at", "updated_at", "threads", "spent"} {
			if keys[k] == nil {
				t.Errorf("no %s in %v", k, keys)
			}
		}
	})
	var m casebook.Message
	p.want(200, http.MethodPost, "/threads/"+page.Threads[0].ID+"/replies", `{"text":"How is this measured?"}`, &m)
	p.want(404, http.MethodPost, "/threads/THREAD-00000000/replies", `{"text":"Hello"}`, nil)
	p.want(422, http.MethodPost, "/threads/"+page.Threads[0].ID+"/replies", `{"text":""}`, nil)
	if m.Bucket != "question" {
		t.Errorf("taken as %+v", m)
	}
	token := tokenIn(t, p.Mail.Sent()[0].Text)
	t.Run("a rider's link shows and takes, without an account", func(t *testing.T) {
		p := p.as("nobody")
		var s standing
		p.want(200, http.MethodGet, "/counter/"+token, nil, &s)
		var got received
		p.want(200, http.MethodPost, "/counter/"+token, `{"about":"shift","statement":"I work days."}`, &got)
		p.want(403, http.MethodGet, "/counter/"+token+"x", nil, nil)
		if s.Vanpool != "VP-102" || !s.Open || s.Checks[0] != "shift" || got.Case != string(l.Case) {
			t.Errorf("got %+v and %+v", s, got)
		}
	})
}

func TestRoutesOfTheRoster(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{}).as(patrol.Coordinator)
	_, whole := p.Call(http.MethodGet, base+"/roster", nil, nil)
	other := apptest.Open(t, App, apptest.Options{})
	other.As = other.Person("someone", patrol.Coordinator)
	var got imported
	if status, answer := other.Call(http.MethodPost, base+"/roster", whole, &got); status != 200 || !got.Saved || got.Employees != 70 || got.Vanpools != 16 || len(got.Problems) != 0 {
		t.Fatalf("import answered %d: %.300s", status, answer)
	}
	if _, again := other.Call(http.MethodGet, base+"/roster", nil, nil); again != whole {
		t.Error("what was exported, imported and exported again differs")
	}
	const bad = "vanpool_id,employee_id\nVP-101,EMP-1006\nVP-101,\n"
	p.want(200, http.MethodPost, "/roster?kind=riders", bad, &got)
	if got.Saved || len(got.Problems) != 1 || got.Problems[0].Line != 3 || p.rides("VP-101", "EMP-1006") {
		t.Errorf("a bad row: %+v", got)
	}
	p.want(200, http.MethodPost, "/roster?kind=riders&keep_good=true", bad, &got)
	if !got.Saved || !p.rides("VP-101", "EMP-1006") {
		t.Errorf("the good row: %+v", got)
	}
}
