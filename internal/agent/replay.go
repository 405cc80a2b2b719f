package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"dossier"
	"dossier/internal/model"
)

// A transcript is a run rebuilt from its steps.
type transcript struct {
	seq      int // of the last step
	messages []model.Message
	returns  []model.Return
	heard    []string    // the brief and what people said; not what the product told the model
	calls    []*openCall // of the last model turn, in order; nil once all came back
	turns    int         // turns that a model took since a person last spoke
	played   int         // turns that the reference policy took since then
	problems int         // unusable answers since a person last spoke
	streak   int         // turns in a row, up to the last, in which every call failed
	refused  int         // the longest streak since a person last spoke
	failed   int         // turns since then that the policy took in a model's place
	tokens   int
	cost     float64
	model    string // of the last model turn
	answered bool   // the agent's answer is the last word
	spoken   bool   // a person has said something since the brief
	last     time.Time
	waited   time.Duration // for people, and for other agents
}

// An openCall is a call of the last model turn and how far it has come.
type openCall struct {
	call  model.Call
	asked *askedBody // the newest question about it
	begun *begunBody
	child dossier.RunID
	came  *Came
}

// replay rebuilds a transcript from all steps of a run.
func replay(steps []dossier.Step) (*transcript, error) {
	t := &transcript{}
	for _, s := range steps {
		if err := t.apply(s); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// follow adds an entry that was just recorded. It comes to what apply makes of the
// stored step; where storing changes nothing in the body, it need not be read back.
func (t *transcript) follow(e *Entry) error {
	t.pass(e.Step.At)
	switch b := e.body.(type) {
	case *saidBody:
		if b.Brief != nil { // which is encoded again for the model, whatever form it has
			t.seq = e.Step.Seq
			t.said(b)
			return nil
		}
	case *Turn:
		if b.keeps() {
			t.seq = e.Step.Seq
			t.turn(b)
			return nil
		}
	case *Came:
		if keeps(b.Value) && utf8.ValidString(b.Call) {
			t.seq = e.Step.Seq
			t.came(b)
			return nil
		}
	}
	return t.apply(e.Step)
}

// apply adds one step.
func (t *transcript) apply(s dossier.Step) error {
	t.pass(s.At)
	t.seq = s.Seq
	switch s.Kind {
	case dossier.Said:
		b, err := decode[saidBody](s)
		if err == nil {
			t.said(&b)
		}
		return err
	case dossier.ModelTurn:
		b, err := decode[Turn](s)
		if err == nil {
			t.turn(&b)
		}
		return err
	case dossier.Asked:
		b, err := decode[askedBody](s)
		if c := t.open(b.Call); err == nil && c != nil {
			c.asked = &b
		}
		return err
	case dossier.Begun:
		b, err := decode[begunBody](s)
		if c := t.open(b.Call); err == nil && c != nil {
			c.begun, c.asked = &b, nil
		}
		return err
	case dossier.Called:
		b, err := decode[calledBody](s)
		if c := t.open(b.Call); err == nil && c != nil {
			c.child = b.Child
		}
		return err
	case dossier.Returned:
		b, err := decode[Came](s)
		if err == nil {
			t.came(&b)
		}
		return err
	case dossier.Answered:
		t.answered = true
	case dossier.Abandoned:
	}
	return nil
}

// pass lets the time until a step go by. What passed while somebody else had the word
// is not the run's own.
func (t *transcript) pass(at time.Time) {
	waits := t.answered || slices.ContainsFunc(t.calls, func(c *openCall) bool { return c.came == nil && (c.asked != nil || c.child != "") })
	if gone := at.Sub(t.last); waits && gone > 0 {
		t.waited += gone
	}
	t.last = at
}

func (t *transcript) said(b *saidBody) {
	text := b.Text
	if b.Brief != nil {
		text = string(encode(b.Brief))
	}
	for _, a := range b.Attached {
		text += "\n[attached " + a.Name + " (" + a.MIME + "): " + a.Ref + "]"
	}
	t.heard = append(t.heard, text)
	t.messages = append(t.messages, model.Message{From: model.User, Parts: []model.Part{model.Text(text)}})
	t.turns, t.played, t.problems, t.answered = 0, 0, 0, false
	t.streak, t.refused, t.failed = 0, 0, 0
	t.spoken = t.spoken || b.Brief == nil
}

func (t *transcript) turn(b *Turn) {
	if byPolicy(b.Model) {
		t.played++
	} else {
		t.turns++
	}
	t.model = b.Model
	t.tokens += b.Usage.In + b.Usage.Out
	t.cost += b.Cost
	if b.Fallback != "" {
		t.failed++
	}
	msg := model.Message{From: model.Assistant}
	if b.Text != "" {
		msg.Parts = append(msg.Parts, model.Text(b.Text))
	}
	t.calls = nil
	for _, c := range b.Calls {
		call := model.Call{ID: c.ID, Tool: c.Tool, Args: c.Args}
		msg.Parts = append(msg.Parts, call)
		t.calls = append(t.calls, &openCall{call: call})
	}
	t.messages = append(t.messages, msg)
	if b.Problem != "" {
		t.problems++
		t.messages = append(t.messages, model.Message{From: model.User, Parts: []model.Part{
			model.Text("Your answer cannot be used: " + b.Problem + " Answer again."),
		}})
	}
}

func (t *transcript) came(b *Came) {
	if c := t.open(b.Call); c != nil {
		c.came = b
		t.settle()
	}
}

// open returns the unanswered call with this id.
func (t *transcript) open(id string) *openCall {
	for _, c := range t.calls {
		if c.call.ID == id && c.came == nil {
			return c
		}
	}
	return nil
}

// settle hands the returns of a turn to the model once all of them are there, in
// the order of the calls.
func (t *transcript) settle() {
	for _, c := range t.calls {
		if c.came == nil {
			return
		}
	}
	msg := model.Message{From: model.User}
	t.streak++
	for _, c := range t.calls {
		if !c.came.Failed {
			t.streak = 0
		}
		r := model.Return{
			ID: c.call.ID, Tool: c.call.Tool, Value: c.came.Value, Failed: c.came.Failed,
			Images: imagesIn(c.came.Value),
		}
		t.returns = append(t.returns, r)
		msg.Parts = append(msg.Parts, r)
	}
	t.refused = max(t.refused, t.streak)
	t.messages = append(t.messages, msg)
	t.calls = nil
}

// imagesIn finds the picture that a tool returned as {"mime": …, "image_base64": …},
// so that a model that sees can look at it.
func imagesIn(value json.RawMessage) []model.Image {
	if !bytes.Contains(value, []byte(`"image_base64"`)) {
		return nil
	}
	var v struct {
		MIME string `json:"mime"`
		Data []byte `json:"image_base64"`
	}
	if json.Unmarshal(value, &v) != nil || len(v.Data) == 0 {
		return nil
	}
	return []model.Image{{MIME: v.MIME, Data: v.Data}}
}
