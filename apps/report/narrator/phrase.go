package narrator

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

// amount writes a number with its unit: at most two decimals, groups of three,
// a true minus sign, and millions where it is long.
func amount(v faith.Number, unit string) string { return rounded(v, 2, unit) }

func rounded(v faith.Number, places int, unit string) string {
	suffix := " " + unit
	switch u := summary.FaithUnit(unit); {
	case u == "%":
		suffix = " %"
	case u == faith.None:
		if p, ok := v.Percent(faith.Int(1)); ok {
			v, suffix = p, " %"
		}
	case unit == "":
		suffix = ""
	}
	million := faith.Int(1_000_000)
	if v.Abs().Cmp(million) >= 0 {
		if p, ok := v.Percent(faith.Int(100_000_000)); ok { // v ÷ 10⁶
			v, suffix = p, " million"+suffix
		}
	}
	return digits(v, places) + suffix
}

// digits writes a number with groups of three and without needless zeros.
func digits(v faith.Number, places int) string {
	text := v.Abs().Round(places)
	whole, frac, _ := strings.Cut(text, ".")
	frac = strings.TrimRight(frac, "0")
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if frac != "" {
		b.WriteString("." + frac)
	}
	if v.Sign() < 0 && strings.Trim(b.String(), "0.,") != "" {
		return "−" + b.String()
	}
	return b.String()
}

// signedAmount writes a plus sign, too.
func signedAmount(v faith.Number, unit string) string {
	if v.Sign() > 0 {
		return "+" + amount(v, unit)
	}
	return amount(v, unit)
}

// inPercent writes a part's relative change in brackets, if it has one worth telling.
func inPercent(p *summary.Part) string {
	if p.Percent == nil || p.Percent.Abs().Cmp(faith.Int(1000)) > 0 {
		return ""
	}
	text := digits(*p.Percent, 1)
	if text == "0" {
		return ""
	}
	if p.Percent.Sign() > 0 {
		text = "+" + text
	}
	return fmt.Sprintf(" (%s %%)", text)
}

func byAmount(v *faith.Number, unit, down, up string) string {
	if v.Sign() < 0 {
		return down + " " + amount(v.Abs(), unit)
	}
	return up + " " + amount(*v, unit)
}

func verb(way int) string {
	switch way {
	case -1:
		return "falls"
	case 1:
		return "rises"
	default:
		return "goes"
	}
}

// agree puts the verb in the plural where the label is one.
func agree(label string, way int) string {
	if plural(strings.ToLower(label)) {
		return strings.TrimSuffix(strings.Replace(verb(way), "goes", "gos", 1), "s")
	}
	return verb(way)
}

// plural reports whether a noun phrase takes a plural verb.
func plural(what string) bool {
	for _, after := range []string{" from ", " of ", " in "} {
		what, _, _ = strings.Cut(what, after)
	}
	return strings.HasSuffix(what, "s") && !strings.HasSuffix(what, "ss") && !strings.HasSuffix(what, "gas")
}

func numbered(many bool, one, several string) string {
	if many {
		return several
	}
	return one
}

func downUp(v faith.Number) string {
	if v.Sign() < 0 {
		return "down"
	}
	return "up"
}

// subject turns a chart's title into a noun phrase: "Net Emissions by Sector" becomes
// "net emissions".
func subject(title, unit string, several bool) string {
	if i := strings.Index(strings.ToLower(title), " by "); i > 0 {
		title = title[:i]
	}
	words := strings.Fields(title)
	for i, w := range words {
		if strings.ToUpper(w) != w {
			words[i] = strings.ToLower(w)
		}
	}
	text := strings.Join(words, " ")
	if several {
		text += " in " + unit
	}
	return text
}

func quoted(s string) string { return "“" + s + "”" }

func capital(s string) string {
	if s == "" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return capital(s) + "."
}

// join lists things: "a", "a and b", "a, b and c".
func join(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	default:
		return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	}
}

func spell(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
