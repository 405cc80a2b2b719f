package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
)

func TestADigestCoversToolArgumentsAndEvidence(t *testing.T) {
	t.Parallel()
	chain := []dossier.Evidence{{ID: "ev-1", Hash: "aa"}, {ID: "ev-2", Hash: "bb"}}
	asked := dossier.Approval{ID: "ap-1", Tool: "act", Args: json.RawMessage(`{"name":"a","n":1}`), Evidence: []dossier.EvidenceID{"ev-1"}}
	digest := func(change func(*dossier.Approval)) string {
		a := asked
		change(&a)
		sum, err := agent.Digest(a, chain)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	want := digest(func(*dossier.Approval) {})
	if got := digest(func(a *dossier.Approval) { a.Args = json.RawMessage(` { "n" : 1.0, "name" : "a" } `) }); got != want {
		t.Error("the same arguments in another order have another digest")
	}
	for name, change := range map[string]func(*dossier.Approval){
		"another tool":     func(a *dossier.Approval) { a.Tool = "act_" },
		"another argument": func(a *dossier.Approval) { a.Args = json.RawMessage(`{"name":"b","n":1}`) },
		"one more":         func(a *dossier.Approval) { a.Args = json.RawMessage(`{"name":"a","n":1,"m":2}`) },
		"other evidence":   func(a *dossier.Approval) { a.Evidence = []dossier.EvidenceID{"ev-2"} },
		"more evidence":    func(a *dossier.Approval) { a.Evidence = []dossier.EvidenceID{"ev-1", "ev-2"} },
		"no evidence":      func(a *dossier.Approval) { a.Evidence = nil },
	} {
		if digest(change) == want {
			t.Errorf("%s has the same digest", name)
		}
	}
	chain[0].Hash = "cc"
	if digest(func(*dossier.Approval) {}) == want {
		t.Error("evidence with another hash has the same digest")
	}
	asked.Evidence = []dossier.EvidenceID{"ev-9"}
	if _, err := agent.Digest(asked, chain); dossier.KindOf(err) != dossier.Conflict {
		t.Errorf("evidence that is not in the ledger: %v", err)
	}
}

// A forgedLog is a log whose approvals were altered behind the product's back.
type forgedLog struct {
	*agenttest.Log
	alter func(*dossier.Approval)
}

func (l *forgedLog) Approvals(ctx context.Context, id dossier.RunID) ([]dossier.Approval, error) {
	all, err := l.Log.Approvals(ctx, id)
	for i := range all {
		l.alter(&all[i])
	}
	return all, err
}

// TestAnAlteredApprovalIsNotUsed: what runs is what the person saw, or nothing.
func TestAnAlteredApprovalIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*dossier.Approval){
		"its arguments": func(a *dossier.Approval) { a.Args = json.RawMessage(`{"name":"b"}`) },
		"its tool":      func(a *dossier.Approval) { a.Tool = "write" },
		"its evidence":  func(a *dossier.Approval) { a.Evidence = nil },
		"its digest":    func(a *dossier.Approval) { a.Digest = strings.Repeat("0", 64) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("look", `{"name":"x"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			w.drive()
			w.decide(dossier.Approve, "", "")
			w.runner.Log = &forgedLog{w.log, alter}
			w.drive()
			if w.acted.Load() != 0 {
				t.Errorf("it acted on %q", w.actArgs)
			}
			const why = `act failed {"error":"It was not done. The approval does not fit the call it was given for."}`
			if got := w.returns(); len(got) != 2 || got[1] != why {
				t.Errorf("came back %q", got)
			}
		})
	}
}
