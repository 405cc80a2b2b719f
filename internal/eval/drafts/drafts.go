// Package drafts asks a model for further examples of a suite.
//
// The model writes inputs and nothing else. Each is checked against the suite's form,
// left out if an example like it is there, and played by the reference policy, which says
// what is right: a model's word never becomes an expected answer. What is left waits for
// a person, who accepts it or does not.
package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/model"
)

// The bounds of one asking.
const (
	perTurn  = 10 // examples asked for at a time
	mostDry  = 2  // turns in a row that brought nothing, after which the model is left alone
	mostShow = 3  // examples that the model is shown
)

// A Batch is what a model drafted, and what was not taken of it.
type Batch struct {
	Examples   []eval.Example `json:"examples"`
	Duplicates int            `json:"duplicates"`
	Refused    []string       `json:"refused"` // why, one sentence each
	Turns      int            `json:"turns"`
}

// Ask has m draft n further examples of s beside those that are known. It returns fewer
// if m brings nothing new twice in a row.
func Ask(ctx context.Context, m model.Model, s eval.Suite, known []eval.Example, n int) (Batch, error) {
	out := Batch{Examples: []eval.Example{}, Refused: []string{}}
	if s.Draft == nil {
		return out, dossier.Errorf(dossier.Invalid, "No examples of the suite %s can be drafted: what is right in it does not follow from a rule alone.", s.Name)
	}
	seen := map[string]bool{}
	for _, ex := range known {
		seen[s.Draft.KeyOf(ex.Input)] = true
	}
	for dry := 0; len(out.Examples) < n && dry < mostDry; out.Turns++ {
		list, err := turn(ctx, m, s, known, out.Examples, min(perTurn, n-len(out.Examples)))
		if err != nil {
			return out, err
		}
		before := len(out.Examples)
		for _, d := range list {
			if len(out.Examples) == n {
				break
			}
			if err := take(ctx, &out, s, d, seen); err != nil {
				return out, err
			}
		}
		if dry++; len(out.Examples) > before {
			dry = 0
		}
	}
	return out, nil
}

type drafted struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// take adds a draft to out, or says why not. An error ends the asking.
func take(ctx context.Context, out *Batch, s eval.Suite, d drafted, seen map[string]bool) error {
	refuse := func(err error) { out.Refused = append(out.Refused, d.Name+": "+dossier.Message(err)) }
	if err := s.Draft.Input.Check(d.Input); err != nil {
		refuse(err)
		return nil
	}
	key := s.Draft.KeyOf(d.Input)
	if seen[key] {
		out.Duplicates++
		return nil
	}
	ex := eval.Example{Name: "draft-" + eval.DatasetOf([]eval.Example{{Input: d.Input}}), Scenario: eval.Synthetic, Complexity: "edge", Input: d.Input}
	tr, err := s.Run(ctx, ex, eval.Player{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && len(tr.Answer) == 0 {
		err = dossier.Errorf(dossier.Invalid, "The reference policy gave it up: %s", tr.Failure)
	}
	if err == nil {
		ex.Want, err = s.Draft.Want(d.Input, tr.Answer)
	}
	if err != nil {
		refuse(err)
		return nil
	}
	seen[key] = true
	ex.Tags = []string{d.Name}
	out.Examples = append(out.Examples, ex)
	return nil
}

// turn asks the model once.
func turn(ctx context.Context, m model.Model, s eval.Suite, known, have []eval.Example, n int) ([]drafted, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Write %d further examples for this suite: %s\n%s\nVary them; do not repeat what is there.\n", n, s.Doc, s.Draft.Asks)
	b.WriteString("Give each a name of a few words and its input. Do not say what is right: a rule works that out.\n\nExamples that are there:\n")
	shown := 0
	for _, ex := range known {
		if !ex.HeldOut && shown < mostShow {
			shown++
			fmt.Fprintf(&b, "%s: %s\n", ex.Name, ex.Input)
		}
	}
	for _, ex := range have {
		fmt.Fprintf(&b, "%s: %s\n", strings.Join(ex.Tags, " "), ex.Input)
	}
	form := fmt.Sprintf(`{"type":"object","properties":{"examples":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"input":%s},"required":["name","input"],"additionalProperties":false}}},"required":["examples"],"additionalProperties":false}`, s.Draft.Input.Text)
	reply, err := m.Generate(ctx, &model.Request{
		System:   "You write test data in the form asked for. Every person and place in it is made up. Answer with JSON alone.",
		Messages: []model.Message{{From: model.User, Parts: []model.Part{model.Text(b.String())}}},
		Output:   json.RawMessage(form), MaxTokens: 8000,
	}, nil)
	if err != nil {
		return nil, err
	}
	var out struct {
		Examples []drafted `json:"examples"`
	}
	said := strings.TrimSpace(reply.Text())
	said = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(said, "```"), "json"), "```")
	if err := json.Unmarshal([]byte(said), &out); err != nil {
		return nil, nil //nolint:nilerr // it brought nothing, which counts as a dry turn
	}
	return out.Examples, nil
}
