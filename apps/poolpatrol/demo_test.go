package poolpatrol

import (
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/demo"
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
)

// TestDemo loads the demo on days on which clocks, weeks and years turn: what it shows
// is the same on each.
func TestDemo(t *testing.T) {
	t.Parallel()
	for _, day := range []string{"2026-03-02T12:00:00Z", "2026-03-08T10:30:00Z", "2026-11-01T08:30:00Z", "2026-11-15T23:59:59Z", "2027-01-01T00:00:01Z"} {
		t.Run(day, func(t *testing.T) {
			t.Parallel()
			demoOn(t, day)
		})
	}
}

func demoOn(t *testing.T, day string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, day)
	if err != nil {
		t.Fatal(err)
	}
	b := apptest.Open(t, App, apptest.Options{At: at})
	if err := b.Kit.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"VP-102": "pending_reply", "VP-103": "pending_reply", "VP-104": "pending_reply", "VP-105": "resolved", "VP-106": "pending_reply", "VP-107": "hitl_review",
		"VP-108": "pending_reply", "VP-109": "pre_cancel", "VP-110": "pre_cancel", "VP-111": "pending_reply", "VP-112": "pending_reply",
	}
	cases, err := b.Desk.Cases(t.Context(), app.CaseFilter{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range cases {
		got[strings.TrimPrefix(c.Subject, "vanpool/")] = string(patrol.StatusOf(c))
		b.Verify(c.ID)
	}
	for van, status := range want {
		if got[van] != status {
			t.Errorf("%s is %q, want %q", van, got[van], status)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got cases %v", got)
	}
}

// What lies behind the demo's day was done by the same ways, weeks before: its figures
// stand before whoever decides next.
func TestDemoHasAPast(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, App, apptest.Options{})
	begun := b.Clock.Now()
	for range 2 {
		if err := b.Kit.Past(t.Context(), func(d time.Duration) { b.Clock.Add(d) }); err != nil {
			t.Fatal(err)
		}
	}
	b.Clock.Add(28*24*time.Hour - b.Clock.Now().Sub(begun))
	for range 2 {
		if err := b.Kit.Demo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pt, err := patrol.New(b.Env, patrol.Defaults, prompt)
	if err != nil {
		t.Fatal(err)
	}
	p := programme{b, newServer(b.Env, pt)}
	m, err := p.numbers.Metrics(t.Context())
	if want := (numbers.Reversal{Name: "all", Proposed: 3, Rejected: 1, Cancelled: 2, Reversed: 1, Rate: 0.5}); err != nil || m.Reversals.All != want {
		t.Errorf("P-005 got %+v %v, want %+v", m.Reversals.All, err, want)
	}
	for name, got := range map[string][]numbers.Reversal{"shift location": m.Reversals.ByRule, "reference/casemanager": m.Reversals.ByModel, demoCoordinator.Name: m.Reversals.ByApprover} {
		if len(got) == 0 || !strings.Contains(name, got[0].Name) || got[len(got)-1].Reversed != 1 {
			t.Errorf("P-182 %s: got %+v", name, got)
		}
	}
	var asked dossier.Approval
	for _, a := range p.Pending() {
		if a.Tool == "cancel_membership" {
			asked = a
		}
	}
	known, err := b.Kit.Background(t.Context(), asked, p.Person("ann"))
	if err != nil || len(known) == 0 || known[0].Value != "1 of 2 undone (50 %); 1 of 3 proposals rejected" {
		t.Errorf("P-182 whoever decides is told %+v %v", known, err)
	}
	if !p.rides("VP-113", demo.Mistaken) || p.rides("VP-115", demo.Moved) || !p.rides("VP-114", demo.OnLoan) {
		t.Error("seats are not as they were decided")
	}
	cases, err := b.Desk.Cases(t.Context(), app.CaseFilter{States: []dossier.State{dossier.Closed}})
	if err != nil {
		t.Fatal(err)
	}
	past := 0
	for _, c := range cases {
		if c.Opened.Before(b.Clock.Now().Add(-14*24*time.Hour)) && c.Closed.Sub(c.Opened) >= 24*time.Hour {
			past++
		}
		b.Verify(c.ID)
	}
	if past != 3 || len(m.Weeks) < 2 {
		t.Errorf("got %d cases of weeks ago and %d weeks", past, len(m.Weeks))
	}
	t.Run("P-161 the week of silence is over when the demo begins", func(t *testing.T) { overAtOnce(t, p) })
}

// overAtOnce works what is due now: the silent rider was reminded, and a person is asked.
func overAtOnce(t *testing.T, p programme) {
	t.Helper()
	open, err := p.patrol.Book.OpenWith(t.Context(), demo.Silent)
	if err != nil || len(open) != 1 {
		t.Fatalf("got threads %+v %v", open, err)
	}
	p.wantStatus(open[0].Case, patrol.PendingReply)
	p.Settle()
	p.wantStatus(open[0].Case, patrol.PreCancel)
	mail, err := p.patrol.Book.Messages(t.Context(), open[0].ID)
	if err != nil || len(mail) != 2 || mail[1].Kind != string(patrol.Reminder) {
		t.Fatalf("got mail %+v %v", mail, err)
	}
	begins := p.Clock.Now()
	if first, again := begins.Sub(mail[0].At), mail[1].At.Sub(mail[0].At); first != 7*24*time.Hour || again < 4*24*time.Hour || again >= first {
		t.Errorf("the first mail is %v old, the reminder came after %v", first, again)
	}
}
