// Package mcp serves the apps' tools to other assistants over the Model Context
// Protocol, on standard input and output or over HTTP.
//
// Served are the tools that an app's kit holds beside its agents: those that stand by
// themselves. What an agent does in its own case, such as closing it, is not to be had
// outside.
//
// A call is not a shortcut: it becomes a run of the [Agent] that an app gets here, so
// roles are checked when tools are listed, when the call is planned and when it runs,
// its evidence goes into a case, and what needs a person's approval waits in the
// inbox. That is more than for an agent of the product: an act that an assistant
// outside asks for is decided by a person, even where an agent acts alone, unless the
// tool says that it can be taken back ([tool.Def.AskOther]). The caller is then told
// what it waits for and can ask for the outcome with the tool `result`. The package
// knows no tool; whatever a kit holds is served.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// AgentName is the name of the agent that carries out calls in every app.
const AgentName = "mcp"

// A request is what such a run is started with.
type request struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// Agent returns the agent that carries out calls to the tools of a kit. It has no model:
// the assistant outside has chosen the call, and nobody is to choose it over again.
func Agent(k *app.Kit) *agent.Agent {
	return &agent.Agent{
		Name: AgentName, Doc: "Carries out one tool call for another assistant.",
		Prompt: "Call the tool that the input names with exactly the arguments it gives, then answer with what came back.",
		Tools:  forOthers(k.Tools), Input: tool.SchemaOf[request](), Policy: once,
	}
}

// once calls the tool of the brief and then says what came back.
func once(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in request
	if err := req.Brief(&in, nil); err != nil {
		return nil, err
	}
	r, ok := req.Last(in.Tool)
	switch {
	case !ok:
		return req.Calling(model.Planned{Tool: in.Tool, Args: in.Args}), nil
	case r.Failed:
		return model.Say(r.Problem()), nil
	}
	return model.Say(string(r.Value)), nil
}

func forOthers(tools []tool.Tool) []tool.Tool {
	var out []tool.Tool
	for _, t := range tools {
		out = append(out, t.ForOthers())
	}
	return out
}

// An App is an app as it is served.
type App struct {
	ID    string
	Title string
	Kit   *app.Kit
	Desk  app.Desk
	// Steps returns the steps of a run, to read what a call came back with.
	Steps func(context.Context, dossier.RunID) ([]dossier.Step, error)
	// Redact takes out of arguments what the app must not keep. Nil: nothing.
	Redact func(json.RawMessage) json.RawMessage
}

// A Server serves apps to one principal at a time.
type Server struct {
	Apps    []App
	Version string
	NewID   func(prefix string) string
}

// For returns the protocol server that offers p the tools p may use. With more than
// one app a tool's name begins with its app's.
func (s *Server) For(p dossier.Principal) *sdk.Server {
	out := sdk.NewServer(&sdk.Implementation{Name: "dossier", Version: s.Version}, nil)
	for _, a := range s.Apps {
		for _, t := range tool.For(p, a.Kit.Tools) {
			name := t.Name
			if len(s.Apps) > 1 {
				name = a.ID + "_" + name
			}
			out.AddTool(describe(name, a, t), func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return s.call(ctx, a, t, p, req.Params.Arguments)
			})
		}
	}
	out.AddTool(&sdk.Tool{
		Name:        "result",
		Description: "What became of an earlier call that had to wait for a person. Takes the run that the call named.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"run":{"type":"string","description":"the run's id"}},"required":["run"]}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.result(ctx, p, req.Params.Arguments)
	})
	return out
}

func describe(name string, a App, t tool.Tool) *sdk.Tool {
	destructive := t.Effect == tool.Act
	return &sdk.Tool{
		Name: name, Title: a.Title + ": " + strings.ReplaceAll(t.Name, "_", " "), Description: t.Doc, InputSchema: t.Input.Text,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.Effect == tool.Read, DestructiveHint: &destructive},
	}
}

// call makes a run of a call and drives it until it ends or waits.
func (s *Server) call(ctx context.Context, a App, t tool.Tool, p dossier.Principal, args json.RawMessage) (*sdk.CallToolResult, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if a.Redact != nil {
		args = a.Redact(args)
	}
	c, _, err := a.Desk.Open(ctx, app.Opening{
		Subject: "mcp/" + p.ID + "/" + s.NewID(""), Title: "Call of " + t.Name + " for " + p.Name, State: dossier.Preliminary, Stage: "call", By: p,
	})
	if err != nil {
		return failure(err), nil
	}
	run, err := a.Desk.Start(ctx, app.Start{Case: c.ID, Agent: AgentName, For: p, Input: request{t.Name, args}, Hold: true})
	if err != nil {
		return failure(err), nil
	}
	if run, err = a.Desk.Drive(ctx, run.ID); err != nil {
		return failure(err), nil
	}
	if err := s.file(ctx, a, c, run); err != nil {
		return failure(err), nil
	}
	return s.outcome(ctx, a, run)
}

// file puts the case of a call where it belongs: nobody is bothered with one that was
// answered at once, one that waits for a person is in their lists, and is closed after
// it.
func (s *Server) file(ctx context.Context, a App, c dossier.Case, run dossier.Run) error {
	ch := app.Change{By: run.For.ID}
	switch early := c.State == dossier.Preliminary; {
	case !c.State.Live():
		return nil
	case !run.Status.Ended() && early:
		ch.State, ch.Note = dossier.Waiting, "Waiting for a person."
	case !run.Status.Ended():
		return nil
	case early:
		ch.State, ch.Outcome = dossier.Cleared, "answered"
	default:
		ch.State, ch.Outcome = dossier.Closed, "answered"
	}
	_, err := a.Desk.Move(ctx, c.ID, ch)
	return err
}

func (s *Server) result(ctx context.Context, p dossier.Principal, args json.RawMessage) (*sdk.CallToolResult, error) {
	var in struct {
		Run dossier.RunID `json:"run"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return failure(dossier.Errorf(dossier.Invalid, "Name the run.").Because(err)), nil
	}
	for _, a := range s.Apps {
		run, err := a.Desk.Run(ctx, in.Run)
		if errors.Is(err, dossier.NotFound) || err == nil && (run.App != a.ID || run.For.ID != p.ID || run.Agent != AgentName) {
			continue
		}
		if err != nil {
			return failure(err), nil
		}
		c, err := a.Desk.Case(ctx, run.Case)
		if err == nil {
			err = s.file(ctx, a, c, run)
		}
		if err != nil {
			return failure(err), nil
		}
		return s.outcome(ctx, a, run)
	}
	return failure(dossier.Errorf(dossier.NotFound, "You have no call with the run %q.", in.Run)), nil
}

// outcome says what a run came to, or what it waits for.
func (s *Server) outcome(ctx context.Context, a App, run dossier.Run) (*sdk.CallToolResult, error) {
	switch run.Status {
	case dossier.Failed:
		return failure(dossier.Errorf(dossier.Conflict, "%s", run.Failure)), nil
	case dossier.Done:
		steps, err := a.Steps(ctx, run.ID)
		if err != nil {
			return failure(err), nil
		}
		return returned(steps), nil
	}
	asked, err := a.Desk.Approvals(ctx, run.Case)
	if err != nil {
		return failure(err), nil
	}
	for _, ap := range asked {
		if ap.Run == run.ID && ap.Status == dossier.Pending {
			return text("This waits for a person: " + ap.Title + " " + ap.Why + " Approval " + string(ap.ID) +
				" is in the inbox. Ask for the outcome later with the tool result and run " + string(run.ID) + "."), nil
		}
	}
	return text("This is still being worked on. Ask for the outcome with the tool result and run " + string(run.ID) + "."), nil
}

// returned is what the tool gave back, with its picture as one.
func returned(steps []dossier.Step) *sdk.CallToolResult {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Kind != dossier.Returned {
			continue
		}
		came, err := agent.CameOf(steps[i])
		if err != nil {
			return failure(err)
		}
		var value struct {
			Error string `json:"error"`
			MIME  string `json:"mime"`
			Image []byte `json:"image_base64"`
		}
		if came.Failed {
			if json.Unmarshal(came.Value, &value) != nil || value.Error == "" {
				value.Error = "The call failed."
			}
			out := text(value.Error)
			out.IsError = true
			return out
		}
		out := text(string(came.Value))
		if json.Unmarshal(came.Value, &value) == nil && len(value.Image) > 0 {
			out.Content = append(out.Content, &sdk.ImageContent{MIMEType: value.MIME, Data: value.Image})
		}
		return out
	}
	return failure(dossier.Errorf(dossier.Internal, "The call left no result."))
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

func failure(err error) *sdk.CallToolResult {
	out := text(dossier.Message(err))
	out.IsError = true
	return out
}

// Handler serves over HTTP. Every request says anew who it is from, so no session
// outlives a token.
func (s *Server) Handler(identify func(*http.Request) (dossier.Principal, error)) http.Handler {
	type key struct{}
	h := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		p, _ := r.Context().Value(key{}).(dossier.Principal)
		return s.For(p)
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := identify(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, dossier.Message(err), http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, p)))
	})
}
