// Package model is the product's one view of language models. Providers live in
// subpackages and translate to it; no vendor type crosses this boundary.
//
// A model may be a vendor's or a Go function: a reference policy is a [Model] made
// by [Reference] from a pure function of the transcript, and plays the same part
// through the same loop. The package decides what a request and a reply are and
// which failures are worth retrying; it never runs a tool.
package model

import (
	"context"
	"encoding/json"
	"strings"

	"dossier"
)

// A Model answers requests. Implementations are safe for concurrent use and
// return dossier.Unavailable for failures worth retrying.
type Model interface {
	// Name identifies the model in steps and reports, as "provider/model".
	Name() string

	// Generate sends req and returns the whole reply. If sink is not nil it also
	// receives text as it arrives; the reply is complete either way.
	Generate(ctx context.Context, req *Request, sink func(text string)) (*Reply, error)
}

// A Request is one turn put to a model.
type Request struct {
	System    string
	Messages  []Message
	Tools     []ToolSpec
	Output    json.RawMessage // JSON Schema the final answer must match; nil for free text
	MaxTokens int             // 0: the provider's default
}

// A Message is one turn of the conversation so far.
type Message struct {
	From  Speaker
	Parts []Part
}

// A Speaker is who a message is from.
type Speaker string

// The speakers. What tools returned comes from the user's side.
const (
	User      Speaker = "user"
	Assistant Speaker = "assistant"
)

// A Part is a piece of a message: Text, Image, Call or Return.
type Part interface{ part() }

type (
	// Text is prose.
	Text string
	// An Image is a picture for models that see.
	Image struct {
		MIME string
		Data []byte
	}
	// A Call is a model's wish that a tool be run.
	Call struct {
		ID, Tool string
		Args     json.RawMessage
	}
	// A Return is what a call came back with.
	Return struct {
		ID, Tool string
		Value    json.RawMessage
		Failed   bool // Value is then {"error": "…"}
		Images   []Image
	}
)

func (Text) part()   {}
func (Image) part()  {}
func (Call) part()   {}
func (Return) part() {}

// A ToolSpec is what a model is told about a tool.
type ToolSpec struct {
	Name, Doc string
	Input     json.RawMessage
}

// A Reply is a model's answer.
type Reply struct {
	Parts []Part
	Usage Usage
	Stop  Stop
}

// Usage counts tokens. A provider that reports none leaves it zero.
type Usage struct {
	In     int `json:"in"`
	Out    int `json:"out"`
	Cached int `json:"cached"`
}

// A Stop says why the model stopped.
type Stop string

// The reasons to stop.
const (
	Finished  Stop = "finished"
	WantsTool Stop = "tool"
	CutShort  Stop = "length"
	Refused   Stop = "refused"
)

// Calls returns the tool calls of r in order.
func (r *Reply) Calls() []Call {
	var out []Call
	for _, p := range r.Parts {
		if c, ok := p.(Call); ok {
			out = append(out, c)
		}
	}
	return out
}

// Text returns the prose of r.
func (r *Reply) Text() string {
	var b strings.Builder
	for _, p := range r.Parts {
		if t, ok := p.(Text); ok {
			b.WriteString(string(t))
		}
	}
	return b.String()
}

// Say returns a reply of prose alone.
func Say(text string) *Reply { return &Reply{Parts: []Part{Text(text)}, Stop: Finished} }

// Answer returns a reply that holds v as JSON: the final answer of an agent that has
// an output schema.
func Answer(v any) (*Reply, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, dossier.Errorf(dossier.Internal, "The answer could not be written down.").Because(err)
	}
	return Say(string(raw)), nil
}
