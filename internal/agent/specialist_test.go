package agent_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

func TestSpecialistsRunTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var here sync.WaitGroup
	here.Add(2)
	specialist := func(name string) *agent.Agent {
		return &agent.Agent{
			Name: name, ToolName: "run_" + name, Doc: "Checks.", Prompt: "Check.", Input: tool.SchemaOf[nameIn](), Output: tool.SchemaOf[nameOut](),
			Tools: w.agent.Tools,
			Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
				var in nameIn
				if err := req.Brief(&in, nil); err != nil {
					return nil, err
				}
				if _, ok := req.Last("look"); !ok {
					here.Done()
					here.Wait()
					return req.Calling(model.Planned{Tool: "look", Args: in}), nil
				}
				return model.Answer(nameOut{name + " " + in.Name})
			},
		}
	}
	w.agent.Specialists = []*agent.Agent{specialist("left"), specialist("right")}
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if _, ok := req.Last("run_left"); !ok {
			return req.Calling(model.Planned{Tool: "run_left", Args: nameIn{"x"}}, model.Planned{Tool: "run_right", Args: nameIn{"y"}}), nil
		}
		return model.Say("done"), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	run := w.drive()
	want := []string{`run_left ok {"heard":"left x"}`, `run_right ok {"heard":"right y"}`}
	if diff := cmp.Diff(want, w.returns()); diff != "" || run.Status != dossier.Done {
		t.Errorf("%s; returns (-want +got):\n%s", run.Status, diff)
	}
}

// calls makes the agent of w call one specialist and say what it said.
func (w *world) calls(kid *agent.Agent) {
	w.agent.Specialists = []*agent.Agent{kid}
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if r, ok := req.Last("run_kid"); ok {
			return model.Say("kid said " + string(r.Value)), nil
		}
		return req.Calling(model.Planned{Tool: "run_kid", Args: nameIn{"x"}}), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
}

func TestApprovalInsideASpecialist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kid := &agent.Agent{
		Name: "kid", ToolName: "run_kid", Doc: "Acts.", Prompt: "Act.", Input: tool.SchemaOf[nameIn](), Tools: w.agent.Tools,
		Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
			if _, ok := req.Last("act"); !ok {
				return req.Calling(model.Planned{Tool: "act", Args: nameIn{"a"}}), nil
			}
			return model.Say("acted"), nil
		},
	}
	w.calls(kid)
	if run := w.drive(); run.Status != dossier.Paused {
		t.Fatalf("status %s, want paused", run.Status)
	}
	w.log.Restart()
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	w.decide(dossier.Approve, "", "")
	if run := w.drive(); string(run.Answer) != `"kid said \"acted\""` || w.acted.Load() != 1 {
		t.Errorf("answer %s, acts %d", run.Answer, w.acted.Load())
	}
}

// A noting log keeps the moves that queue a run.
type notingLog struct {
	*agenttest.Log
	queued []agent.Move
}

func (l *notingLog) Record(ctx context.Context, m agent.Move) error {
	if m.Wake {
		l.queued = append(l.queued, m)
	}
	return l.Log.Record(ctx, m)
}

// TestADriverThatIsCalledAway: whoever drives a run drives its specialists, so none of
// them has a job; when the driver must go, the run is queued for somebody else.
func TestADriverThatIsCalledAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, leave := context.WithCancel(t.Context())
	kid := &agent.Agent{
		Name: "kid", ToolName: "run_kid", Doc: "Waits.", Prompt: "Wait.", Input: tool.SchemaOf[nameIn](),
		Policy: func(ctx context.Context, _ *model.Request) (*model.Reply, error) {
			leave()
			return nil, ctx.Err()
		},
	}
	w.calls(kid)
	log := &notingLog{Log: w.log}
	w.runner.Log = log
	if _, err := w.runner.Drive(ctx, "run-1"); !errors.Is(err, context.Canceled) {
		t.Fatalf("called away: %v", err)
	}
	if len(log.queued) != 1 || log.queued[0].Run != "run-1" || log.queued[0].Status != dossier.Ready {
		t.Errorf("queued %+v, want the run alone", log.queued)
	}
	kid.Policy = func(context.Context, *model.Request) (*model.Reply, error) { return model.Say("stayed"), nil }
	if run := w.drive(); string(run.Answer) != `"kid said \"stayed\""` {
		t.Errorf("the next driver comes to %s", run.Answer)
	}
}

// A takingLog has somebody else drive the first run that is called, before the caller
// can.
type takingLog struct {
	*agenttest.Log
	other *agent.Runner
	taken error
}

func (l *takingLog) Record(ctx context.Context, m agent.Move) error {
	err := l.Log.Record(ctx, m)
	if len(m.Children) > 0 {
		_, l.taken = l.other.Drive(ctx, m.Children[0].ID)
	}
	return err
}

// TestASpecialistThatSomebodyElseTook: the driver believes that the runs it has just
// recorded have no steps yet, and looks again when it finds that they have.
func TestASpecialistThatSomebodyElseTook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kid := &agent.Agent{
		Name: "kid", ToolName: "run_kid", Doc: "Answers.", Prompt: "Answer.", Input: tool.SchemaOf[nameIn](),
		Policy: func(context.Context, *model.Request) (*model.Reply, error) { return model.Say("mine"), nil },
	}
	w.calls(kid)
	log := &takingLog{Log: w.log, other: agenttest.NewRunner(w.log, nil, w.agent)}
	w.runner.Log = log
	if run := w.drive(); string(run.Answer) != `"kid said \"mine\""` || log.taken != nil {
		t.Errorf("came to %s %s; the other came to %v", run.Answer, run.Failure, log.taken)
	}
}
