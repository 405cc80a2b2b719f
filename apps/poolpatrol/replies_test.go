package poolpatrol

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	t.Run("P-159 P-041 P-044 P-050 update, records put right: resolved", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-105")
		p.setShift("EMP-1021", "SH-DAY")
		if b := p.reply("EMP-1021", "I switched to the day shift and updated the portal."); b != "update" {
			t.Fatalf("got bucket %s", b)
		}
		p.wantStatus(l.Case, patrol.Resolved)
		c, err := p.Bench.Desk.Case(t.Context(), l.Case)
		if err != nil || c.State != dossier.Closed || c.Outcome != "resolved" || c.Closed.IsZero() {
			t.Errorf("got %+v %v", c, err)
		}
		if got := p.subjects("EMP-1021"); !slices.Equal(got, []string{"Your seat in VP-105: please check your shift", "Your seat in VP-105: thank you for the update"}) {
			t.Errorf("got mail %q", got)
		}
		p.Verify(l.Case)
	})
	t.Run("P-159 P-045 P-167 update, records as they were: outreach again, one specialist", func(t *testing.T) {
		t.Parallel()
		p, l := audited(t, "VP-106")
		before := len(p.tools(l.Case))
		p.Clock.Add(time.Minute)
		p.reply("EMP-1026", "I moved to days last month.")
		p.wantStatus(l.Case, patrol.PendingReply)
		got := p.tools(l.Case)[before:]
		if !slices.Contains(got, "casemanager:run_shift_specialist") || slices.Contains(got, "casemanager:run_location_specialist") {
			t.Errorf("got %v, want the shift specialist alone", got)
		}
		if got := p.subjects("EMP-1026"); got[len(got)-1] != "Your seat in VP-106: we looked again" {
			t.Errorf("got mail %q", got)
		}
		row, err := p.caseRow(t.Context(), l.Case)
		if err != nil || row.Meta.Reaudits != 1 {
			t.Errorf("got %d re-audits %v, want 1", row.Meta.Reaudits, err)
		}
	})
}

func TestQuestionAndAcknowledgment(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	t.Run("P-169 P-049 a question is answered and the case waits", func(t *testing.T) {
		l := p.audit("VP-111")
		if b := p.reply("EMP-1051", "How is the distance measured?"); b != "question" {
			t.Fatalf("got bucket %s", b)
		}
		p.wantStatus(l.Case, patrol.PendingReply)
		if got := p.subjects("EMP-1051"); len(got) != 2 || got[1] != "Your seat in VP-111: how the check works" {
			t.Errorf("got mail %q", got)
		}
	})
	t.Run("P-170 P-048 P1 all good does not close a case that still fails", func(t *testing.T) {
		l := p.audit("VP-112")
		if b := p.reply("EMP-1056", "All good here"); b != "acknowledgment" {
			t.Fatalf("got bucket %s", b)
		}
		p.wantStatus(l.Case, patrol.PendingReply)
	})
	t.Run("P-170 P1 it does once a new look passes", func(t *testing.T) {
		p.setShift("EMP-1056", "SH-DAY")
		p.reply("EMP-1056", "Everything is fine now, confirmed.")
		c, err := p.Bench.Desk.Cases(t.Context(), app.CaseFilter{Subject: "vanpool/VP-112"})
		if err != nil || len(c) != 1 || c[0].Outcome != "resolved" {
			t.Errorf("got %+v %v", c, err)
		}
	})
}

func TestEscalation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		decide dossier.Decision
		status patrol.Status
		mail   string // text of the answer; "": none
	}{
		{"P-160 P-053 approve sends the draft", dossier.Decision{Verb: dossier.Approve}, patrol.PendingReply, "a coordinator has read your message"},
		{"P-160 P-053 edit sends what the person wrote", dossier.Decision{Verb: dossier.Edit}, patrol.PendingReply, "We are sorry, Eli."},
		{"P-160 P-053 reject sends nothing", dossier.Decision{Verb: dossier.Reject, Note: "I will call."}, patrol.HITLReview, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, l := audited(t, "VP-107")
			if b := p.reply("EMP-1031", "This is wrong, I dispute it."); b != "escalation" {
				t.Fatalf("got bucket %s", b)
			}
			p.wantStatus(l.Case, patrol.HITLReview) // P-036, P-042, P-058
			asked := p.Pending()
			if len(asked) != 1 || asked[0].Tool != "send_email_for_review" || len(p.subjects("EMP-1031")) != 1 {
				t.Fatalf("P-051 P-032 got %+v and mail %q", asked, p.subjects("EMP-1031"))
			}
			runs, err := p.Bench.Desk.Runs(t.Context(), l.Case)
			if i := slices.IndexFunc(runs, func(r dossier.Run) bool { return r.ID == asked[0].Run }); err != nil || i < 0 || runs[i].Agent != "outreach" ||
				!slices.ContainsFunc(runs, func(r dossier.Run) bool { return r.ID == runs[i].ParentOf && r.Agent == "casemanager" }) {
				t.Errorf("P-079 %s does not wait inside the case manager's run: %+v %v", asked[0].Run, runs, err)
			}
			if want := []dossier.Verb{dossier.Approve, dossier.Edit, dossier.Reject}; !slices.Equal(asked[0].Verbs, want) {
				t.Errorf("got verbs %v, want %v", asked[0].Verbs, want)
			}
			page, err := p.casePage(t.Context(), l.Case)
			if err != nil || len(page.Threads[0].Drafts) != 1 || page.Threads[0].Drafts[0].Sent {
				t.Fatalf("P-173 got %+v %v", page.Threads, err)
			}
			if c.decide.Verb == dossier.Edit {
				c.decide.Args = json.RawMessage(strings.Replace(string(asked[0].Args), `Hello [first name],`, `We are sorry, [first name].`, 1))
			}
			p.Decide(asked[0].ID, c.decide)
			p.wantStatus(l.Case, c.status)
			sent := p.Mail.Sent()
			if c.mail == "" {
				if len(sent) != 1 {
					t.Errorf("got %d mails, want the first alone", len(sent))
				}
				return
			}
			if len(sent) != 2 || !strings.Contains(sent[1].Text, c.mail) {
				t.Errorf("got %d mails, the last\n%s", len(sent), sent[len(sent)-1].Text)
			}
			if sent[1].InReplyTo == "" || len(sent[1].Refs) != 2 {
				t.Errorf("the answer is not threaded: %+v", sent[1])
			}
		})
	}
}

// The outreach agent's answer says what its tools returned and nothing else.
func TestOutreachSaysWhatHappened(t *testing.T) {
	t.Parallel()
	outreach, err := player{start(t, apptest.Options{}).patrol.Agents}.agent("outreach")
	if err != nil {
		t.Fatal(err)
	}
	read := func(bucket string) model.Return {
		return model.Return{Tool: "classify_reply", Value: json.RawMessage(`{"bucket":"` + bucket + `"}`)}
	}
	sent := model.Return{Tool: "send_email", Value: json.RawMessage(`{"email_thread_id":"THREAD-00000001","message_id":"MSG-00000003"}`)}
	failed := sent
	failed.Failed = true
	for name, c := range map[string]struct {
		answer  string
		returns []model.Return
		why     string // "": it is taken
	}{
		"P-030 nothing inbound":             {`{"email_thread_id":"THREAD-00000001","bucket":null,"hitl_required":false,"sent":true,"message_id":"MSG-00000003"}`, []model.Return{sent}, ""},
		"P-030 the bucket that was read":    {`{"email_thread_id":"THREAD-00000001","bucket":"question","hitl_required":false,"sent":true,"message_id":"MSG-00000003"}`, []model.Return{read("question"), sent}, ""},
		"P-030 another bucket":              {`{"email_thread_id":"THREAD-00000001","bucket":"update","hitl_required":false,"sent":true,"message_id":"MSG-00000003"}`, []model.Return{read("question"), sent}, "The bucket must be"},
		"P-030 a bucket that was not read":  {`{"email_thread_id":"THREAD-00000001","bucket":"question","hitl_required":false,"sent":false,"message_id":null}`, nil, "The bucket must be"},
		"P-031 an escalation":               {`{"email_thread_id":"THREAD-00000001","bucket":"escalation","hitl_required":true,"sent":false,"message_id":null}`, []model.Return{read("escalation")}, ""},
		"P-031 an escalation left unmarked": {`{"email_thread_id":"THREAD-00000001","bucket":"escalation","hitl_required":false,"sent":false,"message_id":null}`, []model.Return{read("escalation")}, "hitl_required is true for"},
		"P-031 a question marked":           {`{"email_thread_id":"THREAD-00000001","bucket":"question","hitl_required":true,"sent":true,"message_id":"MSG-00000003"}`, []model.Return{read("question"), sent}, "hitl_required is true for"},
		"P-032 a mail that was not sent":    {`{"email_thread_id":"THREAD-00000001","bucket":null,"hitl_required":false,"sent":true,"message_id":"MSG-00000003"}`, []model.Return{failed}, "sent and message_id must say"},
		"P-032 another mail":                {`{"email_thread_id":"THREAD-00000001","bucket":null,"hitl_required":false,"sent":true,"message_id":"MSG-00000004"}`, []model.Return{sent}, "sent and message_id must say"},
		"P-028 another thread":              {`{"email_thread_id":"THREAD-00000002","bucket":null,"hitl_required":false,"sent":true,"message_id":"MSG-00000003"}`, []model.Return{sent}, "email_thread_id must be THREAD-00000001"},
		"P-028 another thread, unsent":      {`{"email_thread_id":"THREAD-00000002","bucket":"escalation","hitl_required":true,"sent":false,"message_id":null}`, []model.Return{read("escalation")}, "email_thread_id must be THREAD-00000001"},
		"P-032 a mail passed over":          {`{"email_thread_id":"THREAD-00000001","bucket":null,"hitl_required":false,"sent":false,"message_id":null}`, []model.Return{sent}, "sent and message_id must say"},
	} {
		err := outreach.Check(t.Context(), agent.Draft{
			Run: dossier.Run{Input: json.RawMessage(`{"email_thread_id":"THREAD-00000001"}`)}, Answer: json.RawMessage(c.answer), Returns: c.returns,
		})
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(dossier.Message(err), c.why) {
			t.Errorf("%s: got %v, want %q", name, err, c.why)
		}
	}
}
