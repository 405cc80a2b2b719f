package netra

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier/apps/netra/ingest"
	"dossier/internal/eval"
)

// classifySuite measures the word lists on labelled reports. The same examples are the
// gate that a model must pass before its classifications may be used.
func classifySuite() eval.Suite {
	return eval.Suite{
		Name: "classify", Doc: "Layers, polarity, severity and tags of labelled reports.", File: "evals/classify.yaml",
		Gates: map[string]float64{"classification": 0.95},
		Graders: []eval.Grader{{Name: "classification", Grade: func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
			var want wanted
			var got classOut
			if err := json.Unmarshal(ex.Want, &want); err != nil {
				return eval.Grade{}, fmt.Errorf("example %s: %w", ex.Name, err)
			}
			if err := json.Unmarshal(tr.Answer, &got); err != nil {
				return eval.Grade{}, fmt.Errorf("answer to %s: %w", ex.Name, err)
			}
			return eval.Grade{Name: "classification", Score: want.grade(got), Applies: true, Reason: fmt.Sprintf("got %s", tr.Answer)}, nil
		}}},
		Run: func(_ context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
			var in classIn
			if err := json.Unmarshal(ex.Input, &in); err != nil {
				return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
			}
			raw, err := json.Marshal(outOf(ingest.Classify(ingest.Clean(in.Text))))
			return eval.Trace{Answer: raw}, err
		},
	}
}
