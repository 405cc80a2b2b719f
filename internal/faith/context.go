package faith

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier/internal/faith/lex"
)

// A hedge is a word before a numeral that loosens it.
type hedge uint8

const (
	exactly hedge = iota
	about         // trailing zeros may be rounding
	atLeast       // the number is at least this
	atMost        // the number is at most this
)

var hedges = []struct {
	text string
	as   hedge
}{
	{"approximately", about}, {"roughly", about}, {"about", about}, {"around", about}, {"circa", about},
	{"close to", about}, {"some", about}, {"~", about}, {"≈", about},
	{"more than", atLeast}, {"at least", atLeast}, {"over", atLeast}, {"above", atLeast}, {"exceeding", atLeast},
	{"less than", atMost}, {"fewer than", atMost}, {"at most", atMost}, {"up to", atMost}, {"under", atMost},
	{"nearly", atMost}, {"almost", atMost}, {"below", atMost},
}

// hedgeBefore returns the hedge that before ends with and how many bytes it takes.
func hedgeBefore(before string) (hedge, int) {
	trimmed := strings.TrimRight(before, " \u00a0")
	tail := lower(trimmed[max(0, len(trimmed)-16):])
	for _, h := range hedges {
		if !strings.HasSuffix(tail, h.text) {
			continue
		}
		rest := tail[:len(tail)-len(h.text)]
		if rest != "" && lex.IsLetter(rest[len(rest)-1]) && lex.IsLetter(h.text[0]) {
			continue
		}
		return h.as, len(before) - len(trimmed) + len(h.text)
	}
	return exactly, 0
}

// lastWord returns the last word of s in lower case.
func lastWord(s string) string {
	s = strings.TrimRight(s, " \u00a0")
	i := len(s)
	for i > 0 && lex.IsLetter(s[i-1]) {
		i--
	}
	return lower(s[i:])
}

// lower changes ASCII letters only, so that byte positions stay.
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// A spelling is one way to write a name.
type spelling struct{ text, kind, name string }

// A mention is a name as it stands in a text.
type mention struct {
	start, end int
	kind, name string
}

func spellings(names map[string]map[string]string) []spelling {
	var all []spelling
	for kind, texts := range names {
		for text, name := range texts {
			all = append(all, spelling{lower(text), kind, name})
		}
	}
	slices.SortFunc(all, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text), strings.Compare(a.kind, b.kind))
	})
	return all
}

// name notes a known name at i and returns its length.
func (s *scanner) name(i int) int {
	length := 0
	for _, sp := range s.facts.spelled {
		if length > 0 && len(sp.text) < length {
			break
		}
		if len(s.text)-i < len(sp.text) || !equalFold(s.text[i:i+len(sp.text)], sp.text) {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s.text[i+len(sp.text):]); unicode.IsLetter(r) || unicode.IsDigit(r) {
			continue
		}
		length = len(sp.text)
		s.names = append(s.names, mention{i, i + length, sp.kind, sp.name})
	}
	return length
}

// equalFold compares text with a pattern already in lower case, ASCII only.
func equalFold(text, pattern string) bool {
	for i := range len(pattern) {
		b := text[i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != pattern[i] {
			return false
		}
	}
	return true
}

// A span is a stretch of text.
type span struct{ start, end int }

// sentences splits text at full stops, blank lines and list items.
func sentences(text string) []span {
	var all []span
	start := 0
	cut := func(end int) {
		if strings.TrimSpace(text[start:end]) != "" {
			all = append(all, span{start, end})
		}
		start = end
	}
	for i := range len(text) {
		switch text[i] {
		case '.', '!', '?':
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				cut(i + 1)
			}
		case '\n':
			rest := strings.TrimLeft(text[i+1:], " \t")
			if rest == "" || strings.ContainsRune("\n-*#|>", rune(rest[0])) || listMarker(rest) > 0 {
				cut(i + 1)
			}
		}
	}
	cut(len(text))
	return all
}

// governing returns the names of a kind that numeral m is said of: those joined to it
// by a preposition just after ("94.07 Mt in A and B"), else the nearest before it in
// its sentence, else the nearest after. Nil means the sentence names none.
func governing(text string, in span, m *mark, kind string, names []mention, marks []mark) []string {
	var before, after []mention
	for _, n := range names {
		switch {
		case n.kind != kind || n.start < in.start || n.end > in.end:
		case n.end <= m.start:
			before = append(before, n)
		case n.start >= m.end:
			after = append(after, n)
		}
	}
	if len(after) > 0 && attached(text[m.end:after[0].start]) && !numeralBetween(marks, m.end, after[0].start) {
		return leadingRun(text, after)
	}
	if len(before) > 0 {
		slices.Reverse(before)
		run := trailingRun(text, before)
		if i := respective(text, in, m, marks, run); i >= 0 {
			return []string{run[i].name}
		}
		return namesOf(run)
	}
	if len(after) > 0 {
		return leadingRun(text, after)
	}
	return nil
}

// attached reports whether only a preposition stands between a numeral and a name.
func attached(between string) bool {
	words := strings.Fields(lower(between))
	if len(words) == 0 || len(words) > 4 {
		return false
	}
	switch strings.TrimLeft(words[0], ",(") {
	case "in", "for", "under", "with", "by", "of", "from":
	default:
		return false
	}
	for _, w := range words[1:] {
		switch w {
		case "the", "both", "scenario", "case", "in", "under", "each", "of", "all":
		default:
			return false
		}
	}
	return true
}

// leadingRun returns the names at the head of after that are listed together.
func leadingRun(text string, after []mention) []string {
	n := 1
	for n < len(after) && listed(text[after[n-1].end:after[n].start]) {
		n++
	}
	return namesOf(after[:n])
}

// trailingRun returns the nearest names before a numeral, in order of the text;
// before is given nearest first.
func trailingRun(text string, before []mention) []mention {
	n := 1
	for n < len(before) && listed(text[before[n].end:before[n-1].start]) {
		n++
	}
	run := slices.Clone(before[:n])
	slices.Reverse(run)
	return run
}

func listed(between string) bool {
	switch strings.TrimSpace(lower(between)) {
	case "and", ",", ", and", "or", "/", "&", "and the", ", the", "to", "":
		return true
	}
	return false
}

// respective returns which of the run's names the numeral belongs to when the
// sentence says "respectively", and -1 otherwise.
func respective(text string, in span, m *mark, marks []mark, run []mention) int {
	if len(run) < 2 || !strings.Contains(text[m.end:in.end], "respectively") {
		return -1
	}
	i := 0
	for _, o := range marks {
		if o.kind == Quantity && o.start >= run[len(run)-1].end && o.start < m.start {
			i++
		}
	}
	if i >= len(run) {
		return -1
	}
	return i
}

func namesOf(run []mention) []string {
	out := make([]string, len(run))
	for i, n := range run {
		out[i] = n.name
	}
	return out
}

func numeralBetween(marks []mark, start, end int) bool {
	return slices.ContainsFunc(marks, func(m mark) bool { return m.kind == Quantity && m.start >= start && m.end <= end })
}
