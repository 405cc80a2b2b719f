// Package lex reads what numbers and dates look like in prose: calendar dates in their
// usual spellings, times of day, and numbers written as words. Each function looks at
// the start of a text and returns how much of it it took; none knows what the text is
// about, and none looks further than it must.
package lex

import "strings"

// SmallWords are the numbers below twenty, and a dozen.
var SmallWords = map[string]int64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
	"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "dozen": 12,
}

var tensWords = map[string]int64{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// ScaleWords multiply the numeral before them.
var ScaleWords = map[string]int{
	"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "bn": 9, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7,
	"millions": 6, "billions": 9, "hundred": 2,
}

// Spelled reads a spelled number at the start of s, such as "twenty-one" or "three
// hundred and five", and returns its value and length. A bare "one" is a pronoun
// more often than a number and is left alone; so is a scale without a number.
func Spelled(s string) (value int64, length int, ok bool) {
	total, current, at, used := int64(0), int64(0), 0, 0
	words := 0
	for at < len(s) {
		w := Word(s[at:])
		lower := strings.ToLower(w)
		if w == "" {
			break
		}
		if lower == "and" && used > 0 && current >= 100 {
			at += len(w)
			at += separator(s[at:])
			continue
		}
		v, small := SmallWords[lower]
		t, tens := tensWords[lower]
		scale, big := ScaleWords[lower]
		switch {
		case small && current%10 == 0 && (current%100 != 10 || current == 0) && (v < 10 || current%100 == 0):
			current += v
		case tens && current%100 == 0:
			current += t
		case big && words > 0 && scale == 2:
			current *= 100
		case big && words > 0 && scale > 2 && scale <= 12:
			total, current = total+current*pow(scale), 0
		default:
			return finishWord(total+current, words, used, s)
		}
		words++
		at += len(w)
		used = at
		n := separator(s[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return finishWord(total+current, words, used, s)
}

func finishWord(value int64, words, used int, s string) (int64, int, bool) {
	if words == 0 || words == 1 && strings.EqualFold(s[:used], "one") {
		return 0, 0, false
	}
	return value, used, true
}

func pow(exp int) int64 {
	v := int64(1)
	for range exp {
		v *= 10
	}
	return v
}

// Word returns the run of ASCII letters at the start of s.
func Word(s string) string {
	i := 0
	for i < len(s) && IsLetter(s[i]) {
		i++
	}
	return s[:i]
}

// separator returns the length of the one space or hyphen between number words.
func separator(s string) int {
	if s != "" && (s[0] == ' ' || s[0] == '-') {
		return 1
	}
	return 0
}

// IsLetter reports whether b is an ASCII letter.
func IsLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// IsDigit reports whether b is an ASCII digit.
func IsDigit(b byte) bool { return b >= '0' && b <= '9' }
