package storetest

import (
	"encoding/json"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/store"
)

// testSpent holds that a run carries what its moves took, and a case what its runs did.
// What nobody has been bothered with counts in the sum and is in no list.
func testSpent(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	run, other := StartRun(t, s, cs), StartRun(t, s, OpenCase(t, s, "vanpool/VP-102"))
	early, _, err := s.OpenCase(ctx, cs.App, app.Opening{Subject: "vanpool/VP-103", Title: "Van", State: dossier.Preliminary})
	if err != nil {
		t.Fatal(err)
	}
	unseen := StartRun(t, s, early)
	move := func(id dossier.RunID, seq int, status dossier.Status, x dossier.Expense) {
		t.Helper()
		err := s.Record(ctx, agent.Move{Run: id, Status: status, Answer: json.RawMessage(`1`), Entries: []agent.Entry{{Step: Step(seq, dossier.ModelTurn), Spent: x}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	move(run.ID, 2, dossier.Ready, dossier.Expense{Model: "openai/small", Turns: 1, TokensIn: 100, TokensOut: 20, Cost: 0.25, BusyMs: 12.5})
	move(run.ID, 3, dossier.Ready, dossier.Expense{BusyMs: 2})
	move(run.ID, 4, dossier.Done, dossier.Expense{Model: "openai/large", Turns: 1, TokensIn: 200, TokensOut: 30, Cost: 0.5, BusyMs: 30})
	move(other.ID, 2, dossier.Ready, dossier.Expense{Model: "openai/small", Turns: 1, TokensIn: 7, TokensOut: 8, Cost: 1, BusyMs: 9})
	move(unseen.ID, 2, dossier.Ready, dossier.Expense{Model: "openai/small", Turns: 1, TokensIn: 1000, TokensOut: 1, Cost: 2, BusyMs: 3})
	want := dossier.Expense{Model: "openai/large", Turns: 2, TokensIn: 300, TokensOut: 50, Cost: 0.75, BusyMs: 44.5}
	if got, err := s.Run(ctx, run.ID); err != nil || got.Spent != want {
		t.Errorf("the run took %+v, %v; want %+v", got.Spent, err, want)
	}
	want.Model = ""
	if one, err := s.Spent(ctx, cs.App, cs.ID); err != nil || one != want {
		t.Errorf("the case took %+v, %v", one, err)
	}
	if all, err := s.Spent(ctx, cs.App, ""); err != nil || all.TokensIn != 1307 || all.Turns != 4 || all.Cost != 3.75 {
		t.Errorf("the app took %+v, %v", all, err)
	}
	if none, err := s.Spent(ctx, "another", ""); err != nil || none != (dossier.Expense{}) {
		t.Errorf("another app took %+v, %v", none, err)
	}
	if _, err := s.MoveCase(ctx, other.Case, 0, app.Change{State: dossier.Closed, Outcome: "kept"}); err != nil {
		t.Fatal(err)
	}
	by, err := s.SpentByCase(ctx, cs.App)
	if err != nil || len(by) != 2 || by[cs.ID] != want || by[other.Case].TokensIn != 7 {
		t.Errorf("the cases took %+v, %v", by, err)
	}
}
