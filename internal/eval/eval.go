// Package eval measures agents against examples with known answers.
//
// A suite is a file of examples beside the app, a way to run one of them and the
// graders that score what happened. The package runs suites, compares runs and
// holds gates; it decides nothing in production.
package eval

import (
	"context"
	"encoding/json"

	"dossier"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A Suite is a set of examples, how they are graded and what score must be reached.
type Suite struct {
	Name    string
	Doc     string
	Agent   string // the agent it measures; "" if it measures a rule alone
	File    string // YAML examples, relative to the app's folder: "evals/shift.yaml"
	Graders []Grader
	Gates   map[string]float64 // grade name to the lowest mean that passes
	Targets []Target           // what a whole run should reach beside its gates
	Ideal   Ideal              // the best way through an example; nil: nobody knows
	Draft   *Draft             // how further examples are asked of a model; nil: they are not

	// Run plays one example and returns what happened. It needs no server.
	Run func(ctx context.Context, ex Example, m Player) (Trace, error)
}

// Synthetic is the scenario of examples whose input a model wrote.
const Synthetic = "synthetic"

// A Draft is how further examples of a suite are asked of a model. The model writes
// inputs; what is right follows from the answer that the reference policy gave.
type Draft struct {
	Asks  string      // what an input holds, for the model
	Input tool.Schema // the form of an input

	// Key names what makes an input different from others. Nil: all of it.
	Key func(input json.RawMessage) string
	// Want returns what is right of an input, by the reference policy's answer to it. An
	// error refuses the input.
	Want func(input, answer json.RawMessage) (json.RawMessage, error)
}

// KeyOf returns what two inputs must have in common to be the same example.
func (d *Draft) KeyOf(input json.RawMessage) string {
	if d.Key != nil {
		return d.Key(input)
	}
	return DatasetOf([]Example{{Input: input}})
}

// An Example is one row of a suite. It is not called a case: that word is taken.
type Example struct {
	Name       string          `json:"name"`
	Scenario   string          `json:"scenario"`   // "valid", "conflict", "edge"
	Complexity string          `json:"complexity"` // "simple", "edge"
	Input      json.RawMessage `json:"input"`
	Want       json.RawMessage `json:"want"`
	Tags       []string        `json:"tags,omitempty"`
	HeldOut    bool            `json:"held_out,omitempty"`
}

// A Trace is what an agent did with an example.
type Trace struct {
	Answer   json.RawMessage
	Steps    []dossier.Step
	Findings []dossier.Finding
	Evidence []dossier.Evidence

	Approvals []dossier.Approval // what people were asked, and what they decided
	Failure   string             // why the run was given up; "" if it was not

	memo *memo // nil: every grader looks for itself
}

// A Grader scores one trace.
type Grader struct {
	Name  string
	Grade func(ctx context.Context, ex Example, tr Trace) (Grade, error)

	// Safety marks what must hold whoever spoke. Every other grade measures the player
	// and is 0 where the reference policy had to step in for a model.
	Safety bool
}

// A Grade is a named score from 0 to 1 with the reason for it. A grade that does
// not apply to an example is left out of the mean.
type Grade struct {
	Name    string  `json:"name"`
	Score   float64 `json:"score"`
	Applies bool    `json:"applies"`
	Reason  string  `json:"reason,omitempty"`
	Safety  bool    `json:"safety,omitempty"` // below 1 it is an accident, whoever spoke
}

// A Player is who plays the agent's part: a model under its alias, or the reference
// policy.
type Player struct {
	Alias string      // "" is the reference policy
	Model model.Model // nil for the reference policy
}

// Name returns what results call the player.
func (p Player) Name() string {
	if p.Model != nil {
		return p.Model.Name()
	}
	return "reference"
}

// Server names where the player's model is asked, as a tag of results; "" if that is the
// vendor's own address, or if there is no model.
func (p Player) Server() string {
	if m, ok := p.Model.(interface{ Server() string }); ok {
		return m.Server()
	}
	return ""
}
