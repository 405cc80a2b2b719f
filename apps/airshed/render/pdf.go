package render

import (
	"fmt"
	"strings"

	"github.com/johnfercher/maroto/v2"
	"github.com/johnfercher/maroto/v2/pkg/components/col"
	"github.com/johnfercher/maroto/v2/pkg/components/image"
	"github.com/johnfercher/maroto/v2/pkg/components/line"
	"github.com/johnfercher/maroto/v2/pkg/components/page"
	"github.com/johnfercher/maroto/v2/pkg/components/text"
	"github.com/johnfercher/maroto/v2/pkg/config"
	"github.com/johnfercher/maroto/v2/pkg/consts/align"
	"github.com/johnfercher/maroto/v2/pkg/consts/extension"
	"github.com/johnfercher/maroto/v2/pkg/consts/fontstyle"
	"github.com/johnfercher/maroto/v2/pkg/consts/pagesize"
	"github.com/johnfercher/maroto/v2/pkg/core"
	"github.com/johnfercher/maroto/v2/pkg/core/entity"
	"github.com/johnfercher/maroto/v2/pkg/props"
	"github.com/johnfercher/maroto/v2/pkg/repository"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"
)

const family = "go"

// headAndRows is the height of a heading with its note and the first rows, in mm.
const headAndRows = 32

var (
	red   = &props.Color{Red: 0xb0, Green: 0x2a, Blue: 0x12}
	grey  = &props.Color{Red: 0x5a, Green: 0x65, Blue: 0x75}
	shade = &props.Cell{BackgroundColor: &props.Color{Red: 0xf4, Green: 0xf6, Blue: 0xf9}}
)

// PDF writes the document as A4 pages.
func PDF(d Document) ([]byte, error) {
	fonts, err := repository.New().
		AddUTF8FontFromBytes(family, fontstyle.Normal, goregular.TTF).
		AddUTF8FontFromBytes(family, fontstyle.Bold, gobold.TTF).
		AddUTF8FontFromBytes(family, fontstyle.Italic, goitalic.TTF).
		AddUTF8FontFromBytes(family, fontstyle.BoldItalic, gobold.TTF).Load()
	if err != nil {
		return nil, fmt.Errorf("load fonts: %w", err)
	}
	p := pages{maroto.New(pageSetup(d, fonts))}
	if err := p.write(d); err != nil {
		return nil, err
	}
	doc, err := p.Generate()
	if err != nil {
		return nil, fmt.Errorf("write PDF of %s: %w", d.Report.ReportID, err)
	}
	return doc.GetBytes(), nil
}

func pageSetup(d Document, fonts []*entity.CustomFont) *entity.Config {
	return config.NewBuilder().
		WithPageSize(pagesize.A4).WithLeftMargin(16).WithRightMargin(16).WithTopMargin(14).WithBottomMargin(14).
		WithSequentialMode().
		WithCustomFonts(fonts).WithDefaultFont(&props.Font{Family: family, Size: 9.5}).
		WithTitle(d.Report.ReportID, true).WithSubject("Report to the Commission for Air Quality Management", true).
		WithCreator("Dossier", true).WithCreationDate(d.Report.Timestamp).
		WithPageNumber(props.PageNumber{Pattern: strings.TrimSpace(d.Report.ReportID+"   "+d.draft()) + "   page {current} of {total}", Place: props.Bottom, Family: family, Size: 8, Color: grey}).
		Build()
}

// pages adds the parts of a report to a PDF.
type pages struct{ core.Maroto }

func (p pages) write(d Document) error {
	r := d.Report
	if mark := d.draft(); mark != "" {
		p.para(mark, props.Text{Size: 11.5, Style: fontstyle.Bold, Color: red, Bottom: 2})
	}
	p.para("Report to the Commission for Air Quality Management", props.Text{Size: 16, Style: fontstyle.Bold})
	p.para(fmt.Sprintf("%s · made %s · case %s · sweep %s · %s", r.ReportID, stamp(r.Timestamp), r.CaseID, r.SweepID, d.filed()), props.Text{Size: 8.5, Color: grey, Top: 1, Bottom: 2})
	p.AddRow(3, line.NewCol(12, props.Line{SizePercent: 100}))
	p.para(r.ExecutiveSummary, props.Text{Size: 11.5, Top: 1, Bottom: 1})
	p.heading("Reasoning")
	p.AddAutoRow(text.NewCol(12, r.Reasoning, props.Text{Top: 1.5, Bottom: 1.5, Left: 2, Right: 2})).WithStyle(shade)
	p.list("To be read with it", r.Caveats)
	p.list("Gaps in the data", r.DataQuality.Gaps)
	c := r.LegalCitations
	p.list("Legal basis", append([]string{c.CAQMDirection}, c.ApplicableSections...))
	p.para(c.EnforcementRequest+".", props.Text{Style: fontstyle.Bold, Top: 1})
	if len(c.Addressees) > 0 {
		p.para("Addressed to: "+strings.Join(c.Addressees, "; ")+".", props.Text{})
	}
	p.list("", c.Exclusions)
	p.list("Recommendations", r.Recommendations)
	if err := p.picture("Map", drawMap(d), 102, fmt.Sprintf("Fires within %v km of %s in the window of this report.", r.Rules.RadiusKm, r.SurgeDetails.Station)); err != nil {
		return err
	}
	if err := p.picture("Index and fires", drawChart(d), 72, "The index of the station and the fires round it in the week before the surge."); err != nil {
		return err
	}
	for _, t := range d.tables() {
		p.table(t)
	}
	return p.end(d)
}

func (p pages) para(s string, style props.Text) { p.AddAutoRow(text.NewCol(12, s, style)) }

func (p pages) heading(s string) {
	p.para(s, props.Text{Size: 11.5, Style: fontstyle.Bold, Top: 4, Bottom: 1})
}

func (p pages) list(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	if heading != "" {
		p.heading(heading)
	}
	for _, item := range items {
		p.para("•  "+item, props.Text{Left: 2, Bottom: 0.5})
	}
}

func (p pages) picture(heading string, s *scene, height float64, caption string) error {
	raw, err := s.png(2)
	if err != nil {
		return err
	}
	// One row, so that heading and caption stay on the picture's page. The picture fills nine
	// tenths of it and stands in the middle of the 178 mm between the margins.
	wide := 0.9 * min(178, (height+9)*s.width/s.height)
	p.AddRow(height+9, col.New(12).Add(
		text.New(heading, props.Text{Size: 11.5, Style: fontstyle.Bold, Top: 3}),
		text.New(caption, props.Text{Size: 8.5, Color: grey, Align: align.Right, Top: 4}),
		image.NewFromBytes(raw, extension.Png, props.Rect{Top: 9, Left: (178 - wide) / 2, Percent: 90}),
	))
	return nil
}

func (p pages) table(t table) {
	if !p.FitlnCurrentPage(headAndRows) {
		p.AddPages(page.New()) // a heading does not stand alone at the foot
	}
	p.heading(t.Heading)
	if t.Note != "" {
		p.para(t.Note, props.Text{Size: 8.5, Color: grey, Bottom: 1})
	}
	if len(t.Rows) == 0 {
		return
	}
	p.AddAutoRow(cells(t, t.Columns, fontstyle.Bold)...).WithStyle(shade)
	for _, row := range t.Rows {
		p.AddAutoRow(cells(t, row, fontstyle.Normal)...)
	}
}

func cells(t table, row []string, style fontstyle.Type) []core.Col {
	var out []core.Col
	for i, cell := range row {
		out = append(out, text.NewCol(t.Wide[i], cell, props.Text{Size: 8.5, Style: style, Top: 0.8, Bottom: 0.8, Left: 1}))
	}
	return out
}

// end adds the signature block and the code.
func (p pages) end(d Document) error {
	code, err := qrCode(d.VerifyURL)
	if err != nil {
		return err
	}
	p.AddRow(40,
		col.New(8).Add(
			text.New("_______________________________", props.Text{Top: 20, Color: grey}),
			text.New("Legal officer", props.Text{Top: 26, Style: fontstyle.Bold}),
			text.New(d.signature(), props.Text{Top: 31, Size: 8.5}),
		),
		image.NewFromBytesCol(4, code, extension.Png, props.Rect{Center: true, Percent: 90}),
	)
	p.para("Verify: "+d.VerifyURL, props.Text{Size: 8, Color: grey, Align: align.Right})
	return nil
}
