package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

type nameIn struct {
	Name string `json:"name"`
}

type nameOut struct {
	Heard string `json:"heard"`
}

// A world is what the test tools change, and a bundle of what a test needs.
type world struct {
	t       *testing.T
	log     *agenttest.Log
	runner  *agent.Runner
	agent   *agent.Agent
	acted   atomic.Int64
	wrote   atomic.Int64
	looked  atomic.Int64
	actArgs []string
	mu      sync.Mutex
	onAct   func() error
}

var person = dossier.Principal{ID: "u1", Name: "Officer One", Roles: []dossier.Role{"officer"}}

func (w *world) tools() []tool.Tool {
	look := tool.Def[nameIn, nameOut]{
		Name: "look", Doc: "Looks.",
		Run: func(_ context.Context, c tool.Call, in nameIn) (tool.Output[nameOut], error) {
			w.looked.Add(1)
			if in.Name == "missing" {
				return tool.Output[nameOut]{}, dossier.Errorf(dossier.NotFound, "There is no %s.", in.Name)
			}
			src := dossier.Source{System: "test", Locator: in.Name}
			return tool.Output[nameOut]{
				Value:    nameOut{in.Name},
				Evidence: []dossier.Evidence{dossier.NewEvidence("thing", src, in, "saw %s", in.Name)},
				Findings: []dossier.Finding{{Check: "thing", Subject: in.Name, Verdict: dossier.Pass, By: "rule/thing@1"}},
			}, nil
		},
	}
	write := tool.Def[nameIn, nameOut]{
		Name: "write", Doc: "Writes.", Effect: tool.Write,
		Run: func(_ context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			w.wrote.Add(1)
			return tool.Output[nameOut]{Value: nameOut{in.Name}}, nil
		},
	}
	act := tool.Def[nameIn, nameOut]{
		Name: "act", Doc: "Acts.", Effect: tool.Act, Roles: []dossier.Role{"officer"},
		Key: func(in nameIn) string { return in.Name },
		Run: func(_ context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			w.acted.Add(1)
			w.mu.Lock()
			w.actArgs = append(w.actArgs, in.Name)
			w.mu.Unlock()
			if w.onAct != nil {
				return tool.Output[nameOut]{}, w.onAct()
			}
			return tool.Output[nameOut]{Value: nameOut{in.Name}}, nil
		},
	}
	secret := tool.Def[nameIn, nameOut]{
		Name: "secret", Doc: "For admins.", Roles: []dossier.Role{dossier.Admin},
		Run: func(context.Context, tool.Call, nameIn) (tool.Output[nameOut], error) {
			w.t.Error("a hidden tool ran")
			return tool.Output[nameOut]{}, nil
		},
	}
	return []tool.Tool{look.Tool(), write.Tool(), act.Tool(), secret.Tool()}
}

// sayDone is a reference policy that ends at once.
func sayDone(context.Context, *model.Request) (*model.Reply, error) {
	return model.Say("the policy spoke"), nil
}

func newWorld(t *testing.T, lines ...agenttest.Line) *world {
	t.Helper()
	w := &world{t: t, log: agenttest.NewLog()}
	w.agent = &agent.Agent{Name: "tester", Doc: "Tests.", Prompt: "You test. A literal {} stays.", Policy: sayDone, Tools: w.tools()}
	var m model.Model
	if lines != nil {
		m = agenttest.NewScript(lines...)
	}
	w.runner = agenttest.NewRunner(w.log, m, w.agent)
	w.log.Start(dossier.Run{
		ID: "run-1", Case: "CASE-1", App: "test", Agent: "tester", For: person,
		Status: dossier.Ready, Input: json.RawMessage(`{"x":1}`), Started: w.runner.Now(),
	})
	return w
}

func (w *world) drive() dossier.Run {
	w.t.Helper()
	run, err := w.runner.Drive(w.t.Context(), "run-1")
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

// returns gives what came back to the run so far, as "tool ok value" lines.
func (w *world) returns() []string {
	w.t.Helper()
	_, steps, err := w.log.Load(w.t.Context(), "run-1")
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, s := range steps {
		if s.Kind != dossier.Returned {
			continue
		}
		c, err := agent.CameOf(s)
		if err != nil {
			w.t.Fatal(err)
		}
		word := "ok"
		if c.Failed {
			word = "failed"
		}
		out = append(out, fmt.Sprintf("%s %s %s", c.Tool, word, c.Value))
	}
	return out
}

func (w *world) decide(verb dossier.Verb, args, note string) {
	w.t.Helper()
	pending := w.log.Pending()
	if len(pending) == 0 {
		w.t.Fatal("nothing is pending")
	}
	d := dossier.Decision{Verb: verb, By: person, At: w.runner.Now(), Note: note}
	if args != "" {
		d.Args = json.RawMessage(args)
	}
	if err := w.log.Decide(pending[0].ID, d); err != nil {
		w.t.Fatal(err)
	}
}
