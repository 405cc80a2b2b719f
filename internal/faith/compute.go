package faith

import (
	"math/big"

	"dossier"
	"dossier/internal/faith/exact"
	"dossier/internal/faith/measure"
)

// An Op is a computation that text may rest on.
type Op string

// The operations. Those of two take them in the order given.
const (
	Sum        Op = "sum"
	Mean       Op = "mean"
	Min        Op = "min"
	Max        Op = "max"
	Count      Op = "count"      // how many there are
	Difference Op = "difference" // the first less the second
	Share      Op = "share"      // the first as a percentage of the second
	Change     Op = "change"     // from the first to the second, as a percentage of the first
	Ratio      Op = "ratio"      // the first divided by the second
	Magnitude  Op = "magnitude"  // the one without its sign
)

// A Computed declares a number made from facts. Declaring is not enough: [Facts.Compute]
// does the computation again.
type Computed struct {
	Name  string            `json:"name"`
	Op    Op                `json:"op"`
	Of    []string          `json:"of"`              // refs of facts: "EVD-1#/rows/3/val" or "=total"
	Value string            `json:"value,omitempty"` // as the author has it; checked at its own precision. "": take ours
	Unit  string            `json:"unit,omitempty"`  // "": follows from the facts
	Label string            `json:"label,omitempty"`
	Names map[string]string `json:"names,omitempty"`
}

// Compute makes c from its facts and records it as a fact named "=" + c.Name. It
// refuses a computation over unknown facts or unlike units, and one whose stated
// value is not what comes out.
func (f *Facts) Compute(c Computed) (Fact, error) {
	of := make([]Fact, 0, len(c.Of))
	for _, ref := range c.Of {
		fact, ok := f.Fact(ref)
		if !ok {
			return Fact{}, dossier.Errorf(dossier.Invalid, "Computation %q uses %s, which no evidence holds.", c.Name, ref)
		}
		of = append(of, fact)
	}
	value, unit, err := c.apply(of)
	if err != nil {
		return Fact{}, err
	}
	if c.Unit != "" && unit != "" {
		factor, ok := measure.Conversion(unit, c.Unit)
		if !ok {
			return Fact{}, dossier.Errorf(dossier.Invalid, "Computation %q gives %s, not %s.", c.Name, unit, c.Unit)
		}
		value, unit = new(big.Rat).Mul(value, factor), c.Unit
	} else if unit == "" {
		unit = c.Unit
	}
	if err := c.agrees(value); err != nil {
		return Fact{}, err
	}
	fact := Fact{
		Ref: Ref{Computed: c.Name}, Value: exact.FromRat(value), Unit: unit, Label: c.Label, Names: c.Names,
		Change: c.Op == Difference || c.Op == Change || (c.Op == Sum || c.Op == Mean) && of[0].Change,
	}
	f.Add(fact)
	return fact, nil
}

// agrees checks the stated value, at the precision it is stated with.
func (c Computed) agrees(value *big.Rat) error {
	if c.Value == "" {
		return nil
	}
	stated, err := Decimal(c.Value)
	if err != nil {
		return err
	}
	places, _ := stated.Rat().FloatPrec()
	if exact.RoundHalfEven(value, places).Cmp(stated.Rat()) != 0 {
		return dossier.Errorf(dossier.Invalid, "Computation %q is stated as %s, but the evidence gives %s.",
			c.Name, c.Value, exact.FromRat(value).Round(places))
	}
	return nil
}

// apply does the operation in the unit of the first fact.
func (c Computed) apply(of []Fact) (*big.Rat, string, error) {
	bad := func(format string, args ...any) (*big.Rat, string, error) {
		return nil, "", dossier.Errorf(dossier.Invalid, "Computation %q "+format, append([]any{c.Name}, args...)...)
	}
	if len(of) == 0 {
		return bad("names no facts.")
	}
	if c.Op == Count {
		return new(big.Rat).SetInt64(int64(len(of))), None, nil
	}
	values, err := c.alike(of)
	if err != nil {
		return nil, "", err
	}
	unit := of[0].Unit
	switch c.Op {
	case Sum, Mean:
		total := new(big.Rat)
		for _, v := range values {
			total.Add(total, v)
		}
		if c.Op == Mean {
			total.Quo(total, new(big.Rat).SetInt64(int64(len(values))))
		}
		return total, unit, nil
	case Min, Max:
		best := values[0]
		for _, v := range values[1:] {
			if v.Cmp(best) < 0 == (c.Op == Min) {
				best = v
			}
		}
		return best, unit, nil
	case Magnitude:
		return new(big.Rat).Abs(values[0]), unit, nil
	case Difference, Share, Change, Ratio:
		if len(values) != 2 {
			return bad("needs two facts, not %d.", len(values))
		}
		return c.pair(values[0], values[1], unit)
	default:
		return bad("asks for %q, which is not an operation.", c.Op)
	}
}

func (c Computed) pair(a, b *big.Rat, unit string) (*big.Rat, string, error) {
	if c.Op == Difference {
		if measure.Of(unit).Dim == "percent" {
			unit = "percentage points"
		}
		return new(big.Rat).Sub(a, b), unit, nil
	}
	by := b
	if c.Op == Change {
		by = a
	}
	if by.Sign() == 0 {
		return nil, "", dossier.Errorf(dossier.Invalid, "Computation %q divides by zero.", c.Name)
	}
	switch c.Op {
	case Share:
		return new(big.Rat).Mul(new(big.Rat).Quo(a, b), big.NewRat(100, 1)), "%", nil
	case Change:
		diff := new(big.Rat).Sub(b, a)
		return diff.Mul(diff.Quo(diff, new(big.Rat).Abs(a)), big.NewRat(100, 1)), "%", nil
	default:
		return new(big.Rat).Quo(a, b), None, nil
	}
}

// alike returns the values converted to the unit of the first.
func (c Computed) alike(of []Fact) ([]*big.Rat, error) {
	values := make([]*big.Rat, len(of))
	for i, fact := range of {
		factor, ok := measure.Conversion(fact.Unit, of[0].Unit)
		if !ok {
			return nil, dossier.Errorf(dossier.Invalid, "Computation %q mixes %q and %q.", c.Name, of[0].Unit, fact.Unit)
		}
		values[i] = new(big.Rat).Mul(fact.Value.Rat(), factor)
	}
	return values, nil
}
