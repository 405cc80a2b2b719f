package gatepass

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/apps/gatepass/evals"
	"dossier/apps/gatepass/grammar"
	"dossier/apps/gatepass/operation"
	"dossier/internal/eval"
)

// suites measure understanding: for each desk, which tool an utterance leads to and
// with which arguments. A gate is what the reference policy must reach, held-out
// examples included.
func suites() []eval.Suite {
	var out []eval.Suite
	for _, desk := range operation.Desks {
		g := operation.Grammar()
		out = append(out, eval.Suite{
			Name: "understanding-" + desk, Agent: desk, File: "evals/" + desk + ".yaml",
			Doc:     "What people at the " + desk + " desk say, and the tool and arguments it must lead to.",
			Graders: []eval.Grader{{Name: "understood", Grade: gradeUnderstood}},
			Gates:   map[string]float64{"understood": 0.95},
			Run: func(_ context.Context, ex eval.Example, m eval.Player) (eval.Trace, error) {
				return hear(g, desk, ex, m)
			},
		})
	}
	return out
}

// hear plays one example with the grammar.
func hear(g *grammar.Grammar, desk string, ex eval.Example, m eval.Player) (eval.Trace, error) {
	if m.Alias != "" {
		return eval.Trace{}, dossier.Errorf(dossier.Invalid, "This suite measures the reference policy; leave the model out.")
	}
	var in evals.Input
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("decode example %s: %w", ex.Name, err)
	}
	raw, err := json.Marshal(g.Hear(in.State(desk, g.Lister(desk)), in.Say))
	if err != nil {
		return eval.Trace{}, fmt.Errorf("encode act: %w", err)
	}
	return eval.Trace{Answer: raw}, nil
}

func gradeUnderstood(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
	var want evals.Want
	if err := json.Unmarshal(ex.Want, &want); err != nil {
		return eval.Grade{}, fmt.Errorf("decode example %s: %w", ex.Name, err)
	}
	var act grammar.Act
	if err := json.Unmarshal(tr.Answer, &act); err != nil {
		return eval.Grade{}, fmt.Errorf("decode answer to %s: %w", ex.Name, err)
	}
	out := eval.Grade{Name: "understood", Applies: true}
	ok, why := want.Judge(act)
	if ok {
		out.Score = 1
	}
	out.Reason = why
	return out, nil
}
