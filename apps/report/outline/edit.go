package outline

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"dossier"
)

// SetContent returns the outline's text with content as the draft of section id.
// Headings, comments and every other section stay as they are, byte for byte; an
// unchanged draft returns the very same text. Content that would add a heading or an
// instruction or review comment of its own is refused, for the outline could not be
// read back as it was.
func (o *Outline) SetContent(id, content string) ([]byte, error) {
	s, err := o.Section(id)
	if err != nil {
		return nil, err
	}
	content = strings.TrimSpace(strings.ReplaceAll(content, "\r\n", "\n"))
	if content == s.Content {
		return o.Source(), nil
	}
	out := o.splice(s, content)
	again, err := Parse(out)
	if err != nil {
		return nil, err
	}
	if problem := o.differs(again, id, content); problem != "" {
		return nil, dossier.Errorf(dossier.Invalid, "The draft of %q cannot be kept in the outline: %s", id, problem)
	}
	return out, nil
}

// splice puts content in place of the section's draft.
func (o *Outline) splice(s *Section, content string) []byte {
	nl := "\n"
	if bytes.Contains(o.source, []byte("\r\n")) {
		nl = "\r\n"
	}
	content = strings.ReplaceAll(content, "\n", nl)
	pieces := o.pieces(s)
	target := -1
	for i, p := range pieces {
		if strings.TrimSpace(string(o.source[p.start:p.end])) != "" {
			target = i
			break
		}
	}
	if target < 0 {
		target = len(pieces) - 1
	}
	var b bytes.Buffer
	b.Write(o.source[:s.body.start])
	if s.body.start > 0 && o.source[s.body.start-1] != '\n' {
		b.WriteString(nl)
	}
	for i, p := range pieces {
		old := o.source[p.start:p.end]
		switch {
		case i == target:
			b.Write(around(old, content, nl, p.end == len(o.source)))
		case strings.TrimSpace(string(old)) != "":
			b.WriteString(nl)
		default:
			b.Write(old)
		}
		if i < len(s.comments) {
			c := s.comments[i]
			b.Write(o.source[c.start:c.end])
		}
	}
	b.Write(o.source[s.body.end:])
	return b.Bytes()
}

// around keeps the white space at the edges of the old draft.
func around(old []byte, content, nl string, last bool) []byte {
	trimmed := bytes.TrimSpace(old)
	if len(trimmed) > 0 {
		i := bytes.Index(old, trimmed)
		return slices.Concat(old[:i], []byte(content), old[i+len(trimmed):])
	}
	if content == "" {
		return old
	}
	after := nl + nl
	if last {
		after = nl
	}
	return []byte(nl + nl + content + after)
}

// pieces are the stretches of a body outside its comments, in order; there is
// always one more than there are comments.
func (o *Outline) pieces(s *Section) []span {
	var out []span
	at := s.body.start
	for _, c := range s.comments {
		out = append(out, span{at, c.start})
		at = c.end
	}
	return append(out, span{at, s.body.end})
}

func (o *Outline) withoutComments(s *Section) string {
	var b strings.Builder
	for _, p := range o.pieces(s) {
		if piece := strings.TrimSpace(string(o.source[p.start:p.end])); piece != "" {
			if b.Len() > 0 {
				b.WriteString("\n\n")
			}
			b.WriteString(strings.ReplaceAll(piece, "\r\n", "\n"))
		}
	}
	return b.String()
}

// differs says what else than one section's draft changed, and "" if nothing did.
func (o *Outline) differs(again *Outline, id, content string) string {
	if len(again.Sections) != len(o.Sections) {
		return fmt.Sprintf("it would make %d sections of %d; leave headings out.", len(again.Sections), len(o.Sections))
	}
	for i := range o.Sections {
		was, is := o.Sections[i], again.Sections[i]
		want := was.Content
		if was.ID == id {
			want = content
		}
		switch {
		case was.ID != is.ID || was.Level != is.Level:
			return "it would change a heading."
		case was.Instructions != is.Instructions || was.Review != is.Review:
			return "it would change the instructions or the review of " + was.ID + "."
		case is.Content != want:
			return "it would not read back as written."
		}
	}
	return ""
}

// SetReview returns the outline's text with ratings and notes as the review of
// section id. Nothing else changes. Notes are kept as the comment can hold them: see
// [Kept].
func (o *Outline) SetReview(id string, ratings map[string]int, notes string) ([]byte, error) {
	s, err := o.Section(id)
	if err != nil {
		return nil, err
	}
	notes, nl := Kept(notes), "\n"
	if o.amidLine(s) { // where a new line would end what the comment stands in
		notes, nl = strings.ReplaceAll(notes, "\n", " "), " "
	}
	text, err := reviewText(ratings, notes, nl)
	if err != nil {
		return nil, err
	}
	out := o.withReview(s, text)
	again, err := Parse(out)
	if err != nil {
		return nil, err
	}
	is, err := again.Section(id)
	if err != nil || is.Notes != notes || !maps.Equal(is.Ratings, ratings) || is.Content != s.Content || len(again.Sections) != len(o.Sections) {
		return nil, dossier.Errorf(dossier.Invalid, "The review of %q cannot be kept in the outline, for it would not read back as written. Put the section's review comment on a line of its own.", id)
	}
	return out, nil
}

var (
	dashes = regexp.MustCompile(`-{2,}`)
	labels = regexp.MustCompile(`(?im)^(RATING|NOTES):`)
)

// Kept returns notes as a review comment holds them: trimmed, without empty lines, with
// a dash for two hyphens, which would end the comment, and with what begins like one of
// its labels as an item of a list.
func Kept(notes string) string {
	var lines []string
	for line := range strings.Lines(dashes.ReplaceAllString(notes, "–")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, labels.ReplaceAllString(line, "- $1:"))
		}
	}
	return strings.Join(lines, "\n")
}

// amidLine reports whether the section's review comment stands after other text or
// indentation.
func (o *Outline) amidLine(s *Section) bool {
	i := slices.IndexFunc(s.comments, func(c comment) bool { return c.kind == review })
	return i >= 0 && o.lineStart(s.comments[i].start) != s.comments[i].start
}

// withReview puts the text of a review where the section's stands, or where one belongs.
func (o *Outline) withReview(s *Section, text string) []byte {
	for _, c := range s.comments {
		if c.kind == review {
			return slices.Concat(o.source[:c.body.start], []byte(text), o.source[c.body.end:])
		}
	}
	line := "<!-- Review comments:" + text + "-->\n"
	at := s.body.start
	if len(s.comments) > 0 {
		at = o.lineEnd(s.comments[len(s.comments)-1].end)
	}
	if at > 0 && o.source[at-1] != '\n' {
		line = "\n" + line
	}
	return slices.Concat(o.source[:at], []byte(line), o.source[at:])
}

// reviewText writes a review as the comment holds it.
func reviewText(ratings map[string]int, notes, nl string) (string, error) {
	for key, n := range ratings {
		if !slices.Contains(Dimensions, key) {
			return "", dossier.Errorf(dossier.Invalid, "%q is not a dimension; rate %s.", key, strings.Join(Dimensions, ", "))
		}
		if n < 1 || n > 5 {
			return "", dossier.Errorf(dossier.Invalid, "The rating of %s is %d; it must lie between 1 and 5.", key, n)
		}
	}
	var pairs []string
	for _, d := range Dimensions {
		if n, ok := ratings[d]; ok {
			pairs = append(pairs, fmt.Sprintf("%s=%d", d, n))
		}
	}
	var b strings.Builder
	if len(pairs) > 0 {
		b.WriteString(" RATING: " + strings.Join(pairs, ", "))
	}
	if notes = strings.TrimSpace(notes); notes != "" {
		b.WriteString(nl + "NOTES: " + notes)
	}
	b.WriteByte(' ')
	return b.String(), nil
}
