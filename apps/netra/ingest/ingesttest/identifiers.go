// Package ingesttest makes synthetic personal identifiers for tests of redaction. Every
// value is random and belongs to nobody; each comes in the plain form and in the ways
// people disguise it. A test throws them at an input and asks [Identifier.SurvivesIn]
// of every output. The package is for tests and imports nothing of the product.
package ingesttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
)

// An Identifier is one synthetic identifier as a text would write it.
type Identifier struct {
	Class string   // phone, email, id, pan, handle, plate or url
	Form  string   // how it is disguised
	Text  string   // as written
	Cores []string // squeezed forms, any of which gives the identifier away
}

// SurvivesIn reports whether the identifier can be read in output, whatever stands
// between its characters.
func (id Identifier) SurvivesIn(output string) bool {
	return len(Survivors([]Identifier{id}, output)) > 0
}

// headLen is how many bytes of a squeezed form it is looked up by; none is shorter.
const headLen = 6

// Survivors returns the identifiers that can be read in output, in the order of ids. It
// looks at every place of output once, however many identifiers there are.
func Survivors(ids []Identifier, output string) (out []Identifier) {
	type form struct {
		text string
		id   int
	}
	heads := map[string][]form{}
	for i, id := range ids {
		for _, c := range append([]string{squeeze(id.Text)}, id.Cores...) {
			heads[c[:headLen]] = append(heads[c[:headLen]], form{c, i})
		}
	}
	squeezed := squeeze(output)
	found := make([]bool, len(ids))
	for i := 0; i+headLen <= len(squeezed); i++ {
		for _, f := range heads[squeezed[i:i+headLen]] {
			found[f.id] = found[f.id] || strings.HasPrefix(squeezed[i:], f.text)
		}
	}
	for i, id := range ids {
		if found[i] {
			out = append(out, id)
		}
	}
	return out
}

// squeeze keeps letters and digits, folded, with digits of every script as 0 to 9.
func squeeze(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Nd, r):
			b.WriteRune(plain(r))
		case unicode.IsLetter(r) || unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain returns the ASCII digit for the scripts used here.
func plain(r rune) rune {
	for _, zero := range []rune{devanagari, bengali, meetei, wide} {
		if r >= zero && r <= zero+9 {
			return '0' + r - zero
		}
	}
	return r
}

const (
	devanagari = '०'
	bengali    = '০'
	meetei     = '꯰'
	wide       = '０'
)

var english = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
var hindi = []string{"शून्य", "एक", "दो", "तीन", "चार", "पांच", "छह", "सात", "आठ", "नौ"}
var hinglish = []string{"shunya", "ek", "do", "teen", "char", "paanch", "chhe", "saat", "aath", "nau"}

// All returns n values of every form of every class.
func All(seed uint64, n int) (out []Identifier) {
	r := rand.New(rand.NewPCG(seed, 7))
	for range n {
		out = append(out, phones(r)...)
		out = append(out, aadhaars(r)...)
		out = append(out, emails(r)...)
		out = append(out, pans(r)...)
		out = append(out, handles(r)...)
		out = append(out, plates(r)...)
		out = append(out, urls(r)...)
	}
	return out
}

func digits(r *rand.Rand, first string, n int) string {
	b := []byte{first[r.IntN(len(first))]}
	for len(b) < n {
		b = append(b, byte('0'+r.IntN(10)))
	}
	return string(b)
}

func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "bcdfghjkmnpqrtvwz"[r.IntN(17)]
	}
	return string(b)
}

func shift(s string, zero rune) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return zero + c - '0'
		}
		return c
	}, s)
}

func spell(s string, words []string, between string) string {
	var out []string
	for _, c := range s {
		out = append(out, words[c-'0'])
	}
	return strings.Join(out, between)
}

func spaced(s, between string) string { return strings.Join(strings.Split(s, ""), between) }

func phones(r *rand.Rand) []Identifier {
	form := func(name string, write func(p string) string) Identifier {
		p := digits(r, "6789", 10)
		return Identifier{"phone", name, write(p), []string{p, spell(p, english, ""), spell(p, hindi, ""), spell(p, hinglish, "")}}
	}
	return []Identifier{
		form("plain", func(p string) string { return p }),
		form("country code", func(p string) string { return "+91 " + p[:5] + " " + p[5:] }),
		form("country code tight", func(p string) string { return "+91" + p }),
		form("0091", func(p string) string { return "0091-" + p }),
		form("trunk zero", func(p string) string { return "0" + p }),
		form("hyphens", func(p string) string { return p[:3] + "-" + p[3:6] + "-" + p[6:] }),
		form("dots", func(p string) string { return spaced(p, ".") }),
		form("spaces", func(p string) string { return spaced(p, " ") }),
		form("slashes", func(p string) string { return p[:5] + " / " + p[5:] }),
		form("brackets", func(p string) string { return "(" + p[:5] + ") " + p[5:] }),
		form("underscores", func(p string) string { return spaced(p, "_") }),
		form("devanagari", func(p string) string { return shift(p, devanagari) }),
		form("devanagari spaced", func(p string) string { return shift(p[:5]+" "+p[5:], devanagari) }),
		form("bengali", func(p string) string { return shift(p, bengali) }),
		form("meetei", func(p string) string { return shift(p, meetei) }),
		form("wide", func(p string) string { return shift(p, wide) }),
		form("mixed scripts", func(p string) string { return shift(p[:4], devanagari) + p[4:] }),
		form("english words", func(p string) string { return spell(p, english, " ") }),
		form("english words with commas", func(p string) string { return spell(p, english, ", ") }),
		form("english words with hyphens", func(p string) string { return spell(p, english, "-") }),
		form("hindi words", func(p string) string { return spell(p, hindi, " ") }),
		form("hinglish words", func(p string) string { return spell(p, hinglish, " ") }),
		form("words and figures", func(p string) string { return spell(p[:6], english, " ") + " " + spaced(p[6:], " ") }),
		form("invisible", func(p string) string { return spaced(p, "\u200b") }),
		form("no-break spaces", func(p string) string { return p[:5] + "\u00a0" + p[5:] }),
		form("lines", func(p string) string { return p[:5] + "\n" + p[5:] }),
		form("capital O for zero", func(p string) string { return strings.ReplaceAll(p, "0", "O") }),
	}
}

func aadhaars(r *rand.Rand) []Identifier {
	form := func(name string, write func(p string) string) Identifier {
		p := digits(r, "23456789", 12)
		return Identifier{"id", name, write(p), []string{p, spell(p, english, ""), spell(p, hindi, "")}}
	}
	four := func(p, by string) string { return p[:4] + by + p[4:8] + by + p[8:] }
	return []Identifier{
		form("plain", func(p string) string { return p }),
		form("groups", func(p string) string { return four(p, " ") }),
		form("hyphens", func(p string) string { return four(p, "-") }),
		form("dots", func(p string) string { return four(p, ".") }),
		form("spaced", func(p string) string { return spaced(p, " ") }),
		form("devanagari", func(p string) string { return shift(four(p, " "), devanagari) }),
		form("bengali", func(p string) string { return shift(four(p, " "), bengali) }),
		form("english words", func(p string) string { return spell(p, english, " ") }),
		form("hindi words", func(p string) string { return spell(p, hindi, " ") }),
		form("invisible", func(p string) string { return four(p, "\u200d") }),
	}
}

func emails(r *rand.Rand) []Identifier {
	form := func(name string, write func(user, host string) string) Identifier {
		user, host := letters(r, 8), letters(r, 6)
		return Identifier{"email", name, write(user, host), []string{user}}
	}
	return []Identifier{
		form("plain", func(u, h string) string { return u + "@" + h + ".com" }),
		form("dotted", func(u, h string) string { return u + ".x@mail." + h + ".co.in" }),
		form("upper case", func(u, h string) string { return strings.ToUpper(u + "@" + h + ".in") }),
		form("brackets", func(u, h string) string { return u + " [at] " + h + " [dot] in" }),
		form("tight brackets", func(u, h string) string { return u + "[at]" + h + "[dot]com" }),
		form("round brackets", func(u, h string) string { return u + "(at)" + h + "(dot)com" }),
		form("braces", func(u, h string) string { return u + " {at} " + h + " {dot} org" }),
		form("spoken", func(u, h string) string { return u + " at " + h + " dot com" }),
		form("spoken upper case", func(u, h string) string { return u + " AT " + h + " DOT IN" }),
		form("half spoken", func(u, h string) string { return u + " at " + h + ".com" }),
		form("at the rate", func(u, h string) string { return u + " at the rate " + h + ".com" }),
		form("spaced", func(u, h string) string { return u + " @ " + h + " . com" }),
		form("wide at", func(u, h string) string { return u + "＠" + h + ".com" }),
		form("payment id", func(u, h string) string { return u + "@ok" + h }),
		form("invisible", func(u, h string) string { return u + "\u200b@" + h + ".com" }),
	}
}

func pans(r *rand.Rand) []Identifier {
	form := func(name string, write func(a, d, z string) string) Identifier {
		a, d, z := strings.ToUpper(letters(r, 5)), digits(r, "123456789", 4), strings.ToUpper(letters(r, 1))
		low := strings.ToLower(a)
		return Identifier{"pan", name, write(a, d, z), []string{low + d + strings.ToLower(z), low + spell(d, english, "") + strings.ToLower(z)}}
	}
	return []Identifier{
		form("plain", func(a, d, z string) string { return a + d + z }),
		form("lower case", func(a, d, z string) string { return strings.ToLower(a + d + z) }),
		form("hyphens", func(a, d, z string) string { return a + "-" + d + "-" + z }),
		form("spaces", func(a, d, z string) string { return a + " " + d + " " + z }),
		form("spaced out", func(a, d, z string) string { return spaced(a+d+z, " ") }),
		form("dots", func(a, d, z string) string { return spaced(a+d+z, ".") }),
		form("devanagari", func(a, d, z string) string { return a + shift(d, devanagari) + z }),
		form("spoken digits", func(a, d, z string) string { return a + " " + spell(d, english, " ") + " " + z }),
		form("invisible", func(a, d, z string) string { return a + "\u200b" + d + "\u200b" + z }),
	}
}

func handles(r *rand.Rand) []Identifier {
	form := func(name string, write func(h string) string) Identifier {
		h := letters(r, 9)
		return Identifier{"handle", name, write(h), []string{h}}
	}
	return []Identifier{
		form("plain", func(h string) string { return "@" + h }),
		form("underscore", func(h string) string { return "@" + h + "_77" }),
		form("upper case", func(h string) string { return "@" + strings.ToUpper(h) }),
		form("space", func(h string) string { return "@ " + h }),
		form("wide", func(h string) string { return "＠" + h }),
		form("brackets", func(h string) string { return "[at]" + h }),
		form("spoken", func(h string) string { return "at the rate " + h }),
		form("dotted", func(h string) string { return "@" + h + ".official" }),
	}
}

func plates(r *rand.Rand) []Identifier {
	form := func(name string, write func(s, d, l, n string) string) Identifier {
		s := []string{"AS", "MN", "ML", "MZ", "NL", "SK", "TR", "AR", "DL"}[r.IntN(9)]
		d, l, n := fmt.Sprintf("%02d", 1+r.IntN(30)), strings.ToUpper(letters(r, 2)), digits(r, "123456789", 4)
		return Identifier{"plate", name, write(s, d, l, n), []string{strings.ToLower(s + d + l + n)}}
	}
	bharat := func(name, between string) Identifier {
		parts := []string{fmt.Sprintf("%02d", 21+r.IntN(6)), "BH", digits(r, "123456789", 4), strings.ToUpper(letters(r, 2))}
		return Identifier{"plate", name, strings.Join(parts, between), []string{strings.ToLower(strings.Join(parts, ""))}}
	}
	return []Identifier{
		bharat("all India", ""), bharat("all India, spaces", " "), bharat("all India, hyphens", "-"),
		form("plain", func(s, d, l, n string) string { return s + d + l + n }),
		form("spaces", func(s, d, l, n string) string { return s + " " + d + " " + l + " " + n }),
		form("hyphens", func(s, d, l, n string) string { return s + "-" + d + "-" + l + "-" + n }),
		form("dots", func(s, d, l, n string) string { return s + "." + d + "." + l + "." + n }),
		form("lower case", func(s, d, l, n string) string { return strings.ToLower(s + d + l + n) }),
		form("lower case spaced", func(s, d, l, n string) string { return strings.ToLower(s + " " + d + " " + l + " " + n) }),
		form("spaced out", func(s, d, l, n string) string { return spaced(s+d+l+n, " ") }),
		form("devanagari", func(s, d, l, n string) string { return s + shift(d, devanagari) + l + shift(n, devanagari) }),
		form("invisible", func(s, d, l, n string) string { return s + "\u200b" + d + l + "\u200b" + n }),
	}
}

func urls(r *rand.Rand) []Identifier {
	form := func(name string, write func(u string) string) Identifier {
		u := letters(r, 9)
		return Identifier{"url", name, write(u), []string{u}}
	}
	return []Identifier{
		form("twitter", func(u string) string { return "https://twitter.com/" + u + "/status/12345" }),
		form("x", func(u string) string { return "https://x.com/" + u }),
		form("facebook", func(u string) string { return "https://www.facebook.com/" + u }),
		form("instagram bare", func(u string) string { return "instagram.com/" + u }),
		form("telegram", func(u string) string { return "https://t.me/" + u }),
		form("user info", func(u string) string { return "https://" + u + ":pw@example.org/news" }),
		form("at path", func(u string) string { return "https://video.example.org/@" + u }),
		form("profile path", func(u string) string { return "https://example.org/profile/" + u }),
		form("query", func(u string) string { return "https://example.org/page?user=" + u }),
		form("tilde", func(u string) string { return "https://example.org/~" + u + "/x" }),
		form("defanged", func(u string) string { return "hxxps://twitter[.]com/" + u }),
		form("spoken", func(u string) string { return "twitter dot com slash " + u }),
		form("youtube", func(u string) string { return "https://www.youtube.com/@" + u }),
	}
}
