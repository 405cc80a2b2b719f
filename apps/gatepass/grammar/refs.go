package grammar

import (
	"slices"
	"strconv"
	"strings"

	"dossier/apps/gatepass/lexicon"
	"dossier/apps/gatepass/spelling"
)

// readRefs finds what u names: numbers, ids, ordinals, pronouns and whose pass.
func (u *utterance) readRefs(s State, g *Grammar) {
	for i := range u.tokens {
		t := &u.tokens[i]
		switch t.kind {
		case tokNumber:
			u.number = firstOf(u.number, t.word)
			if p := (Pass{Number: t.word}); !slices.Contains(u.several, p) {
				u.several = append(u.several, p)
			}
		case tokID:
			u.id = firstOf(u.id, t.word)
		case tokNote:
			u.note = firstOf(u.note, t.word)
		case tokInt:
			if n, _ := strconv.Atoi(t.word); i > 0 && u.tokens[i-1].word == "number" && n >= 1 && n <= len(s.Shown) {
				u.ordinal, t.ref = n, true
			}
		case tokWord:
			u.readWordRef(i)
		}
	}
	u.readName(s, g)
	u.readPlaces(s)
}

// readPlaces notes the passes that several ordinals name: "the first and the third".
func (u *utterance) readPlaces(s State) {
	var places []int
	for i := range u.tokens {
		if n := lexicon.Ordinals[u.tokens[i].word]; u.tokens[i].ref && n != 0 && !slices.Contains(places, n) {
			places = append(places, n)
		}
	}
	if len(places) < 2 {
		return
	}
	for _, n := range places {
		if n < 0 {
			n = len(s.Shown)
		}
		if n >= 1 && n <= len(s.Shown) {
			u.several = append(u.several, s.Shown[n-1])
		}
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (u *utterance) readWordRef(i int) {
	t := &u.tokens[i]
	if lexicon.Pronouns[t.word] {
		if t.word == "it" && u.has("possible") {
			return // "would it be possible": it stands for nothing
		}
		t.ref, u.pronoun = true, true
		return
	}
	n, ok := lexicon.Ordinals[t.word]
	if !ok || t.day {
		return
	}
	if t.word == "last" && i+1 < len(u.tokens) && (u.tokens[i+1].day || u.tokens[i+1].word == "week" || u.tokens[i+1].word == "month") {
		return
	}
	if t.word == "second" && i > 0 && (u.tokens[i-1].word == "a" || u.tokens[i-1].word == "one") {
		return
	}
	u.ordinal, t.ref = n, true
}

// readName finds whose pass is meant: "John's pass", "the one for Ravi", "the John
// one", or a name that stands in the list shown.
func (u *utterance) readName(s State, g *Grammar) {
	for i := range u.tokens {
		t := &u.tokens[i]
		if t.kind == tokWord && t.possessive && !lexicon.Pronouns[t.word] && !lexicon.Asks[t.word] && !t.day {
			from := i
			for from > 0 && u.tokens[from-1].capital && u.tokens[from-1].kind == tokWord && !g.spell.Known(u.tokens[from-1].word) {
				from--
				u.tokens[from].ref = true
			}
			u.name = strings.TrimSuffix(strings.TrimSuffix(u.text[u.tokens[from].start:t.end], "'s"), "’s")
			t.ref = true
			return
		}
	}
	for _, p := range s.Shown {
		for part := range strings.FieldsSeq(p.Person) {
			low := strings.ToLower(part)
			for i := range u.tokens {
				if t := &u.tokens[i]; t.kind == tokWord && len(low) > 2 && strings.ToLower(t.raw) == low {
					t.ref = true
					if !strings.Contains(u.name, t.raw) {
						u.name = strings.TrimSpace(u.name + " " + t.raw)
					}
				}
			}
		}
	}
}

// readUnread looks, before what was spoken of last is taken for what is meant now, for
// words that may mean another pass: a name, which it notes, or what may be a number and
// could not be read as one, which it reports.
func (u *utterance) readUnread(s State, g *Grammar) (garbled bool) {
	if u.number != "" || u.id != "" || u.name != "" || u.ordinal != 0 {
		return false
	}
	for i := range u.tokens {
		if t := &u.tokens[i]; !t.ref && !t.day && (strings.ContainsAny(t.raw, "0123456789") || strings.HasPrefix(t.word, "gp")) {
			return true
		}
	}
	name := u.stranger(g)
	if u.has("it") || u.has("that") || u.has("this") || u.has("same") {
		u.mixed = name != "" && !spelling.NameFits(name, s.Pass.Person)
		return false
	}
	u.name = name
	return false
}

// stranger returns the name of somebody whom u speaks of, or "".
func (u *utterance) stranger(g *Grammar) string {
	shouted, speaker := u.text == strings.ToUpper(u.text), u.claimed()
	for i := range u.tokens {
		t := &u.tokens[i]
		if t.kind != tokWord || strings.Contains(speaker, t.raw) || t.ref || t.day || t.status != "" || len(t.raw) < 2 || g.spell.Known(strings.ToLower(t.raw)) {
			continue
		}
		switch before := u.word(i - 1); before {
		case "is", "am", "sir", "madam": // whoever speaks, or is spoken to
			continue
		case "for", "of", "named":
			return u.nameFrom(i)
		}
		if t.capital && !shouted {
			return u.nameFrom(i)
		}
	}
	return ""
}

// personAt reports whether token i is, as far as one can tell, part of a name.
func (u *utterance) personAt(i int) bool {
	t := u.tokens[i]
	return t.capital && i > 0 || i > 0 && (u.tokens[i-1].word == "named" || u.tokens[i-1].word == "name")
}

// resolve finds the pass that u refers to. With several candidates it returns them
// and none is chosen; with a name that nothing shown fits it returns the name.
func (u *utterance) resolve(s State) (p Pass, ok bool, among []Pass, name string) {
	switch {
	case u.id != "":
		return Pass{ID: u.id}, true, nil, ""
	case u.number != "":
		return Pass{Number: u.number}, true, nil, ""
	case u.ordinal > 0 && len(s.Shown) == 0:
		return Pass{}, false, nil, ""
	case u.ordinal != 0 && len(s.Shown) > 0:
		i := u.ordinal - 1
		if u.ordinal < 0 {
			i = len(s.Shown) - 1
		}
		if i < len(s.Shown) {
			return s.Shown[i], true, nil, ""
		}
		return Pass{}, false, s.Shown, ""
	case u.name != "":
		return u.byName(s)
	case s.Pass != (Pass{}):
		return s.Pass, true, nil, ""
	case u.pronoun && len(s.Shown) == 1:
		return s.Shown[0], true, nil, ""
	case u.pronoun && len(s.Shown) > 1:
		return Pass{}, false, s.Shown, ""
	}
	return Pass{}, false, nil, ""
}

func (u *utterance) byName(s State) (Pass, bool, []Pass, string) {
	var match []Pass
	for _, p := range s.Shown {
		if spelling.NameFits(u.name, p.Person) {
			match = append(match, p)
		}
	}
	switch {
	case len(match) == 1:
		return match[0], true, nil, ""
	case len(match) > 1:
		return Pass{}, false, match, ""
	case spelling.NameFits(u.name, s.Pass.Person):
		return s.Pass, true, nil, ""
	}
	return Pass{}, false, nil, u.name
}
