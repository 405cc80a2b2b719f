package poolpatrol

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/tool"
)

// call runs a tool of the app on a case, as the runner would.
func (p programme) call(name string, id dossier.CaseID, args string) (json.RawMessage, error) {
	p.T.Helper()
	t, ok := p.Kit.Tool(name)
	if !ok {
		p.T.Fatalf("there is no tool %s", name)
	}
	plan, err := t.Plan(json.RawMessage(args))
	if err != nil {
		return nil, err
	}
	res, err := t.Run(p.T.Context(), tool.Call{Case: id, App: "poolpatrol", For: p.Person("ann"), Now: p.Clock.Now()}, plan.Args)
	return res.Value, err
}

func (p programme) refuses(row, name string, id dossier.CaseID, args, why string) {
	p.T.Helper()
	if _, err := p.call(name, id, args); err == nil || !strings.Contains(dossier.Message(err), why) {
		p.T.Errorf("%s: %s %s: got %v, want a refusal with %q", row, name, args, err, why)
	}
}

func TestToolsOfTheCaseManager(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	id := p.audit("VP-102").Case
	p.refuses("P-078 P-090", "upsert_case", id, `{"vanpool_id":"VP-102","status":"pending_reply","failed_checks":["location"],"details":"x"}`, "The findings say that [shift] failed")
	p.refuses("P-078", "upsert_case", id, `{"vanpool_id":"VP-102","status":"resolved","failed_checks":[],"details":"x"}`, "Use close_case")
	p.refuses("P-062", "upsert_case", id, `{"vanpool_id":"VP-102","status":"lost","failed_checks":[],"details":"x"}`,
		"status must be one of open, verification, pending_reply, re_audit, hitl_review, pre_cancel, resolved, cancelled")
	p.refuses("P-063", "upsert_case", id, `{"vanpool_id":"VP-102","status":"open","reason":"bad mood","failed_checks":[],"details":"x"}`,
		"reason must be one of shift_mismatch, location_mismatch, unknown")
	p.refuses("P-090", "upsert_case", id, `{"vanpool_id":"VP-101","status":"pending_reply","failed_checks":["shift"],"details":"x"}`, "is about vanpool/VP-102")
	p.refuses("P-080 P-090", "close_case", id, `{"vanpool_id":"VP-102","outcome":"resolved","details":"x"}`, "still do not fit")
	p.refuses("P-080 P-090", "close_case", id, `{"vanpool_id":"VP-102","outcome":"cancelled","details":"x"}`, "No membership was cancelled")
	p.refuses("P-080", "close_case", id, `{"vanpool_id":"VP-102","outcome":"forgotten","details":"x"}`, "outcome must be one of")
	p.refuses("P-081", "cancel_membership", id, `{"case_id":"`+string(id)+`","vanpool_id":"VP-102","employee_id":"EMP-1007","failed_checks":["shift"],"reason":"x"}`, "do not speak against EMP-1007")
	p.refuses("P-081", "cancel_membership", id, `{"case_id":"CASE-00000000","vanpool_id":"VP-102","employee_id":"EMP-1006","failed_checks":["shift"],"reason":"x"}`, "not CASE-00000000")
	t.Run("P-016 P-052 cancel_membership is always asked about", func(t *testing.T) {
		tl, _ := p.Kit.Tool("cancel_membership")
		plan, err := tl.Plan(json.RawMessage(`{"case_id":"C","vanpool_id":"VP-102","employee_id":"EMP-1006","failed_checks":[],"reason":"x"}`))
		if err != nil || plan.Ask == "" || plan.Key == "" {
			t.Errorf("got %+v %v", plan, err)
		}
	})
}

func TestToolsOfOutreach(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	id := p.audit("VP-102").Case
	threads, err := p.patrol.Book.Threads(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	mail, err := p.patrol.Book.Messages(t.Context(), threads[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	p.refuses("P-072 P-092", "classify_reply", id, `{"email_thread_id":"`+threads[0].ID+`","message_id":"`+mail[0].ID+`"}`, "is not a reply in a thread of this case")
	p.refuses("P-072 P-092", "classify_reply", id, `{"email_thread_id":"THREAD-ffffffff","message_id":"MSG-00000000"}`, "There is no mail thread")
	letter := func(more string) string {
		return `{"case_id":"` + string(id) + `","vanpool_id":"VP-102","employee_id":"EMP-1006","round":0,"subject":"s","body":"b"` + more + `}`
	}
	p.refuses("P-073 P-092", "send_email", id, letter(`,"kind":"answer"`), "An answer names the reply")
	p.refuses("P-073", "send_email", id, letter(`,"kind":"joke"`), "kind must be")
	p.Clock.Add(time.Minute)
	p.reply("EMP-1006", "This is wrong.")
	in, err := p.patrol.Book.Messages(t.Context(), threads[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	p.refuses("P-074 P-051 P12", "send_email", id, letter(`,"kind":"answer","answers_message_id":"`+in[1].ID+`"`), "use send_email_for_review")
	t.Run("P-053 send_email_for_review is always asked about, send_email never", func(t *testing.T) {
		review, _ := p.Kit.Tool("send_email_for_review")
		plain, _ := p.Kit.Tool("send_email")
		args := json.RawMessage(letter(`,"kind":"initial"`))
		a, err := review.Plan(args)
		b, err2 := plain.Plan(args)
		if err != nil || err2 != nil || a.Ask == "" || b.Ask != "" {
			t.Errorf("got %+v %v and %+v %v", a, err, b, err2)
		}
	})
}

func TestToolsOfSpecialists(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	id := p.audit("VP-103").Case
	t.Run("P-071 P-088 get_employee_shifts", func(t *testing.T) {
		raw, err := p.call("get_employee_shifts", id, `{"vanpool_id":"VP-102","employee_ids":["EMP-1006","EMP-1007","EMP-1008"]}`)
		if err != nil || !strings.Contains(string(raw), `"verdict":"fail"`) || !strings.Contains(string(raw), `"affected_employee_ids":["EMP-1006"]`) {
			t.Errorf("got %s %v", raw, err)
		}
	})
	t.Run("P-069 get_employee_profile", func(t *testing.T) {
		raw, err := p.call("get_employee_profile", id, `{"vanpool_id":"VP-103","employee_ids":["EMP-1011"]}`)
		if err != nil || string(raw) != `{"profiles":[{"employee_id":"EMP-1011","home_zip":"90026","site":"Fremont"}]}` {
			t.Errorf("got %s %v", raw, err)
		}
	})
	t.Run("P-069 with home coordinates, rounded", func(t *testing.T) {
		raw, err := p.call("get_employee_profile", id, `{"vanpool_id":"VP-102","employee_ids":["EMP-1007"]}`)
		if err != nil || string(raw) != `{"profiles":[{"employee_id":"EMP-1007","home_zip":"95035","home_coords":{"lat":37.725,"lng":-121.818},"site":"Fremont"}]}` {
			t.Errorf("got %s %v", raw, err)
		}
	})
	t.Run("P-071 shift, schedule and days off", func(t *testing.T) {
		raw, err := p.call("get_employee_shifts", id, `{"vanpool_id":"VP-103","employee_ids":["EMP-1014"]}`)
		const want = `"riders":[{"employee_id":"EMP-1014","vanpool_id":"VP-103","shift_id":"SH-DAY","shift_name":"Day Shift","zone":"America/Los_Angeles",` +
			`"schedule":"Mon-Fri 07:00-15:30","pto":[{"from":"2026-03-09","to":"2026-03-13"}]}]`
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("got %s %v, want %s", raw, err, want)
		}
	})
	t.Run("P-070 P-026 check_commute_distance from a ZIP", func(t *testing.T) {
		raw, err := p.call("check_commute_distance", id, `{"vanpool_id":"VP-103","employee_ids":["EMP-1011"]}`)
		if err != nil || !strings.Contains(string(raw), `"basis":"zip_centroid"`) || !strings.Contains(string(raw), `"confidence":4`) || !strings.Contains(string(raw), `"threshold_miles":50`) {
			t.Errorf("got %s %v", raw, err)
		}
	})
	p.refuses("P-129 P-130", "get_employee_shifts", id, `{"vanpool_id":"VP-999","employee_ids":[]}`, "There is no vanpool VP-999")
	p.refuses("P-128", "get_employee_shifts", id, `{"vanpool_id":"VP-103","employee_ids":["EMP-1001"]}`, "EMP-1001 does not ride in VP-103")
	t.Run("P-082 P-075 look-ups for the brief are no tools", func(t *testing.T) {
		for _, name := range []string{"get_case_status", "get_vanpool_roster", "get_email_thread"} {
			if _, ok := p.Kit.Tool(name); ok {
				t.Errorf("%s is a tool", name)
			}
		}
	})
}

func TestRoutedDistance(t *testing.T) {
	t.Parallel()
	down := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"code":"Ok","distances":[[160934.4],[1000],[1000],[1000],[1000]]}`))
	}))
	t.Cleanup(srv.Close)
	p := start(t, apptest.Options{Change: func(c app.Config) {
		cfg := c.(*patrol.Config)
		cfg.Routing, cfg.RouteURL = "osrm", srv.URL
	}})
	raw, err := p.call("check_commute_distance", p.audit("VP-113").Case, `{"vanpool_id":"VP-101","employee_ids":[]}`)
	if err != nil || !strings.Contains(string(raw), `"routed_miles":100,"method":"osrm","distance_miles":100`) || !strings.Contains(string(raw), `"great_circle_miles"`) {
		t.Errorf("P10 got %s %v", raw, err)
	}
	down = true
	raw, err = p.call("check_commute_distance", p.audit("VP-113").Case, `{"vanpool_id":"VP-101","employee_ids":[]}`)
	if err != nil || !strings.Contains(string(raw), `"service_problem":"The routing service did not answer`) || !strings.Contains(string(raw), `"verdict":"pass"`) {
		t.Errorf("P10 with the service down: got %s %v", raw, err)
	}
}

// The threshold is the programme's to set.
func TestThreshold(t *testing.T) {
	t.Parallel()
	for miles, want := range map[float64]string{4: "fail", 50: "pass"} {
		p := start(t, changed(func(c *patrol.Config) { c.MaxMiles = miles }))
		raw, err := p.call("check_commute_distance", p.audit("VP-113").Case, `{"vanpool_id":"VP-101","employee_ids":[]}`)
		if err != nil || !strings.Contains(string(raw), `"verdict":"`+want+`"`) || !strings.Contains(string(raw), fmt.Sprintf(`"threshold_miles":%g`, miles)) {
			t.Errorf("P10 P-025 %g miles: got %.300s %v, want %s", miles, raw, err, want)
		}
	}
}

// The agents are the design's four, with its tools, tiers and forms of answer.
func TestFourAgents(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	want := map[string]string{
		"casemanager": "strong: upsert_case close_case cancel_membership run_shift_specialist run_location_specialist run_outreach",
		"outreach":    "strong: classify_reply send_email send_email_for_review",
		"shift":       "fast: get_employee_shifts",
		"location":    "fast: get_employee_profile check_commute_distance",
	}
	if len(p.patrol.Agents) != len(want) {
		t.Errorf("P-006 got %d agents", len(p.patrol.Agents))
	}
	for _, a := range p.patrol.Agents {
		got := []string{a.Model + ":"}
		for _, tl := range a.Tools {
			got = append(got, tl.Name)
			if (a.Name == "shift" || a.Name == "location") && tl.Effect != tool.Read {
				t.Errorf("P-008 P-009 %s changes something", tl.Name)
			}
		}
		for _, s := range a.Specialists {
			got = append(got, s.ToolName)
		}
		if strings.Join(got, " ") != want[a.Name] {
			t.Errorf("P-006 P-007 P-008 P-009 P-010 %s is %q, want %q", a.Name, got, want[a.Name])
		}
		if err := a.Output.Check(json.RawMessage(`{"said":"all is well"}`)); err == nil {
			t.Errorf("P-017 %s may answer anything", a.Name)
		}
	}
}
