package mapping_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/demo"
	"dossier/apps/report/mapping"
	"dossier/apps/report/outline"
)

func run(t *testing.T) (*catalog.Catalog, mapping.Map, *outline.Outline) {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	m, err := mapping.Parse(read("section_chart_map.json"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := outline.Parse(read("outline.md"))
	if err != nil {
		t.Fatal(err)
	}
	return c, m, o
}

func keys(sel mapping.Selection) string {
	var out []string
	for _, c := range sel.Choices {
		out = append(out, c.Key)
	}
	return strings.Join(out, " ")
}

func TestSelect(t *testing.T) {
	t.Parallel()
	c, m, o := run(t)
	section := func(id string) *outline.Section {
		s, err := o.Section(id)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("R-043 R-044 R-085 R-127 the map decides", func(t *testing.T) {
		t.Parallel()
		sel := m.Select(section("emissions"), c)
		if got, want := keys(sel), "emissions/emissions_reduction_by_sector emissions/net_emissions_by_sector emissions/built_environment_emissions"; got != want || sel.From != "map" {
			t.Errorf("got %s from %s, want %s", got, sel.From, want)
		}
	})
	t.Run("R6 patterns with a maximum", func(t *testing.T) {
		t.Parallel()
		sel := m.Select(section("electricity-generation"), c)
		if got, want := keys(sel), "electricity/electricity_generation_by_fuel electricity/renewable_share"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if why := sel.Choices[1].Why; !strings.Contains(why, `"electricity/*"`) {
			t.Errorf("why %q", why)
		}
	})
	t.Run("R-045 R-046 R-047 R-085 fallback", func(t *testing.T) {
		t.Parallel()
		m := mapping.Map{}
		for _, id := range []string{"energy-consumption-by-sector", "agriculture"} {
			sel := m.Select(section(id), c)
			if n := len(sel.Choices); n < 3 || n > 5 || sel.From != "relevance" {
				t.Errorf("%s: %d charts from %s", id, n, sel.From)
			}
		}
		if first := m.Select(section("agriculture"), c).Choices[0]; first.ChartID != "agriculture_energy_use_by_fuel" || !strings.Contains(first.Why, "category") {
			t.Errorf("first %+v", first)
		}
	})
	t.Run("a name that is no chart is said", func(t *testing.T) {
		t.Parallel()
		m := mapping.Map{"emissions": {Charts: []mapping.Pattern{{Pattern: "emissions/nothing"}}}}
		if sel := m.Select(section("emissions"), c); len(sel.Problems) != 1 || sel.From != "relevance" {
			t.Errorf("selection %+v", sel)
		}
	})
	t.Run("R-019 linked sections", func(t *testing.T) {
		t.Parallel()
		c, m, o := run(t)
		var all []mapping.Selection
		for i := range o.Sections {
			all = append(all, m.Select(&o.Sections[i], c))
		}
		mapping.Link(all, c)
		ch, _ := c.Chart("built_environment_emissions")
		if len(ch.Sections) == 0 || ch.Sections[0] != "emissions" {
			t.Errorf("linked to %v", ch.Sections)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"not JSON": `{`, "unknown key": `{"a":{"chart":["x"]}}`, "bad pattern": `{"a":{"charts":["[x"]}}`,
		"empty": `{"a":{"charts":[""]}}`, "negative": `{"a":{"charts":[{"pattern":"x","max":-1}]}}`, "more": `{} {}`,
		"unknown in pattern": `{"a":{"charts":[{"glob":"x"}]}}`,
	} {
		t.Run("R-070 "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := mapping.Parse([]byte(text)); dossier.KindOf(err) != dossier.Invalid {
				t.Errorf("Parse = %v, want invalid", err)
			}
		})
	}
}
