package eval

import (
	"slices"

	"dossier"
)

// An Experiment is several players on the same examples: the first is the baseline.
type Experiment struct {
	Suite   string   `json:"suite"`
	Grade   string   `json:"grade"` // what is compared
	Tags    []string `json:"tags"`
	Base    Arm      `json:"base"`
	Others  []Versus `json:"others"`
	Results []string `json:"results,omitempty"` // ids under which the runs are stored
}

// A Versus is a challenger against the baseline.
type Versus struct {
	Arm
	Change   Interval `json:"change"` // of the grade, paired by example
	Decision Decision `json:"decision"`
}

// ArmOf reads the arm of a player out of a run: its scores in one grade, overall and
// by complexity. Where a suite has no simple or no edge examples, that part is as good
// as the whole.
func ArmOf(r Result, grade string) Arm {
	a := Arm{Name: r.Player, CostPer: r.Cost}
	var simple, edge []float64
	for _, row := range r.Rows {
		a.Ms += row.Ms / float64(len(r.Rows))
		score, applies := row.Score(grade)
		if !applies {
			continue
		}
		a.Scores = append(a.Scores, score)
		if row.Example.Complexity == "simple" {
			simple = append(simple, score)
		} else {
			edge = append(edge, score)
		}
	}
	if a.Simple, a.Edge = mean(simple), mean(edge); len(simple) == 0 {
		a.Simple = a.Edge
	} else if len(edge) == 0 {
		a.Edge = a.Simple
	}
	return a
}

// Contest compares challengers with a baseline over the same examples and applies the
// decision rule to each.
func Contest(grade string, base Result, others ...Result) (Experiment, error) {
	e := Experiment{Suite: base.App + "/" + base.Suite, Grade: grade, Tags: []string{"ab_test", base.Player}, Base: ArmOf(base, grade)}
	if len(e.Base.Scores) == 0 {
		return e, dossier.Errorf(dossier.Invalid, "%s has no grade %q to compare by.", e.Suite, grade)
	}
	for _, o := range others {
		if !sameExamples(base, o) {
			return e, dossier.Errorf(dossier.Invalid, "%s and %s did not play the same examples.", base.Player, o.Player)
		}
		arm := ArmOf(o, grade)
		if len(arm.Scores) != len(e.Base.Scores) {
			return e, dossier.Errorf(dossier.Invalid, "%s applies to other examples of %s than of %s.", grade, o.Player, base.Player)
		}
		e.Tags = append(e.Tags, o.Player)
		e.Others = append(e.Others, Versus{arm, PairedBootstrap(e.Base.Scores, arm.Scores, 2000, 1), Decide(e.Base, arm, 1)})
	}
	return e, nil
}

func sameExamples(a, b Result) bool {
	names := func(r Result) []string {
		out := make([]string, len(r.Rows))
		for i, row := range r.Rows {
			out[i] = row.Example.Name
		}
		return out
	}
	return a.App == b.App && a.Suite == b.Suite && slices.Equal(names(a), names(b))
}
