package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"dossier/internal/eval"
)

func result() eval.Result {
	call := eval.Call{Tool: "get_<shifts>", Args: json.RawMessage(`{}`), Came: true, Failed: true}
	return eval.Result{
		App: "poolpatrol", Suite: "shift", Player: "reference",
		Rows: []eval.Row{
			{Example: eval.Example{Name: "good"}, Grades: []eval.Grade{{Name: "verdict", Score: 1, Applies: true}}},
			{Example: eval.Example{Name: "bad"}, Grades: []eval.Grade{{Name: "verdict", Score: 0, Applies: true, Reason: "want <fail>"}}, Path: eval.Path{Calls: []eval.Call{call}}},
			{Example: eval.Example{Name: "broken"}, Failure: "no answer came"},
		},
		Means: map[string]eval.Interval{"verdict": {Mean: 1.0 / 3, Low: 0, High: 1}},
		Gates: map[string]float64{"verdict": 0.95},
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := CSV(&b, result()); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 4 || lines[2][3] != "bad" || lines[3][7] != "played" {
		t.Errorf("%v: %q", err, lines)
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := JUnit(&b, result()); err != nil {
		t.Fatal(err)
	}
	var s junitSuite
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil || s.Tests != 3 || s.Failures != 2 || s.Cases[2].Failure == nil {
		t.Errorf("%v: %+v", err, s)
	}
}

func TestHTMLEscapesAndNamesWhatWentWrong(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := HTML(&b, result()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A gate is not met.", "want &lt;fail&gt;", "no answer came", "get_&lt;shifts&gt;", "33.3 %"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(b.String(), "get_<shifts>") {
		t.Error("text was not escaped")
	}
}
