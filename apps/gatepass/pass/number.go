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
