// Package report shows what a run of a suite came to: a page for people, JUnit for CI,
// CSV for a spreadsheet, and a drawing of the way an agent took.
//
// Everything is written to an io.Writer and made from the result alone. Nothing here
// grades.
package report

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dossier/internal/eval"
)

// CSV writes one line per example and grade.
func CSV(w io.Writer, r eval.Result) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"app", "suite", "player", "example", "scenario", "complexity", "repeat", "grade", "score", "reason", "ms", "cost"}}
	for _, row := range r.Rows {
		for _, g := range gradesOf(row) {
			lines = append(lines, []string{
				r.App, r.Suite, r.Player, row.Example.Name, row.Example.Scenario, row.Example.Complexity, strconv.Itoa(row.Repeat),
				g.Name, strconv.FormatFloat(g.Score, 'f', 4, 64), g.Reason, strconv.FormatFloat(row.Ms, 'f', 3, 64), strconv.FormatFloat(row.Path.Cost, 'f', 6, 64),
			})
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// gradesOf returns a row's grades, or the failure as one.
func gradesOf(row eval.Row) []eval.Grade {
	if row.Failure != "" {
		return []eval.Grade{{Name: "played", Reason: row.Failure, Applies: true}}
	}
	return slices.DeleteFunc(slices.Clone(row.Grades), func(g eval.Grade) bool { return !g.Applies })
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    float64       `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
}

// JUnit writes one test case per example.
func JUnit(w io.Writer, r eval.Result) error {
	s := junitSuite{Name: r.App + "/" + r.Suite + " " + r.Player, Tests: len(r.Rows)}
	for _, row := range r.Rows {
		c := junitCase{Name: row.Example.Name, Class: r.App + "." + r.Suite, Time: row.Ms / 1000}
		for _, g := range gradesOf(row) {
			if g.Score < 1 {
				s.Failures++
				c.Failure = &junitFailure{fmt.Sprintf("%s %.2f: %s", g.Name, g.Score, g.Reason)}
				break
			}
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

// SVG draws a path: one box per call, in order, failures and questions marked.
func SVG(p eval.Path) string {
	const wide, high, gap = 150, 44, 26
	var b strings.Builder
	n := len(p.Calls) + 1
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`,
		n*(wide+gap), high+20, n*(wide+gap), high+20, template.HTMLEscapeString("Calls in order: "+strings.Join(p.Tools(), ", ")))
	box := func(i int, label, note, fill string) {
		x := i * (wide + gap)
		fmt.Fprintf(&b, `<rect x="%d" y="8" width="%d" height="%d" rx="6" fill="%s" stroke="#555"/>`, x+1, wide, high, fill)
		fmt.Fprintf(&b, `<text x="%d" y="27" font-size="12" font-family="sans-serif" text-anchor="middle">%s</text>`, x+wide/2, template.HTMLEscapeString(label))
		fmt.Fprintf(&b, `<text x="%d" y="43" font-size="10" font-family="sans-serif" text-anchor="middle" fill="#333">%s</text>`, x+wide/2, template.HTMLEscapeString(note))
		if i > 0 {
			fmt.Fprintf(&b, `<path d="M%d 30 h%d m-5 -4 l5 4 l-5 4" fill="none" stroke="#555"/>`, x-gap+1, gap)
		}
	}
	for i, c := range p.Calls {
		note, fill := "came back", "#e8f2e8"
		switch {
		case c.Failed:
			note, fill = "failed", "#f7e3e0"
		case c.Asked:
			note, fill = "a person was asked", "#fdf3d7"
		case !c.Came:
			note, fill = "still open", "#eee"
		}
		box(i, short(c.Tool), note, fill)
	}
	end := "no answer"
	if p.Answered {
		end = "answer"
	}
	box(len(p.Calls), end, fmt.Sprintf("%d turns", p.Turns), "#e6ecf5")
	b.WriteString(`</svg>`)
	return b.String()
}

func short(s string) string {
	if len(s) > 22 {
		return s[:21] + "…"
	}
	return s
}

// HTML writes a page that stands alone: means with their intervals, the rows that went
// wrong, and the path of each example that has one.
func HTML(w io.Writer, r eval.Result) error {
	type bar struct {
		Name      string
		I         eval.Interval
		Least     float64
		Gated, OK bool
	}
	page := struct {
		R        eval.Result
		Bars     []bar
		Failures []eval.Row
		Passed   bool
	}{R: r, Failures: r.Failures(), Passed: r.Passed()}
	for _, name := range slices.Sorted(maps.Keys(r.Means)) {
		least, gated := r.Gates[name]
		page.Bars = append(page.Bars, bar{name, r.Means[name], least, gated, r.Means[name].Mean >= least})
	}
	if err := pageTemplate.Execute(w, page); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"pct":    func(f float64) string { return fmt.Sprintf("%.1f %%", 100*f) },
	"width":  func(f float64) string { return fmt.Sprintf("%.1f", 400*f) },
	"svg":    func(p eval.Path) template.HTML { return template.HTML(SVG(p)) }, // made above, every text escaped
	"grades": gradesOf,
}).Parse(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{.R.App}}/{{.R.Suite}}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.35rem .5rem;text-align:left;vertical-align:top}svg{max-width:100%;height:auto}code{font-size:.9em}</style></head><body>
<h1>{{.R.App}}/{{.R.Suite}}</h1>
<p>Played by <b>{{.R.Player}}</b>, {{len .R.Rows}} examples, {{.R.Started.Format "2 January 2006 15:04"}}. {{if .Passed}}Every gate is met.{{else}}A gate is not met.{{end}}</p>
<table><tr><th>grade</th><th>mean (95 % interval)</th><th></th><th>gate</th></tr>
{{range .Bars}}<tr><td>{{.Name}}</td><td>{{pct .I.Mean}} ({{pct .I.Low}} to {{pct .I.High}})</td>
<td><svg width="400" height="16" role="img" aria-label="{{pct .I.Mean}}"><rect width="400" height="16" fill="#eee"/><rect width="{{width .I.Mean}}" height="16" fill="#4a7bb0"/>{{if .Gated}}<rect x="{{width .Least}}" width="2" height="16" fill="#a33"/>{{end}}</svg></td>
<td>{{if .Gated}}{{pct .Least}}: {{if .OK}}met{{else}}not met{{end}}{{else}}none{{end}}</td></tr>{{end}}</table>
<h2>Examples that went wrong ({{len .Failures}})</h2>
{{range .Failures}}<h3>{{.Example.Name}}</h3><p>{{.Example.Scenario}}, {{.Example.Complexity}}</p>
<ul>{{range grades .}}<li>{{.Name}} {{pct .Score}} {{.Reason}}</li>{{end}}</ul>
{{if .Path.Calls}}{{svg .Path}}{{end}}{{else}}<p>None.</p>{{end}}
<h2>Paths</h2>
{{range .R.Rows}}{{if .Path.Calls}}<h3>{{.Example.Name}}</h3>{{svg .Path}}{{end}}{{end}}
</body></html>
`))
