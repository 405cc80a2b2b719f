package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
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

// A killed process leaves an act begun. Nobody may repeat it unasked.
func TestInterruptedActBecomesAQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb dossier.Verb
		note string
		acts int64
		came string
	}{
		{dossier.Approve, "", 2, `act ok {"heard":"a"}`},
		{dossier.Respond, "it did", 1, `act ok {"happened":true,"note":"it did"}`},
		{dossier.Reject, "it did not", 1, `act failed {"error":"Officer One rejected this: it did not"}`},
	} {
		t.Run(string(c.verb), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			w.drive()
			w.decide(dossier.Approve, "", "")
			ctx, cancel := context.WithCancel(t.Context())
			killed := &dyingLog{Log: w.log, after: cancel}
			w.runner.Log = killed
			if _, err := w.runner.Drive(ctx, "run-1"); err == nil {
				t.Fatal("the killed process reported success")
			}
			w.log.Restart()
			w.runner.Log = w.log
			if run := w.drive(); run.Status != dossier.Paused {
				t.Fatalf("after the restart the run is %s, want paused", run.Status)
			}
			if p := w.log.Pending(); len(p) != 1 || !strings.HasPrefix(p[0].Title, "Did this happen?") {
				t.Fatalf("pending: %+v", p)
			}
			w.decide(c.verb, "", c.note)
			w.drive()
			if n := w.acted.Load(); n != c.acts {
				t.Errorf("acted %d times, want %d", n, c.acts)
			}
			if got := w.returns(); len(got) != 1 || got[0] != c.came {
				t.Errorf("came back %q, want %s", got, c.came)
			}
		})
	}
}

// A dyingLog fails every record after an act was begun, as a killed process would.
type dyingLog struct {
	*agenttest.Log
	after func()
	dead  bool
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
