package poolpatrol

import (
	"strings"
	"testing"

	"dossier"
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
			learned := func() []eval.Lesson {
				t.Helper()
				got, err := p.Kit.Lessons(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			if got := learned(); len(got) != 0 {
				t.Fatalf("something is learned before anybody decided: %+v", got)
			}
			asked := p.Pending()[0]
			p.Decide(asked.ID, c.decide)
			got := learned()
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
