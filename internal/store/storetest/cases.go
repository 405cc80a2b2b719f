package storetest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/records"
	"dossier/internal/store"
)

func testCases(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	ids := make([]dossier.CaseID, 8)
	var wg sync.WaitGroup
	for i := range ids { // one live case per subject, however many ask for it
		wg.Go(func() {
			cs, _, err := s.OpenCase(ctx, "netra", app.Opening{Subject: "district/9", Title: "Nine"})
			if err != nil {
				t.Error(err)
			}
			ids[i] = cs.ID
		})
	}
	wg.Wait()
	if len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 1 {
		t.Fatalf("several live cases: %v", ids)
	}
	cs, err := s.CaseOf(ctx, "netra", "district/9")
	if err != nil || cs.State != dossier.Preliminary || cs.Version != 1 || !cs.Opened.Equal(c.Now()) || !cs.Closed.IsZero() {
		t.Fatalf("%+v %v", cs, err)
	}
	if _, err := s.CaseOf(ctx, "gatepass", "district/9"); !errors.Is(err, dossier.NotFound) {
		t.Errorf("another app's case: %v", err)
	}
	if _, err := s.MoveCase(ctx, cs.ID, 0, app.Change{State: dossier.Closed}); !errors.Is(err, dossier.Conflict) {
		t.Errorf("preliminary to closed: %v", err)
	}
	if _, err := s.MoveCase(ctx, cs.ID, 7, app.Change{State: dossier.Open}); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a stale version: %v", err)
	}
	later := c.Add(time.Minute)
	cs, err = s.MoveCase(ctx, cs.ID, 1, app.Change{State: dossier.Open, Stage: "scored", By: "rule/score@1", Note: "It crossed 70."})
	if err != nil || cs.Version != 2 || cs.Stage != "scored" || !cs.Updated.Equal(later) {
		t.Fatalf("%+v %v", cs, err)
	}
	cs, err = s.MoveCase(ctx, cs.ID, 0, app.Change{State: dossier.Closed, Outcome: "escalated"})
	if err != nil || cs.Outcome != "escalated" || cs.Stage != "scored" || !cs.Closed.Equal(later) {
		t.Fatalf("%+v %v", cs, err)
	}
	if _, err := s.MoveCase(ctx, cs.ID, 0, app.Change{State: dossier.Open}); !errors.Is(err, dossier.Conflict) {
		t.Errorf("closed to open: %v", err)
	}
	again, fresh, err := s.OpenCase(ctx, "netra", app.Opening{Subject: "district/9", Title: "Nine again"})
	if err != nil || !fresh || again.ID == cs.ID {
		t.Errorf("looking again: %+v %v %v", again, fresh, err)
	}
	if _, _, err := s.OpenCase(ctx, "netra", app.Opening{ID: cs.ID, Subject: "district/10"}); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a taken id: %v", err)
	}
	if _, err := s.Case(ctx, "CASE-none"); !errors.Is(err, dossier.NotFound) || dossier.Message(err) != "There is no case CASE-none." {
		t.Errorf("an unknown case: %v", err)
	}
	line, err := s.Timeline(ctx, cs.ID, 0, 10)
	if err != nil || len(line) != 3 || line[1].Text != "preliminary → open, stage scored: It crossed 70." || line[1].By != "rule/score@1" {
		t.Errorf("%+v %v", line, err)
	}
}

func testListCases(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	at := map[string]time.Time{}
	ids := map[string]dossier.CaseID{}
	for _, o := range []struct{ app, subject, title string }{
		{"netra", "district/1", "Škofja Loka floods"}, {"netra", "district/2", "Heat in 100% of wards"},
		{"gatepass", "pass/1", "Lunch"}, {"netra", "district/3", "Quiet"}, {"netra", "district/4", "Drought"},
	} {
		cs, _, err := s.OpenCase(ctx, o.app, app.Opening{Subject: o.subject, Title: o.title, State: dossier.Open})
		if err != nil {
			t.Fatal(err)
		}
		at[o.subject], ids[o.subject] = cs.Opened, cs.ID
		c.Add(time.Hour)
	}
	if _, err := s.MoveCase(ctx, ids["district/4"], 0, app.Change{Title: "Floods again"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.OpenCase(ctx, "netra", app.Opening{Subject: "district/5"}); err != nil { // preliminary: not listed
		t.Fatal(err)
	}
	if _, _, err := s.RecordFacts(ctx, ids["district/3"], []dossier.Evidence{
		dossier.NewEvidence("report", dossier.Source{System: "press"}, 1, "The river ROSE overnight."),
	}, nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		name string
		q    records.CaseQuery
		want []string
	}{
		{"all", records.CaseQuery{}, []string{"district/4", "district/3", "pass/1", "district/2", "district/1"}},
		{"one app", records.CaseQuery{Apps: []string{"gatepass"}}, []string{"pass/1"}},
		{"no app", records.CaseQuery{Apps: []string{}}, nil},
		{"a state", records.CaseQuery{States: []dossier.State{dossier.Preliminary}}, []string{"district/5"}},
		{"a subject", records.CaseQuery{Subject: "district/2"}, []string{"district/2"}},
		{"letter case of any script", records.CaseQuery{Text: "škofja FLOODS"}, []string{"district/1"}},
		{"evidence", records.CaseQuery{Text: "rose overnight"}, []string{"district/3"}},
		{"a percent sign", records.CaseQuery{Text: "100%"}, []string{"district/2"}},
		{"the beginning of a word", records.CaseQuery{Text: "flo"}, []string{"district/4", "district/1"}},
		{"part of a subject", records.CaseQuery{Text: "District/4"}, []string{"district/4"}},
		{"signs are no wildcards", records.CaseQuery{Text: "fl_ods"}, nil},
		{"no match, not even with a word it had once", records.CaseQuery{Text: "drought"}, nil},
		{"opened after", records.CaseQuery{OpenedAfter: at["district/3"]}, []string{"district/4", "district/3"}},
		{"opened before", records.CaseQuery{OpenedBefore: at["district/2"]}, []string{"district/1"}},
		{"first page", records.CaseQuery{Limit: 2}, []string{"district/4", "district/3"}},
		{"second page", records.CaseQuery{Limit: 2, After: records.Position{At: at["district/3"], ID: string(ids["district/3"])}}, []string{"pass/1", "district/2"}},
	} {
		cases, err := s.Cases(ctx, q.q)
		var got []string
		for _, cs := range cases {
			got = append(got, cs.Subject)
		}
		if err != nil || !slices.Equal(got, q.want) {
			t.Errorf("%s: got %v, want %v (%v)", q.name, got, q.want, err)
		}
	}
	counts, err := s.CaseCounts(ctx, []string{"netra"})
	want := []records.CaseCount{{App: "netra", State: dossier.Open, Count: 4}, {App: "netra", State: dossier.Preliminary, Count: 1}}
	if err != nil || !slices.Equal(counts, want) {
		t.Errorf("%v %v", counts, err)
	}
}

func testListRuns(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	cs := OpenCase(t, s, "vanpool/VP-101")
	first := StartRun(t, s, cs)
	c.Add(time.Second)
	if err := s.Record(ctx, agent.Move{
		Run: first.ID, Status: dossier.Paused, Entries: []agent.Entry{{Step: Step(2, dossier.Called)}},
		Children: []dossier.Run{{ID: "run-child", Case: cs.ID, App: cs.App, Agent: "shift", Parent: "x", For: dossier.Principal{ID: "u1", Name: "Ann", Roles: []dossier.Role{"hr"}}, Started: c.Now()}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		name string
		q    records.RunQuery
		want []dossier.RunID
	}{
		{"all", records.RunQuery{}, []dossier.RunID{"run-child", first.ID}},
		{"top", records.RunQuery{Top: true, Case: cs.ID}, []dossier.RunID{first.ID}},
		{"status", records.RunQuery{Status: dossier.Ready}, []dossier.RunID{"run-child"}},
		{"for", records.RunQuery{For: "u1"}, []dossier.RunID{"run-child"}},
		{"agent", records.RunQuery{Agent: "casemanager", Apps: []string{"poolpatrol"}}, []dossier.RunID{first.ID}},
		{"next page", records.RunQuery{After: records.Position{At: c.Now(), ID: "run-child"}}, []dossier.RunID{first.ID}},
	} {
		runs, err := s.Runs(ctx, q.q)
		var got []dossier.RunID
		for _, r := range runs {
			got = append(got, r.ID)
		}
		if err != nil || !slices.Equal(got, q.want) {
			t.Errorf("%s: got %v, want %v (%v)", q.name, got, q.want, err)
		}
	}
	kids, err := s.ChildRuns(ctx, first.ID)
	if err != nil || len(kids) != 1 || kids[0].ParentOf != first.ID || !kids[0].For.Has("hr") {
		t.Errorf("%+v %v", kids, err)
	}
	if all, err := s.RunsOf(ctx, cs.ID); err != nil || len(all) != 2 || all[0].ID != first.ID {
		t.Errorf("%+v %v", all, err)
	}
}
