package poolpatrol

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
)

func TestVerified(t *testing.T) {
	t.Parallel()
	p, l := audited(t, "VP-101")
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
	t.Run("P-038 a case begins in verification", func(t *testing.T) {
		var data string
		err := p.Env.DB.QueryRow(t.Context(), `SELECT data FROM events WHERE case_id = $1 ORDER BY id LIMIT 1`, string(l.Case)).Scan(&data)
		if err != nil || !strings.Contains(data, `"stage":"verification"`) {
			t.Errorf("the case was opened with %s %v", data, err)
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
		_, steps, err := p.Store.Load(t.Context(), l.Run)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(steps, func(s dossier.Step) bool { return s.Kind == dossier.ModelTurn })
		var turn agent.Turn
		if i < 0 || json.Unmarshal(steps[i].Body, &turn) != nil || len(turn.Calls) != 2 {
			t.Errorf("the first turn is %+v, want both calls in it", turn)
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

func TestWhy(t *testing.T) {
	t.Parallel()
	p, l := audited(t, "VP-102")
	e, err := p.why.Why(t.Context(), l.Case, "Why did it fail?")
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
