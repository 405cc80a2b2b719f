package spelling_test

import (
	"testing"

	"pgregory.net/rapid"

	"dossier/apps/gatepass/spelling"
)

var desk = spelling.New(map[string]bool{"approve": true, "pending": true, "check": true, "step": true, "returnable": true, "show": true, "photos": true})

func TestCorrect(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"aprove": "approve", "appprove": "approve", "apporve": "approve", "pendign": "pending", "returnabel": "returnable",
		"shw": "show", "fotos": "fotos", "checked": "check", "stepping": "step", "bank": "bank", "xyzzy": "xyzzy", "ok": "ok",
	} {
		if got := desk.Correct(said); got != want {
			t.Errorf("%s is read as %s, want %s", said, got, want)
		}
	}
}

// Correcting twice is correcting once, and a word of the vocabulary stays itself.
func TestCorrectProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.StringMatching(`[a-z]{1,18}`).Draw(t, "word")
		once := desk.Correct(w)
		if desk.Correct(once) != once {
			t.Errorf("%s becomes %s and then %s", w, once, desk.Correct(once))
		}
		if desk.Known(w) && once != w {
			t.Errorf("%s is known and becomes %s", w, once)
		}
	})
}
