package grammar

import "slices"

// fillers are sounds and phrases that only fill a pause.
var fillers = words("um umm uh uhh hmm hm er err ah oh")

var fillerPhrases = [][]string{{"i", "think"}, {"i", "guess"}, {"i", "suppose"}, {"you", "know"}, {"i", "believe"}}

// dropFillers leaves out what only fills a pause.
func (u *utterance) dropFillers() {
	out := u.tokens[:0:0]
	for i := 0; i < len(u.tokens); i++ {
		n := btoi(fillers[u.word(i)])
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
}

// repair takes back what the speaker took back: the number, name, phrase or deed before
// "no sorry" gives way to that after it.
func (u *utterance) repair(deeds map[string]bool) {
	for i := 1; i < len(u.tokens); i++ {
		n := u.repairAt(i, deeds)
		if n == 0 || i+n >= len(u.tokens) {
			continue
		}
		before, after := u.tokens[:i], u.tokens[i+n:]
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
		case slices.ContainsFunc(after, func(t token) bool { return deeds[t.word] }):
			// Another deed: only what it is done to stays of what was said before.
			before = slices.DeleteFunc(slices.Clone(before), func(t token) bool { return t.kind == tokWord })
		default:
			continue
		}
		u.tokens = append(slices.Clone(before), after...)
		return
	}
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

// postpones reports whether u says to wait with something: nothing is done then.
func (u *utterance) postpones() bool {
	switch {
	case u.has("hold") && !u.has("holder"), u.has("postpone"), u.has("later") && !u.has("sooner"), u.sequence("not", "now") >= 0:
		return true
	case u.has("yet") || u.has("until") || u.has("till") || u.has("before"):
		return u.has("not") || u.has("wait")
	}
	return false
}
