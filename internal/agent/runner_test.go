package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

func TestBadCallsGoBackToTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		agenttest.Calls(
			"look", `{"name":"a"}`, "look", `{"nme":"a"}`, "look", `{"name":7}`, "look", `not json`,
			"nothing", `{}`, "secret", `{"name":"x"}`, "look", `{"name":"missing"}`),
		agenttest.Says("done"))
	run := w.drive()
	if run.Status != dossier.Done || string(run.Answer) != `"done"` {
		t.Fatalf("run ended %s with %s", run.Status, run.Answer)
	}
	got := w.returns()
	wants := []string{
		`look ok {"heard":"a"}`, `look failed `, `look failed `, `look failed `,
		`nothing failed {"error":"There is no tool named \"nothing\". There are: look, write, act."}`,
		`secret failed {"error":"Officer One may not use secret: it needs the role admin."}`,
		`look failed {"error":"There is no missing."}`,
	}
	if len(got) != len(wants) {
		t.Fatalf("got %d returns, want %d: %q", len(got), len(wants), got)
	}
	for i, want := range wants {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("return %d: got %s, want %s…", i, got[i], want)
		}
	}
	if n := w.looked.Load(); n != 2 {
		t.Errorf("look ran %d times, want 2: bad arguments must not reach it", n)
	}
}

func TestEvidenceAndFindingsAreTied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("look", `{"name":"a"}`, "look", `{"name":"b"}`), agenttest.Says("done"))
	w.drive()
	chain, found, _ := w.log.Facts(t.Context(), "CASE-1")
	if err := dossier.VerifyChain(chain); err != nil || len(chain) != 2 {
		t.Fatalf("chain of %d: %v", len(chain), err)
	}
	for i, f := range found {
		if diff := cmp.Diff([]dossier.EvidenceID{chain[i].ID}, f.Cites); diff != "" {
			t.Errorf("finding %d cites (-want +got):\n%s", i, diff)
		}
		if chain[i].Step != "run-1/3" && chain[i].Step != "run-1/4" {
			t.Errorf("evidence %d belongs to step %s", i, chain[i].Step)
		}
	}
}

func TestReadsOfOneTurnRunTogetherAndAreRecordedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("meet", `{"name":"a"}`, "meet", `{"name":"b"}`, "meet", `{"name":"c"}`), agenttest.Says("done"))
	var here sync.WaitGroup
	here.Add(3)
	w.agent.Tools = append(w.agent.Tools, tool.Def[nameIn, nameOut]{
		Name: "meet", Doc: "Returns only when all three are here.",
		Run: func(_ context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			here.Done()
			here.Wait()
			return tool.Output[nameOut]{Value: nameOut{in.Name}}, nil
		},
	}.Tool())
	w.drive()
	want := []string{`meet ok {"heard":"a"}`, `meet ok {"heard":"b"}`, `meet ok {"heard":"c"}`}
	if diff := cmp.Diff(want, w.returns()); diff != "" {
		t.Errorf("returns (-want +got):\n%s", diff)
	}
}

// Every pause between two moves is a chance for a restart. The outcome is the same.
func TestANewRunnerBetweenAnyTwoMoves(t *testing.T) {
	t.Parallel()
	lines := []agenttest.Line{
		agenttest.Calls("look", `{"name":"a"}`, "write", `{"name":"w"}`),
		agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"),
	}
	w := newWorld(t, lines...)
	for range 50 {
		fresh := agenttest.NewRunner(w.log, w.runner.Model("", nil), w.agent)
		next, err := fresh.Advance(t.Context(), "run-1")
		if err != nil {
			t.Fatal(err)
		}
		w.log.Restart()
		if next == agent.Pause {
			w.decide(dossier.Approve, "", "")
		}
		if next == agent.Stop {
			break
		}
	}
	run, _, _ := w.log.Load(t.Context(), "run-1")
	if run.Status != dossier.Done || w.acted.Load() != 1 || w.wrote.Load() != 1 || w.looked.Load() != 1 {
		t.Errorf("status %s, acts %d, writes %d, looks %d; want done, 1, 1, 1", run.Status, w.acted.Load(), w.wrote.Load(), w.looked.Load())
	}
}

// Many principals use one agent at once; nobody is offered another's tools.
func TestToolListsUnderConcurrency(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wrong atomic.Int64
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		var in nameIn
		if err := req.Brief(&in, nil); err != nil {
			return nil, err
		}
		if req.Offers("secret") != (in.Name == "admin") {
			wrong.Add(1)
		}
		return model.Say("done"), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	var wg sync.WaitGroup
	for i := range 400 {
		id := dossier.RunID(fmt.Sprintf("run-c%d", i))
		p := dossier.Principal{ID: "v", Name: "viewer", Roles: []dossier.Role{"officer"}}
		in := `{"name":"viewer"}`
		if i%2 == 0 {
			p.Roles, in = []dossier.Role{dossier.Admin}, `{"name":"admin"}`
		}
		w.log.Start(dossier.Run{ID: id, Case: "CASE-1", App: "test", Agent: "tester", For: p, Status: dossier.Ready, Input: json.RawMessage(in)})
		wg.Go(func() {
			if _, err := w.runner.Drive(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := wrong.Load(); n != 0 {
		t.Errorf("%d runs saw the wrong tools", n)
	}
}
