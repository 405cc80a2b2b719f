package poolpatrol

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
)

// answers returns what the agents of a case answered, by agent: the newest of each.
func (p programme) answers(id dossier.CaseID) map[string]json.RawMessage {
	p.T.Helper()
	runs, err := p.Bench.Desk.Runs(p.T.Context(), id)
	if err != nil {
		p.T.Fatal(err)
	}
	out := map[string]json.RawMessage{}
	for _, r := range runs {
		out[r.Agent] = r.Answer
	}
	return out
}

// TestContract reads the specialists' answers as a stranger would, who knows the
// design's words alone.
func TestContract(t *testing.T) {
	t.Parallel()
	sum := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for _, c := range []struct {
		row, van, agent, reasoning string
		confidence                 int
		affected                   []string
		evidence                   map[string][]string // by type, what the first item's data holds
	}{
		{
			"P-026 location", "VP-103", "location", "EMP-1011 lives 370.3 miles from the pickup point of VP-103; 50 are allowed.", 4, []string{"EMP-1011"},
			map[string][]string{
				"employee_profile": {`"employee_id":"EMP-1011"`, `"home_zip":"90026"`},
				"vanpool_pickup":   {`"vanpool_id":"VP-103"`, `"pickup_coords":{"lat":37.428,"lng":-121.907}`},
				"distance_check":   {`"employee_id":"EMP-1011"`, `"distance_miles":370.32`, `"threshold_miles":50`},
			},
		},
		{
			"P-027 shift", "VP-102", "shift",
			"EMP-1006 works Night Shift (Mon-Thu,Sun 22:00-06:30) while the van runs for Day Shift: they can share it on 0 of 20 working days, and 50 % are needed.", 4, []string{"EMP-1006"},
			map[string][]string{
				"employee_shift":         {`"employee_id":"EMP-1006"`, `"shift_name":"Night Shift"`},
				"vanpool_majority_shift": {`"vanpool_id":"VP-102"`, `"majority_shift":"Day Shift"`},
				"shift_mismatch":         {`"employee_shift":"Night Shift"`, `"expected_shift":"Day Shift"`, `"overlap_minutes":0`},
			},
		},
	} {
		t.Run("P-019 P-020 P-021 P-022 P-023 P6 "+c.row, func(t *testing.T) {
			t.Parallel()
			p, l := audited(t, c.van)
			var got verify.Result
			if err := json.Unmarshal(p.answers(l.Case)[c.agent], &got); err != nil {
				t.Fatal(err)
			}
			if got.Verdict != "fail" || got.Confidence != c.confidence || got.Reasoning != c.reasoning || !slices.Equal(got.Affected, c.affected) {
				t.Errorf("got %s (%d) %v: %s", got.Verdict, got.Confidence, got.Affected, got.Reasoning)
			}
			first := map[string]string{}
			for _, it := range slices.Backward(got.Evidence) {
				first[it.Type] = string(it.Data)
				if !strings.Contains(it.Source, ":") || !it.Captured.Equal(p.Clock.Now()) || !sum.MatchString(it.Hash) {
					t.Errorf("P6 %s lacks source, captured_at or hash: %+v", it.Type, it)
				}
			}
			if len(first) != len(c.evidence) {
				t.Errorf("got types %v", first)
			}
			for kind, fields := range c.evidence {
				for _, f := range fields {
					if !strings.Contains(first[kind], f) {
						t.Errorf("%s lacks %s: %s", kind, f, first[kind])
					}
				}
			}
		})
	}
	t.Run("P-017 P-028 P-029 P-030 P-031 P-032 the other two agents", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-107")
		shape := func(agent, want string) {
			t.Helper()
			if raw := p.answers(l.Case)[agent]; !regexp.MustCompile(want).Match(raw) {
				t.Errorf("%s answered %s, want %s", agent, raw, want)
			}
		}
		shape("casemanager", `^{"case_id":"CASE-[0-9a-f]{8}","vanpool_id":"VP-107","status":"pending_reply","outcome":"","failed_checks":\["shift"\],"reasoning":"EMP-1031 works .+"}$`)
		shape("outreach", `^{"email_thread_id":"THREAD-[0-9a-f]{8}","message_id":"MSG-[0-9a-f]{8}","bucket":null,"hitl_required":false,"sent":true}$`)
		p.Clock.Add(time.Minute)
		p.reply("EMP-1031", "This is wrong, I dispute it.")
		p.Decide(p.Pending()[0].ID, dossier.Decision{Verb: dossier.Reject, Note: "I will call."})
		shape("outreach", `^{"email_thread_id":"THREAD-[0-9a-f]{8}","message_id":null,"bucket":"escalation","hitl_required":true,"sent":false}$`)
	})
}

// TestCaseRow reads a case as the interface gives it, open and closed.
func TestCaseRow(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{}).as(patrol.Coordinator)
	l := p.audit("VP-102")
	_, open := p.Call("GET", base+"/cases/"+string(l.Case), nil, nil)
	var row map[string]json.RawMessage
	if err := json.Unmarshal([]byte(open), &row); err != nil {
		t.Fatal(err)
	}
	var id uint64
	if err := json.Unmarshal(row["id"], &id); err != nil || id == 0 {
		t.Errorf("P-061 id is %s: %v", row["id"], err)
	}
	const meta = `{"reason":"shift_mismatch","details":"EMP-1006 works Night Shift (Mon-Thu,Sun 22:00-06:30) while the van runs for Day Shift: they can share it on 0 of 20 working days, and 50 % are needed. All 5 riders live within 50 miles of the pickup point.",` +
		`"failed_checks":["shift"],"opened_by":"case_manager_agent","updated_by":"case_manager_agent","re_audits":0}`
	for key, want := range map[string]string{
		"case_id": `"` + string(l.Case) + `"`, "vanpool_id": `"VP-102"`, "status": `"pending_reply"`, "meta": meta, "outcome": "null", "resolved_at": "null",
		"created_at": `"2026-03-02T12:00:00Z"`, "updated_at": `"2026-03-02T12:00:00Z"`,
	} {
		if string(row[key]) != want {
			t.Errorf("P-061 P-062 P-063 P-064 P-065 P-066 %s is %s, want %s", key, row[key], want)
		}
	}
	if row["riders"] != nil || row["employee_ids"] != nil {
		t.Errorf("P-068 the case repeats who rides: %s", open)
	}
	p.Clock.Add(time.Hour)
	p.setShift("EMP-1006", "SH-DAY")
	p.reply("EMP-1006", "I switched to the day shift.")
	var closed caseView
	p.want(200, "GET", "/cases/"+string(l.Case), nil, &closed)
	if closed.Status != patrol.Resolved || closed.Outcome == nil || *closed.Outcome != "resolved" || closed.Resolved == nil || !closed.Resolved.Equal(p.Clock.Now()) || closed.ID != id {
		t.Errorf("P-061 closed: %+v", closed)
	}
	t.Run("P2 P-059 a later failure is a new case and the old one stays", func(t *testing.T) {
		p.setShift("EMP-1006", "SH-NIGHT")
		p.Clock.Add(time.Hour)
		again := p.audit("VP-102")
		cases, err := p.Bench.Desk.Cases(t.Context(), app.CaseFilter{Subject: "vanpool/VP-102"})
		if err != nil || again.Case == l.Case || len(cases) != 2 {
			t.Errorf("got %s after %s, %d cases %v", again.Case, l.Case, len(cases), err)
		}
		p.wantStatus(l.Case, patrol.Resolved)
		p.wantStatus(again.Case, patrol.PendingReply)
	})
}
