package judge

import (
	"bytes"
	"context"
	_ "embed" // the labels
	"encoding/json"
	"strconv"

	"github.com/goccy/go-yaml"

	"dossier"
	"dossier/internal/eval"
)

//go:embed labels.yaml
var ruleLabels []byte

// A Pair is two answers to the same question, and which one is better: A, B or Tie.
type Pair struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Want   json.RawMessage `json:"want"`
	A      json.RawMessage `json:"a"`
	B      json.RawMessage `json:"b"`
	Better string          `json:"better"`
	By     string          `json:"by,omitempty"` // the person who said so; "": it follows from a rule
}

// A Marked answer is one that was found good or poor.
type Marked struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Want   json.RawMessage `json:"want"`
	Answer json.RawMessage `json:"answer"`
	Label  string          `json:"label"`
	By     string          `json:"by,omitempty"` // the person who said so; "": it follows from a rule
}

// The labels of a marked answer.
const (
	Good = "good"
	Poor = "poor"
)

// GoodMark is the mark from which on an answer counts as good.
const GoodMark = 4

// Labels are what a judge is measured with.
type Labels struct {
	Pairs []Pair   `json:"pairs"`
	Marks []Marked `json:"marks"`
}

// byPerson reports whether a label is somebody's.
func byPerson(who string) bool { return who != "" && who != "rule" }

// Split parts the labels that people gave from those that follow from a rule.
func (l Labels) Split() (people, rule Labels) {
	for _, p := range l.Pairs {
		if byPerson(p.By) {
			people.Pairs = append(people.Pairs, p)
		} else {
			rule.Pairs = append(rule.Pairs, p)
		}
	}
	for _, m := range l.Marks {
		if byPerson(m.By) {
			people.Marks = append(people.Marks, m)
		} else {
			rule.Marks = append(rule.Marks, m)
		}
	}
	return people, rule
}

// ByRule returns the labels that come with the product. They follow from a rule and
// were given by nobody.
func ByRule() (Labels, error) { return Read(ruleLabels) }

// Read reads labels from YAML and refuses what has another form.
func Read(raw []byte) (Labels, error) {
	var out Labels
	text, err := yaml.YAMLToJSON(raw)
	if err != nil {
		return out, dossier.Errorf(dossier.Invalid, "The labels are not YAML: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		return out, dossier.Errorf(dossier.Invalid, "The labels do not hold pairs and marks: %v", err)
	}
	for _, p := range out.Pairs {
		if p.Better != A && p.Better != B && p.Better != Tie || len(p.A) == 0 || len(p.B) == 0 {
			return out, dossier.Errorf(dossier.Invalid, "The pair %q needs two answers, and a better one: a, b or tie.", p.Name)
		}
	}
	for _, m := range out.Marks {
		if m.Label != Good && m.Label != Poor || len(m.Answer) == 0 {
			return out, dossier.Errorf(dossier.Invalid, "The marked answer %q needs an answer and a label: good or poor.", m.Name)
		}
	}
	return out, nil
}

// MeasurePairs asks a pairwise judge about labelled pairs. A pair that it cannot judge
// counts as disagreement.
func (p Pairwise) MeasurePairs(ctx context.Context, pairs []Pair) (Standing, error) {
	labels, said, by := make([]string, len(pairs)), make([]string, len(pairs)), make([]string, len(pairs))
	for i, pr := range pairs {
		word, err := p.Better(ctx, eval.Example{Name: pr.Name, Input: pr.Input, Want: pr.Want}, pr.A, pr.B)
		if ctx.Err() != nil {
			return Standing{}, ctx.Err()
		}
		if err != nil {
			word = "none"
		}
		labels[i], said[i], by[i] = pr.Better, word, pr.By
	}
	return standingOf(labels, said, by), nil
}

// MeasureMarks asks a rubric about labelled answers. A mark of [GoodMark] and above is
// good, every other poor.
func (r Rubric) MeasureMarks(ctx context.Context, marks []Marked) (Standing, error) {
	items := make([]Labelled, len(marks))
	for i, m := range marks {
		items[i] = Labelled{eval.Example{Name: m.Name, Input: m.Input, Want: m.Want}, eval.Trace{Answer: m.Answer}, m.Label, m.By}
	}
	return Measure(ctx, items, func(ctx context.Context, ex eval.Example, tr eval.Trace) (string, error) {
		mark, err := r.Mark(ctx, ex, tr)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(mark); err == nil && n >= GoodMark {
			return Good, nil
		}
		return Poor, nil
	})
}
