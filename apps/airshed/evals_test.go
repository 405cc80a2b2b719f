package airshed

import (
	"testing"

	"dossier/internal/eval"
)

// Every example of the app's suites comes out as it says.
func TestSuites(t *testing.T) {
	t.Parallel()
	suites, err := (&airshed{cfg: defaults()}).suites()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		examples, err := eval.Load(files, s)
		if err != nil || len(examples) < 10 {
			t.Fatalf("%s: %d examples, %v", s.Name, len(examples), err)
		}
		for _, ex := range examples {
			tr, err := s.Run(t.Context(), ex, eval.Player{})
			if err != nil {
				t.Fatalf("%s, %s: %v", s.Name, ex.Name, err)
			}
			for _, g := range s.Graders {
				if grade, err := g.Grade(t.Context(), ex, tr); err != nil || grade.Score != 1 {
					t.Errorf("%s, %s: %s: %s %v", s.Name, ex.Name, g.Name, grade.Reason, err)
				}
			}
		}
	}
}
