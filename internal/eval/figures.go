package eval

import (
	"encoding/json"
	"slices"
	"strings"

	"dossier/internal/edit"
)

// Figures are the rates of a whole run: what no single row can say.
type Figures struct {
	ToolsPerCase   float64            `json:"tools_per_case"`
	ToolsBy        map[string]float64 `json:"tools_by_scenario"` // the same for each scenario
	PathLength     float64            `json:"path_length"`       // steps: turns with calls, and the answer
	RedundantCalls float64            `json:"redundant_calls"`   // share of all calls
	CircularRate   float64            `json:"circular_rate"`     // share of all paths
	SelfCorrection float64            `json:"self_correction"`   // share of the failures that should or did get another try and were mended; 1 if there was none
	Correctable    int                `json:"correctable"`       // failures that should or did get another try
	FalsePositive  float64            `json:"false_positive_rate"`
	FalseNegative  float64            `json:"false_negative_rate"`
	Calibration    Calibration        `json:"calibration"`
	CostPerCase    float64            `json:"cost_per_case"`
	MsPerCase      float64            `json:"ms_per_case"`
	Fallback       float64            `json:"fallback_rate"` // share of rows in which the reference policy stepped in
	Shapes         map[Shape]int      `json:"shapes"`
	Patterns       []Pattern          `json:"patterns"`
}

// A Pattern is a way that several examples took, give or take one call.
type Pattern struct {
	Tools    []string `json:"tools"`
	Examples []string `json:"examples"`
}

// FiguresOf works out the figures of a run's rows. A confidence is a whole number
// from 1 to 5, as answers give it.
func FiguresOf(rows []Row) Figures {
	f := Figures{Shapes: map[Shape]int{}, ToolsBy: map[string]float64{}, SelfCorrection: 1, Patterns: Patterns(rows)}
	if len(rows) == 0 {
		return f
	}
	n := float64(len(rows))
	calls, steps, redundant, mended := 0, 0, 0, 0
	of := map[string]float64{}
	var matrix Confusion
	var sure []float64
	var right []bool
	for _, r := range rows {
		t := Measure(r.Path, r.Path.Tools())
		calls, steps, redundant = calls+t.Length, steps+r.Path.Steps(), redundant+t.Redundant
		f.ToolsBy[r.Example.Scenario] += float64(t.Length)
		of[r.Example.Scenario]++
		f.Correctable += r.Correctable
		if r.Path.Fallback == 0 { // what the reference policy mended in a model's place is not the model's
			mended += r.Corrected
		}
		if r.Shape != "" {
			f.Shapes[r.Shape]++
		}
		f.CostPerCase += r.Path.Cost / n
		f.MsPerCase += r.Ms / n
		f.Fallback += yes(r.Path.Fallback > 0) / n
		var want, got struct {
			Verdict    string  `json:"verdict"`
			Confidence float64 `json:"confidence"`
		}
		if json.Unmarshal(r.Example.Want, &want) != nil || want.Verdict == "" {
			continue
		}
		if r.Failure == "" && r.Path.Fallback == 0 { // otherwise it is no answer of the player's
			_ = json.Unmarshal(r.Got, &got)
		}
		wanted := want.Verdict == "fail"
		matrix.Add(wanted, got.Verdict == "fail" || got.Verdict == "" && !wanted) // no answer is a wrong one
		if got.Confidence >= 1 && got.Confidence <= 5 {
			sure, right = append(sure, got.Confidence/5), append(right, got.Verdict == want.Verdict)
		}
	}
	f.ToolsPerCase = float64(calls) / n
	for scenario, rows := range of {
		f.ToolsBy[scenario] /= rows
	}
	f.PathLength = float64(steps) / n
	f.RedundantCalls = float64(redundant) / float64(max(1, calls))
	f.CircularRate = float64(f.Shapes[Circular]) / n
	if f.Correctable > 0 {
		f.SelfCorrection = float64(mended) / float64(f.Correctable)
	}
	f.FalsePositive, f.FalseNegative = matrix.Rates()
	f.Calibration = Calibrate(sure, right, 5)
	return f
}

// Patterns groups paths that are the same but for one call, the largest group first.
func Patterns(rows []Row) []Pattern {
	var out []Pattern
	at := map[string]int{}
	for _, r := range rows {
		tools := r.Path.Tools()
		key := strings.Join(tools, " ")
		i, ok := at[key]
		if !ok {
			i = slices.IndexFunc(out, func(p Pattern) bool { return edit.Distance(p.Tools, tools) <= 1 })
			if i < 0 {
				i = len(out)
				out = append(out, Pattern{Tools: tools})
			}
			at[key] = i
		}
		out[i].Examples = append(out[i].Examples, r.Example.Name)
	}
	slices.SortStableFunc(out, func(a, b Pattern) int { return len(b.Examples) - len(a.Examples) })
	return out
}

// Clean is the scenario of cases in which nothing is wrong.
const Clean = "clean"

// Metrics returns the figures that targets are set for, by name. What there was no row
// for is left out.
func (f Figures) Metrics() map[string]float64 {
	out := map[string]float64{
		"tools_per_case": f.ToolsPerCase, "path_length": f.PathLength, "redundant_calls": f.RedundantCalls,
		"circular_rate": f.CircularRate, "self_correction_rate": f.SelfCorrection, "calibration_error": f.Calibration.Error,
		"false_positive_rate": f.FalsePositive, "false_negative_rate": f.FalseNegative,
		"cost_per_case": f.CostPerCase, "ms_per_case": f.MsPerCase, "fallback_rate": f.Fallback,
	}
	if tools, ok := f.ToolsBy[Clean]; ok {
		out["tools_per_clean_case"] = tools
	}
	return out
}
