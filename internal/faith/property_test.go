package faith_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dossier/internal/faith"
)

// A figure is a random fact and what is needed to render it honestly.
type figure struct {
	cents  int64 // hundredths
	unit   string
	change bool
}

func figures(t *rapid.T) []figure {
	unit := rapid.SampledFrom([]string{"Mt CO₂-e", "PJ", "%", "km", faith.None})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) figure {
		return figure{rapid.Int64Range(-99_999_999, 99_999_999).Draw(t, "cents"), unit.Draw(t, "unit"), rapid.Bool().Draw(t, "change")}
	}), 1, 20).Draw(t, "figures")
}

func factsOf(list []figure) *faith.Facts {
	f := &faith.Facts{}
	for i, fig := range list {
		n, _ := faith.Decimal(fmt.Sprintf("%de-2", fig.cents))
		f.Add(faith.Fact{
			Ref: faith.Ref{Evidence: "EVD-1", Path: fmt.Sprintf("/%d", i)}, Value: n, Unit: fig.unit, Change: fig.change,
		})
	}
	return f
}

// round is an independent half-even rounding of hundredths to 0, 1 or 2 places.
func round(cents int64, places int) int64 {
	div := []int64{100, 10, 1}[places]
	q, r := cents/div, cents%div
	if r < 0 {
		q, r = q-1, r+div
	}
	if 2*r > div || 2*r == div && q%2 != 0 {
		q++
	}
	return q
}

// digits writes a magnitude of places decimals, with separators if asked.
func digits(scaled int64, places int, grouped bool) string {
	div := []int64{1, 10, 100}[places]
	whole := fmt.Sprint(scaled / div)
	if grouped {
		var b strings.Builder
		for i, c := range whole {
			if i > 0 && (len(whole)-i)%3 == 0 {
				b.WriteByte(',')
			}
			b.WriteRune(c)
		}
		whole = b.String()
	}
	if places == 0 {
		return whole
	}
	return fmt.Sprintf("%s.%0*d", whole, places, scaled%div)
}

// render writes a figure honestly in one of several ways.
func render(t *rapid.T, fig figure) (before, number, after string) {
	places := rapid.IntRange(0, 2).Draw(t, "places")
	v := round(fig.cents, places)
	mag := max(v, -v)
	number = digits(mag, places, rapid.Bool().Draw(t, "grouped"))
	if fig.unit == faith.None {
		after = " in all"
	} else {
		after = rapid.SampledFrom([]string{" ", "\u00a0"}).Draw(t, "space") + fig.unit
	}
	switch style := rapid.IntRange(0, 2).Draw(t, "style"); {
	case v < 0 && style == 0:
		before = "The figure moves by −"
	case v < 0 && style == 1:
		before = "The figure is -"
	case v < 0:
		before = "It falls by "
	case style == 0 && v > 0:
		before = "It is +"
	case fig.change:
		before = "It rises by "
	default:
		before = "The figure stands at "
	}
	return before, number, after + "."
}

func TestAnHonestRenderingPasses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := figures(t)
		fig := rapid.SampledFrom(list).Draw(t, "stated")
		before, number, after := render(t, fig)
		text := before + number + after
		if r := faith.Check(text, factsOf(list)); !r.OK() || len(r.Numerals) != 1 {
			t.Fatalf("honest %q of %+v refused: %+v", text, fig, r.Numerals)
		}
	})
}

func TestAChangedDigitFails(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := figures(t)
		fig := rapid.SampledFrom(list).Draw(t, "stated")
		before, number, after := render(t, fig)
		changed := changeDigit(t, number)
		if explained(list, changed) || isYear(changed) {
			t.Skip("another fact has these digits")
		}
		text := before + changed + after
		if r := faith.Check(text, factsOf(list)); r.OK() {
			t.Fatalf("%q passes, and %q was the fact: %+v", text, number, r.Numerals)
		}
	})
}

func changeDigit(t *rapid.T, number string) string {
	var at []int
	for i := range len(number) {
		if number[i] >= '0' && number[i] <= '9' {
			at = append(at, i)
		}
	}
	i := rapid.SampledFrom(at).Draw(t, "position")
	d := byte('0' + rapid.IntRange(0, 9).Draw(t, "digit"))
	if d == number[i] {
		d = '0' + (d-'0'+1)%10
	}
	return number[:i] + string(d) + number[i+1:]
}

// explained reports whether some fact rounds to the digits at their precision.
func explained(list []figure, number string) bool {
	plain := strings.ReplaceAll(number, ",", "")
	places := 0
	if i := strings.IndexByte(plain, '.'); i >= 0 {
		places = len(plain) - i - 1
	}
	want, _ := new(big.Rat).SetString(plain)
	for _, fig := range list {
		for _, scale := range []int64{1, 100} { // a ratio may be written as a percentage
			v := round(scale*fig.cents, places)
			if big.NewRat(max(v, -v), []int64{1, 10, 100}[places]).Cmp(want) == 0 {
				return true
			}
		}
	}
	return false
}

func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20" || s[:2] == "21") }

// TestNumbersAgree compares short and long numbers with fractions of whole numbers.
func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	literal := rapid.StringMatching(`-?[0-9]{1,16}(\.[0-9]{1,11})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := literal.Draw(t, "a"), literal.Draw(t, "b")
		x, err1 := faith.Decimal(a)
		y, err2 := faith.Decimal(b)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		same := func(what string, got faith.Number, want *big.Rat) {
			if is, ok := new(big.Rat).SetString(got.String()); !ok || is.Cmp(want) != 0 {
				t.Fatalf("%s of %s and %s is %s, want %s", what, a, b, got, want.FloatString(12))
			}
		}
		same("sum", x.Add(y), new(big.Rat).Add(p, q))
		same("difference", x.Sub(y), new(big.Rat).Sub(p, q))
		same("size", x.Abs(), new(big.Rat).Abs(p))
		if pct, ok := x.Percent(y); ok != (q.Sign() != 0) || ok && pct.Rat().Cmp(new(big.Rat).Mul(big.NewRat(100, 1), new(big.Rat).Quo(p, q))) != 0 {
			t.Fatalf("%s is %s %% of %s", a, pct, b)
		}
		if x.Cmp(y) != p.Cmp(q) || x.Sign() != p.Sign() {
			t.Fatalf("%s and %s compare as %d", a, b, x.Cmp(y))
		}
		if got, want := x.Round(12), p.FloatString(12); got != want {
			t.Fatalf("%s with twelve decimals is %s, want %s", a, got, want)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add("Emissions fall by 472.53 Mt in 1p5DS, from 1,234.5 to −3 % on 30 June 2025 at 14:30.", `{"a":[1,2.5,"3 km"],"unit":"PJ"}`)
	f.Add("twenty-one hundred and five VP-102 2025–26 ~400 $1,00,000", `["2025-01-01T00:00:00Z"]`)
	f.Add("In 1p5DS more than half doubles from 1 to 2 km, the second-largest of two thirds, 3 times.", `[1,2,3]`)
	f.Add("\xff−1e9 million µg/m³ (Figure 3.1)", `"x"`)
	f.Fuzz(func(t *testing.T, text, evidence string) {
		facts := &faith.Facts{Claims: true}
		_ = facts.AddJSON("EVD-1", []byte(evidence))
		facts.Name("scenario", "1p5DS")
		last := 0
		for _, n := range faith.Check(text, facts).Numerals {
			if n.Start < last || n.End <= n.Start || n.End > len(text) || text[n.Start:n.End] != n.Text {
				t.Fatalf("numeral %+v does not lie in order in %q", n, text)
			}
			last = n.Start
		}
	})
}

func BenchmarkCheck1000Words(b *testing.B) {
	facts := &faith.Facts{}
	for i := range 2000 {
		facts.Add(faith.Fact{
			Ref: faith.Ref{Evidence: "EVD-1", Path: fmt.Sprintf("/%d", i)}, Value: faith.Float(float64(i) * 1.37), Unit: "Mt CO₂-e",
			Names: map[string]string{"scenario": []string{"Alpha-1p5DS", "Beta-2p5DS"}[i%2]},
		})
	}
	facts.Name("scenario", "Alpha-1p5DS")
	facts.Name("scenario", "Beta-2p5DS")
	sentence := "Emissions in Alpha-1p5DS stand at 274.00 Mt CO₂-e and reach 1,370.00 Mt CO₂-e by the end of the period, while transport and industry account for most. "
	text := strings.Repeat(sentence, 1000/len(strings.Fields(sentence))+1)
	faith.Check(text, facts)
	b.ReportAllocs()
	for b.Loop() {
		faith.Check(text, facts)
	}
}
