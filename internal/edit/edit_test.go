package edit_test

import (
	"testing"

	"pgregory.net/rapid"

	"dossier/internal/edit"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"इंफाल", "इंफाळ", 1},
	} {
		if got := edit.Distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"read", "write", "act"}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := words.Draw(t, "x"), words.Draw(t, "y"), words.Draw(t, "z")
		if edit.Distance(x, x) != 0 || edit.Distance(x, y) != edit.Distance(y, x) || edit.Distance(x, z) > edit.Distance(x, y)+edit.Distance(y, z) {
			t.Fatalf("%v %v %v", x, y, z)
		}
	})
}
