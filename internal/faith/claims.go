package faith

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dossier/internal/faith/exact"
	"dossier/internal/faith/lex"
	"dossier/internal/faith/measure"
)

// Claim is the kind of a quantity in words: "doubles", "more than half".
const Claim Kind = "claim"

// A claim is a quantity in words.
type claim struct {
	start, end int
	hedge      hedge
	ratio      *big.Rat // what it comes to
	part       bool     // it is a part of something, or a change by one; else a multiple
	by         string   // "of", "by", "to" or "": how the part is said
}

var multiples = map[string]*big.Rat{
	"double": big.NewRat(2, 1), "doubles": big.NewRat(2, 1), "doubled": big.NewRat(2, 1), "doubling": big.NewRat(2, 1),
	"triple": big.NewRat(3, 1), "triples": big.NewRat(3, 1), "tripled": big.NewRat(3, 1), "tripling": big.NewRat(3, 1),
	"quadruple": big.NewRat(4, 1), "quadruples": big.NewRat(4, 1), "quadrupled": big.NewRat(4, 1),
	"halve": big.NewRat(1, 2), "halves": big.NewRat(1, 2), "halved": big.NewRat(1, 2), "halving": big.NewRat(1, 2),
}

var denominators = map[string]int64{
	"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10, "tenths": 10,
}

// claimsIn finds the quantities in words of a sentence.
func claimsIn(text string, in span) []claim {
	var all []claim
	before := ""
	for i := in.start; i < in.end; {
		w := lex.Word(text[i:in.end])
		if w == "" {
			i++
			continue
		}
		l := lower(w)
		if c, ok := claimAt(text, in, i, l, before); ok {
			c.end = i + len(w)
			var n int
			c.hedge, n = hedgeBefore(text[in.start:c.start])
			c.start -= n
			all = append(all, c)
		}
		before, i = l, i+len(w)
	}
	return all
}

func claimAt(text string, in span, i int, w, before string) (claim, bool) {
	rest := text[i+len(w) : in.end]
	if r, ok := multiples[w]; ok {
		return claim{start: i, ratio: r}, true
	}
	if n, ok := strings.CutSuffix(w, "fold"); ok && lex.SmallWords[n] > 1 {
		return claim{start: i, ratio: new(big.Rat).SetInt64(lex.SmallWords[n])}, true
	}
	den, ok := denominators[w]
	if !ok || strings.HasPrefix(rest, "-") {
		return claim{}, false
	}
	c := claim{start: i, part: true, ratio: big.NewRat(1, den)}
	after := lower(lex.Word(strings.TrimLeft(rest, " ")))
	switch num, counted := lex.SmallWords[before]; {
	case counted && num > 0:
		c.ratio = big.NewRat(num, den)
		c.start = strings.LastIndex(lower(text[:i]), before)
	case before == "a" || before == "an":
		c.start = strings.LastIndex(lower(text[:i]), before)
	case w == "half" && before != "first" && before != "second" && before != "other" && before != "latter" && before != "last":
	default:
		return claim{}, false
	}
	if after != "of" && w != "half" && strings.Trim(rest, " ") != "" && !strings.ContainsAny(rest[:1], ".,;:") && directions[after] == 0 {
		return claim{}, false // "a third scenario"
	}
	if after == "of" {
		c.by = after
	}
	head := text[in.start:c.start]
	_, n := hedgeBefore(head)
	if said := lastWord(head[:len(head)-n]); said == "by" || said == "to" {
		c.by = said
	}
	return c, true
}

// fraction reports whether a spelled number counts the parts of a whole ("two thirds"),
// which is judged as a claim.
func (s *scanner) fraction(i int) bool {
	return s.facts.Claims && denominators[lower(lex.Word(strings.TrimLeft(s.text[i:], " ")))] > 0
}

// holds reports whether v may be called the claim's ratio.
func (c claim) holds(v *big.Rat) bool {
	diff, slack := new(big.Rat).Sub(v, c.ratio), new(big.Rat)
	h := c.hedge
	if !c.part && c.ratio.Cmp(big.NewRat(1, 1)) < 0 { // "more than halves" goes further down
		diff.Neg(diff)
	}
	switch h {
	case atLeast:
		return diff.Sign() > 0
	case atMost:
		slack.Mul(c.ratio, big.NewRat(1, 5))
		return diff.Sign() < 0 && diff.Cmp(slack.Neg(slack)) >= 0
	case about:
		slack.Mul(c.ratio, big.NewRat(1, 5))
	default:
		slack.Mul(c.ratio, big.NewRat(1, 10))
	}
	return diff.Abs(diff).Cmp(slack) <= 0
}

// claim resolves a quantity in words: by the "from A to B" of its sentence, or by a
// share, change or ratio that belongs to the names of the sentence.
func (c *checker) claim(cl claim) Numeral {
	n := Numeral{Text: c.text[cl.start:cl.end], Start: cl.start, End: cl.end, Kind: Claim}
	if ratio, ok := c.pairRatio(); ok && !cl.part {
		if n.OK = cl.holds(ratio); !n.OK {
			n.Fault = Multiple
			n.Problem = fmt.Sprintf("The text says “%s”, and the numbers beside it give a factor of %s.", n.Text, exact.FromRat(ratio).Round(2))
		}
		return n
	}
	var near *Fact
	for i := range c.facts.facts {
		f := &c.facts.facts[i]
		v, ok := cl.valueOf(f)
		if !ok || !c.concerns(f) {
			continue
		}
		if cl.holds(v) {
			n.OK, n.ResolvedTo, n.Label = true, f.Ref, f.Label
			return n
		}
		near = f
	}
	n.Fault = Multiple
	n.Problem = fmt.Sprintf("The text says “%s”, and no figure of the evidence shows it.", n.Text)
	if near != nil {
		n.Problem = fmt.Sprintf("The text says “%s”, and the evidence has %s %s (%s).", n.Text, near.Value.Round(1), near.Unit, near.Label)
	}
	return n
}

// valueOf returns what a fact comes to as the kind of ratio that is claimed.
func (c claim) valueOf(f *Fact) (*big.Rat, bool) {
	v, dim := f.Value.Rat(), measure.Of(f.Unit).Dim
	whole := big.NewRat(1, 1)
	switch {
	case dim == "times":
		return v, !c.part
	case dim != "percent":
		return nil, false
	}
	v = new(big.Rat).Quo(v, big.NewRat(100, 1))
	switch {
	case !c.part || c.by == "to":
		return whole.Add(whole, v), f.Change
	case c.by == "by":
		return v.Abs(v), f.Change
	case c.by == "of":
		return v.Abs(v), !f.Change
	default:
		return v.Abs(v), true
	}
}

// concerns reports whether a fact belongs to the names of the sentence at hand.
func (c *checker) concerns(f *Fact) bool {
	for kind, name := range f.Names {
		said := false
		for _, m := range c.inNames {
			if m.kind == kind && m.name == name {
				said = true
			}
		}
		if !said && (kind != "scenario" || c.says(kind)) {
			return false
		}
	}
	for _, m := range c.inNames {
		if _, ok := f.Names[m.kind]; !ok && f.Over == "" {
			return false
		}
	}
	return f.Over == "" || c.mentions(f.Over) && c.mentions(f.Under)
}

func (c *checker) says(kind string) bool {
	return slices.ContainsFunc(c.inNames, func(m mention) bool { return m.kind == kind })
}

func (c *checker) mentions(name string) bool {
	return slices.ContainsFunc(c.inNames, func(m mention) bool { return m.name == name })
}

// pairRatio returns B ÷ A where the sentence says "from A to B".
func (c *checker) pairRatio() (*big.Rat, bool) {
	for i := 1; i < len(c.inMarks); i++ {
		a, b := &c.inMarks[i-1], &c.inMarks[i]
		if a.kind != Quantity || b.kind != Quantity || c.wordBefore(a) != "from" || c.wordBefore(b) != "to" || a.value.Sign() == 0 {
			continue
		}
		factor, ok := measure.Conversion(a.unit, b.unit)
		if !ok {
			continue
		}
		return new(big.Rat).Quo(b.signed(), new(big.Rat).Mul(a.signed(), factor)), true
	}
	return nil, false
}
