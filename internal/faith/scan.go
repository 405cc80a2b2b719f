package faith

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier/internal/faith/exact"
	"dossier/internal/faith/lex"
	"dossier/internal/faith/measure"
)

// A Kind says what a numeral is.
type Kind string

// The kinds of numerals.
const (
	Quantity  Kind = "quantity"  // a number, to be found in the facts
	Date      Kind = "date"      // a day, month or year
	Time      Kind = "time"      // a time of day
	ID        Kind = "id"        // a name with digits in it: "VP-102"
	Reference Kind = "reference" // "Figure 3"
)

// A mark is a numeral as it stands in a text.
type mark struct {
	kind       Kind
	start, end int
	text       string
	value      *big.Rat // magnitude as written, scale words included
	sign       int      // explicit: -1 or 1; 0 if no sign is written
	places     int      // digits after the point that the writing promises
	zeros      int      // trailing zeros before the point, which may be rounding
	unit       string   // "" if none is written
	hedge      hedge
	keys       []string // of a date
	all        bool     // every key must be known
}

func (m *mark) signed() *big.Rat {
	if m.sign < 0 {
		return new(big.Rat).Neg(m.value)
	}
	return m.value
}

// A scanner walks a text once, from token to token.
type scanner struct {
	text  string
	facts *Facts
	marks []mark
	names []mention
}

// chemical holds terms with digits that state no quantity.
var chemical = map[string]bool{
	"co2": true, "co2e": true, "co2-e": true, "ch4": true, "n2o": true, "h2": true, "h2o": true, "pm2.5": true,
	"pm10": true, "no2": true, "so2": true, "o3": true, "nh3": true, "o2": true,
}

var referenceWords = map[string]bool{
	"figure": true, "fig": true, "table": true, "section": true, "chart": true, "step": true, "annex": true,
	"appendix": true, "chapter": true, "page": true, "note": true, "article": true,
}

// scan finds every numeral of text, in order.
func scan(text string, facts *Facts) []mark {
	s := &scanner{text: text, facts: facts}
	s.run()
	return s.marks
}

func (s *scanner) run() {
	line := true
	for i := 0; i < len(s.text); {
		if n := s.skip(i); n > 0 {
			i += n
			line = false
			continue
		}
		b := s.text[i]
		if b == '\n' {
			line = true
			i++
			continue
		}
		if line {
			if n := listMarker(s.text[i:]); n > 0 {
				i += n
				continue
			}
			if b != ' ' && b != '\t' && b != '>' {
				line = false
			}
		}
		i += max(s.token(i), 1)
	}
}

// skip passes what is not prose: link targets, addresses and comments.
func (s *scanner) skip(i int) int {
	rest := s.text[i:]
	switch rest[0] {
	case ']':
		if strings.HasPrefix(rest, "](") {
			if j := strings.IndexByte(rest, ')'); j > 0 {
				return j + 1
			}
		}
	case 'h':
		if strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") {
			if j := strings.IndexAny(rest, " \n\t)>"); j > 0 {
				return j
			}
			return len(rest)
		}
	case '<':
		if strings.HasPrefix(rest, "<!--") {
			if j := strings.Index(rest, "-->"); j > 0 {
				return j + 3
			}
		}
	}
	return 0
}

// listMarker returns the length of "1. " or "2) " at the start of a line.
func listMarker(s string) int {
	i := 0
	for i < len(s) && i < 3 && lex.IsDigit(s[i]) {
		i++
	}
	if i == 0 || i+1 >= len(s) || s[i] != '.' && s[i] != ')' || s[i+1] != ' ' {
		return 0
	}
	return i + 2
}

// token reads what starts at i and returns its length.
func (s *scanner) token(i int) int {
	if i > 0 && s.joined(i) {
		_, n := utf8.DecodeRuneInString(s.text[i:])
		return n
	}
	if n := s.name(i); n > 0 {
		return n
	}
	rest := s.text[i:]
	if n, keys, all := lex.Date(rest); n > 0 && !s.measured(i+n) && !(i > 0 && isSign(s.text[:i])) {
		s.marks = append(s.marks, mark{kind: Date, start: i, end: i + n, text: rest[:n], keys: keys, all: all})
		return n
	}
	if lex.IsLetter(rest[0]) {
		return s.letters(i)
	}
	if lex.IsDigit(rest[0]) || rest[0] == '.' && len(rest) > 1 && lex.IsDigit(rest[1]) {
		return s.digits(i)
	}
	_, n := utf8.DecodeRuneInString(rest)
	return n
}

// joined reports whether the byte at i continues a word or number.
func (s *scanner) joined(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// measured reports whether a unit follows, so that four digits are no year.
func (s *scanner) measured(i int) bool {
	unit, _ := s.unit(i)
	return unit != "" || strings.HasPrefix(s.text[i:], ".") && len(s.text) > i+1 && lex.IsDigit(s.text[i+1]) ||
		s.scaleWord(i) > 0
}

func isSign(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	if r != '-' && r != '−' && r != '+' && r != '±' {
		return false
	}
	prev, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
	return !unicode.IsLetter(prev) && !unicode.IsDigit(prev)
}

// letters reads a word: a spelled number, an id, a reference or nothing of interest.
func (s *scanner) letters(i int) int {
	n := tokenLength(s.text[i:])
	text := s.text[i : i+n]
	if strings.ContainsAny(text, "0123456789") {
		if j := strings.LastIndexByte(text, '-'); j > 0 && allDigits(text[j+1:]) && lowerWord(text[:j]) {
			return j + 1 // "mid-2030": the digits stand for themselves
		}
		if !chemical[strings.ToLower(text)] {
			s.marks = append(s.marks, mark{kind: ID, start: i, end: i + n, text: text})
		}
		return n
	}
	w := lex.Word(s.text[i:])
	if referenceWords[strings.ToLower(w)] {
		if k := referenceNumber(s.text[i+len(w):]); k > 0 {
			end := i + len(w) + k
			s.marks = append(s.marks, mark{kind: Reference, start: i, end: end, text: s.text[i:end]})
			return end - i
		}
	}
	if v, k, ok := lex.Spelled(s.text[i:]); ok && !continues(s.text[i+k:]) && !s.fraction(i+k) {
		m := mark{kind: Quantity, start: i, end: i + k, value: new(big.Rat).SetInt64(v)}
		s.finish(&m)
		return m.end - i
	}
	return max(len(w), 1)
}

// continues reports whether a spelled number goes on as an ordinal or a fraction.
func continues(rest string) bool {
	if rest == "" || rest[0] != '-' {
		return rest != "" && lex.IsLetter(rest[0])
	}
	switch strings.ToLower(lex.Word(rest[1:])) {
	case "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth":
		return true
	}
	return false
}

func referenceNumber(s string) int {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '.') {
		i++
	}
	j := i
	for j < len(s) && (lex.IsDigit(s[j]) || s[j] == '.' && j+1 < len(s) && lex.IsDigit(s[j+1])) {
		j++
	}
	if i == 0 || j == i || j < len(s) && lex.IsLetter(s[j]) {
		return 0
	}
	return j
}

// tokenLength returns the length of a run of letters, digits and inner - _ . marks.
func tokenLength(s string) int {
	i := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
		case (r == '-' || r == '_' || r == '.') && i+1 < len(s) && (lex.IsDigit(s[i+1]) || lex.IsLetter(s[i+1])):
		default:
			return i
		}
		i += n
	}
	return i
}

// digits reads a number written in digits, or an id that begins with one.
func (s *scanner) digits(i int) int {
	if n := lex.Time(s.text[i:]); n > 0 {
		s.marks = append(s.marks, mark{kind: Time, start: i, end: i + n, text: s.text[i : i+n]})
		return n
	}
	n, literal, places, zeros := decimalAt(s.text[i:])
	end := i + n
	if end < len(s.text) && lex.IsLetter(s.text[end]) {
		if u, _ := s.unit(end); u == "" && !ordinalSuffix(s.text[end:]) {
			n = max(tokenLength(s.text[i:]), n)
			s.marks = append(s.marks, mark{kind: ID, start: i, end: i + n, text: s.text[i : i+n]})
			return n
		}
		if ordinalSuffix(s.text[end:]) {
			end += 2
		}
	}
	value, ok := new(big.Rat).SetString(literal)
	if !ok {
		return n
	}
	m := mark{kind: Quantity, start: i, end: end, value: value, places: places, zeros: zeros}
	s.finish(&m)
	return m.end - i
}

func ordinalSuffix(s string) bool {
	if len(s) < 2 || len(s) > 2 && lex.IsLetter(s[2]) {
		return false
	}
	return slices.Contains([]string{"st", "nd", "rd", "th"}, s[:2])
}

// decimalAt reads digits with group separators, a point and an exponent.
func decimalAt(s string) (length int, literal string, places, zeros int) {
	var b strings.Builder
	i := 0
	for i < len(s) {
		if lex.IsDigit(s[i]) {
			b.WriteByte(s[i])
			i++
			continue
		}
		g := groupSeparator(s[i:])
		if g == 0 || i == 0 || !groupFollows(s[i+g:], s[i] == ',') {
			break
		}
		i += g
	}
	whole := b.String()
	if i+1 < len(s) && s[i] == '.' && lex.IsDigit(s[i+1]) {
		b.WriteByte('.')
		for i++; i < len(s) && lex.IsDigit(s[i]); i++ {
			b.WriteByte(s[i])
			places++
		}
	}
	if places == 0 {
		zeros = len(whole) - len(strings.TrimRight(whole, "0"))
		if zeros == len(whole) {
			zeros = 0
		}
	}
	if e := exponent(s[i:]); e > 0 {
		b.WriteString(s[i : i+e])
		i += e
	}
	return i, b.String(), places, zeros
}

func exponent(s string) int {
	i := 1
	if len(s) < 2 || s[0]|0x20 != 'e' {
		return 0
	}
	if s[1] == '+' || s[1] == '-' {
		i++
	}
	j := i
	for j < len(s) && j-i < 2 && lex.IsDigit(s[j]) {
		j++
	}
	if j == i || j < len(s) && (lex.IsLetter(s[j]) || lex.IsDigit(s[j])) {
		return 0
	}
	return j
}

func groupSeparator(s string) int {
	for _, sep := range []string{",", "\u202f", "\u2009", "\u00a0", "'"} {
		if strings.HasPrefix(s, sep) {
			return len(sep)
		}
	}
	return 0
}

// groupFollows accepts three digits, or (Indian grouping, with commas) two that
// another group follows.
func groupFollows(s string, comma bool) bool {
	n := 0
	for n < len(s) && lex.IsDigit(s[n]) {
		n++
	}
	return n == 3 || comma && n == 2 && strings.HasPrefix(s[2:], ",") && groupFollows(s[3:], true)
}

// finish adds the sign, scale word, unit and hedge around a number's digits.
func (s *scanner) finish(m *mark) {
	s.prefix(m)
	if n := s.scaleWord(m.end); n > 0 {
		w := strings.TrimLeft(s.text[m.end:m.end+n], " \u00a0-")
		exp := lex.ScaleWords[strings.ToLower(w)]
		m.value = new(big.Rat).Mul(m.value, exact.Pow10(exp))
		m.places -= exp
		m.end += n
	}
	if unit, n := s.unit(m.end); unit != "" {
		m.unit = cmp.Or(m.unit, unit)
		m.end += n
	}
	m.text = s.text[m.start:m.end]
	s.marks = append(s.marks, *m)
}

// prefix reads what stands before the digits: currency, sign, and words such as
// "about" and "minus".
func (s *scanner) prefix(m *mark) {
	before := s.text[:m.start]
	for _, cur := range []string{"US$", "A$", "$", "₹", "€", "£"} {
		if strings.HasSuffix(before, cur) {
			m.unit, before = cur, before[:len(before)-len(cur)]
			break
		}
	}
	r, n := utf8.DecodeLastRuneInString(before)
	switch r {
	case '-', '−', '–', '+':
		prev, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
		if unicode.IsLetter(prev) || unicode.IsDigit(prev) || prev == ')' || prev == '%' {
			break
		}
		m.sign = -1
		if r == '+' {
			m.sign = 1
		}
		before = before[:len(before)-n]
	}
	var cut int
	m.hedge, cut = hedgeBefore(before)
	if m.sign == 0 {
		switch lastWord(before[:len(before)-cut]) {
		case "minus", "negative":
			m.sign = -1
		case "plus":
			m.sign = 1
		}
	}
	m.start = len(before)
}

// scaleWord returns the length of a scale word (and the space before it) at i.
func (s *scanner) scaleWord(i int) int {
	gap := spaceLength(s.text[i:])
	if gap == 0 {
		return 0
	}
	w := lex.Word(s.text[i+gap:])
	if _, ok := lex.ScaleWords[strings.ToLower(w)]; !ok {
		return 0
	}
	return gap + len(w)
}

func spaceLength(s string) int {
	for _, sp := range []string{" ", "\u00a0", "\u202f", "\u2009", "-"} {
		if strings.HasPrefix(s, sp) {
			return len(sp)
		}
	}
	return 0
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func lowerWord(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// unit returns the longest unit at i (after at most one space or hyphen) and its
// length with that space.
func (s *scanner) unit(i int) (string, int) {
	if i >= len(s.text) {
		return "", 0
	}
	gap := spaceLength(s.text[i:])
	rest := s.text[i+gap:]
	best := ""
	if rest != "" {
		for _, u := range unitsByFirst[rest[0]] {
			if strings.HasPrefix(rest, u) && endsUnit(rest[len(u):], u) {
				best = u
				break
			}
		}
	}
	for u := range s.facts.extra {
		if len(u) > len(best) && strings.HasPrefix(rest, u) && endsUnit(rest[len(u):], u) {
			best = u
		}
	}
	if best == "" {
		return "", 0
	}
	return best, gap + len(best)
}

func endsUnit(rest, unit string) bool {
	last, _ := utf8.DecodeLastRuneInString(unit)
	next, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLetter(last) && !unicode.IsDigit(last) || !unicode.IsLetter(next) && !unicode.IsDigit(next)
}

// unitsByFirst holds the known units by first byte, the longest first.
var unitsByFirst = func() map[byte][]string {
	m := map[byte][]string{}
	for u := range measure.Known {
		if u != None {
			m[u[0]] = append(m[u[0]], u)
		}
	}
	for _, list := range m {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	}
	return m
}()
