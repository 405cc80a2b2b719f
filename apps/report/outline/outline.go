// Package outline reads and edits report outlines: Markdown whose headings are
// sections and whose HTML comments hold each section's instructions and the
// reviewers' ratings and notes. Parse finds the sections and reports every review
// it cannot read with its line; the Set methods return a new text in which only the
// part they name differs, byte for byte.
//
// The package knows nothing of charts or models, and never reads a file. What a
// comment inside a code block says is text, not an instruction, as in Markdown.
package outline

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"dossier"
)

// An Outline is a parsed report outline.
type Outline struct {
	Sections []Section // in the order of the text
	Problems []Problem // what could not be read, in the order of the text

	source []byte
}

// A Section is one heading and what belongs to it up to the next heading.
type Section struct {
	ID           string         `json:"id"` // from the title; unique in the outline
	Title        string         `json:"title"`
	Level        int            `json:"level"` // 1 for #, 2 for ##
	Instructions string         `json:"instructions"`
	Review       string         `json:"review_comments"` // the comment as written, without its label
	Ratings      map[string]int `json:"review_ratings"`
	Notes        string         `json:"review_notes"`
	ParentID     string         `json:"parent_id,omitempty"` // "" at the top
	Content      string         `json:"content"`             // the draft, "" if there is none
	Line         int            `json:"line"`                // of the heading, from 1

	body     span // after the heading's line, up to the next heading
	comments []comment
}

// A Problem is something in an outline that a person must mend.
type Problem struct {
	Section string `json:"section"` // ID
	Line    int    `json:"line"`    // from 1
	Message string `json:"message"`
}

func (p Problem) String() string {
	return fmt.Sprintf("line %d (%s): %s", p.Line, p.Section, p.Message)
}

type span struct{ start, end int }

// A comment is a recognised HTML comment within a section's body.
type comment struct {
	span
	kind kind
	body span // what follows the label
}

type kind uint8

const (
	instructions kind = iota + 1
	review
)

// Dimensions are what reviewers rate, in the order they are shown.
var Dimensions = []string{"accuracy", "completeness", "clarity", "data_use"}

// Rubric says what each dimension asks, for the reviewers.
var Rubric = map[string]string{
	"accuracy":     "Numbers and facts are correct.",
	"completeness": "All relevant data and scenarios are covered.",
	"clarity":      "The writing is clear and professional.",
	"data_use":     "Charts and data are used appropriately.",
}

// Parse reads an outline. It fails only if there is no section at all; everything
// else that is wrong is in Problems.
func Parse(source []byte) (*Outline, error) {
	o := &Outline{source: bytes.Clone(source)}
	doc := goldmark.DefaultParser().Parse(text.NewReader(unmarked(o.source)))
	o.headings(doc)
	if len(o.Sections) == 0 {
		return nil, dossier.Errorf(dossier.Invalid, "The outline has no headings, so there is no section to write.")
	}
	o.identify()
	o.readComments(doc)
	o.strays(doc)
	for i := range o.Sections {
		s := &o.Sections[i]
		s.Content = strings.TrimSpace(o.withoutComments(s))
	}
	return o, nil
}

// mark is what some editors put before a text to say that it is UTF-8.
const mark = "\ufeff"

// unmarked puts blanks for a mark, so that a heading after it is one and every place in
// the text stays where it is.
func unmarked(source []byte) []byte {
	if !bytes.HasPrefix(source, []byte(mark)) {
		return source
	}
	return append(bytes.Repeat([]byte(" "), len(mark)), source[len(mark):]...)
}

// Source returns the text the outline was parsed from.
func (o *Outline) Source() []byte { return bytes.Clone(o.source) }

// Section returns the section with an ID.
func (o *Outline) Section(id string) (*Section, error) {
	for i := range o.Sections {
		if o.Sections[i].ID == id {
			return &o.Sections[i], nil
		}
	}
	return nil, dossier.Errorf(dossier.NotFound, "The outline has no section %q. It has %s.", id, strings.Join(o.ids(), ", "))
}

func (o *Outline) ids() []string {
	ids := make([]string, len(o.Sections))
	for i, s := range o.Sections {
		ids[i] = s.ID
	}
	return ids
}

// headings finds the sections and where their bodies lie.
func (o *Outline) headings(doc ast.Node) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Lines().Len() == 0 {
			continue
		}
		first, last := h.Lines().At(0), h.Lines().At(h.Lines().Len()-1)
		start := o.lineStart(first.Start)
		end := o.lineEnd(last.Stop)
		if !strings.HasPrefix(strings.TrimLeft(string(o.source[start:end]), " "+mark), "#") {
			end = o.lineEnd(min(end+1, len(o.source))) // the underline of a setext heading
		}
		var title strings.Builder
		for i := range h.Lines().Len() {
			seg := h.Lines().At(i)
			title.Write(seg.Value(o.source))
			title.WriteByte(' ')
		}
		if k := len(o.Sections); k > 0 {
			o.Sections[k-1].body.end = start
		}
		o.Sections = append(o.Sections, Section{
			Title: strings.Join(strings.Fields(title.String()), " "), Level: h.Level, Line: o.line(start),
			Ratings: map[string]int{}, body: span{end, len(o.source)},
		})
	}
}

// identify gives every section its unique ID and its parent.
func (o *Outline) identify() {
	used := map[string]bool{}
	var path []*Section
	for i := range o.Sections {
		s := &o.Sections[i]
		base := Slug(s.Title)
		s.ID = base
		for n := 2; used[s.ID]; n++ {
			s.ID = base + "-" + strconv.Itoa(n)
		}
		used[s.ID] = true
		for len(path) > 0 && path[len(path)-1].Level >= s.Level {
			path = path[:len(path)-1]
		}
		if len(path) > 0 {
			s.ParentID = path[len(path)-1].ID
		}
		path = append(path, s)
	}
}

// Slug makes an ID from a title: "Energy use, by fuel" becomes "energy-use-by-fuel".
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		} else {
			gap = true
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// readComments finds the instruction and review comments of every section.
func (o *Outline) readComments(doc ast.Node) {
	for _, at := range o.rawHTML(doc) {
		for pos := at.start; pos < at.end; {
			i := bytes.Index(o.source[pos:at.end], []byte("<!--"))
			if i < 0 {
				break
			}
			start := pos + i
			j := bytes.Index(o.source[start+4:], []byte("-->"))
			if j < 0 {
				o.unclosed(start)
				break
			}
			end := start + 4 + j + 3
			o.readComment(start, end)
			pos = end
		}
	}
}

// rawHTML lists the stretches of the text that Markdown takes as HTML.
func (o *Outline) rawHTML(doc ast.Node) []span {
	var all []span
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			if k := n.Lines().Len(); k > 0 {
				end := n.Lines().At(k - 1).Stop
				if n.HasClosure() && n.ClosureLine.Stop > end {
					end = n.ClosureLine.Stop
				}
				all = append(all, span{n.Lines().At(0).Start, end})
			} else if n.HasClosure() {
				all = append(all, span{n.ClosureLine.Start, n.ClosureLine.Stop})
			}
		case *ast.RawHTML:
			if k := n.Segments.Len(); k > 0 {
				all = append(all, span{n.Segments.At(0).Start, n.Segments.At(k - 1).Stop})
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// readComment takes one comment's text if it is ours.
func (o *Outline) readComment(start, end int) {
	s := o.sectionAt(start)
	if s == nil {
		return
	}
	inner := string(o.source[start+4 : end-3])
	k, label := labelOf(inner)
	if k == 0 {
		return
	}
	c := comment{span: span{start, end}, kind: k, body: span{start + 4 + label, end - 3}}
	value := strings.TrimSpace(string(o.source[c.body.start:c.body.end]))
	switch k {
	case instructions:
		if s.Instructions != "" {
			o.problem(s, start, "A second set of instructions; the first counts.")
			break
		}
		s.Instructions = value
	case review:
		if s.has(review) {
			o.problem(s, start, "A second review comment; the first counts.")
			break
		}
		s.Review = value
		o.readReview(s, c.body)
	}
	s.comments = append(s.comments, c)
}

func (s *Section) has(k kind) bool {
	for _, c := range s.comments {
		if c.kind == k {
			return true
		}
	}
	return false
}

// labelOf recognises a comment by the words it begins with, and returns how many
// bytes they take.
func labelOf(inner string) (kind, int) {
	for label, k := range map[string]kind{"section instructions:": instructions, "review comments:": review} {
		trimmed := strings.TrimLeft(inner, " \t\r\n")
		if len(trimmed) >= len(label) && strings.EqualFold(trimmed[:len(label)], label) {
			return k, len(inner) - len(trimmed) + len(label)
		}
	}
	return 0, 0
}

func (o *Outline) unclosed(start int) {
	s := o.sectionAt(start)
	if s == nil {
		return
	}
	if k, _ := labelOf(string(o.source[start+4:])); k != 0 {
		o.problem(s, start, "The comment that begins here is never closed with -->.")
	}
}

func (o *Outline) sectionAt(at int) *Section {
	for i := range o.Sections {
		if b := o.Sections[i].body; at >= b.start && at < b.end {
			return &o.Sections[i]
		}
	}
	return nil
}

func (o *Outline) problem(s *Section, at int, format string, args ...any) {
	o.Problems = append(o.Problems, Problem{Section: s.ID, Line: o.line(at), Message: fmt.Sprintf(format, args...)})
}

func (o *Outline) line(at int) int { return 1 + bytes.Count(o.source[:at], []byte("\n")) }

func (o *Outline) lineStart(at int) int { return bytes.LastIndexByte(o.source[:at], '\n') + 1 }

// lineEnd returns the place after the newline of the line at holds.
func (o *Outline) lineEnd(at int) int {
	if at > 0 && o.source[at-1] == '\n' {
		return at
	}
	if i := bytes.IndexByte(o.source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(o.source)
}
