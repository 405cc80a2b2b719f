package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/tool"
)

func TestSameKeyActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.drive()
	if n := w.acted.Load(); n != 1 {
		t.Errorf("acted %d times, want once", n)
	}
	if got := w.returns(); len(got) != 2 || got[0] != got[1] {
		t.Errorf("the second call got another result: %q", got)
	}
}

// inDoubt drives a run to an act, kills the process in the middle of it and starts
// another, which asks what became of it.
func (w *world) inDoubt() {
	w.t.Helper()
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.runner.Log = &dyingLog{Log: w.log}
	if _, err := w.runner.Drive(w.t.Context(), "run-1"); err == nil {
		w.t.Fatal("the killed process reported success")
	}
	w.log.Restart()
	w.runner.Log = w.log
	if run := w.drive(); run.Status != dossier.Paused {
		w.t.Fatalf("after the restart the run is %s, want paused", run.Status)
	}
	if p := w.log.Pending(); len(p) != 1 || !strings.HasPrefix(p[0].Title, "Did this happen?") || !p[0].Doubt || !p[0].Expires.IsZero() {
		w.t.Fatalf("pending: %+v", p)
	}
}

// A killed process leaves an act begun. Nobody may repeat it unasked; what a person
// says settles its key, so that a later call does what that calls for.
func TestInterruptedActBecomesAQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb  dossier.Verb
		note  string
		acts  int64
		came  string
		state agent.ActState
	}{
		{dossier.Approve, "", 2, `act ok {"heard":"a"}`, agent.ActDone},
		{dossier.Respond, "it did", 1, `act ok {"happened":true,"note":"it did"}`, agent.ActDone},
		{dossier.Reject, "it did not", 1, `act failed {"error":"Officer One rejected this: it did not"}`, agent.ActFailed},
	} {
		t.Run(string(c.verb), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			w.inDoubt()
			w.decide(c.verb, "", c.note)
			w.drive()
			if n := w.acted.Load(); n != c.acts {
				t.Errorf("acted %d times, want %d", n, c.acts)
			}
			if got := w.returns(); len(got) != 1 || got[0] != c.came {
				t.Errorf("came back %q, want %s", got, c.came)
			}
			if a, err := w.log.Act(t.Context(), "test", "act/a"); err != nil || a.State != c.state {
				t.Errorf("the act is %q, want %q (%v)", a.State, c.state, err)
			}
		})
	}
}

// TestWhatHappenedIsWrittenDown: a tool may have more to say about an act that a person
// says happened; if it cannot say it, the act has happened all the same.
func TestWhatHappenedIsWrittenDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		came string
		seen int
	}{
		{"written", nil, `act ok {"heard":"a, says Officer One: it did"}`, 1},
		{"cannot be written", errors.New("the table is gone"), `act ok {"happened":true,"note":"it did"}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			w.agent.Tools[2] = tool.Def[nameIn, nameOut]{
				Name: "act", Doc: "Acts.", Effect: tool.Act, Roles: []dossier.Role{"officer"}, Key: func(in nameIn) string { return in.Name },
				Run: func(context.Context, tool.Call, nameIn) (tool.Output[nameOut], error) {
					w.acted.Add(1)
					return tool.Output[nameOut]{}, nil
				},
				Happened: func(_ context.Context, call tool.Call, in nameIn) (tool.Output[nameOut], error) {
					src := dossier.Source{System: "test", Locator: in.Name}
					return tool.Output[nameOut]{
						Value:    nameOut{in.Name + ", says " + call.Approved.By.Name + ": " + call.Approved.Note},
						Evidence: []dossier.Evidence{dossier.NewEvidence("deed", src, in, "it happened")},
					}, c.err
				},
			}.Tool()
			w.inDoubt()
			w.decide(dossier.Respond, "", "it did")
			w.drive()
			if got := w.returns(); len(got) != 1 || got[0] != c.came || w.acted.Load() != 1 {
				t.Errorf("acted %d times and came back %q, want %s", w.acted.Load(), got, c.came)
			}
			if seen, _, err := w.log.Facts(t.Context(), "CASE-1"); err != nil || len(seen) != c.seen {
				t.Errorf("%d facts were written, %v", len(seen), err)
			}
			if a, err := w.log.Act(t.Context(), "test", "act/a"); err != nil || a.State != agent.ActDone {
				t.Errorf("the act is %q (%v)", a.State, err)
			}
		})
	}
}

// TestADoubtIsEndedByAWordAlone: a question about an act in doubt that is void, because
// evidence changed, is asked again; nothing is said to have been left undone.
func TestADoubtIsEndedByAWordAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("look", `{"name":"a"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.inDoubt()
	first := w.log.Pending()[0]
	w.log.Void(first.ID, "The evidence changed.")
	w.drive()
	again := w.log.Pending()
	if len(again) != 1 || again[0].ID == first.ID || again[0].Title != first.Title {
		t.Fatalf("pending: %+v", again)
	}
	w.decide(dossier.Respond, "", "it did")
	w.drive()
	if got := w.returns(); len(got) != 2 || got[1] != `act ok {"happened":true,"note":"it did"}` || w.acted.Load() != 1 {
		t.Errorf("acted %d times and came back %q", w.acted.Load(), got)
	}
}

// A dyingLog fails every record after an act was begun, as a killed process would.
type dyingLog struct {
	*agenttest.Log
	dead bool
}

func (d *dyingLog) Record(ctx context.Context, m agent.Move) error {
	if d.dead {
		return errors.New("killed")
	}
	d.dead = m.Begin != nil
	return d.Log.Record(ctx, m)
}

func TestAnActUnderWayIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.onAct = func() error {
		next, err := w.runner.Advance(t.Context(), "run-1")
		if err != nil || next != agent.Pause {
			t.Errorf("advancing during the act: %v, %v", next, err)
		}
		return nil
	}
	w.drive()
	if n := w.acted.Load(); n != 1 {
		t.Errorf("acted %d times, want once", n)
	}
}
