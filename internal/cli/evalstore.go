package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/records"
	"dossier/internal/store"
)

// playTagged plays a suite and stores the result under an id that begins with tag.
// Each row is stored when it is done; resume goes on with the newest run that was cut
// off, if it had the same player, prompt and examples.
func (l *line) playTagged(ctx context.Context, p *product, name, tag string, o eval.Options, resume bool) (eval.Result, string, error) {
	a, s, err := p.suite(name)
	if err != nil {
		return eval.Result{}, "", err
	}
	exs, err := eval.Load(a.Files, s)
	if err != nil {
		return eval.Result{}, "", err
	}
	more, err := p.accepted(ctx, a.ID, s.Name)
	if err != nil {
		return eval.Result{}, "", err
	}
	exs = append(exs, more...)
	version, err := eval.VersionOf(a.Files, s)
	if err != nil {
		return eval.Result{}, "", err
	}
	rec := records.EvalResult{
		ID: store.NewID(tag), App: a.ID, Suite: s.Name, Player: o.Player.Name(), Agent: s.Agent, Prompt: p.promptOf(a.ID, s),
		Dataset: eval.DatasetOf(exs), Version: version, Started: p.now(), Means: map[string]float64{}, Gates: s.Gates,
	}
	if tag == "ab_test-" {
		rec.Tags = []string{"ab_test", rec.Player}
	}
	if server := o.Player.Server(); server != "" {
		rec.Tags = append(rec.Tags, server)
	}
	begun := false
	if resume {
		if o.Have, begun, err = p.storedRows(ctx, &rec, max(1, o.Repeat)); err != nil {
			return eval.Result{}, "", err
		}
	}
	if !begun {
		if err := p.store.BeginResult(ctx, rec); err != nil {
			return eval.Result{}, "", err
		}
	}
	o.Now, o.Price = p.now, p.models.price
	kept, progress := 0, l.progress(p.now, len(exs)*max(1, o.Repeat))
	o.Keep = func(place int, row eval.Row) error {
		kept++
		progress(kept)
		return p.store.KeepRow(context.WithoutCancel(ctx), rec.ID, place+1, toRow(row))
	}
	res, err := eval.Play(ctx, a.ID, s, exs, o)
	progress(0)
	if interrupted(err) {
		fmt.Fprintf(l.Err, "Stopped after %d rows. The same command with --resume goes on.\n", kept)
	}
	if err != nil {
		return res, "", err
	}
	res.Started = rec.Started
	done := toRecord(rec.ID, s, res)
	done.Tags, done.Version, done.Prompt = rec.Tags, version, cmp.Or(rec.Prompt, done.Prompt)
	return res, rec.ID, p.store.FinishResult(ctx, done)
}

// evalProduct opens the product for measuring, which needs no folder of the product's:
// where none can be made and none was asked for, one is made that is thrown away.
func (l *line) evalProduct(ctx context.Context) (*product, error) {
	if l.open != nil || l.data != "" {
		return l.product(ctx)
	}
	s, err := l.settings()
	if err != nil {
		return nil, err
	}
	if os.MkdirAll(s.Data, 0o700) == nil {
		return l.product(ctx)
	}
	if l.data, err = os.MkdirTemp("", "dossier-eval-"); err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "No folder can be made to play in.").Because(err)
	}
	fmt.Fprintf(l.Err, "The folder %s cannot be made, so nothing of this is kept.\n", s.Data)
	p, err := l.product(ctx)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(l.data))
	}
	p.undo = append([]func(){func() { _ = os.RemoveAll(l.data) }}, p.undo...)
	return p, nil
}

// progress returns what shows how many rows of all are done, at most once a second; 0
// wipes it away.
func (l *line) progress(now func() time.Time, all int) func(int) {
	last, shown := now(), false
	return func(n int) {
		switch {
		case n == 0 && shown:
			fmt.Fprintf(l.Err, "\r%*s\r", len(fmt.Sprintf("%d of %d examples", all, all)), "")
		case n > 0 && now().Sub(last) > time.Second:
			last, shown = now(), true
			fmt.Fprintf(l.Err, "\r%d of %d examples", n, all)
		}
	}
}

// promptOf returns the version of the prompt and tools of a suite's agent.
func (p *product) promptOf(app string, s eval.Suite) string {
	if a, ok := p.agent(app, s.Agent); ok && s.Agent != "" {
		return a.Version()
	}
	return ""
}

// storedRows finds the newest run that was cut off with the same player, prompt, tags and
// examples as rec and with no more than the repeats that are asked for, takes its id and
// start, and returns its rows by example and repeat.
func (p *product) storedRows(ctx context.Context, rec *records.EvalResult, repeats int) (func(string, int) (eval.Row, bool), bool, error) {
	all, err := p.store.Results(ctx, []string{rec.App}, rec.Suite, 200)
	if err != nil {
		return nil, false, err
	}
	for _, r := range all {
		if r.Done() || r.Player != rec.Player || r.Prompt != rec.Prompt || r.Version != rec.Version || r.Dataset != rec.Dataset || !slices.Equal(r.Tags, rec.Tags) {
			continue
		}
		_, rows, err := p.store.Result(ctx, r.ID)
		if err != nil {
			return nil, false, err
		}
		if slices.ContainsFunc(rows, func(row records.EvalRow) bool { return row.Repeat >= repeats }) {
			continue // its further rows would stay in a result that does not count them
		}
		rec.ID, rec.Started = r.ID, r.Started
		kept := map[string]eval.Row{}
		for _, row := range rows {
			kept[fmt.Sprint(row.Example, "#", row.Repeat)] = fromRow(row)
		}
		return func(example string, repeat int) (eval.Row, bool) {
			row, ok := kept[fmt.Sprint(example, "#", repeat)]
			return row, ok
		}, true, nil
	}
	return nil, false, nil
}

// interrupted reports whether err is that somebody stopped the command.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// toRecord returns what is stored of a result beside its rows.
func toRecord(id string, s eval.Suite, r eval.Result) records.EvalResult {
	rec := records.EvalResult{
		ID: id, App: r.App, Suite: r.Suite, Player: r.Player, Agent: s.Agent, Prompt: r.Prompt, Dataset: r.Dataset,
		Started: r.Started, Ended: r.Ended, Examples: len(r.Rows), Means: map[string]float64{}, Gates: r.Gates,
		Metrics: eval.FiguresOf(r.Rows).Metrics(), Passed: r.Passed(), Unsafe: !r.Safe(),
	}
	for g, m := range r.Means {
		rec.Means[g] = m.Mean
	}
	for _, c := range r.Checks() {
		rec.Checks = append(rec.Checks, records.EvalCheck{
			Name: c.Name, Bound: c.Bound, Most: c.Most, Got: c.Got, Gate: c.Gate, Empty: c.Empty, Holds: c.Holds,
		})
	}
	for _, row := range r.Rows {
		rec.Cost += row.Path.Cost
	}
	return rec
}

func toRows(rows []eval.Row) []records.EvalRow {
	out := make([]records.EvalRow, len(rows))
	for i, row := range rows {
		out[i] = toRow(row)
	}
	return out
}

func toRow(row eval.Row) records.EvalRow {
	out := records.EvalRow{
		Example: row.Example.Name, Repeat: row.Repeat, Scenario: row.Example.Scenario, Complexity: row.Example.Complexity,
		Input: row.Example.Input, Want: row.Example.Want, Got: row.Got, Failure: row.Failure, Ms: row.Ms,
		Cost: row.Path.Cost, Prompt: row.Path.Prompt, Grades: []records.EvalGrade{},
	}
	for _, g := range row.Grades {
		if g.Applies {
			out.Grades = append(out.Grades, records.EvalGrade{Name: g.Name, Score: g.Score, Reason: g.Reason, Safety: g.Safety})
		}
	}
	p := row.Path
	if p.Turns == 0 {
		return out
	}
	out.Path = &records.EvalPath{
		Calls: []records.EvalCall{}, Turns: p.Turns, TokensIn: p.Usage.In, TokensOut: p.Usage.Out, Cached: p.Usage.Cached,
		Fallback: p.Fallback, Answered: p.Answered, Shape: string(row.Shape),
		Correctable: row.Correctable, Corrected: row.Corrected,
	}
	for _, c := range p.Calls {
		out.Path.Calls = append(out.Path.Calls, records.EvalCall{
			Tool: c.Tool, Turn: c.Turn, Args: c.Args, Value: c.Value, Came: c.Came, Failed: c.Failed, Asked: c.Asked, Again: c.Again,
		})
	}
	return out
}

func fromRow(row records.EvalRow) eval.Row {
	out := eval.Row{
		Example: eval.Example{Name: row.Example, Scenario: row.Scenario, Complexity: row.Complexity, Input: row.Input, Want: row.Want},
		Repeat:  row.Repeat, Got: row.Got, Failure: row.Failure, Ms: row.Ms,
	}
	for _, g := range row.Grades {
		out.Grades = append(out.Grades, eval.Grade{Name: g.Name, Score: g.Score, Reason: g.Reason, Safety: g.Safety, Applies: true})
	}
	if row.Path == nil {
		return out
	}
	out.Shape, out.Correctable, out.Corrected = eval.Shape(row.Path.Shape), row.Path.Correctable, row.Path.Corrected
	out.Path = eval.Path{
		Turns: row.Path.Turns, Usage: model.Usage{In: row.Path.TokensIn, Out: row.Path.TokensOut, Cached: row.Path.Cached},
		Cost: row.Cost, Ms: row.Ms, Fallback: row.Path.Fallback, Answered: row.Path.Answered, Prompt: row.Prompt,
	}
	for _, c := range row.Path.Calls {
		out.Path.Calls = append(out.Path.Calls, eval.Call{
			Tool: c.Tool, Turn: c.Turn, Args: c.Args, Value: c.Value, Came: c.Came, Failed: c.Failed, Asked: c.Asked, Again: c.Again,
		})
	}
	return out
}

// fromRecords rebuilds a result from what is stored, for comparing and reporting.
func fromRecords(rec records.EvalResult, rows []records.EvalRow) eval.Result {
	r := eval.Result{
		App: rec.App, Suite: rec.Suite, Player: rec.Player, Prompt: rec.Prompt, Dataset: rec.Dataset,
		Started: rec.Started, Ended: rec.Ended, Gates: rec.Gates, Means: map[string]eval.Interval{},
	}
	names := map[string]bool{}
	for _, row := range rows {
		out := fromRow(row)
		for _, g := range out.Grades {
			names[g.Name] = true
		}
		r.Rows = append(r.Rows, out)
		r.Cost += out.Path.Cost * 1000 / float64(len(rows))
	}
	for _, c := range rec.Checks {
		if !c.Gate {
			r.Targets = append(r.Targets, eval.Target{Name: c.Name, Bound: c.Bound, Most: c.Most})
		}
	}
	for g := range names {
		r.Means[g] = r.Mean(g)
	}
	return r
}
