package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"charm.land/fantasy"
	"charm.land/fantasy/schema"

	"dossier"
	"dossier/internal/model"
)

// An adapter translates between the product's view of a model and the library's.
type adapter struct{ lm fantasy.LanguageModel }

func (a adapter) generate(ctx context.Context, req *model.Request, sink func(string)) (*model.Reply, error) {
	if len(req.Tools) == 0 && req.Output != nil {
		var s schema.Schema
		if json.Unmarshal(req.Output, &s) == nil {
			return a.object(ctx, req, s)
		}
		// The library knows no value of two types, such as a list or null: it is asked for
		// in words.
	}
	call := fantasy.Call{Prompt: prompt(req), MaxOutputTokens: maxTokens(req)}
	for _, t := range req.Tools {
		ft, err := functionTool(t)
		if err != nil {
			return nil, err
		}
		call.Tools = append(call.Tools, ft)
	}
	if sink != nil {
		return a.stream(ctx, call, sink)
	}
	resp, err := a.lm.Generate(ctx, call)
	if err != nil {
		return nil, err
	}
	r := &model.Reply{Usage: usage(resp.Usage), Stop: stop(resp.FinishReason)}
	for _, c := range resp.Content {
		if t, ok := fantasy.AsContentType[fantasy.TextContent](c); ok && t.Text != "" {
			r.Parts = append(r.Parts, model.Text(t.Text))
		}
		if tc, ok := fantasy.AsContentType[fantasy.ToolCallContent](c); ok {
			r.Parts = append(r.Parts, model.Call{ID: tc.ToolCallID, Tool: tc.ToolName, Args: json.RawMessage(tc.Input)})
		}
	}
	return settled(r), nil
}

// stream reads a reply as it comes and hands its text to sink.
func (a adapter) stream(ctx context.Context, call fantasy.Call, sink func(string)) (*model.Reply, error) {
	parts, err := a.lm.Stream(ctx, call)
	if err != nil {
		return nil, err
	}
	r := &model.Reply{}
	var text strings.Builder
	for p := range parts {
		switch p.Type {
		case fantasy.StreamPartTypeTextDelta:
			text.WriteString(p.Delta)
			sink(p.Delta)
		case fantasy.StreamPartTypeToolCall:
			r.Parts = append(r.Parts, model.Call{ID: p.ID, Tool: p.ToolCallName, Args: json.RawMessage(p.ToolCallInput)})
		case fantasy.StreamPartTypeFinish:
			r.Usage, r.Stop = usage(p.Usage), stop(p.FinishReason)
		case fantasy.StreamPartTypeError:
			return nil, p.Error
		}
	}
	if text.Len() > 0 {
		r.Parts = append([]model.Part{model.Text(text.String())}, r.Parts...)
	}
	return settled(r), nil
}

// object asks for an answer that fits the schema by the provider's own means. What a
// server says in words instead is its answer, for the caller to judge.
func (a adapter) object(ctx context.Context, req *model.Request, s schema.Schema) (*model.Reply, error) {
	bare := *req
	bare.Output = nil
	resp, err := a.lm.GenerateObject(ctx, fantasy.ObjectCall{
		Prompt: prompt(&bare), Schema: s, SchemaName: "answer", MaxOutputTokens: maxTokens(req),
	})
	if said, ok := errors.AsType[*fantasy.NoObjectGeneratedError](err); ok && said.RawText != "" {
		return &model.Reply{Parts: []model.Part{model.Text(said.RawText)}, Usage: usage(said.Usage), Stop: stop(said.FinishReason)}, nil
	}
	if said, ok := errors.AsType[*schema.ParseError](err); ok && said.RawText != "" {
		return &model.Reply{Parts: []model.Part{model.Text(said.RawText)}, Stop: model.Finished}, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(resp.Object)
	if err != nil {
		return nil, fmt.Errorf("encode object: %w", err)
	}
	return &model.Reply{Parts: []model.Part{model.Text(raw)}, Usage: usage(resp.Usage), Stop: model.Finished}, nil
}

// settled makes the reason to stop agree with what the reply holds: some servers
// say "stop" and still call a tool.
func settled(r *model.Reply) *model.Reply {
	if len(r.Calls()) > 0 {
		r.Stop = model.WantsTool
	}
	return r
}

func usage(u fantasy.Usage) model.Usage {
	return model.Usage{In: int(u.InputTokens), Out: int(u.OutputTokens), Cached: int(u.CacheReadTokens)}
}

func stop(f fantasy.FinishReason) model.Stop {
	switch f {
	case fantasy.FinishReasonLength:
		return model.CutShort
	case fantasy.FinishReasonContentFilter:
		return model.Refused
	case fantasy.FinishReasonToolCalls:
		return model.WantsTool
	default:
		return model.Finished
	}
}

func maxTokens(req *model.Request) *int64 {
	if req.MaxTokens == 0 {
		return nil
	}
	n := int64(req.MaxTokens)
	return &n
}

func functionTool(t model.ToolSpec) (fantasy.FunctionTool, error) {
	var in map[string]any
	if err := json.Unmarshal(t.Input, &in); err != nil {
		return fantasy.FunctionTool{}, fmt.Errorf("read schema of tool %s: %w", t.Name, err)
	}
	if in["properties"] == nil {
		in["properties"] = map[string]any{}
	}
	return fantasy.FunctionTool{Name: t.Name, Description: t.Doc, InputSchema: in}, nil
}

func prompt(req *model.Request) fantasy.Prompt {
	system := req.System
	if req.Output != nil {
		when := "Answer"
		if len(req.Tools) > 0 {
			when = "When you are done with tools, answer"
		}
		system += "\n\n" + when + " with JSON alone, nothing before or after it, that fits this schema:\n" + string(req.Output)
	}
	out := fantasy.Prompt{fantasy.NewSystemMessage(system)}
	for _, m := range req.Messages {
		out = append(out, messages(m)...)
	}
	return out
}

// messages translates one message. What tools returned has a role of its own in the
// library.
func messages(m model.Message) []fantasy.Message {
	role := fantasy.MessageRoleUser
	if m.From == model.Assistant {
		role = fantasy.MessageRoleAssistant
	}
	said := fantasy.Message{Role: role}
	tools := fantasy.Message{Role: fantasy.MessageRoleTool}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case model.Text:
			said.Content = append(said.Content, fantasy.TextPart{Text: string(p)})
		case model.Image:
			said.Content = append(said.Content, fantasy.FilePart{Filename: "image", Data: p.Data, MediaType: p.MIME})
		case model.Call:
			said.Content = append(said.Content, fantasy.ToolCallPart{ToolCallID: p.ID, ToolName: p.Tool, Input: string(p.Args)})
		case model.Return:
			tools.Content = append(tools.Content, returned(p))
			for _, img := range p.Images {
				said.Content = append(said.Content, fantasy.FilePart{Filename: "image", Data: img.Data, MediaType: img.MIME})
			}
		}
	}
	var out []fantasy.Message
	if len(tools.Content) > 0 {
		out = append(out, tools)
	}
	if len(said.Content) > 0 {
		out = append(out, said)
	}
	return out
}

func returned(r model.Return) fantasy.ToolResultPart {
	part := fantasy.ToolResultPart{ToolCallID: r.ID}
	switch {
	case r.Failed:
		part.Output = fantasy.ToolResultOutputContentError{Error: dossier.Errorf(dossier.Invalid, "%s", r.Problem())}
	case len(r.Images) > 0:
		part.Output = fantasy.ToolResultOutputContentText{Text: "The picture follows."}
	default:
		part.Output = fantasy.ToolResultOutputContentText{Text: string(r.Value)}
	}
	return part
}
