package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
)

var pageTemplate = template.Must(template.New("report").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{.R.ReportID}}</title>
<style>
@page{size:A4;margin:16mm}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:#222a35;background:#fff;max-width:52rem;margin:0 auto;padding:1.5rem}
header{border-bottom:3px solid #222a35;padding-bottom:.6rem;margin-bottom:1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
.draft{color:#b02a12;font-weight:700;letter-spacing:.02em}
.meta{color:#5a6575;font-size:.9rem}
.summary{font-size:1.1rem;border-left:4px solid #c43e1c;padding:.2rem 0 .2rem .9rem}
.reason{background:#f4f6f9;padding:.7rem .9rem;border-radius:4px}
figure{margin:1rem 0;break-inside:avoid}figure svg{width:100%;height:auto;border:1px solid #dde2e9}
figcaption,.note{font-size:.88rem;color:#5a6575;margin:.2rem 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem;break-inside:avoid}
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #dde2e9;vertical-align:top;overflow-wrap:anywhere}th{background:#f4f6f9}
.end{display:flex;gap:2rem;align-items:flex-start;margin-top:2rem;break-inside:avoid;flex-wrap:wrap}
.end img{width:9rem}.sign{flex:1;min-width:16rem}.line{border-bottom:1px solid #222a35;height:3.5rem;margin-bottom:.3rem}
</style></head><body>
<header>{{if .Draft}}<div class="draft">{{.Draft}}</div>{{end}}<h1>Report to the Commission for Air Quality Management</h1>
<div class="meta">{{.R.ReportID}} · made {{.Made}} · case {{.R.CaseID}} · sweep {{.R.SweepID}} · {{.Filed}}</div></header>
<p class="summary">{{.R.ExecutiveSummary}}</p>
<h2>Reasoning</h2><p class="reason">{{.R.Reasoning}}</p>
{{if .R.Caveats}}<h2>To be read with it</h2><ul>{{range .R.Caveats}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{if .R.DataQuality.Gaps}}<h2>Gaps in the data</h2><ul>{{range .R.DataQuality.Gaps}}<li>{{.}}</li>{{end}}</ul>{{end}}
<h2>Legal basis</h2><ul><li>{{.R.LegalCitations.CAQMDirection}}</li>{{range .R.LegalCitations.ApplicableSections}}<li>{{.}}</li>{{end}}</ul>
<p><strong>{{.R.LegalCitations.EnforcementRequest}}.</strong></p>
{{if .R.LegalCitations.Addressees}}<p>Addressed to: {{range $i,$a := .R.LegalCitations.Addressees}}{{if $i}}; {{end}}{{$a}}{{end}}.</p>{{end}}
<ul>{{range .R.LegalCitations.Exclusions}}<li>{{.}}</li>{{end}}</ul>
<h2>Recommendations</h2><ol>{{range .R.Recommendations}}<li>{{.}}</li>{{end}}</ol>
<figure>{{.Map}}<figcaption>Fires within {{.R.Rules.RadiusKm}} km of {{.R.SurgeDetails.Station}} in the window of this report.</figcaption></figure>
<figure>{{.Chart}}<figcaption>The index of the station and the fires round it in the week before the surge.</figcaption></figure>
{{range .Tables}}<h2>{{.Heading}}</h2>{{if .Note}}<p class="note">{{.Note}}</p>{{end}}{{if .Rows}}<div class="scroll"><table><thead><tr>{{range .Columns}}<th scope="col">{{.}}</th>{{end}}</tr></thead><tbody>{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</tbody></table></div>{{end}}{{end}}
<div class="end"><div class="sign"><div class="line"></div><strong>Legal officer</strong><br>{{.Signature}}</div>
<div><img src="{{.QR}}" alt="Code that leads to the verification bundle"><div class="note">Verify: {{.Verify}}</div></div></div>
</body></html>`))

// HTML writes the document as one page that needs nothing else and prints on A4.
func HTML(d Document) ([]byte, error) {
	code, err := qrCode(d.VerifyURL)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, struct {
		R                 any
		Draft             string
		Made, Filed       string
		Map, Chart        template.HTML // drawn by us; every text in it is escaped
		Tables            []table
		Signature, Verify string
		QR                template.URL
	}{
		d.Report, d.draft(), stamp(d.Report.Timestamp), d.filed(), template.HTML(drawMap(d).svg()), template.HTML(drawChart(d).svg()), //nolint:gosec // see above
		d.tables(), d.signature(), d.VerifyURL,
		template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(code)), //nolint:gosec // our own picture
	})
	if err != nil {
		return nil, fmt.Errorf("write page of %s: %w", d.Report.ReportID, err)
	}
	return b.Bytes(), nil
}
