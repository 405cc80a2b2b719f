package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A movesLog notes the kinds of the steps of each recorded move.
type movesLog struct {
	*agenttest.Log
	moves    []string
	refuse   error             // what the next Record returns, once
	recorded chan<- agent.Move // if not nil, told of each move
}

func (l *movesLog) Record(ctx context.Context, m agent.Move) error {
	if err := l.refuse; err != nil {
		l.refuse = nil
		return err
	}
	if err := l.Log.Record(ctx, m); err != nil {
		return err
	}
	kinds := make([]string, len(m.Entries))
	for i, e := range m.Entries {
		kinds[i] = string(e.Step.Kind)
	}
	l.moves = append(l.moves, strings.Join(kinds, " "))
	if l.recorded != nil {
		l.recorded <- m
	}
	return nil
}

// calling is a reference policy that calls each tool in turn and then answers.
func calling(tools ...string) model.Policy {
	return func(_ context.Context, req *model.Request) (*model.Reply, error) {
		for i, name := range tools {
			if _, called := req.Last(name); !called {
				return req.Calling(model.Planned{Tool: name, Args: nameIn{fmt.Sprint(i)}}), nil
			}
		}
		return model.Say("done"), nil
	}
}

// newMovesWorld is a world whose moves are noted.
func newMovesWorld(t *testing.T, p model.Policy, lines ...agenttest.Line) (*world, *movesLog) {
	w := newWorld(t, lines...)
	w.agent.Policy = p
	log := &movesLog{Log: w.log}
	w.runner.Log = log
	return w, log
}

// TestWhatCanBeRepeatedIsWrittenTogether checks which steps share a transaction.
func TestWhatCanBeRepeatedIsWrittenTogether(t *testing.T) {
	t.Parallel()
	w, log := newMovesWorld(t, calling("look"))
	w.drive()
	if want := []string{"said model returned model answered"}; !slices.Equal(log.moves, want) {
		t.Errorf("a run that only looks is written as %q, want one move", log.moves)
	}
	w, log = newMovesWorld(t, calling("look", "write"))
	w.drive()
	if want := []string{"said model returned model", "returned", "model answered"}; !slices.Equal(log.moves, want) {
		t.Errorf("what was seen is not written before a write: %q", log.moves)
	}
	w, log = newMovesWorld(t, calling("look", "act"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.drive()
	if want := []string{"said model returned model", "asked", "begun", "returned", "model answered"}; !slices.Equal(log.moves, want) {
		t.Errorf("an act is written as %q", log.moves)
	}
	w, log = newMovesWorld(t, sayDone, agenttest.Calls("look", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	if want := []string{"said", "model", "returned", "model answered"}; !slices.Equal(log.moves, want) {
		t.Errorf("what a model said is held back: %q", log.moves)
	}
}

// TestFactsAreWrittenBeforeTheNextLook: a tool finds in the case what the one before it
// saw, and so does the check of an answer.
func TestFactsAreWrittenBeforeTheNextLook(t *testing.T) {
	t.Parallel()
	w, log := newMovesWorld(t, calling("look", "recall"))
	var known []int
	count := func(ctx context.Context) {
		seen, _, err := w.log.Facts(ctx, "CASE-1")
		if err != nil {
			t.Error(err)
		}
		known = append(known, len(seen))
	}
	w.agent.Tools = append(w.agent.Tools, tool.Def[nameIn, nameOut]{
		Name: "recall", Doc: "Counts what the case knows.",
		Run: func(ctx context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			count(ctx)
			src := dossier.Source{System: "test", Locator: in.Name}
			return tool.Output[nameOut]{Evidence: []dossier.Evidence{dossier.NewEvidence("thing", src, in, "recalled")}}, nil
		},
	}.Tool())
	w.agent.Check = func(ctx context.Context, d agent.Draft) error {
		seen, _, err := d.Facts(ctx)
		known = append(known, len(seen))
		return err
	}
	w.runner = agenttest.NewRunner(log, nil, w.agent)
	w.drive()
	if !slices.Equal(known, []int{1, 2}) {
		t.Errorf("the second look and the check know %v facts, want 1 and 2", known)
	}
}

// TestHeldStepsAreTakenAgain: steps that were held back and never written leave nothing
// behind, and the next driver comes to the same end.
func TestHeldStepsAreTakenAgain(t *testing.T) {
	t.Parallel()
	w, log := newMovesWorld(t, calling("look"))
	log.refuse = errors.New("the power went out")
	if _, err := w.runner.Drive(t.Context(), "run-1"); err == nil {
		t.Fatal("a run that could not be written reported success")
	}
	if _, steps, err := w.log.Load(t.Context(), "run-1"); err != nil || len(steps) != 0 {
		t.Fatalf("%d steps were left behind, %v", len(steps), err)
	}
	run := w.drive()
	if run.Status != dossier.Done || w.looked.Load() != 2 || !slices.Equal(w.returns(), []string{`look ok {"heard":"0"}`}) {
		t.Errorf("then it is %s, looked %d times and returned %q", run.Status, w.looked.Load(), w.returns())
	}
}

// TestASlowReadIsSeen: while a read takes its time, people see what the run is at. The
// read here ends only once that has been written.
func TestASlowReadIsSeen(t *testing.T) {
	t.Parallel()
	w, log := newMovesWorld(t, calling("wait"))
	recorded := make(chan agent.Move, 10)
	log.recorded = recorded
	w.agent.Tools = append(w.agent.Tools, tool.Def[nameIn, nameOut]{
		Name: "wait", Doc: "Waits for the log.",
		Run: func(ctx context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			select {
			case m := <-recorded:
				return tool.Output[nameOut]{Value: nameOut{fmt.Sprint(len(m.Entries), " steps")}}, nil
			case <-ctx.Done():
				return tool.Output[nameOut]{}, ctx.Err()
			}
		},
	}.Tool())
	w.runner = agenttest.NewRunner(log, nil, w.agent)
	w.drive()
	if got := w.returns(); !slices.Equal(got, []string{`wait ok {"heard":"2 steps"}`}) {
		t.Errorf("got %q", got)
	}
}
