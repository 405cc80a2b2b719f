package api

import (
	"encoding/json"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/model"
)

// A StepView is a step with its body in words. Which fields are set follows from
// the kind.
type StepView struct {
	ID   dossier.StepID   `json:"id"`
	Run  dossier.RunID    `json:"run"`
	Seq  int              `json:"seq"`
	Kind dossier.StepKind `json:"kind" enum:"said,model,asked,begun,called,returned,answered,abandoned"`
	At   time.Time        `json:"at"`
	Ms   float64          `json:"ms" doc:"Milliseconds it took; 0 if not known"`

	By       string             `json:"by,omitempty" doc:"Principal ID of who said it"`
	Text     string             `json:"text,omitempty" doc:"What was said, or why the run was given up"`
	Attached []agent.Attachment `json:"attached,omitempty"`
	Context  json.RawMessage    `json:"context,omitempty" doc:"What was looked up for the agent beforehand"`

	Model    string       `json:"model,omitempty" doc:"The model that spoke, as provider/model"`
	Version  string       `json:"version,omitempty" doc:"Of the agent's prompt and tools"`
	Fallback string       `json:"fallback,omitempty" doc:"Why the reference policy spoke instead of the model"`
	Problem  string       `json:"problem,omitempty" doc:"Why the answer could not be used"`
	Stop     model.Stop   `json:"stop,omitempty"`
	Tokens   *model.Usage `json:"tokens,omitempty"`
	Cost     float64      `json:"cost,omitempty"`
	Calls    []CallView   `json:"calls,omitempty" doc:"What the model asked for"`

	Call     string             `json:"call,omitempty" doc:"The call this step is about"`
	Tool     string             `json:"tool,omitempty"`
	Args     json.RawMessage    `json:"args,omitempty" doc:"The arguments as run"`
	Value    json.RawMessage    `json:"value,omitempty" doc:"What came back, or the answer"`
	Failed   bool               `json:"failed,omitempty"`
	Again    bool               `json:"again,omitempty" doc:"It was done before: this is the first result"`
	Ruling   *dossier.Decision  `json:"ruling,omitempty" doc:"The decision that let it run or stopped it"`
	Approval dossier.ApprovalID `json:"approval,omitempty"`
	Child    dossier.RunID      `json:"child,omitempty"`
}

// A CallView is a tool call that a model asked for.
type CallView struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// A stepBody is what the bodies of steps other than turns and returns hold between
// them.
type stepBody struct {
	By       string             `json:"by"`
	Brief    *model.Brief       `json:"brief"`
	Text     string             `json:"text"`
	Attached []agent.Attachment `json:"attached"`
	Call     string             `json:"call"`
	Approval dossier.ApprovalID `json:"approval"`
	Tool     string             `json:"tool"`
	Args     json.RawMessage    `json:"args"`
	Child    dossier.RunID      `json:"child"`
	Value    json.RawMessage    `json:"value"`
	Reason   string             `json:"reason"`
}

func viewSteps(steps []dossier.Step) ([]StepView, error) {
	out := make([]StepView, 0, len(steps))
	for _, st := range steps {
		v, err := viewStep(st)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func viewStep(st dossier.Step) (StepView, error) {
	v := StepView{ID: st.ID, Run: st.Run, Seq: st.Seq, Kind: st.Kind, At: st.At}
	switch st.Kind {
	case dossier.ModelTurn:
		t, err := agent.TurnOf(st)
		v.Model, v.Version, v.Text, v.Fallback, v.Problem, v.Stop = t.Model, t.Version, t.Text, t.Fallback, t.Problem, t.Stop
		v.Tokens, v.Cost, v.Ms = &t.Usage, t.Cost, t.Ms
		for _, c := range t.Calls {
			v.Calls = append(v.Calls, CallView(c))
		}
		return v, err
	case dossier.Returned:
		c, err := agent.CameOf(st)
		v.Call, v.Tool, v.Args, v.Value, v.Failed, v.Again = c.Call, c.Tool, c.Args, c.Value, c.Failed, c.Again
		v.Child, v.Ruling, v.Ms = c.Child, c.Ruling, c.Ms
		return v, err
	case dossier.Said, dossier.Asked, dossier.Begun, dossier.Called, dossier.Answered, dossier.Abandoned:
	}
	var b stepBody
	err := json.Unmarshal(st.Body, &b)
	v.By, v.Text, v.Attached, v.Call, v.Approval = b.By, b.Text, b.Attached, b.Call, b.Approval
	v.Tool, v.Args, v.Child, v.Value = b.Tool, b.Args, b.Child, b.Value
	if b.Brief != nil {
		v.Value, v.Context = b.Brief.Input, b.Brief.Context
	}
	if b.Reason != "" {
		v.Text = b.Reason
	}
	return v, err
}

// usageOf sums up the steps of one run.
func usageOf(steps []StepView) Spent {
	var u Spent
	for _, st := range steps {
		if st.Tokens == nil {
			continue
		}
		u.add(Spent{Turns: 1, Calls: len(st.Calls), Tokens: *st.Tokens, Cost: st.Cost})
	}
	if len(steps) > 1 {
		u.Seconds = steps[len(steps)-1].At.Sub(steps[0].At).Seconds()
	}
	return u
}
