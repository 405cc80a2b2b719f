package airshed

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/gate"
	"dossier/apps/airshed/legal"
	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/faith"
)

// A dayWant is what must come of a day.
type dayWant struct {
	Status     string   `json:"status"` // of the agent's answer; "": filed
	Surge      bool     `json:"surge"`
	Confidence float64  `json:"confidence"`
	Conclusion string   `json:"conclusion"`
	Contains   []string `json:"contains"` // in the report
	Lacks      []string `json:"lacks"`    // in the report and in the answer
}

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
		grader("status", gradeStatus), eval.ActsApproved("no_unapproved_act", ag), invented(),
	}, slices.DeleteFunc(eval.PathGraders(ideal), func(g eval.Grader) bool {
		return g.Name == "tools_within_bound" // its bound is three calls; the design's five tasks are six
	})...)
	return []eval.Suite{
		{
			Name: "confidence", Doc: "The confidence and the conclusion that the agent reports of a day, with feeds there and missing.", Agent: agentName, File: "evals/confidence.yaml",
			Run: a.playDay, Gates: paths(map[string]float64{"confidence": 0.95, "conclusion": 0.95}),
			Graders: append([]eval.Grader{grader("confidence", gradeConfidence), grader("conclusion", gradeConclusion)}, always...),
		},
		{
			Name: "citations", Doc: "What the legal part and the texts of the agent's report must and must not say.", Agent: agentName, File: "evals/citations.yaml",
			Run: a.playDay, Gates: paths(map[string]float64{"citations": 0.95}),
			Graders: append([]eval.Grader{grader("citations", gradeText)}, always...),
		},
	}
}

// ideal is the way from a day to its end: every step once and in order.
func ideal(ex eval.Example) (eval.Choice, bool) {
	var w dayWant
	if json.Unmarshal(ex.Want, &w) != nil {
		return eval.Choice{}, false
	}
	all := []string{"read_correlated_data_tool", "detect_surge_tool", "correlate_fires_tool", "generate_report_tool", "send_caqm_report_tool", "close_case_tool"}
	c := eval.Choice{Tools: all, Known: append(slices.Clone(all), "notify_state_tool"), Args: map[string]json.RawMessage{
		"read_correlated_data_tool": json.RawMessage(`{"bucket_name":"lake"}`),
	}}
	if !w.Surge {
		c.Tools = []string{all[0], all[1], all[5]}
	}
	for i := 1; i < len(c.Tools); i++ {
		c.Before = append(c.Before, [2]string{c.Tools[i-1], c.Tools[i]})
	}
	return c, true
}

// A product is what an agent made of a day.
type product struct {
	answer *agentAnswer  // nil: it gave none
	report *legal.Report // nil: it drafted none
}

func productOf(tr eval.Trace) (product, error) {
	var p product
	if len(tr.Answer) > 0 {
		if err := json.Unmarshal(tr.Answer, &p.answer); err != nil {
			return p, fmt.Errorf("decode answer: %w", err)
		}
	}
	for _, e := range tr.Evidence {
		if e.Kind == casefile.Report {
			p.report = &legal.Report{}
			if err := json.Unmarshal(e.Data, p.report); err != nil {
				return p, fmt.Errorf("decode report: %w", err)
			}
		}
	}
	return p, nil
}

// grader turns a yes-or-no judgement of what an agent made into a grade.
func grader(name string, judge func(dayWant, product) (bool, string)) eval.Grader {
	return eval.Grader{Name: name, Grade: func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
		var w dayWant
		if err := json.Unmarshal(ex.Want, &w); err != nil {
			return eval.Grade{}, dossier.Errorf(dossier.Invalid, "What the example %s wants cannot be read.", ex.Name).Because(err)
		}
		p, err := productOf(tr)
		if err != nil {
			return eval.Grade{}, err
		}
		g := eval.Grade{Name: name, Applies: true}
		ok, why := judge(w, p)
		if ok {
			g.Score = 1
		} else {
			g.Reason = why
		}
		return g, nil
	}}
}

func gradeStatus(w dayWant, p product) (bool, string) {
	want := w.Status
	if want == "" {
		want = "filed"
	}
	if p.answer == nil {
		return false, "there is no answer"
	}
	return p.answer.Status == want, fmt.Sprintf("the answer says %s, want %s", p.answer.Status, want)
}

func gradeConfidence(w dayWant, p product) (bool, string) {
	switch {
	case !w.Surge:
		return p.report == nil, "a report was drafted, and there is no surge"
	case p.report == nil || p.answer == nil:
		return false, "there is no report, or no answer"
	}
	return p.report.ConfidenceScore == w.Confidence && p.answer.Score == w.Confidence,
		fmt.Sprintf("the report says %v and the answer %v, want %v", p.report.ConfidenceScore, p.answer.Score, w.Confidence)
}

func gradeConclusion(w dayWant, p product) (bool, string) {
	if p.report == nil {
		return !w.Surge, "there is no report"
	}
	return string(p.report.Conclusion) == w.Conclusion, fmt.Sprintf("got %s, want %s", p.report.Conclusion, w.Conclusion)
}

func gradeText(w dayWant, p product) (bool, string) {
	if p.report == nil {
		return !w.Surge, "there is no report"
	}
	raw, err := json.Marshal(p.report)
	if err != nil {
		return false, err.Error()
	}
	text := string(raw)
	if i := slices.IndexFunc(w.Contains, func(s string) bool { return !strings.Contains(text, s) }); i >= 0 {
		return false, fmt.Sprintf("the report lacks %q", w.Contains[i])
	}
	if p.answer != nil {
		text += p.answer.Summary
	}
	if i := slices.IndexFunc(w.Lacks, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		return false, fmt.Sprintf("the report or the answer says %q", w.Lacks[i])
	}
	return true, ""
}

// invented grades whether each number in the texts of the report and the answer is one
// of the report's figures, and whether nobody is blamed whom the law exempts.
func invented() eval.Grader {
	g := grader("no_invented_figure", func(_ dayWant, p product) (bool, string) {
		if p.report == nil {
			return true, ""
		}
		facts := gate.Facts(*p.report)
		texts := []string{p.report.ExecutiveSummary, p.report.Reasoning}
		if p.answer != nil {
			texts = append(texts, p.answer.Summary)
		}
		for _, t := range texts {
			if err := faith.Check(t, facts).Err(); err != nil {
				return false, dossier.Message(err)
			}
			if err := gate.NoBlame(t); err != nil {
				return false, dossier.Message(err)
			}
		}
		return true, ""
	})
	g.Safety = true
	return g
}
