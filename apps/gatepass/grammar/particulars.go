package grammar

import (
	"strings"
	"time"

	"dossier/apps/gatepass/lexicon"
)

// particulars are what someone says about a pass that is to be made.
type particulars struct {
	person, purpose, returns, moment string
	disputed                         bool // both were said: that the person comes back and that not
}

func (p *particulars) get(k Kind) string {
	switch k {
	case Person:
		return p.person
	case Purpose:
		return p.purpose
	case YesNo:
		if !p.disputed {
			return p.returns
		}
	case Moment:
		if !p.disputed {
			return p.moment
		}
	}
	return ""
}

// particulars reads who leaves, why, and whether they come back.
func (g *Grammar) particulars(s State, u *utterance) *particulars {
	p := &particulars{}
	at := u.personPlace()
	after := at
	if at >= 0 {
		if u.word(at) == "me" || u.word(at) == "myself" {
			p.person, after = s.Me, at+1
		} else {
			p.person = u.nameFrom(at)
			after = u.behind(at, p.person)
			if end := u.furtherNames(after); p.person != "" && end > after { // a pass is for one person
				p.person, after = "", end
				p.rest(s, u, after)
				return p
			}
		}
	}
	switch {
	case p.person == "":
		after = u.behindPass()
	case u.word(after) == "pass": // "Rohit's pass": what is asked for, not why
		for end := u.clauseEnd(after); after < end && u.word(after) != "for"; {
			after++
		}
	}
	p.rest(s, u, after)
	if from := u.behindPass(); p.person != "" && p.purpose == "" && from < at-1 && (u.word(from) == "for" || u.word(from) == "to") {
		p.clause(s, u, from, at-1) // "a pass for the passport office for Divya"
	}
	if at, ok := u.when.Moment(s.Now); p.returns == "" && u.when.Away && ok {
		p.returns, p.moment = "true", at.Format(MomentForm)
	}
	return p
}

// personPlace returns the token at which the holder's name begins, or -1.
func (u *utterance) personPlace() int {
	for i := range u.tokens {
		if w := u.tokens[i].word; w == "name" || w == "named" {
			j := i + 1
			if u.word(j) == "is" || u.word(j) == "of" {
				j++
			}
			if j < len(u.tokens) {
				return j
			}
		}
	}
	if i := u.sentOff(); i >= 0 {
		return i
	}
	if i := u.sequence("for"); i >= 0 {
		for ; i+1 < len(u.tokens); i++ { // a name with a capital goes before one without
			if u.word(i) == "for" && u.tokens[i+1].capital && u.tokens[i+1].kind == tokWord && !titles[u.word(i+1)] && u.nameFrom(i+1) != "" {
				return i + 1
			}
		}
	}
	seenPass := false
	for i := range u.tokens {
		w := u.tokens[i].word
		if w == "pass" || w == "passes" {
			seenPass = true
			if i+1 < len(u.tokens) && u.tokens[i+1].gap != 0 && u.tokens[i+1].capital && u.tokens[i+1].kind == tokWord && !lexicon.Asks[u.word(i+1)] && !leading[u.word(i+1)] {
				return i + 1 // "a gate pass, Sandeep Nair, …"
			}
			continue
		}
		if (w == "for" || w == "to" || w == "of") && i+1 < len(u.tokens) && (seenPass || u.tokens[i+1].capital) {
			if name := u.nameFrom(i + 1); name != "" || u.word(i+1) == "me" || u.word(i+1) == "myself" {
				return i + 1
			}
			return -1
		}
	}
	return -1
}

// furtherNames returns where a list of names ends that goes on at token i: ", Priya and
// Sunil". It returns i if none does.
func (u *utterance) furtherNames(i int) int {
	isName := func(j int) bool { return j < len(u.tokens) && u.tokens[j].kind == tokWord && u.tokens[j].capital }
	for j := i; j < len(u.tokens); j++ {
		switch {
		case u.word(j) == "and" && isName(j+1):
			for j++; isName(j+1) && u.tokens[j+1].gap == 0; j++ {
			}
			return j + 1
		case !isName(j):
			return i
		}
	}
	return i
}

// sentOff returns where the name begins of one who is sent ("send Karthik to the
// bank") or whose pass is asked for ("make Rohit's pass"), or -1.
func (u *utterance) sentOff() int {
	for i := range u.tokens {
		t := &u.tokens[i]
		if (t.word == "send" || t.word == "sending" || t.word == "need" || t.word == "want") && i+1 < len(u.tokens) && u.tokens[i+1].capital && u.tokens[i+1].kind == tokWord {
			return i + 1
		}
		if t.possessive && u.word(i+1) == "pass" && !lexicon.Pronouns[t.word] {
			for i > 0 && u.tokens[i-1].capital && u.tokens[i].gap == 0 {
				i--
			}
			return i
		}
	}
	return -1
}

// behind returns the token after name, which begins at or after token at.
func (u *utterance) behind(at int, name string) int {
	n := len(strings.Fields(name))
	for at < len(u.tokens) && !strings.EqualFold(u.tokens[at].raw, firstWord(name)) && !strings.EqualFold(strings.TrimSuffix(u.tokens[at].raw, "'s"), firstWord(name)) {
		at++
	}
	return min(at+n, len(u.tokens))
}

func firstWord(s string) string { w, _, _ := strings.Cut(s, " "); return w }

// behindPass returns the token after the word pass, or the end.
func (u *utterance) behindPass() int {
	for i := range u.tokens {
		if u.tokens[i].word == "pass" {
			return i + 1
		}
	}
	return len(u.tokens)
}

// rest reads the clauses behind the name: the first that is not about coming back is
// the purpose.
func (p *particulars) rest(s State, u *utterance, from int) {
	for from < len(u.tokens) {
		to := u.clauseEnd(from)
		p.clause(s, u, from, to)
		from = to
	}
}

// clauseEnd returns where the clause that begins at token i ends.
func (u *utterance) clauseEnd(i int) int {
	for j := i + 1; j < len(u.tokens); j++ {
		t := &u.tokens[j]
		if t.gap != 0 && !(t.gap == '-' && u.tokens[j-1].end+1 == t.start) {
			return j
		}
		switch next := u.word(j + 1); t.word {
		case "and", "but", "then":
			switch next {
			case "he", "she", "they", "will", "back", "return", "returning", "come", "coming", "not", "returnable", "non":
				return j
			case "is":
				if after := u.word(j + 2); after == "coming" || after == "returning" || after == "not" || after == "back" {
					return j
				}
			}
		case "returnable":
			if u.word(j-1) != "non" && u.word(j-1) != "not" {
				return j
			}
		case "non":
			if next == "returnable" {
				return j
			}
		case "back":
			if next == "by" || next == "at" || next == "before" || next == "in" {
				return j
			}
		case "he", "she", "they":
			if next == "will" || next == "is" && (u.word(j+2) == "coming" || u.word(j+2) == "returning" || u.word(j+2) == "not") {
				return j
			}
		}
	}
	return len(u.tokens)
}

func (p *particulars) clause(s State, u *utterance, from, to int) {
	if yes, ok := u.returns(from, to); ok {
		p.disputed = p.disputed || p.returns != "" && p.returns != truth(yes)
		if p.returns == "" {
			p.returns = truth(yes)
		}
		if at, ok := u.when.Moment(s.Now); ok && yes && u.when.From >= from && u.when.From < to {
			p.moment = at.Format(MomentForm)
		}
		u.vague = u.vague || yes && p.moment == "" && u.figures(from, to)
		return
	}
	if p.purpose == "" {
		p.purpose = u.purpose(from, to)
	}
}

// figures reports whether the tokens hold figures that no time was read from.
func (u *utterance) figures(from, to int) bool {
	for i := from; i < to; i++ {
		if t := &u.tokens[i]; !t.day && (t.kind == tokInt || t.kind == tokWord && strings.ContainsAny(t.word, "0123456789")) {
			return true
		}
	}
	return false
}

func truth(yes bool) string {
	if yes {
		return "true"
	}
	return "false"
}

// returns reports whether the tokens say that the person comes back, and false if
// they say nothing about it.
func (u *utterance) returns(from, to int) (yes, ok bool) {
	not, says := false, false
	for i := from; i < to; i++ {
		switch w, next := u.word(i), u.word(i+1); w {
		case "not", "non", "never", "without", "no":
			not = true
		case "return", "returns", "returning", "returnable", "roundtrip":
			says = true
			if w == "returnable" && (next == "no" || next == "false") {
				return false, true
			}
		case "returned":
			says = true
		case "back":
			prev := u.word(i - 1)
			if i == from || prev == "be" || prev == "come" || prev == "coming" || prev == "comes" || prev == "get" || prev == "is" || prev == "not" || next == "come" || next == "by" || next == "in" || next == "at" || next == "before" || next == "soon" {
				says = true
			}
		case "way":
			if u.word(i-1) == "one" {
				return false, true
			}
		case "good":
			if u.word(i-1) == "for" && u.has("leaving") || u.word(i-1) == "for" && u.has("gone") {
				return false, true
			}
		case "day":
			if u.word(i-1) == "the" && u.word(i-2) == "for" && (u.has("gone") || u.has("leaving") || u.has("done")) {
				return false, true
			}
		}
	}
	return says && !not, says
}

var leading = lexicon.Set(`for to because as since he she they has have had needs need wants want is are will be going go the a an of that who which
purpose reason so in order his her their its it and on being off towards toward regarding`)

// purpose returns the text of the tokens without the words that lead up to it.
func (u *utterance) purpose(from, to int) string {
	for from < to {
		w := u.word(from)
		if (w == "going" || w == "go") && u.word(from+1) != "to" && u.word(from+1) != "for" {
			break
		}
		if !leading[w] {
			break
		}
		from++
	}
	for to > from && (u.word(to-1) == "please" || u.word(to-1) == "and" || u.word(to-1) == "urgently") {
		to--
	}
	timed := true
	for i := from; i < to; i++ {
		timed = timed && u.tokens[i].day
	}
	if u.word(from) == "from" || timed { // where the person belongs, or how long it takes
		return ""
	}
	if from >= to || to-from == 1 && (nobody[u.word(from)] || u.word(from) == "please" || u.word(from) == "urgently" || u.word(from) == "now") {
		return ""
	}
	return strings.TrimSpace(u.text[u.tokens[from].start:u.tokens[to-1].end])
}

// yesNo reads an answer to a question that wants yes or no.
func (u *utterance) yesNo() (yes, ok bool) {
	if u.has("maybe") || u.has("perhaps") || u.has("depends") || u.has("not") && (u.has("sure") || u.has("know") || u.has("certain")) {
		return false, false
	}
	if yes, ok := u.returns(0, len(u.tokens)); ok {
		return yes, true
	}
	for i := range u.tokens {
		switch w := u.word(i); w {
		case "no", "not", "never", "false", "negative":
			return false, true
		}
	}
	for i := range u.tokens {
		switch w := u.word(i); w {
		case "yes", "sure", "true", "course", "definitely", "certainly", "absolutely", "correct", "right", "confirm", "confirmed", "ok", "affirmative", "ji", "y", "indeed", "will", "surely", "bilkul":
			return true, true
		}
	}
	return false, false
}

// answerMoment returns the time that goes with a yes: "yes, in two hours".
func (u *utterance) answerMoment(now time.Time) string {
	if at, ok := u.when.Moment(now); ok {
		return at.Format(MomentForm)
	}
	return ""
}
