package report

import (
	"bytes"
	_ "embed" // the page's template
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"dossier/internal/eval"
)

//go:embed page.html
var pageText string

// A bar is one grade on the page.
type bar struct {
	Name  string
	I     eval.Interval
	Check *eval.Check // nil: no gate
	Note  string
}

// A page is what the template shows.
type page struct {
	R        eval.Result
	Took     string
	Bars     []bar
	Targets  []eval.Check
	Failures []eval.Row
	Passed   bool
	Safe     bool
	F        eval.Figures
	Shapes   []eval.Shape
	Tokens   int
	Scenes   []scene
}

// A scene is how a kind of examples went.
type scene struct {
	Name        string
	Rows, Right int
}

// HTML writes a page that stands alone: gates and targets, means with their intervals,
// the reliability diagram, the shapes of the ways, the rows that went wrong, and the
// path of every example.
func HTML(w io.Writer, r eval.Result) error {
	p := page{R: r, Took: since(r.Started, r.Ended), Failures: r.Failures(), Passed: r.Passed(), Safe: r.Safe(), F: eval.FiguresOf(r.Rows), Scenes: scenes(r)}
	p.Shapes = []eval.Shape{eval.Optimal, eval.Exploratory, eval.Recovery, eval.Circular, eval.DeadEnd}
	gates := map[string]eval.Check{}
	for _, c := range r.Checks() {
		if c.Gate {
			gates[c.Name] = c
		} else {
			p.Targets = append(p.Targets, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Means)) {
		b := bar{Name: name, I: r.Means[name]}
		if c, ok := gates[name]; ok {
			b.Check = &c
		}
		p.Bars = append(p.Bars, b)
		delete(gates, name)
	}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		c := gates[name]
		p.Bars = append(p.Bars, bar{Name: name, Check: &c, Note: "never measured"})
	}
	for _, row := range r.Rows {
		p.Tokens += row.Path.Usage.In + row.Path.Usage.Out
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// scenes counts, for each scenario, the rows with full marks.
func scenes(r eval.Result) []scene {
	wrong := map[string]int{}
	for _, row := range r.Failures() {
		wrong[row.Example.Scenario]++
	}
	all := map[string]int{}
	for _, row := range r.Rows {
		all[row.Example.Scenario]++
	}
	var out []scene
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, scene{name, all[name], all[name] - wrong[name]})
	}
	return out
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"pct":      func(f float64) string { return fmt.Sprintf("%.1f %%", 100*f) },
	"num":      func(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.3g", f), ".0") },
	"share":    func(n, all int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(max(1, all))) },
	"scale":    func(f, to float64) string { return fmt.Sprintf("%.1f", to*f) },
	"from":     func(f, to float64) string { return fmt.Sprintf("%.1f", to*(1-f)) },
	"words":    func(s any) string { return strings.ReplaceAll(fmt.Sprint(s), "_", " ") },
	"svg":      func(p eval.Path) template.HTML { return template.HTML(SVG(p)) }, // made here, every text escaped
	"grades":   gradesOf,
	"pretty":   pretty,
	"complete": func(r eval.Row) bool { return r.Failure == "" && lowest(r) >= 1 },
}).Parse(pageText))

func lowest(r eval.Row) float64 {
	least := 1.0
	for _, g := range gradesOf(r) {
		least = min(least, g.Score)
	}
	return least
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
