package grammar

import (
	"slices"
	"strconv"
	"strings"

	"dossier/apps/gatepass/calendar"
	"dossier/apps/gatepass/pass"

	"dossier/apps/gatepass/lexicon"
)

// fillerPhrases are sounds and phrases that only fill a pause.
var fillerPhrases = [][]string{{"um"}, {"umm"}, {"uh"}, {"uhh"}, {"hmm"}, {"hm"}, {"er"}, {"err"}, {"ah"}, {"oh"}, {"i", "think"}, {"i", "guess"}, {"i", "suppose"}, {"you", "know"}, {"i", "believe"}}

// dropFillers leaves out what only fills a pause.
func (u *utterance) dropFillers() {
	out := u.tokens[:0:0]
	for i := 0; i < len(u.tokens); i++ {
		n := 0
		for _, p := range fillerPhrases {
			if u.at(i, p) {
				n = len(p)
			}
		}
		if n == 0 || n == len(u.tokens) {
			out = append(out, u.tokens[i])
			continue
		}
		i += n - 1
	}
	u.tokens = out
}

// at reports whether phrase stands at token i.
func (u *utterance) at(i int, phrase []string) bool {
	for j, w := range phrase {
		if u.word(i+j) != w {
			return false
		}
	}
	return true
}

// repairs are how people take back what they just said.
var repairs = [][]string{
	{"no", "sorry"}, {"no", "wait"}, {"wait", "no"}, {"sorry", "i", "mean"}, {"sorry", "i", "meant"}, {"i", "mean"}, {"i", "meant"}, {"oh", "sorry"}, {"correction"},
	{"actually", "make", "it"}, {"no", "actually"}, {"actually", "no"}, {"or", "rather"}, {"rather"}, {"sorry"}, {"oops"}, {"scratch", "that"},
	{"no", "make", "that"}, {"no", "make", "it"}, {"no", "hold", "on"}, {"no", "hang", "on"}, {"nahi", "nahi"},
}

// firmly are the first words of repairs that leave no doubt that something was taken
// back, even where it is not clear what.
var firmly = lexicon.Set("no wait correction actually scratch nahi")

// motions say which way someone goes.
var motions = lexicon.Set("in out back coming going leaving entering returning left came went")

// repair takes back what the speaker took back: the number, name, phrase or deed before
// "no sorry" gives way to that after it.
func (u *utterance) repair(deeds map[string]bool) {
	for i := 1; i < len(u.tokens); i++ {
		n := u.repairAt(i, deeds)
		if n == 0 || i+n >= len(u.tokens) {
			continue
		}
		before, after := u.tokens[:i], u.tokens[i+n:]
		if len(after) > 2 && (after[0].word == "it" || after[0].word == "that") && after[1].word == "is" {
			after = after[2:]
		}
		switch first := &after[0]; {
		case first.kind != tokWord:
			before = slices.DeleteFunc(slices.Clone(before), func(t token) bool { return t.kind == first.kind })
		case first.word == "for" || first.word == "to":
			before = dropPhrase(before, first.word)
		case first.capital && before[len(before)-1].capital:
			from := len(before)
			for from > 0 && before[from-1].capital && before[from-1].kind == tokWord && (from == len(before) || before[from].gap == 0) {
				from--
			}
			before, first.gap = before[:from], 0
		case slices.ContainsFunc(after, func(t token) bool { return deeds[t.word] }),
			slices.ContainsFunc(before, isNumber) && slices.ContainsFunc(after, func(t token) bool { return motions[t.word] }):
			// Another deed: only what it is done to stays of what was said before.
			before = slices.DeleteFunc(slices.Clone(before), func(t token) bool { return t.kind == tokWord })
		case namesTime(after):
			// Another day or time: the later one counts.
		default:
			u.unsure = u.unsure || firmly[u.word(i)] && n > 1
			continue
		}
		u.tokens = append(slices.Clone(before), after...)
		return
	}
}

func isNumber(t token) bool { return t.kind == tokNumber }

// namesTime reports whether tokens begin with a day or a time.
func namesTime(tokens []token) bool {
	w := tokens[0].word
	if _, ok := calendar.Weekdays[w]; ok || w == "tomorrow" || w == "today" || calendar.Like(w) {
		return true
	}
	return tokens[0].kind == tokInt && len(tokens) > 1 && (tokens[1].word == "pm" || tokens[1].word == "am" || tokens[1].word == "baje")
}

// dropDenied leaves out a number or a name that was said and is denied: "not 82, 83",
// "not Deepa, it's for Divya". What is denied must have been said before, or another of
// its kind must follow.
func (u *utterance) dropDenied() {
	for i := 0; i+1 < len(u.tokens); i++ {
		if u.word(i) != "not" {
			continue
		}
		switch t := u.tokens[i+1]; {
		case t.kind == tokNumber && slices.ContainsFunc(u.tokens[i+2:], isNumber):
			u.tokens = slices.DeleteFunc(u.tokens, func(o token) bool { return o.kind == tokNumber && o.word == t.word })
			u.tokens = slices.Delete(u.tokens, i, i+1)
		case t.kind == tokInt && i > 0:
			u.denyShort(i, t.word)
		case t.kind == tokWord && t.capital:
			u.denyName(i)
		}
	}
}

// denyShort handles "approve GP-2026-0082, sorry not 82, 83": the number before gives way
// to the one after.
func (u *utterance) denyShort(not int, digits string) {
	said := slices.IndexFunc(u.tokens[:not], isNumber)
	if said < 0 || !strings.HasSuffix(u.tokens[said].word, digits) || not+2 >= len(u.tokens) {
		return
	}
	next := &u.tokens[not+2]
	n, err := strconv.Atoi(next.word)
	if next.kind != tokInt || err != nil || n == 0 {
		return
	}
	year, _ := strconv.Atoi(u.tokens[said].word[3:7])
	next.kind, next.word = tokNumber, pass.Number(year, n)
	u.tokens = slices.Delete(u.tokens, not, not+2)
	u.tokens = slices.Delete(u.tokens, said, said+1)
}

// denyName leaves out a name that is denied at token not, wherever it was said before,
// with the "for" that led to it.
func (u *utterance) denyName(not int) {
	to := not + 2
	for to < len(u.tokens) && u.tokens[to].capital && u.tokens[to].gap == 0 {
		to++
	}
	denied := u.tokens[not+1].word
	said := slices.IndexFunc(u.tokens[:not], func(t token) bool { return t.capital && t.word == denied })
	if said < 0 {
		return
	}
	end := said + to - not - 1
	if said > 0 && u.word(said-1) == "for" {
		said--
	}
	u.tokens = slices.Delete(u.tokens, not, min(to, len(u.tokens)))
	u.tokens = slices.Delete(u.tokens, said, end)
}

// repairAt returns how many tokens take something back at token i, or 0.
func (u *utterance) repairAt(i int, deeds map[string]bool) int {
	for _, r := range repairs {
		if u.at(i, r) {
			return len(r)
		}
	}
	// A bare "no" between two of a kind: "GP 51, no, GP 52", "reject it, no, approve it".
	if t := &u.tokens[i]; t.word == "no" && t.gap != 0 && i+1 < len(u.tokens) {
		next := &u.tokens[i+1]
		if next.kind != tokWord && slices.ContainsFunc(u.tokens[:i], func(b token) bool { return b.kind == next.kind }) {
			return 1
		}
		if deeds[next.word] && slices.ContainsFunc(u.tokens[:i], func(b token) bool { return deeds[b.word] }) {
			return 1
		}
	}
	return 0
}

// dropPhrase leaves out the last phrase that begins with word, unless it is the only
// one: that names the person.
func dropPhrase(tokens []token, word string) []token {
	last, n := -1, 0
	for i := range tokens {
		if tokens[i].word == word {
			last, n = i, n+1
		}
	}
	if n < 2 {
		return tokens
	}
	return tokens[:last]
}

// doubtful reports whether u, which seems to ask for t, may mean something else, so that
// whoever said it is shown first what would be done.
func (u *utterance) doubtful(t *compiled) bool {
	creates := slices.ContainsFunc(t.Slots, func(s Slot) bool { return s.Kind == Person })
	for i := range u.tokens {
		w := u.word(i)
		if u.tokens[i].kind != tokWord || !lexicon.Doubts[w] || creates && lexicon.OfNew[w] || t.negates && (w == "not" || w == "no" || w == "never") {
			continue
		}
		return true
	}
	return u.mixed || creates && (u.sequence("may", "not") >= 0 || u.sequence("or", "not") >= 0)
}

// forbids reports whether u says not to do something.
func (u *utterance) forbids() bool {
	for _, deed := range []string{"let", "allow", "create", "make", "issue", "scan"} {
		if u.sequence("not", deed) >= 0 {
			return true
		}
	}
	return false
}

// conditional reports whether u says what is to be done in some case only. A polite
// request is none: "it would help if you could".
func (u *utterance) conditional() bool {
	for i := range u.tokens {
		switch next := u.word(i + 1); u.word(i) {
		case "unless":
			return true
		case "if":
			if next != "you" && next != "u" && next != "possible" && next != "i" && next != "we" && next != "it" {
				return true
			}
		case "once", "when", "after":
			if next == "he" || next == "she" || next == "they" || next == "his" || next == "her" {
				return !u.question
			}
		}
	}
	return false
}

// postpones reports whether u says to wait with something: nothing is done then.
func (u *utterance) postpones() bool {
	switch {
	case u.has("hold") && !u.has("holder"), u.has("postpone"), u.has("later") && !u.has("sooner"), u.sequence("not", "now") >= 0, u.conditional():
		return true
	case u.has("whether"), u.sequence("or", "not") >= 0, u.sequence("yes", "no") >= 0: // "karna hai ya nahi"
		return true
	case u.has("yet") || u.has("until") || u.has("till") || u.has("before"):
		return u.has("not") || u.has("wait")
	}
	return false
}
