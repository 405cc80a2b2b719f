package faith

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"dossier"
)

// A Number is an exact decimal or a fraction of decimals. The zero Number is 0.
type Number struct {
	rat *big.Rat
	f   float64
}

// Decimal returns the number that text writes, such as "-472.53" or "1e6".
func Decimal(text string) (Number, error) {
	if len(text) > 64 || strings.ContainsAny(text, "/_xXpPbBoO") {
		return Number{}, dossier.Errorf(dossier.Invalid, "%.40q is not a decimal number.", text)
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(text[i+1:]); err != nil || exp > 300 || exp < -300 {
			return Number{}, dossier.Errorf(dossier.Invalid, "%.40q is not a decimal number.", text)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return Number{}, dossier.Errorf(dossier.Invalid, "%.40q is not a decimal number.", text)
	}
	return fromRat(r), nil
}

// Float returns v as the shortest decimal that reads back as v, which is the
// decimal a file or a JSON text held. Not-a-number and infinities become 0.
func Float(v float64) Number {
	n, err := Decimal(strconv.FormatFloat(v, 'g', -1, 64))
	if err != nil {
		return Number{}
	}
	return n
}

// Int returns v.
func Int(v int) Number { return fromRat(new(big.Rat).SetInt64(int64(v))) }

func fromRat(r *big.Rat) Number {
	f, _ := r.Float64()
	return Number{rat: r, f: f}
}

func (n Number) exact() *big.Rat {
	if n.rat == nil {
		return new(big.Rat)
	}
	return n.rat
}

// Float64 returns the nearest float.
func (n Number) Float64() float64 { return n.f }

// Sign returns -1, 0 or 1.
func (n Number) Sign() int { return n.exact().Sign() }

// Round returns n rounded half-even to places digits after the point, as text.
// Negative places round to tens, hundreds and so on.
func (n Number) Round(places int) string {
	q := roundHalfEven(n.exact(), places)
	if places < 0 {
		places = 0
	}
	return q.FloatString(places)
}

// String returns n in full, or with twelve decimals where it has no end.
func (n Number) String() string {
	if digits, exact := n.exact().FloatPrec(); exact {
		return n.exact().FloatString(digits)
	}
	return n.exact().FloatString(12)
}

// MarshalJSON writes n as a JSON number.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON reads a JSON number.
func (n *Number) UnmarshalJSON(b []byte) error {
	var lit json.Number
	if err := json.Unmarshal(b, &lit); err != nil {
		return err
	}
	v, err := Decimal(lit.String())
	*n = v
	return err
}

var ten = big.NewInt(10)

// pow10 returns 10^n for any n.
func pow10(n int) *big.Rat {
	p := new(big.Int).Exp(ten, big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// roundHalfEven rounds x to places decimals; a tie goes to the even digit.
func roundHalfEven(x *big.Rat, places int) *big.Rat {
	scaled := new(big.Rat).Mul(x, pow10(places))
	q, r := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	twice := new(big.Int).Abs(r)
	twice.Lsh(twice, 1)
	switch c := twice.Cmp(scaled.Denom()); {
	case c > 0 || c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(int64(scaled.Sign())))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(q), pow10(-places))
}

// truncate drops every digit after places.
func truncate(x *big.Rat, places int) *big.Rat {
	scaled := new(big.Rat).Mul(x, pow10(places))
	q := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).Mul(new(big.Rat).SetInt(q), pow10(-places))
}

// Add returns n + m.
func (n Number) Add(m Number) Number { return fromRat(new(big.Rat).Add(n.exact(), m.exact())) }

// Sub returns n - m.
func (n Number) Sub(m Number) Number { return fromRat(new(big.Rat).Sub(n.exact(), m.exact())) }

// Abs returns n without its sign.
func (n Number) Abs() Number { return fromRat(new(big.Rat).Abs(n.exact())) }

// Cmp compares n with m and returns -1, 0 or 1.
func (n Number) Cmp(m Number) int { return n.exact().Cmp(m.exact()) }

// Percent returns n as a percentage of m, and false if m is 0.
func (n Number) Percent(m Number) (Number, bool) {
	if m.Sign() == 0 {
		return Number{}, false
	}
	q := new(big.Rat).Quo(n.exact(), m.exact())
	return fromRat(q.Mul(q, big.NewRat(100, 1))), true
}

// Div returns n divided by a count above 0.
func (n Number) Div(count int) Number {
	return fromRat(new(big.Rat).Quo(n.exact(), new(big.Rat).SetInt64(int64(count))))
}
