package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/records"
)

func (s *Server) runRoutes(r *app.Router) {
	tags := []string{"runs"}
	readers := []dossier.Role{reader}
	app.Handle(r, huma.Operation{
		OperationID: "list-runs", Method: http.MethodGet, Path: "/api/v1/runs", Tags: tags, Summary: "Runs, newest first",
	}, readers, s.runs)
	app.Handle(r, huma.Operation{
		OperationID: "get-run", Method: http.MethodGet, Path: "/api/v1/runs/{id}", Tags: tags,
		Summary: "A run with its steps and the runs it called, as a tree", Errors: []int{404},
	}, readers, s.run)
	app.Handle(r, huma.Operation{
		OperationID: "get-prompt", Method: http.MethodGet, Path: "/api/v1/runs/{id}/steps/{seq}/prompt", Tags: tags,
		Summary: "What the model was told before a step", Errors: []int{404},
	}, readers, s.prompt)
	app.Handle(r, huma.Operation{
		OperationID: "compare-runs", Method: http.MethodGet, Path: "/api/v1/runs/{id}/compare/{other}", Tags: tags,
		Summary: "Two runs side by side", Errors: []int{404},
	}, readers, s.compare)
}

type runsInput struct {
	Paging
	App    string         `query:"app"`
	Case   dossier.CaseID `query:"case"`
	Agent  string         `query:"agent"`
	Status dossier.Status `query:"status" enum:"ready,paused,done,failed"`
	Top    bool           `query:"top" doc:"Leave out runs that another run called"`
}

type runsOutput struct{ Body Page[dossier.Run] }

func (s *Server) runs(ctx context.Context, in *runsInput) (*runsOutput, error) {
	after, err := in.position()
	if err != nil {
		return nil, err
	}
	rows, err := s.Records.Runs(ctx, records.RunQuery{
		Apps: s.within(s.Principal(ctx), in.App), Case: in.Case, Agent: in.Agent, Status: in.Status, Top: in.Top,
		After: after, Limit: in.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Input = object(rows[i].Input)
	}
	return &runsOutput{page(rows, in.Limit, func(r dossier.Run) (time.Time, string) { return r.Started, string(r.ID) })}, nil
}

// RunRef is a run that an operation is about.
type RunRef struct {
	ID dossier.RunID `path:"id"`
}

// A RunTree is a run with its steps, what they cost and the runs they called.
type RunTree struct {
	dossier.Run
	Steps    []StepView `json:"steps"`
	Children []RunTree  `json:"children"`
	Usage    Spent      `json:"usage" doc:"Of this run and the runs it called"`
}

// Spent sums up what runs consumed.
type Spent struct {
	Turns   int         `json:"turns" doc:"Model turns"`
	Calls   int         `json:"calls" doc:"Tool calls"`
	Tokens  model.Usage `json:"tokens"`
	Cost    float64     `json:"cost" doc:"In the currency of the price table"`
	Seconds float64     `json:"seconds" doc:"From the first to the last step"`
}

func (u *Spent) add(o Spent) {
	u.Turns += o.Turns
	u.Calls += o.Calls
	u.Tokens.In += o.Tokens.In
	u.Tokens.Out += o.Tokens.Out
	u.Tokens.Cached += o.Tokens.Cached
	u.Cost += o.Cost
}

type runOutput struct{ Body RunTree }

func (s *Server) run(ctx context.Context, in *RunRef) (*runOutput, error) {
	t, err := s.tree(ctx, in.ID, 8)
	if err != nil {
		return nil, err
	}
	return &runOutput{t}, nil
}

// tree loads a run with its steps and, down to depth, the runs it called.
func (s *Server) tree(ctx context.Context, id dossier.RunID, depth int) (RunTree, error) {
	run, steps, err := s.Records.Load(ctx, id)
	if err != nil {
		return RunTree{}, err
	}
	if err := s.see(ctx, run.App, "run "+string(id)); err != nil {
		return RunTree{}, err
	}
	run.Input = object(run.Input)
	views, err := viewSteps(steps)
	if err != nil {
		return RunTree{}, err
	}
	t := RunTree{Run: run, Steps: views, Children: []RunTree{}}
	t.Usage = usageOf(t.Steps)
	if depth == 0 {
		return t, nil
	}
	children, err := s.Records.ChildRuns(ctx, id)
	if err != nil {
		return RunTree{}, err
	}
	for _, c := range children {
		sub, err := s.tree(ctx, c.ID, depth-1)
		if err != nil {
			return RunTree{}, err
		}
		t.Children = append(t.Children, sub)
		t.Usage.add(sub.Usage)
	}
	return t, nil
}

// A PromptView is what a model was told, in words.
type PromptView struct {
	System   string           `json:"system"`
	Messages []PromptMessage  `json:"messages"`
	Tools    []PromptTool     `json:"tools"`
	Output   *json.RawMessage `json:"output,omitempty" doc:"JSON Schema that the answer had to match"`
	Changed  bool             `json:"changed" doc:"The agent's prompt or tools have changed since; this shows them as they are now"`
}

// changedSince reports whether a run's agent is no longer the one that took a step.
func (s *Server) changedSince(run dossier.Run, st dossier.Step) bool {
	turn, err := agent.TurnOf(st)
	for _, a := range s.apps[run.App].Kit.Agents {
		if a.Name == run.Agent {
			return err != nil || a.Version() != turn.Version
		}
	}
	return true
}

// A PromptMessage is one message put to a model.
type PromptMessage struct {
	From  model.Speaker `json:"from"`
	Parts []PromptPart  `json:"parts"`
}

// A PromptPart is a piece of a message.
type PromptPart struct {
	Kind  string          `json:"kind" enum:"text,image,call,return"`
	Text  string          `json:"text,omitempty"`
	Tool  string          `json:"tool,omitempty"`
	Call  string          `json:"call,omitempty"`
	Value json.RawMessage `json:"value,omitempty" doc:"Arguments of a call, or what it returned"`
	Bad   bool            `json:"failed,omitempty"`
}

// A PromptTool is a tool as the model was told about it.
type PromptTool struct {
	Name  string          `json:"name"`
	Doc   string          `json:"doc"`
	Input json.RawMessage `json:"input"`
}

type promptOutput struct{ Body PromptView }

func (s *Server) prompt(ctx context.Context, in *struct {
	RunRef
	Seq int `path:"seq" minimum:"1"`
}) (*promptOutput, error) {
	run, steps, err := s.Records.Load(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.see(ctx, run.App, "run "+string(in.ID)); err != nil {
		return nil, err
	}
	if in.Seq > len(steps) || steps[in.Seq-1].Kind != dossier.ModelTurn {
		return nil, dossier.Errorf(dossier.NotFound, "Step %d of run %s is no model turn.", in.Seq, in.ID)
	}
	req, err := s.Told(ctx, in.ID, in.Seq)
	if err != nil {
		return nil, err
	}
	v := viewPrompt(req)
	v.Changed = s.changedSince(run, steps[in.Seq-1])
	return &promptOutput{v}, nil
}

func viewPrompt(req *model.Request) PromptView {
	v := PromptView{System: req.System, Messages: []PromptMessage{}, Tools: []PromptTool{}}
	if len(req.Output) > 0 {
		v.Output = &req.Output
	}
	for _, m := range req.Messages {
		pm := PromptMessage{From: m.From, Parts: []PromptPart{}}
		for _, p := range m.Parts {
			pm.Parts = append(pm.Parts, viewPart(p))
		}
		v.Messages = append(v.Messages, pm)
	}
	for _, t := range req.Tools {
		v.Tools = append(v.Tools, PromptTool{t.Name, t.Doc, object(t.Input)})
	}
	return v
}

func viewPart(p model.Part) PromptPart {
	switch p := p.(type) {
	case model.Text:
		return PromptPart{Kind: "text", Text: string(p)}
	case model.Image:
		return PromptPart{Kind: "image", Text: p.MIME}
	case model.Call:
		return PromptPart{Kind: "call", Tool: p.Tool, Call: p.ID, Value: p.Args}
	case model.Return:
		return PromptPart{Kind: "return", Tool: p.Tool, Call: p.ID, Value: p.Value, Bad: p.Failed}
	default:
		return PromptPart{Kind: "text"}
	}
}
