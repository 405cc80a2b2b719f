package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

func TestActWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb       dossier.Verb
		args, note string
		acts       []string
		came       string
	}{
		{dossier.Approve, "", "", []string{"a"}, `act ok {"heard":"a"}`},
		{dossier.Edit, `{"name":"b"}`, "", []string{"b"}, `act ok {"heard":"b"}`},
		{dossier.Edit, `{"nme":"b"}`, "", nil, `act failed {"error":"The edited arguments cannot be used: `},
		{dossier.Reject, "", "too soon", nil, `act failed {"error":"Officer One rejected this: too soon"}`},
		{dossier.Respond, "", "ask the depot", nil, `act failed {"error":"Officer One answered instead: ask the depot"}`},
	} {
		t.Run(string(c.verb)+c.args, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			if run := w.drive(); run.Status != dossier.Paused || w.acted.Load() != 0 {
				t.Fatalf("before the decision: status %s, acts %d", run.Status, w.acted.Load())
			}
			if run := w.drive(); run.Status != dossier.Paused || len(w.log.Pending()) != 1 {
				t.Fatalf("driving a waiting run again asked again: %d pending", len(w.log.Pending()))
			}
			w.decide(c.verb, c.args, c.note)
			w.drive()
			w.drive()
			if diff := cmp.Diff(c.acts, w.actArgs); diff != "" {
				t.Errorf("acts (-want +got):\n%s", diff)
			}
			if got := w.returns(); len(got) != 1 || !strings.HasPrefix(got[0], c.came) {
				t.Errorf("came back %q, want %s", got, c.came)
			}
		})
	}
}

// Nobody is asked about a call that could not be carried out, and whether it can is
// found out again if nothing answered.
func TestWhatCannotBeDoneIsNotAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) { // what a policy did is written late
		for _, call := range []model.Planned{{Tool: "look", Args: nameIn{"depot"}}, {Tool: "act", Args: nameIn{"a"}}} {
			if _, done := req.Last(call.Tool); !done {
				return req.Calling(call), nil
			}
		}
		return model.Say("done"), nil
	}
	var input string
	seen := 0
	err := dossier.Errorf(dossier.Unavailable, "The roster does not answer.")
	i := slices.IndexFunc(w.agent.Tools, func(t tool.Tool) bool { return t.Name == "act" })
	w.agent.Tools[i] = tool.Def[nameIn, nameOut]{
		Name: "act", Doc: "Acts.", Effect: tool.Act, Key: func(in nameIn) string { return in.Name },
		Before: func(ctx context.Context, c tool.Call, _ nameIn) error {
			facts, _, _ := w.log.Facts(ctx, c.Case)
			input, seen = string(c.Input), len(facts)
			return err
		},
		Run: func(context.Context, tool.Call, nameIn) (tool.Output[nameOut], error) {
			return tool.Output[nameOut]{}, errors.New("it ran")
		},
	}.Tool()
	if _, got := w.runner.Drive(t.Context(), "run-1"); dossier.KindOf(got) != dossier.Unavailable || len(w.returns()) != 1 {
		t.Fatalf("got %v and %q while nothing answers", got, w.returns())
	}
	if seen != 1 {
		t.Errorf("the tool finds %d facts of the look before it, want 1", seen)
	}
	err = dossier.Errorf(dossier.Conflict, "The depot is closed.")
	run := w.drive()
	if got := w.returns(); run.Status != dossier.Done || len(w.log.Pending()) != 0 || len(got) != 2 || got[1] != `act failed {"error":"The depot is closed."}` {
		t.Errorf("status %s, %d pending, came back %q", run.Status, len(w.log.Pending()), got)
	}
	if input != `{"x":1}` {
		t.Errorf("the tool is told that the run began with %s", input)
	}
}

func TestTwoPendingAreDecidedInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`, "act", `{"name":"b"}`), agenttest.Says("done"))
	w.drive()
	pending := w.log.Pending()
	if len(pending) != 2 {
		t.Fatalf("%d pending, want 2", len(pending))
	}
	for _, i := range []int{1, 0} {
		err := w.log.Decide(pending[i].ID, dossier.Decision{Verb: dossier.Approve, By: person, At: w.runner.Now()})
		if err != nil {
			t.Fatal(err)
		}
		w.drive()
	}
	if diff := cmp.Diff([]string{"b", "a"}, w.actArgs); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
}

func TestChangedEvidenceVoidsAnApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("look", `{"name":"a"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	src := dossier.Source{System: "test", Locator: "a"}
	if err := w.log.See("CASE-1", dossier.NewEvidence("thing", src, nameIn{"other"}, "a is now other")); err != nil {
		t.Fatal(err)
	}
	w.drive()
	if n := w.acted.Load(); n != 0 {
		t.Fatalf("the act ran %d times on evidence that changed", n)
	}
	got := w.returns()
	if want := "a is now other"; !strings.Contains(got[len(got)-1], want) {
		t.Errorf("the agent was told %q, want it to hear %q", got[len(got)-1], want)
	}
	all, _ := w.log.Approvals(t.Context(), "run-1")
	if all[0].Status != dossier.Void {
		t.Errorf("the approval is %s, want void", all[0].Status)
	}
}

func TestRolesAreThoseOfNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.runner.Roles = func(_ context.Context, p dossier.Principal) (dossier.Principal, error) {
		p.Roles = nil
		return p, nil
	}
	w.drive()
	if w.acted.Load() != 0 {
		t.Error("an approval let a principal act who no longer has the role")
	}
}

// Two processes that resume the same approved run act once.
func TestResumedTwiceActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if _, ok := req.Last("act"); ok {
			return model.Say("done"), nil
		}
		return req.Calling(model.Planned{Tool: "act", Args: nameIn{"a"}}), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	w.drive()
	w.decide(dossier.Approve, "", "")
	var wg sync.WaitGroup
	for range 8 {
		other := agenttest.NewRunner(w.log, nil, w.agent)
		wg.Go(func() {
			if _, err := other.Drive(t.Context(), "run-1"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := w.acted.Load(); n != 1 {
		t.Errorf("acted %d times, want once", n)
	}
}
