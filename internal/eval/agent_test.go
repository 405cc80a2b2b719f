package eval

import (
	"context"
	"encoding/json"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

type sendIn struct {
	To string `json:"to"`
}

// postman sends one letter, which a person must agree to.
func postman(sent *int) *agent.Agent {
	send := tool.Def[sendIn, sendIn]{
		Name: "send", Doc: "Sends.", Roles: []dossier.Role{"clerk"}, Effect: tool.Act,
		Key: func(in sendIn) string { return in.To },
		Run: func(_ context.Context, _ tool.Call, in sendIn) (tool.Output[sendIn], error) {
			*sent++
			return tool.Output[sendIn]{Value: in}, nil
		},
	}.Tool()
	return &agent.Agent{
		Name: "postman", Doc: "Sends.", Prompt: "Send.", Tools: []tool.Tool{send}, Output: tool.SchemaOf[sendIn](),
		Limits: agent.Limits{Turns: 6},
		Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
			if _, called := req.Last("send"); !called {
				return req.Calling(model.Planned{Tool: "send", Args: sendIn{"ann"}}), nil
			}
			return model.Answer(sendIn{"ann"})
		},
	}
}

func TestPlayAgent(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, m model.Model, decide func(dossier.Approval) dossier.Decision) (Trace, Path, int) {
		t.Helper()
		sent := 0
		p := Player{}
		if m != nil {
			p.Model = m
		}
		tr, err := PlayAgent(t.Context(), Stage{App: "x", Agents: []*agent.Agent{postman(&sent)}, Decide: decide}, "postman", json.RawMessage(`{}`), p)
		if err != nil {
			t.Fatal(err)
		}
		path, err := tr.Path()
		if err != nil {
			t.Fatal(err)
		}
		return tr, path, sent
	}
	t.Run("P-135 the reference policy leaves real steps", func(t *testing.T) {
		t.Parallel()
		tr, p, sent := run(t, nil, nil)
		if string(tr.Answer) != `{"to":"ann"}` || len(p.Calls) != 1 || !p.Calls[0].Asked || !p.Answered || sent != 1 || p.Fallback != 0 {
			t.Errorf("got %s %+v, sent %d", tr.Answer, p, sent)
		}
	})
	t.Run("a person says no", func(t *testing.T) {
		t.Parallel()
		_, p, sent := run(t, nil, func(dossier.Approval) dossier.Decision {
			return dossier.Decision{Verb: dossier.Reject, Note: "not now"}
		})
		if sent != 0 || !p.Calls[0].Failed {
			t.Errorf("got %+v, sent %d", p, sent)
		}
	})
	t.Run("a model plays", func(t *testing.T) {
		t.Parallel()
		tr, p, sent := run(t, agenttest.NewScript(agenttest.Calls("send", `{"to":"ben"}`), agenttest.Says(`{"to":"ben"}`)), nil)
		if string(tr.Answer) != `{"to":"ben"}` || string(p.Calls[0].Args) != `{"to":"ben"}` || sent != 1 || p.Fallback != 0 {
			t.Errorf("got %s %+v", tr.Answer, p)
		}
	})
	t.Run("nonsense does not get through", func(t *testing.T) {
		t.Parallel()
		_, p, sent := run(t, agenttest.NewScript(agenttest.Says("hello"), agenttest.Calls("rm", `{}`), agenttest.Says("42"), agenttest.Says("?")), nil)
		if p.Fallback == 0 || sent != 1 || !p.Calls[len(p.Calls)-1].Asked {
			t.Errorf("got %+v, sent %d", p, sent)
		}
	})
}

func TestRehearse(t *testing.T) {
	t.Parallel()
	sent := 0
	a := Rehearse(postman(&sent), json.RawMessage(`{"note":1}`), func(_ tool.Call, name string, args json.RawMessage) (tool.Result, error) {
		return tool.Result{Value: args}, nil
	})
	tr, err := PlayAgent(t.Context(), Stage{App: "x", Agents: []*agent.Agent{a}}, "postman", json.RawMessage(`{}`), Player{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tr.Path()
	if err != nil || sent != 0 || len(p.Calls) != 1 || !p.Calls[0].Asked || p.Calls[0].Failed {
		t.Errorf("a rehearsal asks as production does and does nothing: %+v %v, sent %d", p, err, sent)
	}
}
