package grammar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A cue is a pattern that speaks for a tool: words that must occur in this order, each
// with the weight it adds. It is written as
//
//	create|make|raise*1.2 pass*0.8 !see !?
//
// where | separates words that do equally well, *n is a weight (1 if absent), !word
// must not occur, !? means that the utterance is no question and ?? that it is one. #
// is a pass number or id, ~ any reference to a pass, % a notification's id, & a status,
// @ a day, ^ the start but for politeness, . the end.
type cue struct {
	elements []element
	not      []string
	question int8 // 1: only questions, -1: only others, 0: both
	total    float64
}

type element struct {
	words  []string
	weight float64
}

func parseCue(tool, text string, vocabulary map[string]bool) cue {
	var c cue
	for _, field := range strings.Fields(text) {
		switch {
		case field == "!?":
			c.question = -1
		case field == "??":
			c.question = 1
		case field[0] == '!':
			c.not = append(c.not, strings.Split(field[1:], "|")...)
		default:
			words, weight := field, 1.0
			if w, n, ok := strings.Cut(field, "*"); ok {
				f, err := strconv.ParseFloat(n, 64)
				if err != nil {
					panic(fmt.Sprintf("cue %q of %s: %v", text, tool, err))
				}
				words, weight = w, f
			}
			if words == "^" || words == "." {
				weight = 0
			}
			c.elements = append(c.elements, element{strings.Split(words, "|"), weight})
			c.total += weight
		}
	}
	if len(c.elements) == 0 {
		panic(fmt.Sprintf("cue %q of %s is empty", text, tool))
	}
	for _, e := range c.elements {
		for _, w := range e.words {
			if len(w) > 1 {
				vocabulary[w] = true
			}
		}
	}
	for _, w := range c.not {
		if len(w) > 1 {
			vocabulary[w] = true
		}
	}
	return c
}

// score returns the weight of c in u, or 0 if it does not occur.
func (c *cue) score(u *utterance) float64 {
	if c.question > 0 && !u.question || c.question < 0 && u.question {
		return 0
	}
	if len(c.not) > 0 && (element{words: c.not}).find(u, 0) >= 0 {
		return 0
	}
	at, anchored := 0, false
	for _, e := range c.elements {
		if e.words[0] == "^" {
			at, anchored = u.opening(), true
			continue
		}
		i := e.find(u, at)
		if i < 0 || anchored && i != at+1 {
			return 0
		}
		at, anchored = i, false
	}
	return c.total
}

// find returns the place behind the first token from at on that e matches, or -1.
func (e element) find(u *utterance, at int) int {
	if e.words[0] == "." {
		if at == len(u.tokens) {
			return at
		}
		return -1
	}
	for i := at; i < len(u.tokens); i++ {
		if e.matches(&u.tokens[i]) {
			return i + 1
		}
	}
	return -1
}

func (e element) matches(t *token) bool {
	for _, w := range e.words {
		switch w {
		case "#":
			if t.kind == tokNumber || t.kind == tokID {
				return true
			}
		case "~":
			if t.kind == tokNumber || t.kind == tokID || t.ref {
				return true
			}
		case "%":
			if t.kind == tokNote {
				return true
			}
		case "&":
			if t.status != "" {
				return true
			}
		case "@":
			if t.day {
				return true
			}
		default:
			if t.kind == tokWord && t.word == w {
				return true
			}
		}
	}
	return false
}

// mostForeign bounds what another role's tool counts for beside a list of the speaker's
// own that does the same.
const mostForeign = 2.3

// margin is by how much another role's tool must fit better than the speaker's own,
// which does so with score.
func margin(score float64) float64 {
	if score < 1.2 {
		return 0.3
	}
	return 0.8
}

// choose returns the tool that the cues of u speak for most. Tools of other roles are
// weighed too, so that their work can be refused by name; the speaker's own wins a
// draw.
func (g *Grammar) choose(s State, u *utterance) (*compiled, float64) {
	var best *compiled
	var bestScore, needed float64
	for _, own := range []bool{true, false} {
		for i := range g.tools {
			t := &g.tools[i]
			if offers(t, s.Role) != own {
				continue
			}
			score := t.score(u)
			if !own && best != nil && best.List {
				score = min(score, mostForeign)
			}
			if score > bestScore+needed {
				best, bestScore, needed = t, score, 0
			}
		}
		if own {
			needed = margin(bestScore)
		}
	}
	if best != nil && g.foreign(u, best) {
		return nil, 0
	}
	return best, bestScore
}

// looker returns the tool of the speaker's own that shows the pass u names without
// changing it, or nil.
func (g *Grammar) looker(s State, u *utterance) *compiled {
	var best *compiled
	var bestScore float64
	for i := range g.tools {
		t := &g.tools[i]
		if t.Acts || t.List || !offers(t, s.Role) || !slices.ContainsFunc(t.Slots, func(s Slot) bool { return s.Kind <= PassRef }) {
			continue
		}
		if score := t.score(u); score > bestScore {
			best, bestScore = t, score
		}
	}
	return best
}

func (t *compiled) score(u *utterance) float64 {
	var best float64
	for i := range t.cues {
		best = max(best, t.cues[i].score(u))
	}
	if best == 0 {
		return 0
	}
	return best + t.fit(u)
}

// fit prefers, among tools that do the same, the one that takes the kind of
// identifier that was given.
func (t *compiled) fit(u *utterance) float64 {
	for _, s := range t.Slots {
		switch {
		case s.Kind == ID && u.id == "" && u.number != "":
			return -0.5
		case (s.Kind == ID || s.Kind == PassRef) && u.id != "":
			return 0.3
		case s.Kind == Number && u.number == "" && u.id != "":
			return -0.2
		}
	}
	return 0
}

// foreign reports whether u, for all its cues, is about something else: it names no
// pass, and words are left that no tool, name or date accounts for.
func (g *Grammar) foreign(u *utterance, t *compiled) bool {
	if u.number != "" || u.id != "" || u.note != "" || u.has("pass") || u.has("passes") {
		return false
	}
	if i := u.opening(); g.deeds[u.word(i)] && (u.ordinal != 0 || u.sequence("this", "one") >= 0 || u.sequence("that", "one") >= 0) {
		return false // "reject the second one, …": the rest says why
	}
	takesName := slices.ContainsFunc(t.Slots, func(s Slot) bool { return s.Kind == Search })
	for i := range u.tokens {
		tok := &u.tokens[i]
		if tok.kind != tokWord || g.spell.Known(tok.word) || tok.day || tok.status != "" || tok.ref || len(tok.word) < 3 {
			continue
		}
		if tok.possessive || tok.capital && takesName || u.personAt(i) {
			continue
		}
		return true
	}
	return false
}
