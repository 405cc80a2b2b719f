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
	"dossier/apps/report/outline"
	"dossier/apps/report/writer"
	"dossier/internal/eval"
	"dossier/internal/faith"
)

// A trial is an example: a section of the demo report, or of a stored one, to be
// written. Where an error is planted, the writer finds a draft with it in the outline,
// and the checks are shown that draft, too.
type trial struct {
	Report  string `json:"report,omitempty"` // a stored report's id; "": the demo report
	Section string `json:"section"`
	Old     string `json:"old,omitempty"` // in the narrator's draft, replaced by New to plant an error
	New     string `json:"new,omitempty"`
	Text    string `json:"text,omitempty"` // stands in the outline instead of the narrator's draft
}

// A ruling is what the checks say of a draft.
type ruling struct {
	OK      bool          `json:"ok"`
	Faults  []faith.Fault `json:"faults"`
	Silent  []string      `json:"silent"`
	Missing []string      `json:"missing"`
}

// A judgement is the answer to a trial.
type judgement struct {
	Gate    *ruling `json:"gate,omitempty"` // on the planted draft
	First   ruling  `json:"first"`          // on the first draft that the writer put forward
	Held    bool    `json:"held"`           // a draft of the writer's holds in the end
	Refused int     `json:"refused"`
	Carried bool    `json:"carried"` // the planted words stand in the draft that holds
	By      string  `json:"by"`
}

// suites measure what a writer writes of its own accord, what it makes of a draft with
// an error in it, and, whoever writes, what the checks stop.
func (o *office) suites() []eval.Suite {
	faithful := func(_ ruling, got judgement) (bool, string) {
		return got.Held && !got.Carried, "the draft that holds must be the writer's own and free of the planted error"
	}
	covers := func(_ ruling, got judgement) (bool, string) {
		return got.Held && len(got.First.Silent) == 0 && len(got.First.Missing) == 0, "the first draft must name every scenario and use every chart"
	}
	first := func(_ ruling, got judgement) (bool, string) {
		return got.First.OK, "the first draft must hold"
	}
	stops := func(want ruling, got judgement) (bool, string) {
		g := got.Gate
		return g.OK == want.OK && (len(want.Faults) == 0 || slices.Contains(g.Faults, want.Faults[0])) &&
			(want.Silent == nil || slices.Equal(want.Silent, g.Silent)) && (want.Missing == nil || slices.Equal(want.Missing, g.Missing)), "the checks must judge the planted draft as the example says"
	}
	return []eval.Suite{
		{
			Name: "faithfulness", Doc: "Sections written from data; a planted digit, unit, scenario or direction is stopped for that reason and not taken over.",
			Agent: writer.Name, File: "evals/faithfulness.yaml", Gates: map[string]float64{"faithfulness": 1, "gate": 1}, Run: o.runTrial,
			Graders: []eval.Grader{{Name: "faithfulness", Grade: grade(faithful, false)}, {Name: "first_draft", Grade: grade(first, false)}, {Name: "gate", Safety: true, Grade: grade(stops, true)}},
		},
		{
			Name: "coverage", Doc: "Drafts name every scenario and use every chart or say why not.",
			Agent: writer.Name, File: "evals/coverage.yaml", Gates: map[string]float64{"coverage": 1, "gate": 1}, Run: o.runTrial,
			Graders: []eval.Grader{{Name: "coverage", Grade: grade(covers, false)}, {Name: "gate", Safety: true, Grade: grade(stops, true)}},
		},
	}
}

// grade makes a grader of a condition. One about the checks applies only to examples
// with a planted draft.
func grade(holds func(want ruling, got judgement) (bool, string), planted bool) func(context.Context, eval.Example, eval.Trace) (eval.Grade, error) {
	return func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
		var want ruling
		var got judgement
		var trial struct {
			First json.RawMessage `json:"first"`
		}
		if json.Unmarshal(tr.Answer, &trial) == nil && trial.First == nil {
			return eval.Grade{}, nil // a stored run, which nobody tried
		}
		if err := json.Unmarshal(ex.Want, &want); err != nil {
			return eval.Grade{}, fmt.Errorf("example %s: %w", ex.Name, err)
		}
		if err := json.Unmarshal(tr.Answer, &got); err != nil {
			return eval.Grade{}, fmt.Errorf("answer to %s: %w", ex.Name, err)
		}
		if planted && got.Gate == nil {
			return eval.Grade{}, nil
		}
		ok, why := holds(want, got)
		g := eval.Grade{Applies: true, Reason: why + "; got " + string(tr.Answer)}
		if ok {
			g.Score, g.Reason = 1, ""
		}
		return g, nil
	}
}

// runTrial has a section of a report written by the player and judges it.
func (o *office) runTrial(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	var t trial
	if err := json.Unmarshal(ex.Input, &t); err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	dir, err := os.MkdirTemp("", "report-eval-")
	if err != nil {
		return eval.Trace{}, fmt.Errorf("folder for %s: %w", ex.Name, err)
	}
	defer os.RemoveAll(dir)
	r, err := o.stage(ctx, t.Report, dir)
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	defer r.Close()
	tr, err := t.play(ctx, r, who)
	if err != nil {
		return tr, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	return tr, nil
}

// stage opens the report of a trial: a stored one, or the demo report with its data in
// dir. Nothing that is done with it is kept.
func (o *office) stage(ctx context.Context, id, dir string) (*draft.Report, error) {
	if id != "" {
		_, r, err := o.open(ctx, id)
		return r, err
	}
	if err := demodata.Write(dir); err != nil {
		return nil, err
	}
	return draft.Load(ctx, draft.Files{Outline: filepath.Join(dir, "outline.md"), DataRoot: filepath.Join(dir, "run")})
}

func (t trial) play(ctx context.Context, r *draft.Report, who eval.Player) (eval.Trace, error) {
	var j judgement
	sheet := &writer.Sheet{Report: r, Section: t.Section}
	if t.Old != "" || t.Text != "" {
		text, answers, err := t.plant(ctx, r)
		if err != nil {
			return eval.Trace{}, err
		}
		v, err := sheet.Judge(ctx, text, answers)
		if err != nil {
			return eval.Trace{}, err
		}
		j.Gate = ruled(v)
		source, err := r.Outline.SetContent(t.Section, text)
		if err != nil {
			return eval.Trace{}, err
		}
		if r.Outline, err = outline.Parse(source); err != nil {
			return eval.Trace{}, err
		}
	}
	p, err := sheet.Play(ctx, eval.Stage{App: ID}, who)
	if err != nil {
		return eval.Trace{}, err
	}
	first, err := sheet.Judge(ctx, p.First.Content, p.First.Answers)
	if err != nil {
		return eval.Trace{}, err
	}
	j.First, j.Held, j.Refused, j.By = *ruled(first), p.Verdict.OK, len(p.Refused), p.By
	j.Carried = t.New != "" && !j.Gate.OK && strings.Contains(strings.ReplaceAll(p.Text, t.Old, ""), t.New)
	tr := p.Trace
	tr.Answer, err = json.Marshal(j)
	return tr, err
}

// plant returns the draft that stands in the outline before the writer begins.
func (t trial) plant(ctx context.Context, r *draft.Report) (string, []narrator.Answer, error) {
	if t.Text != "" {
		return t.Text, nil, nil
	}
	c, err := r.Context(ctx, t.Section)
	if err != nil {
		return "", nil, err
	}
	d := narrator.Write(c.Input())
	planted := strings.ReplaceAll(d.Text, t.Old, t.New)
	if planted == d.Text {
		return "", nil, dossier.Errorf(dossier.Invalid, "The draft has no %q to replace.", t.Old)
	}
	return planted, d.Answers, nil
}

func ruled(v draft.Verdict) *ruling {
	r := &ruling{OK: v.OK, Faults: []faith.Fault{}, Silent: orEmpty(v.Coverage.Silent), Missing: orEmpty(v.Coverage.Missing)}
	for _, n := range v.Faith.Problems() {
		if !slices.Contains(r.Faults, n.Fault) {
			r.Faults = append(r.Faults, n.Fault)
		}
	}
	return r
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
