package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/records"
	"dossier/internal/store"
)

// collectLabels makes an item to label of every lesson of the apps and of every other
// decided approval. One that is there already stays as it is.
func (p *product) collectLabels(ctx context.Context) error {
	for _, a := range p.apps {
		if a.Kit.Lessons == nil {
			continue
		}
		lessons, err := a.Kit.Lessons(ctx)
		if err != nil {
			return fmt.Errorf("lessons of %s: %w", a.ID, err)
		}
		for _, le := range lessons {
			err := p.store.AskLabel(ctx, records.LabelItem{
				ID: "label-" + le.ID, App: a.ID, Suite: le.Suite, Case: le.Case, Run: le.Run, Why: a.Redacted(le.Why),
				Input: a.RedactedJSON(le.Input), Got: a.RedactedJSON(le.Got), Want: a.RedactedJSON(le.Want), Queued: p.now(),
			})
			if err != nil {
				return err
			}
		}
	}
	decided, err := p.store.ListApprovals(ctx, records.ApprovalQuery{
		Statuses: []dossier.ApprovalStatus{dossier.Approved, dossier.Rejected}, Now: p.now(), Limit: 10_000,
	})
	if err != nil {
		return err
	}
	for _, a := range decided {
		if len(a.Decisions) == 0 {
			continue // nobody decided it
		}
		last := a.Decisions[len(a.Decisions)-1]
		of, _ := p.app(a.App)
		in, err := json.Marshal(struct {
			Tool string          `json:"tool"`
			Args json.RawMessage `json:"args"`
		}{a.Tool, a.Args})
		if err != nil {
			return fmt.Errorf("encode %s: %w", a.ID, err)
		}
		got, err := json.Marshal(last)
		if err != nil {
			return fmt.Errorf("encode %s: %w", a.ID, err)
		}
		err = p.store.AskLabel(ctx, records.LabelItem{
			ID: "label-" + string(a.ID), App: a.App, Case: a.Case, Run: a.Run, Queued: p.now(),
			Input: of.RedactedJSON(in), Got: of.RedactedJSON(got), Why: of.Redacted(deed(last)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// label records what a person says about an item, as the item's app may keep it.
func (p *product) label(ctx context.Context, id string, l records.Label) (records.LabelItem, error) {
	item, err := p.store.LabelItem(ctx, id)
	if err != nil {
		return item, err
	}
	if string(l.Right) == "null" {
		l.Right = nil
	}
	if err := rightFor(item, l.Right); err != nil {
		return item, err
	}
	a, _ := p.app(item.App)
	l.Note, l.Right = a.Redacted(l.Note), a.RedactedJSON(l.Right)
	return p.store.Label(ctx, id, l)
}

// rightFor refuses a right answer that the item's suite could not be graded with: one that
// has nothing in common with what is there.
func rightFor(item records.LabelItem, right json.RawMessage) error {
	if len(right) == 0 {
		return nil
	}
	var there, said map[string]json.RawMessage
	if !json.Valid(right) {
		return dossier.Errorf(dossier.Invalid, "What is right must be JSON, in the form of what was answered.")
	}
	if item.Suite == "" || json.Unmarshal([]byte(cmp.Or(string(item.Want), string(item.Got))), &there) != nil {
		return nil
	}
	_ = json.Unmarshal(right, &said) // what is no object has no members
	for name := range said {
		if _, ok := there[name]; ok {
			return nil
		}
	}
	return dossier.Errorf(dossier.Invalid, "What is right must have members of what was answered: %s.", strings.Join(slices.Sorted(maps.Keys(there)), ", "))
}

// deed says what a person decided, and why if they said so.
func deed(d dossier.Decision) string {
	said := fmt.Sprintf("%s decided %q.", d.By.Name, d.Verb)
	if d.Note != "" {
		said += " " + d.Note
	}
	return said
}

// accepted returns the examples of a suite that people accepted, from production or
// drafted by a model, or those of every suite of every app if app is "". What is of no
// suite is an example of none.
func (p *product) accepted(ctx context.Context, app, suite string) ([]eval.Example, error) {
	var apps []string
	if app != "" {
		apps = []string{app}
	}
	items, err := p.store.Labelled(ctx, apps, 10_000)
	if err != nil {
		return nil, err
	}
	out := []eval.Example{}
	for _, it := range items {
		want := it.Right()
		if len(want) == 0 || len(it.Input) == 0 || it.Suite == "" || app != "" && it.Suite != suite {
			continue
		}
		scenario := "production"
		if it.Drafted != "" {
			scenario = eval.Synthetic
		}
		out = append(out, eval.Example{Name: it.ID, Scenario: scenario, Complexity: "edge", Input: it.Input, Want: want, Tags: []string{it.App}})
	}
	return out, nil
}

// exportLabels writes what people have accepted as examples, in the form of a suite's
// file.
func (p *product) exportLabels(ctx context.Context, file string) (int, error) {
	out, err := p.accepted(ctx, "", "")
	if err != nil {
		return 0, err
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return 0, fmt.Errorf("encode examples: %w", err)
	}
	if raw, err = yaml.JSONToYAML(raw); err != nil {
		return 0, fmt.Errorf("encode examples: %w", err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return 0, dossier.Errorf(dossier.Invalid, "The file %s cannot be written.", file).Because(err)
	}
	return len(out), nil
}

// queue is the store with a queue of labels that fills itself: looking at it takes in
// what people decided, at most once a minute.
type queue struct {
	*store.Store
	p *product

	mu   sync.Mutex
	last time.Time
}

// Unlabelled implements api.Evals.
func (q *queue) Unlabelled(ctx context.Context, apps []string, limit int) ([]records.LabelItem, error) {
	q.mu.Lock()
	due := q.p.now().Sub(q.last) > time.Minute
	if due {
		q.last = q.p.now()
	}
	q.mu.Unlock()
	if due {
		if err := q.p.collectLabels(ctx); err != nil {
			q.p.log.ErrorContext(ctx, "what people decided could not be collected", "err", err)
		}
	}
	return q.Store.Unlabelled(ctx, apps, limit)
}

// Label implements api.Evals.
func (q *queue) Label(ctx context.Context, id string, l records.Label) (records.LabelItem, error) {
	return q.p.label(ctx, id, l)
}
