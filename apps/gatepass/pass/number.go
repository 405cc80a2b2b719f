package pass

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Number writes the nth pass of a year: GP-2026-0012. The sequence is written with at
// least four digits and grows beyond them when a year needs it.
func Number(year, n int) string { return fmt.Sprintf("GP-%04d-%04d", year, n) }

var (
	numberForm = regexp.MustCompile(`^GP-([0-9]{4})-([0-9]{4,7})$`)
	idForm     = regexp.MustCompile(`^pass-[0-9a-f]{8,16}$`)
)

// ParseNumber reads a pass number in its one canonical form, whatever the case of
// its letters, and returns it canonically. A sequence with superfluous zeros or
// zero itself is no number.
func ParseNumber(s string) (string, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	m := numberForm.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	year, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[2])
	if n == 0 || Number(year, n) != s {
		return "", false
	}
	return s, true
}

// IsID reports whether s has the form of a pass id.
func IsID(s string) bool { return idForm.MatchString(s) }

// joints stand between the parts of a number as people write it.
const joints = "-/_.#"

// AfterGP returns what follows the letters gp and a joint in word.
func AfterGP(word string) string { return strings.TrimLeft(strings.TrimPrefix(word, "gp"), joints) }

// ReadNumber reads a number as people write it in one word of lower case: gp-2026-0012,
// gp20260012, gp/2026/12.
func ReadNumber(word string) (string, bool) {
	rest := AfterGP(word)
	if !strings.HasPrefix(word, "gp") || len(rest) < 5 || !digits(rest[:4]) || rest[0] != '1' && rest[0] != '2' {
		return "", false
	}
	year, _ := strconv.Atoi(rest[:4])
	seq := strings.TrimLeft(rest[4:], joints)
	if !digits(seq) || len(seq) > 7 {
		return "", false
	}
	n, _ := strconv.Atoi(seq)
	if n == 0 || year < 1990 {
		return "", false
	}
	return Number(year, n), true
}

// Short reads a number of which only the end is said, as one of year; "" is none.
func Short(end string, year int) string {
	n, err := strconv.Atoi(end)
	if err != nil || n <= 0 || n > 9_999_999 {
		return ""
	}
	return Number(year, n)
}

// ShortAfterGP reads what follows gp as such an end, unless it is a year that lacks one.
func ShortAfterGP(end string, year int) string {
	if len(end) == 4 && strings.HasPrefix(end, "20") {
		return ""
	}
	return Short(end, year)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
