package cli

import (
	"testing"

	"dossier/internal/eval"
)

// TestTheDemoMeasuresWhatNobodyMeasured: a suite that was played before is not played
// again, and keeps none of the others from it.
func TestTheDemoMeasuresWhatNobodyMeasured(t *testing.T) {
	t.Parallel()
	l, p := opened(t)
	if _, _, err := l.playTagged(t.Context(), p, demoSuites[0], "eval-", eval.Options{Parallel: 2}, false); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.measureDemo(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		all, err := p.store.Results(t.Context(), nil, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		played := map[string]int{}
		for _, r := range all {
			played[r.App+"/"+r.Suite]++
		}
		for _, name := range demoSuites {
			if played[name] != 1 || len(played) != len(demoSuites) {
				t.Fatalf("%s was not played once: %v", name, played)
			}
		}
	}
}
