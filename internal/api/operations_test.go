package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
	"dossier/internal/ledger"
	"dossier/internal/records"
)

func TestCases(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var opened []dossier.CaseID
	for _, r := range []string{"EMP-1", "EMP-2", "EMP-3", "EMP-4", "EMP-5"} {
		c, _, _ := h.audit(r)
		opened = append(opened, c.ID)
		h.clock.Add(time.Minute)
	}
	slices.Reverse(opened)
	list := func(query string) Page[dossier.Case] {
		t.Helper()
		var p Page[dossier.Case]
		h.do("planner", http.MethodGet, "/api/v1/cases"+query).want(200, &p)
		return p
	}
	t.Run("pages newest first", func(t *testing.T) {
		var got []dossier.CaseID
		for q := "?limit=2"; ; {
			p := list(q)
			for _, c := range p.Items {
				got = append(got, c.ID)
			}
			if p.Next == "" {
				break
			}
			q = "?limit=2&after=" + p.Next
		}
		if !slices.Equal(got, opened) {
			t.Errorf("got %v, want %v", got, opened)
		}
	})
	for query, want := range map[string]int{
		"?subject=rider/EMP-3": 1, "?q=emp-4": 1, "?q=nights": 5, "?q=nights%20emp-2": 1, "?q=nowhere": 0, "?state=closed": 0,
		"?state=open,waiting": 5, "?app=fleet": 5, "?app=doors": 0, "?opened_before=2026-03-02T12:02:00Z": 2, "?opened_after=2026-03-02T12:02:00Z": 3,
		"?stage=nothing": 0,
	} {
		if got := len(list(query).Items); got != want {
			t.Errorf("%s: got %d cases, want %d", query, got, want)
		}
	}
	h.do("planner", http.MethodGet, "/api/v1/cases?after=garbage").problem(422, dossier.Invalid)
	h.do("planner", http.MethodGet, "/api/v1/cases?limit=100000").problem(422, dossier.Invalid)
	h.do("planner", http.MethodGet, "/api/v1/cases?state=lost").problem(422, dossier.Invalid)
}

func TestCase(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, _, a := h.audit("EMP-1")
	base := "/api/v1/cases/" + string(c.ID)
	var got dossier.Case
	res := h.do("planner", http.MethodGet, base).want(200, &got)
	if got.Title != "Audit of EMP-1" || got.Subject != "rider/EMP-1" {
		t.Errorf("got %+v", got)
	}
	tag := res.Header.Get("ETag")
	h.do("planner", http.MethodGet, base, "If-None-Match: "+tag).want(304, nil)
	if _, err := h.server.Desk("fleet").Move(t.Context(), c.ID, app.Change{Stage: "outreach", By: "planner"}); err != nil {
		t.Fatal(err)
	}
	if res := h.do("planner", http.MethodGet, base, "If-None-Match: "+tag).want(200, nil); res.Header.Get("ETag") == tag {
		t.Error("the ETag did not change with the case")
	}
	h.do("planner", http.MethodGet, "/api/v1/cases/CASE-none").problem(404, dossier.NotFound)

	var tl struct{ Items []records.Event }
	h.do("planner", http.MethodGet, base+"/timeline").want(200, &tl)
	var kinds []string
	for _, e := range tl.Items {
		kinds = append(kinds, e.Kind)
	}
	for _, want := range []string{records.CaseOpened, records.RunStarted, records.EvidenceRecorded, records.ApprovalAsked, records.CaseMoved} {
		if !slices.Contains(kinds, want) {
			t.Errorf("the timeline lacks %s: %v", want, kinds)
		}
	}
	var ev struct{ Items []EvidenceView }
	h.do("planner", http.MethodGet, base+"/evidence").want(200, &ev)
	if len(ev.Items) != 1 || ev.Items[0].View != app.Table || !slices.Equal(ev.Items[0].CitedBy, []string{"shift"}) || ev.Items[0].ID != a.Evidence[0] {
		t.Errorf("evidence %+v", ev.Items)
	}
	var one EvidenceView
	h.do("planner", http.MethodGet, "/api/v1/evidence/"+string(a.Evidence[0])).want(200, &one)
	if one.CaseTitle != "Audit of EMP-1" || string(one.Data) != `{"rider":"EMP-1","shift":"night"}` {
		t.Errorf("got %+v", one)
	}
	var fi struct{ Items []FindingView }
	h.do("planner", http.MethodGet, base+"/findings").want(200, &fi)
	if len(fi.Items) != 1 || fi.Items[0].Verdict != dossier.Fail || !fi.Items[0].Latest || !slices.Equal(fi.Items[0].Cites, a.Evidence) {
		t.Errorf("findings %+v", fi.Items)
	}
	var why app.Explanation
	h.do("auditor", http.MethodPost, base+"/why", map[string]string{"question": "Why did the shift check fail?"}).want(200, &why)
	if !strings.Contains(why.Text, "EMP-1 works nights.") || !slices.Equal(why.Cites, a.Evidence) {
		t.Errorf("why: %+v", why)
	}
}

func TestReplacedEvidence(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, _, a := h.audit("EMP-1")
	newer := dossier.NewEvidence("shift", dossier.Source{System: "roster", Locator: "EMP-1"}, shiftData{"EMP-1", "day"}, "EMP-1 works days")
	sealed, err := h.server.Desk("fleet").Record(t.Context(), c.ID, []dossier.Evidence{newer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ev struct{ Items []EvidenceView }
	h.do("planner", http.MethodGet, "/api/v1/cases/"+string(c.ID)+"/evidence").want(200, &ev)
	if len(ev.Items) != 2 || ev.Items[0].Replaced != sealed[0].ID || ev.Items[1].Replaced != "" {
		t.Errorf("got %+v", ev.Items)
	}
	h.do("coordinator", http.MethodPost, "/api/v1/approvals/"+string(a.ID)+"/decision",
		map[string]string{"verb": "approve", "digest": a.Digest}).problem(409, dossier.Conflict)
}

func TestRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, run, a := h.audit("EMP-1")
	h.clock.Add(time.Minute)
	_, other, _ := h.audit("EMP-2")
	var p Page[dossier.Run]
	h.do("planner", http.MethodGet, "/api/v1/runs?agent=manager&status=paused&top=true").want(200, &p)
	if len(p.Items) != 2 || p.Items[0].ID != other.ID {
		t.Errorf("got %+v", p.Items)
	}
	var tree RunTree
	h.do("planner", http.MethodGet, "/api/v1/runs/"+string(run.ID)).want(200, &tree)
	var kinds []dossier.StepKind
	for _, st := range tree.Steps {
		kinds = append(kinds, st.Kind)
	}
	want := []dossier.StepKind{dossier.Said, dossier.ModelTurn, dossier.Returned, dossier.ModelTurn, dossier.Asked}
	if !slices.Equal(kinds, want) {
		t.Fatalf("steps %v, want %v", kinds, want)
	}
	if tree.Usage.Turns != 2 || tree.Usage.Calls != 2 || tree.Steps[1].Model != "reference/manager" || tree.Steps[1].Calls[0].Tool != "look" {
		t.Errorf("got %+v and %+v", tree.Usage, tree.Steps[1])
	}
	if tree.Steps[4].Approval != a.ID || string(tree.Steps[0].Value) != `{"rider":"EMP-1"}` || tree.Steps[2].Tool != "look" {
		t.Errorf("got %+v", tree.Steps)
	}
	var pr PromptView
	h.do("auditor", http.MethodGet, "/api/v1/runs/"+string(run.ID)+"/steps/4/prompt").want(200, &pr)
	if pr.System != "Audit the rider." || pr.Changed || len(pr.Tools) != 2 || pr.Messages[len(pr.Messages)-1].Parts[0].Kind != "return" {
		t.Errorf("got %+v", pr)
	}
	h.do("auditor", http.MethodGet, "/api/v1/runs/"+string(run.ID)+"/steps/3/prompt").problem(404, dossier.NotFound)
	h.do("auditor", http.MethodGet, "/api/v1/runs/"+string(run.ID)+"/steps/99/prompt").problem(404, dossier.NotFound)

	var cmp Comparison
	h.do("planner", http.MethodGet, "/api/v1/runs/"+string(run.ID)+"/compare/"+string(other.ID)).want(200, &cmp)
	if cmp.Same || len(cmp.Pairs) != 5 || cmp.Pairs[1].Same || cmp.Pairs[1].A == nil || cmp.Pairs[1].B == nil {
		t.Errorf("two riders: %+v", cmp.Pairs)
	}
	h.do("planner", http.MethodGet, "/api/v1/runs/"+string(run.ID)+"/compare/"+string(run.ID)).want(200, &cmp)
	if !cmp.Same || len(cmp.Pairs) != 5 {
		t.Errorf("a run and itself: %+v", cmp)
	}
	h.do("planner", http.MethodGet, "/api/v1/runs/run-none").problem(404, dossier.NotFound)
}

func TestLedger(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, _, _ := h.audit("EMP-1")
	base := "/api/v1/cases/" + string(c.ID)
	var rep ledger.Report
	h.do("auditor", http.MethodPost, base+"/verify").want(200, &rep)
	if !rep.OK || rep.Entries != 1 || rep.Covered != 1 || len(rep.Checks) != 1 || rep.Checks[0].Agreement != ledger.Agrees {
		t.Fatalf("got %+v", rep)
	}
	var cps struct {
		Key   string
		Items []ledger.Checkpoint
	}
	h.do("auditor", http.MethodGet, "/api/v1/ledger/checkpoints").want(200, &cps)
	if len(cps.Items) != 1 || cps.Items[0].Key != cps.Key || cps.Items[0].Verify() != nil {
		t.Errorf("got %+v", cps)
	}
	res := h.do("planner", http.MethodGet, base+"/bundle").want(200, nil)
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="`+string(c.ID)+`.json"` {
		t.Errorf("the bundle comes as %s", got)
	}
	h.do("planner", http.MethodPost, "/api/v1/ledger/verify", "Content-Type: application/json", res.body).want(200, &rep)
	if !rep.OK {
		t.Errorf("a bundle just exported: %v", rep.Problems)
	}
	forged := []byte(strings.Replace(string(res.body), "EMP-1 works nights", "EMP-1 works daily!", 1))
	h.do("planner", http.MethodPost, "/api/v1/ledger/verify", "Content-Type: application/json", forged).want(200, &rep)
	if rep.OK || !strings.Contains(rep.Problems[0], "was altered") {
		t.Errorf("a forged bundle: %+v", rep)
	}
	h.do("planner", http.MethodPost, "/api/v1/ledger/verify", "Content-Type: application/json", []byte("{}")).problem(422, dossier.Invalid)
	var sealed struct{ Made bool }
	h.do("admin", http.MethodPost, "/api/v1/ledger/checkpoints").want(200, &sealed)
	if sealed.Made {
		t.Error("a checkpoint was made of nothing")
	}
}

func TestApps(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.audit("EMP-1")
	var apps struct{ Items []AppSummary }
	h.do("admin", http.MethodGet, "/api/v1/apps").want(200, &apps)
	if len(apps.Items) != 2 {
		t.Fatalf("an admin sees %d apps", len(apps.Items))
	}
	h.do("planner", http.MethodGet, "/api/v1/apps").want(200, &apps)
	if len(apps.Items) != 1 || !slices.Equal(apps.Items[0].Mine, []dossier.Role{"planner"}) || !slices.Equal(apps.Items[0].Chat, []string{"talker"}) {
		t.Fatalf("got %+v", apps.Items)
	}
	if n := apps.Items[0].Counts; len(n) == 0 || n[0].Count != 1 {
		t.Errorf("counts %+v", n)
	}
	var d AppDetail
	h.do("planner", http.MethodGet, "/api/v1/apps/fleet").want(200, &d)
	if len(d.Agents) != 2 || len(d.Tools) != 2 || len(d.Rules) != 1 || len(d.Triggers) != 2 || d.Views["shift"] != app.Table ||
		!d.Triggers[0].Next.Equal(time.Date(2026, 3, 9, 6, 0, 0, 0, time.UTC)) || !d.Triggers[1].Next.IsZero() {
		t.Errorf("got %+v", d)
	}
	var tools struct{ Items []ToolInfo }
	h.do("planner", http.MethodGet, "/api/v1/tools").want(200, &tools)
	if len(tools.Items) != 1 || tools.Items[0].Name != "look" {
		t.Errorf("a planner may use %+v", tools.Items)
	}
	h.do("coordinator", http.MethodGet, "/api/v1/tools?app=fleet").want(200, &tools)
	if len(tools.Items) != 2 || tools.Items[0].Effect != "act" || !json.Valid(tools.Items[0].Input) {
		t.Errorf("a coordinator may use %+v", tools.Items)
	}
	h.do("admin", http.MethodGet, "/api/v1/apps/none").problem(404, dossier.NotFound)
}

func TestTriggersAndEvents(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("planner", http.MethodPost, "/api/v1/triggers/fleet/weekly", map[string]any{"event": map[string]int{"n": 1}}).want(202, nil)
	h.do("planner", http.MethodPost, "/api/v1/events/fleet/reply", "Content-Type: application/json", []byte(`{"from":"x"}`)).want(202, nil)
	want := []string{`fleet/weekly {"n":1} by The planner`, `fleet/reply {"from":"x"} by The planner`}
	if !slices.Equal(h.fired.fired, want) {
		t.Errorf("got %q, want %q", h.fired.fired, want)
	}
	h.do("planner", http.MethodPost, "/api/v1/triggers/fleet/none", map[string]any{}).problem(404, dossier.NotFound)
	h.do("planner", http.MethodPost, "/api/v1/events/fleet/weekly", map[string]any{}).problem(404, dossier.NotFound)
	h.do("planner", http.MethodPost, "/api/v1/events/fleet/reply", "Content-Type: application/json", []byte(`{"from"`)).problem(400, dossier.Invalid)
	h.do("auditor", http.MethodPost, "/api/v1/triggers/fleet/weekly", map[string]any{}).problem(403, dossier.Forbidden)
}

func TestEvals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.measured()
	var r struct {
		records.EvalResult
		Rows []records.EvalRow
	}
	h.do("planner", http.MethodGet, "/api/v1/evals/results/res-1").want(200, &r)
	if len(r.Rows) != 1 || r.Suite != "shifts" {
		t.Errorf("got %+v", r)
	}
	h.do("planner", http.MethodGet, "/api/v1/evals/results/none").problem(404, dossier.NotFound)
	var q struct{ Items []records.LabelItem }
	h.do("planner", http.MethodGet, "/api/v1/evals/labels").want(200, &q)
	if len(q.Items) != 1 {
		t.Fatalf("got %+v", q.Items)
	}
	path := "/api/v1/evals/labels/" + q.Items[0].ID
	h.do("gate", http.MethodPost, path, map[string]any{"good": true}).problem(404, dossier.NotFound)
	h.do("auditor", http.MethodPost, path, map[string]any{"good": true}).problem(403, dossier.Forbidden)
	var item records.LabelItem
	h.do("planner", http.MethodPost, path, map[string]any{"good": false, "right": map[string]string{"verdict": "pass"}}).want(200, &item)
	if item.Label == nil || item.Label.By.Name != "The planner" || string(item.Label.Right) != `{"verdict":"pass"}` {
		t.Errorf("labelled %+v", item.Label)
	}
	h.do("planner", http.MethodGet, "/api/v1/evals/labels").want(200, &q)
	if len(q.Items) != 0 {
		t.Errorf("it still waits: %+v", q.Items)
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var added AddedUser
	h.do("admin", http.MethodPost, "/api/v1/users", map[string]any{"name": "Noor", "display": "Noor A", "roles": []string{"gate"}}).want(201, &added)
	link, ok := strings.CutPrefix(added.Link, "http://dossier.test/welcome#")
	if !ok || added.Name != "noor" || added.Version != 1 {
		t.Fatalf("got %+v", added)
	}
	var w auth.Welcome
	h.do("", http.MethodPost, "/api/v1/session/link/look", map[string]string{"link": link}).want(200, &w)
	if w.New || w.Name != "noor" {
		t.Errorf("got %+v", w)
	}
	h.do("", http.MethodPost, "/api/v1/session/link", map[string]string{"link": link, "password": string(password)}).want(200, nil)
	h.do("", http.MethodPost, "/api/v1/session/link", map[string]string{"link": link}).problem(404, dossier.NotFound)

	h.do("admin", http.MethodPost, "/api/v1/users", map[string]any{"name": "noor", "roles": []string{}}).problem(409, dossier.Conflict)
	h.do("admin", http.MethodPost, "/api/v1/users", map[string]any{"name": "x", "roles": []string{}}).problem(422, dossier.Invalid)
	h.do("admin", http.MethodPost, "/api/v1/users", map[string]any{"name": "zoe", "roles": []string{"emperor"}}).problem(422, dossier.Invalid)

	tag := h.do("admin", http.MethodGet, "/api/v1/users/"+added.ID).want(200, nil).Header.Get("ETag")
	var changed auth.User
	h.do("admin", http.MethodPatch, "/api/v1/users/"+added.ID, "If-Match: "+tag, map[string]any{"roles": []string{"planner"}}).want(200, &changed)
	if !slices.Equal(changed.Roles, []dossier.Role{"planner"}) {
		t.Errorf("got %+v", changed)
	}
	if msg := h.do("admin", http.MethodPatch, "/api/v1/users/"+added.ID, "If-Match: "+tag, map[string]any{"disabled": true}).problem(412, dossier.Conflict); !strings.Contains(msg, "meanwhile") {
		t.Errorf("the second admin is told %q", msg)
	}
	h.do("admin", http.MethodPatch, "/api/v1/users/"+added.ID, map[string]any{"disabled": true}).problem(422, dossier.Invalid)
	h.do("admin", http.MethodPost, "/api/v1/users/"+added.ID+"/link", map[string]any{}).want(201, nil)
	h.do("admin", http.MethodPost, "/api/v1/users/user-none/link", map[string]any{}).problem(404, dossier.NotFound)

	res := h.do("auditor", http.MethodGet, "/api/v1/users").want(200, nil)
	if s := string(res.body); strings.Contains(s, "argon2") || strings.Contains(strings.ToLower(s), "password") {
		t.Errorf("the list shows more than it should: %s", s)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var added AddedToken
	h.do("planner", http.MethodPost, "/api/v1/tokens", map[string]any{"name": "ci", "roles": []string{"planner"}}).want(201, &added)
	h.tokens["ci"] = added.Secret
	h.do("ci", http.MethodGet, "/api/v1/cases").want(200, nil)
	res := h.do("planner", http.MethodGet, "/api/v1/tokens").want(200, nil)
	if strings.Contains(string(res.body), string(added.Secret)) || !strings.Contains(string(res.body), added.Hint) {
		t.Errorf("the list shows %s", res.body)
	}
	h.do("planner", http.MethodPost, "/api/v1/tokens", map[string]any{"name": "ci", "roles": []string{"admin"}}).problem(403, dossier.Forbidden)
	h.do("planner", http.MethodPost, "/api/v1/tokens", map[string]any{"name": "ci", "roles": []string{}}).problem(422, dossier.Invalid)
	h.do("planner", http.MethodGet, "/api/v1/tokens?all=true").problem(403, dossier.Forbidden)
	h.do("gate", http.MethodDelete, "/api/v1/tokens/"+added.ID).problem(404, dossier.NotFound)
	h.do("planner", http.MethodDelete, "/api/v1/tokens/"+added.ID).want(204, nil)
	h.do("ci", http.MethodGet, "/api/v1/cases").problem(401, dossier.NotSignedIn)
}

// TestTokenScope gives an admin's token the role of a planner.
func TestTokenScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.settle("both", []dossier.Role{dossier.Admin, "planner"})
	u := h.users["both"]
	_, s, err := h.auth.AddToken(t.Context(), dossier.Principal{ID: u.ID, Roles: u.Roles}, "narrow", []dossier.Role{"planner"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	h.tokens["narrow"] = s
	h.do("both", http.MethodGet, "/api/v1/users").want(200, nil)
	h.do("narrow", http.MethodGet, "/api/v1/users").problem(403, dossier.Forbidden)
	h.do("narrow", http.MethodGet, "/api/v1/cases").want(200, nil)
	h.do("narrow", http.MethodPost, "/api/v1/tokens", map[string]any{"name": "wider", "roles": []string{"admin"}}).problem(403, dossier.Forbidden)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var st Status
	h.do("admin", http.MethodGet, "/api/v1/status").want(200, &st)
	if st.Version != "1.2.3" || !st.Database.OK || st.Models == nil {
		t.Errorf("got %+v", st)
	}
	h.do("", http.MethodGet, "/api/v1/health").want(200, nil)
	h.store.Close()
	h.do("", http.MethodGet, "/api/v1/health").problem(503, dossier.Unavailable)
}
