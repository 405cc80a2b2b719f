// Package pdf draws pages of text, lines and pictures in which names keep their own
// script. Plain text uses the fonts that every reader has, so it is small and can be
// selected; whatever those cannot show (Indian scripts, Latin letters with marks
// beyond Western Europe's) is shaped with embedded fonts and drawn as outlines, with
// the text itself attached (ActualText) for readers that look for it.
//
// A [Sheet] is one document. Lengths are millimetres from the upper left corner, and
// sizes of type are points. A letter for which no font is at hand is drawn as a box,
// and [Sheet.Lacks] tells the caller, who can say so on the page. A Sheet is for one
// goroutine; the fonts behind it are shared.
package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/phpdave11/gofpdf"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// A Type is how text looks.
type Type struct {
	Size float64 // points
	Bold bool    // only text that needs no font of its own can be bold
}

// Height returns the distance from one line of text to the next.
func (t Type) Height() float64 { return t.Size * 1.35 / points }

// points are the points in a millimetre.
const points = 72 / 25.4

// A Sheet is a document that is being drawn.
type Sheet struct {
	pdf   *gofpdf.Fpdf
	shape *shaper // made with the first text that needs it
	lacks bool
}

// New returns an empty document of upright pages in a format such as "A5".
func New(format, title string, created time.Time) *Sheet {
	p := gofpdf.New("P", "mm", format, "")
	p.SetTitle(title, true)
	p.SetCreationDate(created)
	p.SetModificationDate(created)
	p.SetCatalogSort(true)
	p.SetAutoPageBreak(false, 0)
	p.AddPage()
	return &Sheet{pdf: p}
}

// Size returns the width and height of a page.
func (s *Sheet) Size() (width, height float64) { return s.pdf.GetPageSize() }

// Page begins another page.
func (s *Sheet) Page() { s.pdf.AddPage() }

// Line draws a thin line.
func (s *Sheet) Line(x1, y1, x2, y2 float64) {
	s.pdf.SetLineWidth(0.2)
	s.pdf.Line(x1, y1, x2, y2)
}

// PNG draws a picture.
func (s *Sheet) PNG(data []byte, x, y, width, height float64) {
	name := fmt.Sprintf("picture-%d-%d", len(data), int(y*100))
	s.pdf.RegisterImageOptionsReader(name, gofpdf.ImageOptions{ImageType: "PNG"}, bytes.NewReader(data))
	s.pdf.ImageOptions(name, x, y, width, height, false, gofpdf.ImageOptions{ImageType: "PNG"}, 0, "")
}

// Lacks reports whether a letter was drawn as a box for want of a font.
func (s *Sheet) Lacks() bool { return s.lacks }

// Bytes returns the finished document.
func (s *Sheet) Bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := s.pdf.Output(&b); err != nil {
		return nil, fmt.Errorf("write PDF: %w", err)
	}
	return b.Bytes(), nil
}

// Width returns how wide text is.
func (s *Sheet) Width(text string, t Type) float64 {
	if b, ok := builtIn(text); ok {
		s.font(t)
		return s.pdf.GetStringWidth(b)
	}
	return s.shaped(text).width * t.Size / points
}

// Text draws one line whose baseline is at y.
func (s *Sheet) Text(text string, x, y float64, t Type) {
	if b, ok := builtIn(text); ok {
		s.font(t)
		s.pdf.Text(x, y, b)
		return
	}
	line := s.shaped(text)
	s.lacks = s.lacks || line.lacks
	s.pdf.RawWriteStr("/Span <</ActualText <" + hex16(text) + ">>> BDC\n")
	s.draw(line, x, y, t.Size/points)
	s.pdf.RawWriteStr("EMC\n")
}

// Center draws one line in the middle between left and right.
func (s *Sheet) Center(text string, left, right, y float64, t Type) {
	s.Text(text, (left+right-s.Width(text, t))/2, y, t)
}

// Paragraph draws text in lines of at most width, the first baseline at y, and returns
// where the next would be.
func (s *Sheet) Paragraph(text string, x, y, width float64, t Type) float64 {
	for _, line := range s.Wrap(text, width, t) {
		s.Text(line, x, y, t)
		y += t.Height()
	}
	return y
}

// Wrap breaks text into lines of at most width: between words or, in a word that is
// wider, between letters.
func (s *Sheet) Wrap(text string, width float64, t Type) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if joined := strings.TrimSpace(line + " " + word); s.Width(joined, t) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for s.Width(word, t) > width {
			head := s.fitting(word, width, t)
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	return append(lines, line)
}

// fitting returns the longest beginning of word that is not wider than width, at
// least one letter.
func (s *Sheet) fitting(word string, width float64, t Type) string {
	best, viramaBefore := 0, false
	for i, r := range word {
		if i > 0 && !unicode.IsMark(r) && !viramaBefore {
			if best > 0 && s.Width(word[:i], t) > width {
				return word[:best]
			}
			best = i
		}
		viramaBefore = viramas[r]
	}
	if best == 0 {
		return word
	}
	return word[:best]
}

// viramas join two consonants of an Indian script into one shape.
var viramas = map[rune]bool{0x094d: true, 0x09cd: true, 0x0a4d: true, 0x0acd: true, 0x0b4d: true, 0x0bcd: true, 0x0c4d: true, 0x0ccd: true, 0x0d4d: true}

func (s *Sheet) font(t Type) {
	style := ""
	if t.Bold {
		style = "B"
	}
	s.pdf.SetFont("Helvetica", style, t.Size)
}

func (s *Sheet) shaped(text string) line {
	if s.shape == nil {
		s.shape = newShaper()
	}
	return s.shape.line(norm.NFC.String(text))
}

// builtIn returns text as the readers' own fonts are encoded, if they can show it.
func builtIn(text string) (string, bool) {
	b, err := charmap.Windows1252.NewEncoder().String(norm.NFC.String(text))
	return b, err == nil
}

// hex16 writes text as a PDF string of UTF-16.
func hex16(text string) string {
	var b strings.Builder
	b.WriteString("FEFF")
	for _, r := range text {
		if r >= 0x10000 {
			fmt.Fprintf(&b, "%04X%04X", 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
			continue
		}
		fmt.Fprintf(&b, "%04X", r)
	}
	return b.String()
}
