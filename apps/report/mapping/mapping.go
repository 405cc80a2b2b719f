// Package mapping says which charts a section of the report draws on. A map file that
// is kept under version control names them, by ID or by pattern; a section the file
// does not know gets the three to five charts whose category and title are nearest
// to its own. Every choice carries its reason, so that a person can see and mend it.
//
// The package reads no files and knows nothing of drafts.
package mapping

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/outline"
)

// A Map is a parsed section_chart_map.json: section ID to its entry.
type Map map[string]Entry

// An Entry names a section's charts.
type Entry struct {
	Description string    `json:"description"`
	MaxCharts   int       `json:"max_charts,omitempty"` // 0: no limit
	Charts      []Pattern `json:"charts"`
}

// A Pattern names one chart by ID or key, or several with * and ?. In JSON it is a
// text or an object with "pattern" and "max".
type Pattern struct {
	Pattern string `json:"pattern"`
	Max     int    `json:"max,omitempty"` // 0: no limit
}

// UnmarshalJSON reads either form.
func (p *Pattern) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &p.Pattern)
	}
	type plain Pattern
	return strict(b, (*plain)(p))
}

// MarshalJSON writes the short form where it suffices.
func (p Pattern) MarshalJSON() ([]byte, error) {
	if p.Max == 0 {
		return json.Marshal(p.Pattern)
	}
	type plain Pattern
	return json.Marshal(plain(p))
}

func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// Parse reads a map file. Unknown keys and patterns that cannot match are refused.
func Parse(data []byte) (Map, error) {
	var m Map
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The section-chart map cannot be read: %v.", err).Because(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, dossier.Errorf(dossier.Invalid, "The section-chart map has text after its end.")
	}
	for id, e := range m {
		for _, p := range e.Charts {
			if _, err := path.Match(p.Pattern, "x"); err != nil || p.Pattern == "" || p.Max < 0 || e.MaxCharts < 0 {
				return nil, dossier.Errorf(dossier.Invalid, "Section %q of the map has a bad pattern %q.", id, p.Pattern)
			}
		}
	}
	return m, nil
}

// A Choice is one chart of a section and why it is there.
type Choice struct {
	ChartID string `json:"chart_id"`
	Key     string `json:"key"`
	Why     string `json:"why"`
	Score   int    `json:"score,omitempty"` // relevance, where no map decided
}

// A Selection is a section's charts.
type Selection struct {
	Section  string   `json:"section"`
	From     string   `json:"from"` // "map" or "relevance"
	Choices  []Choice `json:"choices"`
	Problems []string `json:"problems,omitempty"` // entries of the map that name no chart
}

// Select chooses the charts of a section: by the map, or by relevance where the map
// does not know the section or names no chart of this run.
func (m Map) Select(s *outline.Section, c *catalog.Catalog) Selection {
	e, ok := m[s.ID]
	if !ok {
		return relevance(s, c)
	}
	sel := e.choose(s.ID, c)
	if len(sel.Choices) > 0 {
		return sel
	}
	near := relevance(s, c)
	near.Problems = sel.Problems
	return near
}

func (e Entry) choose(section string, c *catalog.Catalog) Selection {
	sel := Selection{Section: section, From: "map", Choices: []Choice{}}
	taken := map[string]bool{}
	for _, p := range e.Charts {
		n := 0
		for i := range c.Charts {
			ch := &c.Charts[i]
			if !p.matches(ch) {
				continue
			}
			n++
			full := e.MaxCharts > 0 && len(sel.Choices) >= e.MaxCharts
			if taken[ch.Key()] || full || p.Max > 0 && n > p.Max {
				continue
			}
			taken[ch.Key()] = true
			why := "named in the map"
			if p.Pattern != ch.ID && p.Pattern != ch.Key() {
				why = fmt.Sprintf("matches %q in the map", p.Pattern)
			}
			sel.Choices = append(sel.Choices, Choice{ChartID: ch.ID, Key: ch.Key(), Why: why})
		}
		if n == 0 {
			sel.Problems = append(sel.Problems, fmt.Sprintf("The map names %q, which is no chart of this run.", p.Pattern))
		}
	}
	return sel
}

// matches compares a pattern with the chart's ID and key; a * does not cross a /.
func (p Pattern) matches(ch *catalog.Chart) bool {
	for _, name := range []string{ch.ID, ch.Key()} {
		if ok, _ := path.Match(p.Pattern, name); ok {
			return true
		}
	}
	return false
}

// relevance scores every chart against the section's title and instructions.
func relevance(s *outline.Section, c *catalog.Catalog) Selection {
	sel := Selection{Section: s.ID, From: "relevance", Choices: []Choice{}}
	title, text := stems(s.Title), stems(s.Instructions)
	for i := range c.Charts {
		ch := &c.Charts[i]
		if ch.Shape == catalog.Empty {
			continue
		}
		if score, why := score(ch, title, text); score > 0 {
			sel.Choices = append(sel.Choices, Choice{ChartID: ch.ID, Key: ch.Key(), Why: why, Score: score})
		}
	}
	slices.SortStableFunc(sel.Choices, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Key, b.Key))
	})
	keep := min(len(sel.Choices), 3)
	for keep < min(len(sel.Choices), 5) && sel.Choices[keep].Score*2 >= sel.Choices[0].Score {
		keep++
	}
	if len(sel.Choices) < 3 {
		sel.fill(c)
		keep = len(sel.Choices)
	}
	sel.Choices = sel.Choices[:keep]
	return sel
}

// fill adds charts that speak of every scenario until there are three.
func (sel *Selection) fill(c *catalog.Catalog) {
	all := len(c.Scenarios())
	for i := range c.Charts {
		ch := &c.Charts[i]
		known := slices.ContainsFunc(sel.Choices, func(o Choice) bool { return o.Key == ch.Key() })
		if len(sel.Choices) >= 3 || known || ch.Shape == catalog.Empty || len(ch.Scenarios) < all {
			continue
		}
		sel.Choices = append(sel.Choices, Choice{ChartID: ch.ID, Key: ch.Key(), Why: "no nearer chart; covers every scenario"})
	}
}

// score weighs a match with the category most, then the title, then the instructions.
func score(ch *catalog.Chart, title, text []string) (int, string) {
	var why []string
	n := 0
	add := func(points int, words []string, in []string, where string) {
		hits := common(words, in)
		if len(hits) > 0 {
			n += points * len(hits)
			why = append(why, fmt.Sprintf("%s %s", strings.Join(hits, ", "), where))
		}
	}
	category, name := stems(ch.Category), stems(ch.Title)
	add(5, title, category, "in the category")
	add(3, title, name, "in the chart's title")
	add(1, text, append(category, name...), "in the instructions")
	return n, strings.Join(why, "; ")
}

var ignored = []string{"the", "and", "of", "by", "in", "for", "a", "an", "to", "on", "from", "result", "projection", "provide", "overview", "section", "describe", "say", "how", "what", "that", "this", "not", "only", "be", "sure"}

// stems splits a text into lower-case words without endings.
func stems(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = strings.TrimSuffix(w, "s")
		if len(w) > 1 && !slices.Contains(ignored, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func common(a, b []string) []string {
	var out []string
	for _, w := range a {
		if slices.Contains(b, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Link writes each chart's sections into the catalog.
func Link(selections []Selection, c *catalog.Catalog) {
	for i := range c.Charts {
		c.Charts[i].Sections = []string{}
	}
	for _, sel := range selections {
		for _, choice := range sel.Choices {
			if ch, err := c.Chart(choice.Key); err == nil {
				ch.Sections = append(ch.Sections, sel.Section)
			}
		}
	}
}
