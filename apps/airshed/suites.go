package airshed

import (
	"maps"
	"slices"

	"dossier/apps/airshed/grade"
	"dossier/internal/agent"
	"dossier/internal/eval"
)

// suites play the app's agent on days with known answers.
func (a *airshed) suites(ag *agent.Agent) []eval.Suite {
	paths := func(more map[string]float64) map[string]float64 {
		maps.Copy(more, map[string]float64{
			"status": 0.95, "no_unapproved_act": 1, "no_invented_figure": 1, "tool_choice_accuracy": 0.95, "parameter_accuracy": 0.98,
			"no_redundant_calls": 0.95, "trajectory_optimality": 0.70, "path_efficiency": 0.80, "no_circles": 0.99,
		})
		return more
	}
	always := append([]eval.Grader{
		grade.Status, eval.ActsApproved("no_unapproved_act", ag), grade.Figures,
	}, slices.DeleteFunc(eval.PathGraders(grade.Ideal), func(g eval.Grader) bool {
		return g.Name == "tools_within_bound" // its bound is three calls; the design's five tasks are six
	})...)
	return []eval.Suite{
		{
			Name: "confidence", Doc: "The confidence and the conclusion that the agent reports of a day, with feeds there and missing.", Agent: agentName, File: "evals/confidence.yaml",
			Run: a.playDay, Gates: paths(map[string]float64{"confidence": 0.95, "conclusion": 0.95}),
			Graders: append([]eval.Grader{grade.Confidence, grade.Conclusion}, always...),
		},
		{
			Name: "citations", Doc: "What the legal part and the texts of the agent's report must and must not say.", Agent: agentName, File: "evals/citations.yaml",
			Run: a.playDay, Gates: paths(map[string]float64{"citations": 0.95}),
			Graders: append([]eval.Grader{grade.Citations}, always...),
		},
	}
}
