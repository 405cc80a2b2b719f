package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/ledger"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/work"
)

// asked returns a paused run with one pending approval.
func asked(t *testing.T, s *store.Store, a dossier.Approval) (dossier.Run, dossier.Approval) {
	t.Helper()
	run := StartRun(t, s, OpenCase(t, s, "vanpool/VP-101"))
	if err := s.Record(t.Context(), agent.Move{
		Run: run.ID, Status: dossier.Paused, Entries: []agent.Entry{{Step: Step(2, dossier.Asked)}}, Approvals: []dossier.Approval{a},
	}); err != nil {
		t.Fatal(err)
	}
	as, err := s.Approvals(t.Context(), run.ID)
	if err != nil || len(as) != 1 {
		t.Fatal(as, err)
	}
	return run, as[0]
}

func testQuorum(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	ask := Ask()
	ask.Need = 2
	run, a := asked(t, s, ask)
	status := func() dossier.Status {
		r, err := s.Run(ctx, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r.Status
	}
	decide := func(who string) error {
		now, err := s.Approval(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := now.Decide(dossier.Decision{Verb: dossier.Approve, At: c.Now(), By: dossier.Principal{ID: who, Name: who, Roles: []dossier.Role{"programme"}}}); err != nil {
			return err
		}
		return s.Settle(ctx, now)
	}
	if err := decide("ann"); err != nil || status() != dossier.Paused {
		t.Fatalf("one of two: %v, the run is %s", err, status())
	}
	if err := decide("ann"); !errors.Is(err, dossier.Conflict) {
		t.Errorf("the same person twice: %v", err)
	}
	if err := decide("bob"); err != nil || status() != dossier.Ready {
		t.Fatalf("two of two: %v, the run is %s", err, status())
	}
	got, err := s.Approval(ctx, a.ID)
	if err != nil || got.Status != dossier.Approved || len(got.Decisions) != 2 || got.Decisions[1].By.ID != "bob" {
		t.Errorf("%+v %v", got, err)
	}
	mine, err := s.ListApprovals(ctx, records.ApprovalQuery{DecidedBy: "ann", Apps: []string{"poolpatrol"}})
	if err != nil || len(mine) != 1 || len(mine[0].Decisions) != 2 {
		t.Errorf("decided by ann: %+v %v", mine, err)
	}
	if none, err := s.ListApprovals(ctx, records.ApprovalQuery{Statuses: []dossier.ApprovalStatus{dossier.Pending}}); err != nil || len(none) != 0 {
		t.Errorf("still pending: %+v %v", none, err)
	}
}

func testDeadlines(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	ask := Ask()
	ask.Remind, ask.Expires, ask.Escalate = c.Now().Add(time.Hour), c.Now().Add(2*time.Hour), []dossier.Role{"lead"}
	run, a := asked(t, s, ask)
	inbox := func(role dossier.Role) int {
		as, err := s.ListApprovals(ctx, records.ApprovalQuery{Roles: []dossier.Role{role}, Now: c.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return len(as)
	}
	sweep := func(d time.Duration) dossier.Approval {
		if _, err := s.Sweep(ctx, c.Add(d)); err != nil {
			t.Fatal(err)
		}
		a, err := s.Approval(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if got := sweep(time.Minute); got.Status != dossier.Pending || inbox("lead") != 0 || inbox("programme") != 1 {
		t.Fatalf("early: %+v", got)
	}
	for range 2 { // reminded once
		got := sweep(30 * time.Minute)
		if c.Now().Before(ask.Remind) {
			got = sweep(30 * time.Minute)
		}
		if !slices.Contains(got.Roles, "lead") || got.Status != dossier.Pending || inbox("lead") != 1 {
			t.Fatalf("reminded: %+v", got)
		}
	}
	if got := sweep(time.Hour); got.Status != dossier.Expired {
		t.Fatalf("expired: %+v", got)
	}
	if r, err := s.Run(ctx, run.ID); err != nil || r.Status != dossier.Ready {
		t.Errorf("the run is %s %v", r.Status, err)
	}
	line, err := s.Timeline(ctx, run.Case, 0, 100)
	var kinds []string
	for _, e := range line {
		if e.Approval == a.ID {
			kinds = append(kinds, e.Kind)
		}
	}
	if want := []string{records.ApprovalAsked, records.ApprovalReminded, records.ApprovalExpired}; err != nil || !slices.Equal(kinds, want) {
		t.Errorf("timeline %v, want %v (%v)", kinds, want, err)
	}
}

// testDoubt: the question whether an act happened is kept as one, and those who read of
// it on the timeline or through a webhook are told what the verbs mean there.
func testDoubt(t *testing.T, s *store.Store, c *Clock) {
	for verb, want := range map[dossier.Verb]string{
		dossier.Approve: "Ann has it done again: ", dossier.Respond: "Ann says that it did: ", dossier.Reject: "Ann says that it did not: ",
	} {
		ask := Ask()
		ask.Doubt, ask.Title, ask.Verbs = true, "Did this happen? Cancel it.", []dossier.Verb{dossier.Approve, dossier.Respond, dossier.Reject}
		run, a := asked(t, s, ask)
		if !a.Doubt {
			t.Fatal("the doubt was not kept")
		}
		ann := dossier.Principal{ID: "ann", Name: "Ann", Roles: []dossier.Role{"programme"}}
		if err := a.Decide(dossier.Decision{Verb: verb, At: c.Now(), By: ann, Note: "I looked."}); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		line, err := s.Timeline(t.Context(), run.Case, 0, 100)
		var told []string
		for _, e := range line {
			if e.Approval == a.ID {
				told = append(told, e.Text)
			}
		}
		asks := "Asked: Did this happen? Cancel it. Approve does it again, respond records that it happened, reject that it did not."
		if says := []string{asks, want + "Did this happen? Cancel it. – I looked."}; err != nil || !slices.Equal(told, says) {
			t.Errorf("%s: the timeline tells %q, want %q (%v)", verb, told, says, err)
		}
	}
}

func testDue(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	later := func(name, unique string, in time.Duration, n string) {
		if err := s.Later(ctx, "netra", name, json.RawMessage(n), c.Now().Add(in), unique); err != nil {
			t.Fatal(err)
		}
	}
	later("b", "k", time.Hour, "1")
	later("b", "k", 2*time.Hour, "2") // replaces
	later("a", "", time.Hour, "3")
	later("a", "", time.Hour, "4") // stands beside
	claim := func(d time.Duration) (args []string) {
		err := s.Within(ctx, func(ctx context.Context) error {
			jobs, err := s.ClaimDue(ctx, c.Now().Add(d), 10)
			for _, j := range jobs {
				args = append(args, string(j.Args))
				if j.Kind != work.Due || j.App != "netra" || j.Row == "" {
					t.Errorf("job %+v", j)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(args)
		return args
	}
	if got := claim(59 * time.Minute); len(got) != 0 {
		t.Errorf("early: %v", got)
	}
	if got := claim(time.Hour); !slices.Equal(got, []string{"3", "4"}) {
		t.Errorf("after an hour: %v", got)
	}
	if got := claim(time.Hour); len(got) != 0 {
		t.Errorf("claimed twice: %v", got)
	}
	if got := claim(2 * time.Hour); !slices.Equal(got, []string{"2"}) {
		t.Errorf("after two: %v", got)
	}
	later("b", "k", time.Hour, "5") // the claimed row does not stand in its way
	if err := s.Never(ctx, "netra", "b", "k"); err != nil {
		t.Fatal(err)
	}
	if got := claim(24 * time.Hour); len(got) != 0 {
		t.Errorf("taken back: %v", got)
	}
	if _, err := s.Sweep(ctx, c.Now().Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := claim(48 * time.Hour); len(got) != 3 {
		t.Errorf("claimed by a process that died: %v", got)
	}
}

func testCheckpoints(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	one, two := OpenCase(t, s, "vanpool/1"), OpenCase(t, s, "vanpool/2")
	grow := func(id dossier.CaseID) ledger.Head {
		seen, _, err := s.RecordFacts(ctx, id, []dossier.Evidence{Shift(1), Shift(2)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ledger.Head{Case: id, Seq: seen[1].Seq, Hash: seen[1].Hash}
	}
	uncovered := func() []ledger.Head {
		heads, err := s.Uncovered(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return heads
	}
	first := []ledger.Head{grow(one.ID), grow(two.ID)}
	slices.SortFunc(first, func(a, b ledger.Head) int { return slices.Compare([]byte(a.Case), []byte(b.Case)) })
	if got := uncovered(); !slices.Equal(got, first) {
		t.Fatalf("uncovered %+v, want %+v", got, first)
	}
	cp := ledger.Checkpoint{Number: 1, At: c.Now(), Heads: 2, Root: "r"}
	if err := s.AddCheckpoint(ctx, cp, first); err != nil {
		t.Fatal(err)
	}
	if err := s.AddCheckpoint(ctx, cp, first); !errors.Is(err, dossier.Conflict) {
		t.Errorf("the same number twice: %v", err)
	}
	if got := uncovered(); len(got) != 0 {
		t.Errorf("covered and uncovered: %+v", got)
	}
	second := grow(one.ID)
	if got := uncovered(); !slices.Equal(got, []ledger.Head{second}) || second.Seq != 4 {
		t.Errorf("uncovered %+v, want %+v", got, second)
	}
	if err := s.AddCheckpoint(ctx, ledger.Checkpoint{Number: 2, At: c.Now()}, []ledger.Head{second}); err != nil {
		t.Fatal(err)
	}
	got, heads, err := s.Covering(ctx, two.ID)
	if err != nil || got != cp || !slices.Equal(heads, first) {
		t.Errorf("%+v %+v %v", got, heads, err)
	}
	if got, _, err := s.Covering(ctx, one.ID); err != nil || got.Number != 2 {
		t.Errorf("%+v %v", got, err)
	}
	if _, _, err := s.Covering(ctx, "CASE-none"); !errors.Is(err, dossier.NotFound) {
		t.Errorf("no checkpoint: %v", err)
	}
	if all, err := s.Checkpoints(ctx, 10); err != nil || len(all) != 2 || all[0].Number != 2 {
		t.Errorf("%+v %v", all, err)
	}
}
