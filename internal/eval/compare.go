package eval

import (
	"fmt"
	"maps"
	"slices"

	"dossier"
)

// A Difference is an example on which two runs of a suite part.
type Difference struct {
	Example string  `json:"example"`
	Repeat  int     `json:"repeat,omitempty"`
	Grade   string  `json:"grade"`
	A       float64 `json:"a"`
	B       float64 `json:"b"`
}

// A Detour is an example for which two runs took different ways.
type Detour struct {
	Example string   `json:"example"`
	Repeat  int      `json:"repeat,omitempty"`
	A       []string `json:"a"`
	B       []string `json:"b"`
}

// A Side is one of two runs that are compared.
type Side struct {
	Player   string  `json:"player"`
	Prompt   string  `json:"prompt,omitempty"`
	Dataset  string  `json:"dataset,omitempty"`
	Examples int     `json:"examples"`
	Cost     float64 `json:"cost_per_1000"`
	Ms       float64 `json:"ms_per_case"`
}

// A Comparison is two runs of a suite side by side.
type Comparison struct {
	Suite       string              `json:"suite"`
	A           string              `json:"a"`
	B           string              `json:"b"`
	Runs        [2]Side             `json:"runs"`
	Change      map[string]Interval `json:"change"` // b minus a, paired by example
	Differences []Difference        `json:"differences"`
	Detours     []Detour            `json:"detours"`
	Alone       []string            `json:"alone"` // examples that only one of them played
}

func sideOf(r Result) Side {
	return Side{r.Player, r.Prompt, r.Dataset, len(r.Rows), r.Cost, FiguresOf(r.Rows).MsPerCase}
}

// Compare puts two runs of a suite side by side, example by example.
func Compare(a, b Result) (Comparison, error) {
	if a.App != b.App || a.Suite != b.Suite {
		return Comparison{}, dossier.Errorf(dossier.Invalid, "%s/%s and %s/%s are different suites.", a.App, a.Suite, b.App, b.Suite)
	}
	c := Comparison{
		Suite: a.App + "/" + a.Suite, A: a.Player, B: b.Player, Runs: [2]Side{sideOf(a), sideOf(b)},
		Change: map[string]Interval{}, Differences: []Difference{}, Detours: []Detour{}, Alone: []string{},
	}
	at := map[string]Row{}
	for _, r := range a.Rows {
		at[r.key()] = r
	}
	var changes []Row // b minus a, as the scores of rows
	for _, r := range b.Rows {
		was, ok := at[r.key()]
		if !ok {
			c.Alone = append(c.Alone, r.Example.Name)
			continue
		}
		delete(at, r.key())
		if x, y := was.Path.Tools(), r.Path.Tools(); !slices.Equal(x, y) {
			c.Detours = append(c.Detours, Detour{r.Example.Name, r.Repeat, x, y})
		}
		change := Row{Example: r.Example}
		for _, name := range slices.Sorted(maps.Keys(a.Means)) {
			x, okA := was.Score(name)
			y, okB := r.Score(name)
			if !okA || !okB {
				continue
			}
			change.Grades = append(change.Grades, Grade{Name: name, Score: y - x, Applies: true})
			if x != y {
				c.Differences = append(c.Differences, Difference{r.Example.Name, r.Repeat, name, x, y})
			}
		}
		changes = append(changes, change)
	}
	for _, key := range slices.Sorted(maps.Keys(at)) {
		c.Alone = append(c.Alone, at[key].Example.Name)
	}
	for name := range a.Means {
		if _, xs := scores(changes, name); len(xs) > 0 {
			c.Change[name] = Bootstrap(xs, 1000, 1)
		}
	}
	return c, nil
}

// key names a row in its run.
func (r Row) key() string { return fmt.Sprint(r.Example.Name, "#", r.Repeat) }
