package model

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier"
)

// A Policy is an agent's part played by code: a pure function of the transcript. It
// looks at what has been said and returned so far and gives the next turn.
type Policy func(ctx context.Context, req *Request) (*Reply, error)

// Reference returns the model that a policy is.
func Reference(agent string, p Policy) Model { return reference{"reference/" + agent, p} }

type reference struct {
	name   string
	policy Policy
}

func (r reference) Name() string { return r.name }

func (r reference) Generate(ctx context.Context, req *Request, sink func(string)) (*Reply, error) {
	reply, err := r.policy(ctx, req)
	if err != nil {
		return nil, err
	}
	if len(reply.Calls()) > 0 {
		reply.Stop = WantsTool
	} else if reply.Stop == "" {
		reply.Stop = Finished
	}
	if text := reply.Text(); sink != nil && text != "" {
		sink(text)
	}
	return reply, nil
}

// A Brief is the first message of a run that is not a conversation: what it was
// started with, and what was looked up beforehand.
type Brief struct {
	Input   json.RawMessage `json:"input"`
	Context json.RawMessage `json:"context,omitempty"`
}

// Brief decodes the brief of req into input and context, either of which may be nil.
func (req *Request) Brief(input, context any) error {
	if len(req.Messages) == 0 || len(req.Messages[0].Parts) == 0 {
		return dossier.Errorf(dossier.Internal, "The run has no brief.")
	}
	text, ok := req.Messages[0].Parts[0].(Text)
	if !ok {
		return dossier.Errorf(dossier.Internal, "The run has no brief.")
	}
	var b Brief
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return fmt.Errorf("decode brief: %w", err)
	}
	if input != nil && len(b.Input) > 0 {
		if err := json.Unmarshal(b.Input, input); err != nil {
			return fmt.Errorf("decode input: %w", err)
		}
	}
	if context != nil && len(b.Context) > 0 {
		if err := json.Unmarshal(b.Context, context); err != nil {
			return fmt.Errorf("decode context: %w", err)
		}
	}
	return nil
}

// Offers reports whether the tool named name may be called.
func (req *Request) Offers(name string) bool {
	for _, t := range req.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// Returns gives what the tool named name came back with so far, in order.
func (req *Request) Returns(name string) []Return {
	var out []Return
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if r, ok := p.(Return); ok && r.Tool == name {
				out = append(out, r)
			}
		}
	}
	return out
}

// Last returns the newest return of the tool named name, and false if it was not
// called yet.
func (req *Request) Last(name string) (Return, bool) {
	all := req.Returns(name)
	if len(all) == 0 {
		return Return{}, false
	}
	return all[len(all)-1], true
}

// Tried is [Request.Last] for a tool that is tried once more where a call failed for no
// fault of its own: it returns false while the newest return is the first such failure.
// It is not for acts, which are not repeated without asking.
func (req *Request) Tried(name string) (Return, bool) {
	all := req.Returns(name)
	n := len(all)
	if n == 0 || all[n-1].Retry() && (n == 1 || !all[n-2].Retry()) {
		return Return{}, false
	}
	return all[n-1], true
}

// Calling returns a reply that calls one tool with args. n makes the call's id
// unique in the transcript.
func (req *Request) Calling(calls ...Planned) *Reply {
	n := 0
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if _, ok := p.(Call); ok {
				n++
			}
		}
	}
	r := &Reply{Stop: WantsTool}
	for i, c := range calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			panic(fmt.Sprintf("arguments of %s: %v", c.Tool, err))
		}
		r.Parts = append(r.Parts, Call{ID: fmt.Sprintf("call-%d", n+i+1), Tool: c.Tool, Args: args})
	}
	return r
}

// A Planned call is a tool's name with its arguments, typed.
type Planned struct {
	Tool string
	Args any
}

// Decode reads the value of a return.
func (r Return) Decode(v any) error {
	if err := json.Unmarshal(r.Value, v); err != nil {
		return fmt.Errorf("decode return of %s: %w", r.Tool, err)
	}
	return nil
}

// Problem returns the sentence of a failed return, or "".
func (r Return) Problem() string { return r.failure().Error }

// Retry reports whether the call failed for no fault of its own, so that the same call
// may work.
func (r Return) Retry() bool { return r.failure().Retry }

type failedReturn struct {
	Error string `json:"error"`
	Retry bool   `json:"retry"`
}

func (r Return) failure() (f failedReturn) {
	if !r.Failed {
		return f
	}
	if json.Unmarshal(r.Value, &f) != nil || f.Error == "" {
		return failedReturn{Error: "The call failed."}
	}
	return f
}
