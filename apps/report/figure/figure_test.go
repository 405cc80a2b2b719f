package figure_test

import (
	"bytes"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"dossier/apps/report/catalog"
	"dossier/apps/report/demo"
	"dossier/apps/report/figure"
)

func TestEveryDemoChartIsDrawn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range c.Charts {
		ch := &c.Charts[i]
		table, err := (&catalog.Memory{Catalog: c}).Table(t.Context(), ch)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := figure.Of(ch, table)
		if !ok {
			t.Errorf("%s is not drawn", ch.ID)
			continue
		}
		if svg := p.SVG(); !strings.Contains(svg, "<title>"+ch.Title) || strings.Contains(svg, "NaN") {
			t.Errorf("%s: %.200s", ch.ID, svg)
		}
		raw, err := p.PNG()
		if err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(bytes.NewReader(raw)); err != nil || img.Bounds().Dx() != 1000 {
			t.Errorf("%s: %v", ch.ID, err)
		}
	}
	if _, ok := figure.Of(&catalog.Chart{}, &catalog.Table{}); ok {
		t.Error("nothing is drawn")
	}
}
