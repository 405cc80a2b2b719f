package report

import (
	"fmt"
	"html/template"
	"strings"

	"dossier/internal/eval"
)

// The measures of a drawing, in pixels.
const (
	boxWide, boxHigh = 176, 48
	gapWide, gapHigh = 34, 12
)

// SVG draws a path as a graph: one column per turn, the calls of a turn below each
// other, then the answer. Colours come from classes of the page and have a plain
// fallback, so that a drawing can also stand alone.
func SVG(p eval.Path) string {
	columns := byTurn(p)
	most := 1
	for _, c := range columns {
		most = max(most, len(c))
	}
	wide := (len(columns)+1)*(boxWide+gapWide) - gapWide + 2
	high := most*(boxHigh+gapHigh) - gapHigh + 2
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="path" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`,
		wide, high, wide, high, template.HTMLEscapeString("Calls in order: "+strings.Join(p.Tools(), ", ")))
	d := drawing{&b, high}
	gains := eval.Measure(p, p.Tools()).Gains
	n := 0
	for i, calls := range columns {
		for j, c := range calls {
			d.box(i, j, len(calls), c.Tool, note(c, gains[n]), state(c))
			n++
			if i > 0 {
				d.arrows(i, j, len(calls), len(columns[i-1]))
			}
		}
	}
	end, class := "no answer", "failed"
	if p.Answered {
		end, class = "answer", "answer"
	}
	d.box(len(columns), 0, 1, end, turns(p), class)
	if len(columns) > 0 {
		d.arrows(len(columns), 0, 1, len(columns[len(columns)-1]))
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// byTurn groups the calls of a path by the turn they were made in.
func byTurn(p eval.Path) [][]eval.Call {
	var out [][]eval.Call
	for _, c := range p.Calls {
		if n := len(out); n > 0 && out[n-1][0].Turn == c.Turn && c.Turn > 0 {
			out[n-1] = append(out[n-1], c)
			continue
		}
		out = append(out, []eval.Call{c})
	}
	return out
}

func state(c eval.Call) string {
	switch {
	case c.Failed:
		return "failed"
	case c.Asked:
		return "asked"
	case !c.Came:
		return "open"
	}
	return "came"
}

func note(c eval.Call, gain float64) string {
	switch {
	case c.Failed && c.Asked:
		return "a person said no"
	case c.Failed:
		return "failed"
	case !c.Came:
		return "still open"
	case c.Asked:
		return "a person agreed"
	case c.Again:
		return "done before"
	case gain == 0:
		return "nothing new"
	}
	return fmt.Sprintf("%.0f %% of what was learned", 100*gain)
}

func turns(p eval.Path) string {
	text := fmt.Sprintf("%d turns", p.Turns)
	if p.Turns == 1 {
		text = "1 turn"
	}
	if p.Fallback > 0 {
		text += fmt.Sprintf(", %d by the policy", p.Fallback)
	}
	return text
}

// A drawing places boxes in columns that are centred on one line.
type drawing struct {
	b    *strings.Builder
	high int
}

// fills are what a box is filled with where the page has no class for it.
var fills = map[string]string{"came": "#e4f0e6", "failed": "#f8e1de", "asked": "#fbefcf", "open": "#ececec", "answer": "#e2eaf5"}

// middle returns the height of the middle of box j of n.
func (d drawing) middle(j, n int) int {
	top := (d.high - (n*(boxHigh+gapHigh) - gapHigh)) / 2
	return top + j*(boxHigh+gapHigh) + boxHigh/2
}

func (d drawing) box(col, j, n int, label, note, class string) {
	x, y := col*(boxWide+gapWide)+1, d.middle(j, n)
	fmt.Fprintf(d.b, `<g class="%s"><rect x="%d" y="%d" width="%d" height="%d" rx="8" fill="%s" stroke="#8a8f98"/>`, class, x, y-boxHigh/2, boxWide, boxHigh, fills[class])
	fmt.Fprintf(d.b, `<text x="%d" y="%d" font-size="13" font-family="system-ui,sans-serif" text-anchor="middle">%s</text>`, x+boxWide/2, y-3, template.HTMLEscapeString(short(label)))
	fmt.Fprintf(d.b, `<text class="note" x="%d" y="%d" font-size="11" font-family="system-ui,sans-serif" text-anchor="middle" fill="#555">%s</text></g>`, x+boxWide/2, y+14, template.HTMLEscapeString(note))
}

// arrows draws a line from every box of the column before to box j of n.
func (d drawing) arrows(col, j, n, before int) {
	x1, x2, y2 := (col-1)*(boxWide+gapWide)+1+boxWide, col*(boxWide+gapWide)+1, d.middle(j, n)
	for i := range before {
		y1 := d.middle(i, before)
		fmt.Fprintf(d.b, `<path class="line" d="M%d %d C%d %d %d %d %d %d" fill="none" stroke="#8a8f98" stroke-width="1.5"/>`,
			x1, y1, x1+gapWide/2, y1, x2-gapWide/2, y2, x2-5, y2)
	}
	fmt.Fprintf(d.b, `<path class="head" d="M%d %d l-7 -4 v8 z" fill="#8a8f98"/>`, x2-1, y2)
}

func short(s string) string {
	if r := []rune(s); len(r) > 24 {
		return string(r[:23]) + "…"
	}
	return s
}
