package ingest

import (
	"strings"
	"unicode"
)

// digitWords are the spelled-out digits of English and of Hindi, in Latin letters and
// in Devanagari.
var digitWords = map[string]string{
	"zero": "0", "oh": "0", "nought": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
	"six": "6", "seven": "7", "eight": "8", "nine": "9",
	"shunya": "0", "sunya": "0", "ek": "1", "do": "2", "teen": "3", "tin": "3", "char": "4", "chaar": "4", "paanch": "5", "panch": "5",
	"chhah": "6", "chhe": "6", "che": "6", "chah": "6", "saat": "7", "sat": "7", "aath": "8", "ath": "8", "nau": "9", "no": "9",
	"शून्य": "0", "एक": "1", "दो": "2", "तीन": "3", "चार": "4", "पांच": "5", "पाँच": "5", "छह": "6", "छः": "6", "छे": "6",
	"सात": "7", "आठ": "8", "नौ": "9",
}

var repeats = map[string]int{"double": 2, "triple": 3, "treble": 3, "डबल": 2, "ट्रिपल": 3}

// spelledRun is how many digits in words, one after the other, are read as a number.
// Fewer may be plain prose: "one or two".
const spelledRun = 4

// A piece is a stretch of text: a word or what lies between words.
type piece struct {
	text string
	word bool
}

// spellDigits writes runs of spelled-out digits in figures: "nine eight double seven"
// becomes "9 8 77". Figures inside such a run count as part of it.
func spellDigits(text string) string {
	if !holdsDigitWord(text) {
		return text
	}
	pieces := split(text)
	var b strings.Builder
	for i := 0; i < len(pieces); {
		end, out, spelled := digitRun(pieces[i:])
		if spelled >= spelledRun {
			b.WriteString(out)
			i += end
			continue
		}
		b.WriteString(pieces[i].text)
		i++
	}
	return b.String()
}

func holdsDigitWord(text string) bool {
	n := 0
	for _, f := range strings.FieldsFunc(strings.ToLower(text), notWord) {
		if _, ok := digitWords[f]; ok {
			n++
		} else if repeats[f] > 0 {
			n += repeats[f]
		}
	}
	return n >= spelledRun
}

// digitRun reads a run of digits from the first piece on: how many pieces it spans,
// the run in figures, and how many of its digits were spelled out.
func digitRun(pieces []piece) (end int, out string, spelled int) {
	var b strings.Builder
	gap, times := "", 1
	for i, p := range pieces {
		word := strings.ToLower(p.text)
		digit, ok := digitWords[word]
		switch {
		case !p.word:
			if len(p.text) > 4 || i == 0 {
				return end, out, spelled
			}
			gap = p.text
			continue
		case repeats[word] > 0:
			times = repeats[word]
			continue
		case ok:
			spelled += times
			digit = strings.Repeat(digit, times)
		case isFigures(word):
			digit = strings.Repeat(word, times)
		default:
			return end, out, spelled
		}
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		b.WriteString(digit)
		end, out, times, gap = i+1, b.String(), 1, ""
	}
	return end, out, spelled
}

func isFigures(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// notWord reports whether r separates words. Marks belong to the letter before them,
// without which no Devanagari word holds together.
func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// split cuts text into words and what lies between them.
func split(text string) (out []piece) {
	start, word := 0, false
	for i, r := range text {
		if w := !notWord(r); w != word && i > start {
			out = append(out, piece{text[start:i], word})
			start, word = i, w
		} else {
			word = w
		}
	}
	if start < len(text) {
		out = append(out, piece{text[start:], word})
	}
	return out
}
