package spelling

import (
	"strings"
	"unicode"
)

// NameFits reports whether every word of said occurs in person.
func NameFits(said, person string) bool {
	person = strings.ToLower(person)
	parts := strings.FieldsFunc(person, func(r rune) bool { return unicode.IsSpace(r) })
	n := 0
	for w := range strings.FieldsSeq(strings.ToLower(said)) {
		found := false
		for _, p := range parts {
			if p == w || len(w) >= 4 && strings.HasPrefix(p, w) || strings.HasSuffix(p, "'"+w) {
				found = true
			}
		}
		if !found {
			return false
		}
		n++
	}
	return n > 0
}

// Capitalise writes a name that was written small with capital letters.
func Capitalise(name string) string {
	if name != strings.ToLower(name) {
		return name
	}
	out := []rune(name)
	start := true
	for i, r := range out {
		if start {
			out[i] = unicode.ToUpper(r)
		}
		start = r == ' ' || r == '\''
	}
	return string(out)
}
