package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// durable returns a runner over a real store whose agent calls one tool, after asking
// if it is an act, and ends.
func durable(b *testing.B, name, toolName string) (*agent.Runner, *store.Store, dossier.CaseID) {
	b.Helper()
	s, clock := storetest.Open(b, name)
	w := &world{log: nil}
	w.agent = &agent.Agent{Name: "tester", Doc: "d", Prompt: "p", Tools: w.tools()}
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if _, ok := req.Last(toolName); ok {
			return model.Say("done"), nil
		}
		var in nameIn
		if err := req.Brief(&in, nil); err != nil {
			return nil, err
		}
		return req.Calling(model.Planned{Tool: toolName, Args: in}), nil
	}
	c, _, err := s.OpenCase(b.Context(), "test", app.Opening{Subject: "s", Title: "t", State: dossier.Open})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	return &agent.Runner{
		Log: s, Now: clock.Now, Slog: slog.New(slog.DiscardHandler),
		NewID: func(p string) string { n++; return fmt.Sprintf("%s%d", p, n) },
		Agent: func(string, string) (*agent.Agent, bool) { return w.agent, true },
	}, s, c.ID
}

func start(b *testing.B, s *store.Store, c dossier.CaseID, i int) dossier.RunID {
	b.Helper()
	id := dossier.RunID(fmt.Sprintf("run-%d", i))
	_, err := s.InsertRun(b.Context(), dossier.Run{
		ID: id, Case: c, App: "test", Agent: "tester", For: person, Status: dossier.Ready,
		Input: json.RawMessage(fmt.Sprintf(`{"name":"n%d"}`, i)), Started: time.Unix(0, 0),
	}, nil, true)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

// BenchmarkShortRun is a whole run with one tool call, every move on the disk.
func BenchmarkShortRun(b *testing.B) {
	for _, name := range storetest.Databases {
		b.Run(name, func(b *testing.B) {
			r, s, c := durable(b, name, "write")
			for i := 0; b.Loop(); i++ {
				id := start(b, s, c, i)
				if _, err := r.Drive(b.Context(), id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPauseApproveResume is a run that asks, is approved, acts and ends.
func BenchmarkPauseApproveResume(b *testing.B) {
	for _, name := range storetest.Databases {
		b.Run(name, func(b *testing.B) {
			r, s, c := durable(b, name, "act")
			for i := 0; b.Loop(); i++ {
				id := start(b, s, c, i)
				if _, err := r.Drive(b.Context(), id); err != nil {
					b.Fatal(err)
				}
				asked, err := s.ListApprovals(b.Context(), records.ApprovalQuery{Statuses: []dossier.ApprovalStatus{dossier.Pending}, Limit: 1})
				if err != nil || len(asked) != 1 {
					b.Fatalf("%d asked: %v", len(asked), err)
				}
				a := asked[0]
				if err := a.Decide(dossier.Decision{Verb: dossier.Approve, By: person, At: r.Now()}); err != nil {
					b.Fatal(err)
				}
				if err := s.Settle(b.Context(), a); err != nil {
					b.Fatal(err)
				}
				if run, err := r.Drive(b.Context(), id); err != nil || run.Status != dossier.Done {
					b.Fatalf("%s: %v", run.Status, err)
				}
			}
		})
	}
}

// inMemory returns a runner over a log in memory whose agent is played by m.
func inMemory(m model.Model) (*agent.Runner, *agenttest.Log) {
	w := &world{}
	w.agent = &agent.Agent{Name: "tester", Doc: "d", Prompt: "p", Tools: w.tools()}
	log := agenttest.NewLog()
	r := agenttest.NewRunner(log, m, w.agent)
	r.Now = time.Now
	return r, log
}

func driveInMemory(b *testing.B, r *agent.Runner, log *agenttest.Log, i int) {
	b.Helper()
	id := dossier.RunID(fmt.Sprintf("run-%d", i))
	log.Start(dossier.Run{ID: id, Case: "c", App: "test", Agent: "tester", For: person, Status: dossier.Ready, Input: json.RawMessage(`{}`)})
	if run, err := r.Drive(b.Context(), id); err != nil || run.Status != dossier.Done {
		b.Fatalf("%s: %v", run.Status, err)
	}
}

// A looper is a model that calls one tool a number of times and then answers.
type looper struct{ calls, said int }

func (*looper) Name() string { return "loop/test" }

func (l *looper) Generate(context.Context, *model.Request, func(string)) (*model.Reply, error) {
	if l.said++; l.said > l.calls {
		l.said = 0
		return model.Say("done"), nil
	}
	return &model.Reply{Stop: model.WantsTool, Parts: []model.Part{
		model.Call{ID: "c", Tool: "write", Args: json.RawMessage(`{"name":"a"}`)},
	}}, nil
}

// BenchmarkTurnWithOneCall is what the core adds to one agent turn with one tool call:
// the turn and what came back, each recorded in a log in memory. A run holds twenty such
// turns; its beginning and its answer are counted with them.
func BenchmarkTurnWithOneCall(b *testing.B) {
	const turns = 20
	r, log := inMemory(&looper{calls: turns})
	b.ReportAllocs()
	for i := 0; i < b.N; i += turns {
		driveInMemory(b, r, log, i)
	}
}

// BenchmarkRunWithOneCall is a whole run in memory: the brief, a turn with one call,
// what came back, a second turn and the answer.
func BenchmarkRunWithOneCall(b *testing.B) {
	r, log := inMemory(&looper{calls: 1})
	b.ReportAllocs()
	for i := range b.N {
		driveInMemory(b, r, log, i)
	}
}
