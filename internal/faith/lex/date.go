package lex

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const monthNames = `(January|February|March|April|May|June|July|August|September|October|November|December|` +
	`Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.?`

// datePatterns are tried at the start of a token, the longest first.
var datePatterns = []struct {
	re   *regexp.Regexp
	keys func(g []string) []string
	all  bool // every key must be known, not the first alone
}{
	{regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`), func(g []string) []string {
		keys := dayKeys(g[1], g[2], g[3])
		if g[4] != "" {
			keys = append(keys, g[4])
		}
		return keys
	}, false},
	{regexp.MustCompile(`^(\d{1,2})[/.](\d{1,2})[/.](\d{4})`), func(g []string) []string { return dayKeys(g[3], g[2], g[1]) }, false},
	{regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)? ` + monthNames + `,? (\d{4})`), func(g []string) []string {
		return dayKeys(g[3], monthNumber(g[2]), g[1])
	}, false},
	{regexp.MustCompile(`^` + monthNames + ` (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`), func(g []string) []string {
		return dayKeys(g[3], monthNumber(g[1]), g[2])
	}, false},
	{regexp.MustCompile(`^` + monthNames + ` (\d{4})`), func(g []string) []string {
		return []string{g[2] + "-" + monthNumber(g[1]), g[2]}
	}, false},
	{regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)? ` + monthNames), func(g []string) []string {
		return []string{monthNumber(g[2]) + "-" + two(g[1])}
	}, false},
	{regexp.MustCompile(`^` + monthNames + ` (\d{1,2})(?:st|nd|rd|th)?`), func(g []string) []string {
		return []string{monthNumber(g[1]) + "-" + two(g[2])}
	}, false},
	{regexp.MustCompile(`^(19\d\d|20\d\d|21\d\d)[-–/](\d\d)`), func(g []string) []string { return []string{g[1], g[1][:2] + g[2]} }, true},
	{regexp.MustCompile(`^(19\d\d|20\d\d|21\d\d)s?`), func(g []string) []string { return []string{g[1]} }, false},
}

var timePattern = regexp.MustCompile(`^([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?`)

// Date recognises a date at the start of s. The first key is the whole date; the
// others are what a coarser mention of it may say.
func Date(s string) (length int, keys []string, all bool) {
	if len(s) < 4 || !IsDigit(s[0]) && !monthStart(s[:3]) {
		return 0, nil, false
	}
	for _, p := range datePatterns {
		g := p.re.FindStringSubmatch(s)
		if g == nil || len(g[0]) < len(s) && (IsDigit(s[len(g[0])]) || IsLetter(s[len(g[0])])) {
			continue
		}
		if keys := p.keys(g); keys != nil {
			return len(g[0]), keys, p.all
		}
	}
	return 0, nil, false
}

// monthStart reports whether a token's first three letters begin a month.
func monthStart(s string) bool {
	i := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", s)
	return i >= 0 && i%3 == 0
}

// Time recognises a time of day at the start of s.
func Time(s string) int {
	g := timePattern.FindStringSubmatch(s)
	if g == nil || len(g[0]) < len(s) && IsDigit(s[len(g[0])]) {
		return 0
	}
	return len(g[0])
}

func dayKeys(year, month, day string) []string {
	m, err1 := strconv.Atoi(month)
	d, err2 := strconv.Atoi(day)
	if err1 != nil || err2 != nil || m < 1 || m > 12 || d < 1 || d > 31 {
		return nil
	}
	return []string{
		fmt.Sprintf("%s-%02d-%02d", year, m, d), fmt.Sprintf("%s-%02d", year, m), year, fmt.Sprintf("%02d-%02d", m, d),
	}
}

func monthNumber(name string) string {
	i := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", name[:3])
	return fmt.Sprintf("%02d", i/3+1)
}

func two(day string) string {
	if len(day) == 1 {
		return "0" + day
	}
	return day
}
