package outline

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// readReview parses RATING and NOTES of a review comment and reports what is wrong.
func (o *Outline) readReview(s *Section, at span) {
	body := string(o.source[at.start:at.end])
	if strings.TrimSpace(body) == "" {
		return
	}
	ratingAt, notesAt := keyword(body, "RATING:"), keyword(body, "NOTES:")
	if ratingAt < 0 {
		o.problem(s, at.start, "The review has no RATING: line; write for example RATING: accuracy=4, clarity=5.")
		if notesAt < 0 {
			s.Notes = strings.TrimSpace(body)
			return
		}
	}
	if notesAt >= 0 {
		end := len(body)
		if ratingAt > notesAt {
			end = ratingAt
		}
		s.Notes = tidy(body[notesAt+len("NOTES:") : end])
	}
	if ratingAt >= 0 {
		end := len(body)
		if notesAt > ratingAt {
			end = notesAt
		}
		o.readRatings(s, at.start+ratingAt+len("RATING:"), body[ratingAt+len("RATING:"):end])
	}
}

// stray recognises what was meant as one of our comments.
var stray = regexp.MustCompile(`(?i)<!--\s*(?:section\s+)?(?:instruction|review)s?\b|^[ \t]*RATING:`)

// strays reports comments that look like instructions or a review and are read as
// neither: with another label, in a heading, indented like code, or broken by an empty
// line within a paragraph. What a fenced block shows is meant to be text.
func (o *Outline) strays(doc ast.Node) {
	fenced := map[int]bool{} // by where the line begins
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if f, ok := n.(*ast.FencedCodeBlock); ok && entering {
			for i := range f.Lines().Len() {
				fenced[o.lineStart(f.Lines().At(i).Start)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	for i := range o.Sections {
		s := &o.Sections[i]
		spans := append([]span{{o.lineStart(max(s.body.start-1, 0)), s.body.start}}, o.pieces(s)...)
		for _, p := range spans {
			at := p.start
			for line := range bytes.Lines(o.source[p.start:p.end]) {
				if found := stray.FindIndex(line); found != nil && !fenced[o.lineStart(at)] && !o.reported(o.line(at)) {
					o.problem(s, at+found[0], "This looks like instructions or a review and is read as neither. Put it on a line of its own, as <!-- Section instructions: … --> or <!-- Review comments: … -->.")
				}
				at += len(line)
			}
		}
	}
}

// reported says whether a line is known to hold a problem.
func (o *Outline) reported(line int) bool {
	return slices.ContainsFunc(o.Problems, func(p Problem) bool { return p.Line == line })
}

// keyword finds a label at the start of the body or of a line, in any case.
func keyword(body, label string) int {
	upper := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 32
		}
		return r
	}, body)
	for from := 0; ; {
		i := strings.Index(upper[from:], label)
		if i < 0 {
			return -1
		}
		i += from
		before := strings.TrimRight(body[:i], " \t")
		if before == "" || strings.HasSuffix(before, "\n") || label == "NOTES:" && strings.Contains(upper[:i], "RATING:") {
			return i
		}
		from = i + 1
	}
}

// readRatings parses "accuracy=4, clarity=5"; offset is where it stands in the text.
func (o *Outline) readRatings(s *Section, offset int, list string) {
	at := offset
	any := false
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		i := strings.Index(list[at-offset:], part)
		at += i
		o.readRating(s, at+leading(part), strings.TrimSpace(part), &any)
		at += len(part)
	}
	if !any {
		o.problem(s, offset, "RATING: is followed by no rating.")
	}
}

func leading(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r")) }

func (o *Outline) readRating(s *Section, at int, pair string, any *bool) {
	if pair == "" {
		return
	}
	*any = true
	key, value, ok := strings.Cut(pair, "=")
	key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
	n, err := strconv.Atoi(value)
	_, twice := s.Ratings[key]
	switch {
	case !ok:
		o.problem(s, at, "%q is not a rating; write a dimension, = and a number from 1 to 5.", pair)
	case !slices.Contains(Dimensions, key):
		o.problem(s, at, "%q is not a dimension; rate %s.", key, strings.Join(Dimensions, ", "))
	case err != nil:
		o.problem(s, at, "The rating of %s is %q, not a whole number.", key, value)
	case n < 1 || n > 5:
		o.problem(s, at, "The rating of %s is %d; it must lie between 1 and 5.", key, n)
	case twice:
		o.problem(s, at, "%s is rated twice; the first counts.", key)
	default:
		s.Ratings[key] = n
	}
}

// tidy removes the indentation and line ends of a comment's inner lines.
func tidy(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// A Note is one thing a reviewer asked for.
type Note struct {
	ID   string `json:"id"` // "N1", in the order of the notes
	Text string `json:"text"`
}

// SplitNotes returns the notes of a review one by one: each list item or sentence.
func SplitNotes(notes string) []Note {
	var out []Note
	add := func(s string) {
		if s = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(s), "-*•")); s != "" {
			out = append(out, Note{ID: "N" + strconv.Itoa(len(out)+1), Text: s})
		}
	}
	var paragraph strings.Builder
	flush := func() {
		for _, s := range splitSentences(paragraph.String()) {
			add(s)
		}
		paragraph.Reset()
	}
	for line := range strings.Lines(notes) {
		l := strings.TrimSpace(line)
		if strings.HasPrefix(l, "-") || strings.HasPrefix(l, "*") || strings.HasPrefix(l, "•") {
			flush()
			add(l)
			continue
		}
		paragraph.WriteString(l + " ")
	}
	flush()
	return out
}

// splitSentences cuts at full stops that a space and a capital follow.
func splitSentences(s string) []string {
	var out []string
	start := 0
	for i := 0; i+2 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z' {
			out = append(out, s[start:i+1])
			start = i + 2
		}
	}
	return append(out, s[start:])
}
