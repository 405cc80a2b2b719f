package poolpatrol

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/demo"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/agent"
	"dossier/internal/app"
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

func TestVerified(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	l := p.audit("VP-101")
	t.Run("P-155 P-039 all pass: verified and no case", func(t *testing.T) {
		if l.Outcome != "verified" || len(l.Failed) != 0 {
			t.Errorf("got %+v, want verified", l)
		}
		cases, err := p.Bench.Desk.Cases(t.Context(), app.CaseFilter{})
		if err != nil || len(cases) != 0 {
			t.Errorf("got %d cases %v, want none in any list", len(cases), err)
		}
		if len(p.Mail.Sent()) != 0 {
			t.Errorf("mail was sent: %v", p.Mail.Sent())
		}
	})
	t.Run("P-133 P-155 at most three tools", func(t *testing.T) {
		got := slices.DeleteFunc(p.tools(l.Case), func(s string) bool { return !strings.HasPrefix(s, "casemanager:") })
		if want := []string{"casemanager:run_shift_specialist", "casemanager:run_location_specialist"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("P-034 P-006 specialists are child runs, both of one turn", func(t *testing.T) {
		runs, err := p.Bench.Desk.Runs(t.Context(), l.Case)
		if err != nil || len(runs) != 3 {
			t.Fatalf("got %d runs %v, want the case manager and two specialists", len(runs), err)
		}
		parents := map[dossier.RunID]int{}
		for _, r := range runs {
			parents[r.ParentOf]++
		}
		if parents[l.Run] != 2 {
			t.Errorf("got parents %v, want two children of %s", parents, l.Run)
		}
	})
	t.Run("every finding can be recomputed", func(t *testing.T) { p.Verify(l.Case) })
	t.Run("a second look is a new record", func(t *testing.T) {
		if again := p.audit("VP-101"); again.Case == l.Case || again.Outcome != "verified" {
			t.Errorf("got %+v", again)
		}
	})
}

func TestOpening(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	for _, c := range []struct {
		row, van, rider, reason, subject string
		failed                           []string
	}{
		{"P-156 P-084", "VP-102", "EMP-1006", "shift_mismatch", "Your seat in VP-102: please check your shift", []string{"shift"}},
		{"P-157 P-085", "VP-103", "EMP-1011", "location_mismatch", "Your seat in VP-103: please check your home address", []string{"location"}},
		{"P-158 P-086 P3", "VP-104", "EMP-1016", "shift_mismatch", "Your seat in VP-104: please check your shift and your home address", []string{"shift", "location"}},
	} {
		t.Run(c.row, func(t *testing.T) {
			l := p.audit(c.van)
			row, err := p.caseRow(t.Context(), l.Case)
			if err != nil {
				t.Fatal(err)
			}
			if row.Status != patrol.PendingReply || row.Meta.Reason != c.reason || !slices.Equal(row.Meta.FailedChecks, c.failed) ||
				row.Meta.OpenedBy != "case_manager_agent" || row.Meta.Details == "" {
				t.Errorf("got %+v", row)
			}
			if !regexp.MustCompile(`^CASE-[0-9a-f]{8}$`).MatchString(row.Case) {
				t.Errorf("P-060 case id %q", row.Case)
			}
			if got := p.subjects(c.rider); !slices.Equal(got, []string{c.subject}) {
				t.Errorf("got mail %q, want %q", got, c.subject)
			}
			threads, err := p.patrol.Book.Threads(t.Context(), l.Case)
			if err != nil || len(threads) != 1 || !regexp.MustCompile(`^THREAD-[0-9a-f]{8}$`).MatchString(threads[0].ID) {
				t.Fatalf("P-028 P-067 threads %+v %v", threads, err)
			}
			mail, err := p.patrol.Book.Messages(t.Context(), threads[0].ID)
			if err != nil || len(mail) != 1 || !regexp.MustCompile(`^MSG-[0-9a-f]{8}$`).MatchString(mail[0].ID) {
				t.Fatalf("P-029 mail %+v %v", mail, err)
			}
			p.Verify(l.Case)
		})
	}
	t.Run("P8 mail goes to the riders concerned and to nobody else", func(t *testing.T) {
		for _, m := range p.Mail.Sent() {
			if len(m.To) != 1 {
				t.Errorf("got recipients %v", m.To)
			}
		}
		if n := len(p.Mail.Sent()); n != 3 {
			t.Errorf("got %d mails, want 3", n)
		}
	})
	t.Run("P11 the letter has the name, and no model saw it", func(t *testing.T) {
		m := p.Mail.Sent()[0]
		if !strings.Contains(m.Text, "Hello Fern,") || strings.Contains(m.Text, "[first name]") || !strings.Contains(m.Text, "http://dossier.test/poolpatrol/counter/") {
			t.Errorf("got letter\n%s", m.Text)
		}
		rows, err := p.Env.DB.Query(t.Context(), `SELECT body FROM steps`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var body string
			if err := rows.Scan(&body); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(body, "Fern") || strings.Contains(body, "@example.com") || strings.Contains(body, "Oak Hill Road") {
				t.Fatalf("a step holds personal data: %s", body)
			}
		}
	})
	t.Run("P2 P-059 one open case per van", func(t *testing.T) {
		first, second := p.audit("VP-102"), p.audit("VP-102")
		if first.Case != second.Case || len(p.Mail.Sent()) != 3 {
			t.Errorf("got %s and %s with %d mails", first.Case, second.Case, len(p.Mail.Sent()))
		}
	})
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	t.Run("P-159 P-041 P-044 P-050 update, records put right: resolved", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l := p.audit("VP-105")
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
		p := start(t, apptest.Options{})
		l := p.audit("VP-106")
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
			p := start(t, apptest.Options{})
			l := p.audit("VP-107")
			if b := p.reply("EMP-1031", "This is wrong, I dispute it."); b != "escalation" {
				t.Fatalf("got bucket %s", b)
			}
			p.wantStatus(l.Case, patrol.HITLReview) // P-036, P-042, P-058
			asked := p.Pending()
			if len(asked) != 1 || asked[0].Tool != "send_email_for_review" || len(p.subjects("EMP-1031")) != 1 {
				t.Fatalf("P-051 P-032 got %+v and mail %q", asked, p.subjects("EMP-1031"))
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

func TestTimeout(t *testing.T) {
	t.Parallel()
	t.Run("P-161 P-043 P-044 a week of silence, records put right: resolved", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l := p.audit("VP-102")
		p.setShift("EMP-1006", "SH-DAY")
		p.Walk(7*24*time.Hour - time.Minute)
		p.wantStatus(l.Case, patrol.PendingReply)
		p.Walk(2 * time.Minute)
		p.wantStatus(l.Case, patrol.Resolved)
	})
	t.Run("P-161 P-046 P7 a week of silence, still failing: pre-cancel and a person", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l := p.audit("VP-102")
		p.Walk(7*24*time.Hour + time.Hour)
		p.wantStatus(l.Case, patrol.PreCancel)
		asked := p.Pending()
		if len(asked) != 1 || asked[0].Tool != "cancel_membership" || asked[0].Title != "Remove EMP-1006 from VP-102" {
			t.Fatalf("got %+v", asked)
		}
		if want := []dossier.Verb{dossier.Approve, dossier.Reject}; !slices.Equal(asked[0].Verbs, want) {
			t.Errorf("P-052 got verbs %v, want %v", asked[0].Verbs, want)
		}
		if !p.rides("VP-102", "EMP-1006") {
			t.Error("P-054 the rider is gone before anybody agreed")
		}
	})
	t.Run("P7 a reminder on the fifth business day, once, and it does not move the week", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{}) // Monday 2 March 2026, noon
		p.audit("VP-102")
		p.Walk(4*24*time.Hour - time.Hour)
		if n := len(p.subjects("EMP-1006")); n != 1 {
			t.Fatalf("got %d mails on Friday morning, want 1", n)
		}
		p.Walk(2 * time.Hour)
		if got := p.subjects("EMP-1006"); len(got) != 2 || got[1] != "Reminder: your seat in VP-102" {
			t.Fatalf("got mail %q on Friday noon", got)
		}
		p.Walk(3 * 24 * time.Hour)
		if n := len(p.subjects("EMP-1006")); n != 2 || len(p.Pending()) != 1 {
			t.Errorf("got %d mails and %d questions on the next Monday, want 2 and 1", n, len(p.Pending()))
		}
	})
	t.Run("P7 an answer restarts the week", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l := p.audit("VP-102")
		p.Walk(6 * 24 * time.Hour)
		p.reply("EMP-1006", "What do you need from me?")
		p.Walk(6 * 24 * time.Hour)
		p.wantStatus(l.Case, patrol.PendingReply)
		p.Walk(25 * time.Hour)
		p.wantStatus(l.Case, patrol.PreCancel)
	})
}

func TestThreeReaudits(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	l := p.audit("VP-109")
	for i, text := range []string{"I updated my profile.", "I have corrected it again.", "It has been fixed in the portal, I updated it."} {
		p.wantStatus(l.Case, patrol.PendingReply)
		if len(p.Pending()) != 0 {
			t.Fatalf("a person is asked after %d re-audits", i)
		}
		p.reply("EMP-1041", text)
	}
	t.Run("P-162 P-047 the third failed re-audit goes to a person", func(t *testing.T) {
		p.wantStatus(l.Case, patrol.PreCancel)
		if asked := p.Pending(); len(asked) != 1 || asked[0].Tool != "cancel_membership" {
			t.Errorf("got %+v", asked)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	straight := func(t *testing.T, p programme) (patrol.Look, dossier.Approval) {
		t.Helper()
		l, err := p.patrol.Audit(t.Context(), patrol.Order{Vanpool: "VP-110", For: p.Person("ann"), Straight: true})
		if err != nil || len(p.Pending()) != 1 {
			t.Fatalf("got %+v %v with %d questions", l, err, len(p.Pending()))
		}
		return l, p.Pending()[0]
	}
	t.Run("P-163 reject: the rider stays", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l, a := straight(t, p)
		p.Decide(a.ID, dossier.Decision{Verb: dossier.Reject, Note: "On a training rota until May."})
		p.wantStatus(l.Case, patrol.Resolved)
		if !p.rides("VP-110", "EMP-1046") {
			t.Error("the rider was removed")
		}
		m, err := p.numbers.Metrics(t.Context())
		if err != nil || m.Reversals.All.Rejected != 1 || m.Reversals.All.Proposed != 1 {
			t.Errorf("P-005 got %+v %v", m.Reversals.All, err)
		}
	})
	t.Run("P-164 P-081 approve: the rider is removed exactly once", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		l, a := straight(t, p)
		p.Decide(a.ID, dossier.Decision{Verb: dossier.Approve})
		p.wantStatus(l.Case, patrol.Cancelled)
		if p.rides("VP-110", "EMP-1046") {
			t.Error("the rider still rides")
		}
		removed, err := p.patrol.Book.Removals(t.Context())
		if err != nil || len(removed) != 1 || removed[0].Approver != "Person person" || removed[0].Model != "reference/casemanager" {
			t.Fatalf("P-182 got %+v %v", removed, err)
		}
		if _, err := p.Inbox.Decide(t.Context(), a.ID, "", dossier.Decision{Verb: dossier.Approve, By: p.Person("bob")}); err == nil {
			t.Error("a second decision was taken")
		}
		p.Walk(48 * time.Hour)
		if again, _ := p.patrol.Book.Removals(t.Context()); len(again) != 1 {
			t.Errorf("got %d removals", len(again))
		}
		if err := p.server.reinstate(t.Context(), "VP-110", "EMP-1046"); err != nil || !p.rides("VP-110", "EMP-1046") {
			t.Errorf("reinstate: %v", err)
		}
		m, err := p.numbers.Metrics(t.Context())
		if err != nil || m.Reversals.All.Rate != 1 || m.Reversals.ByRule[0].Name != "shift" || m.Reversals.ByApprover[0].Reversed != 1 || m.Reversals.ByModel[0].Name != "reference/casemanager" {
			t.Errorf("P-005 got %+v %v", m.Reversals, err)
		}
		p.Verify(l.Case)
	})
	t.Run("P-165 P5 P-055 P-057 nothing is lost by a restart before the decision", func(t *testing.T) {
		t.Parallel()
		url := "sqlite:" + t.TempDir() + "/restart.db"
		first := start(t, apptest.Options{URL: url})
		l, a := straight(t, first)
		second := start(t, apptest.Options{URL: url}) // another process over the same rows
		second.Decide(a.ID, dossier.Decision{Verb: dossier.Approve})
		second.wantStatus(l.Case, patrol.Cancelled)
		if second.rides("VP-110", "EMP-1046") {
			t.Error("the rider still rides")
		}
	})
	t.Run("P-052 an inspector may not decide", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		_, a := straight(t, p)
		_, err := p.Inbox.Decide(t.Context(), a.ID, "", dossier.Decision{Verb: dossier.Approve, By: p.Person("ann", patrol.Inspector)})
		if dossier.KindOf(err) != dossier.Forbidden {
			t.Errorf("got %v, want forbidden", err)
		}
	})
}

func TestWhy(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	l := p.audit("VP-102")
	e, err := p.patrol.Why(t.Context(), l.Case, "Why did it fail?")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("P-166 P-014 the answer names the finding and cites evidence", func(t *testing.T) {
		if !strings.Contains(e.Text, "EMP-1006 works Night Shift") || !strings.Contains(e.Text, "The shift check came out as fail") || len(e.Cites) < 3 {
			t.Errorf("got %s citing %v", e.Text, e.Cites)
		}
		chain, _, err := p.Bench.Desk.Facts(t.Context(), l.Case)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range e.Cites {
			if !slices.ContainsFunc(chain, func(ev dossier.Evidence) bool { return ev.ID == id }) {
				t.Errorf("%s is not evidence of the case", id)
			}
		}
	})
}
