package faith

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dossier/internal/faith/lex"
)

// superlatives says whether a word claims the most (1) or the least (-1) of something.
var superlatives = map[string]int{
	"largest": 1, "biggest": 1, "greatest": 1, "deepest": 1, "strongest": 1, "steepest": 1, "highest": 1,
	"smallest": -1, "least": -1, "weakest": -1, "slightest": -1, "shallowest": -1, "lowest": -1,
}

var ordinals = map[string]int{"second": 2, "third": 3, "fourth": 4, "fifth": 5}

// ranks checks what each superlative of a sentence is said of: the first number after
// it, or the last before it.
func (c *checker) ranks(in span, numerals []Numeral) {
	before := ""
	for i := in.start; i < in.end; {
		w := lex.Word(c.text[i:in.end])
		if w == "" {
			i++
			continue
		}
		l := lower(w)
		most, ok := superlatives[l]
		if ok && !(l == "least" && before == "at") {
			place := max(1, ordinals[before])
			c.rank(in, i, i+len(w), l, most, place, numerals)
		}
		before, i = l, i+len(w)
	}
}

func (c *checker) rank(in span, start, end int, text string, most, place int, numerals []Numeral) {
	var m *mark
	for i := range c.inMarks {
		o := &c.inMarks[i]
		if o.kind != Quantity {
			continue
		}
		if o.start >= end {
			m = o
			break
		}
		m = o
	}
	if m == nil || m.start >= end && c.broken(end, m.start) {
		return
	}
	i := slices.IndexFunc(numerals, func(n Numeral) bool { return n.Start == m.start && n.Kind == Quantity })
	if i < 0 || !numerals[i].OK {
		return
	}
	kind := c.ranked(in, start, end)
	judged, best := false, 0
	for _, f := range c.fitting(m) {
		for k, group := range f.Groups {
			if kind != "" && k != kind {
				continue
			}
			at := c.place(f, group, text, most)
			if at == place {
				return
			}
			judged, best = true, at
		}
	}
	if judged {
		n := &numerals[i]
		n.OK, n.Fault = false, Rank
		n.Problem = fmt.Sprintf("The text calls “%s” the %s, and it stands at place %d among its like (%s).", n.Text, text, best, n.Label)
	}
}

// broken reports whether a break stands between two places of the sentence at hand.
func (c *checker) broken(from, to int) bool {
	return slices.ContainsFunc(c.pointers, func(p pointer) bool { return p.way == 0 && p.start >= from && p.end <= to })
}

// fitting returns the facts that a numeral resolves to without a fault.
func (c *checker) fitting(m *mark) []*Fact {
	var out []*Fact
	governed := map[string][]string{}
	for _, e := range c.near(m) {
		f := &c.facts.facts[e]
		if cand := c.weigh(m, f, governed); cand.fault == "" {
			out = append(out, f)
		}
	}
	return out
}

// ranked returns the kind of names that a superlative compares: that of its subject,
// which is the nearest name before it, or else the first after it, that no "in" or
// "under" introduces. "": it does not say.
func (c *checker) ranked(in span, start, end int) string {
	rest := lower(c.text[end:in.end])
	for kind := range c.facts.names {
		for _, lead := range []string{"of the ", "of all ", "among the ", "among all ", "of all the ", "of the three ", "across "} {
			if strings.Contains(rest, lead+kind) {
				return kind
			}
		}
	}
	subject := func(m mention) bool {
		switch lastWord(c.text[in.start:m.start]) {
		case "in", "under", "for", "within":
			return false
		}
		return true
	}
	for _, m := range slices.Backward(c.inNames) {
		if m.end <= start && subject(m) {
			return m.kind
		}
	}
	for _, m := range c.inNames {
		if m.start >= end && subject(m) {
			return m.kind
		}
	}
	return ""
}

// place returns where a fact stands in a group, 1 being first.
func (c *checker) place(f *Fact, group, text string, most int) int {
	bySize := f.Change || f.Value.Sign() < 0 && text != "highest" && text != "lowest"
	key := func(o *Fact) *big.Rat {
		if bySize {
			return new(big.Rat).Abs(o.Value.Rat())
		}
		return o.Value.Rat()
	}
	at := 1
	for i := range c.facts.facts {
		o := &c.facts.facts[i]
		if o.Groups == nil || !inGroup(o, group) || bySize && o.Value.Sign() != f.Value.Sign() {
			continue
		}
		if key(o).Cmp(key(f))*most > 0 {
			at++
		}
	}
	return at
}

func inGroup(f *Fact, group string) bool {
	for _, g := range f.Groups {
		if g == group {
			return true
		}
	}
	return false
}

// yearOf returns the year that a numeral is said of: "6.33 Mt in 2040", or, for a level,
// "In 2040, …" where the sentence has no other year. 0: none.
func (c *checker) yearOf(m *mark, change bool) int {
	var years []*mark
	for i := range c.inMarks {
		if o := &c.inMarks[i]; o.kind == Date && len(o.text) == 4 {
			years = append(years, o)
		}
	}
	for _, y := range years {
		if y.start >= m.end && !numeralBetween(c.inMarks, m.end, y.start) && c.leadsTo(m.end, y.start) {
			return number(y.text)
		}
	}
	if !change && len(years) == 1 && years[0].end <= m.start && c.wordBefore(m) != "from" {
		switch strings.Trim(lower(c.text[c.in.start:years[0].start]), " \n*_>-") {
		case "in", "by", "for", "at":
			return number(years[0].text)
		}
	}
	return 0
}

// leadsTo reports whether only names and small words ending in a preposition stand
// between a numeral and a year.
func (c *checker) leadsTo(from, to int) bool {
	between := []byte(lower(c.text[from:to]))
	for _, n := range c.inNames {
		if n.start >= from && n.end <= to {
			copy(between[n.start-from:n.end-from], strings.Repeat(" ", n.end-n.start))
		}
	}
	words := strings.Fields(string(between))
	for _, w := range words {
		switch w {
		case "in", "by", "for", "the", "year", "under", "scenario", "case", "of", "end", "both", "and":
		default:
			return false
		}
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return last == "in" || last == "by" || last == "for" || last == "year" || last == "of"
}

func number(digits string) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

// everyone returns the kind of names all of which the sentence at hand speaks of at
// once: "by 94.07 Mt in every scenario". "": it names some, or says no such thing.
func (c *checker) everyone() string {
	text := " " + strings.Join(strings.FieldsFunc(lower(c.text[c.in.start:c.in.end]), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '.' }), " ") + " "
	for kind := range c.facts.names {
		for _, every := range []string{"every ", "each ", "all ", "both ", "all the ", "all three ", "all of the "} {
			if strings.Contains(text, " "+every+kind+" ") || strings.Contains(text, " "+every+kind+"s ") {
				if !c.says(kind) {
					return kind
				}
			}
		}
	}
	return ""
}

// shared reports whether every name of a kind has a fact that the numeral fits.
func (c *checker) shared(m *mark, kind string) bool {
	have, all := map[string]bool{}, map[string]bool{}
	for _, name := range c.facts.names[kind] {
		all[name] = true
	}
	for _, f := range c.fitting(m) {
		name, ok := f.Names[kind]
		if !ok {
			return true // it belongs to no one alone
		}
		have[name] = true
	}
	return len(have) == len(all)
}

// gapFault checks "A ends 3 Mt above B" against which of the two is higher.
func (c *checker) gapFault(m *mark, f *Fact) bool {
	rest := c.text[m.end:c.in.end]
	w := lower(lex.Word(strings.TrimLeft(rest, " ")))
	up := map[string]int{"above": 1, "higher": 1, "more": 1, "over": 1, "ahead": 1, "below": -1, "lower": -1, "less": -1, "under": -1, "behind": -1}[w]
	if up == 0 {
		return false
	}
	var x, y *mention
	for i := range c.inNames {
		n := &c.inNames[i]
		if n.name != f.Over && n.name != f.Under {
			continue
		}
		if n.end <= m.start {
			x = n
		} else if y == nil && n.start >= m.end {
			y = n
		}
	}
	if x == nil || y == nil || x.name == y.name {
		return false
	}
	for _, p := range c.pointers {
		if p.way < 0 && p.start >= x.end && p.end <= m.start {
			up = -up // "cuts 3 Mt more" ends lower
			break
		}
	}
	return (up > 0) != (x.name == f.Over)
}

// counted resolves a count of things that are known by number: "three scenarios". Fewer
// may be meant, more cannot.
func (c *checker) counted(m *mark, n *Numeral) bool {
	if m.unit != "" || m.sign != 0 || m.places != 0 {
		return false
	}
	noun := lower(lex.Word(strings.TrimLeft(c.text[m.end:c.in.end], " ")))
	for i := range c.facts.facts {
		f := &c.facts.facts[i]
		if f.Counts == "" || f.Counts != noun {
			continue
		}
		if m.value.Cmp(f.Value.Rat()) > 0 {
			n.Fault, n.Problem = Unknown, fmt.Sprintf("There are %s %s, not “%s”.", f.Value, f.Counts, cmp.Or(m.text, n.Text))
			n.ResolvedTo, n.Label = f.Ref, f.Label
		} else {
			n.OK, n.ResolvedTo, n.Label = true, f.Ref, f.Label
		}
		return true
	}
	return false
}
