package rating_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/report/outline"
	"dossier/apps/report/rating"
)

const reviewed = `# A
<!-- Review comments: RATING: accuracy=4, completeness=3, clarity=5, data_use=4
NOTES: Good coverage. -->

Über 12 Wörter.

# B
<!-- Review comments: RATING: accuracy=4, completeness=4 -->

# C
<!-- Review comments: RATING: accuracy=5, speed=1 -->
`

func record(t *testing.T, text, id string) *rating.Run {
	t.Helper()
	o, err := outline.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := rating.Of(o, rating.About{RunID: id, Model: "reference/narrator", PromptVersion: "v1", ToolVersion: "abc", At: time.Date(2025, 12, 3, 14, 0, 0, 5, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOf(t *testing.T) {
	t.Parallel()
	r := record(t, reviewed, "run-1")
	t.Run("R-059 R-089 R5 aggregate", func(t *testing.T) {
		t.Parallel()
		for d, want := range map[string]string{"accuracy": "4.33", "completeness": "3.5", "clarity": "5", "data_use": "4"} {
			if got := r.Aggregate[d].String(); got != want {
				t.Errorf("%s %s, want %s", d, got, want)
			}
		}
		if r.Rated["accuracy"] != 3 || r.Rated["completeness"] != 2 || r.Rated["clarity"] != 1 {
			t.Errorf("rated %v", r.Rated)
		}
	})
	t.Run("R-058 R-060 R3 record", func(t *testing.T) {
		t.Parallel()
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"run_id":"run-1"`, `"timestamp":"2025-12-03T14:00:00Z"`, `"model":"reference/narrator"`, `"prompt_version":"v1"`, `"section_id":"a"`, `"draft_length":15`, `"draft_words":3`, `"aggregate":{"accuracy":4.33`} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("record lacks %s:\n%s", want, raw)
			}
		}
	})
	t.Run("R-072 R-135 malformed reviews are in the record", func(t *testing.T) {
		t.Parallel()
		if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "speed") || r.Problems[0].Line != 11 {
			t.Errorf("problems %v", r.Problems)
		}
	})
	t.Run("R-073 R-134 versions", func(t *testing.T) {
		t.Parallel()
		if r.PromptVersion != "v1" || r.ToolVersion != "abc" || r.Model == "" {
			t.Errorf("record %+v", r)
		}
	})
	t.Run("R-051 a run id is needed", func(t *testing.T) {
		t.Parallel()
		o, _ := outline.Parse([]byte(reviewed))
		if _, err := rating.Of(o, rating.About{}); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("Of = %v", err)
		}
	})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a := record(t, reviewed, "run-1")
	b := record(t, strings.ReplaceAll(reviewed, "completeness=3", "completeness=5"), "run-2")
	c, err := rating.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R-133 version to version", func(t *testing.T) {
		t.Parallel()
		if got := c.Dimensions[1].Change.String(); got != "1" {
			t.Errorf("completeness changes by %s, want 1", got)
		}
		if len(c.Sections) != 1 || c.Sections[0] != (rating.Change{Section: "a", Dimension: "completeness", From: 3, To: 5}) {
			t.Errorf("sections %+v", c.Sections)
		}
	})
	t.Run("R-061 R-076 chart", func(t *testing.T) {
		t.Parallel()
		svg := c.SVG()
		if strings.Count(svg, "<rect") != 8+2 || !strings.Contains(svg, "run-2") {
			t.Errorf("svg %s", svg)
		}
	})
	t.Run("a record reads back", func(t *testing.T) {
		t.Parallel()
		raw, _ := json.Marshal(a)
		back, err := rating.Parse(raw)
		if err != nil || back.Aggregate["accuracy"].String() != "4.33" {
			t.Errorf("Parse = %+v, %v", back, err)
		}
	})
	if _, err := rating.Compare(a); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("one record: %v", err)
	}
	if _, err := rating.Parse([]byte("{}")); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("no record: %v", err)
	}
}
