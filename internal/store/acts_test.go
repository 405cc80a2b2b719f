package store_test

import (
	"encoding/json"
	"errors"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// recordAct records the next step of a run, with an act that begins or ends in it.
func recordAct(t *testing.T, s *store.Store, run dossier.RunID, seq int, begin, finish *agent.Act) error {
	t.Helper()
	return s.Record(t.Context(), agent.Move{
		Run: run, Status: dossier.Ready, Begin: begin, Finish: finish,
		Entries: []agent.Entry{{Step: dossier.Step{ID: agent.StepID(run, seq), Run: run, Seq: seq, Kind: dossier.Begun, Body: json.RawMessage(`{}`)}}},
	})
}

func TestActsAreTakenOnce(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, clock := storetest.Open(t, name)
			c, _, err := s.OpenCase(t.Context(), "test", app.Opening{Subject: "x", Title: "x", State: dossier.Open})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []dossier.RunID{"run-1", "run-2"} {
				if _, err := s.InsertRun(t.Context(), dossier.Run{ID: id, Case: c.ID, App: "test", Agent: "a", Status: dossier.Ready, Input: json.RawMessage(`{}`), Started: clock.Now()}, nil, true); err != nil {
					t.Fatal(err)
				}
			}
			act := func(run dossier.RunID, key string, st agent.ActState) *agent.Act {
				return &agent.Act{App: "test", Key: key, Run: run, Call: "c1", State: st, Value: json.RawMessage(`1`)}
			}
			for i, c := range []struct {
				what          string
				run           dossier.RunID
				seq           int
				begin, finish *agent.Act
				refused       bool
			}{
				{what: "begun", run: "run-1", seq: 1, begin: act("run-1", "mail", agent.ActBegun)},
				{what: "begun elsewhere", run: "run-2", seq: 1, begin: act("run-2", "mail", agent.ActBegun), refused: true},
				{what: "begun again by the call that is in doubt", run: "run-1", seq: 2, begin: act("run-1", "mail", agent.ActBegun)},
				{what: "done", run: "run-1", seq: 3, finish: act("run-1", "mail", agent.ActDone)},
				{what: "begun after it was done", run: "run-1", seq: 4, begin: act("run-1", "mail", agent.ActBegun), refused: true},
				{what: "a write is done without being begun", run: "run-1", seq: 4, finish: act("run-1", "note", agent.ActDone)},
				{what: "the same write by another run", run: "run-2", seq: 1, finish: act("run-2", "note", agent.ActDone), refused: true},
			} {
				err := recordAct(t, s, c.run, c.seq, c.begin, c.finish)
				if c.refused != errors.Is(err, dossier.Conflict) || !c.refused && err != nil {
					t.Fatalf("%d, %s: %v", i, c.what, err)
				}
			}
			if a, err := s.Act(t.Context(), "test", "note"); err != nil || a.State != agent.ActDone || a.Run != "run-1" {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}
