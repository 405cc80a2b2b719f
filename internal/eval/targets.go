package eval

import (
	"maps"
	"slices"
)

// A Target is what a figure of a whole run should reach: at least Bound, or at most.
type Target struct {
	Name  string  `json:"name"` // of a figure: "tools_per_case"
	Bound float64 `json:"bound"`
	Most  bool    `json:"most,omitempty"` // the figure must not be above Bound
}

// PathTargets are the design's targets for the way an agent takes, which are figures of
// a whole run and not means of a grade.
func PathTargets() []Target {
	return []Target{
		{"tools_per_case", mostTools, true},
		{"path_length", mostSteps, true},
		{"redundant_calls", 0.05, true},
		{"circular_rate", 0.01, true},
		{"self_correction_rate", 0.90, false},
	}
}

// CleanTarget bounds the calls of cases in which nothing is wrong.
func CleanTarget() Target { return Target{"tools_per_clean_case", mostTools, true} }

// A Check is a gate or a target of a run, with what the run came to.
type Check struct {
	Target
	Got   float64 `json:"got"`
	Gate  bool    `json:"gate,omitempty"` // it is the mean of a grade
	Empty bool    `json:"empty,omitempty"`
	Holds bool    `json:"holds"`
}

// Checks returns every gate and every target of the run, by name. A gate whose grade
// applied to no row does not hold: nothing was shown; nor does a target for a scenario
// without a row. A rate of self-correction with nothing to correct does.
func (r Result) Checks() []Check {
	var out []Check
	for _, name := range slices.Sorted(maps.Keys(r.Gates)) {
		m, measured := r.Means[name]
		out = append(out, Check{
			Target: Target{Name: name, Bound: r.Gates[name]}, Got: m.Mean, Gate: true, Empty: !measured,
			Holds: measured && m.Mean >= r.Gates[name],
		})
	}
	if len(r.Targets) == 0 {
		return out
	}
	f := FiguresOf(r.Rows)
	got := f.Metrics()
	for _, t := range r.Targets {
		v, measured := got[t.Name]
		c := Check{Target: t, Got: v, Empty: !measured || t.Name == "self_correction_rate" && f.Correctable == 0}
		c.Holds = measured && (t.Most && v <= t.Bound || !t.Most && v >= t.Bound)
		out = append(out, c)
	}
	return out
}
