// Package tool defines typed tools: Go functions a model may call, with the roles
// that may call them, what they can change, and when a person must approve first.
//
// A tool is declared as a [Def] and used as a [Tool]:
//
//	var cancel = tool.Def[cancelIn, cancelOut]{
//		Name:   "cancel_membership",
//		Doc:    "Removes one rider from a vanpool.",
//		Roles:  []dossier.Role{coordinator},
//		Effect: tool.Act,
//		Key:    func(in cancelIn) string { return in.Vanpool + "/" + in.Rider },
//		Run:    a.cancel,
//	}.Tool()
//
// The package checks declarations and arguments. Whether a call may happen, and
// when, is the runner's business.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"dossier"
	"dossier/internal/canon"
)

// An Effect says what a call can change. The runner obeys it; the model never sees it.
type Effect uint8

const (
	// Read looks and changes nothing. Calls of one turn run at the same time.
	Read Effect = iota
	// Write changes only what the product stores. The call runs inside the
	// transaction that records it, so it happens exactly once.
	Write
	// Act changes the outside world: mail, a filing, a cancellation. It is recorded
	// as begun before it runs and is never repeated.
	Act
)

func (e Effect) String() string { return [...]string{"read", "write", "act"}[e] }

// A Call is what a tool may know about the call it serves.
type Call struct {
	Case dossier.CaseID
	Run  dossier.RunID
	Step dossier.StepID
	App  string
	For  dossier.Principal
	Now  time.Time
	Key  string // names what the call does; the same on every try

	// Input is what the run was started with, so that a tool can hold a model to it.
	Input json.RawMessage

	// Approved is the decision that let the call run; nil if nobody was asked.
	Approved *dossier.Decision

	// Model is what asked for the call, as "provider/model"; "" if a person did.
	Model string
}

// An Output is what a tool returns: a value for the model, the evidence it saw and
// the findings its rules made. The runner gives evidence its id, and ties each
// finding that cites nothing to the evidence of the same call.
type Output[T any] struct {
	Value    T
	Evidence []dossier.Evidence
	Findings []dossier.Finding
}

// A Policy says who decides about a call that is asked.
type Policy struct {
	Approvers []dossier.Role // who may decide; empty: whoever may call the tool
	Verbs     []dossier.Verb // empty: approve, edit, reject, respond
	Need      int            // how many must approve; 0 means 1
	FourEyes  bool           // whoever the run is for may not decide
	Expires   time.Duration  // 0: never
	Remind    time.Duration  // 0: no reminder
	Escalate  []dossier.Role // may also decide once the reminder is due
}

// A Def declares a tool whose arguments are In and whose result is Out.
type Def[In, Out any] struct {
	Name   string         // snake_case, unique in the app
	Doc    string         // written for the model
	Roles  []dossier.Role // who may call it; empty means anyone signed in
	Effect Effect

	// Ask says why a person must decide about this call first, or "" if nobody need.
	// If Ask is nil, people are asked about every Act call and about no other.
	Ask func(In) string

	// AskModel says why whoever the run is for must see this call first if a model
	// planned it, or "" if nobody need: a model may have misheard. A reference policy
	// is code and is not asked so. Nil: nobody need.
	AskModel func(In) string

	// AskOther says why a person must decide about this call first if an assistant
	// outside the product asks for it, or "" if nobody need because what it does can be
	// taken back and reaches nobody. If it is nil, people are asked about every Act.
	AskOther func(In) string

	// Title puts the call in one sentence for the person who decides. Nil: the name.
	Title func(In) string

	// Key names what the call does, so that it is done once: a second call with
	// the same key returns the first result. Act tools must have one. A key of ""
	// makes each call a deed of its own: it is still done once per call, but asking
	// again does it again.
	Key func(In) string

	// Check refuses arguments that fit the schema and still make no sense. It must
	// not look outside In. Nil: nothing more is checked.
	Check func(In) error

	// Before refuses a call that could not be carried out as things stand in its case, so
	// that nobody is asked about it. Run must hold by itself: things may have changed
	// when the person has decided. Nil: whatever needs a person is asked.
	Before func(context.Context, Call, In) error

	Policy Policy

	Run func(context.Context, Call, In) (Output[Out], error)

	// Happened writes down an act that was begun and never came back, once a person has
	// said that it did happen: c.Approved holds what they said. It runs inside the
	// transaction that records it and reaches nobody outside. Nil: the agent hears no
	// more than that it happened.
	Happened func(context.Context, Call, In) (Output[Out], error)
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Tool checks the declaration and erases its types. It panics on a bad
// declaration, as regexp.MustCompile does, because only a programmer can fix it.
func (d Def[In, Out]) Tool() Tool {
	switch {
	case !nameForm.MatchString(d.Name):
		panic(fmt.Sprintf("tool %q: the name must be snake_case", d.Name))
	case d.Doc == "":
		panic(fmt.Sprintf("tool %s: it needs a Doc for the model", d.Name))
	case d.Run == nil:
		panic(fmt.Sprintf("tool %s: it needs a Run", d.Name))
	case d.Effect == Act && d.Key == nil:
		panic(fmt.Sprintf("tool %s: an act needs a Key, so that it is done once", d.Name))
	case d.Effect != Act && d.Happened != nil:
		panic(fmt.Sprintf("tool %s: only an act can be in doubt, so nothing else has Happened", d.Name))
	}
	t := Tool{
		Name: d.Name, Doc: d.Doc, Roles: d.Roles, Effect: d.Effect, Policy: d.Policy,
		Input: SchemaOf[In](), plan: d.plan, run: d.runner(d.Run),
	}
	if d.Happened != nil {
		t.happened = d.runner(d.Happened)
	}
	if d.Before != nil {
		t.before = func(ctx context.Context, c Call, args json.RawMessage) error {
			in, err := d.decode(args)
			if err != nil {
				return err
			}
			return d.Before(ctx, c, in)
		}
	}
	return t
}

func (d Def[In, Out]) decode(args json.RawMessage) (In, error) {
	var in In
	if err := json.Unmarshal(args, &in); err != nil {
		return in, dossier.Errorf(dossier.Invalid, "The arguments do not fit %s: %v.", d.Name, err)
	}
	return in, nil
}

func (d Def[In, Out]) plan(args json.RawMessage) (Plan, error) {
	in, err := d.decode(args)
	if err != nil {
		return Plan{}, err
	}
	if d.Check != nil {
		if err := d.Check(in); err != nil {
			return Plan{}, err
		}
	}
	p := Plan{Title: "Run " + d.Name + "."}
	switch {
	case d.Ask != nil:
		p.Ask = d.Ask(in)
	case d.Effect == Act:
		p.Ask = "This changes something outside the product."
	}
	if d.AskModel != nil {
		p.AskModel = d.AskModel(in)
	}
	switch {
	case p.Ask != "":
		p.other = p.Ask
	case d.AskOther != nil:
		p.other = d.AskOther(in)
	case d.Effect == Act:
		p.other = "Another assistant asks for this, and it changes something outside the product."
	}
	if d.Title != nil {
		p.Title = d.Title(in)
	}
	if d.Key != nil {
		if key := d.Key(in); key != "" {
			p.Key = d.Name + "/" + key
		}
	}
	return p, nil
}

// A runner is a tool's function with its types erased.
type runner func(context.Context, Call, json.RawMessage) (Result, error)

func (d Def[In, Out]) runner(run func(context.Context, Call, In) (Output[Out], error)) runner {
	return func(ctx context.Context, c Call, args json.RawMessage) (Result, error) {
		in, err := d.decode(args)
		if err != nil {
			return Result{}, err
		}
		out, err := run(ctx, c, in)
		if err != nil {
			return Result{}, err
		}
		value, err := json.Marshal(out.Value)
		if err != nil {
			return Result{}, fmt.Errorf("encode result of %s: %w: %w", d.Name, ErrUnsaid, err)
		}
		return Result{value, out.Evidence, out.Findings}, nil
	}
}

// ErrUnsaid says that a tool did its work and that what it returned cannot be written
// down.
var ErrUnsaid = errors.New("the result is no JSON")

// A Tool is a declared tool with its types erased. Make one with [Def.Tool].
type Tool struct {
	Name   string
	Doc    string
	Roles  []dossier.Role
	Effect Effect
	Policy Policy
	Input  Schema

	plan     func(json.RawMessage) (Plan, error)
	run      runner
	happened runner // nil: nothing is to be written down
	before   func(context.Context, Call, json.RawMessage) error
}

// ForOthers returns the tool as assistants outside the product get it: a person decides
// about every act of theirs, except those of which the tool says that nobody need.
func (t Tool) ForOthers() Tool {
	plan := t.plan
	t.plan = func(args json.RawMessage) (Plan, error) {
		p, err := plan(args)
		p.Ask = p.other
		return p, err
	}
	return t
}

// A Plan is what must hold before a call runs.
type Plan struct {
	Args     json.RawMessage // canonical
	Ask      string          // why a person must approve; "" if none need
	AskModel string          // the same, if a model planned the call
	Title    string          // the call in one sentence
	Key      string          // idempotency key; "" if the call may repeat

	other string // Ask, if an assistant outside the product asks for the call
}

// A Result is an [Output] with its type erased.
type Result struct {
	Value    json.RawMessage
	Evidence []dossier.Evidence
	Findings []dossier.Finding
}

// Plan validates args and says what must happen before Run.
func (t Tool) Plan(args json.RawMessage) (Plan, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := t.Input.Check(args); err != nil {
		return Plan{}, err
	}
	p, err := t.plan(args)
	if err != nil {
		return Plan{}, err
	}
	if p.Ask == "" && p.AskModel == "" && p.Key == "" {
		p.Args = args
		return p, nil
	}
	if n := inexact(args); n != "" {
		return Plan{}, dossier.Errorf(dossier.Invalid, "The number %s cannot be kept exactly, so another would be used.", n)
	}
	p.Args, err = canon.JSON(args)
	return p, err
}

// Run calls the tool. The caller has checked roles, approval and key.
func (t Tool) Run(ctx context.Context, c Call, args json.RawMessage) (Result, error) {
	return t.run(ctx, c, args)
}

// Before refuses a call that a person need not be asked about.
func (t Tool) Before(ctx context.Context, c Call, args json.RawMessage) error {
	if t.before == nil {
		return nil
	}
	return t.before(ctx, c, args)
}

// Happened writes down an act that a person says happened: c.Approved is their word.
func (t Tool) Happened(ctx context.Context, c Call, args json.RawMessage) (Result, error) {
	if t.happened != nil {
		return t.happened(ctx, c, args)
	}
	return Testimony(*c.Approved)
}

// Testimony is what an agent hears of an act of which nothing is known but that a
// person says it happened.
func Testimony(said dossier.Decision) (Result, error) {
	value, err := json.Marshal(struct {
		Happened bool   `json:"happened"`
		Note     string `json:"note"`
	}{true, said.Note})
	return Result{Value: value}, err
}

// Approvers returns who may decide about a call to t.
func (t Tool) Approvers() []dossier.Role {
	if len(t.Policy.Approvers) > 0 {
		return t.Policy.Approvers
	}
	return t.Roles
}

// Verbs returns what may be done about a call to t.
func (t Tool) Verbs() []dossier.Verb {
	if len(t.Policy.Verbs) > 0 {
		return t.Policy.Verbs
	}
	return []dossier.Verb{dossier.Approve, dossier.Edit, dossier.Reject, dossier.Respond}
}

// For returns the tools p may call, in their order.
func For(p dossier.Principal, tools []Tool) []Tool {
	var out []Tool
	for _, t := range tools {
		if t.Allows(p) {
			out = append(out, t)
		}
	}
	return out
}

// Allows reports whether p may call t. The product itself may call every tool: what
// it starts unasked is still bound by approvals.
func (t Tool) Allows(p dossier.Principal) bool {
	return p.Has(dossier.System) || p.HasAny(t.Roles)
}
