package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"dossier/internal/edit"
)

// A Shape is what kind of way an agent took.
type Shape string

// The five shapes.
const (
	Optimal     Shape = "optimal"     // nothing missing, nothing too much; a failure that was answered for is part of it
	Exploratory Shape = "exploratory" // got there with detours
	Recovery    Shape = "recovery"    // something failed and was mended
	Circular    Shape = "circular"    // asked the same again without learning anything
	DeadEnd     Shape = "dead-end"    // never got to an answer, or tried a failed call again in vain
)

// A Trajectory is a path measured against the best one.
type Trajectory struct {
	Shape       Shape     `json:"shape"`
	Length      int       `json:"length"`
	Bound       int       `json:"bound"`      // calls that are within bounds: three, or as many as the best way needs
	Distance    int       `json:"distance"`   // edits from the best path
	Optimality  float64   `json:"optimality"` // 1 is the best path
	Efficiency  float64   `json:"efficiency"` // share of the calls made that the best way needs
	Gains       []float64 `json:"gains"`      // share of everything learned that each call brought
	Enough      int       `json:"enough"`     // after how many calls nothing new was learned
	Redundant   int       `json:"redundant"`  // calls that repeated an earlier one and learned nothing
	Failures    int       `json:"failures"`
	Correctable int       `json:"correctable"` // failures after which the same tool was called again, or is in the best way
	Corrected   int       `json:"corrected"`   // failures that a later call of the same tool mended
	Unheeded    int       `json:"unheeded"`    // failed calls that were made again unchanged and failed again
}

// Measure compares a path with the best way to the same end. Calls of one turn are made
// together and have no order among themselves, so best may name them in any.
func Measure(p Path, best []string) Trajectory {
	t := Trajectory{Length: len(p.Calls), Bound: max(mostTools, len(best)), Gains: gains(p.Calls)}
	t.Distance = min(edit.Distance(p.Tools(), best), edit.Distance(ordered(p.Calls, best), best))
	t.Optimality = 1 - float64(t.Distance)/float64(max(1, len(best), len(p.Calls)))
	t.Efficiency = efficiency(p.Calls, best)
	for i, g := range t.Gains {
		if g > 0 {
			t.Enough = i + 1
		}
	}
	for i, c := range p.Calls {
		if repeats(p.Calls[:i], c) && t.Gains[i] == 0 && (c.Failed || !lastSame(p.Calls[:i], c).Failed) {
			t.Redundant++
		}
		if !c.Failed {
			continue
		}
		t.Failures++
		after := p.Calls[i+1:]
		if slices.ContainsFunc(after, func(a Call) bool { return a.Tool == c.Tool }) || expected(p.Calls[:i+1], c.Tool, best) {
			t.Correctable++
		}
		if slices.ContainsFunc(after, func(a Call) bool { return a.Failed && same(a, c) }) {
			t.Unheeded++
		}
		if slices.ContainsFunc(after, func(a Call) bool { return a.Tool == c.Tool && a.Came && !a.Failed }) {
			t.Corrected++
		}
	}
	t.Shape = shape(p, t)
	return t
}

// efficiency returns the share of calls that the best way needs. Who calls nothing where
// something is needed was not efficient.
func efficiency(calls []Call, best []string) float64 {
	if len(calls) == 0 {
		return yes(len(best) == 0)
	}
	left, needed := slices.Clone(best), 0
	for _, c := range calls {
		if i := slices.Index(left, c.Tool); i >= 0 {
			left, needed = slices.Delete(left, i, i+1), needed+1
		}
	}
	return float64(needed) / float64(len(calls))
}

// ordered returns the names of the calls with those of each turn in the order of the
// best way; what is not in it comes last.
func ordered(calls []Call, best []string) []string {
	out, left := make([]string, 0, len(calls)), slices.Clone(best)
	for i := 0; i < len(calls); {
		turn := map[string]int{}
		first := i
		for ; i == first || i < len(calls) && calls[i].Turn == calls[first].Turn && calls[i].Turn > 0; i++ {
			turn[calls[i].Tool]++
		}
		for j := 0; j < len(left); {
			if turn[left[j]] == 0 {
				j++
				continue
			}
			turn[left[j]]--
			out = append(out, left[j])
			left = slices.Delete(left, j, j+1)
		}
		for _, c := range calls[first:i] {
			if turn[c.Tool] > 0 {
				turn[c.Tool]--
				out = append(out, c.Tool)
			}
		}
	}
	return out
}

func shape(p Path, t Trajectory) Shape {
	switch {
	case t.Redundant > 0:
		return Circular
	case !p.Answered || t.Correctable > t.Corrected:
		return DeadEnd
	case t.Corrected > 0:
		return Recovery
	case t.Distance == 0:
		return Optimal
	}
	return Exploratory
}

// repeats reports whether c asks for what an earlier call that came back asked for.
func repeats(before []Call, c Call) bool {
	return slices.ContainsFunc(before, func(b Call) bool { return b.Came && same(b, c) })
}

// expected reports whether the best way calls a tool more often than was done so far.
func expected(soFar []Call, tool string, best []string) bool {
	left := 0
	for _, name := range best {
		if name == tool {
			left++
		}
	}
	for _, c := range soFar {
		if c.Tool == tool {
			left--
		}
	}
	return left > 0
}

// gains returns what share of all facts learned in the path each call was the first
// to bring. A fact is a leaf of what came back, with the way to it.
func gains(calls []Call) []float64 {
	known := map[string]bool{}
	fresh := make([]int, len(calls))
	total := 0
	for i, c := range calls {
		if !c.Came || c.Failed {
			continue
		}
		for _, leaf := range leavesOf(c.Tool, c.Value) {
			if !known[leaf] {
				known[leaf] = true
				fresh[i]++
				total++
			}
		}
	}
	out := make([]float64, len(calls))
	for i, n := range fresh {
		if total > 0 {
			out[i] = float64(n) / float64(total)
		}
	}
	return out
}

func leavesOf(path string, raw json.RawMessage) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(path+"["+strconv.Itoa(i)+"]", e)
			}
		case map[string]any:
			for name, e := range v {
				walk(path+"."+name, e)
			}
		default:
			out = append(out, fmt.Sprint(path, "=", v))
		}
	}
	walk(path, v)
	return out
}
