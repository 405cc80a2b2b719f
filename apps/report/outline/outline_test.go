package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dossier"
	"dossier/apps/report/outline"
)

const sample = `# Projection results
<!-- Section instructions: Provide an overview -->
<!-- Review comments: -->

## Emissions
<!-- Section instructions: Say what drives
the change -->
<!-- Review comments: RATING: accuracy=4, completeness=3, clarity=5, data_use=4
NOTES: Good coverage of the first scenario. Missed the increase
of Land Use. -->

The draft so far.

Its second paragraph.

### Transport
<!-- Section instructions: Road and rail -->

## Energy
` + "```\n# not a heading\n<!-- Review comments: RATING: clarity=9 -->\n```\n" + `
Overall
-------
<!-- Review comments: NOTES: Shorter please. -->
`

func parse(t *testing.T, text string) *outline.Outline {
	t.Helper()
	o, err := outline.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestParse(t *testing.T) {
	t.Parallel()
	o := parse(t, sample)
	t.Run("R-002 R-014 R-015 R-081 sections", func(t *testing.T) {
		t.Parallel()
		var got []string
		for _, s := range o.Sections {
			got = append(got, fmt.Sprintf("%d %s < %s @%d", s.Level, s.ID, s.ParentID, s.Line))
		}
		want := []string{
			"1 projection-results <  @1", "2 emissions < projection-results @5", "3 transport < emissions @16",
			"2 energy < projection-results @19", "2 overall < projection-results @25",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	emissions, err := o.Section("emissions")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R-010 R-123 instructions", func(t *testing.T) {
		t.Parallel()
		if got, want := emissions.Instructions, "Say what drives\nthe change"; got != want {
			t.Errorf("instructions %q, want %q", got, want)
		}
	})
	t.Run("R-004 R-011 R-012 R-013 R-053 review", func(t *testing.T) {
		t.Parallel()
		want := map[string]int{"accuracy": 4, "completeness": 3, "clarity": 5, "data_use": 4}
		if d := cmp.Diff(want, emissions.Ratings); d != "" {
			t.Error(d)
		}
		if got, want := emissions.Notes, "Good coverage of the first scenario. Missed the increase\nof Land Use."; got != want {
			t.Errorf("notes %q, want %q", got, want)
		}
	})
	t.Run("R-011 empty review is no problem", func(t *testing.T) {
		t.Parallel()
		if s := o.Sections[0]; s.Review != "" || len(s.Ratings) != 0 {
			t.Errorf("review %q, want none", s.Review)
		}
	})
	t.Run("R-016 existing draft", func(t *testing.T) {
		t.Parallel()
		if got, want := emissions.Content, "The draft so far.\n\nIts second paragraph."; got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	})
	t.Run("R-016 an underline is no draft", func(t *testing.T) {
		t.Parallel()
		if s, _ := o.Section("overall"); s.Content != "" || s.Notes != "Shorter please." {
			t.Errorf("content %q and notes %q, want only the notes", s.Content, s.Notes)
		}
	})
	t.Run("comments in code are text", func(t *testing.T) {
		t.Parallel()
		for _, p := range o.Problems {
			if p.Section == "energy" {
				t.Errorf("problem in a code block: %v", p)
			}
		}
	})
}

func TestParseRefusesNoHeadings(t *testing.T) {
	t.Parallel()
	if _, err := outline.Parse([]byte("only text")); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("Parse = %v, want invalid", err)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, review, want string }{
		{"R-082 unknown key", "RATING: speed=4", `line 2 (a): "speed" is not a dimension`},
		{"R-082 not an integer", "RATING: clarity=4.5", `line 2 (a): The rating of clarity is "4.5"`},
		{"R-082 R-131 out of range", "RATING: accuracy=4,\n clarity=6", "line 3 (a): The rating of clarity is 6"},
		{"R-082 zero", "RATING: clarity=0", "between 1 and 5"},
		{"R-082 missing", "NOTES: too long", "line 2 (a): The review has no RATING"},
		{"R-072 malformed pair", "RATING: clarity 4", `"clarity 4" is not a rating`},
		{"R-135 twice", "RATING: clarity=4, clarity=5", "rated twice"},
		{"R-135 nothing", "RATING:\nNOTES: x", "followed by no rating"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := parse(t, "# A\n<!-- Review comments: "+tt.review+" -->\n")
			if len(o.Problems) != 1 || !strings.Contains(o.Problems[0].String(), tt.want) {
				t.Errorf("problems %v, want one with %q", o.Problems, tt.want)
			}
		})
	}
	t.Run("R-131 a dimension may be left out", func(t *testing.T) {
		t.Parallel()
		o := parse(t, "# A\n<!-- Review comments: RATING: clarity=4 -->\n")
		if len(o.Problems) != 0 || o.Sections[0].Ratings["clarity"] != 4 {
			t.Errorf("problems %v, ratings %v", o.Problems, o.Sections[0].Ratings)
		}
	})
	t.Run("R-135 a bad rating leaves the good ones", func(t *testing.T) {
		t.Parallel()
		o := parse(t, "# A\n<!-- Review comments: RATING: clarity=4, accuracy=nine, completeness=2 -->\n")
		if d := cmp.Diff(map[string]int{"clarity": 4, "completeness": 2}, o.Sections[0].Ratings); d != "" {
			t.Error(d)
		}
	})
	t.Run("R-135 never closed", func(t *testing.T) {
		t.Parallel()
		o := parse(t, "# A\n<!-- Review comments: RATING: clarity=4\n")
		if len(o.Problems) != 1 || !strings.Contains(o.Problems[0].Message, "never closed") {
			t.Errorf("problems %v", o.Problems)
		}
	})
	t.Run("R-135 second review", func(t *testing.T) {
		t.Parallel()
		o := parse(t, "# A\n<!-- Review comments: RATING: clarity=4 -->\n<!-- Review comments: RATING: clarity=1 -->\n")
		if o.Sections[0].Ratings["clarity"] != 4 || len(o.Problems) != 1 {
			t.Errorf("ratings %v, problems %v", o.Sections[0].Ratings, o.Problems)
		}
	})
}

func TestIDs(t *testing.T) {
	t.Parallel()
	t.Run("R-017 R4 equal titles", func(t *testing.T) {
		t.Parallel()
		o := parse(t, "# Emissions\n# Emissions-2\n# Emissions\n# Emissions\n# ???\n")
		var got []string
		for _, s := range o.Sections {
			got = append(got, s.ID)
		}
		want := []string{"emissions", "emissions-2", "emissions-3", "emissions-4", "section"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

func TestSetContent(t *testing.T) {
	t.Parallel()
	o := parse(t, sample)
	t.Run("R-088 R-112 R-114 only the draft changes", func(t *testing.T) {
		t.Parallel()
		out, err := o.SetContent("emissions", "A new draft.")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(sample, "The draft so far.\n\nIts second paragraph.", "A new draft.", 1)
		if d := cmp.Diff(want, string(out)); d != "" {
			t.Error(d)
		}
	})
	t.Run("R-088 a first draft", func(t *testing.T) {
		t.Parallel()
		out, err := o.SetContent("transport", "Roads.\n\nRails.")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(sample, "Road and rail -->\n\n## Energy", "Road and rail -->\n\nRoads.\n\nRails.\n\n## Energy", 1)
		if d := cmp.Diff(want, string(out)); d != "" {
			t.Error(d)
		}
	})
	t.Run("a heading is refused", func(t *testing.T) {
		t.Parallel()
		if _, err := o.SetContent("transport", "Text\n\n# Mine\n"); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("SetContent = %v, want invalid", err)
		}
	})
	t.Run("an instruction is refused", func(t *testing.T) {
		t.Parallel()
		if _, err := o.SetContent("energy", "<!-- Section instructions: obey -->"); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("SetContent = %v, want invalid", err)
		}
	})
	t.Run("no such section", func(t *testing.T) {
		t.Parallel()
		if _, err := o.SetContent("water", "x"); dossier.KindOf(err) != dossier.NotFound {
			t.Errorf("SetContent = %v, want not found", err)
		}
	})
	t.Run("no newline at the end, and CRLF", func(t *testing.T) {
		t.Parallel()
		out, err := parse(t, "# A").SetContent("a", "x")
		if err != nil || parse(t, string(out)).Sections[0].Content != "x" {
			t.Errorf("%q, %v", out, err)
		}
		out, err = parse(t, "# A\r\n\r\nold\r\n# B\r\n").SetContent("a", "one\ntwo")
		if err != nil || string(out) != "# A\r\n\r\none\r\ntwo\r\n# B\r\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestSetReview(t *testing.T) {
	t.Parallel()
	o := parse(t, sample)
	t.Run("R-130 replace", func(t *testing.T) {
		t.Parallel()
		out, err := o.SetReview("emissions", map[string]int{"clarity": 2}, "Again.\nBetter.")
		if err != nil {
			t.Fatal(err)
		}
		s, _ := parse(t, string(out)).Section("emissions")
		if s.Ratings["clarity"] != 2 || len(s.Ratings) != 1 || s.Notes != "Again.\nBetter." {
			t.Errorf("read back %v %q", s.Ratings, s.Notes)
		}
		if s.Content != "The draft so far.\n\nIts second paragraph." {
			t.Errorf("the draft changed to %q", s.Content)
		}
	})
	t.Run("R-130 add", func(t *testing.T) {
		t.Parallel()
		out, err := o.SetReview("transport", map[string]int{"accuracy": 5}, "")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(sample, "Road and rail -->\n", "Road and rail -->\n<!-- Review comments: RATING: accuracy=5 -->\n", 1)
		if d := cmp.Diff(want, string(out)); d != "" {
			t.Error(d)
		}
	})
	for name, bad := range map[string]map[string]int{"range": {"clarity": 7}, "dimension": {"style": 3}} {
		t.Run("R-072 "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := o.SetReview("emissions", bad, ""); dossier.KindOf(err) != dossier.Invalid {
				t.Errorf("SetReview = %v, want invalid", err)
			}
		})
	}
	t.Run("a comment cannot be closed from inside", func(t *testing.T) {
		t.Parallel()
		out, err := o.SetReview("emissions", nil, "x --> # New")
		if err != nil {
			t.Fatal(err)
		}
		again, err := outline.Parse(out)
		if err != nil || len(again.Sections) != len(o.Sections) {
			t.Fatalf("%d sections of %d, %v", len(again.Sections), len(o.Sections), err)
		}
		if s, _ := again.Section("emissions"); s.Notes != "x –> # New" {
			t.Errorf("notes %q", s.Notes)
		}
	})
}

func TestSplitNotes(t *testing.T) {
	t.Parallel()
	got := outline.SplitNotes("Good coverage of 1.5DS. Missed Land Use's\nincrease.\n- Add a table\n- Shorter")
	want := []outline.Note{
		{ID: "N1", Text: "Good coverage of 1.5DS."},
		{ID: "N2", Text: "Missed Land Use's increase."}, {ID: "N3", Text: "Add a table"}, {ID: "N4", Text: "Shorter"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestRoundTrip draws outlines and drafts: setting a draft and reading it back gives
// the draft, and setting the old one again gives the old text.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	line := rapid.StringMatching(`[a-zA-Z][a-z ,.0-9%]{0,30}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		n := rapid.IntRange(1, 6).Draw(t, "sections")
		for i := range n {
			fmt.Fprintf(&b, "%s T%d\n", strings.Repeat("#", rapid.IntRange(1, 4).Draw(t, "level")), i)
			if rapid.Bool().Draw(t, "instructed") {
				b.WriteString("<!-- Section instructions: " + line.Draw(t, "instructions") + " -->\n")
			}
			if rapid.Bool().Draw(t, "reviewed") {
				b.WriteString("<!-- Review comments: RATING: clarity=3\nNOTES: " + line.Draw(t, "notes") + " -->\n")
			}
			if rapid.Bool().Draw(t, "drafted") {
				b.WriteString("\n" + line.Draw(t, "draft") + "\n\n")
			}
		}
		o, err := outline.Parse([]byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		s := rapid.SampledFrom(o.Sections).Draw(t, "section")
		draft := line.Draw(t, "first") + "\n\n" + line.Draw(t, "second")
		out, err := o.SetContent(s.ID, draft)
		if err != nil {
			t.Fatal(err)
		}
		again, err := outline.Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if is, _ := again.Section(s.ID); is.Content != draft {
			t.Fatalf("draft reads back as %q, want %q", is.Content, draft)
		}
		if s.Content == "" {
			return
		}
		back, err := again.SetContent(s.ID, s.Content)
		if err != nil || string(back) != b.String() {
			t.Fatalf("setting the old draft gives\n%q, want\n%q (%v)", back, b.String(), err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(sample, "emissions", "New text.")
	f.Add("# A\n<!-- Review comments: RATING: clarity=", "a", "x")
	f.Add("A\n===\n<!-- Section instructions: --><!-- Review comments: NOTES: -->", "a", "```\nx")
	f.Fuzz(func(t *testing.T, source, id, content string) {
		o, err := outline.Parse([]byte(source))
		if err != nil {
			return
		}
		if string(o.Source()) != source {
			t.Fatal("the text changed while it was read")
		}
		out, err := o.SetContent(id, content)
		if err != nil {
			return
		}
		again, err := outline.Parse(out)
		if err != nil || len(again.Sections) != len(o.Sections) {
			t.Fatalf("written outline has other sections: %v", err)
		}
	})
}
