package poolpatrol

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/model"
)

// suites measure the rules, the reading of replies and the case manager's choice of
// tools on examples with known answers. Their gates are the source design's targets.
func suites() []eval.Suite {
	return []eval.Suite{
		{
			Name: "shift", Doc: "Groups of riders: valid, in conflict, and at the edges.", Agent: "shift", File: "evals/shift.yaml",
			Graders: []eval.Grader{verdictMatch, affectedMatch}, Gates: map[string]float64{"verdict_accuracy": 0.95, "shift_conflict_accuracy": 0.98}, Run: playShift,
		},
		{
			Name: "location", Doc: "Homes near, far and unknown.", Agent: "location", File: "evals/location.yaml",
			Graders: []eval.Grader{verdictMatch, affectedMatch}, Gates: map[string]float64{"verdict_accuracy": 0.95}, Run: playLocation,
		},
		{
			Name: "outreach", Doc: "Replies over four buckets, hard ones among them.", Agent: "outreach", File: "evals/outreach.yaml",
			Graders: []eval.Grader{bucketMatch, hitlMatch}, Gates: map[string]float64{"bucket_match": 0.95, "hitl_match": 0.95}, Run: playReply,
		},
		{
			Name: "casemanager", Doc: "Which tools the case manager calls, and where the case ends up.", Agent: "casemanager", File: "evals/casemanager.yaml",
			Graders: []eval.Grader{toolChoice, statusMatch}, Gates: map[string]float64{"tool_choice_accuracy": 0.95}, Run: playManager,
		},
	}
}

func playShift(_ context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
	var in struct {
		Vanpool string             `json:"vanpool_id"`
		First   roster.Day         `json:"first_day"`
		Riders  []engine.ShiftFact `json:"riders"`
	}
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	params := patrol.Defaults.ShiftParams()
	s, err := engine.JudgeShifts(in.Riders, in.First, params)
	if err != nil {
		return eval.Trace{}, err
	}
	seen := engine.ShiftEvidence(in.Vanpool, in.Riders, in.First, params, s, time.Time{})
	return traced(s.Finding(), s.Failing(), seen)
}

func playLocation(_ context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
	var in struct {
		Vanpool   string                `json:"vanpool_id"`
		Pickup    engine.Place          `json:"pickup"`
		Threshold float64               `json:"threshold_miles"`
		Homes     []engine.DistanceFact `json:"homes"`
	}
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	for i, f := range in.Homes {
		f.Vanpool, f.Threshold = in.Vanpool, in.Threshold
		if f.Method = engine.Estimated; f.Routed > 0 {
			f.Method = "osrm"
		}
		in.Homes[i] = f.Measure(in.Pickup, f.Routed)
	}
	d := engine.JudgeDistances(in.Homes, in.Threshold)
	seen := engine.DistanceEvidence(engine.PickupFact{Vanpool: in.Vanpool, Coords: in.Pickup, Threshold: in.Threshold}, in.Homes, time.Time{})
	return traced(d.Finding(), d.Failing(), seen)
}

func traced(f dossier.Finding, affected []string, seen []dossier.Evidence) (eval.Trace, error) {
	res, err := verify.ResultOf(f, affected, seen, time.Time{})
	if err != nil {
		return eval.Trace{}, err
	}
	raw, err := json.Marshal(res)
	return eval.Trace{Answer: raw, Findings: []dossier.Finding{f}, Evidence: seen}, err
}

func playReply(_ context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
	var in struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	r := replies.Classify(in.Text)
	raw, err := json.Marshal(patrol.Outreach{Bucket: &r.Bucket, Review: r.Bucket == replies.Escalation})
	return eval.Trace{Answer: raw}, err
}

// playManager plays the case manager's policy against returns that the example gives.
func playManager(ctx context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
	var in struct {
		Input   json.RawMessage            `json:"input"`
		Context json.RawMessage            `json:"context"`
		Returns map[string]json.RawMessage `json:"returns"`
	}
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	brief, err := json.Marshal(model.Brief{Input: in.Input, Context: in.Context})
	if err != nil {
		return eval.Trace{}, err
	}
	req := &model.Request{Messages: []model.Message{{From: model.User, Parts: []model.Part{model.Text(brief)}}}}
	for _, name := range []string{"upsert_case", "close_case", "cancel_membership", "run_shift_specialist", "run_location_specialist", "run_outreach"} {
		req.Tools = append(req.Tools, model.ToolSpec{Name: name})
	}
	var tr eval.Trace
	for range 16 {
		reply, err := patrol.ManagerPolicy(ctx, req)
		if err != nil {
			return tr, err
		}
		turn := agent.Turn{Model: "reference/casemanager", Text: reply.Text()}
		back := model.Message{From: model.User}
		for _, c := range reply.Calls() {
			turn.Calls = append(turn.Calls, agent.TurnCall{ID: c.ID, Tool: c.Tool, Args: c.Args})
			value := in.Returns[c.Tool]
			var failed struct {
				Error string `json:"error"`
			}
			_ = json.Unmarshal(value, &failed)
			back.Parts = append(back.Parts, model.Return{ID: c.ID, Tool: c.Tool, Value: value, Failed: failed.Error != ""})
		}
		raw, err := json.Marshal(turn)
		if err != nil {
			return tr, err
		}
		tr.Steps = append(tr.Steps, dossier.Step{Seq: len(tr.Steps) + 1, Kind: dossier.ModelTurn, Body: raw})
		if len(turn.Calls) == 0 {
			tr.Answer = json.RawMessage(reply.Text())
			return tr, nil
		}
		req.Messages = append(req.Messages, model.Message{From: model.Assistant, Parts: reply.Parts}, back)
	}
	return tr, fmt.Errorf("example %s: the case manager did not come to an end", ex.Name)
}

// grader makes a grader that compares what an example wants with what came, both read
// into T.
func grader[T any](name string, right func(want, got T, tr eval.Trace) (bool, string)) eval.Grader {
	return eval.Grader{Name: name, Grade: func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
		var want, got T
		if err := json.Unmarshal(ex.Want, &want); err != nil {
			return eval.Grade{}, fmt.Errorf("example %s: %w", ex.Name, err)
		}
		if err := json.Unmarshal(tr.Answer, &got); err != nil {
			return eval.Grade{Name: name, Applies: true, Reason: "the answer is not JSON"}, nil
		}
		ok, reason := right(want, got, tr)
		g := eval.Grade{Name: name, Applies: true, Reason: reason}
		if ok {
			g.Score, g.Reason = 1, ""
		}
		return g, nil
	}}
}

type verdictWant struct {
	Verdict  string   `json:"verdict"`
	Affected []string `json:"affected_employee_ids"`
}

var verdictMatch = grader("verdict_accuracy", func(want, got verdictWant, _ eval.Trace) (bool, string) {
	return want.Verdict == got.Verdict, "got " + got.Verdict + ", want " + want.Verdict
})

var affectedMatch = grader("shift_conflict_accuracy", func(want, got verdictWant, _ eval.Trace) (bool, string) {
	slices.Sort(want.Affected)
	slices.Sort(got.Affected)
	return slices.Equal(want.Affected, got.Affected), fmt.Sprintf("got %v, want %v", got.Affected, want.Affected)
})

type bucketWant struct {
	Bucket string `json:"bucket"`
	Review bool   `json:"hitl_required"`
}

var bucketMatch = grader("bucket_match", func(want, got bucketWant, _ eval.Trace) (bool, string) {
	return want.Bucket == got.Bucket, "got " + got.Bucket + ", want " + want.Bucket
})

var hitlMatch = grader("hitl_match", func(want, got bucketWant, _ eval.Trace) (bool, string) {
	return want.Review == got.Review, fmt.Sprintf("got %v, want %v", got.Review, want.Review)
})

type managerWant struct {
	Tools   []string `json:"tools"`
	Status  string   `json:"status"`
	Outcome string   `json:"outcome"`
}

// toolChoice compares the tools that were called, in any order.
var toolChoice = grader("tool_choice_accuracy", func(want, _ managerWant, tr eval.Trace) (bool, string) {
	var called []string
	for _, s := range tr.Steps {
		var turn agent.Turn
		if json.Unmarshal(s.Body, &turn) == nil {
			for _, c := range turn.Calls {
				called = append(called, c.Tool)
			}
		}
	}
	slices.Sort(called)
	slices.Sort(want.Tools)
	return slices.Equal(called, want.Tools), fmt.Sprintf("got %v, want %v", called, want.Tools)
})

var statusMatch = grader("status_match", func(want, got managerWant, _ eval.Trace) (bool, string) {
	return want.Status == got.Status && want.Outcome == got.Outcome, fmt.Sprintf("got %s/%s, want %s/%s", got.Status, got.Outcome, want.Status, want.Outcome)
})
