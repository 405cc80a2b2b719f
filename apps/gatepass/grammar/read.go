package grammar

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier/apps/gatepass/calendar"
	"dossier/apps/gatepass/lexicon"
	"dossier/apps/gatepass/pass"
)

type tokenKind uint8

const (
	tokWord   tokenKind = iota
	tokInt              // digits
	tokNumber           // a pass number; word holds it canonically
	tokID               // a pass id
	tokNote             // a notification's id
)

// A token is one word of an utterance, read.
type token struct {
	kind       tokenKind
	word       string // lower case, corrected
	raw        string
	start, end int  // in the text
	gap        byte // the punctuation before it, or 0
	capital    bool
	possessive bool
	ref        bool   // stands for something spoken of: "it", "second"
	status     string // the filter it names
	day        bool   // part of a date
}

// An utterance is what someone said, read once.
type utterance struct {
	text     string
	tokens   []token
	question bool

	number, id, note string // the first of each that was named
	several          []Pass // with more than one pass number: all of them
	unsure           bool   // something was taken back, and it is not clear what
	mixed            bool   // "it" was said beside somebody else's name
	vague            bool   // a time to come back was said, and it is not clear which
	ordinal          int    // "the second one": 2; "the last": -1; 0: none
	pronoun          bool   // "it", "that pass", "him"
	name             string // whose: "John's pass"
	status           string
	when             calendar.When
}

func (u *utterance) has(word string) bool {
	for i := range u.tokens {
		if u.tokens[i].kind == tokWord && u.tokens[i].word == word {
			return true
		}
	}
	return false
}

// sequence returns where words follow each other, or -1.
func (u *utterance) sequence(words ...string) int {
	for i := 0; i+len(words) <= len(u.tokens); i++ {
		ok := true
		for j, w := range words {
			if u.tokens[i+j].word != w {
				ok = false
				break
			}
		}
		if ok {
			return i
		}
	}
	return -1
}

// read takes an utterance apart.
func (g *Grammar) read(s State, text string) *utterance {
	if len(text) > maxUtterance {
		text = text[:maxUtterance]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	u := &utterance{text: text}
	u.tokens = lex(text)
	u.joinNumbers(s)
	u.readHindi()
	u.dropFillers()
	u.dropDenied()
	u.repair(g.deeds)
	for i := range u.tokens {
		t := &u.tokens[i]
		if t.kind == tokWord && (!t.capital || i == 0 || t.raw == strings.ToUpper(t.raw)) {
			t.word = g.spell.Correct(t.word)
		}
		if w, ok := lexicon.Synonyms[t.word]; ok && t.kind == tokWord {
			t.word = w
		}
	}
	u.dropGate()
	u.readWhen(s.Now)
	u.readStatus()
	u.readRefs(s, g)
	u.question = u.isQuestion()
	return u
}

// maxUtterance bounds what is read of one message.
const maxUtterance = 2000

// lex splits text into words, expanding contractions.
func lex(text string) []token {
	out := make([]token, 0, 24)
	gap := byte(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			if r == ',' || r == ';' || r == ':' || r == '.' || r == '?' || r == '!' || r == '-' || r == '\n' || r == '–' || r == '—' || r == '(' || r == ')' {
				gap = byte(r)
				if r > 127 {
					gap = '-'
				}
			}
			i += n
			continue
		}
		start := i
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if !inWord(r) && !(strings.ContainsRune("-/.:'’_", r) && i+n < len(text) && inWord(nextRune(text[i+n:])) && joins(r, text[start:i], text[i+n:])) {
				break
			}
			i += n
		}
		out = appendWord(out, text[start:i], start, gap)
		gap = 0
	}
	return out
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '#' || unicode.IsMark(r)
}

func nextRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// joins reports whether r holds a word together: in numbers, ids, times and
// contractions it does, elsewhere it separates.
func joins(r rune, before, after string) bool {
	switch r {
	case '\'', '’':
		return true
	case '.', ':':
		return digitEnd(before) && unicode.IsDigit(nextRune(after))
	default:
		return digitEnd(before) && alnum(after) || coded(before) && alnum(after)
	}
}

func digitEnd(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

func alnum(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'f')
}

// coded reports whether a word opens a number or an id.
func coded(s string) bool {
	switch strings.ToLower(s) {
	case "gp", "pass", "ntf":
		return true
	}
	return false
}

func appendWord(out []token, raw string, start int, gap byte) []token {
	low := strings.ToLower(strings.ReplaceAll(raw, "’", "'"))
	t := token{word: low, raw: raw, start: start, end: start + len(raw), gap: gap}
	first, _ := utf8.DecodeRuneInString(raw)
	t.capital = unicode.IsUpper(first)
	if n, ok := pass.ReadNumber(low); ok {
		t.kind, t.word = tokNumber, n
		return append(out, t)
	}
	switch {
	case pass.IsID(low):
		t.kind = tokID
		return append(out, t)
	case isNoteID(low):
		t.kind = tokNote
		return append(out, t)
	case allDigits(low):
		t.kind = tokInt
		return append(out, t)
	case calendar.Like(low):
		return append(out, t)
	}
	if words, ok := lexicon.Contractions[low]; ok {
		for _, w := range words {
			c := t
			c.word = w
			out = append(out, c)
			t.gap = 0
		}
		return out
	}
	if base, ok := strings.CutSuffix(low, "n't"); ok {
		t.word = base
		out = append(out, t)
		t.word, t.gap = "not", 0
		return append(out, t)
	}
	for suffix, word := range map[string]string{"'ll": "will", "'re": "are", "'ve": "have", "'d": "would"} {
		if base, ok := strings.CutSuffix(low, suffix); ok {
			t.word = base
			out = append(out, t)
			t.word, t.gap = word, 0
			return append(out, t)
		}
	}
	if base, ok := strings.CutSuffix(low, "'s"); ok {
		t.word, t.possessive = base, true
		return append(out, t)
	}
	return appendParts(out, t)
}

// appendParts splits a word at its hyphens and slashes.
func appendParts(out []token, t token) []token {
	if !strings.ContainsAny(t.word, "-/_") || digitEnd(t.word) {
		return append(out, t)
	}
	at := t.start
	for part := range strings.FieldsFuncSeq(t.raw, func(r rune) bool { return r == '-' || r == '/' || r == '_' }) {
		i := strings.Index(t.raw[at-t.start:], part) + at
		out = append(out, token{word: strings.ToLower(part), raw: part, start: i, end: i + len(part), gap: t.gap, capital: t.capital})
		at, t.gap = i+len(part), 0
	}
	return out
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isNoteID(s string) bool {
	rest, ok := strings.CutPrefix(s, "ntf-")
	return ok && len(rest) >= 8
}

// joinNumbers makes pass numbers of words that name one together: "gp 2026 12",
// "gp 12", "pass number 12", "#12". A short number is one of this year.
func (u *utterance) joinNumbers(s State) {
	out := u.tokens[:0:0]
	for i := 0; i < len(u.tokens); i++ {
		t := u.tokens[i]
		n, used := "", 0
		switch low := t.word; {
		case low == "gp" || strings.HasPrefix(low, "gp") && allDigits(pass.AfterGP(low)) && len(low) <= 8:
			n, used = u.afterGP(i, s)
		case strings.HasPrefix(low, "#") && allDigits(low[1:]) && len(low) <= 7:
			n, used = pass.Short(low[1:], s.Now.Year()), 1
		case t.kind == tokInt && len(low) == 4 && low[0] == '0': // written as the end of a pass number is
			n, used = pass.Short(low, s.Now.Year()), 1
		case t.kind == tokWord && (isPassWord(low) || low == "gate"):
			n, used = u.afterPass(i, s)
		}
		if n == "" {
			out = append(out, t)
			continue
		}
		last := u.tokens[i+used-1]
		out = append(out, token{kind: tokNumber, word: n, raw: u.text[t.start:last.end], start: t.start, end: last.end, gap: t.gap})
		i += used - 1
	}
	u.tokens = out
}

func isPassWord(w string) bool { return w == "pass" || w == "gatepass" || w == "gp" }

func (u *utterance) afterGP(i int, s State) (string, int) {
	if low := u.tokens[i].word; low != "gp" {
		return pass.ShortAfterGP(pass.AfterGP(low), s.Now.Year()), 1
	}
	if i+2 < len(u.tokens) && u.tokens[i+1].kind == tokInt && len(u.tokens[i+1].word) == 4 && u.tokens[i+2].kind == tokInt {
		if n, ok := pass.ReadNumber("gp" + u.tokens[i+1].word + "-" + u.tokens[i+2].word); ok {
			return n, 3
		}
	}
	if i+1 < len(u.tokens) && u.tokens[i+1].kind == tokInt {
		if n, ok := pass.ReadNumber("gp" + u.tokens[i+1].word); ok {
			return n, 2
		}
		return pass.ShortAfterGP(u.tokens[i+1].word, s.Now.Year()), 2
	}
	return "", 0
}

// afterPass reads "pass 12", "gate pass no. 12". It keeps the word pass out of the
// number's token, so that it still says what the utterance is about.
func (u *utterance) afterPass(i int, s State) (string, int) {
	j := i
	if u.tokens[j].word == "gate" {
		if j++; j >= len(u.tokens) || u.tokens[j].word != "pass" {
			return "", 0
		}
	}
	j++
	for j < len(u.tokens) && (u.tokens[j].word == "number" || u.tokens[j].word == "no" || u.tokens[j].word == "num" || j > i+1 && u.tokens[j].word == "is") {
		j++
	}
	if j < len(u.tokens) && u.tokens[j].kind == tokInt && len(u.tokens[j].word) <= 6 && !timeFollows(u, j) {
		return pass.Short(u.tokens[j].word, s.Now.Year()), j - i + 1
	}
	return "", 0
}

func timeFollows(u *utterance, i int) bool {
	return i+1 < len(u.tokens) && (u.tokens[i+1].word == "am" || u.tokens[i+1].word == "pm")
}

// dropGate makes "gate pass", "gatepass" and "exit pass" one word.
func (u *utterance) dropGate() {
	out := u.tokens[:0]
	for i, t := range u.tokens {
		next := ""
		if i+1 < len(u.tokens) {
			next = u.tokens[i+1].word
		}
		if t.kind == tokWord && (t.word == "gate" || t.word == "exit") && (next == "pass" || next == "passes") {
			continue
		}
		out = append(out, t)
	}
	u.tokens = out
}

// opening returns the first token that is no politeness.
func (u *utterance) opening() int {
	i := 0
	for i < len(u.tokens) && lexicon.Polite[u.tokens[i].word] {
		i++
	}
	return i
}

// isQuestion reports whether u asks about a state rather than for a deed.
func (u *utterance) isQuestion() bool {
	i := u.opening()
	if i >= len(u.tokens) {
		return false
	}
	first, second := u.tokens[i].word, ""
	if i+1 < len(u.tokens) {
		second = u.tokens[i+1].word
	}
	if i > 0 && lexicon.Vocatives[u.tokens[i-1].word] && u.tokens[i].gap == 0 && (first == "is" || first == "are") && (strings.HasSuffix(second, "ing") || second == "back" || second == "out" || second == "in" || second == "here") {
		return false // "sir is leaving": he is spoken of, not to
	}
	if u.has("possible") && (lexicon.Request[first] || first == "is") {
		return false // a polite request
	}
	if lexicon.Request[first] && (second == "you" || second == "i" || second == "we" || second == "u") {
		return false
	}
	if first == "do" && second != "i" && second != "we" && second != "you" && second != "they" {
		return false
	}
	if lexicon.Asks[first] {
		return true
	}
	return strings.HasSuffix(strings.TrimSpace(u.text), "?")
}
