package airshed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
	"dossier/internal/eval"
)

// A dayInput describes a day for an example: what was measured and what is missing.
type dayInput struct {
	Station string         `json:"station"`
	AQI     float64        `json:"aqi"`
	Fires   map[string]int `json:"fires"` // null: the feed is missing
	Share   *float64       `json:"share"` // null: the feed is missing
	At      time.Time      `json:"at"`
	Wind    *float64       `json:"wind"` // null: no wind
}

// A dayWant is what the report of such a day must say.
type dayWant struct {
	Surge      bool     `json:"surge"`
	Confidence float64  `json:"confidence"`
	Conclusion string   `json:"conclusion"`
	Contains   []string `json:"contains"`
	Lacks      []string `json:"lacks"`
}

func (a *airshed) suites() ([]eval.Suite, error) {
	return []eval.Suite{
		{
			Name: "confidence", Doc: "The confidence and the conclusion of a day, with feeds there and missing.", File: "evals/confidence.yaml",
			Run: playDay, Gates: map[string]float64{"confidence": 1, "conclusion": 1},
			Graders: []eval.Grader{
				grader("confidence", func(w dayWant, r *legal.Report) (bool, string) {
					if !w.Surge || r == nil {
						return w.Surge == (r != nil), "surge or none"
					}
					return r.ConfidenceScore == w.Confidence, fmt.Sprintf("got %v, want %v", r.ConfidenceScore, w.Confidence)
				}),
				grader("conclusion", func(w dayWant, r *legal.Report) (bool, string) {
					if r == nil {
						return !w.Surge, "no report"
					}
					return string(r.Conclusion) == w.Conclusion, fmt.Sprintf("got %s, want %s", r.Conclusion, w.Conclusion)
				}),
			},
		},
		{
			Name: "citations", Doc: "What the legal part and the texts of a report must and must not say.", File: "evals/citations.yaml",
			Run: playDay, Gates: map[string]float64{"citations": 1},
			Graders: []eval.Grader{grader("citations", gradeText)},
		},
	}, nil
}

func gradeText(w dayWant, r *legal.Report) (bool, string) {
	if r == nil {
		return !w.Surge, "no report"
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return false, err.Error()
	}
	text := string(raw)
	if i := slices.IndexFunc(w.Contains, func(s string) bool { return !strings.Contains(text, s) }); i >= 0 {
		return false, fmt.Sprintf("the report lacks %q", w.Contains[i])
	}
	if i := slices.IndexFunc(w.Lacks, func(s string) bool { return strings.Contains(text, s) }); i >= 0 {
		return false, fmt.Sprintf("the report says %q", w.Lacks[i])
	}
	return true, ""
}

// playDay makes the report of an example's day by the rules.
func playDay(_ context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
	var in dayInput
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, dossier.Errorf(dossier.Invalid, "The example %s cannot be read.", ex.Name).Because(err)
	}
	d := sample.Day{At: in.At, AQI: map[string]float64{in.Station: in.AQI}, Fires: in.Fires, Share: -1, From: -1, History: 24, Seed: 5}
	if in.Share != nil {
		d.Share = *in.Share
	}
	if in.Wind != nil {
		d.From = *in.Wind
	}
	r := correlate.Defaults()
	_, all := correlate.Analyse(d.Snapshot(), correlate.Stations(), in.At, nil, r)
	if len(all) == 0 {
		return eval.Trace{Answer: json.RawMessage("null")}, nil
	}
	report := legal.Compose(legal.Input{ID: "CAQM-" + in.At.Format(time.DateOnly) + "-001", Now: in.At, Analysis: all[0], Quality: legal.DataQuality{Fresh: true}, Rules: r})
	raw, err := json.Marshal(report)
	return eval.Trace{Answer: raw}, err
}

// grader turns a yes-or-no judgement of a report into a grade.
func grader(name string, judge func(dayWant, *legal.Report) (bool, string)) eval.Grader {
	return eval.Grader{Name: name, Grade: func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
		var w dayWant
		if err := json.Unmarshal(ex.Want, &w); err != nil {
			return eval.Grade{}, dossier.Errorf(dossier.Invalid, "What the example %s wants cannot be read.", ex.Name).Because(err)
		}
		var r *legal.Report
		if err := json.Unmarshal(tr.Answer, &r); err != nil {
			return eval.Grade{}, fmt.Errorf("decode answer: %w", err)
		}
		g := eval.Grade{Name: name, Applies: true}
		ok, why := judge(w, r)
		if ok {
			g.Score = 1
		} else {
			g.Reason = why
		}
		return g, nil
	}}
}
