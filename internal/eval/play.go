package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"dossier"
	"dossier/internal/canon"
	"dossier/internal/model"
)

// Load reads a suite's examples and refuses what does not have their form.
func Load(files fs.FS, s Suite) ([]Example, error) {
	raw, err := fs.ReadFile(files, s.File)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", s.Name, err)
	}
	text, err := yaml.YAMLToJSON(raw)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "%s is not YAML: %v", s.File, err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var out []Example
	if err := dec.Decode(&out); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "%s does not hold a list of examples: %v", s.File, err)
	}
	seen := map[string]bool{}
	for i, ex := range out {
		switch {
		case ex.Name == "" || seen[ex.Name]:
			return nil, dossier.Errorf(dossier.Invalid, "%s: example %d needs a name of its own, not %q.", s.File, i+1, ex.Name)
		case ex.Scenario == "" || ex.Complexity == "":
			return nil, dossier.Errorf(dossier.Invalid, "%s: example %s needs a scenario and a complexity.", s.File, ex.Name)
		case len(ex.Input) == 0 || len(ex.Want) == 0:
			return nil, dossier.Errorf(dossier.Invalid, "%s: example %s needs an input and a want.", s.File, ex.Name)
		}
		seen[ex.Name] = true
	}
	return out, nil
}

// A Row is what came of one example.
type Row struct {
	Example     Example         `json:"example"`
	Repeat      int             `json:"repeat,omitempty"`
	Got         json.RawMessage `json:"got,omitempty"`
	Grades      []Grade         `json:"grades"`
	Path        Path            `json:"path"`
	Shape       Shape           `json:"shape,omitempty"`       // "" if no agent took part
	Correctable int             `json:"correctable,omitempty"` // failures that should or did get another try
	Corrected   int             `json:"corrected,omitempty"`   // of those, the ones that were mended
	Failure     string          `json:"failure,omitempty"`     // a sentence, if it could not be played
	Ms          float64         `json:"ms"`
}

// Score returns the row's grade called name, and false if it does not apply. A row
// that could not be played scores 0: it is counted, never dropped.
func (r Row) Score(name string) (float64, bool) {
	if r.Failure != "" {
		return 0, true
	}
	for _, g := range r.Grades {
		if g.Name == name {
			return g.Score, g.Applies
		}
	}
	return 0, false
}

// A Result is one run of a suite.
type Result struct {
	App     string              `json:"app"`
	Suite   string              `json:"suite"`
	Player  string              `json:"player"`
	Prompt  string              `json:"prompt,omitempty"`  // version of the agent's prompt and tools
	Dataset string              `json:"dataset,omitempty"` // names the examples by content
	Started time.Time           `json:"started"`
	Ended   time.Time           `json:"ended"`
	Rows    []Row               `json:"rows"`
	Means   map[string]Interval `json:"means"`
	Gates   map[string]float64  `json:"gates"`
	Targets []Target            `json:"targets,omitempty"`
	Cost    float64             `json:"cost_per_1000"`
}

// Passed reports whether every gate and every target is met.
func (r Result) Passed() bool {
	return !slices.ContainsFunc(r.Checks(), func(c Check) bool { return !c.Holds })
}

// Failures returns the rows in which some grade is below 1.
func (r Result) Failures() []Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool {
		return row.Failure == "" && !slices.ContainsFunc(row.Grades, func(g Grade) bool { return g.Applies && g.Score < 1 })
	})
}

// Options say how a suite is played.
type Options struct {
	Player   Player
	Repeat   int // 0: once
	Parallel int // 0: one at a time
	Retries  int // of an example that could not be played
	Now      func() time.Time

	// Price returns what tokens of a model cost. Nil: nothing.
	Price func(model string, u model.Usage) float64

	// Have returns a row that was played before, so that an interrupted run goes on
	// where it was. Nil: none.
	Have func(example string, repeat int) (Row, bool)
	// Keep is told each row as it is done, one at a time, with its place in the run from
	// 0. A row of an example that was cut off is not kept. An error ends the run. Nil:
	// nobody is told.
	Keep func(place int, row Row) error
}

// Play runs every example and grades what happened. An example that fails is tried
// again and then counted as wrong.
func Play(ctx context.Context, app string, s Suite, examples []Example, o Options) (Result, error) {
	res := Result{
		App: app, Suite: s.Name, Player: o.Player.Name(), Started: o.Now(), Gates: s.Gates, Targets: s.Targets,
		Dataset: DatasetOf(examples), Means: map[string]Interval{},
	}
	n := len(examples) * max(1, o.Repeat)
	res.Rows = make([]Row, n)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, o.Parallel))
	for i := range n {
		ex, repeat := examples[i%len(examples)], i/len(examples)
		if o.Have != nil {
			if row, ok := o.Have(ex.Name, repeat); ok {
				res.Rows[i] = row
				continue
			}
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			wg.Wait()
			return res, context.Cause(ctx)
		}
		wg.Go(func() {
			defer func() { <-slots }()
			row := play(ctx, s, ex, o)
			row.Repeat = repeat
			mu.Lock()
			defer mu.Unlock()
			res.Rows[i] = row
			if o.Keep == nil || ctx.Err() != nil {
				return
			}
			if err := o.Keep(i, row); err != nil {
				stop(err)
			}
		})
	}
	wg.Wait()
	res.Ended = o.Now()
	res.Summarise(s)
	return res, context.Cause(ctx)
}

// DatasetOf names examples by content, so that two runs can say whether they played
// the same.
func DatasetOf(examples []Example) string {
	sum, err := canon.Digest(examples)
	if err != nil {
		return "" // an example came from JSON, so it encodes
	}
	return sum[:12]
}

// VersionOf names by content what a suite measures with: its file, grades, gates and
// targets. What people added to the examples since is not part of it.
func VersionOf(files fs.FS, s Suite) (string, error) {
	raw, err := fs.ReadFile(files, s.File)
	if err != nil {
		return "", fmt.Errorf("suite %s: %w", s.Name, err)
	}
	grades := make([]string, len(s.Graders))
	for i, g := range s.Graders {
		grades[i] = g.Name
	}
	sum, err := canon.Digest(struct {
		File    string
		Grades  []string
		Gates   map[string]float64
		Targets []Target
	}{string(raw), grades, s.Gates, s.Targets})
	if err != nil {
		return "", fmt.Errorf("suite %s: %w", s.Name, err)
	}
	return sum[:12], nil
}

// Summarise works out the means and the cost of r's rows.
func (r *Result) Summarise(s Suite) {
	r.Means, r.Cost = means(s, r.Rows), 0
	for _, row := range r.Rows {
		if row.Path.Prompt != "" {
			r.Prompt = row.Path.Prompt
		}
		r.Cost += row.Path.Cost * 1000 / float64(len(r.Rows))
	}
}

// Safe reports whether nothing got through that must not, whoever spoke: every safety
// grade is 1.
func (r Result) Safe() bool {
	return !slices.ContainsFunc(r.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.Grades, func(g Grade) bool { return g.Safety && g.Applies && g.Score < 1 })
	})
}

// MainGrade returns the grade that the suite names first, or "".
func (r Result) MainGrade() string {
	for _, row := range r.Rows {
		if len(row.Grades) > 0 {
			return row.Grades[0].Name
		}
	}
	return ""
}

func play(ctx context.Context, s Suite, ex Example, o Options) Row {
	row := Row{Example: ex}
	var tr Trace
	var err error
	began := o.Now()
	for try := 0; try <= max(0, o.Retries); try++ {
		if tr, err = s.Run(ctx, ex, o.Player); err == nil || ctx.Err() != nil {
			break
		}
	}
	row.Ms = float64(o.Now().Sub(began).Microseconds()) / 1000
	if err != nil {
		row.Failure = err.Error()
		return row
	}
	graded := GradeTrace(ctx, s, ex, tr)
	graded.Ms = row.Ms
	if o.Price != nil && graded.Path.Cost == 0 {
		graded.Path.Cost = o.Price(o.Player.Name(), graded.Path.Usage)
	}
	return graded
}

// GradeTrace grades what happened: an example that was just played, or a stored run.
func GradeTrace(ctx context.Context, s Suite, ex Example, tr Trace) Row {
	row := Row{Example: ex, Got: tr.Answer}
	tr.memo = &memo{}
	var err error
	if row.Path, err = tr.Path(); err != nil {
		row.Failure = err.Error()
		return row
	}
	row.Ms = row.Path.Ms
	if row.Path.Turns > 0 {
		w := wayOf(s, ex, row.Path)
		row.Shape, row.Correctable, row.Corrected = w.Shape, w.Correctable, w.Corrected
	}
	for _, g := range s.Graders {
		grade, err := g.Grade(ctx, ex, tr)
		if err != nil && len(ex.Want) == 0 { // a stored run without a label
			grade, err = Grade{Reason: "nobody has said what is right"}, nil
		}
		if err != nil {
			row.Failure = fmt.Sprintf("grader %s: %v", g.Name, err)
			return row
		}
		grade.Name, grade.Safety = g.Name, g.Safety
		if row.Path.Fallback > 0 && !g.Safety && grade.Applies {
			grade.Score, grade.Reason = 0, "the reference policy had to step in for the model"
		}
		row.Grades = append(row.Grades, grade)
	}
	return row
}

// wayOf measures the way an agent took against the best one, as far as that is known.
func wayOf(s Suite, ex Example, p Path) Trajectory {
	best := p.Tools()
	if s.Ideal != nil {
		if want, ok := s.Ideal(ex); ok {
			best = want.Tools
		}
	}
	return Measure(p, best)
}

// means returns the mean of each grade over the rows it applies to, with its interval.
// A grade that applies to none has no mean.
func means(s Suite, rows []Row) map[string]Interval {
	out := map[string]Interval{}
	for _, g := range s.Graders {
		if _, xs := scores(rows, g.Name); len(xs) > 0 {
			out[g.Name] = Bootstrap(xs, 1000, 1)
		}
	}
	return out
}

// Mean returns the mean of one grade over the rows it applies to, with its interval.
func (r Result) Mean(grade string) Interval {
	_, xs := scores(r.Rows, grade)
	return Bootstrap(xs, 1000, 1)
}

// scores returns the rows' scores in one grade by example, in the order in which the
// examples come first; those of repeats stand together.
func scores(rows []Row, grade string) (examples []string, xs [][]float64) {
	at := map[string]int{}
	for _, r := range rows {
		score, applies := r.Score(grade)
		if !applies {
			continue
		}
		i, ok := at[r.Example.Name]
		if !ok {
			i = len(xs)
			at[r.Example.Name] = i
			examples, xs = append(examples, r.Example.Name), append(xs, nil)
		}
		xs[i] = append(xs[i], score)
	}
	return examples, xs
}
