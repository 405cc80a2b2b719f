package poolpatrol

import (
	"slices"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
	"dossier/internal/eval"
)

// What a person decided about an escalation becomes an example: sent, it is known to be
// one; rejected, what it was stays open.
func TestLessons(t *testing.T) {
	t.Parallel()
	const escalation = `{"bucket":"escalation","hitl_required":true}`
	for _, c := range []struct {
		name   string
		decide dossier.Decision
		want   string
	}{
		{"approved", dossier.Decision{Verb: dossier.Approve}, escalation},
		{"rejected", dossier.Decision{Verb: dossier.Reject, Note: "A mere question."}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, l := audited(t, "VP-107")
			p.reply("EMP-1031", "This is wrong, I dispute it. Eli Novak, 510-555-0100.")
			if got := p.learned(); len(got) != 0 {
				t.Fatalf("something is learned before anybody decided: %+v", got)
			}
			asked := p.Pending()[0]
			p.Decide(asked.ID, c.decide)
			got := p.learned()
			if len(got) != 1 || got[0].ID != string(asked.ID) || got[0].Suite != "outreach" || got[0].Case != l.Case ||
				string(got[0].Got) != escalation || string(got[0].Want) != c.want || !strings.Contains(got[0].Why, string(c.decide.Verb)) {
				t.Fatalf("got %+v", got)
			}
			text := string(got[0].Input)
			if !strings.Contains(text, "This is wrong, I dispute it.") || strings.Contains(text, "Novak") || strings.Contains(text, "555-0100") {
				t.Errorf("the example reads %s", text)
			}
		})
	}
}

func (p programme) learned() []eval.Lesson {
	p.T.Helper()
	got, err := p.Kit.Lessons(p.T.Context())
	if err != nil {
		p.T.Fatal(err)
	}
	return got
}

// What a person decided about a seat becomes an example of the case manager's suite, and
// playing it again leads where it led: a cancellation that stands is known to be right,
// one that was rejected or given back leaves it open.
func TestLessonsAboutSeats(t *testing.T) {
	t.Parallel()
	const tools = `{"tools":["run_shift_specialist","run_location_specialist","upsert_case","cancel_membership","close_case"]`
	for _, c := range []struct {
		name   string
		decide dossier.Decision
		back   bool
		got    string
		known  bool
		why    string
	}{
		{"P-164 cancelled", dossier.Decision{Verb: dossier.Approve}, false, `,"status":"cancelled","outcome":"cancelled"}`, true, "approve"},
		{"P-163 rejected", dossier.Decision{Verb: dossier.Reject, Note: "On a training rota."}, false, `,"status":"resolved","outcome":"resolved"}`, false, "On a training rota."},
		{"P-005 given back", dossier.Decision{Verb: dossier.Approve}, true, `,"status":"cancelled","outcome":"cancelled"}`, false, "given back"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, apptest.Options{})
			if _, err := p.patrol.Audit(t.Context(), patrol.Order{Vanpool: "VP-110", For: p.Person("ann"), Straight: true}); err != nil {
				t.Fatal(err)
			}
			asked := p.Pending()[0]
			p.Decide(asked.ID, c.decide)
			if c.back {
				if err := p.server.reinstate(t.Context(), p.Person("cora"), "VP-110", "EMP-1046"); err != nil {
					t.Fatal(err)
				}
			}
			all := p.learned()
			if len(all) != 1 || all[0].ID != string(asked.ID) || all[0].Suite != "casemanager" || string(all[0].Got) != tools+c.got ||
				(len(all[0].Want) > 0) != c.known || !strings.Contains(all[0].Why, c.why) {
				t.Fatalf("got %+v", all)
			}
			ex := eval.Example{Name: "production", Input: all[0].Input, Want: all[0].Got}
			i := slices.IndexFunc(p.Kit.Suites, func(s eval.Suite) bool { return s.Name == "casemanager" })
			tr, err := p.Kit.Suites[i].Run(t.Context(), ex, eval.Player{})
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range p.Kit.Suites[i].Graders {
				if grade, err := g.Grade(t.Context(), ex, tr); err != nil || grade.Applies && grade.Score < 1 {
					t.Errorf("played again, %s is %v: %s %v", g.Name, grade.Score, grade.Reason, err)
				}
			}
		})
	}
}
