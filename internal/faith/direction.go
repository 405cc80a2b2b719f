package faith

import (
	"strings"

	"dossier/internal/faith/lex"
)

// directions says which way a word points. Words that also serve as hedges ("more
// than", "up to") are left out where they do.
var directions = buildDirections(
	"fall falls fell fallen falling decline declines declined declining decrease decreases decreased decreasing "+
		"drop drops dropped dropping reduce reduces reduced reducing reduction reductions cut cuts cutting lower lowered "+
		"lowers down shrink shrinks shrank shrunk shrinking contraction contracts abatement abates abated negative "+
		"saving savings saves fewer less loss losses loses lost sink plunge plunges plunged slide slides slid dip dips dipped "+
		"removes removal removals removed below downward deficit",
	"rise rises rose risen rising increase increases increased increasing grow grows grew grown growing growth gain gains "+
		"gained up climb climbs climbed climbing higher surge surges surged surging jump jumps jumped expand expands "+
		"expanded expansion adds added adding addition upward above soar soars soared more",
)

func buildDirections(down, up string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.Fields(down) {
		m[w] = -1
	}
	for _, w := range strings.Fields(up) {
		m[w] = 1
	}
	return m
}

// breaks end the reach of a direction word.
var breaks = map[string]bool{
	"while": true, "whereas": true, "but": true, "although": true, "though": true, "however": true, "yet": true,
	"against": true, "instead": true, "except": true,
}

// A pointer is a direction word in a text.
type pointer struct {
	start, end int
	way        int // 0: a break
}

// pointers finds the direction words and breaks of a sentence.
func pointers(text string, in span) []pointer {
	var all []pointer
	for i := in.start; i < in.end; {
		if !lex.IsLetter(text[i]) {
			if text[i] == ';' {
				all = append(all, pointer{i, i + 1, 0})
			}
			i++
			continue
		}
		w := lex.Word(text[i:in.end])
		l := lower(w)
		way := directions[l]
		next := strings.TrimLeft(text[i+len(w):in.end], " ")
		switch {
		case way != 0 && l == "up" && strings.HasPrefix(next, "to "),
			(l == "more" || l == "less" || l == "fewer") && strings.HasPrefix(next, "than"):
		case l == "below" || l == "above":
			if !startsNumeral(next) && !strings.HasPrefix(next, "all") {
				all = append(all, pointer{i, i + len(w), way})
			}
		case way != 0:
			all = append(all, pointer{i, i + len(w), way})
		case breaks[l]:
			all = append(all, pointer{i, i + len(w), 0})
		}
		i += len(w)
	}
	return all
}

func startsNumeral(s string) bool { return s != "" && lex.IsDigit(s[0]) }

// direction returns the way the sentence says numeral m goes: the word just after it
// ("a 94.07 Mt reduction"), else the nearest before it that no break cuts off.
func direction(text string, m *mark, all []pointer) int {
	for _, p := range all {
		if p.start >= m.end && p.way != 0 && closeAfter(text[m.end:p.start]) {
			return p.way
		}
	}
	way := 0
	for _, p := range all {
		if p.end <= m.start {
			way = p.way
		}
	}
	return way
}

// closeAfter reports whether at most one plain word stands between a numeral and a
// direction word.
func closeAfter(between string) bool {
	if strings.ContainsAny(between, ",;:().") {
		return false
	}
	words := strings.Fields(between)
	if len(words) > 1 {
		return false
	}
	return len(words) == 0 || lower(words[0]) != "and" && lower(words[0]) != "to" && lower(words[0]) != "in"
}
