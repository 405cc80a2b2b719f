package gatepass

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/evals"
	"dossier/apps/gatepass/grammar"
	"dossier/apps/gatepass/operation"
	"dossier/internal/model"
)

// A policy plays a desk's agent with the grammar. The state of the conversation is
// read anew from the transcript each time, so it survives a restart and follows what
// a model did in its place.
type policy struct {
	desk    string
	grammar *grammar.Grammar
	now     func() time.Time // in the site's zone
}

// A briefing is what a conversation begins with.
type briefing struct {
	Desk  string `json:"desk"`
	Name  string `json:"name"`  // of the person who speaks
	Today string `json:"today"` // when the conversation began, for models
	Zone  string `json:"zone"`

	// Before is what was shown and asked already, where a conversation does not begin
	// at its beginning: in an evaluation.
	Before evals.Given `json:"before,omitzero"`
}

// A fold is a conversation read so far.
type fold struct {
	*policy
	state grammar.State
	photo string      // the reference of the last attached picture
	act   grammar.Act // what followed from the last thing said or returned
	calls map[string]model.Call
	last  model.Return
}

func (p *policy) play(_ context.Context, req *model.Request) (*model.Reply, error) {
	var b briefing
	if err := req.Brief(nil, &b); err != nil {
		return nil, err
	}
	f := &fold{policy: p, calls: map[string]model.Call{}}
	f.state = evals.Input{Given: b.Before}.State(p.desk, p.grammar.Lister(p.desk))
	f.state.Me, f.state.Now, f.state.Photo = b.Name, p.now(), false
	answered := false
	for _, m := range req.Messages[1:] {
		answered = f.read(m)
	}
	if answered && f.act.Do == grammar.Decline {
		return model.Say(f.told()), nil
	}
	return f.reply(req), nil
}

// read takes in one message and reports whether it was a tool's answer.
func (f *fold) read(m model.Message) bool {
	returned := false
	for _, part := range m.Parts {
		switch part := part.(type) {
		case model.Text:
			if m.From == model.User {
				f.hear(string(part))
			}
		case model.Call:
			f.calls[part.ID] = part
			f.state.Last = grammar.Done{Tool: part.Tool, Args: argsOf(part.Args)}
			if f.state.Pending != nil && f.state.Pending.Search == "" {
				f.state.Pending = nil
			}
		case model.Return:
			f.came(part)
			returned = true
		}
	}
	return returned
}

// attached is the line that names a picture. The file's own name may hold brackets.
var attached = regexp.MustCompile(`(?ms)\n?^\[attached .*?: (\S+)\]$`)

func (f *fold) hear(text string) {
	if m := attached.FindAllStringSubmatch(text, -1); len(m) > 0 {
		f.photo, f.state.Photo = m[len(m)-1][1], true
		text = attached.ReplaceAllString(text, "")
	}
	if strings.TrimSpace(text) == "" {
		text = "attached"
	}
	f.act = f.grammar.Hear(f.state, text)
	f.state = f.state.After(f.act)
	if f.act.Do == grammar.Chat && f.act.Talk == grammar.Reset {
		f.photo = ""
	}
}

// came takes in what a call came back with: it is what the person sees and speaks of
// next.
func (f *fold) came(r model.Return) {
	f.last = r
	f.act = grammar.Act{}
	var reply Reply
	if r.Failed || r.Decode(&reply) != nil {
		f.state.Last.Failed = true
		f.state.Pending = nil
		return
	}
	f.state.Last.Failed = !reply.OK
	if e := reply.Error; e != nil && e.Type == client.Validation {
		f.awaitBetter(f.calls[r.ID], e.Context.Parameter)
	}
	switch {
	case reply.Passes != nil:
		f.state.Shown, f.state.Pass = nil, grammar.Pass{}
		for _, p := range reply.Passes.Items {
			f.state.Shown = append(f.state.Shown, grammar.Pass{Number: p.Number, ID: p.ID, Person: p.Person})
		}
		if len(f.state.Shown) == 1 {
			f.state.Pass = f.state.Shown[0]
		}
	case reply.Notifications != nil:
		f.state.Notes = nil
		for _, n := range reply.Notifications {
			f.state.Notes = append(f.state.Notes, n.ID)
		}
	case reply.Pass != nil:
		f.state.Pass = grammar.Pass{Number: reply.Pass.Number, ID: reply.Pass.ID, Person: reply.Pass.Person}
	case reply.OK:
		if n := argsOf(f.calls[r.ID].Args)["pass_number"]; n != "" {
			f.state.Pass = grammar.Pass{Number: n}
		}
	}
	if p := f.state.Pending; p != nil && p.Search != "" {
		f.act = f.grammar.Found(f.state, *p, f.state.Shown)
		f.state.Pending = nil
		f.state = f.state.After(f.act)
	}
}

// awaitBetter takes what is said next for the value of a parameter that was refused.
func (f *fold) awaitBetter(c model.Call, parameter string) {
	t, _ := f.grammar.Tool(c.Tool)
	if !slices.ContainsFunc(t.Slots, func(s grammar.Slot) bool { return s.Name == parameter }) {
		return
	}
	args := argsOf(c.Args)
	delete(args, parameter)
	f.state.Pending = &grammar.Pending{Tool: c.Tool, Args: args, Slot: parameter}
}

// saidNo is the note with which the terminal and the console reject a deed for someone
// who said no.
const saidNo = "said no in the conversation"

// told is what the last call came back with, in words.
func (f *fold) told() string {
	if f.last.Failed {
		if problem := f.last.Problem(); !strings.Contains(strings.ToLower(problem), saidNo) {
			return problem
		}
		return "All right, I have left it as it is."
	}
	var reply Reply
	if f.last.Decode(&reply) != nil || reply.Says == "" {
		return "Done."
	}
	return reply.Says
}

func argsOf(raw json.RawMessage) grammar.Args {
	out := grammar.Args{}
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return out
	}
	for k, v := range in {
		var s string
		if json.Unmarshal(v, &s) == nil {
			out[k] = s
		} else {
			out[k] = string(v)
		}
	}
	return out
}

// reply turns the act into the next turn.
func (f *fold) reply(req *model.Request) *model.Reply {
	a := f.act
	switch a.Do {
	case grammar.Call, grammar.Confirm:
		if !req.Offers(a.Tool) {
			return model.Say(refusal(a.Tool))
		}
		// A deed that must be confirmed is asked by the product itself, bound to its
		// exact arguments, so the call is made and waits there. One that may have been
		// misheard is shown here, and done with the same arguments on a yes.
		if o, _ := operation.Find(a.Tool); a.Do == grammar.Confirm && !o.Confirm {
			return model.Say(misheard(o) + " " + inWords(o, f.values(a)) + " Shall I? (yes or no)")
		}
		return req.Calling(model.Planned{Tool: a.Tool, Args: f.values(a)})
	case grammar.LookUp:
		if lister := f.grammar.Lister(f.desk); req.Offers(lister) {
			return req.Calling(model.Planned{Tool: lister, Args: map[string]json.RawMessage{"search": quoted(a.Name)}})
		}
	case grammar.Ask:
		return model.Say(f.question(a))
	case grammar.Refuse:
		return model.Say(refusal(a.Tool))
	case grammar.Chat:
		return model.Say(f.talk(a.Talk))
	}
	return model.Say("I can help with gate passes only. " + f.abilities())
}

// values writes the arguments of a call as JSON, by the kinds of the tool's slots.
func (f *fold) values(a grammar.Act) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	t, _ := f.grammar.Tool(a.Tool)
	for _, slot := range t.Slots {
		v, ok := a.Args[slot.Name]
		if !ok {
			continue
		}
		switch slot.Kind {
		case grammar.YesNo:
			out[slot.Name] = json.RawMessage(strconv.FormatBool(v == "true"))
		case grammar.Page:
			n, _ := strconv.Atoi(v)
			out[slot.Name] = json.RawMessage(strconv.Itoa(max(1, n)))
		case grammar.Photo:
			if v == "attached" {
				v = f.photo
			}
			out[slot.Name] = quoted(v)
		default:
			out[slot.Name] = quoted(v)
		}
	}
	return out
}

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic("encode string: " + err.Error()) // strings always encode
	}
	return raw
}

// question asks for one thing, naming what a reference could have meant.
func (f *fold) question(a grammar.Act) string {
	t, _ := f.grammar.Tool(a.Tool)
	ask := "What else?"
	for _, s := range t.Slots {
		if s.Name == a.Slot {
			ask = s.Ask
		}
	}
	if len(a.Among) == 0 {
		return ask
	}
	var b strings.Builder
	b.WriteString("Which one do you mean?\n")
	for i, p := range a.Among {
		fmt.Fprintf(&b, "%d. %s  %s\n", i+1, p.Number, p.Person)
	}
	return strings.TrimRight(b.String(), "\n")
}

func refusal(tool string) string {
	o, ok := operation.Find(tool)
	if !ok {
		return "That needs different permissions than yours."
	}
	return fmt.Sprintf("To %s needs different permissions than yours: it is done at the %s desk.", o.Does, strings.Join(o.Desks, " or "))
}

func (f *fold) talk(t grammar.Talk) string {
	switch t {
	case grammar.Greeting:
		return "Hello " + f.state.Me + ". " + f.abilities()
	case grammar.Thanks:
		return "You are welcome."
	case grammar.Cancel:
		return "All right, I have left it as it is. What shall I do instead?"
	case grammar.Reset:
		return "Let us start afresh. What can I do for you?"
	default:
		var b strings.Builder
		b.WriteString("You can say, for example:\n")
		for _, o := range operation.For(f.desk) {
			fmt.Fprintf(&b, "- %s\n", o.Example)
		}
		return strings.TrimRight(b.String(), "\n")
	}
}

func (f *fold) abilities() string {
	var does []string
	for _, o := range operation.For(f.desk) {
		does = append(does, o.Does)
	}
	return "I can " + strings.Join(does[:len(does)-1], ", ") + " and " + does[len(does)-1] + "."
}
