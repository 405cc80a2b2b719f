package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Choice is what an agent should have called.
type Choice struct {
	Tools   []string                   `json:"tools"`             // each must be called, in any order, as often as it stands here
	Allowed []string                   `json:"allowed,omitempty"` // may be called beside them
	Before  [][2]string                `json:"before,omitempty"`  // the first must come before the second
	Args    map[string]json.RawMessage `json:"args,omitempty"`    // by tool: arguments that the call must hold
	Known   []string                   `json:"known,omitempty"`   // every tool that exists; a call to another is made up
}

// A ChoiceReport says what was wrong with the calls of a path.
type ChoiceReport struct {
	Missing     []string `json:"missing,omitempty"`
	Unnecessary []string `json:"unnecessary,omitempty"`
	MadeUp      []string `json:"made_up,omitempty"`     // tools or arguments that do not exist
	WrongArgs   []string `json:"wrong_args,omitempty"`  // arguments other than wanted
	WrongOrder  []string `json:"wrong_order,omitempty"` // "a before b"
	Unheeded    []string `json:"unheeded,omitempty"`    // failures answered by the same call again
	Score       float64  `json:"score"`                 // of the choice of tools: right calls over all that should or did happen
	Checked     int      `json:"checked"`               // calls whose arguments are wanted
	Args        float64  `json:"args"`                  // share of those with the right arguments; 0 if there is none
	Redundant   float64  `json:"redundant"`             // share of calls that repeat an earlier one
}

// Choose grades the calls of a path against what they should have been.
func Choose(p Path, want Choice) ChoiceReport {
	var r ChoiceReport
	tools := p.Tools()
	right := 0
	left := map[string]int{} // how often each was called well
	for _, c := range p.Calls {
		if !c.Failed {
			left[c.Tool]++
		} else {
			left[c.Tool] = max(1, left[c.Tool])
		}
	}
	for _, t := range want.Tools {
		if left[t]--; left[t] >= 0 {
			right++
		} else {
			r.Missing = append(r.Missing, t)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(left)) {
		if slices.Contains(want.Tools, t) && !slices.Contains(want.Allowed, t) && left[t] > 0 {
			r.Unnecessary = append(r.Unnecessary, slices.Repeat([]string{t}, left[t])...)
		}
	}
	repeated := 0
	for i, c := range p.Calls {
		switch {
		case len(want.Known) > 0 && !slices.Contains(want.Known, c.Tool):
			r.MadeUp = append(r.MadeUp, c.Tool)
		case !slices.Contains(want.Tools, c.Tool) && !slices.Contains(want.Allowed, c.Tool):
			r.Unnecessary = append(r.Unnecessary, c.Tool)
		}
		if repeats(p.Calls[:i], c) {
			repeated++
			if prev := lastSame(p.Calls[:i], c); prev.Failed && c.Failed {
				r.Unheeded = append(r.Unheeded, c.Tool)
			}
		}
		if c.Failed && strings.Contains(string(c.Value), "Unknown: ") {
			r.MadeUp = append(r.MadeUp, c.Tool+" "+string(c.Args))
		}
	}
	for _, pair := range want.Before {
		i, j := slices.Index(tools, pair[0]), slices.Index(tools, pair[1])
		if i >= 0 && j >= 0 && i > j {
			r.WrongOrder = append(r.WrongOrder, pair[0]+" before "+pair[1])
		}
	}
	r.checkArgs(p, want)
	if n := len(want.Tools) + len(r.Unnecessary) + len(r.MadeUp); n > 0 { // the order has a grade of its own
		r.Score = float64(right) / float64(n)
	} else {
		r.Score = 1
	}
	if len(p.Calls) > 0 {
		r.Redundant = float64(repeated) / float64(len(p.Calls))
	}
	return r
}

func lastSame(before []Call, c Call) Call {
	for i := len(before) - 1; i >= 0; i-- {
		if same(before[i], c) {
			return before[i]
		}
	}
	return Call{}
}

// checkArgs checks the arguments of every call of a tool that has wanted ones.
func (r *ChoiceReport) checkArgs(p Path, want Choice) {
	for _, c := range p.Calls {
		w, ok := want.Args[c.Tool]
		if !ok {
			continue
		}
		r.Checked++
		if miss := Subset(w, c.Args); miss != "" {
			r.WrongArgs = append(r.WrongArgs, c.Tool+": "+miss)
		}
	}
	if r.Checked > 0 {
		r.Args = 1 - float64(len(r.WrongArgs))/float64(r.Checked)
	}
}

// Subset reports the first thing in want that got does not hold, or "". Objects may
// hold more than wanted; lists of plain values may stand in any order.
func Subset(want, got json.RawMessage) string {
	var w, g any
	if json.Unmarshal(want, &w) != nil || json.Unmarshal(got, &g) != nil {
		return "not JSON"
	}
	return subset("", w, g)
}

func subset(path string, w, g any) string {
	if wm, ok := w.(map[string]any); ok {
		gm, ok := g.(map[string]any)
		if !ok {
			return orRoot(path) + ": want an object"
		}
		for _, name := range slices.Sorted(maps.Keys(wm)) {
			v, ok := gm[name]
			if !ok {
				return orRoot(path+"."+name) + " is missing"
			}
			if miss := subset(path+"."+name, wm[name], v); miss != "" {
				return miss
			}
		}
		return ""
	}
	if wl, ok := w.([]any); ok {
		gl, ok := g.([]any)
		if !ok || len(wl) != len(gl) {
			return fmt.Sprintf("%s: want %v, got %v", orRoot(path), w, g)
		}
		gl = slices.Clone(gl)
		for _, v := range wl {
			i := slices.IndexFunc(gl, func(o any) bool { return subset("", v, o) == "" })
			if i < 0 {
				return fmt.Sprintf("%s: %v is missing", orRoot(path), v)
			}
			gl = slices.Delete(gl, i, i+1) // each stands for one only
		}
		return ""
	}
	if !reflect.DeepEqual(w, g) {
		return fmt.Sprintf("%s: want %#v, got %#v", orRoot(path), w, g)
	}
	return ""
}

func orRoot(path string) string {
	if path == "" {
		return "it"
	}
	return strings.TrimPrefix(path, ".")
}
