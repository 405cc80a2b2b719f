// Package evals holds what people say at the three desks, with what must come of it,
// and judges what did.
//
// The utterances were written before the grammar and apart from it. A third of them is
// held out: they measure and were not used to write it. An example names the tool and
// its exact arguments, the slot that must be asked for, or that the talk is declined,
// refused as another desk's work, or plain talk. The package decides nothing in
// production.
package evals

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"dossier/apps/gatepass/grammar"
)

//go:embed *.yaml
var files embed.FS

// A Suite is the examples of one desk.
type Suite struct {
	Role     string
	Examples []Example
}

// Now is when the examples are said, and Speaker who says them.
var Now = time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)

// Speaker is who says the examples.
const Speaker = "Meera Iyer"

// An Example is one utterance with what must come of it.
type Example struct {
	Name    string `yaml:"name"`
	Input   Input  `yaml:"input"`
	Want    Want   `yaml:"want"`
	HeldOut bool   `yaml:"held_out"`
}

// An Input is what is said, and after what.
type Input struct {
	Say   string `yaml:"say" json:"say"`
	Given Given  `yaml:"given" json:"given"`
}

// Given is what was said and shown before.
type Given struct {
	Pass          Known    `yaml:"pass" json:"pass,omitzero"`
	Shown         []Known  `yaml:"shown" json:"shown,omitempty"`
	Notifications []string `yaml:"notifications" json:"notifications,omitempty"`
	Asked         Open     `yaml:"asked" json:"asked,omitzero"`
	Confirm       Open     `yaml:"confirm" json:"confirm,omitzero"`
	Photo         bool     `yaml:"photo" json:"photo,omitempty"`
}

// Known is a pass that the conversation knows.
type Known struct {
	Number string `yaml:"number" json:"number"`
	ID     string `yaml:"id" json:"id"`
	Person string `yaml:"person" json:"person"`
}

// Open is a question that was asked.
type Open struct {
	Tool string         `yaml:"tool" json:"tool"`
	Slot string         `yaml:"slot" json:"slot"`
	Args map[string]any `yaml:"args" json:"args"`
}

// Want is what must come of an utterance.
type Want struct {
	Tool    string         `yaml:"tool" json:"tool"`
	Args    map[string]any `yaml:"args" json:"args"`
	Ask     string         `yaml:"ask" json:"ask"`
	Confirm bool           `yaml:"confirm" json:"confirm,omitzero"`
	Talk    grammar.Talk   `yaml:"talk" json:"talk"`
	Decline bool           `yaml:"decline" json:"decline"`
	Refuse  bool           `yaml:"refuse" json:"refuse"`
}

// Load returns the suite of a desk.
func Load(role string) (Suite, error) {
	s := Suite{Role: role}
	raw, err := files.ReadFile(role + ".yaml")
	if err != nil {
		return s, fmt.Errorf("utterances of %s: %w", role, err)
	}
	if err := yaml.Unmarshal(raw, &s.Examples); err != nil {
		return s, fmt.Errorf("utterances of %s: %w", role, err)
	}
	return s, nil
}

// State returns the conversation in which in is said at the desk of role.
func (in Input) State(role, lister string) grammar.State {
	g := in.Given
	st := grammar.State{Role: role, Me: Speaker, Now: Now, Notes: g.Notifications, Photo: g.Photo}
	st.Pass = grammar.Pass{Number: g.Pass.Number, ID: g.Pass.ID, Person: g.Pass.Person}
	for _, p := range g.Shown {
		st.Shown = append(st.Shown, grammar.Pass{Number: p.Number, ID: p.ID, Person: p.Person})
	}
	if len(st.Shown) > 0 {
		st.Last = grammar.Done{Tool: lister}
	}
	if g.Asked.Tool != "" {
		st.Pending = &grammar.Pending{Tool: g.Asked.Tool, Slot: g.Asked.Slot, Args: text(g.Asked.Args)}
	}
	if g.Confirm.Tool != "" {
		st.Pending = &grammar.Pending{Tool: g.Confirm.Tool, Args: text(g.Confirm.Args), Confirm: true}
	}
	return st
}

func text(in map[string]any) grammar.Args {
	out := grammar.Args{}
	for k, v := range in {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// Calls reports whether a call is wanted, rather than an answer alone.
func (w Want) Calls() bool {
	return w.Tool != "" && w.Ask == "" && !w.Decline && !w.Refuse && w.Talk == ""
}

// Kind names what is wanted.
func (w Want) Kind() string {
	switch {
	case w.Decline:
		return "decline"
	case w.Refuse:
		return "refuse"
	case w.Talk != "":
		return "talk " + string(w.Talk)
	case w.Ask != "":
		return "ask " + w.Tool + "." + w.Ask
	case w.Confirm:
		return "confirm " + w.Tool
	}
	return "call " + w.Tool
}

// Compare returns the first difference between the wanted arguments and args, or "".
func (w Want) Compare(args grammar.Args) string { return compare(text(w.Args), args) }

// Answers reports whether said, an answer in words, is of the kind that is wanted: a
// question, a refusal that names the permissions or the desk, or anything but those.
func (w Want) Answers(said string) bool {
	low := strings.ToLower(said)
	asks := strings.Contains(low, "?") || strings.Contains(low, "which one") || strings.Contains(low, "please attach")
	refuses := strings.Contains(low, "permission") || strings.Contains(low, " desk")
	switch {
	case w.Ask != "":
		return asks
	case w.Refuse:
		return refuses
	}
	return said != "" && !strings.Contains(low, "permission")
}

// Judge reports whether act is what is wanted, and if not, why.
func (w Want) Judge(act grammar.Act) (bool, string) {
	ok := act.Do == grammar.Call && act.Tool == w.Tool
	switch {
	case w.Decline:
		ok = act.Do == grammar.Decline
	case w.Refuse:
		ok = act.Do == grammar.Refuse
	case w.Talk != "":
		ok = act.Do == grammar.Chat && act.Talk == w.Talk
	case w.Ask != "":
		ok = act.Do == grammar.Ask && act.Tool == w.Tool && act.Slot == w.Ask
	case w.Confirm:
		ok = act.Do == grammar.Confirm && act.Tool == w.Tool
	}
	if !ok {
		return false, fmt.Sprintf("want %s, got %s", w.Kind(), Describe(act))
	}
	if w.Tool == "" {
		return true, ""
	}
	if diff := compare(text(w.Args), act.Args); diff != "" {
		return false, diff
	}
	return true, ""
}

func compare(want, got grammar.Args) string {
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !same(k, want[k], got[k]) {
			return fmt.Sprintf("%s: want %q, got %q", k, want[k], got[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok && k != "photo" && k != "name" {
			return fmt.Sprintf("%s: want none, got %q", k, got[k])
		}
	}
	return ""
}

// same compares a value. A purpose may be put with other small words.
func same(slot, want, got string) bool {
	if slot == "description" {
		return slices.Equal(content(want), content(got))
	}
	return strings.EqualFold(want, got)
}

func content(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		w = strings.Trim(w, ".,;:")
		switch w {
		case "to", "the", "a", "an", "for", "in", "of", "at", "his", "her", "their", "go", "going", "goes", "some", "is", "he", "she", "they", "on", "and", "hai", "ke", "ka", "ko", "liye", "":
			continue
		}
		out = append(out, w)
	}
	return out
}

// Describe puts an act in a line.
func Describe(a grammar.Act) string {
	switch a.Do {
	case grammar.Call:
		return fmt.Sprintf("call %s %v", a.Tool, a.Args)
	case grammar.Ask:
		return fmt.Sprintf("ask %s.%s %v", a.Tool, a.Slot, a.Args)
	case grammar.Confirm:
		return fmt.Sprintf("confirm %s %v", a.Tool, a.Args)
	case grammar.LookUp:
		return fmt.Sprintf("look up %q for %s", a.Name, a.Tool)
	case grammar.Refuse:
		return "refuse " + a.Tool
	case grammar.Chat:
		return "talk " + string(a.Talk)
	}
	return "decline"
}
