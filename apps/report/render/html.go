package render

import (
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

const style = `body{font:16px/1.55 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}
h1,h2,h3,h4{line-height:1.25;margin-top:2rem}figure{margin:1.5rem 0}figure img,figure svg{width:100%;height:auto;border:1px solid #e4e4e4}
figcaption{font-size:.875rem;color:#555;margin-top:.4rem}table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid #ddd;padding:.3rem .7rem;text-align:right}th:first-child,td:first-child{text-align:left}
@media print{body{max-width:none}figure,table{break-inside:avoid}}`

// HTML writes a page that needs nothing beside itself.
func HTML(title string, blocks []Block) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>%s</title><style>%s</style></head><body>\n", html.EscapeString(title), style)
	for _, bl := range blocks {
		switch {
		case bl.Level > 0:
			fmt.Fprintf(&b, "<h%d>%s</h%d>\n", min(bl.Level, 6), inline(bl.Runs), min(bl.Level, 6))
		case bl.Figure != nil:
			b.WriteString("<figure>")
			if bl.Figure.SVG != "" {
				b.WriteString(bl.Figure.SVG)
			} else {
				fmt.Fprintf(&b, `<img alt="%s" src="data:image/png;base64,%s">`, html.EscapeString(bl.Figure.Caption), base64.StdEncoding.EncodeToString(bl.Figure.PNG))
			}
			fmt.Fprintf(&b, "<figcaption>%s</figcaption></figure>\n", html.EscapeString(bl.Figure.label()))
		case bl.Table != nil:
			writeTable(&b, bl.Table)
		case bl.Items != nil:
			b.WriteString("<ul>")
			for _, item := range bl.Items {
				fmt.Fprintf(&b, "<li>%s</li>", inline(item))
			}
			b.WriteString("</ul>\n")
		default:
			fmt.Fprintf(&b, "<p>%s</p>\n", inline(bl.Runs))
		}
	}
	b.WriteString("</body></html>\n")
	return []byte(b.String())
}

func inline(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		text := html.EscapeString(r.Text)
		if r.Bold {
			text = "<strong>" + text + "</strong>"
		}
		if r.Italic {
			text = "<em>" + text + "</em>"
		}
		b.WriteString(text)
	}
	return b.String()
}

func writeTable(b *strings.Builder, rows [][]string) {
	b.WriteString("<table>")
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(b, "<%s>%s</%s>", tag, html.EscapeString(cell), tag)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>\n")
}
