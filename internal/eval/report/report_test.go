package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier/internal/eval"
	"dossier/internal/model"
)

func result() eval.Result {
	call := eval.Call{Tool: "get_<shifts>", Args: json.RawMessage(`{}`), Came: true, Failed: true, Turn: 1}
	return eval.Result{
		App: "poolpatrol", Suite: "shift", Player: "reference", Prompt: "abc123", Dataset: "def456",
		Started: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Ended: time.Date(2026, 3, 2, 9, 0, 3, 0, time.UTC), Cost: 12.5,
		Rows: []eval.Row{
			{Example: eval.Example{Name: "good", Scenario: "valid"}, Grades: []eval.Grade{{Name: "verdict", Score: 1, Applies: true}}, Ms: 1500},
			{
				Example: eval.Example{Name: "bad, \"quoted\"", Scenario: "edge"}, Shape: eval.DeadEnd, Ms: 2,
				Grades: []eval.Grade{{Name: "verdict", Score: 0, Applies: true, Reason: "=want <fail>"}, {Name: "other", Reason: "does not apply"}},
				Path:   eval.Path{Turns: 2, Calls: []eval.Call{call, {Tool: "check", Turn: 1, Came: true, Asked: true}}, Cost: 0.0375, Usage: model.Usage{In: 900, Out: 80}, Prompt: "abc124"},
			},
			{Example: eval.Example{Name: "broken"}, Failure: "no answer came", Repeat: 1},
		},
		Means:   map[string]eval.Interval{"verdict": {Mean: 1.0 / 3, Low: 0, High: 1}},
		Gates:   map[string]float64{"verdict": 0.95},
		Targets: []eval.Target{{Name: "tools_per_case", Bound: 3, Most: true}, {Name: "self_correction_rate", Bound: 0.9}},
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := CSV(&b, result()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"bad, ""quoted"""`) {
		t.Errorf("not quoted: %s", b.String())
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%v: %q", err, lines)
	}
	at := func(line int, column string) string { return lines[line][slices.Index(lines[0], column)] }
	for _, c := range []struct {
		line         int
		column, want string
	}{
		{2, "example", `bad, "quoted"`},
		{2, "reason", "'=want <fail>"}, // no formula
		{2, "cost", "0.037500"},
		{2, "tokens_in", "900"},
		{2, "prompt", "abc124"}, // of the row
		{1, "prompt", "abc123"}, // of the run
		{2, "path", "get_<shifts> > check"},
		{2, "shape", "dead-end"},
		{3, "grade", "played"},
		{3, "repeat", "1"},
	} {
		if got := at(c.line, c.column); got != c.want {
			t.Errorf("line %d, %s: got %q, want %q", c.line, c.column, got, c.want)
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := JUnit(&b, result()); err != nil {
		t.Fatal(err)
	}
	var s junitSuites
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil || len(s.Suites) != 2 {
		t.Fatalf("%v: %s", err, b.String())
	}
	checks, rows := s.Suites[0], s.Suites[1]
	if checks.Tests != 3 || checks.Failures != 1 || checks.Skipped != 1 || checks.Cases[0].Name != "verdict >= 0.95" || checks.Cases[0].Failure == nil ||
		checks.Cases[1].Name != "tools_per_case <= 3" || checks.Cases[1].Failure != nil || checks.Cases[2].Skipped == nil {
		t.Errorf("targets: %+v", checks)
	}
	if rows.Tests != 3 || rows.Failures != 1 || rows.Errors != 1 || rows.Cases[0].Time != "1.500" || rows.Timestamp != "2026-03-02T09:00:00" ||
		rows.Cases[1].Failure == nil || rows.Cases[2].Error == nil || rows.Cases[2].Error.Message != "no answer came" {
		t.Errorf("examples: %+v", rows)
	}
	if rows.Props[1].Value != "abc123" {
		t.Errorf("P-175 properties: %+v", rows.Props)
	}
}

func TestHTMLEscapesAndNamesWhatWentWrong(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := HTML(&b, result()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"A gate or target is not met.", "want &lt;fail&gt;", "no answer came", "get_&lt;shifts&gt;", "33.3 %", "abc123", "tools per case ≤ 3",
		"nothing to measure", "Nothing unsafe got through.", `<svg class="path"`, "in 3s",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(b.String(), "get_<shifts>") {
		t.Error("text was not escaped")
	}
}

// TestSVG draws calls of one turn below each other and those of the next beside them.
func TestSVG(t *testing.T) {
	t.Parallel()
	call := func(turn int, name string) eval.Call {
		return eval.Call{Tool: name, Turn: turn, Came: true, Value: json.RawMessage(`{"a":"` + name + `"}`)}
	}
	p := eval.Path{Turns: 3, Answered: true, Calls: []eval.Call{call(1, "shift"), call(1, "location"), call(2, "close"), {Tool: "cancel", Turn: 2, Asked: true, Came: true, Failed: true}}}
	svg := SVG(p)
	var doc struct {
		Width  int `xml:"width,attr"`
		Height int `xml:"height,attr"`
		Groups []struct {
			Class string `xml:"class,attr"`
			Rect  struct {
				X int `xml:"x,attr"`
				Y int `xml:"y,attr"`
			} `xml:"rect"`
			Text []string `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(svg), &doc); err != nil {
		t.Fatalf("P-148 not XML: %v", err)
	}
	g := doc.Groups
	if len(g) != 5 || g[0].Rect.X != g[1].Rect.X || g[0].Rect.Y >= g[1].Rect.Y || g[2].Rect.X <= g[1].Rect.X || g[4].Text[0] != "answer" || g[4].Class != "answer" {
		t.Errorf("P-148 P-137 got %+v", g)
	}
	if g[0].Text[1] != "33 % of what was learned" || g[3].Text[1] != "a person said no" || g[3].Class != "failed" {
		t.Errorf("P-148 P-137 got %+v", g)
	}
	if none := SVG(eval.Path{Turns: 1}); !strings.Contains(none, "no answer") || !strings.Contains(none, "1 turn<") {
		t.Errorf("a path without calls: %s", none)
	}
}
