package agent_test

import (
	"context"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// TestWhatBreaksEndsTheRunAlone: what an app brings may break on one case or on one
// answer. The run ends with a sentence, or the policy plays on; the process lives, also
// where a specialist breaks that is driven beside others.
func TestWhatBreaksEndsTheRunAlone(t *testing.T) {
	t.Parallel()
	broken := func(context.Context, *model.Request) (*model.Reply, error) { panic("no such row") }
	for _, c := range []struct {
		name   string
		lines  []agenttest.Line
		change func(*agent.Agent)
		status dossier.Status
		says   string
	}{
		{"the policy", nil, func(a *agent.Agent) { a.Policy = broken }, dossier.Failed, "The reference policy could not go on"},
		{"the model", []agenttest.Line{{Func: func(*model.Request) (*model.Reply, error) { panic("odd bytes") }}},
			func(*agent.Agent) {}, dossier.Done, `"the policy spoke"`},
		{"the preloading", nil, func(a *agent.Agent) {
			a.Preload = func(context.Context, dossier.Run) (agent.Preloaded, error) { panic("no roster") }
		}, dossier.Failed, "Something went wrong"},
		{"the check of an answer", []agenttest.Line{agenttest.Says("x"), agenttest.Says("x")}, func(a *agent.Agent) {
			a.Check = func(_ context.Context, d agent.Draft) error {
				if !d.Policy {
					panic("odd answer")
				}
				return nil
			}
		}, dossier.Done, `"the policy spoke"`},
		{"the plan of a call", []agenttest.Line{agenttest.Calls("odd", `{"name":"a"}`), agenttest.Says("done")}, func(a *agent.Agent) {
			a.Tools = append(a.Tools, tool.Def[nameIn, nameOut]{
				Name: "odd", Doc: "Breaks.", Effect: tool.Act, Key: func(nameIn) string { panic("odd name") },
				Run: func(context.Context, tool.Call, nameIn) (tool.Output[nameOut], error) { panic("it ran") },
			}.Tool())
		}, dossier.Done, `"done"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.lines...)
			c.change(w.agent)
			run := w.drive()
			if got := string(run.Answer) + run.Failure; run.Status != c.status || !strings.HasPrefix(got, c.says) {
				t.Errorf("%s: %s", run.Status, got)
			}
		})
	}
	t.Run("a specialist", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, agenttest.Calls("ask_kid", `{}`), agenttest.Says("done"))
		w.agent.Specialists = []*agent.Agent{{Name: "kid", Doc: "Breaks.", Prompt: "Break.", ToolName: "ask_kid", Policy: broken}}
		script := w.runner.Model("", nil)
		w.runner = agenttest.NewRunner(w.log, nil, w.agent)
		w.runner.Model = func(_ string, a *agent.Agent) model.Model {
			if a == w.agent {
				return script
			}
			return nil
		}
		run := w.drive()
		if got := w.returns(); run.Status != dossier.Done || len(got) != 1 || !strings.HasPrefix(got[0], "ask_kid failed") {
			t.Errorf("%s, came back %q", run.Status, got)
		}
	})
}
