package outline_test

import (
	"maps"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/report/outline"

	"pgregory.net/rapid"
)

// places is an outline whose reviews stand in every place that one can.
const places = "# A\n<!-- Review comments: -->\n\n## B\n\nSome text <!-- Review comments: --> and more.\n\n## C\n\nA draft.\n\n## D\n- item\n  <!-- Review comments: RATING: clarity=1 -->\n"

// TestReviewReadsBack keeps any notes in any place: what was said is read again, and
// nothing else changes.
func TestReviewReadsBack(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"RATING: accuracy=1", "NOTES: y", "notes:", "--", "-->", "<!-- Review comments: x -->", "# New", "\n", "\n\n", "\r\n", "- item", "Say more.", "–", "```", " "})
	rapid.Check(t, func(t *rapid.T) {
		o, err := outline.Parse([]byte(places))
		if err != nil {
			t.Fatal(err)
		}
		id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "section")
		ratings := rapid.MapOf(rapid.SampledFrom(outline.Dimensions), rapid.IntRange(1, 5)).Draw(t, "ratings")
		notes := strings.Join(rapid.SliceOf(piece).Draw(t, "notes"), "")
		out, err := o.SetReview(id, ratings, notes)
		if err != nil {
			t.Fatal(err)
		}
		again, err := outline.Parse(out)
		if err != nil || len(again.Sections) != len(o.Sections) {
			t.Fatalf("%v of\n%s", err, out)
		}
		for i, was := range o.Sections {
			is := again.Sections[i]
			if is.Content != was.Content || is.ID != was.ID || is.ID != id && is.Review != was.Review {
				t.Fatalf("section %s changes:\n%s", was.ID, out)
			}
			want := outline.Kept(notes)
			if id == "b" || id == "d" { // amid a line
				want = strings.ReplaceAll(want, "\n", " ")
			}
			if is.ID == id && (is.Notes != want || !maps.Equal(is.Ratings, ratings)) {
				t.Fatalf("notes %q, ratings %v in\n%s", is.Notes, is.Ratings, out)
			}
		}
	})
}

func TestMarkedText(t *testing.T) {
	t.Parallel()
	source := "\ufeff# A\n<!-- Section instructions: Say it. -->\n\n## B\n"
	o, err := outline.Parse([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R-002 R-010 the first section is read", func(t *testing.T) {
		t.Parallel()
		if s, err := o.Section("a"); err != nil || s.Instructions != "Say it." || len(o.Sections) != 2 {
			t.Errorf("sections %+v, %v", o.Sections, err)
		}
	})
	t.Run("R-088 the mark stays", func(t *testing.T) {
		t.Parallel()
		out, err := o.SetContent("a", "A draft.")
		if err != nil || !strings.HasPrefix(string(out), "\ufeff# A\n") || !strings.Contains(string(out), "A draft.") {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestStrays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		line       int // of the problem; 0: none
	}{
		{"R-135 another label", "# A\n<!-- Review comment: RATING: accuracy=4 -->\n", 2},
		{"R-135 another label of instructions", "# A\n\n<!-- Instructions: x -->\n", 3},
		{"R-135 in a heading", "# A <!-- Section instructions: x -->\n", 1},
		{"R-135 like code", "# A\n\n    <!-- Review comments: RATING: accuracy=4 -->\n", 3},
		{"R-135 broken by an empty line", "# A\ntext <!-- Review comments: RATING: accuracy=4\n\nNOTES: b -->\n", 2},
		{"R-135 no comment", "# A\nRATING: accuracy=4\n", 2},
		{"a shown example", "# A\n```\n<!-- Review comments: RATING: accuracy=4 -->\n```\n", 0},
		{"another comment", "# A\n<!-- A remark on reviews. -->\n", 0},
		{"prose", "# A\nThe rating: high.\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := outline.Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.line == 0 && len(o.Problems) > 0:
				t.Errorf("problems %v", o.Problems)
			case tt.line > 0 && (len(o.Problems) != 1 || o.Problems[0].Line != tt.line || !strings.Contains(o.Problems[0].Message, "read as neither")):
				t.Errorf("problems %v, want one on line %d", o.Problems, tt.line)
			}
		})
	}
	if _, err := outline.Parse([]byte("no heading")); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("Parse = %v", err)
	}
}
