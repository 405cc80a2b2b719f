package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/records"
)

func (s *Server) chatRoutes(r *app.Router) {
	tags := []string{"chat"}
	members := []dossier.Role{member}
	app.Handle(r, huma.Operation{
		OperationID: "start-chat", Method: http.MethodPost, Path: "/api/v1/chat", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Start a conversation with an agent", Errors: []int{404},
	}, members, s.startChat)
	app.Handle(r, huma.Operation{
		OperationID: "list-chats", Method: http.MethodGet, Path: "/api/v1/chat", Tags: tags,
		Summary: "One's own conversations, newest first",
	}, members, s.chats)
	app.Handle(r, huma.Operation{
		OperationID: "get-chat", Method: http.MethodGet, Path: "/api/v1/chat/{id}", Tags: tags,
		Summary: "A conversation so far", Errors: []int{404},
	}, members, s.chat)
	app.Handle(r, huma.Operation{
		OperationID: "say", Method: http.MethodPost, Path: "/api/v1/chat/{id}/messages", Tags: tags,
		Summary: "Say something and wait for the answer", Errors: []int{404, 409},
	}, members, s.say)
	op := huma.Operation{
		OperationID: "say-and-stream", Method: http.MethodPost, Path: "/api/v1/chat/{id}/stream", Tags: tags,
		Summary: "Say something and get the answer as it comes, as server-sent events", Errors: []int{404, 409},
		Metadata: map[string]any{streamKey: true},
	}
	s.Guard(&op, members)
	sse.Register(s.api, op, map[string]any{
		"text": ChatText{}, "progress": ChatProgress{}, "step": StepView{}, "done": Conversation{}, "problem": huma.ErrorModel{},
	}, s.sayAndStream)
}

// A Conversation is a run that goes on with what a person says.
type Conversation struct {
	ID      dossier.RunID        `json:"id"`
	Case    dossier.CaseID       `json:"case"`
	App     string               `json:"app"`
	Agent   string               `json:"agent"`
	Status  dossier.Status       `json:"status"`
	Started time.Time            `json:"started"`
	Failure string               `json:"failure,omitempty"`
	Steps   []StepView           `json:"steps" doc:"What was said and done, in order"`
	Pending []dossier.ApprovalID `json:"pending" doc:"Approvals it waits for"`
}

// A ChatText is part of an answer, as it comes.
type ChatText struct {
	Text string `json:"text"`
}

// A ChatProgress says how the work of a tool goes on while it works.
type ChatProgress struct {
	Text string `json:"text"`
}

type startChatInput struct {
	Body struct {
		App   string          `json:"app"`
		Agent string          `json:"agent,omitempty" doc:"Absent: the app's first agent one can talk to"`
		Case  dossier.CaseID  `json:"case,omitempty" doc:"Absent: a case of its own"`
		Input json.RawMessage `json:"input,omitempty" doc:"What the agent is started with, if it needs anything"`
		Text  string          `json:"text,omitempty" maxLength:"8000" doc:"The first thing said"`
	}
}

type chatOutput struct{ Body Conversation }

func (s *Server) startChat(ctx context.Context, in *startChatInput) (*chatOutput, error) {
	inst, err := s.installed(ctx, in.Body.App)
	if err != nil {
		return nil, err
	}
	a := chatAgent(inst.Kit, in.Body.Agent)
	if a == nil {
		return nil, dossier.Errorf(dossier.NotFound, "%s has no agent to talk to by that name.", inst.App.Title)
	}
	p, desk := s.Principal(ctx), s.Desk(in.Body.App)
	id := in.Body.Case
	if id == "" {
		c, _, err := desk.Open(ctx, app.Opening{
			Subject: "chat/" + p.ID + "/" + s.NewID(""), Title: "Conversation with " + p.Name, State: dossier.Open, Stage: "conversation", By: p,
		})
		if err != nil {
			return nil, err
		}
		id = c.ID
	} else if c, err := s.caseSeen(ctx, id); err != nil {
		return nil, err
	} else if c.App != in.Body.App {
		return nil, dossier.Errorf(dossier.Invalid, "Case %s is not one of %s.", id, inst.App.Title)
	}
	run, err := desk.Start(ctx, app.Start{Case: id, Agent: a.Name, For: p, Input: object(inst.App.RedactedJSON(in.Body.Input)), Hold: true})
	if err != nil {
		return nil, err
	}
	if in.Body.Text != "" {
		if err := desk.Say(ctx, run.ID, p, in.Body.Text, nil); err != nil {
			return nil, err
		}
	}
	if _, err := desk.Drive(ctx, run.ID); err != nil {
		return nil, err
	}
	return s.conversation(ctx, run.ID)
}

func chatAgent(k *app.Kit, name string) *agent.Agent {
	for _, a := range k.Agents {
		if a.Chat && (name == "" || a.Name == name) {
			return a
		}
	}
	return nil
}

// mine returns a conversation that the principal started. Those of others do not
// exist for them: what is said to an agent is said in confidence.
func (s *Server) mine(ctx context.Context, id dossier.RunID) (dossier.Run, []dossier.Step, error) {
	run, steps, err := s.Records.Load(ctx, id)
	if err != nil {
		return run, nil, err
	}
	inst, ok := s.apps[run.App]
	if !ok || run.For.ID != s.Principal(ctx).ID || chatAgent(inst.Kit, run.Agent) == nil {
		return run, nil, dossier.Errorf(dossier.NotFound, "You have no conversation %s.", id)
	}
	return run, steps, s.see(ctx, run.App, "conversation "+string(id))
}

func (s *Server) conversation(ctx context.Context, id dossier.RunID) (*chatOutput, error) {
	run, steps, err := s.mine(ctx, id)
	if err != nil {
		return nil, err
	}
	c := describe(run)
	if c.Steps, err = viewSteps(steps); err != nil {
		return nil, err
	}
	asked, err := s.Records.ListApprovals(ctx, records.ApprovalQuery{
		Apps: []string{run.App}, Case: run.Case, Statuses: []dossier.ApprovalStatus{dossier.Pending}, Now: s.Now(), Limit: 100,
	})
	for _, a := range asked {
		c.Pending = append(c.Pending, a.ID)
	}
	return &chatOutput{c}, err
}

func describe(run dossier.Run) Conversation {
	return Conversation{
		ID: run.ID, Case: run.Case, App: run.App, Agent: run.Agent, Status: run.Status, Started: run.Started,
		Failure: run.Failure, Steps: []StepView{}, Pending: []dossier.ApprovalID{},
	}
}

func (s *Server) chat(ctx context.Context, in *RunRef) (*chatOutput, error) {
	return s.conversation(ctx, in.ID)
}

type chatsOutput struct{ Body Page[Conversation] }

func (s *Server) chats(ctx context.Context, in *struct {
	Paging
	App string `query:"app"`
}) (*chatsOutput, error) {
	after, err := in.position()
	if err != nil {
		return nil, err
	}
	p := s.Principal(ctx)
	rows, err := s.Records.Runs(ctx, records.RunQuery{
		Apps: s.within(p, in.App), For: p.ID, Top: true, After: after, Limit: in.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	got := page(rows, in.Limit, func(r dossier.Run) (time.Time, string) { return r.Started, string(r.ID) })
	out := &chatsOutput{Page[Conversation]{Items: []Conversation{}, Next: got.Next}}
	for _, run := range got.Items {
		if inst, ok := s.apps[run.App]; ok && chatAgent(inst.Kit, run.Agent) != nil {
			out.Body.Items = append(out.Body.Items, describe(run))
		}
	}
	return out, nil
}

type sayInput struct {
	RunRef
	Body struct {
		Text     string             `json:"text" maxLength:"8000"`
		Attached []agent.Attachment `json:"attached,omitempty" maxItems:"10" doc:"Files that the app already keeps"`
	}
}

func (s *Server) say(ctx context.Context, in *sayInput) (*chatOutput, error) {
	if err := s.speak(ctx, in); err != nil {
		return nil, err
	}
	return s.conversation(ctx, in.ID)
}

// speak adds what was said and drives the run until it waits again.
func (s *Server) speak(ctx context.Context, in *sayInput) error {
	run, _, err := s.mine(ctx, in.ID)
	if err != nil {
		return err
	}
	if in.Body.Text == "" && len(in.Body.Attached) == 0 {
		return dossier.Errorf(dossier.Invalid, "Say something, or attach a file.")
	}
	desk := s.Desk(run.App)
	if err := desk.Say(ctx, in.ID, s.Principal(ctx), in.Body.Text, in.Body.Attached); err != nil {
		return err
	}
	_, err = desk.Drive(ctx, in.ID)
	return err
}

// sayAndStream speaks and sends the answer as it comes: text while the model writes,
// how tools get on while they work, the steps, and the whole conversation at the end.
func (s *Server) sayAndStream(ctx context.Context, in *sayInput, send sse.Sender) {
	_, before, err := s.mine(ctx, in.ID)
	if err == nil {
		var mu sync.Mutex // tools of one turn work at the same time
		tell := func(v any) {
			mu.Lock()
			defer mu.Unlock()
			_ = send.Data(v) // the run goes on if nobody listens
		}
		watched := agent.WithSink(ctx, func(text string) { tell(ChatText{text}) })
		err = s.speak(agent.WithProgress(watched, func(text string) { tell(ChatProgress{text}) }), in)
	}
	if err != nil {
		if p, ok := s.Problem(ctx, err).(*huma.ErrorModel); ok {
			_ = send.Data(*p)
		}
		return
	}
	out, err := s.conversation(ctx, in.ID)
	if err != nil {
		s.Log.ErrorContext(ctx, "read conversation", "run", in.ID, "err", fmt.Errorf("after speaking: %w", err))
		return
	}
	for _, st := range out.Body.Steps[min(len(before), len(out.Body.Steps)):] {
		_ = send.Data(st)
	}
	_ = send.Data(out.Body)
}
