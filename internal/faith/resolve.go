package faith

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"dossier/internal/faith/exact"
	"dossier/internal/faith/measure"
)

// A candidate is a fact weighed against a numeral. Lower rank is better; rank 0
// means it resolves.
type candidate struct {
	fact  *Fact
	fault Fault
	rank  int
	cost  int      // between candidates of one rank
	shown *big.Rat // the fact's value in the numeral's unit
}

var faultRank = map[Fault]int{"": 0, Direction: 1, Name: 2, When: 2, Sign: 3, Rounding: 4, Unit: 5, Unknown: 6}

// quantity resolves a number, or says which near fact it fails and why.
func (c *checker) quantity(m *mark, n *Numeral) {
	if c.counted(m, n) {
		return
	}
	best := candidate{rank: faultRank[Unknown], fault: Unknown}
	governed := map[string][]string{}
	for _, e := range c.near(m) {
		cand := c.weigh(m, &c.facts.facts[e], governed)
		if cand.rank < best.rank || cand.rank == best.rank && best.fact != nil && cand.cost < best.cost {
			best = cand
		}
	}
	if best.rank == faultRank[Unknown] && m.unit != "" {
		for _, e := range within(c.facts.raw, m.low(1), m.high(1)) {
			fact := &c.facts.facts[e.fact]
			if _, same := measure.Conversion(fact.Unit, m.unit); !same && m.matches(new(big.Rat).Abs(fact.Value.Rat())) {
				best = candidate{fact: fact, fault: Unit, shown: fact.Value.Rat()}
				break
			}
		}
	}
	if kind := c.every; best.fault == "" && kind != "" && best.fact.Names[kind] != "" && !c.shared(m, kind) {
		n.Fault = Name
		n.Problem = fmt.Sprintf("“%s” is said of every %s: it belongs to %s alone (%s).", m.text, kind, best.fact.Names[kind], best.fact.Label)
		n.ResolvedTo, n.Label = best.fact.Ref, best.fact.Label
		return
	}
	if best.fault == "" {
		n.OK, n.ResolvedTo, n.Label = true, best.fact.Ref, best.fact.Label
		return
	}
	n.Fault, n.Problem = best.fault, c.problem(m, best)
	if best.fact != nil {
		n.ResolvedTo, n.Label = best.fact.Ref, best.fact.Label
	}
}

// low and high bound the magnitudes worth weighing, in the numeral's unit times scale.
func (m *mark) low(scale float64) float64 {
	v, w := m.reach()
	return (v-w)*scale - 1e-9*abs(v*scale) - 1e-12
}

func (m *mark) high(scale float64) float64 {
	v, w := m.reach()
	return (v+w)*scale + 1e-9*abs(v*scale) + 1e-12
}

func (m *mark) reach() (value, width float64) {
	value, _ = m.value.Float64()
	places := m.places
	if m.hedge != exactly {
		places -= m.zeros
	}
	width, _ = exact.Pow10(-places).Float64()
	return value, width
}

// near lists the facts whose magnitude could be meant.
func (c *checker) near(m *mark) []int {
	var out []int
	add := func(list []entry, scale float64) {
		for _, e := range within(list, m.low(scale), m.high(scale)) {
			out = append(out, e.fact)
		}
	}
	if m.unit == "" {
		add(c.facts.raw, 1)
		return out
	}
	unit := measure.Of(m.unit)
	scale, _ := unit.Scale.Float64()
	add(c.facts.byDim[unit.Dim], scale)
	add(c.facts.byDim[""], 1)
	switch unit.Dim {
	case "mass":
		add(c.facts.byDim["co2e"], scale)
	case "percent":
		add(c.facts.byDim[None], 0.01)
	case "dollar":
		add(c.facts.byDim["USD"], 1)
		add(c.facts.byDim["AUD"], 1)
	}
	return out
}

// weigh compares one fact with a numeral.
func (c *checker) weigh(m *mark, fact *Fact, governed map[string][]string) candidate {
	factor := big.NewRat(1, 1)
	if m.unit != "" && fact.Unit != "" {
		f, ok := measure.Conversion(fact.Unit, m.unit)
		if !ok {
			return candidate{rank: faultRank[Unknown], fault: Unknown}
		}
		factor = f
	}
	x := new(big.Rat).Mul(fact.Value.Rat(), factor)
	cand := candidate{fact: fact, shown: x}
	cand.fault = c.faultOf(m, fact, x, governed)
	cand.rank = faultRank[cand.fault]
	if cand.fault == "" {
		cand.cost = cost(m, fact, x)
	}
	return cand
}

func (c *checker) faultOf(m *mark, fact *Fact, x *big.Rat, governed map[string][]string) Fault {
	mag := new(big.Rat).Abs(x)
	switch {
	case !m.matches(mag):
		if exact.Truncate(mag, m.places).Cmp(m.value) == 0 {
			return Rounding
		}
		return Unknown
	case m.unit == "" && measure.Of(fact.Unit).Dim == "percent":
		return Unit
	case c.facts.Claims && m.unit == "" && m.places == 0 && fact.Unit != "" && fact.Unit != None && mag.Cmp(m.value) != 0:
		return Unknown
	}
	if f := c.signFault(m, fact, x); f != "" {
		return f
	}
	for kind, name := range fact.Names {
		list, ok := governed[kind]
		if !ok {
			list = governing(c.text, c.in, m, kind, c.inNames, c.inMarks)
			governed[kind] = list
		}
		if len(list) > 0 && !slices.Contains(list, name) {
			return Name
		}
	}
	if fact.Year != 0 {
		if year := c.yearOf(m, fact.Change); year != 0 && year != fact.Year {
			return When
		}
	}
	switch {
	case fact.Over != "" && c.gapFault(m, fact):
		return Direction
	case measure.Of(fact.Unit).Dim == "times" && !c.concerns(fact):
		return Name
	}
	return ""
}

// matches reports whether mag, rounded half-even to the numeral's precision, gives
// the digits written; a hedge widens what it may be.
func (m *mark) matches(mag *big.Rat) bool {
	if exact.RoundHalfEven(mag, m.places).Cmp(m.value) == 0 {
		return true
	}
	switch places := m.places - m.zeros; m.hedge {
	case about:
		return m.zeros > 0 && exact.RoundHalfEven(mag, places).Cmp(m.value) == 0
	case atLeast:
		return exact.Truncate(mag, places).Cmp(m.value) == 0
	case atMost:
		up := new(big.Rat).Add(exact.Truncate(mag, places), exact.Pow10(-places))
		return up.Cmp(m.value) == 0
	default:
		return false
	}
}

// signFault checks the sign and the words that stand for it.
func (c *checker) signFault(m *mark, fact *Fact, x *big.Rat) Fault {
	sign := x.Sign()
	if m.value.Sign() == 0 {
		return ""
	}
	way := direction(c.text, m, c.pointers)
	if m.sign != 0 {
		switch {
		case m.sign != sign:
			return Sign
		case fact.Change && way == -sign && c.directlyBefore(m):
			return Direction
		}
		return ""
	}
	switch {
	case sign < 0 && way > 0, sign > 0 && fact.Change && way < 0:
		return Direction
	case sign < 0 && (way == 0 || !fact.Change && c.standsFor(m)):
		return Sign
	case sign > 0 && !fact.Change && fact.Trend != 0 && way == -fact.Trend && c.wordBefore(m) == "to":
		return Direction
	}
	return ""
}

// standsFor reports whether m is said as a level ("falls to 3"), whose minus sign no
// word of direction replaces.
func (c *checker) standsFor(m *mark) bool {
	switch c.wordBefore(m) {
	case "to", "at", "from":
		return true
	}
	return false
}

// directlyBefore reports whether a direction word governs m at once: "a rise of −3".
func (c *checker) directlyBefore(m *mark) bool {
	for _, p := range c.pointers {
		if p.end > m.start || p.way == 0 {
			continue
		}
		between := c.text[p.end:m.start]
		if len(strings.Fields(between)) <= 1 && !strings.ContainsAny(between, "(,;:") {
			return true
		}
	}
	return false
}

// cost prefers an exact value to a rounded one, and a fact in the very unit written
// to another.
func cost(m *mark, fact *Fact, x *big.Rat) int {
	n := 0
	if new(big.Rat).Abs(x).Cmp(m.value) != 0 {
		n += 2
	}
	if fact.Unit != m.unit && !(m.unit == "" && fact.Unit == None) {
		n++
	}
	if fact.Ref.Computed != "" {
		n++
	}
	return n
}

// problem says what is wrong in a sentence.
func (c *checker) problem(m *mark, cand candidate) string {
	if cand.fact == nil {
		return fmt.Sprintf("No number in the evidence gives “%s”.", m.text)
	}
	what := cmp.Or(cand.fact.Label, cand.fact.Ref.String())
	value := strings.TrimSuffix(cand.fact.Value.String()+" "+cand.fact.Unit, " "+None)
	value = strings.TrimSpace(value)
	switch cand.fault {
	case Rounding:
		return fmt.Sprintf("“%s” cuts off %s (%s); rounded half-even it is %s.", m.text, value, what, exact.FromRat(cand.shown).Round(m.places))
	case Unit:
		return fmt.Sprintf("“%s” has the wrong unit: the evidence has %s (%s).", m.text, value, what)
	case Sign:
		return fmt.Sprintf("“%s” has the wrong sign: the evidence has %s (%s).", m.text, value, what)
	case Direction:
		return fmt.Sprintf("The text says the opposite direction of “%s”: the evidence has %s (%s), a %s.",
			m.text, value, what, wayNoun(cmp.Or(wayOf(cand.fact), 1)))
	case When:
		return fmt.Sprintf("“%s” is said of another year: it belongs to %d (%s).", m.text, cand.fact.Year, what)
	case Name:
		return fmt.Sprintf("“%s” is said of the wrong one: it belongs to %s (%s).", m.text, names(cand.fact.Names), what)
	default:
		return fmt.Sprintf("No number in the evidence gives “%s”.", m.text)
	}
}

func wayOf(f *Fact) int {
	if f.Change || f.Value.Sign() < 0 {
		return f.Value.Sign()
	}
	return f.Trend
}

func names(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Values(m)), ", ")
}
