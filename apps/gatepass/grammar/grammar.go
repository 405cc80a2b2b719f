// Package grammar understands what people say at a pass desk, without a model.
//
// It knows no tool by name. A tool declares the cues that ask for it and the slots it
// fills ([Tool]); the grammar is the sum of the declarations, so a new tool brings
// its phrases with it. What it knows itself is what all tools share: pass numbers in
// every spelling, references ("it", "the second one", "John's pass"), names, dates,
// yes and no, typing errors, politeness. [Grammar.Hear] takes one utterance in the
// [State] of a conversation and says what follows: a call, one question, a
// confirmation, plain talk, or that it is not about gate passes. It never invents a
// value: whatever a call holds was said, shown or is the speaker's own name. It does
// no I/O, keeps nothing between calls, and is safe for concurrent use.
package grammar

import (
	"slices"
	"strings"
	"time"

	"dossier/apps/gatepass/spelling"
)

// A Kind is what a slot takes.
type Kind uint8

// The kinds of slots.
const (
	Number  Kind = iota // a pass number
	ID                  // a pass id
	PassRef             // a pass id or a pass number
	Person              // a person's name
	Purpose             // free text: why someone leaves
	YesNo               // whether the person will return
	Status              // a filter word
	Search              // a name to look for
	Day                 // a date
	Moment              // a date and time to come
	Page                // a page of a list
	Note                // a notification's id
	Photo               // an attached picture
	Me                  // who is speaking, unless another name is given
)

// A Slot is one parameter of a tool.
type Slot struct {
	Name     string
	Kind     Kind
	Optional bool
	Ask      string // the question that asks for it
}

// A Tool is what a tool declares about how people ask for it.
type Tool struct {
	Name    string
	Does    string // "approve a pass": for help and refusals
	Role    string // who may: "hr", "admin", "gate"; "": everyone
	Cues    []string
	Slots   []Slot
	Confirm bool // say what will happen and wait for a yes
	Acts    bool // changes something: never on "not yet"
	List    bool // shows many passes: the one to look names up with
}

// A Grammar understands the tools it was made of.
type Grammar struct {
	tools []compiled
	spell *spelling.Speller
	deeds map[string]bool // the words that ask for a change: "approve"
}

type compiled struct {
	Tool
	cues    []cue
	negates bool // "do not …" asks for it: to turn something down
}

// New returns the grammar of tools. It panics on a cue that cannot be read, which only
// a programmer can mend.
func New(tools []Tool) *Grammar {
	g := &Grammar{deeds: map[string]bool{}}
	vocabulary := map[string]bool{}
	for w := range strings.FieldsSeq(spelling.Common) {
		vocabulary[w] = true
	}
	for _, t := range tools {
		c := compiled{Tool: t}
		for _, text := range t.Cues {
			c.cues = append(c.cues, parseCue(t.Name, text, vocabulary))
			c.negates = c.negates || slices.Contains(c.cues[len(c.cues)-1].elements[0].words, "not")
			if first := c.cues[len(c.cues)-1].elements[0]; t.Acts && first.weight > 1 {
				for _, w := range first.words {
					g.deeds[w] = true
				}
			}
		}
		g.tools = append(g.tools, c)
	}
	g.spell = spelling.New(vocabulary)
	return g
}

// Tool returns the declaration of a tool.
func (g *Grammar) Tool(name string) (Tool, bool) {
	for _, t := range g.tools {
		if t.Name == name {
			return t.Tool, true
		}
	}
	return Tool{}, false
}

// Args are the values of slots by name, as text.
type Args map[string]string

// An Act is what follows from an utterance.
type Act struct {
	Do    Doing
	Tool  string
	Args  Args
	Slot  string // with Ask: what is asked for
	Talk  Talk   // with Chat
	Among []Pass // with Ask: what the reference could mean
	Name  string // with LookUp: whose pass is meant
	Doubt bool   // with LookUp: what follows is to be shown before it is done
}

// A Doing is a kind of act.
type Doing uint8

// The kinds of acts.
const (
	Decline Doing = iota // it is not about gate passes
	Call                 // call Tool with Args
	Ask                  // ask for Slot of Tool; Args is what is known
	Confirm              // ask whether Tool should be called with Args
	LookUp               // find the passes of Name first, with Tool, then go on
	Refuse               // it is another role's work, done with Tool
	Chat                 // plain talk
)

// Talk is talk that calls for no tool.
type Talk string

// The kinds of talk.
const (
	Greeting Talk = "greet"
	Thanks   Talk = "thanks"
	Help     Talk = "help"
	Cancel   Talk = "cancel"
	Reset    Talk = "reset"
	Wait     Talk = "wait"
)

// A Pass is a pass as far as a conversation knows it.
type Pass struct {
	Number, ID, Person string
}

// A State is what a conversation knows when someone speaks.
type State struct {
	Role string
	Me   string // the speaker's name
	Now  time.Time

	Pass    Pass     // the one spoken of
	Shown   []Pass   // the list shown last
	Notes   []string // the notifications shown last
	Pending *Pending // what is being asked
	Last    Done     // the call made last
	Photo   bool     // a picture is attached to this utterance
}

// Pending is a call that waits for an answer.
type Pending struct {
	Tool    string
	Args    Args
	Slot    string // asked for; "" with Confirm
	Confirm bool
	Search  string // the name that is being looked up for Slot
	Doubt   bool   // it is to be shown before it is done
}

// Done is a call that was made.
type Done struct {
	Tool   string
	Args   Args
	Failed bool
}

// Hear says what follows from an utterance. It does not change s; [State.After]
// does, with the act.
func (g *Grammar) Hear(s State, text string) Act {
	u := g.read(s, text)
	if s.Pending != nil {
		if a, ok := g.answer(s, u); ok {
			return a
		}
	}
	if a, ok := g.talk(s, u); ok {
		return a
	}
	t, score := g.choose(s, u)
	if t == nil || score < threshold {
		return Act{}
	}
	if !offers(t, s.Role) {
		return Act{Do: Refuse, Tool: t.Name}
	}
	if t.Acts && (u.postpones() || u.forbids() && !t.negates) {
		if t = g.looker(s, u); t == nil {
			return Act{}
		}
	}
	if t.Acts && u.unsure {
		return Act{Do: Ask, Tool: t.Name, Args: Args{}, Slot: t.Slots[0].Name}
	}
	args, among, name := g.fill(s, u, t, Args{})
	a := u.askWhen(t, g.next(s, t, args, among, name))
	return a.shown(t.Acts && u.doubtful(t))
}

// shown makes a call that is in doubt one that is shown first, now or once its pass is
// found.
func (a Act) shown(doubt bool) Act {
	switch {
	case doubt && a.Do == Call:
		a.Do = Confirm
	case doubt && a.Do == LookUp:
		a.Doubt = true
	}
	return a
}

// askWhen asks for the time to come back, if one was said that could not be read.
func (u *utterance) askWhen(t *compiled, a Act) Act {
	for _, slot := range t.Slots {
		if slot.Kind == Moment && a.Do == Call && u.vague && a.Args[slot.Name] == "" {
			return Act{Do: Ask, Tool: a.Tool, Args: a.Args, Slot: slot.Name}
		}
	}
	return a
}

// threshold is the score below which nothing was understood.
const threshold = 0.6

func offers(t *compiled, role string) bool {
	return t.Role == "" || slices.Contains(strings.Fields(t.Role), role)
}

// next goes from what is known of a call to the call, the question that is missing or
// the confirmation.
func (g *Grammar) next(s State, t *compiled, args Args, among []Pass, name string) Act {
	for _, slot := range t.Slots {
		if _, ok := args[slot.Name]; ok || slot.Optional {
			continue
		}
		if slot.Kind == Me {
			args[slot.Name] = s.Me
			continue
		}
		if slot.Kind <= PassRef && name != "" && len(among) == 0 {
			if l := g.lister(s.Role); l != "" {
				return Act{Do: LookUp, Tool: t.Name, Args: args, Slot: slot.Name, Name: name}
			}
		}
		return Act{Do: Ask, Tool: t.Name, Args: args, Slot: slot.Name, Among: among}
	}
	if t.Confirm {
		return Act{Do: Confirm, Tool: t.Name, Args: args}
	}
	return Act{Do: Call, Tool: t.Name, Args: args}
}

// Lister returns the tool with which role looks passes up by name, or "".
func (g *Grammar) Lister(role string) string { return g.lister(role) }

func (g *Grammar) lister(role string) string {
	for _, t := range g.tools {
		if t.List && offers(&t, role) && slices.ContainsFunc(t.Slots, func(s Slot) bool { return s.Kind == Search }) {
			return t.Name
		}
	}
	return ""
}

// Found goes on with a call whose pass was looked up by name: one match is it, several
// are a question.
func (g *Grammar) Found(s State, p Pending, found []Pass) Act {
	t := g.find(p.Tool)
	if t == nil {
		return Act{}
	}
	var match []Pass
	for _, f := range found {
		if spelling.NameFits(p.Search, f.Person) {
			match = append(match, f)
		}
	}
	args := clone(p.Args)
	if len(match) == 1 {
		args[p.Slot] = identifier(t, p.Slot, match[0])
		return g.next(s, t, args, nil, "").shown(p.Doubt)
	}
	return Act{Do: Ask, Tool: t.Name, Args: args, Slot: p.Slot, Among: match}
}

func (g *Grammar) find(name string) *compiled {
	for i := range g.tools {
		if g.tools[i].Name == name {
			return &g.tools[i]
		}
	}
	return nil
}

func clone(a Args) Args {
	out := Args{}
	for k, v := range a {
		out[k] = v
	}
	return out
}

// identifier returns what slot of t wants to know of p.
func identifier(t *compiled, slot string, p Pass) string {
	for _, s := range t.Slots {
		if s.Name == slot && s.Kind == ID && p.ID != "" {
			return p.ID
		}
	}
	if p.Number == "" {
		return p.ID
	}
	return p.Number
}

// After returns s with what an act leaves behind for the next utterance.
func (s State) After(a Act) State {
	s.Photo = false
	switch a.Do {
	case Ask:
		s.Pending = &Pending{Tool: a.Tool, Args: a.Args, Slot: a.Slot}
		if len(a.Among) > 0 {
			s.Shown = a.Among
		}
	case Confirm:
		s.Pending = &Pending{Tool: a.Tool, Args: a.Args, Confirm: true}
	case LookUp:
		s.Pending = &Pending{Tool: a.Tool, Args: a.Args, Slot: a.Slot, Search: a.Name, Doubt: a.Doubt}
	case Chat:
		if a.Talk == Cancel {
			s.Pending = nil
		}
		if a.Talk == Reset {
			return State{Role: s.Role, Me: s.Me, Now: s.Now}
		}
	case Call:
		s.Pending = nil
	}
	return s
}
