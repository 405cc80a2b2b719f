package render

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"

	"github.com/johnfercher/maroto/v2"
	"github.com/johnfercher/maroto/v2/pkg/components/image"
	"github.com/johnfercher/maroto/v2/pkg/components/text"
	"github.com/johnfercher/maroto/v2/pkg/config"
	"github.com/johnfercher/maroto/v2/pkg/consts/align"
	"github.com/johnfercher/maroto/v2/pkg/consts/extension"
	"github.com/johnfercher/maroto/v2/pkg/consts/fontstyle"
	"github.com/johnfercher/maroto/v2/pkg/consts/pagesize"
	"github.com/johnfercher/maroto/v2/pkg/core"
	"github.com/johnfercher/maroto/v2/pkg/props"
	"github.com/johnfercher/maroto/v2/pkg/repository"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"
)

const pdfFont = "go"

// PDF writes the report as pages of A4.
func PDF(title string, blocks []Block) ([]byte, error) {
	fonts, err := repository.New().
		AddUTF8FontFromBytes(pdfFont, fontstyle.Normal, goregular.TTF).
		AddUTF8FontFromBytes(pdfFont, fontstyle.Bold, gobold.TTF).
		AddUTF8FontFromBytes(pdfFont, fontstyle.Italic, goitalic.TTF).
		Load()
	if err != nil {
		return nil, fmt.Errorf("load the built-in fonts: %w", err)
	}
	cfg := config.NewBuilder().WithPageSize(pagesize.A4).WithLeftMargin(20).WithRightMargin(20).WithTopMargin(18).WithBottomMargin(18).
		WithCustomFonts(fonts).WithDefaultFont(&props.Font{Family: pdfFont, Size: 10}).
		WithTitle(title, true).WithPageNumber(props.PageNumber{Pattern: "{current} / {total}", Place: props.Bottom, Family: pdfFont, Size: 8}).Build()
	m := maroto.New(cfg)
	for _, bl := range blocks {
		if err := pdfBlock(m, bl); err != nil {
			return nil, err
		}
	}
	doc, err := m.Generate()
	if err != nil {
		return nil, fmt.Errorf("make the PDF: %w", err)
	}
	return doc.GetBytes(), nil
}

func pdfBlock(m core.Maroto, bl Block) error {
	switch {
	case bl.Level > 0:
		size := []float64{18, 14, 12, 11}[min(bl.Level, 4)-1]
		m.AddAutoRow(text.NewCol(12, glyphs(plain(bl.Runs)), props.Text{Size: size, Style: fontstyle.Bold, Top: 5, Bottom: 2}))
	case bl.Figure != nil:
		cfg, err := png.DecodeConfig(bytes.NewReader(bl.Figure.PNG))
		if err != nil {
			return fmt.Errorf("figure %d: %w", bl.Figure.Number, err)
		}
		height := 165 * float64(cfg.Height) / float64(max(cfg.Width, 1))
		m.AddRow(min(height, 120), image.NewFromBytesCol(12, bl.Figure.PNG, extension.Png, props.Rect{Center: true, Percent: 98}))
		m.AddAutoRow(text.NewCol(12, glyphs(bl.Figure.label()), props.Text{Size: 8, Style: fontstyle.Italic, Top: 1, Bottom: 4}))
	case bl.Table != nil:
		pdfTable(m, bl.Table)
	case bl.Items != nil:
		for _, item := range bl.Items {
			m.AddAutoRow(text.NewCol(12, glyphs("• "+plain(item)), props.Text{Size: 10, Left: 4, Bottom: 1, VerticalPadding: 1}))
		}
	default:
		m.AddAutoRow(text.NewCol(12, glyphs(plain(bl.Runs)), props.Text{Size: 10, Top: 1, Bottom: 2, VerticalPadding: 1}))
	}
	return nil
}

// pdfTable lays a table on the grid of twelve columns; the first cell gets what the
// others leave.
func pdfTable(m core.Maroto, rows [][]string) {
	for i, row := range rows {
		style := fontstyle.Normal
		if i == 0 {
			style = fontstyle.Bold
		}
		var cols []core.Col
		n := max(len(row)-1, 1)
		each := max(9/n, 1)
		first := max(12-each*n, 1)
		for j, cell := range row {
			p := props.Text{Size: 8, Style: style, Align: align.Right, Top: 1, Bottom: 1}
			size := each
			if j == 0 {
				p.Align, size = align.Left, first
			}
			cols = append(cols, text.NewCol(size, glyphs(cell), p))
		}
		m.AddAutoRow(cols...)
	}
}

// glyphs writes what the built-in font lacks in another way.
func glyphs(s string) string {
	return strings.NewReplacer("\u202f", " ", "\u00a0", " ").Replace(s)
}
