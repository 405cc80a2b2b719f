package grammar

import (
	"strings"

	"dossier/apps/gatepass/lexicon"
	"dossier/apps/gatepass/pass"
)

// answer takes u as the answer to what is pending, and false if it is something else.
func (g *Grammar) answer(s State, u *utterance) (Act, bool) {
	p := s.Pending
	t := g.find(p.Tool)
	if t == nil {
		return Act{}, false
	}
	if p.Confirm {
		return g.confirmed(s, u, t)
	}
	if u.callsOff() {
		return Act{Do: Chat, Talk: Cancel}, true
	}
	slot := slotOf(t, p.Slot)
	if g.changesSubject(s, u, t, slot) {
		return Act{}, false
	}
	args, among, name, ok := g.take(s, u, t, slot, p.Args)
	if !ok {
		if a, other := g.talk(s, u); other && a.Talk != Cancel {
			return a, true
		}
		return Act{Do: Ask, Tool: t.Name, Args: clone(p.Args), Slot: slot.Name, Among: among}, true
	}
	return u.askWhen(t, g.next(s, t, args, among, name)), true
}

func slotOf(t *compiled, name string) Slot {
	for _, s := range t.Slots {
		if s.Name == name {
			return s
		}
	}
	return Slot{}
}

// confirmed follows the answer to "shall I?".
func (g *Grammar) confirmed(s State, u *utterance, t *compiled) (Act, bool) {
	if u.callsOff() || u.has("keep") || u.has("stop") || u.has("wait") {
		return Act{Do: Chat, Talk: Cancel}, true
	}
	other, score := g.choose(s, u)
	if other != nil && other.Name != t.Name && score >= 1.2 {
		return Act{}, false
	}
	yes, ok := u.yesNo()
	if plain, agrees := Agrees(u.text); ok && yes && !(plain && agrees) && !t.Confirm {
		return Act{}, false // "yes, but for Tuesday" is no yes: it is heard anew
	}
	switch {
	case ok && !yes:
		return Act{Do: Chat, Talk: Cancel}, true
	case ok, u.sequence("go", "ahead") >= 0, u.sequence("do", "it") >= 0, u.has("proceed"), u.has("confirm"), other != nil && other.Name == t.Name && u.number == "":
		return Act{Do: Call, Tool: t.Name, Args: clone(s.Pending.Args)}, true
	}
	return Act{Do: Confirm, Tool: t.Name, Args: clone(s.Pending.Args)}, other == nil
}

// changesSubject reports whether u asks for something else than the pending slot.
func (g *Grammar) changesSubject(s State, u *utterance, t *compiled, slot Slot) bool {
	if slot.Kind == Photo && s.Photo {
		return false
	}
	if _, ok := u.yesNo(); ok && slot.Kind == YesNo {
		return false
	}
	if u.bare() {
		return false
	}
	other, score := g.choose(s, u)
	if other == nil || score < 1.5 || other.Name == t.Name {
		return false
	}
	if slot.Kind == Person || slot.Kind == Purpose {
		return score >= 1.6 && g.allKnown(u)
	}
	return true
}

var bareWords = lexicon.Set("the one pass number is it i meant mean no for please that this of in list from its")

// bare reports whether u names something and says nothing about it.
func (u *utterance) bare() bool {
	for i := range u.tokens {
		t := &u.tokens[i]
		if t.kind == tokWord && !t.ref && !bareWords[t.word] {
			return false
		}
	}
	return true
}

// allKnown reports whether every word of u belongs to the grammar.
func (g *Grammar) allKnown(u *utterance) bool {
	for i := range u.tokens {
		t := &u.tokens[i]
		if t.kind == tokWord && !g.spell.Known(t.word) && !t.day && t.status == "" {
			return false
		}
	}
	return true
}

// take reads the value of slot, and whatever else u says, into a copy of known.
func (g *Grammar) take(s State, u *utterance, t *compiled, slot Slot, known Args) (args Args, among []Pass, name string, ok bool) {
	args = clone(known)
	switch slot.Kind {
	case Number, ID, PassRef:
		value := ""
		if value, among, name = g.passAnswer(s, u, t, slot); value != "" {
			args[slot.Name] = value
		} else {
			return args, among, name, len(among) > 0 || name != ""
		}
	case Person:
		value := u.answerName()
		if value == "" {
			return args, nil, "", false
		}
		args[slot.Name] = value
		g.takeRest(s, u, t, args, u.behind(0, value))
		return args, nil, "", true
	case Purpose:
		g.takeRest(s, u, t, args, 0)
		_, ok := args[slot.Name]
		return args, nil, "", ok
	case YesNo:
		yes, ok := u.yesNo()
		if !ok {
			return args, nil, "", false
		}
		args[slot.Name] = truth(yes)
		m := u.answerMoment(s.Now)
		if m != "" && !yes { // a time to come back, and a no: which is it?
			return clone(known), nil, "", false
		}
		if m != "" {
			setKind(t, args, Moment, m)
		}
		u.vague = yes && m == "" && u.figures(0, len(u.tokens))
		return args, nil, "", true
	case Moment:
		m := u.answerMoment(s.Now)
		if m == "" && !u.has("no") && !u.has("not") { // who does not know leaves it open
			return args, nil, "", false
		}
		if m != "" {
			args[slot.Name] = m
		}
		return args, nil, "", true
	case Note:
		value := noteOf(s, u)
		if value == "" || u.note == "" && u.ordinal == 0 && !u.pronoun && len(s.Notes) != 1 {
			return args, nil, "", false
		}
		args[slot.Name] = value
	case Photo:
		if !s.Photo {
			return args, nil, "", false
		}
		args[slot.Name] = "attached"
	default:
		return args, nil, "", false
	}
	if s.Photo {
		setKind(t, args, Photo, "attached")
	}
	return args, nil, "", true
}

// takeRest reads what else was said about a new pass from token from on.
func (g *Grammar) takeRest(s State, u *utterance, t *compiled, args Args, from int) {
	p := &particulars{}
	p.rest(s, u, from)
	for _, k := range []Kind{Purpose, YesNo, Moment} {
		if v := p.get(k); v != "" {
			setKind(t, args, k, v)
		}
	}
}

// setKind sets the slot of t that takes k, if it is not set.
func setKind(t *compiled, args Args, k Kind, value string) {
	for _, slot := range t.Slots {
		if slot.Kind == k {
			if _, ok := args[slot.Name]; !ok {
				args[slot.Name] = value
			}
		}
	}
}

// passAnswer reads the pass that answers "which one?". A bare number will do.
func (g *Grammar) passAnswer(s State, u *utterance, t *compiled, slot Slot) (string, []Pass, string) {
	for i := range u.tokens {
		if u.tokens[i].kind == tokInt && u.number == "" && u.id == "" && u.ordinal == 0 {
			if n := pass.Short(u.tokens[i].word, s.Now.Year()); n != "" {
				u.number = n
			}
		}
	}
	if u.name == "" && u.number == "" && u.id == "" && u.ordinal == 0 && len(s.Shown) == 0 {
		for i := range u.tokens {
			if u.tokens[i].capital && !g.spell.Known(u.tokens[i].word) {
				u.name = u.nameFrom(i)
				break
			}
		}
	}
	if u.number == "" && u.id == "" && u.ordinal == 0 && u.name == "" && !u.pronoun && !u.has("one") && !u.has("created") {
		return "", nil, ""
	}
	return g.passSlot(s, u, t, slot)
}

// answerName reads a name that answers "for whom?".
func (u *utterance) answerName() string {
	i := 0
	for i < len(u.tokens) {
		w := u.word(i)
		if leading[w] || w == "name" || w == "please" || w == "person" || w == "named" || w == "called" || w == "pass" || w == "this" || w == "employee" {
			i++
			continue
		}
		break
	}
	if i >= len(u.tokens) {
		return ""
	}
	return u.nameFrom(i)
}

// callsOff reports whether u gives up what is pending.
func (u *utterance) callsOff() bool {
	switch {
	case u.has("forget") || u.sequence("scratch", "that") >= 0 || u.sequence("never", "mind") >= 0 || u.has("nevermind") || u.has("abort"):
		return true
	case u.sequence("leave", "it") >= 0 || u.sequence("leave", "that") >= 0 || u.sequence("drop", "it") >= 0 || u.sequence("rehne", "do") >= 0 || u.sequence("not", "going") >= 0 || u.has("skip"):
		return true
	case u.has("cancel") || u.has("stop"):
		return u.number == "" && len(u.tokens) <= 4
	}
	return false
}

var greetings = lexicon.Set("hello hi hey namaste namaskar vanakkam salaam good morning afternoon evening night day there sir madam greetings dear ji all team")

// talk recognises what calls for no tool.
func (g *Grammar) talk(s State, u *utterance) (Act, bool) {
	say := func(t Talk) (Act, bool) { return Act{Do: Chat, Talk: t}, true }
	n := len(u.tokens)
	low := strings.ToLower(u.text)
	switch {
	case n == 0:
		return Act{}, false
	case u.has("reset") && !u.has("password") || u.sequence("start", "over") >= 0 || u.sequence("start", "again") >= 0 || u.sequence("start", "fresh") >= 0 || strings.Contains(low, "from scratch") ||
		u.has("clear") && (u.has("chat") || u.has("conversation") || u.has("all") || u.has("context")) || u.sequence("new", "conversation") >= 0:
		return say(Reset)
	case u.isGreeting():
		return say(Greeting)
	case (u.has("thanks") || u.has("thank") || u.has("dhanyavad") || u.has("shukriya")) && n <= 6 && u.number == "":
		return say(Thanks)
	case u.has("help") && n <= 3, strings.Contains(low, "what can you do"), strings.Contains(low, "what can i"), strings.Contains(low, "what all can"),
		u.has("options") && n <= 5, u.has("how") && (u.has("work") || u.has("works") || u.has("use")) && n <= 6:
		return say(Help)
	case u.callsOff() && u.number == "":
		return say(Cancel)
	}
	if u.again() && s.Last.Tool != "" && s.Last.Failed {
		return Act{Do: Call, Tool: s.Last.Tool, Args: clone(s.Last.Args)}, true
	}
	return Act{}, false
}

// again reports whether u asks for the last thing once more.
func (u *utterance) again() bool {
	return len(u.tokens) <= 4 && (u.has("retry") || u.has("again") && (u.has("try") || len(u.tokens) == 1))
}

func (u *utterance) isGreeting() bool {
	first := u.word(0)
	if !greetings[first] || first == "all" || first == "team" || first == "there" || first == "sir" {
		return false
	}
	if (first == "good" || first == "day" || first == "evening" || first == "morning") && len(u.tokens) < 2 && first == "day" {
		return false
	}
	for i := range u.tokens {
		if !greetings[u.word(i)] {
			return false
		}
	}
	return true
}

// Agrees reads a plain yes or no, in any of their forms, and reports whether it is one.
func Agrees(text string) (yes, ok bool) {
	u := &utterance{text: text, tokens: lex(text)}
	for i := range u.tokens {
		if w, ok := lexicon.Synonyms[u.tokens[i].word]; ok {
			u.tokens[i].word = w
		}
		if !lexicon.Plain[u.tokens[i].word] {
			return false, false
		}
	}
	if len(u.tokens) == 0 || len(u.tokens) > 8 {
		return false, false
	}
	if u.callsOff() || u.has("keep") {
		return false, true
	}
	if u.sequence("go", "ahead") >= 0 || u.sequence("do", "it") >= 0 || u.has("proceed") {
		return !u.has("not"), true
	}
	return u.yesNo()
}
