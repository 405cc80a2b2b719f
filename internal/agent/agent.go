package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"dossier"
	"dossier/internal/canon"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// An Agent is a prompt, the tools it may use, the shape of its answer and the
// reference policy that can play its part.
type Agent struct {
	Name   string // unique in the app
	Doc    string // one line, for people and for agents that call it
	Prompt string
	Model  string // an alias from the configuration: "fast", "strong"
	Policy model.Policy

	Tools       []tool.Tool
	Specialists []*Agent // agents this one may call as tools
	ToolName    string   // the name other agents call this one by; "" if none may

	Input  tool.Schema // what it is started with
	Output tool.Schema // what it must answer; the zero schema: prose
	Limits Limits

	// Chat marks a conversation: after an answer the run waits for what the person
	// says next.
	Chat bool

	// Preload looks up what the agent always needs, without a model. Nil: nothing.
	Preload func(context.Context, dossier.Run) (Preloaded, error)

	// Check refuses an answer that fits the schema and still must not be used, such
	// as prose with a number that no evidence holds. What it needs of the case's facts
	// it asks the draft for. Nil: nothing more is checked.
	Check func(context.Context, Draft) error

	once sync.Once
	ver  string
}

// Preloaded is context for an agent with the evidence it came from.
type Preloaded struct {
	Context  any // encoded as JSON into the brief
	Evidence []dossier.Evidence
}

// A Draft is an answer before it is used, with what the run has seen.
type Draft struct {
	Run     dossier.Run
	Answer  json.RawMessage // JSON, or a JSON string where the answer is prose
	Returns []model.Return
	Said    []string // the brief, and what people have said since
	Policy  bool     // the reference policy gives it, not a model

	// Facts returns the case's evidence and findings, those of this run among them.
	Facts func(context.Context) ([]dossier.Evidence, []dossier.Finding, error)
}

// Limits bound a run. Zero fields take the defaults.
type Limits struct {
	Turns  int           // turns since a person last spoke: a model's, and then the policy's; default 24
	Tokens int           // in and out together; default 400,000
	Cost   float64       // in the currency of the price table; 0: no limit
	Wall   time.Duration // from the start, waiting for people and other agents not counted; 0: no limit

	// The reference policy plays on for a model that reaches one of these. 0: no limit.
	Refused int // turns in a row in which every call came back failed
	Failed  int // turns that the policy took because the model failed or refused
}

func (l Limits) withDefaults() Limits {
	if l.Turns == 0 {
		l.Turns = 24
	}
	if l.Tokens == 0 {
		l.Tokens = 400_000
	}
	return l
}

// Find returns the agent called name among agents and the specialists they call.
func Find(agents []*Agent, name string) (*Agent, bool) {
	for _, a := range agents {
		if a.Name == name {
			return a, true
		}
		if s, ok := Find(a.Specialists, name); ok {
			return s, true
		}
	}
	return nil, false
}

// Version names the agent's prompt and tools by content, so that a step can say
// exactly what the model was told.
func (a *Agent) Version() string {
	specs := make([]model.ToolSpec, 0, len(a.Tools))
	for _, t := range a.Tools {
		specs = append(specs, model.ToolSpec{Name: t.Name, Doc: t.Doc, Input: t.Input.Text})
	}
	for _, s := range a.Specialists {
		specs = append(specs, s.spec())
	}
	sum, err := canon.Digest(struct {
		Prompt string
		Tools  []model.ToolSpec
		Output json.RawMessage
	}{a.Prompt, specs, a.Output.Text})
	if err != nil {
		panic(fmt.Sprintf("version of agent %s: %v", a.Name, err))
	}
	return sum[:12]
}

func (a *Agent) spec() model.ToolSpec {
	return model.ToolSpec{Name: a.ToolName, Doc: a.Doc, Input: a.Input.Text}
}

// Validate reports what a programmer must mend in a's declaration.
func (a *Agent) Validate() error {
	switch {
	case a.Name == "" || a.Doc == "":
		return fmt.Errorf("agent %q: Name and Doc are required", a.Name)
	case a.Prompt == "":
		return fmt.Errorf("agent %s: it needs a prompt", a.Name)
	case a.Policy == nil:
		return fmt.Errorf("agent %s: it needs a reference policy", a.Name)
	}
	seen := map[string]bool{}
	for _, t := range a.Tools {
		if seen[t.Name] {
			return fmt.Errorf("agent %s: tool %s is declared twice", a.Name, t.Name)
		}
		seen[t.Name] = true
	}
	for _, s := range a.Specialists {
		if s.ToolName == "" {
			return fmt.Errorf("agent %s: specialist %s has no ToolName", a.Name, s.Name)
		}
		if seen[s.ToolName] {
			return fmt.Errorf("agent %s: tool %s is declared twice", a.Name, s.ToolName)
		}
		seen[s.ToolName] = true
	}
	return nil
}

// version is Version, worked out once.
func (a *Agent) version() string {
	a.once.Do(func() { a.ver = a.Version() })
	return a.ver
}
