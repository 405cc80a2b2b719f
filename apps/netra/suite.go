package netra

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier/apps/netra/class"
	"dossier/apps/netra/ingest"
	"dossier/internal/agent"
	"dossier/internal/eval"
)

// classificationSuite is what `dossier eval run netra/classification` plays.
const classificationSuite = "classification"

// suite measures the classifier on labelled reports: the word lists, or a model in the
// same loop as in production. What a model reaches here decides whether its
// classifications may be used.
func (o *office) suite() eval.Suite {
	classifier := o.classifier()
	return eval.Suite{
		Name: classificationSuite, Agent: classifierName, Doc: "Layers, polarity, severity and tags of labelled reports.", File: "evals/classify.yaml",
		Gates:   map[string]float64{"classification": 0.95},
		Graders: []eval.Grader{{Name: "classification", Grade: gradeClassification}},
		Run: func(ctx context.Context, ex eval.Example, player eval.Player) (eval.Trace, error) {
			var in class.In
			if err := json.Unmarshal(ex.Input, &in); err != nil {
				return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
			}
			in.Text = ingest.Clean(in.Text)
			input, err := json.Marshal(in)
			if err != nil {
				return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
			}
			return eval.PlayAgent(ctx, eval.Stage{App: ID, Agents: []*agent.Agent{classifier}}, classifierName, input, player)
		},
	}
}

// gradeClassification is the share of the four answers that are right; none are where
// there is no answer.
func gradeClassification(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
	var want class.Wanted
	var got class.Out
	if err := json.Unmarshal(ex.Want, &want); err != nil {
		return eval.Grade{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	g := eval.Grade{Name: "classification", Applies: true, Reason: "no answer"}
	if len(tr.Answer) == 0 {
		return g, nil
	}
	if err := json.Unmarshal(tr.Answer, &got); err != nil {
		return eval.Grade{}, fmt.Errorf("answer to %s: %w", ex.Name, err)
	}
	g.Score, g.Reason = want.Grade(got), fmt.Sprintf("got %s", tr.Answer)
	return g, nil
}
