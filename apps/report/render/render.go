// Package render writes a finished report for its readers: HTML with the charts
// inside, PDF, and Word for those who review there. All three are made from one list
// of blocks, which Blocks reads from the Markdown of the outline; instructions and
// reviews are left out, figures are numbered in order, and a chart without a picture
// is drawn from its rows.
//
// The Markdown itself needs no renderer: the outline with its drafts is the report.
package render

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/figure"
)

// A Block is one piece of a report: exactly one of its fields beside Level is set.
type Block struct {
	Level  int        // of a heading, from 1; 0: no heading
	Runs   []Run      // of a heading or a paragraph
	Items  [][]Run    // of a list
	Table  [][]string // rows of a table, the header first
	Figure *Figure
}

// A Run is text of one style.
type Run struct {
	Text         string
	Bold, Italic bool
}

// A Figure is a numbered picture.
type Figure struct {
	Number  int
	Caption string
	PNG     []byte
	SVG     string // drawn from the rows, "" if the run has a picture
}

// Pictures returns a figure's picture for the target of a Markdown image.
type Pictures interface {
	Picture(ctx context.Context, target string) (png []byte, svg string, err error)
}

// FromCatalog finds pictures in a run, and draws those it lacks.
type FromCatalog struct {
	Catalog *catalog.Catalog
	Backend catalog.Backend
}

// Picture returns the PNG a chart came with, or one drawn from its rows.
func (f FromCatalog) Picture(ctx context.Context, target string) ([]byte, string, error) {
	id, drawn := strings.CutPrefix(target, "chart:")
	for i := range f.Catalog.Charts {
		ch := &f.Catalog.Charts[i]
		if !drawn && ch.PNG == target {
			data, err := f.Catalog.Image(ch)
			return data, "", err
		}
		if drawn && ch.ID == id {
			return f.draw(ctx, ch)
		}
	}
	return nil, "", dossier.Errorf(dossier.NotFound, "The report shows %q, which is no chart of this run.", target)
}

func (f FromCatalog) draw(ctx context.Context, ch *catalog.Chart) ([]byte, string, error) {
	t, err := f.Backend.Table(ctx, ch)
	if err != nil {
		return nil, "", err
	}
	p, ok := figure.Of(ch, t)
	if !ok {
		return nil, "", dossier.Errorf(dossier.Invalid, "Chart %q has nothing to draw.", ch.ID)
	}
	png, err := p.PNG()
	return png, p.SVG(), err
}

var comments = regexp.MustCompile(`(?s)<!--.*?-->`)

// Blocks reads the Markdown of a report.
func Blocks(ctx context.Context, source []byte, pictures Pictures) ([]Block, error) {
	source = comments.ReplaceAll(bytes.TrimPrefix(source, []byte("\ufeff")), nil)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	b := &builder{ctx: ctx, source: source, pictures: pictures}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if err := b.block(n); err != nil {
			return nil, err
		}
	}
	return b.blocks, nil
}

type builder struct {
	ctx      context.Context //nolint:containedctx // lives for one call of Blocks
	source   []byte
	pictures Pictures
	blocks   []Block
	figures  int
}

func (b *builder) block(n ast.Node) error {
	switch n := n.(type) {
	case *ast.Heading:
		b.blocks = append(b.blocks, Block{Level: n.Level, Runs: b.runs(n, Run{})})
	case *ast.Paragraph, *ast.TextBlock:
		return b.paragraph(n)
	case *ast.List:
		var items [][]Run
		for i := n.FirstChild(); i != nil; i = i.NextSibling() {
			items = append(items, b.runs(i, Run{}))
		}
		b.blocks = append(b.blocks, Block{Items: items})
	case *east.Table:
		var rows [][]string
		for r := n.FirstChild(); r != nil; r = r.NextSibling() {
			var cells []string
			for c := r.FirstChild(); c != nil; c = c.NextSibling() {
				cells = append(cells, plain(b.runs(c, Run{})))
			}
			rows = append(rows, cells)
		}
		b.blocks = append(b.blocks, Block{Table: rows})
	case *ast.Blockquote:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if err := b.block(c); err != nil {
				return err
			}
		}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		b.blocks = append(b.blocks, Block{Runs: []Run{{Text: string(n.Lines().Value(b.source))}}})
	}
	return nil
}

// paragraph takes pictures out of a paragraph as figures of their own.
func (b *builder) paragraph(n ast.Node) error {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		img, ok := c.(*ast.Image)
		if !ok {
			continue
		}
		png, svg, err := b.pictures.Picture(b.ctx, string(img.Destination))
		if err != nil {
			return err
		}
		b.figures++
		b.blocks = append(b.blocks, Block{Figure: &Figure{Number: b.figures, Caption: plain(b.runs(img, Run{})), PNG: png, SVG: svg}})
	}
	if runs := b.runs(n, Run{}); strings.TrimSpace(plain(runs)) != "" {
		b.blocks = append(b.blocks, Block{Runs: runs})
	}
	return nil
}

// runs flattens the inline nodes below n.
func (b *builder) runs(n ast.Node, style Run) []Run {
	var out []Run
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			t := style
			t.Text = string(c.Segment.Value(b.source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				t.Text += " "
			}
			out = append(out, t)
		case *ast.String:
			t := style
			t.Text = string(c.Value)
			out = append(out, t)
		case *ast.Emphasis:
			t := style
			if c.Level == 2 {
				t.Bold = true
			} else {
				t.Italic = true
			}
			out = append(out, b.runs(c, t)...)
		case *ast.Image:
		default:
			out = append(out, b.runs(c, style)...)
		}
	}
	return out
}

func plain(runs []Run) string {
	var s strings.Builder
	for _, r := range runs {
		s.WriteString(r.Text)
	}
	return s.String()
}

// Formats are the names a report can be written in.
var Formats = []string{"md", "html", "pdf", "docx"}

// Write renders the Markdown of a report in a format other than Markdown.
func Write(ctx context.Context, format, title string, source []byte, pictures Pictures) ([]byte, error) {
	if err := Known(format); err != nil || format == "md" {
		return source, err
	}
	blocks, err := Blocks(ctx, source, pictures)
	if err != nil {
		return nil, err
	}
	switch format {
	case "html":
		return HTML(title, blocks), nil
	case "pdf":
		return PDF(title, blocks)
	default:
		return DOCX(title, blocks)
	}
}

// Known refuses a format that a report cannot be written in.
func Known(format string) error {
	if !slices.Contains(Formats, format) {
		return dossier.Errorf(dossier.Invalid, "There is no format %q; choose %s.", format, strings.Join(Formats, ", "))
	}
	return nil
}

func (f *Figure) label() string { return fmt.Sprintf("Figure %d. %s", f.Number, f.Caption) }
