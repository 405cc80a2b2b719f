package evals_test

import (
	"flag"
	"testing"
	"time"

	"dossier/apps/gatepass/evals"
	"dossier/apps/gatepass/operation"
)

var verbose = flag.Bool("failures", false, "print each failure of the examples that are not held out")

// The accuracy that each desk's examples must reach, written and held out.
var gates = map[string][2]float64{"hr": {0.98, 0.94}, "admin": {0.98, 0.94}, "gate": {0.98, 0.94}}

func TestUtterances(t *testing.T) {
	t.Parallel()
	g := operation.Grammar()
	for _, role := range operation.Desks {
		s, err := evals.Load(role)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Examples) < 250 {
			t.Errorf("%s has %d utterances, at least 250 are wanted", role, len(s.Examples))
		}
		var right, all [2]int
		for _, ex := range s.Examples {
			i := 0
			if ex.HeldOut {
				i = 1
			}
			all[i]++
			ok, why := ex.Want.Judge(g.Hear(ex.Input.State(role, g.Lister(role)), ex.Input.Say))
			if ok {
				right[i]++
			} else if *verbose && !ex.HeldOut {
				t.Logf("%s %q: %s", role, ex.Input.Say, why)
			}
		}
		for i, name := range []string{"written", "held out"} {
			rate := float64(right[i]) / float64(all[i])
			t.Logf("%s, %s: %d of %d (%.1f %%)", role, name, right[i], all[i], 100*rate)
			if rate < gates[role][i] {
				t.Errorf("%s, %s: %.3f is below %.3f", role, name, rate, gates[role][i])
			}
		}
	}
}

func BenchmarkHear(b *testing.B) {
	g := operation.Grammar()
	for _, role := range operation.Desks {
		s, err := evals.Load(role)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(role, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				ex := s.Examples[i%len(s.Examples)]
				g.Hear(ex.Input.State(role, ""), ex.Input.Say)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Microsecond), "µs/utterance")
		})
	}
}
