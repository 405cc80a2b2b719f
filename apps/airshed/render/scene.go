// Package render turns a report into pages: HTML and PDF, each with the map of the
// fires, the chart of the index against them, the tables, the citations, a block for
// the signature and a code that leads to the bundle with which anyone can check it.
//
// Map and chart are drawn once, as a scene of plain shapes, and written either as SVG
// (for HTML) or as pixels (for PDF). Nothing is fetched: there are no outside tiles,
// fonts or scripts, and the same document gives the same bytes.
package render

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// The colours of print: dark enough on paper, and apart for most colour-blind eyes.
var (
	ink     = color.NRGBA{0x22, 0x2a, 0x35, 0xff}
	faint   = color.NRGBA{0x9a, 0xa4, 0xb2, 0xff}
	hair    = color.NRGBA{0xdd, 0xe2, 0xe9, 0xff}
	fireRed = color.NRGBA{0xc4, 0x3e, 0x1c, 0xb0}
	airBlue = color.NRGBA{0x1d, 0x5f, 0xa8, 0xff}
	sector  = color.NRGBA{0x1d, 0x5f, 0xa8, 0x20}
	paper   = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	none    = color.NRGBA{}
)

type xy struct{ x, y float64 }

// A shape is a line, an area, a disc or a text of a scene.
type shape struct {
	points []xy // two or more: a line, or an area if filled
	at     xy   // of a disc or a text
	radius float64
	text   string
	size   float64 // of the text
	anchor string  // "start", "middle", "end"
	fill   color.NRGBA
	stroke color.NRGBA
	width  float64
	dashed bool
}

// A scene is a drawing in units of which about 4 make a millimetre on paper.
type scene struct {
	width, height float64
	title         string
	shapes        []shape
}

func (s *scene) line(c color.NRGBA, width float64, dashed bool, pts ...xy) {
	s.shapes = append(s.shapes, shape{points: pts, stroke: c, width: width, dashed: dashed})
}

func (s *scene) area(fill, stroke color.NRGBA, pts ...xy) {
	s.shapes = append(s.shapes, shape{points: pts, fill: fill, stroke: stroke, width: 1})
}

func (s *scene) rect(fill color.NRGBA, x, y, w, h float64) {
	s.area(fill, none, xy{x, y}, xy{x + w, y}, xy{x + w, y + h}, xy{x, y + h})
}

func (s *scene) disc(fill color.NRGBA, at xy, r float64) {
	s.shapes = append(s.shapes, shape{at: at, radius: r, fill: fill})
}

func (s *scene) label(c color.NRGBA, at xy, size float64, anchor, format string, args ...any) {
	s.shapes = append(s.shapes, shape{at: at, text: fmt.Sprintf(format, args...), size: size, anchor: anchor, fill: c})
}

// svg writes the scene as a picture for HTML.
func (s *scene) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-label="%s"><rect width="100%%" height="100%%" fill="#fff"/>`, num(s.width), num(s.height), html.EscapeString(s.title))
	for _, sh := range s.shapes {
		switch {
		case sh.text != "":
			fmt.Fprintf(&b, `<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s" font-family="system-ui,sans-serif">%s</text>`, num(sh.at.x), num(sh.at.y), num(sh.size), sh.anchor, hex(sh.fill), html.EscapeString(sh.text))
		case sh.radius > 0:
			fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="%s" fill="%s" fill-opacity="%s"/>`, num(sh.at.x), num(sh.at.y), num(sh.radius), hex(sh.fill), num(float64(sh.fill.A)/255))
		default:
			b.WriteString(sh.path())
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

func (sh shape) path() string {
	var b strings.Builder
	for i, p := range sh.points {
		c := "L"
		if i == 0 {
			c = "M"
		}
		b.WriteString(c + num(p.x) + " " + num(p.y))
	}
	style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"`, hex(sh.stroke), num(sh.width))
	if sh.fill.A > 0 {
		b.WriteString("Z")
		style = fmt.Sprintf(`fill="%s" fill-opacity="%s"`, hex(sh.fill), num(float64(sh.fill.A)/255))
		if sh.stroke.A > 0 {
			style += fmt.Sprintf(` stroke="%s" stroke-width="%s"`, hex(sh.stroke), num(sh.width))
		}
	}
	if sh.dashed {
		style += ` stroke-dasharray="6 4"`
	}
	return `<path d="` + b.String() + `" ` + style + `/>`
}

func num(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// png writes the scene as pixels, scale of them to a unit.
func (s *scene) png(scale float64) ([]byte, error) {
	face, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("load font: %w", err)
	}
	img := image.NewRGBA(image.Rect(0, 0, int(s.width*scale), int(s.height*scale)))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	p := painter{img, scale, face, vector.NewRasterizer(img.Bounds().Dx(), img.Bounds().Dy())}
	for _, sh := range s.shapes {
		if err := p.paint(sh); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return b.Bytes(), nil
}

type painter struct {
	img   *image.RGBA
	scale float64
	font  *opentype.Font
	ras   *vector.Rasterizer
}

func (p painter) paint(sh shape) error {
	switch {
	case sh.text != "":
		return p.write(sh)
	case sh.radius > 0:
		p.fill(circle(sh.at, sh.radius), sh.fill)
		return nil
	}
	if sh.fill.A > 0 {
		p.fill(sh.points, sh.fill)
	}
	if sh.stroke.A > 0 {
		pts := sh.points
		if sh.fill.A > 0 {
			pts = append(pts[:len(pts):len(pts)], pts[0])
		}
		p.strokeLine(pts, sh.stroke, sh.width, sh.dashed)
	}
	return nil
}

func circle(c xy, r float64) []xy {
	const corners = 20
	out := make([]xy, corners)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = xy{c.x + r*cos, c.y + r*sin}
	}
	return out
}

// fill paints an area. Its rasteriser covers only the area's own box, so that a
// thousand small discs cost no more than their pixels.
func (p painter) fill(pts []xy, c color.NRGBA) {
	lo, hi := xy{math.Inf(1), math.Inf(1)}, xy{math.Inf(-1), math.Inf(-1)}
	for _, q := range pts {
		lo, hi = xy{min(lo.x, q.x), min(lo.y, q.y)}, xy{max(hi.x, q.x), max(hi.y, q.y)}
	}
	box := image.Rect(int(lo.x*p.scale)-1, int(lo.y*p.scale)-1, int(hi.x*p.scale)+2, int(hi.y*p.scale)+2).Intersect(p.img.Bounds())
	if box.Empty() {
		return
	}
	p.ras.Reset(box.Dx(), box.Dy())
	for i, q := range pts {
		x, y := float32(q.x*p.scale)-float32(box.Min.X), float32(q.y*p.scale)-float32(box.Min.Y)
		if i == 0 {
			p.ras.MoveTo(x, y)
		} else {
			p.ras.LineTo(x, y)
		}
	}
	p.ras.ClosePath()
	p.ras.Draw(p.img, box, image.NewUniform(c), image.Point{})
}

func (p painter) strokeLine(pts []xy, c color.NRGBA, width float64, dashed bool) {
	for i := 1; i < len(pts); i++ {
		a, b := pts[i-1], pts[i]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		ux, uy := (b.x-a.x)/length, (b.y-a.y)/length
		dash, gap := length, 0.0
		if dashed {
			dash, gap = 6, 4
		}
		for at := 0.0; at < length; at += dash + gap {
			end := min(length, at+dash)
			nx, ny := -uy*width/2, ux*width/2
			s, e := xy{a.x + ux*at, a.y + uy*at}, xy{a.x + ux*end, a.y + uy*end}
			p.fill([]xy{{s.x + nx, s.y + ny}, {e.x + nx, e.y + ny}, {e.x - nx, e.y - ny}, {s.x - nx, s.y - ny}}, c)
		}
	}
}

func (p painter) write(sh shape) error {
	face, err := opentype.NewFace(p.font, &opentype.FaceOptions{Size: sh.size * p.scale, DPI: 72})
	if err != nil {
		return fmt.Errorf("size font: %w", err)
	}
	defer face.Close()
	d := font.Drawer{Dst: p.img, Src: image.NewUniform(sh.fill), Face: face}
	x := fixed.Int26_6(sh.at.x * p.scale * 64)
	switch sh.anchor {
	case "middle":
		x -= d.MeasureString(sh.text) / 2
	case "end":
		x -= d.MeasureString(sh.text)
	}
	d.Dot = fixed.Point26_6{X: x, Y: fixed.Int26_6(sh.at.y * p.scale * 64)}
	d.DrawString(sh.text)
	return nil
}
