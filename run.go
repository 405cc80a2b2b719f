package dossier

import (
	"encoding/json"
	"time"
)

// A Run is one agent working on one case for one principal.
type Run struct {
	ID       RunID           `json:"id"`
	Case     CaseID          `json:"case"`
	App      string          `json:"app"`
	Agent    string          `json:"agent"` // unique in the app: "casemanager"
	For      Principal       `json:"for"`
	Parent   StepID          `json:"parent,omitempty"`     // the step that called this agent as a tool
	ParentOf RunID           `json:"parent_run,omitempty"` // the run that step belongs to
	Status   Status          `json:"status"`
	Input    json.RawMessage `json:"input"`
	Answer   json.RawMessage `json:"answer,omitempty"`  // set when done
	Failure  string          `json:"failure,omitempty"` // a sentence, set when failed
	Started  time.Time       `json:"started"`
	Ended    time.Time       `json:"ended,omitzero"`
	Spent    Expense         `json:"spent"` // by the run itself; the runs it called have their own
}

// An Expense is what work of models and tools took.
type Expense struct {
	Model     string  `json:"model,omitempty"` // the one that spoke last
	Turns     int     `json:"turns"`
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	Cost      float64 `json:"cost"`    // in the currency of the price table
	BusyMs    float64 `json:"busy_ms"` // of models and tools; waiting for people is left out
}

// Plus returns e and o together. The model is o's, if it has one.
func (e Expense) Plus(o Expense) Expense {
	if o.Model == "" {
		o.Model = e.Model
	}
	return Expense{
		Model: o.Model, Turns: e.Turns + o.Turns, TokensIn: e.TokensIn + o.TokensIn, TokensOut: e.TokensOut + o.TokensOut,
		Cost: e.Cost + o.Cost, BusyMs: e.BusyMs + o.BusyMs,
	}
}

// A Status says whether a run can move.
type Status string

const (
	// Ready: Advance can take the next step.
	Ready Status = "ready"
	// Paused: an approval, a child run or a person's next message comes first.
	Paused Status = "paused"
	// Done: the agent gave its answer.
	Done Status = "done"
	// Failed: the run ended without an answer, and Failure says why.
	Failed Status = "failed"
)

// Ended reports whether a run with status s will never move again.
func (s Status) Ended() bool { return s == Done || s == Failed }

// A Step is one recorded move of a run. Steps are appended and never changed;
// replaying them rebuilds the run.
type Step struct {
	ID   StepID          `json:"id"`
	Run  RunID           `json:"run"`
	Seq  int             `json:"seq"` // from 1
	Kind StepKind        `json:"kind"`
	Body json.RawMessage `json:"body"` // encoded by the agent package, according to Kind
	At   time.Time       `json:"at"`
}

// A StepKind says what a step did.
type StepKind string

// The kinds of steps.
const (
	Said      StepKind = "said"      // a person spoke to the agent, or the run's input was set
	ModelTurn StepKind = "model"     // the model spoke or asked for tools
	Asked     StepKind = "asked"     // an approval was requested for a call
	Begun     StepKind = "begun"     // an act is about to run
	Called    StepKind = "called"    // an agent was called as a tool: a child run exists
	Returned  StepKind = "returned"  // a call came back, or was refused
	Answered  StepKind = "answered"  // the agent gave its final answer
	Abandoned StepKind = "abandoned" // the run was given up
)
