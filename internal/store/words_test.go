package store

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWordsOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                          nil,
		"  --  ":                    nil,
		"The river ROSE overnight.": {"the", "river", "rose", "overnight"},
		"rider/EMP-7":               {"rider/emp-7", "emp-7", "7"},
		"Škofja, (Loka)!":           {"škofja", "loka"},
		"100% of 100%":              {"100", "of"},
		"दिल्ली":                    {"दिल्ली"},
	} {
		if got := wordsOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestWordsAreFoundByTheirBeginnings holds for any text: a word that a person reads in
// it, or its beginning, finds it.
func TestWordsAreFoundByTheirBeginnings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([A-Za-z0-9-/Šžд]{1,12} ){1,6}`).Draw(t, "text")
		words := wordsOf(text)
		for _, field := range strings.Fields(strings.ToLower(text)) {
			field = strings.TrimFunc(field, isSign)
			if field == "" {
				continue
			}
			_, size := utf8.DecodeRuneInString(field)
			for _, prefix := range []string{field, field[:size]} {
				if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, prefix) }) {
					t.Fatalf("%q is not found by %q: %q", text, prefix, words)
				}
			}
		}
	})
}
