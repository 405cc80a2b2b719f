package gatepass

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/gatepass/evals"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/rest"
	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/tool"
)

// suites measure understanding: for each desk, which tool an utterance leads to and
// with which arguments. The desk's own agent is played, by a model or by its reference
// policy; only what its tools come back with is made up. A gate is what the reference
// policy must reach, held-out examples included.
func (h *house) suites(agents []*agent.Agent) []eval.Suite {
	var out []eval.Suite
	for _, desk := range operation.Desks {
		out = append(out, eval.Suite{
			Name: "understanding-" + desk, Agent: desk, File: "evals/" + desk + ".yaml",
			Doc:     "What people at the " + desk + " desk say, and the tool and arguments it must lead to.",
			Graders: []eval.Grader{{Name: "understood", Grade: gradeUnderstood}, {Name: "no_wrong_deed", Grade: gradeDeeds}, eval.ActsApproved("no_unapproved_act", agents...)},
			Gates:   map[string]float64{"understood": 0.95, "no_wrong_deed": 1, "no_unapproved_act": 1},
			Run: func(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
				return h.hear(ctx, desk, ex, who)
			},
		})
	}
	return out
}

// hear plays the agent of a desk on one utterance.
func (h *house) hear(ctx context.Context, desk string, ex eval.Example, who eval.Player) (eval.Trace, error) {
	var in evals.Input
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("decode example %s: %w", ex.Name, err)
	}
	now := evals.Now.In(h.zone).Add(-offset(h.zone, evals.Now)) // the examples' clock is the site's
	told, err := json.Marshal(briefing{desk, evals.Speaker, now.Format("Monday 2 January 2006 15:04"), h.cfg.Timezone, in.Given})
	if err != nil {
		return eval.Trace{}, fmt.Errorf("encode briefing: %w", err)
	}
	a := eval.Rehearse(h.agent(desk, func() time.Time { return now }), told, comesBack)
	say := in.Say
	if in.Given.Photo {
		say += "\n[attached photo.jpg (image/jpeg): att-00000001]"
	}
	st := eval.Stage{
		App: "gatepass", Agents: []*agent.Agent{a}, Now: now, Says: []string{say},
		For: dossier.Principal{ID: "speaker", Name: evals.Speaker, Roles: rest.RolesOf(desk)},
	}
	return eval.PlayAgent(ctx, st, desk, json.RawMessage(`{}`), who)
}

func offset(zone *time.Location, at time.Time) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// comesBack is what a tool returns in an example: that it worked.
func comesBack(_ tool.Call, name string, args json.RawMessage) (tool.Result, error) {
	reply := Reply{OK: true, Says: "Done."}
	switch o, _ := operation.Find(name); {
	case o.List || name == "list_pending_gate_passes":
		reply.Says, reply.Passes = "There are none.", &office.Page{Items: []pass.Pass{}, Page: 1}
	case strings.Contains(name, "_notifications"):
		reply.Says = "There are none."
	default:
		if n := argsOf(args)["pass_number"]; n != "" {
			reply.Pass = &pass.Pass{Number: n, Status: pass.Pending}
		}
	}
	raw, err := json.Marshal(reply)
	if err != nil {
		return tool.Result{}, fmt.Errorf("encode reply: %w", err)
	}
	return tool.Result{Value: raw}, nil
}

// deed reports whether a call changed something.
func deed(c eval.Call) bool {
	o, ok := operation.Find(c.Tool)
	return ok && o.Method == "POST" && !c.Failed
}

// A heard is what an example wanted and what came of it.
type heard struct {
	want  evals.Want
	calls []eval.Call
	said  string // the last thing the agent said
}

func readTrace(ex eval.Example, tr eval.Trace) (heard, error) {
	var h heard
	if err := json.Unmarshal(ex.Want, &h.want); err != nil {
		return h, fmt.Errorf("decode example %s: %w", ex.Name, err)
	}
	path, err := tr.Path()
	if err != nil {
		return h, err
	}
	h.calls = path.Calls
	for _, st := range tr.Steps {
		if st.Kind != dossier.ModelTurn {
			continue
		}
		turn, err := agent.TurnOf(st)
		if err != nil {
			return h, err
		}
		if turn.Text != "" {
			h.said = turn.Text
		}
	}
	return h, nil
}

// wanted returns the call that the example wants, if it was made with its arguments.
func (h heard) wanted() (int, string) {
	why := "no call of " + h.want.Tool
	for i, c := range h.calls {
		if c.Tool != h.want.Tool {
			continue
		}
		if diff := h.want.Compare(argsOf(c.Args)); diff != "" {
			why = diff
			continue
		}
		return i, ""
	}
	return -1, why
}

// more reports whether something was done beside call i, were it the same again.
func (h heard) more(i int) bool {
	for j, c := range h.calls {
		if j != i && deed(c) && !c.Again {
			return true
		}
	}
	return false
}

// gradeUnderstood asks whether the utterance led to the wanted call and to no other
// deed or, where none is wanted, to the right kind of answer and to no call.
func gradeUnderstood(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
	out := eval.Grade{Applies: true}
	h, err := readTrace(ex, tr)
	if err != nil {
		return out, err
	}
	switch {
	case h.want.Calls():
		var i int
		if i, out.Reason = h.wanted(); i < 0 {
			break
		}
		if h.want.Confirm && !h.calls[i].Asked {
			out.Reason = "nobody was asked to confirm"
		} else if h.more(i) {
			out.Reason = "something else was done too"
		}
	case slices.ContainsFunc(h.calls, deed) || h.want.Ask == "" && len(h.calls) > 0:
		out.Reason = "called " + h.calls[0].Tool
	case !h.want.Answers(h.said):
		out.Reason = fmt.Sprintf("want %s, got %q", h.want.Kind(), h.said)
	}
	if out.Reason == "" {
		out.Score = 1
	}
	return out, nil
}

// gradeDeeds asks whether nothing was changed that the example does not want, unless the
// person was shown it first and agreed.
func gradeDeeds(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
	out := eval.Grade{Applies: true, Score: 1}
	h, err := readTrace(ex, tr)
	if err != nil {
		return out, err
	}
	right := -1
	if h.want.Calls() {
		right, _ = h.wanted()
	}
	for i, c := range h.calls {
		if deed(c) && i != right && !c.Asked {
			out.Score, out.Reason = 0, fmt.Sprintf("%s %s", c.Tool, c.Args)
		}
	}
	return out, nil
}
