package render_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/demo"
	"dossier/apps/report/render"
)

const report = `# Results
<!-- Section instructions: secret -->
<!-- Review comments: RATING: clarity=2 -->

Emissions **fall** by 472.53 Mt CO₂-e & *rise* nowhere.

![Net Emissions, Mt CO₂-e](chart:net_emissions_by_sector)

## Detail

| Scenario | 2025 |
|---|---:|
| A | −71.48 |

- one
- two

![Vehicles](chart:road_vehicle_stock_by_drivetrain)
`

func pictures(t testing.TB) render.FromCatalog {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(context.Background(), filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return render.FromCatalog{Catalog: c, Backend: &catalog.Memory{Catalog: c}}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	blocks, err := render.Blocks(t.Context(), []byte(report), pictures(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R-111 headings in order at their level", func(t *testing.T) {
		t.Parallel()
		if blocks[0].Level != 1 || blocks[3].Level != 2 || len(blocks) != 7 {
			t.Errorf("%d blocks: %+v", len(blocks), blocks)
		}
	})
	t.Run("R-113 figures are numbered", func(t *testing.T) {
		t.Parallel()
		if f := blocks[2].Figure; f == nil || f.Number != 1 || f.Caption != "Net Emissions, Mt CO₂-e" || len(f.PNG) < 1000 || !strings.HasPrefix(f.SVG, "<svg") {
			t.Errorf("figure %+v", f)
		}
		if f := blocks[6].Figure; f == nil || f.Number != 2 {
			t.Errorf("figure %+v", f)
		}
	})
	t.Run("an unknown chart is refused", func(t *testing.T) {
		t.Parallel()
		_, err := render.Blocks(t.Context(), []byte("# A\n\n![x](../../etc/passwd)\n"), pictures(t))
		if dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("Blocks = %v", err)
		}
	})
}

func TestFormats(t *testing.T) {
	t.Parallel()
	p := pictures(t)
	write := func(t *testing.T, format string) []byte {
		t.Helper()
		out, err := render.Write(t.Context(), format, "Results", []byte(report), p)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Run("html", func(t *testing.T) {
		t.Parallel()
		out := string(write(t, "html"))
		for _, want := range []string{"<h1>Results</h1>", "<strong>fall</strong>", "Mt CO₂-e &amp; ", "<figcaption>Figure 2. Vehicles</figcaption>", "<td>−71.48</td>", "<li>two</li>"} {
			if !strings.Contains(out, want) {
				t.Errorf("HTML lacks %s", want)
			}
		}
		if strings.Contains(out, "secret") || strings.Contains(out, "clarity=2") {
			t.Error("instructions or reviews reach the readers")
		}
	})
	t.Run("pdf", func(t *testing.T) {
		t.Parallel()
		out := write(t, "pdf")
		if !bytes.HasPrefix(out, []byte("%PDF-")) || bytes.Count(out, []byte("/Subtype /Image")) < 2 {
			t.Errorf("%d bytes, %d pictures", len(out), bytes.Count(out, []byte("/Subtype /Image")))
		}
	})
	t.Run("docx", func(t *testing.T) {
		t.Parallel()
		out := write(t, "docx")
		z, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string]string{}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			parts[f.Name] = string(data)
			if strings.HasSuffix(f.Name, ".xml") || strings.HasSuffix(f.Name, ".rels") {
				wellFormed(t, f.Name, data)
			}
		}
		doc := parts["word/document.xml"]
		for _, want := range []string{`w:val="Heading2"`, "−71.48", "Figure 2. Vehicles", `r:embed="rImg2"`} {
			if !strings.Contains(doc, want) {
				t.Errorf("document lacks %s", want)
			}
		}
		if len(parts["word/media/image2.png"]) < 1000 {
			t.Error("the second picture is missing")
		}
	})
	t.Run("no such format", func(t *testing.T) {
		t.Parallel()
		if _, err := render.Write(t.Context(), "rtf", "x", []byte(report), p); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("Write = %v", err)
		}
	})
}

func wellFormed(t *testing.T, name string, data []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
