package agent

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"dossier"
	"dossier/internal/model"
)

// The bodies below are the stored form of steps. Fields may be added; a field that
// has been written is never renamed or given another meaning, because old runs are
// replayed by new binaries.

// A saidBody is what a person said, or what the run was started with.
type saidBody struct {
	By       string       `json:"by,omitempty"`
	Brief    *model.Brief `json:"brief,omitempty"` // the first step of a run that is no conversation
	Text     string       `json:"text,omitempty"`
	Attached []Attachment `json:"attached,omitempty"`
}

// BriefOf returns what a run was started with and told beforehand, from its steps. A
// conversation has none.
func BriefOf(steps []dossier.Step) (model.Brief, bool) {
	var b saidBody
	if len(steps) == 0 || steps[0].Kind != dossier.Said || json.Unmarshal(steps[0].Body, &b) != nil || b.Brief == nil {
		return model.Brief{}, false
	}
	return *b.Brief, true
}

// An Attachment is a file that a person sent with a message, kept by the app.
type Attachment struct {
	Name string `json:"name"`
	MIME string `json:"mime"`
	Ref  string `json:"ref"` // where the app keeps it
}

// A Turn is one thing a model said: the body of a model step.
type Turn struct {
	Model    string      `json:"model"`
	Version  string      `json:"version"` // of the agent's prompt and tools
	Text     string      `json:"text,omitempty"`
	Calls    []TurnCall  `json:"calls,omitempty"`
	Usage    model.Usage `json:"usage"`
	Cost     float64     `json:"cost,omitempty"`
	Stop     model.Stop  `json:"stop"`
	Ms       float64     `json:"ms"`
	Fallback string      `json:"fallback,omitempty"` // why the reference policy spoke instead of the model
	Problem  string      `json:"problem,omitempty"`  // why the answer could not be used
}

// Player returns the model that spoke, or "" if the reference policy did.
func (t Turn) Player() string {
	if byPolicy(t.Model) {
		return ""
	}
	return t.Model
}

// A TurnCall is a call as a step keeps it.
type TurnCall struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// An askedBody ties an approval to the call it is about.
type askedBody struct {
	Call     string             `json:"call"`
	Approval dossier.ApprovalID `json:"approval"`
	Doubt    bool               `json:"doubt,omitempty"` // the question is whether an interrupted act happened
}

// A begunBody says that an act is about to run, and in which process.
type begunBody struct {
	Call     string          `json:"call"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Key      string          `json:"key"`
	Instance string          `json:"instance"`
}

// A calledBody names the child run that answers a call.
type calledBody struct {
	Call  string        `json:"call"`
	Child dossier.RunID `json:"child"`
}

// A Came is what a call came back with: the body of a returned step.
type Came struct {
	Call   string            `json:"call"`
	Tool   string            `json:"tool"`
	Args   json.RawMessage   `json:"args,omitempty"` // as run, where an edit changed them
	Value  json.RawMessage   `json:"value"`
	Failed bool              `json:"failed,omitempty"`
	Again  bool              `json:"again,omitempty"` // the key was used before: the first result
	Child  dossier.RunID     `json:"child,omitempty"`
	Ruling *dossier.Decision `json:"ruling,omitempty"` // the decision that let it run or stopped it
	Ms     float64           `json:"ms"`
}

// An answeredBody is the agent's answer.
type answeredBody struct {
	Value json.RawMessage `json:"value"`
}

// An abandonedBody says why a run was given up.
type abandonedBody struct {
	Reason string `json:"reason"`
}

func decode[T any](s dossier.Step) (T, error) {
	var b T
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return b, fmt.Errorf("decode %s step %s: %w", s.Kind, s.ID, err)
	}
	return b, nil
}

// TurnOf reads a model step.
func TurnOf(s dossier.Step) (Turn, error) { return decode[Turn](s) }

// CameOf reads a returned step.
func CameOf(s dossier.Step) (Came, error) { return decode[Came](s) }

// keeps reports whether reading the stored turn back gives t again.
func (t *Turn) keeps() bool {
	for _, c := range t.Calls {
		if !keeps(c.Args) || !utf8.ValidString(c.ID) || !utf8.ValidString(c.Tool) {
			return false
		}
	}
	return utf8.ValidString(t.Text) && utf8.ValidString(t.Problem)
}

// keeps reports whether JSON is stored byte for byte: encoding takes out the spaces
// between its parts and writes some characters as escapes.
func keeps(raw json.RawMessage) bool {
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '<', '>', '&', 0xe2: // the last begins U+2028 and U+2029
			return false
		case '"':
			quoted = !quoted
		case '\\':
			i++
		case ' ', '\t', '\n', '\r':
			if !quoted {
				return false
			}
		}
	}
	return raw != nil
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode step body: %v", err)) // the bodies above always encode
	}
	return raw
}
