package agent_test

import (
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
)

// A clock that jumps, years ahead or back, between any two moves changes no outcome:
// nothing depends on times that were recorded being in order.
func TestAClockThatJumps(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for name, jump := range map[string]time.Duration{"ahead": 10 * 365 * 24 * time.Hour, "back": -10 * 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("look", `{"name":"a"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			n := 0
			w.runner.Now = func() time.Time {
				n++
				if n%2 == 0 {
					return start.Add(jump)
				}
				return start
			}
			for range 50 {
				next, err := w.runner.Advance(t.Context(), "run-1")
				if err != nil {
					t.Fatal(err)
				}
				if next == agent.Pause {
					w.decide(dossier.Approve, "", "")
				}
				if next == agent.Stop {
					break
				}
			}
			run, _, _ := w.log.Load(t.Context(), "run-1")
			chain, _, _ := w.log.Facts(t.Context(), "CASE-1")
			if run.Status != dossier.Done || w.acted.Load() != 1 || dossier.VerifyChain(chain) != nil {
				t.Errorf("%s, %d acts, chain %v", run.Status, w.acted.Load(), dossier.VerifyChain(chain))
			}
		})
	}
}

// A run may wait for a person as long as the person takes; only its own time is limited.
func TestWallCountsNoWaiting(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name       string
		wait, work time.Duration // before the decision, and in the act
		want       dossier.Status
		failure    string
		verb       dossier.Verb
		acts       int64
	}{
		{"a week for the officer", 7 * 24 * time.Hour, 5 * time.Minute, dossier.Done, "", dossier.Approve, 1},
		{"a week and a no", 7 * 24 * time.Hour, 0, dossier.Done, "", dossier.Reject, 0},
		{"too long at work", time.Hour, 11 * time.Minute, dossier.Failed, "The run took longer than 10m0s.", dossier.Approve, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			now := start
			w.runner.Now = func() time.Time { return now }
			w.log.Start(dossier.Run{ID: "run-1", Case: "CASE-1", App: "test", Agent: "tester", For: person, Status: dossier.Ready, Input: []byte(`{"x":1}`), Started: start})
			w.agent.Limits.Wall = 10 * time.Minute
			w.onAct = func() error { now = now.Add(c.work); return nil }
			if run := w.drive(); run.Status != dossier.Paused {
				t.Fatal(run.Status)
			}
			now = now.Add(c.wait)
			w.decide(c.verb, "", "The officer decided.")
			if run := w.drive(); run.Status != c.want || run.Failure != c.failure || w.acted.Load() != c.acts {
				t.Errorf("%s %q after %d acts", run.Status, run.Failure, w.acted.Load())
			}
		})
	}
}
