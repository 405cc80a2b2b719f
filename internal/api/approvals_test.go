package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
	"dossier/internal/store/storetest"
)

func decision(verb dossier.Verb, a dossier.Approval) map[string]any {
	return map[string]any{"verb": verb, "digest": a.Digest}
}

func (h *house) decide(as string, a dossier.Approval, args ...any) answer {
	h.t.Helper()
	return h.do(as, http.MethodPost, "/api/v1/approvals/"+string(a.ID)+"/decision", args...)
}

func TestAnApprovalShowsEverythingThatIsNeeded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	var d ApprovalDetail
	res := h.do("coordinator", http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, &d)
	if d.Title != "Cancel the membership of EMP-1." || d.Why == "" || string(d.Args) != `{"rider":"EMP-1"}` || d.CaseTitle != "Audit of EMP-1" {
		t.Errorf("what is asked: %+v", d.Approval)
	}
	if len(d.Cited) != 1 || d.Cited[0].Source.System != "roster" || len(d.Findings) != 1 {
		t.Errorf("what it rests on: %+v", d.Cited)
	}
	var schema struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(d.Schema, &schema); err != nil || schema.Properties["rider"].Description != "who leaves" || d.Effect != "act" {
		t.Errorf("the form: %s, %v", d.Schema, err)
	}
	var verbs []dossier.Verb
	for _, v := range d.Does {
		verbs = append(verbs, v.Verb)
		if !strings.Contains(v.Does, "cancel") {
			t.Errorf("%s: %q does not say what it will do", v.Verb, v.Does)
		}
	}
	if !slices.Equal(verbs, a.Verbs) || !d.Mine || d.WhyNot != "" || d.More != 1 {
		t.Errorf("verbs %v, mine %v, why not %q, more %d", verbs, d.Mine, d.WhyNot, d.More)
	}
	if res.Header.Get("ETag") != d.ETag {
		t.Errorf("ETag %s, body says %s", res.Header.Get("ETag"), d.ETag)
	}
	h.do("auditor", http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, &d)
	if d.Mine || d.WhyNot != "Your role does not allow this decision." {
		t.Errorf("an auditor: mine %v, why not %q", d.Mine, d.WhyNot)
	}
}

// An act in doubt takes the verbs in another sense than a planned call does.
func TestAnActInDoubtSaysWhatEachAnswerRecords(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	if _, err := h.store.DB().Exec(t.Context(), "UPDATE approvals SET doubt = 1 WHERE id = $1", a.ID); err != nil {
		t.Fatal(err)
	}
	var d ApprovalDetail
	h.do("coordinator", http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, &d)
	if !d.Doubt {
		t.Error("the doubt is not told")
	}
	says := map[dossier.Verb]string{dossier.Approve: "Runs cancel again", dossier.Respond: "Records that cancel did happen", dossier.Reject: "Records that cancel did not happen"}
	for _, v := range d.Does {
		if want, ok := says[v.Verb]; ok && !strings.HasPrefix(v.Does, want) {
			t.Errorf("%s: %q, want %q", v.Verb, v.Does, want)
		}
		delete(says, v.Verb)
	}
	if len(says) > 0 {
		t.Errorf("nothing is said of %v", says)
	}
}

// Whoever holds a token may be the assistant that asked.
func TestATokenDoesNotDecideWhatAnAssistantAsked(t *testing.T) {
	t.Parallel()
	h := newHouseOn(t, "sqlite", func(_ *auth.Config, c *Config) { c.Others = "manager" })
	_, _, a := h.audit("EMP-1")
	if msg := h.decide("coordinator", a, decision(dossier.Approve, a)).problem(403, dossier.Forbidden); !strings.Contains(msg, "Sign in to decide it.") {
		t.Errorf("a token is told %q", msg)
	}
	h.decide("", a, h.signIn("coordinator"), decision(dossier.Approve, a)).want(200, nil)
}

func TestAnApprovalTellsWhatTheAppKnows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	for person, want := range map[string]string{"coordinator": "cancel by The coordinator", "auditor": "cancel by The auditor"} {
		var d ApprovalDetail
		h.do(person, http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, &d)
		if w := (app.Background{Label: want, Value: "1 of 12 undone", How: "Counted.", Link: "/apps/fleet"}); len(d.Background) != 1 || d.Background[0] != w {
			t.Errorf("%s is told %+v, want %+v", person, d.Background, w)
		}
		if d.Model != "reference/manager" {
			t.Errorf("planned by %q", d.Model)
		}
	}
	_, _, a = h.audit("EMP-BLIND")
	var d ApprovalDetail
	res := h.do("coordinator", http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, &d)
	if len(d.Background) != 1 || d.Background[0].Value != "not available" || !d.Mine || strings.Contains(string(res.body), "no such table") {
		t.Errorf("an app that cannot tell: %+v, mine %v", d.Background, d.Mine)
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		as     string
		body   map[string]any
		status int
		kind   dossier.Kind
		after  dossier.ApprovalStatus
	}{
		"approve":                {"coordinator", map[string]any{"verb": "approve"}, 200, "", dossier.Approved},
		"edit":                   {"coordinator", map[string]any{"verb": "edit", "args": map[string]string{"rider": "EMP-9"}}, 200, "", dossier.Approved},
		"edit that does not fit": {"coordinator", map[string]any{"verb": "edit", "args": map[string]int{"rider": 9}}, 422, dossier.Invalid, dossier.Pending},
		"reject":                 {"coordinator", map[string]any{"verb": "reject", "note": "Not yet."}, 200, "", dossier.Rejected},
		"reject without a note":  {"coordinator", map[string]any{"verb": "reject"}, 422, dossier.Invalid, dossier.Pending},
		"respond":                {"coordinator", map[string]any{"verb": "respond", "note": "Ask again."}, 200, "", dossier.Rejected},
		"another role":           {"planner", map[string]any{"verb": "approve"}, 403, dossier.Forbidden, dossier.Pending},
		"an auditor":             {"auditor", map[string]any{"verb": "approve"}, 403, dossier.Forbidden, dossier.Pending},
		"an admin":               {"admin", map[string]any{"verb": "approve"}, 403, dossier.Forbidden, dossier.Pending},
		"an unknown verb":        {"coordinator", map[string]any{"verb": "bless"}, 422, dossier.Invalid, dossier.Pending},
		"another digest":         {"coordinator", map[string]any{"verb": "approve", "digest": "x"}, 409, dossier.Conflict, dossier.Pending},
		"no digest":              {"coordinator", map[string]any{"verb": "approve", "digest": ""}, 422, dossier.Invalid, dossier.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			_, run, a := h.audit("EMP-1")
			if _, ok := c.body["digest"]; !ok {
				c.body["digest"] = a.Digest
			}
			res := h.decide(c.as, a, c.body)
			if c.kind != "" {
				res.problem(c.status, c.kind)
			} else {
				res.want(c.status, nil)
			}
			var d ApprovalDetail
			h.do("coordinator", http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, &d)
			if d.Status != c.after {
				t.Errorf("it is %s, want %s", d.Status, c.after)
			}
			if _, err := h.runner.Drive(t.Context(), run.ID); err != nil {
				t.Fatal(err)
			}
			acted := int64(0)
			if c.after == dossier.Approved {
				acted = 1
			}
			if n := h.acted.Load(); n != acted {
				t.Errorf("it was done %d times, want %d", n, acted)
			}
		})
	}
}

func TestTheSecondPersonIsTold(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	tag := h.do("coordinator", http.MethodGet, "/api/v1/approvals/"+string(a.ID)).want(200, nil).Header.Get("ETag")
	h.decide("coordinator", a, "If-Match: "+tag, map[string]any{"verb": "reject", "note": "No."}).want(200, nil)
	msg := h.decide("second", a, "If-Match: "+tag, map[string]any{"verb": "approve"}).problem(412, dossier.Conflict)
	if msg != "The coordinator already decided this (reject)." {
		t.Errorf("with If-Match the second is told %q", msg)
	}
	msg = h.decide("second", a, decision(dossier.Approve, a)).problem(409, dossier.Conflict)
	if msg != "The coordinator already decided this (reject)." {
		t.Errorf("with the digest the second is told %q", msg)
	}
}

func TestManyDecideAtOnce(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			manyDecideAtOnce(t, newHouseOn(t, database, nil))
		})
	}
}

func manyDecideAtOnce(t *testing.T, h *house) {
	_, _, a := h.audit("EMP-1")
	var wg sync.WaitGroup
	codes := make([]int, 8)
	for i := range codes {
		wg.Go(func() {
			who := []string{"coordinator", "second"}[i%2]
			codes[i] = h.decide(who, a, decision(dossier.Approve, a)).StatusCode
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if want := []int{200, 409, 409, 409, 409, 409, 409, 409}; !slices.Equal(codes, want) {
		t.Errorf("got %v, want %v", codes, want)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	h.clock.Add(49 * time.Hour)
	if msg := h.decide("coordinator", a, decision(dossier.Approve, a)).problem(409, dossier.Conflict); !strings.Contains(msg, "expired") {
		t.Errorf("told %q", msg)
	}
	var p Page[ApprovalItem]
	h.do("coordinator", http.MethodGet, "/api/v1/approvals").want(200, &p)
	if len(p.Items) != 0 {
		t.Errorf("the inbox still holds %+v", p.Items)
	}
}

func TestInbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	h.clock.Add(time.Minute)
	_, _, b := h.audit("EMP-2")
	ids := func(as, query string) []dossier.ApprovalID {
		t.Helper()
		var p Page[ApprovalItem]
		h.do(as, http.MethodGet, "/api/v1/approvals"+query).want(200, &p)
		out := []dossier.ApprovalID{}
		for _, i := range p.Items {
			out = append(out, i.ID)
		}
		return out
	}
	h.decide("coordinator", a, map[string]any{"verb": "reject", "note": "No.", "digest": a.Digest}).want(200, nil)
	for _, c := range []struct {
		as, query string
		want      []dossier.ApprovalID
	}{
		{"coordinator", "", []dossier.ApprovalID{b.ID}},
		{"planner", "", []dossier.ApprovalID{}},
		{"auditor", "", []dossier.ApprovalID{}},
		{"auditor", "?view=pending", []dossier.ApprovalID{b.ID}},
		{"auditor", "?view=all", []dossier.ApprovalID{b.ID, a.ID}},
		{"planner", "?view=decided", []dossier.ApprovalID{a.ID}},
		{"coordinator", "?view=decided&by=me", []dossier.ApprovalID{a.ID}},
		{"second", "?view=decided&by=me", []dossier.ApprovalID{}},
		{"auditor", "?view=all&status=rejected", []dossier.ApprovalID{a.ID}},
		{"auditor", "?view=all&case=" + string(b.Case), []dossier.ApprovalID{b.ID}},
		{"auditor", "?view=all&limit=1", []dossier.ApprovalID{b.ID}},
	} {
		if got := ids(c.as, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s %q: got %v, want %v", c.as, c.query, got, c.want)
		}
	}
}
