package report

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dossier"
	demodata "dossier/apps/report/demo"
	"dossier/apps/report/draft"
	"dossier/apps/report/narrator"
	"dossier/internal/eval"
	"dossier/internal/faith"
)

// trial is an example: a section of the demo report, and what is done to its draft
// before it is judged.
type trial struct {
	Section string `json:"section"`
	Old     string `json:"old,omitempty"` // replaced by New, to plant an error
	New     string `json:"new,omitempty"`
	Text    string `json:"text,omitempty"` // judged instead of the section's draft
}

// judgement is the answer to a trial.
type judgement struct {
	OK      bool          `json:"ok"`
	Faults  []faith.Fault `json:"faults"`
	Silent  []string      `json:"silent"`
	Missing []string      `json:"missing"`
}

// suites measure what drafts are stopped for and what they must cover.
func suites() []eval.Suite {
	return []eval.Suite{
		{
			Name: "faithfulness", Doc: "Honest drafts pass; a planted digit, unit, scenario or direction is stopped for that reason.",
			File: "evals/faithfulness.yaml", Gates: map[string]float64{"faithfulness": 1}, Run: runTrial,
			Graders: []eval.Grader{{Name: "faithfulness", Grade: grade("faithfulness", func(want, got judgement) bool {
				return want.OK == got.OK && (len(want.Faults) == 0 || slices.Contains(got.Faults, want.Faults[0]))
			})}},
		},
		{
			Name: "coverage", Doc: "Drafts name every scenario and use every chart or say why not.",
			File: "evals/coverage.yaml", Gates: map[string]float64{"coverage": 1}, Run: runTrial,
			Graders: []eval.Grader{{Name: "coverage", Grade: grade("coverage", func(want, got judgement) bool {
				return slices.Equal(want.Silent, got.Silent) && slices.Equal(want.Missing, got.Missing)
			})}},
		},
	}
}

func grade(name string, holds func(want, got judgement) bool) func(context.Context, eval.Example, eval.Trace) (eval.Grade, error) {
	return func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
		var want, got judgement
		if err := json.Unmarshal(ex.Want, &want); err != nil {
			return eval.Grade{}, fmt.Errorf("example %s: %w", ex.Name, err)
		}
		if err := json.Unmarshal(tr.Answer, &got); err != nil {
			return eval.Grade{}, fmt.Errorf("answer to %s: %w", ex.Name, err)
		}
		g := eval.Grade{Name: name, Applies: true, Reason: "got " + string(tr.Answer)}
		if holds(want, got) {
			g.Score = 1
		}
		return g, nil
	}
}

// runTrial drafts a section of the demo report, plants what the example says and
// judges it.
func runTrial(ctx context.Context, ex eval.Example, _ eval.Player) (eval.Trace, error) {
	var t trial
	if err := json.Unmarshal(ex.Input, &t); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	dir, err := os.MkdirTemp("", "report-eval-")
	if err != nil {
		return eval.Trace{}, fmt.Errorf("folder for %s: %w", ex.Name, err)
	}
	defer os.RemoveAll(dir)
	if err := demodata.Write(dir); err != nil {
		return eval.Trace{}, err
	}
	r, err := draft.Load(ctx, draft.Files{Outline: filepath.Join(dir, "outline.md"), DataRoot: filepath.Join(dir, "run")})
	if err != nil {
		return eval.Trace{}, err
	}
	defer r.Close()
	v, err := t.judge(ctx, r)
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	j := judgement{OK: v.OK, Faults: []faith.Fault{}, Silent: orEmpty(v.Coverage.Silent), Missing: orEmpty(v.Coverage.Missing)}
	for _, n := range v.Faith.Problems() {
		if !slices.Contains(j.Faults, n.Fault) {
			j.Faults = append(j.Faults, n.Fault)
		}
	}
	raw, err := json.Marshal(j)
	return eval.Trace{Answer: raw}, err
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (t trial) judge(ctx context.Context, r *draft.Report) (draft.Verdict, error) {
	c, err := r.Context(ctx, t.Section)
	if err != nil {
		return draft.Verdict{}, err
	}
	f, err := c.Facts(nil)
	if err != nil {
		return draft.Verdict{}, err
	}
	d := narrator.Write(c.Input())
	text := d.Text
	if t.Text != "" {
		text = t.Text
	}
	if t.Old != "" {
		planted := strings.ReplaceAll(text, t.Old, t.New)
		if planted == text {
			return draft.Verdict{}, dossier.Errorf(dossier.Invalid, "The draft has no %q to replace.", t.Old)
		}
		text = planted
	}
	return c.Check(text, f, d.Answers), nil
}
