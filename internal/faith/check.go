package faith

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dossier"
	"dossier/internal/faith/exact"
	"dossier/internal/faith/lex"
	"dossier/internal/faith/measure"
)

// A Fault classifies what is wrong with a numeral.
type Fault string

// The faults.
const (
	Unknown   Fault = "unknown"   // no fact gives these digits
	Rounding  Fault = "rounding"  // a fact is near, but was cut off or rounded another way
	Unit      Fault = "unit"      // the digits are right, the unit is not
	Sign      Fault = "sign"      // the number is negative and the text does not say so
	Direction Fault = "direction" // the words say the opposite of the sign
	Name      Fault = "name"      // the number belongs to another name
	When      Fault = "year"      // the number belongs to another year
	Rank      Fault = "rank"      // it is not the largest, or whatever it is called
	Multiple  Fault = "multiple"  // "doubles" or "half" that no figure shows
)

// A Numeral is one number of a text and what became of it.
type Numeral struct {
	Text       string `json:"text"`
	Start      int    `json:"start"` // byte offsets into the text
	End        int    `json:"end"`
	Kind       Kind   `json:"kind"`
	Value      Number `json:"value"`          // as written, with its sign; 0 unless a quantity
	Unit       string `json:"unit,omitempty"` // as written
	OK         bool   `json:"ok"`
	ResolvedTo Ref    `json:"resolved_to,omitzero"`
	Label      string `json:"label,omitempty"` // of the fact
	Fault      Fault  `json:"fault,omitempty"`
	Problem    string `json:"problem,omitempty"` // a sentence for people
}

// A Report says what became of every numeral of a text, in order.
type Report struct {
	Numerals []Numeral `json:"numerals"`
}

// OK reports whether every numeral resolved.
func (r Report) OK() bool { return len(r.Problems()) == 0 }

// Problems returns the numerals that did not resolve.
func (r Report) Problems() []Numeral {
	var bad []Numeral
	for _, n := range r.Numerals {
		if !n.OK {
			bad = append(bad, n)
		}
	}
	return bad
}

// Err returns nil if every numeral resolved, and otherwise an error whose message
// lists the problems with their positions.
func (r Report) Err() error {
	bad := r.Problems()
	if len(bad) == 0 {
		return nil
	}
	var b strings.Builder
	for i, n := range bad {
		if i == 5 {
			fmt.Fprintf(&b, " And %d more.", len(bad)-i)
			break
		}
		fmt.Fprintf(&b, " At byte %d: %s", n.Start, n.Problem)
	}
	noun := "numbers do"
	if len(bad) == 1 {
		noun = "number does"
	}
	return dossier.Errorf(dossier.Invalid, "%d %s not agree with the evidence.%s", len(bad), noun, b.String())
}

// Check resolves every numeral of text against facts.
func Check(text string, facts *Facts) Report {
	facts.prepare()
	s := &scanner{text: text, facts: facts}
	s.run()
	c := &checker{text: text, facts: facts, marks: s.marks, names: s.names}
	c.shareUnits()
	report := Report{Numerals: make([]Numeral, 0, len(s.marks))}
	spans := sentences(text)
	at := 0
	for i := range c.marks {
		m := &c.marks[i]
		for at < len(spans)-1 && spans[at].end <= m.start {
			at++
		}
		c.enter(spans[at])
		report.Numerals = append(report.Numerals, c.numeral(m))
	}
	c.pairs(spans, report.Numerals)
	if facts.Claims {
		report.Numerals = c.inWords(spans, report.Numerals)
	}
	return report
}

// inWords judges what each sentence says of its numbers in words.
func (c *checker) inWords(spans []span, numerals []Numeral) []Numeral {
	for _, in := range spans {
		c.enter(in)
		c.ranks(in, numerals)
		for _, cl := range claimsIn(c.text, in) {
			n := c.claim(cl)
			i, _ := slices.BinarySearchFunc(numerals, n.Start, func(o Numeral, at int) int { return cmp.Compare(o.Start, at) })
			if i < len(numerals) && numerals[i].Start < n.End || i > 0 && numerals[i-1].End > n.Start {
				continue // "2.4 times" was read as a number
			}
			numerals = slices.Insert(numerals, i, n)
		}
	}
	return numerals
}

// A checker holds one text while its numerals are resolved.
type checker struct {
	text     string
	facts    *Facts
	marks    []mark
	names    []mention
	in       span // the sentence at hand, and what stands in it
	inNames  []mention
	inMarks  []mark
	pointers []pointer
	every    string // kind of names that the sentence speaks of as a whole
}

func (c *checker) enter(in span) {
	if c.in == in && c.pointers != nil {
		return
	}
	c.in, c.pointers = in, pointers(c.text, in)
	i, _ := slices.BinarySearchFunc(c.names, in.start, func(n mention, at int) int { return cmp.Compare(n.start, at) })
	j, _ := slices.BinarySearchFunc(c.names, in.end, func(n mention, at int) int { return cmp.Compare(n.start, at) })
	c.inNames = c.names[i:j]
	i, _ = slices.BinarySearchFunc(c.marks, in.start, func(m mark, at int) int { return cmp.Compare(m.start, at) })
	j, _ = slices.BinarySearchFunc(c.marks, in.end, func(m mark, at int) int { return cmp.Compare(m.start, at) })
	c.inMarks = c.marks[i:j]
	if c.pointers == nil {
		c.pointers = []pointer{}
	}
	if c.every = ""; c.facts.Claims {
		c.every = c.everyone()
	}
}

// shareUnits gives a bare number the unit of the next one it is listed with: "from
// 401 to 88 Mt".
func (c *checker) shareUnits() {
	for i := len(c.marks) - 2; i >= 0; i-- {
		m, next := &c.marks[i], &c.marks[i+1]
		if m.kind != Quantity || next.kind != Quantity || m.unit != "" || next.unit == "" {
			continue
		}
		switch strings.TrimSpace(lower(c.text[m.end:next.start])) {
		case "to", "and", "or", "–", "-", ",", ", and", "/":
			m.unit = next.unit
		}
	}
}

func (c *checker) numeral(m *mark) Numeral {
	n := Numeral{Text: m.text, Start: m.start, End: m.end, Kind: m.kind, Unit: m.unit}
	switch m.kind {
	case Quantity:
		n.Value = exact.FromRat(m.signed())
		c.quantity(m, &n)
	case Date:
		c.date(m, &n)
	case Time, ID:
		c.token(&n, strings.ToLower(m.text))
	case Reference:
		key := strings.ToLower(m.text)
		if _, any := c.facts.tokens[referenceKind(m.text)]; any {
			c.token(&n, key)
		} else {
			n.OK = true
		}
	}
	return n
}

// referenceKind is the key that says references of this word are declared.
func referenceKind(text string) string { return "reference:" + strings.ToLower(lex.Word(text)) }

func (c *checker) token(n *Numeral, key string) {
	if ref, ok := c.facts.tokens[key]; ok {
		n.OK, n.ResolvedTo = true, ref
		return
	}
	n.Fault, n.Problem = Unknown, fmt.Sprintf("The %s “%s” is not in the evidence.", n.Kind, n.Text)
}

func (c *checker) date(m *mark, n *Numeral) {
	need := m.keys[:1]
	if m.all {
		need = m.keys
	}
	known := true
	for _, k := range need {
		ref, ok := c.facts.tokens[k]
		known = known && ok
		n.ResolvedTo = ref
	}
	if known {
		n.OK = true
		return
	}
	n.ResolvedTo = Ref{}
	if len(m.text) == 4 && !m.all { // four digits that no date explains may be a count
		if v, ok := new(big.Rat).SetString(m.text); ok {
			count := mark{kind: Quantity, start: m.start, end: m.end, text: m.text, value: v}
			if c.quantity(&count, n); n.OK {
				n.Kind, n.Value = Quantity, exact.FromRat(v)
				return
			}
		}
	}
	n.Fault, n.Problem = Unknown, fmt.Sprintf("The date “%s” is not in the evidence.", m.text)
}

// pairs checks "fell from A to B" within each sentence.
func (c *checker) pairs(spans []span, numerals []Numeral) {
	at := 0
	for _, in := range spans {
		last := -1
		for ; at < len(c.marks) && c.marks[at].start < in.end; at++ {
			if c.marks[at].kind != Quantity {
				continue
			}
			if last >= 0 && c.wordBefore(&c.marks[last]) == "from" && c.wordBefore(&c.marks[at]) == "to" {
				c.pair(in, &c.marks[last], &c.marks[at], &numerals[at])
			}
			last = at
		}
	}
}

func (c *checker) pair(in span, a, b *mark, n *Numeral) {
	c.enter(in)
	factor, ok := big.NewRat(1, 1), true
	if a.unit != "" && b.unit != "" {
		factor, ok = measure.Conversion(a.unit, b.unit)
	}
	way := direction(c.text, a, c.pointers)
	if !ok || way == 0 || c.spans(a) {
		return
	}
	moved := b.signed().Cmp(new(big.Rat).Mul(a.signed(), factor))
	if moved != 0 && moved != way {
		n.OK, n.Fault = false, Direction
		n.Problem = fmt.Sprintf("From “%s” to “%s” is a %s, and the text says the opposite.", a.text, b.text, wayNoun(moved))
	}
}

// spans reports whether "from" opens a range of values, not a movement.
func (c *checker) spans(a *mark) bool {
	before := strings.TrimRight(c.text[c.in.start:a.start], " ")
	switch lastWord(strings.TrimSuffix(before, "from")) {
	case "range", "ranges", "ranging", "vary", "varies", "varying", "spread", "spreads":
		return true
	}
	return false
}

// wordBefore returns the word before a numeral, past any hedge.
func (c *checker) wordBefore(m *mark) string {
	before := c.text[max(0, m.start-40):m.start]
	if _, n := hedgeBefore(before); n > 0 {
		before = before[:len(before)-n]
	}
	return lastWord(before)
}

func wayNoun(way int) string {
	if way < 0 {
		return "fall"
	}
	return "rise"
}
