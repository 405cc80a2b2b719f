package render

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"strings"
)

const (
	docxTypes = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`
	docxRels = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`
	docxNames = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`
)

// DOCX writes a Word document with heading styles, figures and captions.
func DOCX(title string, blocks []Block) ([]byte, error) {
	w := &docx{}
	for _, bl := range blocks {
		if err := w.block(bl); err != nil {
			return nil, err
		}
	}
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	parts := []struct{ name, text string }{
		{"[Content_Types].xml", docxTypes}, {"_rels/.rels", docxRels}, {"word/styles.xml", docxStyles()},
		{"docProps/core.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>` + escape(title) + `</dc:title></cp:coreProperties>`},
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document ` + docxNames + `><w:body>` + w.body.String() + `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>`},
		{"word/_rels/document.xml.rels", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rStyles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>` + w.rels.String() + `</Relationships>`},
	}
	for i, img := range w.images {
		parts = append(parts, struct{ name, text string }{fmt.Sprintf("word/media/image%d.png", i+1), string(img)})
	}
	for _, p := range parts {
		f, err := z.Create(p.name)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", p.name, err)
		}
		if _, err := f.Write([]byte(p.text)); err != nil {
			return nil, fmt.Errorf("write %s: %w", p.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("close the document: %w", err)
	}
	return buf.Bytes(), nil
}

type docx struct {
	body, rels strings.Builder
	images     [][]byte
}

func (w *docx) block(bl Block) error {
	switch {
	case bl.Level > 0:
		w.para(fmt.Sprintf("Heading%d", min(bl.Level, 4)), bl.Runs)
	case bl.Figure != nil:
		if err := w.picture(bl.Figure); err != nil {
			return err
		}
		w.para("Caption", []Run{{Text: bl.Figure.label()}})
	case bl.Table != nil:
		w.table(bl.Table)
	case bl.Items != nil:
		for _, item := range bl.Items {
			w.para("", append([]Run{{Text: "• "}}, item...))
		}
	default:
		w.para("", bl.Runs)
	}
	return nil
}

func (w *docx) para(style string, runs []Run) {
	w.body.WriteString("<w:p>")
	if style != "" {
		fmt.Fprintf(&w.body, `<w:pPr><w:pStyle w:val="%s"/></w:pPr>`, style)
	}
	for _, r := range runs {
		w.body.WriteString("<w:r>")
		if r.Bold || r.Italic {
			w.body.WriteString("<w:rPr>")
			if r.Bold {
				w.body.WriteString("<w:b/>")
			}
			if r.Italic {
				w.body.WriteString("<w:i/>")
			}
			w.body.WriteString("</w:rPr>")
		}
		fmt.Fprintf(&w.body, `<w:t xml:space="preserve">%s</w:t></w:r>`, escape(r.Text))
	}
	w.body.WriteString("</w:p>")
}

func (w *docx) table(rows [][]string) {
	w.body.WriteString(`<w:tbl><w:tblPr><w:tblBorders><w:bottom w:val="single" w:sz="4"/><w:insideH w:val="single" w:sz="4"/></w:tblBorders></w:tblPr>`)
	for i, row := range rows {
		w.body.WriteString("<w:tr>")
		for _, cell := range row {
			w.body.WriteString("<w:tc>")
			w.para("", []Run{{Text: cell, Bold: i == 0}})
			w.body.WriteString("</w:tc>")
		}
		w.body.WriteString("</w:tr>")
	}
	w.body.WriteString("</w:tbl><w:p/>")
}

// picture places a figure at the width of the text, in English Metric Units.
func (w *docx) picture(f *Figure) error {
	cfg, err := png.DecodeConfig(bytes.NewReader(f.PNG))
	if err != nil {
		return fmt.Errorf("figure %d: %w", f.Number, err)
	}
	w.images = append(w.images, f.PNG)
	n := len(w.images)
	const cx = 6_100_000
	cy := cx * cfg.Height / max(cfg.Width, 1)
	fmt.Fprintf(&w.rels, `<Relationship Id="rImg%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/image%d.png"/>`, n, n)
	fmt.Fprintf(&w.body, `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="%d" cy="%d"/><wp:docPr id="%d" name="Figure %d" descr="%s"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="%d" name="image%d.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rImg%d"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
		cx, cy, n, f.Number, escape(f.Caption), n, n, n, cx, cy)
	return nil
}

func docxStyles() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>`)
	for i, size := range []int{36, 30, 26, 24} {
		fmt.Fprintf(&b, `<w:style w:type="paragraph" w:styleId="Heading%d"><w:name w:val="heading %d"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="320" w:after="120"/><w:outlineLvl w:val="%d"/></w:pPr><w:rPr><w:b/><w:sz w:val="%d"/></w:rPr></w:style>`, i+1, i+1, i, size)
	}
	b.WriteString(`<w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/><w:basedOn w:val="Normal"/><w:rPr><w:i/><w:sz w:val="19"/></w:rPr></w:style></w:styles>`)
	return b.String()
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
