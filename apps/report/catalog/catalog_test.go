package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/demo"
)

func demoRun(t testing.TB) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	return open(t, filepath.Join(dir, "run"))
}

func open(t testing.TB, dir string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// folder writes files into a new data root.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func chart(t testing.TB, c *catalog.Catalog, id string) *catalog.Chart {
	t.Helper()
	ch, err := c.Chart(id)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func TestDemoRun(t *testing.T) {
	t.Parallel()
	c := demoRun(t)
	t.Run("R-018 R-020 R-106 R-124 categories", func(t *testing.T) {
		t.Parallel()
		want := []catalog.Category{{"agriculture", 1}, {"buildings", 3}, {"electricity", 3}, {"emissions", 3}, {"industry", 1}, {"transport", 2}}
		if d := cmp.Diff(want, c.Categories()); d != "" {
			t.Error(d)
		}
	})
	t.Run("R-019 R-021 R-083 metadata", func(t *testing.T) {
		t.Parallel()
		ch := chart(t, c, "emissions_reduction_by_sector")
		if ch.Title != "Emissions Reduction by Sector" || ch.Units != "Mt CO₂-e" || ch.RowCount != 24 || ch.Shape != catalog.Long {
			t.Errorf("chart %+v", ch)
		}
		if d := cmp.Diff([]string{"process_sector0", "scen"}, ch.Dimensions); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"val"}, ch.Measures); d != "" {
			t.Error(d)
		}
	})
	t.Run("R-022 R-096 scenarios", func(t *testing.T) {
		t.Parallel()
		want := []string{"Ampol-1p5DS", "Ampol-2p5DS", "Ampol-House-View"}
		if d := cmp.Diff(want, c.Scenarios()); d != "" {
			t.Error(d)
		}
	})
	t.Run("R6 another spelling is made usual and kept", func(t *testing.T) {
		t.Parallel()
		ch := chart(t, c, "commercial_energy_use_by_fuel")
		if !slices.Contains(ch.Scenarios, "Ampol-1p5DS") || !strings.Contains(strings.Join(ch.Warnings, " "), "Ampol-1P5Ds") {
			t.Errorf("scenarios %v, warnings %v", ch.Scenarios, ch.Warnings)
		}
		table, err := (&catalog.Memory{Catalog: c}).Table(t.Context(), ch)
		if err != nil || table.Rows[0].Written != "Ampol-1P5Ds" || table.Rows[0].Scenario != "Ampol-1p5DS" {
			t.Errorf("row %+v, %v", table.Rows[0], err)
		}
	})
	t.Run("R-110 several units", func(t *testing.T) {
		t.Parallel()
		if got := chart(t, c, "storage_capacity").Units; got != "GW; GWh" {
			t.Errorf("units %q, want GW; GWh", got)
		}
	})
	t.Run("R-109 no picture, no specification", func(t *testing.T) {
		t.Parallel()
		ch := chart(t, c, "renewable_share")
		if ch.PNG != "" || ch.JSON != "" || ch.RowCount != 3 {
			t.Errorf("chart %+v", ch)
		}
		if _, err := c.Image(ch); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("Image = %v, want not found", err)
		}
		if _, err := c.PlotSpec(ch); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("PlotSpec = %v, want not found", err)
		}
	})
}

func TestSpecs(t *testing.T) {
	t.Parallel()
	one := `{"title":"Net Emissions by Sector","category":"emissions","si_unit":"Mt","base_year":2025}`
	two := `{"title":"Other","si_unit":"['TWh' 'PJ']"}`
	for name, text := range map[string]string{
		"R6 array": "[" + one + "," + two + "]", "R6 concatenated": one + "\n" + two, "R6 keyed": `{"x":` + one + `,"y":` + two + "}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			specs, err := catalog.ParseSpecs([]byte(text))
			if err != nil || len(specs) != 2 || specs[0].Title != "Net Emissions by Sector" || specs[0].BaseYear != 2025 {
				t.Fatalf("specs %+v, %v", specs, err)
			}
			if d := cmp.Diff([]string{"TWh", "PJ"}, specs[1].Units()); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("R6 one object", func(t *testing.T) {
		t.Parallel()
		if specs, err := catalog.ParseSpecs([]byte(one)); err != nil || len(specs) != 1 {
			t.Errorf("specs %+v, %v", specs, err)
		}
	})
	t.Run("broken, with its line", func(t *testing.T) {
		t.Parallel()
		_, err := catalog.ParseSpecs([]byte(one + "\n{\n"))
		if dossier.KindOf(err) != dossier.Invalid || !strings.Contains(err.Error(), "line") {
			t.Errorf("ParseSpecs = %v", err)
		}
	})
}

func TestShapes(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"a/wide.csv":         "scen,dim,unit,2025,2050\nA,x,PJ,1.5,\nA,,PJ,nan,-2\n",
		"a/long.csv":         "dim,val,measure,scen\nx,1e3,absolute,A\n",
		"a/picture_only.png": "\x89PNG\r\n\x1a\nrest",
		"a/spec_only.json":   `{"layout":{"yaxis":{"title":{"text":"PJ"}}}}`,
		"a/both.csv":         "dim,val\nx,1\n",
		"b/both.csv":         "dim,val\ny,2\n",
		"a/words.csv":        "dim,note\nx,1\n",
		"a/bad.csv":          "dim,val\nx,many\n",
		"project_view_1.csv": "anything\n",
	})
	c := open(t, dir)
	m := &catalog.Memory{Catalog: c}
	t.Run("R-107 wide with gaps", func(t *testing.T) {
		t.Parallel()
		table, err := m.Table(t.Context(), chart(t, c, "wide"))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(table.Rows[0].Cells); n != 1 {
			t.Errorf("an empty cell counts: %d cells", n)
		}
		if v, ok := table.Rows[1].At(2050); !ok || v.Float64() != -2 || table.Rows[1].Label != catalog.Blank {
			t.Errorf("row %+v", table.Rows[1])
		}
	})
	t.Run("R-108 long", func(t *testing.T) {
		t.Parallel()
		table, err := m.Table(t.Context(), chart(t, c, "long"))
		if err != nil || table.Shape != catalog.Long || table.Rows[0].Cells[0].Value.Float64() != 1000 {
			t.Errorf("table %+v, %v", table, err)
		}
	})
	t.Run("R-083 presence", func(t *testing.T) {
		t.Parallel()
		if ch := chart(t, c, "picture_only"); ch.CSV != "" || ch.Title != "Picture Only" {
			t.Errorf("chart %+v", ch)
		}
		if ch := chart(t, c, "spec_only"); ch.Units != "PJ" {
			t.Errorf("units %q, want PJ from the y axis", ch.Units)
		}
	})
	t.Run("equal names get their category", func(t *testing.T) {
		t.Parallel()
		if chart(t, c, "a/both").ID != "a/both" || chart(t, c, "b/both").RowCount != 1 {
			t.Error("charts of one name are not told apart")
		}
	})
	t.Run("bad data is said", func(t *testing.T) {
		t.Parallel()
		if ch := chart(t, c, "words"); ch.Shape != catalog.Empty || len(ch.Warnings) == 0 {
			t.Errorf("chart %+v", ch)
		}
		if _, err := m.Table(t.Context(), chart(t, c, "bad")); dossier.KindOf(err) != dossier.Invalid || !strings.Contains(err.Error(), "Line 2") {
			t.Errorf("Table = %v", err)
		}
	})
	t.Run("R-018 project views are optional", func(t *testing.T) {
		t.Parallel()
		if d := cmp.Diff([]string{"project_view_1.csv"}, c.ProjectViews); d != "" {
			t.Error(d)
		}
	})
	t.Run("R-064 SQL needs the other backend", func(t *testing.T) {
		t.Parallel()
		if _, err := m.Query(t.Context(), "select 1", catalog.Limits{}); dossier.KindOf(err) != dossier.Unavailable {
			t.Errorf("Query = %v", err)
		}
	})
}

func TestNestedCategories(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t, map[string]string{
		"a/b.csv": "scen,val\nA,1\n", "a/m/x.csv": "scen,val\nA,1\n", "a/z.csv": "scen,val\nA,1\n", "a/émile_zola.csv": "scen,val\nA,1\n",
	}))
	t.Run("R-020 R-106 a category once, however deep", func(t *testing.T) {
		t.Parallel()
		if got := c.Categories(); len(got) != 2 || got[0] != (catalog.Category{Name: "a", Charts: 3}) || got[1] != (catalog.Category{Name: "a/m", Charts: 1}) {
			t.Errorf("categories %+v", got)
		}
	})
	t.Run("R-019 a title in any script", func(t *testing.T) {
		t.Parallel()
		if got := chart(t, c, "émile_zola").Title; got != "Émile Zola" {
			t.Errorf("title %q", got)
		}
	})
}

func TestNeverLeavesTheRoot(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret.csv": "dim,val\nx,1\n", "d/inner.csv": "dim,val\nx,1\n"})
	dir := folder(t, map[string]string{"a/ok.csv": "dim,val\nx,1\n"})
	for link, to := range map[string]string{
		"a/leak.csv": filepath.Join(outside, "secret.csv"), "b": filepath.Join(outside, "d"), "a/up.csv": "../../" + filepath.Base(outside) + "/secret.csv",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, dir)
	t.Run("R-067 R-091 links", func(t *testing.T) {
		t.Parallel()
		if len(c.Charts) != 1 || len(c.Warnings) < 3 {
			t.Errorf("charts %v, warnings %v", c.Charts, c.Warnings)
		}
	})
	for _, id := range []string{"../secret", "/etc/passwd", "a/../../secret", "a/ok.csv", "leak"} {
		t.Run("R-091 "+id, func(t *testing.T) {
			t.Parallel()
			if _, err := c.Chart(id); dossier.KindOf(err) != dossier.NotFound {
				t.Errorf("Chart(%q) = %v, want not found", id, err)
			}
		})
	}
	t.Run("R-091 a forged path", func(t *testing.T) {
		t.Parallel()
		m := &catalog.Memory{Catalog: c}
		for _, p := range []string{"../" + filepath.Base(outside) + "/secret.csv", filepath.Join(outside, "secret.csv"), "a/leak.csv"} {
			if _, err := m.Table(t.Context(), &catalog.Chart{ID: "x", CSV: p}); dossier.KindOf(err) != dossier.NotFound {
				t.Errorf("Table(%q) = %v, want not found", p, err)
			}
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := catalog.Open(t.Context(), filepath.Join(t.TempDir(), "none")); dossier.KindOf(err) != dossier.NotFound {
		t.Errorf("missing folder: %v", err)
	}
	if _, err := catalog.Open(t.Context(), t.TempDir()); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("empty folder: %v", err)
	}
}

func TestPlotly(t *testing.T) {
	t.Parallel()
	t.Run("R-003 R-030 R6 bdata", func(t *testing.T) {
		t.Parallel()
		out, err := catalog.ExpandPlotly(json.RawMessage(`{"data":[{"x":{"dtype":"i2","bdata":"6QcCCA=="},"y":{"dtype":"f8","bdata":"AAAAAAAA+D8AAAAAAAD4fw=="},"name":"A"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(out), `{"data":[{"name":"A","x":[2025,2050],"y":[1.5,null]}]}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	for _, bad := range []string{`{"dtype":"f8","bdata":"AAA="}`, `{"dtype":"c16","bdata":"AAAAAAAA+D8="}`, `{"dtype":"f8","bdata":"?"}`, `[1,`, ``} {
		if _, err := catalog.ExpandPlotly(json.RawMessage(bad)); err == nil {
			t.Errorf("ExpandPlotly(%s) passes", bad)
		}
	}
	t.Run("every demo specification", func(t *testing.T) {
		t.Parallel()
		c := demoRun(t)
		for i := range c.Charts {
			if c.Charts[i].JSON == "" {
				continue
			}
			out, err := c.PlotSpec(&c.Charts[i])
			if err != nil || strings.Contains(string(out), "bdata") {
				t.Errorf("%s: %v", c.Charts[i].ID, err)
			}
		}
	})
}

func TestTotals(t *testing.T) {
	t.Parallel()
	c := demoRun(t)
	m := &catalog.Memory{Catalog: c}
	totals, err := m.Totals(t.Context(), chart(t, c, "net_emissions_by_sector"), 2025)
	if err != nil || len(totals) != 3 || totals[0].Value.String() != "401.05" || totals[0].Rows != 7 {
		t.Errorf("totals %+v, %v", totals, err)
	}
}

func FuzzExpandPlotly(f *testing.F) {
	f.Add([]byte(`{"y":{"dtype":"f8","bdata":"AAAAAAAA+D8="}}`))
	f.Add([]byte(`[{"a":[1,2,{"dtype":"i1","bdata":"/w=="}]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if out, err := catalog.ExpandPlotly(raw); err == nil && !json.Valid(out) {
			t.Fatalf("%s is not JSON", out)
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add("scen,dim,unit,2025,2050\nA,x,PJ,1,2\n")
	f.Add("dim,val,measure,scen\n\"a,b\",-1e3,relative,A\n")
	f.Add("val,year\n1,2020\n,\n")
	f.Fuzz(func(t *testing.T, csv string) {
		c, err := catalog.Open(t.Context(), folder(t, map[string]string{"a/x.csv": csv}))
		if err != nil {
			return
		}
		defer c.Close()
		ch, _ := c.Chart("x")
		table, err := (&catalog.Memory{Catalog: c}).Table(t.Context(), ch)
		if err == nil && len(table.Rows) != ch.RowCount {
			t.Fatalf("%d rows read, %d counted", len(table.Rows), ch.RowCount)
		}
	})
}

// synthetic writes a run of n wide charts in folders of a hundred.
func synthetic(b testing.TB, n int) string {
	files := map[string]string{}
	for i := range n {
		var s strings.Builder
		s.WriteString("scen,fuel,unit,2025,2026,2027,2028,2029,2030,2035,2040,2045,2050\n")
		for r := range 24 {
			fmt.Fprintf(&s, "S%d,fuel %d,PJ", r%3, r/3)
			for y := range 10 {
				fmt.Fprintf(&s, ",%d.%02d", (i+r*7+y*13)%900, (i*r+y)%100)
			}
			s.WriteByte('\n')
		}
		files[fmt.Sprintf("category_%02d/chart_%05d.csv", i/100, i)] = s.String()
	}
	return folder(b, files)
}

func BenchmarkOpen51(b *testing.B) {
	dir := synthetic(b, 51)
	for b.Loop() {
		open(b, dir)
	}
}

func BenchmarkOpen10000(b *testing.B) {
	if testing.Short() {
		b.Skip("writes ten thousand files")
	}
	dir := synthetic(b, 10_000)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		open(b, dir)
	}
}

func TestFullRun(t *testing.T) {
	t.Parallel()
	t.Run("R-106 R-121 fourteen categories and fifty-one charts", func(t *testing.T) {
		t.Parallel()
		files := map[string]string{}
		for i := range 51 {
			files[fmt.Sprintf("category_%02d/chart_%02d.csv", i%14, i)] = "scen,fuel,unit,2025,2050\nA,x,PJ,1,2\n"
		}
		c := open(t, folder(t, files))
		if len(c.Categories()) != 14 || len(c.Charts) != 51 {
			t.Errorf("%d categories, %d charts", len(c.Categories()), len(c.Charts))
		}
	})
}
