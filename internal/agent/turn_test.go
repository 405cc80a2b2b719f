package agent_test

import (
	"context"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

func TestModelFailureFallsBackToThePolicy(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]agenttest.Line{
		"error":   {Err: dossier.Errorf(dossier.Unavailable, "The provider did not answer.")},
		"refused": {Reply: &model.Reply{Stop: model.Refused}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, line)
			run := w.drive()
			if string(run.Answer) != `"the policy spoke"` {
				t.Errorf("answer %s", run.Answer)
			}
			_, steps, _ := w.log.Load(t.Context(), "run-1")
			turn, _ := agent.TurnOf(steps[1])
			if turn.Fallback == "" || turn.Model != "reference/tester" {
				t.Errorf("the step hides the fallback: %+v", turn)
			}
		})
	}
}

func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Says("no json"), agenttest.Says(`{"heard":5}`), agenttest.Says(`{"heard":"never asked"}`))
	w.agent.Output = tool.SchemaOf[nameOut]()
	w.agent.Policy = func(context.Context, *model.Request) (*model.Reply, error) { return model.Answer(nameOut{"policy"}) }
	run := w.drive()
	if string(run.Answer) != `{"heard":"policy"}` {
		t.Errorf("after one repair turn the policy must answer; got %s", run.Answer)
	}
	w = newWorld(t, agenttest.Says("no json"), agenttest.Says("```json\n{\"heard\":\"mended\"}\n```"))
	w.agent.Output = tool.SchemaOf[nameOut]()
	if run := w.drive(); string(run.Answer) != `{"heard":"mended"}` {
		t.Errorf("the repaired answer was not used; got %s", run.Answer)
	}
}

func TestThePolicyPlaysOnForAModelThatDoesNotGetThere(t *testing.T) {
	t.Parallel()
	missing := agenttest.Calls("look", `{"name":"missing"}`)
	again := agenttest.Calls("look", `{"name":"a"}`)
	down := agenttest.Line{Err: dossier.Errorf(dossier.Unavailable, "The provider did not answer.")}
	tests := []struct {
		name   string
		limits agent.Limits
		lines  []agenttest.Line
		policy func(*model.Request) *model.Reply
		why    string // of the last turn
		turns  int
	}{
		{"refused calls", agent.Limits{Refused: 2}, []agenttest.Line{missing, missing}, nil, "script/test made 2 calls in a row that were refused.", 3},
		{"a call that works ends the row", agent.Limits{Refused: 2}, []agenttest.Line{missing, agenttest.Calls("look", `{"name":"a"}`), missing, agenttest.Says("mine")}, nil, "", 4},
		{"no limit", agent.Limits{}, []agenttest.Line{missing, missing, missing, agenttest.Says("mine")}, nil, "", 4},
		{"a model that is down is not asked again and again", agent.Limits{Failed: 2}, []agenttest.Line{down, down, agenttest.Says("never asked")}, func(req *model.Request) *model.Reply {
			if len(req.Returns("look")) < 2 {
				return req.Calling(model.Planned{Tool: "look", Args: nameIn{"b"}})
			}
			return model.Say("the policy spoke")
		}, "script/test failed in 2 turns.", 3},
		{"a model that goes round in circles", agent.Limits{Turns: 3}, []agenttest.Line{again, again, again, agenttest.Says("never asked")}, func(req *model.Request) *model.Reply {
			if len(req.Returns("look")) < 5 {
				return req.Calling(model.Planned{Tool: "look", Args: nameIn{"b"}})
			}
			return model.Say("the policy spoke")
		}, "script/test did not come to an end within 3 turns.", 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.lines...)
			w.agent.Limits = tt.limits
			if tt.policy != nil {
				w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) { return tt.policy(req), nil }
			}
			run := w.drive()
			_, steps, _ := w.log.Load(t.Context(), "run-1")
			turns, last := 0, agent.Turn{}
			for _, s := range steps {
				if s.Kind == dossier.ModelTurn {
					turns++
					last, _ = agent.TurnOf(s)
				}
			}
			want := `"the policy spoke"`
			if tt.why == "" {
				want = `"mine"`
			}
			if string(run.Answer) != want || last.Fallback != tt.why || turns != tt.turns {
				t.Errorf("answer %s after %d turns because %q, want %s after %d because %q", run.Answer, turns, last.Fallback, want, tt.turns, tt.why)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	loop := func(req *model.Request) (*model.Reply, error) {
		r := req.Calling(model.Planned{Tool: "look", Args: nameIn{"a"}})
		r.Usage = model.Usage{In: 100, Out: 10}
		return r, nil
	}
	for name, l := range map[string]struct {
		agent.Limits
		looks int64
	}{
		"turns": {agent.Limits{Turns: 3}, 6}, "tokens": {agent.Limits{Tokens: 300}, 3}, "cost": {agent.Limits{Cost: 0.025}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Line{Func: loop}, agenttest.Line{Func: loop}, agenttest.Line{Func: loop}, agenttest.Says("too late"))
			w.agent.Limits = l.Limits
			w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) { return loop(req) }
			w.runner.Price = func(string, model.Usage) float64 { return 0.01 }
			run := w.drive()
			if run.Status != dossier.Failed || run.Failure == "" || w.looked.Load() != l.looks {
				t.Errorf("status %s (%s) after %d calls; want failed after %d", run.Status, run.Failure, w.looked.Load(), l.looks)
			}
		})
	}
}

func TestARunCarriesWhatItTook(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	call := func(req *model.Request) (*model.Reply, error) {
		now = now.Add(20 * time.Millisecond)
		r := req.Calling(model.Planned{Tool: "look", Args: nameIn{"a"}})
		r.Usage = model.Usage{In: 100, Out: 10}
		return r, nil
	}
	w := newWorld(t, agenttest.Line{Func: call}, agenttest.Line{Func: call}, agenttest.Says("done"))
	w.runner.Now = func() time.Time { return now }
	w.runner.Price = func(_ string, u model.Usage) float64 { return float64(u.In) / 400 }
	run := w.drive()
	want := dossier.Expense{Model: "script/test", Turns: 3, TokensIn: 200, TokensOut: 20, Cost: 0.5, BusyMs: 40}
	if run.Spent != want {
		t.Errorf("got %+v, want %+v", run.Spent, want)
	}
	if kept, _, err := w.log.Load(t.Context(), "run-1"); err != nil || kept.Spent != want {
		t.Errorf("the log keeps %+v, %v; want %+v", kept.Spent, err, want)
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Says("hello"), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("fine, not done"))
	w.agent.Chat = true
	if run := w.drive(); run.Status != dossier.Paused {
		t.Fatalf("before anyone spoke: %s", run.Status)
	}
	say := func(text string) dossier.Run {
		t.Helper()
		if err := w.runner.Say(t.Context(), "run-1", person, text, nil); err != nil {
			t.Fatal(err)
		}
		return w.drive()
	}
	if run := say("hi"); string(run.Answer) != `"hello"` {
		t.Errorf("answer %s", run.Answer)
	}
	say("act please")
	if len(w.log.Pending()) != 1 {
		t.Fatal("the act was not asked")
	}
	if run := say("no, leave it"); string(run.Answer) != `"fine, not done"` || len(w.log.Pending()) != 0 || w.acted.Load() != 0 {
		t.Errorf("answer %s, pending %d, acts %d", run.Answer, len(w.log.Pending()), w.acted.Load())
	}
}

func TestPromptIsSentAsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Says("done"))
	w.drive()
	script := w.runner.Model("", nil).(*agenttest.Script)
	if got := script.Seen[0].System; got != "You test. A literal {} stays." {
		t.Errorf("system prompt %q", got)
	}
	if got := script.Seen[0].Messages[0].Parts[0].(model.Text); string(got) != `{"input":{"x":1}}` {
		t.Errorf("brief %s", got)
	}
}
