package pdf

import (
	"bytes"
	"embed"
	"sync"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// files are Noto Sans, cut to one script each; OFL.txt is their licence.
//
//go:embed fonts/*.woff
var files embed.FS

// names are the fonts in the order in which a letter is looked for.
var names = []string{"latin", "latin-extended", "devanagari", "bengali", "gujarati", "gurmukhi", "kannada", "malayalam", "oriya", "tamil", "telugu"}

// fonts parses the embedded fonts, once.
var fonts = sync.OnceValue(func() []*font.Font {
	var out []*font.Font
	for _, name := range names {
		data, err := files.ReadFile("fonts/" + name + ".woff")
		if err != nil {
			panic("embedded font: " + err.Error())
		}
		face, err := font.ParseTTF(bytes.NewReader(data))
		if err != nil {
			panic("embedded font " + name + ": " + err.Error())
		}
		out = append(out, face.Font)
	}
	return out
})

// A shaper turns text into glyphs that stand where they belong.
type shaper struct {
	faces   []*font.Face
	shaping shaping.HarfbuzzShaper
	split   shaping.Segmenter
}

func newShaper() *shaper {
	s := &shaper{}
	for _, f := range fonts() {
		s.faces = append(s.faces, font.NewFace(f))
	}
	return s
}

// ResolveFace implements shaping.Fontmap: the first font that has the letter.
func (s *shaper) ResolveFace(r rune) *font.Face {
	for _, f := range s.faces {
		if _, ok := f.NominalGlyph(r); ok {
			return f
		}
	}
	return s.faces[0]
}

// em is the size at which text is shaped: lengths come out in thousandths of it.
const em = 1000

// A line is shaped text. Lengths are in parts of the size of the type.
type line struct {
	glyphs []glyph
	width  float64
	lacks  bool // a letter has no font
}

type glyph struct {
	outline []opentype.Segment
	scale   float64 // from the font's units
	x, y    float64 // of its origin on the line, y upwards
}

func (s *shaper) line(text string) line {
	runes := []rune(text)
	whole := shaping.Input{
		Text: runes, RunEnd: len(runes), Direction: di.DirectionLTR, Face: s.faces[0], Size: fixed.I(em), Language: language.NewLanguage("en"),
	}
	var out line
	for _, run := range s.split.Split(whole, s) {
		shaped := s.shaping.Shape(run)
		for _, g := range shaped.Glyphs {
			outline, _ := shaped.Face.GlyphDataOutline(g.GlyphID)
			out.glyphs = append(out.glyphs, glyph{
				outline.Segments, 1 / float64(shaped.Face.Upem()), out.width + part(g.XOffset), part(g.YOffset),
			})
			out.width += part(g.Advance)
			out.lacks = out.lacks || g.GlyphID == 0
		}
	}
	return out
}

func part(n fixed.Int26_6) float64 { return float64(n) / 64 / em }

// draw fills the outlines of a line whose origin is at x, y. Size is millimetres.
func (s *Sheet) draw(l line, x, y, size float64) {
	for _, g := range l.glyphs {
		if len(g.outline) == 0 {
			continue
		}
		var at [2]float64
		place := func(p opentype.SegmentPoint) (float64, float64) {
			return x + (g.x+float64(p.X)*g.scale)*size, y - (g.y+float64(p.Y)*g.scale)*size
		}
		for i, seg := range g.outline {
			x1, y1 := place(seg.Args[0])
			switch seg.Op {
			case opentype.SegmentOpMoveTo:
				if i > 0 {
					s.pdf.ClosePath()
				}
				s.pdf.MoveTo(x1, y1)
				at = [2]float64{x1, y1}
			case opentype.SegmentOpLineTo:
				s.pdf.LineTo(x1, y1)
				at = [2]float64{x1, y1}
			case opentype.SegmentOpQuadTo:
				x2, y2 := place(seg.Args[1])
				s.pdf.CurveBezierCubicTo(at[0]+(x1-at[0])*2/3, at[1]+(y1-at[1])*2/3, x2+(x1-x2)*2/3, y2+(y1-y2)*2/3, x2, y2)
				at = [2]float64{x2, y2}
			case opentype.SegmentOpCubeTo:
				x2, y2 := place(seg.Args[1])
				x3, y3 := place(seg.Args[2])
				s.pdf.CurveBezierCubicTo(x1, y1, x2, y2, x3, y3)
				at = [2]float64{x3, y3}
			}
		}
		s.pdf.ClosePath()
		s.pdf.DrawPath("F")
	}
}
