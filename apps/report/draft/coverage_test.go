package draft_test

import (
	"strings"
	"testing"

	"dossier/apps/report/catalog"
	"dossier/apps/report/draft"
	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

// plainWords is a section whose scenarios and chart are named by words of every day.
func plainWords(notes ...string) *draft.Context {
	table := &catalog.Table{Chart: "gas", Columns: []string{"scen", "fuel", "unit"}, Measure: "val", Shape: catalog.Wide, Years: []int{2025, 2050}}
	for i, scen := range []string{"Run-High", "Run-Low"} {
		table.Rows = append(table.Rows, catalog.Row{Line: i + 2, Scenario: scen, Label: "Coal", Unit: "PJ", Cells: []catalog.Cell{{Year: 2025, Value: faith.Int(9)}, {Year: 2050, Value: faith.Int(8 - i)}}})
	}
	ch := &catalog.Chart{ID: "gas", Title: "Gas", Units: "PJ", UnitList: []string{"PJ"}, Years: table.Years}
	var list []outline.Note
	for _, n := range notes {
		list = append(list, outline.SplitNotes(n)...)
	}
	charts := []narrator.Chart{{Chart: ch, Table: table, Summary: summary.Of(ch, table)}}
	sel := mapping.Selection{Section: "s", Choices: []mapping.Choice{{ChartID: "gas", Key: "gas"}}}
	return draft.NewContext(outline.Section{ID: "s", Title: "S"}, sel, charts, nil, []string{"Run-High", "Run-Low"}, list)
}

func TestCoverageTakesNoWordForAName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"R-087 letters within words", "Demand is higher and slower, and gas is used.", "Run-High Run-Low gas"},
		{"R-087 a word of every day", "Prices stay high or low. Gas is used.", "Run-High Run-Low gas"},
		{"R-087 whole names", "run-high and Run-Low are shown in “Gas”.", ""},
		{"R-087 short names", "High’s path and Low are shown in ![Gas](chart:gas)", ""},
		{"R-087 a number of the chart", "In Run High, Coal falls to 8 PJ; Run Low falls further.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := plainWords()
			f, err := c.Facts(nil)
			if err != nil {
				t.Fatal(err)
			}
			cov := c.Check(tt.text, f, nil).Coverage
			if got := strings.Join(append(cov.Silent, cov.Missing...), " "); got != tt.want {
				t.Errorf("silent on %q, want %q", got, tt.want)
			}
		})
	}
}

func TestClosingNotes(t *testing.T) {
	t.Parallel()
	text := "In Run-High, Coal falls to 8 PJ. Run-Low falls further, as “Gas” shows."
	for _, tt := range []struct {
		name, note string
		answer     *narrator.Answer
		closed     bool
	}{
		{"R7 praise asks for nothing", "Good coverage of the scenarios.", nil, true},
		{"R7 praise with a wish", "Good coverage, however the baseline is missing.", nil, false},
		{"R7 to correct is a wish", "Correct the figure of 2030.", nil, false},
		{"R7 to make clear is a wish", "Clear up the wording of the second sentence.", nil, false},
		{"R7 a model's word closes nothing", "Add the baseline.", &narrator.Answer{Note: "N1", Why: narrator.NoChange}, false},
		{"R7 a word or two show nothing", "Add the baseline.", &narrator.Answer{Note: "N1", Quote: "Coal falls"}, false},
		{"R7 new words", "Say more of Coal.", &narrator.Answer{Note: "N1", Quote: "Coal falls to 8 PJ"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := plainWords(tt.note)
			f, err := c.Facts(nil)
			if err != nil {
				t.Fatal(err)
			}
			var answers []narrator.Answer
			if tt.answer != nil {
				answers = append(answers, *tt.answer)
			}
			if v := c.Check(text, f, answers); len(v.Notes) != 1 || v.Notes[0].Closed != tt.closed {
				t.Errorf("notes %+v, want closed %t", v.Notes, tt.closed)
			}
		})
	}
	t.Run("R7 another word is no scenario", func(t *testing.T) {
		t.Parallel()
		c := plainWords("The decline is slower than people think.")
		if d := narrator.Write(c.Input()); len(d.Answers) != 1 || d.Answers[0].Quote != "" {
			t.Errorf("answers %+v", d.Answers)
		}
	})
}
