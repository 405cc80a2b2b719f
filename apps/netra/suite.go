package netra

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier/apps/netra/ingest"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// classifySuite measures the classifier on labelled reports: the word lists, or a model.
// The same examples are the gate that a model must pass before its classifications may
// be used.
func classifySuite() eval.Suite {
	return eval.Suite{
		Name: "classify", Agent: classifierName, Doc: "Layers, polarity, severity and tags of labelled reports.", File: "evals/classify.yaml",
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
		Run: playClassifier,
	}
}

// playClassifier puts one report to the classifier: to the word lists, or to the model
// that plays it, told what it is told in production.
func playClassifier(ctx context.Context, ex eval.Example, player eval.Player) (eval.Trace, error) {
	var in classIn
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	in.Text = ingest.Clean(in.Text)
	if player.Model == nil {
		raw, err := json.Marshal(outOf(ingest.Classify(in.Text)))
		return eval.Trace{Answer: raw}, err
	}
	input, err := json.Marshal(in)
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	brief, err := json.Marshal(model.Brief{Input: input})
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	reply, err := player.Model.Generate(ctx, &model.Request{System: prompt("classifier"), Output: tool.SchemaOf[classOut]().Text,
		Messages: []model.Message{{From: model.User, Parts: []model.Part{model.Text(brief)}}}}, nil)
	if err != nil {
		return eval.Trace{}, err
	}
	if text := reply.Text(); json.Valid([]byte(text)) {
		return eval.Trace{Answer: json.RawMessage(text)}, nil
	}
	return eval.Trace{Answer: json.RawMessage(`{}`)}, nil
}
