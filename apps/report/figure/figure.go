// Package figure draws a chart from its rows, for runs that bring no picture of it
// and for pages that want lines rather than pixels. A Plot is chosen from a summary:
// scenarios as lines over the years, or labels as groups of bars; SVG and PNG draw
// the same plot.
//
// The drawings are plain on purpose. A picture that comes with the run is always
// preferred to one of these.
package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"dossier/apps/report/catalog"
	"dossier/apps/report/summary"
)

// A Plot is what is drawn.
type Plot struct {
	Title  string
	Unit   string
	Bars   bool     // groups of bars; else lines
	X      []string // labels along the x axis
	Series []Series
}

// A Series is one line or one colour of bars.
type Series struct {
	Name string
	Y    []float64 // NaN where there is no number
}

// Of chooses a plot for a chart. It returns false if there is nothing to draw.
func Of(ch *catalog.Chart, t *catalog.Table) (Plot, bool) {
	s := summary.Of(ch, t).Summary
	if len(s.Units) == 0 || len(t.Rows) == 0 {
		return Plot{}, false
	}
	p := Plot{Title: ch.Title, Unit: s.Units[0]}
	if len(t.Years) < 2 {
		p.bars(t, &s)
		return p, len(p.Series) > 0
	}
	for _, y := range t.Years {
		p.X = append(p.X, strconv.Itoa(y))
	}
	for _, name := range seriesNames(&s) {
		p.line(ch, t, name, s.Units[0])
	}
	return p, len(p.Series) > 0
}

func seriesNames(s *summary.Summary) []string {
	if len(s.Scenarios) == 0 {
		return []string{""}
	}
	return s.Scenarios
}

// line adds a scenario's total; where rows do not add up, its largest row.
func (p *Plot) line(ch *catalog.Chart, t *catalog.Table, scenario, unit string) {
	label := "total"
	if !summary.Additive(unit) || scenario == "" {
		if label = ""; len(t.Rows) > 0 {
			label = t.Rows[0].Label
		}
	}
	trends, err := summary.Trends(ch, t, label)
	if err != nil {
		return
	}
	for _, tr := range trends {
		if tr.Scenario != scenario || tr.Unit != unit {
			continue
		}
		s := Series{Name: scenario}
		if scenario == "" || label != "total" {
			s.Name = strings.TrimSpace(scenario + " " + tr.Label)
		}
		for _, y := range t.Years {
			s.Y = append(s.Y, at(t, ch, scenario, tr.Label, unit, y))
		}
		p.Series = append(p.Series, s)
		return
	}
}

func at(t *catalog.Table, ch *catalog.Chart, scenario, label, unit string, year int) float64 {
	sum, any := 0.0, false
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Scenario != scenario || r.Unit != unit || label != "total" && r.Label != label || label == "total" && summary.IsTotal(ch, r) {
			continue
		}
		if v, ok := r.At(year); ok {
			sum, any = sum+v.Float64(), true
		}
	}
	if !any {
		return math.NaN()
	}
	return sum
}

// bars groups a long table's values by label.
func (p *Plot) bars(t *catalog.Table, s *summary.Summary) {
	p.Bars = true
	for i := range t.Rows {
		r := &t.Rows[i]
		if _, base := summary.BaselineYear(r); !base && r.Unit == p.Unit && !slices.Contains(p.X, r.Label) {
			p.X = append(p.X, r.Label)
		}
	}
	for _, name := range seriesNames(s) {
		series := Series{Name: name}
		for _, label := range p.X {
			v := math.NaN()
			for i := range t.Rows {
				if r := &t.Rows[i]; r.Scenario == name && r.Label == label && len(r.Cells) > 0 {
					v = r.Cells[0].Value.Float64()
				}
			}
			series.Y = append(series.Y, v)
		}
		p.Series = append(p.Series, series)
	}
}

// The size of a picture, and where the plot lies in it.
const (
	width, height            = 1000, 520
	left, right, top, bottom = 90, 20, 60, 120
)

var colours = []color.RGBA{{0x1f, 0x5f, 0x8b, 255}, {0xd9, 0x8c, 0x2b, 255}, {0x4c, 0x95, 0x5e, 255}, {0xa6, 0x4d, 0x79, 255}, {0x6b, 0x6b, 0x6b, 255}}

// bounds returns a round scale that holds every value and zero.
func (p *Plot) bounds() (lo, hi, step float64) {
	for _, s := range p.Series {
		for _, v := range s.Y {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if hi-lo == 0 {
		hi = lo + 1
	}
	step = math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, k := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*k) <= 6 {
			step *= k
			break
		}
	}
	return math.Floor(lo/step) * step, math.Ceil(hi/step) * step, step
}

// A canvas draws in one format.
type canvas interface {
	line(x1, y1, x2, y2 float64, c color.RGBA, w float64)
	rect(x, y, w, h float64, c color.RGBA)
	text(x, y float64, s string, size float64, middle bool)
}

func (p *Plot) paint(c canvas) {
	lo, hi, step := p.bounds()
	y := func(v float64) float64 { return top + (hi-v)/(hi-lo)*(height-top-bottom) }
	grid, ink := color.RGBA{0xdd, 0xdd, 0xdd, 255}, color.RGBA{0x33, 0x33, 0x33, 255}
	c.text(left, 30, p.Title, 20, false)
	c.text(left, 50, p.Unit, 13, false)
	for v := lo; v <= hi+step/2; v += step {
		col := grid
		if math.Abs(v) < step/1000 {
			col = ink
		}
		c.line(left, y(v), width-right, y(v), col, 1)
		c.text(left-10-float64(7*len(tick(v, step))), y(v)+4, tick(v, step), 13, false)
	}
	slot := float64(width-left-right) / float64(max(len(p.X), 1))
	for i, x := range p.X {
		if !p.Bars && len(p.X) > 8 && i%2 == 1 && i != len(p.X)-1 {
			continue
		}
		c.text(left+slot*(float64(i)+0.5), height-bottom+20, shorten(x, int(slot/7)), 12, true)
	}
	for k, s := range p.Series {
		col := colours[k%len(colours)]
		p.series(c, k, s, slot, y, col)
		c.rect(left+float64(k)*220, height-60, 14, 14, col)
		c.text(left+float64(k)*220+20, height-48, shorten(s.Name, 26), 13, false)
	}
}

func (p *Plot) series(c canvas, k int, s Series, slot float64, y func(float64) float64, col color.RGBA) {
	bar := slot * 0.8 / float64(max(len(p.Series), 1))
	for i, v := range s.Y {
		if math.IsNaN(v) {
			continue
		}
		x := left + slot*(float64(i)+0.5)
		if p.Bars {
			a, b := min(y(0), y(v)), max(y(0), y(v))
			c.rect(x-slot*0.4+bar*float64(k), a, bar-2, max(b-a, 1), col)
			continue
		}
		if i > 0 && !math.IsNaN(s.Y[i-1]) {
			c.line(left+slot*(float64(i)-0.5), y(s.Y[i-1]), x, y(v), col, 3)
		}
	}
}

func tick(v, step float64) string {
	places := 0
	if step < 1 {
		places = int(math.Ceil(-math.Log10(step)))
	}
	return strconv.FormatFloat(v+0, 'f', places, 64)
}

func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= max(n, 4) {
		return s
	}
	return string(r[:max(n, 4)-1]) + "…"
}

// SVG draws the plot as a vector picture.
func (p *Plot) SVG() string {
	c := &vector{}
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif"><title>%s</title><rect width="%d" height="%d" fill="#fff"/>`, width, height, escape(p.Title), width, height)
	p.paint(c)
	c.b.WriteString("</svg>")
	return c.b.String()
}

type vector struct{ b strings.Builder }

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func (v *vector) line(x1, y1, x2, y2 float64, c color.RGBA, w float64) {
	fmt.Fprintf(&v.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>`, x1, y1, x2, y2, hex(c), w)
}

func (v *vector) rect(x, y, w, h float64, c color.RGBA) {
	fmt.Fprintf(&v.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, w, h, hex(c))
}

func (v *vector) text(x, y float64, s string, size float64, middle bool) {
	anchor := "start"
	if middle {
		anchor = "middle"
	}
	fmt.Fprintf(&v.b, `<text x="%.1f" y="%.1f" font-size="%.0f" text-anchor="%s">%s</text>`, x, y, size, anchor, escape(s))
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// PNG draws the plot as a picture of pixels.
func (p *Plot) PNG() ([]byte, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("read the built-in font: %w", err)
	}
	c := &raster{img: image.NewRGBA(image.Rect(0, 0, width, height)), font: parsed, faces: map[float64]font.Face{}}
	draw.Draw(c.img, c.img.Bounds(), image.White, image.Point{}, draw.Src)
	p.paint(c)
	var b bytes.Buffer
	if err := png.Encode(&b, c.img); err != nil {
		return nil, fmt.Errorf("encode %s: %w", p.Title, err)
	}
	return b.Bytes(), nil
}

type raster struct {
	img   *image.RGBA
	font  *opentype.Font
	faces map[float64]font.Face
}

func (r *raster) line(x1, y1, x2, y2 float64, c color.RGBA, w float64) {
	n := int(max(math.Abs(x2-x1), math.Abs(y2-y1))) + 1
	for i := range n + 1 {
		f := float64(i) / float64(n)
		x, y := x1+(x2-x1)*f, y1+(y2-y1)*f
		r.rect(x-w/2, y-w/2, w, w, c)
	}
}

func (r *raster) rect(x, y, w, h float64, c color.RGBA) {
	box := image.Rect(int(math.Round(x)), int(math.Round(y)), int(math.Round(x+w)), int(math.Round(y+h)))
	draw.Draw(r.img, box, image.NewUniform(c), image.Point{}, draw.Src)
}

func (r *raster) text(x, y float64, s string, size float64, middle bool) {
	face := r.faces[size]
	if face == nil {
		f, err := opentype.NewFace(r.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return
		}
		face = f
		r.faces[size] = f
	}
	d := &font.Drawer{Dst: r.img, Src: image.NewUniform(color.RGBA{0x33, 0x33, 0x33, 255}), Face: face}
	if middle {
		x -= float64(d.MeasureString(s).Round()) / 2
	}
	d.Dot = fixed.P(int(x), int(y))
	d.DrawString(s)
}
