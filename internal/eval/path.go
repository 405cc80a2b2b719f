package eval

import (
	"bytes"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/canon"
	"dossier/internal/model"
)

// A Call is one tool call of a trace, with what it came back with.
type Call struct {
	ID     string          `json:"-"` // the model's; unique in one run only
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Value  json.RawMessage `json:"value,omitempty"`
	Failed bool            `json:"failed,omitempty"`
	Asked  bool            `json:"asked,omitempty"` // a person was asked
	Model  string          `json:"model,omitempty"` // that made it; "": the reference policy
	Came   bool            `json:"came"`            // it came back before the trace ended
	Again  bool            `json:"again,omitempty"` // nothing was done: it came back with what an earlier call did
	Turn   int             `json:"turn"`            // the model turn it was made in, from 1; calls of one turn are made together
}

// A Path is what an agent did, in order, and what it cost.
type Path struct {
	Calls    []Call      `json:"calls"`
	Turns    int         `json:"turns"`
	Usage    model.Usage `json:"usage"`
	Cost     float64     `json:"cost"`
	Ms       float64     `json:"ms"`
	Fallback int         `json:"fallback"` // turns that the reference policy took for the model
	Answered bool        `json:"answered"`
	Prompt   string      `json:"prompt,omitempty"` // version of the prompt and tools that the last turn was made with
}

// Steps returns how many steps the way had: each turn that called something, and the
// answer. Calls of one turn are made together and are one step.
func (p Path) Steps() int {
	n, last := 0, 0
	for _, c := range p.Calls {
		if c.Turn != last {
			n, last = n+1, c.Turn
		}
	}
	if p.Answered {
		n++
	}
	return n
}

// Tools returns the names of the calls in order.
func (p Path) Tools() []string {
	out := make([]string, len(p.Calls))
	for i, c := range p.Calls {
		out[i] = c.Tool
	}
	return out
}

// PathOf reads the path out of the steps of one run. Stored runs and played ones
// have the same steps, so yesterday's production is graded like an example.
func PathOf(steps []dossier.Step) (Path, error) {
	var p Path
	at := map[string]int{} // call id to place
	for _, s := range steps {
		if err := p.add(s, at); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *Path) add(s dossier.Step, at map[string]int) error {
	switch s.Kind {
	case dossier.ModelTurn:
		t, err := agent.TurnOf(s)
		if err != nil {
			return err
		}
		p.Turns++
		p.Usage.In += t.Usage.In
		p.Usage.Out += t.Usage.Out
		p.Usage.Cached += t.Usage.Cached
		p.Cost += t.Cost
		p.Ms += t.Ms
		p.Prompt = t.Version
		if t.Fallback != "" {
			p.Fallback++
		}
		for _, c := range t.Calls {
			at[c.ID] = len(p.Calls)
			p.Calls = append(p.Calls, Call{ID: c.ID, Tool: c.Tool, Args: c.Args, Turn: p.Turns, Model: t.Player()})
		}
	case dossier.Asked:
		var b struct {
			Call string `json:"call"`
		}
		if err := json.Unmarshal(s.Body, &b); err != nil {
			return fmt.Errorf("read step %s: %w", s.ID, err)
		}
		if i, ok := at[b.Call]; ok {
			p.Calls[i].Asked = true
		}
	case dossier.Returned:
		c, err := agent.CameOf(s)
		if err != nil {
			return err
		}
		if i, ok := at[c.Call]; ok {
			p.Calls[i].Value, p.Calls[i].Failed, p.Calls[i].Came, p.Calls[i].Again = c.Value, c.Failed, true, c.Again
			p.Ms += c.Ms
		}
	case dossier.Answered:
		p.Answered = true
	}
	return nil
}

// same reports whether two calls ask for the same thing.
func same(a, b Call) bool {
	if a.Tool != b.Tool {
		return false
	}
	if bytes.Equal(a.Args, b.Args) {
		return true
	}
	x, errA := canon.JSON(a.Args)
	y, errB := canon.JSON(b.Args)
	return errA == nil && errB == nil && string(x) == string(y)
}
