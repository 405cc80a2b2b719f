// Package exact holds decimal numbers as files write them, without a float's error:
// sums, differences and percentages come out as on paper, and rounding is half-even.
// Short numbers are two integers, long ones fractions; the caller never sees which.
// The package decides nothing about numbers. It only keeps them whole.
package exact

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"dossier"
)

// A Number is an exact decimal or a fraction of decimals. The zero Number is 0.
//
// Almost every number of a file is short, so it is held as coef ÷ 10^scale; rat is set
// for those that are not.
type Number struct {
	rat   *big.Rat
	coef  int64
	scale int8 // 0 to maxScale
}

const (
	maxScale = 9
	maxCoef  = 1 << 58 // two of them add up without overflow
)

var powers = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// Decimal returns the number that text writes, such as "-472.53" or "1e6".
func Decimal(text string) (Number, error) {
	if n, ok := short(text); ok {
		return n, nil
	}
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
	return FromRat(r), nil
}

// short reads a decimal of at most 17 digits, nine of them after the point.
func short(text string) (Number, bool) {
	var n Number
	i, digits, point := 0, 0, false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		i++
	}
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case b >= '0' && b <= '9':
			n.coef = n.coef*10 + int64(b-'0')
			digits++
			if point {
				n.scale++
			}
		case b == '.' && !point:
			point = true
		default:
			return Number{}, false
		}
		if digits > 17 || n.scale > maxScale {
			return Number{}, false
		}
	}
	if digits == 0 || point && n.scale == 0 {
		return Number{}, false
	}
	if text[0] == '-' {
		n.coef = -n.coef
	}
	return n, true
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
func Int(v int) Number {
	if v > -maxCoef && v < maxCoef {
		return Number{coef: int64(v)}
	}
	return FromRat(new(big.Rat).SetInt64(int64(v)))
}

// FromRat returns the number that r is. r must not change afterwards.
func FromRat(r *big.Rat) Number { return Number{rat: r} }

// Rat returns n as a fraction, which must not be changed.
func (n Number) Rat() *big.Rat {
	if n.rat == nil {
		return big.NewRat(n.coef, powers[n.scale])
	}
	return n.rat
}

// Float64 returns the nearest float.
func (n Number) Float64() float64 {
	if n.rat == nil {
		return float64(n.coef) / float64(powers[n.scale])
	}
	f, _ := n.rat.Float64()
	return f
}

// Sign returns -1, 0 or 1.
func (n Number) Sign() int {
	if n.rat == nil {
		return cmp.Compare(n.coef, 0)
	}
	return n.rat.Sign()
}

// aligned returns the coefficients of two short numbers at one scale, and false if
// either is long or they would overflow.
func aligned(n, m Number) (a, b int64, scale int8, ok bool) {
	if n.rat != nil || m.rat != nil {
		return 0, 0, 0, false
	}
	scale = max(n.scale, m.scale)
	fn, fm := powers[scale-n.scale], powers[scale-m.scale]
	if abs64(n.coef) > maxCoef/fn || abs64(m.coef) > maxCoef/fm {
		return 0, 0, 0, false
	}
	return n.coef * fn, m.coef * fm, scale, true
}

func abs64(v int64) int64 { return max(v, -v) }

// Round returns n rounded half-even to places digits after the point, as text.
// Negative places round to tens, hundreds and so on.
func (n Number) Round(places int) string {
	if n.rat == nil && places >= int(n.scale) {
		return n.fixed(int(n.scale), places)
	}
	q := RoundHalfEven(n.Rat(), places)
	if places < 0 {
		places = 0
	}
	return q.FloatString(places)
}

// String returns n in full, or with twelve decimals where it has no end.
func (n Number) String() string {
	if n.rat == nil {
		places := int(n.scale)
		for c := n.coef; places > 0 && c%10 == 0; c /= 10 {
			places--
		}
		n.coef /= powers[int(n.scale)-places]
		return n.fixed(places, places)
	}
	if digits, exact := n.Rat().FloatPrec(); exact {
		return n.Rat().FloatString(digits)
	}
	return n.Rat().FloatString(12)
}

// fixed writes a short number whose coefficient has scale decimals, with zeros up to
// places.
func (n Number) fixed(scale, places int) string {
	text := strconv.FormatInt(abs64(n.coef), 10)
	if len(text) <= scale {
		text = strings.Repeat("0", scale-len(text)+1) + text
	}
	if n.coef < 0 {
		text = "-" + text
	}
	if places == 0 {
		return text
	}
	cut := len(text) - scale
	return text[:cut] + "." + text[cut:] + strings.Repeat("0", places-scale)
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

// Pow10 returns 10^n for any n.
func Pow10(n int) *big.Rat {
	p := new(big.Int).Exp(ten, big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// RoundHalfEven rounds x to places decimals; a tie goes to the even digit.
func RoundHalfEven(x *big.Rat, places int) *big.Rat {
	scaled := new(big.Rat).Mul(x, Pow10(places))
	q, r := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	twice := new(big.Int).Abs(r)
	twice.Lsh(twice, 1)
	switch c := twice.Cmp(scaled.Denom()); {
	case c > 0 || c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(int64(scaled.Sign())))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(q), Pow10(-places))
}

// Truncate drops every digit after places.
func Truncate(x *big.Rat, places int) *big.Rat {
	scaled := new(big.Rat).Mul(x, Pow10(places))
	q := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).Mul(new(big.Rat).SetInt(q), Pow10(-places))
}

// Add returns n + m.
func (n Number) Add(m Number) Number {
	if a, b, scale, ok := aligned(n, m); ok {
		return Number{coef: a + b, scale: scale}
	}
	return FromRat(new(big.Rat).Add(n.Rat(), m.Rat()))
}

// Sub returns n - m.
func (n Number) Sub(m Number) Number {
	if a, b, scale, ok := aligned(n, m); ok {
		return Number{coef: a - b, scale: scale}
	}
	return FromRat(new(big.Rat).Sub(n.Rat(), m.Rat()))
}

// Abs returns n without its sign.
func (n Number) Abs() Number {
	if n.rat == nil {
		return Number{coef: abs64(n.coef), scale: n.scale}
	}
	return FromRat(new(big.Rat).Abs(n.rat))
}

// Cmp compares n with m and returns -1, 0 or 1.
func (n Number) Cmp(m Number) int {
	if a, b, _, ok := aligned(n, m); ok {
		return cmp.Compare(a, b)
	}
	return n.Rat().Cmp(m.Rat())
}

// Percent returns n as a percentage of m, and false if m is 0.
func (n Number) Percent(m Number) (Number, bool) {
	if m.Sign() == 0 {
		return Number{}, false
	}
	if a, b, _, ok := aligned(n, m); ok && abs64(a) < maxCoef/100 {
		return FromRat(new(big.Rat).SetFrac64(100*a, b)), true // one fraction is reduced, not four
	}
	q := new(big.Rat).Quo(n.Rat(), m.Rat())
	return FromRat(q.Mul(q, big.NewRat(100, 1))), true
}

// Div returns n divided by a count above 0.
func (n Number) Div(count int) Number {
	return FromRat(new(big.Rat).Quo(n.Rat(), new(big.Rat).SetInt64(int64(count))))
}
