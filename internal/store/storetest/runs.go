package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/records"
	"dossier/internal/store"
)

func testRecord(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	err := s.Record(ctx, agent.Move{
		Run: run.ID, Status: dossier.Ready, At: c.Add(time.Second),
		Entries: []agent.Entry{{
			Step: Step(2, dossier.Returned), Seen: []dossier.Evidence{Shift(1), Shift(2)},
			Found: []dossier.Finding{{Check: "shift", Verdict: dossier.Fail, By: "rule/shift@1", Reason: "Shifts differ."}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	seen, found, err := s.Facts(ctx, cs.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := dossier.VerifyChain(seen); err != nil || len(seen) != 2 {
		t.Fatalf("chain of %d: %v", len(seen), err)
	}
	if string(seen[0].Data) != `{"shift":1}` || seen[0].Step != dossier.StepID(string(run.ID)+"/2") {
		t.Errorf("evidence %+v", seen[0])
	}
	if len(found) != 1 || len(found[0].Cites) != 2 || found[0].Cites[1] != seen[1].ID {
		t.Fatalf("finding %+v", found)
	}
	got, steps, err := s.Load(ctx, run.ID)
	if err != nil || len(steps) != 2 || got.Status != dossier.Ready || !steps[1].At.Equal(c.Now()) {
		t.Fatalf("load: %+v %+v %v", got, steps, err)
	}
	line, err := s.Timeline(ctx, cs.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for i, e := range line {
		kinds = append(kinds, e.Kind)
		if i > 0 && e.Seq <= line[i-1].Seq {
			t.Errorf("event %d does not rise", i)
		}
	}
	want := []string{records.CaseOpened, records.RunStarted, records.RunStepped, records.EvidenceRecorded, records.EvidenceRecorded, records.FindingMade}
	if len(kinds) != len(want) {
		t.Fatalf("timeline %v, want %v", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Errorf("timeline %v, want %v", kinds, want)
		}
	}
}

func testRecordRefuses(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	finding := dossier.Finding{Check: "shift", Verdict: dossier.Fail, By: "rule/shift@1"}
	err := s.Record(ctx, agent.Move{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: Step(2, dossier.Returned), Found: []dossier.Finding{finding}}}})
	if !errors.Is(err, dossier.Invalid) {
		t.Errorf("finding without evidence: %v", err)
	}
	finding.Cites = []dossier.EvidenceID{"ev-none"}
	err = s.Record(ctx, agent.Move{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: Step(2, dossier.Returned), Found: []dossier.Finding{finding}}}})
	if !errors.Is(err, dossier.Invalid) {
		t.Errorf("finding with unknown evidence: %v", err)
	}
	if _, steps, _ := s.Load(ctx, run.ID); len(steps) != 1 {
		t.Errorf("a refused move left %d steps", len(steps))
	}
	err = s.Record(ctx, agent.Move{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: Step(1, dossier.ModelTurn)}}})
	if !errors.Is(err, dossier.Conflict) {
		t.Errorf("taken place: %v", err)
	}
	if err := s.Record(ctx, agent.Move{Run: run.ID, Status: dossier.Done, Answer: json.RawMessage(`"ok"`), Entries: []agent.Entry{{Step: Step(2, dossier.Answered)}}}); err != nil {
		t.Fatal(err)
	}
	err = s.Record(ctx, agent.Move{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: Step(3, dossier.ModelTurn)}}})
	if !errors.Is(err, dossier.Conflict) {
		t.Errorf("ended run: %v", err)
	}
	if err := s.Record(ctx, agent.Move{Run: "run-none", Status: dossier.Ready}); !errors.Is(err, dossier.NotFound) {
		t.Errorf("unknown run: %v", err)
	}
	if r, _ := s.Run(ctx, run.ID); string(r.Answer) != `"ok"` || !r.Ended.Equal(c.Now()) {
		t.Errorf("ended run %+v", r)
	}
}

func testRecordSameStepAtOnce(t *testing.T, s *store.Store, _ *Clock) {
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	const n = 16
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			errs[i] = s.Record(t.Context(), agent.Move{
				Run: run.ID, Status: dossier.Ready,
				Entries: []agent.Entry{{Step: Step(2, dossier.Returned), Seen: []dossier.Evidence{Shift(i)}}},
			})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, dossier.Conflict):
			t.Errorf("loser got %v", err)
		}
	}
	seen, _, err := s.Facts(t.Context(), cs.ID)
	if won != 1 || len(seen) != 1 || err != nil {
		t.Errorf("%d won, %d entries, %v", won, len(seen), err)
	}
}

func testEvidenceVoidsApproval(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	seen, _, err := s.RecordFacts(ctx, cs.ID, []dossier.Evidence{Shift(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Record(ctx, agent.Move{
		Run: run.ID, Status: dossier.Paused, Entries: []agent.Entry{{Step: Step(2, dossier.Asked)}},
		Approvals: []dossier.Approval{Ask(seen[0].ID)},
	}); err != nil {
		t.Fatal(err)
	}
	pending := func() dossier.Approval {
		as, err := s.Approvals(ctx, run.ID)
		if err != nil || len(as) != 1 {
			t.Fatal(as, err)
		}
		return as[0]
	}
	if _, _, err := s.RecordFacts(ctx, cs.ID, []dossier.Evidence{Shift(1)}, nil); err != nil {
		t.Fatal(err)
	}
	if a := pending(); a.Status != dossier.Pending {
		t.Fatalf("the same fact seen again made it %s", a.Status)
	}
	if _, _, err := s.RecordFacts(ctx, cs.ID, []dossier.Evidence{Shift(3)}, nil); err != nil {
		t.Fatal(err)
	}
	a := pending()
	if a.Status != dossier.Void || a.VoidedBy == "" {
		t.Fatalf("after a changed fact: %s %q", a.Status, a.VoidedBy)
	}
	if r, _ := s.Run(ctx, run.ID); r.Status != dossier.Ready {
		t.Errorf("the run is %s", r.Status)
	}
	a.Status, a.Decisions = dossier.Approved, []dossier.Decision{{Verb: dossier.Approve, By: dossier.Principal{ID: "u1", Name: "Ann"}}}
	if err := s.Settle(ctx, a); !errors.Is(err, dossier.Conflict) {
		t.Errorf("deciding a void approval: %v", err)
	}
}

func testSettleOnce(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	if err := s.Record(ctx, agent.Move{
		Run: run.ID, Status: dossier.Paused, Entries: []agent.Entry{{Step: Step(2, dossier.Asked)}}, Approvals: []dossier.Approval{Ask()},
	}); err != nil {
		t.Fatal(err)
	}
	as, err := s.ListApprovals(ctx, records.ApprovalQuery{Statuses: []dossier.ApprovalStatus{dossier.Pending}, Roles: []dossier.Role{"programme"}})
	if err != nil || len(as) != 1 {
		t.Fatal(as, err)
	}
	if none, _ := s.ListApprovals(ctx, records.ApprovalQuery{Roles: []dossier.Role{"gate"}}); len(none) != 0 {
		t.Errorf("another role sees %d", len(none))
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			a := as[0]
			d := dossier.Decision{Verb: dossier.Approve, At: c.Now(), Note: "fine",
				By: dossier.Principal{ID: string(rune('a' + i)), Name: "Ann", Roles: []dossier.Role{"programme"}}}
			if errs[i] = a.Decide(d); errs[i] == nil {
				errs[i] = s.Settle(ctx, a)
			}
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, dossier.Conflict) {
			t.Errorf("loser got %v", err)
		}
	}
	got, err := s.Approval(ctx, as[0].ID)
	if won != 1 || err != nil || got.Status != dossier.Approved || len(got.Decisions) != 1 || got.Decisions[0].Note != "fine" {
		t.Errorf("%d won: %+v %v", won, got, err)
	}
	if r, _ := s.Run(ctx, run.ID); r.Status != dossier.Ready {
		t.Errorf("the run is %s", r.Status)
	}
}

// testWakeIsNotLost plays the race in which a child ends while its parent is about to
// wait: the parent must not sleep on.
func testWakeIsNotLost(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	child := dossier.Run{ID: "run-child", Case: cs.ID, App: cs.App, Agent: "shift", Parent: "p/2", For: dossier.SystemPrincipal}
	if err := s.Record(ctx, agent.Move{
		Run: run.ID, Status: dossier.Paused, Entries: []agent.Entry{{Step: Step(2, dossier.Called)}}, Children: []dossier.Run{child},
	}); err != nil {
		t.Fatal(err)
	}
	if kids, err := s.ChildRuns(ctx, run.ID); err != nil || len(kids) != 1 || kids[0].Status != dossier.Ready {
		t.Fatal(kids, err)
	}
	end := agent.Move{Run: child.ID, Status: dossier.Done, Answer: json.RawMessage(`1`), Entries: []agent.Entry{{Step: Step(1, dossier.Answered)}}}
	if err := s.Record(ctx, end); err != nil {
		t.Fatal(err)
	}
	status := func() dossier.Status {
		r, err := s.Run(ctx, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r.Status
	}
	if status() != dossier.Ready {
		t.Fatal("the parent was not woken")
	}
	pause := agent.Move{Run: run.ID, Status: dossier.Paused}
	if err := s.Record(ctx, pause); err != nil {
		t.Fatal(err)
	}
	if status() != dossier.Ready {
		t.Error("the parent sleeps though it was woken after it was loaded")
	}
	if err := s.Record(ctx, pause); err != nil {
		t.Fatal(err)
	}
	if status() != dossier.Paused {
		t.Error("the parent cannot wait any more")
	}
}

func testWithin(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	if _, err := s.DB().Exec(ctx, "CREATE TABLE poolpatrol_t (a TEXT PRIMARY KEY, b BIGINT NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := s.Within(ctx, func(ctx context.Context) error {
		if _, err := s.DB().Exec(ctx, "INSERT INTO poolpatrol_t (a, b) VALUES ($1, $2)", "x", true); err != nil {
			return err
		}
		if err := s.Record(ctx, agent.Move{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: Step(2, dossier.Returned)}}}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	var n int
	if err := s.DB().QueryRow(ctx, "SELECT count(*) FROM poolpatrol_t").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows stayed, %v", n, err)
	}
	if _, steps, _ := s.Load(ctx, run.ID); len(steps) != 1 {
		t.Error("the step stayed")
	}
	err = s.Within(ctx, func(ctx context.Context) error {
		for range 2 { // the second violates the key; ignoring that must not help
			_, _ = s.DB().Exec(ctx, "INSERT INTO poolpatrol_t (a, b) VALUES ($1, $2)", "x", 1)
		}
		return nil
	})
	if !errors.Is(err, dossier.Conflict) {
		t.Errorf("an ignored failure committed: %v", err)
	}
}

// testActs checks which acts may be begun again.
func testActs(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	run := StartRun(t, s, OpenCase(t, s, "vanpool/VP-101"))
	n := 1
	record := func(begin, finish *agent.Act) error {
		n++
		return s.Record(ctx, agent.Move{
			Run: run.ID, Status: dossier.Ready, Begin: begin, Finish: finish,
			Entries: []agent.Entry{{Step: Step(n, dossier.Begun)}},
		})
	}
	act := func(st agent.ActState) *agent.Act {
		return &agent.Act{App: "poolpatrol", Key: "mail/1", Run: run.ID, Call: "c", State: st, Value: json.RawMessage(`{"id":1}`)}
	}
	if a, err := s.Act(ctx, "poolpatrol", "mail/1"); err != nil || a.State != agent.ActNone {
		t.Fatal(a, err)
	}
	for _, st := range []agent.ActState{agent.ActFailed, agent.ActDone} { // after a failure it may be begun again
		if err := record(act(""), nil); err != nil {
			t.Fatal(err)
		}
		if err := record(nil, act(st)); err != nil {
			t.Fatal(err)
		}
	}
	if err := record(act(""), nil); !errors.Is(err, dossier.Conflict) {
		t.Errorf("done and begun again: %v", err)
	}
	if a, err := s.Act(ctx, "poolpatrol", "mail/1"); err != nil || a.State != agent.ActDone || string(a.Value) != `{"id":1}` {
		t.Error(a, err)
	}
}

// testNestedQueries reads with the same text inside its own rows, and writes there: a
// prepared statement serves one reader, and a connection one statement.
func testNestedQueries(t *testing.T, s *store.Store, _ *Clock) {
	d := s.DB()
	if _, err := d.Exec(t.Context(), "CREATE TABLE n (a BIGINT)"); err != nil {
		t.Fatal(err)
	}
	for round := range 4 { // the text is prepared after its second transaction
		pairs := 0
		err := d.InTx(t.Context(), func(ctx context.Context) error {
			for i := range 3 {
				if _, err := d.Exec(ctx, "INSERT INTO n (a) VALUES ($1)", i); err != nil {
					return err
				}
			}
			outer, err := d.Query(ctx, "SELECT a FROM n WHERE a >= $1", 0)
			if err != nil {
				return err
			}
			defer outer.Close()
			for outer.Next() {
				inner, err := d.Query(ctx, "SELECT a FROM n WHERE a >= $1", 0)
				if err != nil {
					return err
				}
				for inner.Next() {
					pairs++
				}
				inner.Close()
				if _, err := d.Exec(ctx, "UPDATE n SET a = a WHERE a < $1", 0); err != nil {
					return err
				}
			}
			return outer.Err()
		})
		if want := (3 * (round + 1)) * (3 * (round + 1)); err != nil || pairs != want {
			t.Errorf("round %d: %d pairs, want %d, %v", round, pairs, want, err)
		}
	}
}

// testDrivenRunsAreNotQueued holds that children whose caller drives them, and a caller
// that is driven itself, are made ready without a job; all others have one. A child that
// fails wakes its caller as one that answers does.
func testDrivenRunsAreNotQueued(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run := StartRun(t, s, cs)
	queued := func() (n int) {
		t.Helper()
		if err := s.DB().QueryRow(ctx, "SELECT count(*) FROM river_job").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	at := func(id dossier.RunID, want dossier.Status) {
		t.Helper()
		if r, err := s.Run(ctx, id); err != nil || r.Status != want {
			t.Errorf("%s is %s, %v; want %s", id, r.Status, err, want)
		}
	}
	before, seq := queued(), 1
	const done, fails = dossier.Done, dossier.Failed
	for _, c := range []struct {
		drives, driven bool
		end            dossier.Status
		jobs           int // for the child, and for its caller once it ended
	}{{true, true, done, 0}, {true, false, done, 1}, {false, true, done, 1}, {false, false, done, 2}, {true, true, fails, 0}, {false, false, fails, 2}} {
		seq += 2 // the caller takes a turn, as whoever was woken does, and then calls
		child := dossier.Run{ID: dossier.RunID(fmt.Sprintf("run-kid%d", seq)), Case: cs.ID, App: cs.App, Agent: "shift", Parent: "p/2", For: dossier.SystemPrincipal}
		for _, m := range []agent.Move{
			{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: Step(seq-1, dossier.ModelTurn)}}},
			{Run: run.ID, Status: dossier.Paused, Entries: []agent.Entry{{Step: Step(seq, dossier.Called)}}, Children: []dossier.Run{child}, Drives: c.drives},
			{Run: child.ID, Status: c.end, Entries: []agent.Entry{{Step: Step(1, dossier.Answered)}}, Driven: c.driven},
		} {
			if err := s.Record(ctx, m); err != nil {
				t.Fatal(err)
			}
			if len(m.Children) > 0 {
				at(child.ID, dossier.Ready)
			}
		}
		at(run.ID, dossier.Ready)
		if n := queued() - before; n != c.jobs {
			t.Errorf("drives %v, driven %v, %s: %d jobs, want %d", c.drives, c.driven, c.end, n, c.jobs)
		}
		before = queued()
	}
}

// testPreliminaryFacts holds that a case is found by its facts from when it is one.
func testPreliminaryFacts(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	found := func(text string) int {
		t.Helper()
		cs, err := s.Cases(ctx, records.CaseQuery{Text: text, States: []dossier.State{dossier.Preliminary, dossier.Open, dossier.Cleared}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return len(cs)
	}
	for i, becomes := range []dossier.State{dossier.Open, dossier.Cleared} {
		c, _, err := s.OpenCase(ctx, "poolpatrol", app.Opening{Subject: fmt.Sprintf("vanpool/VP-%d", i), Title: "Van", State: dossier.Preliminary})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.RecordFacts(ctx, c.ID, []dossier.Evidence{Shift(40 + i)}, nil); err != nil {
			t.Fatal(err)
		}
		word := fmt.Sprintf("%d", 40+i)
		if n := found(word); n != 0 {
			t.Errorf("a preliminary case is found by %s", word)
		}
		if _, err := s.MoveCase(ctx, c.ID, 0, app.Change{State: becomes}); err != nil {
			t.Fatal(err)
		}
		if n, want := found(word), 1-i; n != want {
			t.Errorf("found by %s once it is %s: %d, want %d", word, becomes, n, want)
		}
		if n := found(fmt.Sprintf("VP-%d", i)); n != 1 {
			t.Errorf("not found by its subject once it is %s", becomes)
		}
	}
}
