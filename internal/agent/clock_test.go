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
