// Package rating turns the reviewers' ratings of a report into a record that can be
// stored and compared with that of another round, prompt or model. Aggregates are
// means over the sections that rate a dimension, to two decimals, with the number of
// those sections beside them.
//
// Malformed reviews are part of the record, so that a mean never hides them. The
// package reads no files and has no clock.
package rating

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dossier"
	"dossier/apps/report/outline"
	"dossier/internal/faith"
)

// A Run is the record of one reviewed report.
type Run struct {
	RunID         string                  `json:"run_id"`
	Timestamp     time.Time               `json:"timestamp"`
	Model         string                  `json:"model"`
	PromptVersion string                  `json:"prompt_version"`
	ToolVersion   string                  `json:"tool_version,omitempty"`
	Sections      []Section               `json:"sections"`
	Aggregate     map[string]faith.Number `json:"aggregate"` // by dimension, two decimals
	Rated         map[string]int          `json:"rated"`     // how many sections each mean is over
	Problems      []outline.Problem       `json:"problems"`
}

// A Section is one section's part of the record.
type Section struct {
	SectionID   string         `json:"section_id"`
	DraftLength int            `json:"draft_length"` // characters
	DraftWords  int            `json:"draft_words"`
	Ratings     map[string]int `json:"ratings"`
	Notes       string         `json:"notes"`
}

// About says what was rated.
type About struct {
	RunID, Model, PromptVersion, ToolVersion string
	At                                       time.Time
}

// Of makes the record of a reviewed outline.
func Of(o *outline.Outline, a About) (*Run, error) {
	if a.RunID == "" {
		return nil, dossier.Errorf(dossier.Invalid, "The evaluation needs a run id.")
	}
	r := &Run{
		RunID: a.RunID, Timestamp: a.At.UTC().Truncate(time.Second), Model: a.Model, PromptVersion: a.PromptVersion,
		ToolVersion: a.ToolVersion, Sections: []Section{}, Aggregate: map[string]faith.Number{}, Rated: map[string]int{},
		Problems: slices.Clone(o.Problems),
	}
	if r.Problems == nil {
		r.Problems = []outline.Problem{}
	}
	sums := map[string]int{}
	for _, s := range o.Sections {
		r.Sections = append(r.Sections, Section{
			SectionID: s.ID, DraftLength: utf8.RuneCountInString(s.Content), DraftWords: len(strings.Fields(s.Content)),
			Ratings: s.Ratings, Notes: s.Notes,
		})
		for d, n := range s.Ratings {
			sums[d] += n
			r.Rated[d]++
		}
	}
	for d, total := range sums {
		mean, err := faith.Decimal(faith.Int(total).Div(r.Rated[d]).Round(2))
		if err != nil {
			return nil, fmt.Errorf("mean of %s: %w", d, err)
		}
		r.Aggregate[d] = mean
	}
	return r, nil
}

// Parse reads a stored record.
func Parse(data []byte) (*Run, error) {
	var r Run
	if err := json.Unmarshal(data, &r); err != nil || r.RunID == "" {
		return nil, dossier.Errorf(dossier.Invalid, "This is not an evaluation record: it has no run_id.").Because(err)
	}
	return &r, nil
}

// A Comparison sets records side by side, oldest first.
type Comparison struct {
	Runs       []Head      `json:"runs"`
	Dimensions []Dimension `json:"dimensions"`
	Sections   []Change    `json:"sections"` // between the first and the last record
}

// A Head names one record.
type Head struct {
	RunID         string `json:"run_id"`
	Model         string `json:"model"`
	PromptVersion string `json:"prompt_version"`
}

// A Dimension is one dimension's means, one per record; nil where none rated it.
type Dimension struct {
	Name   string          `json:"name"`
	Means  []*faith.Number `json:"means"`
	Change *faith.Number   `json:"change,omitempty"` // the last less the first
}

// A Change is one section's rating in the first and the last record.
type Change struct {
	Section   string `json:"section"`
	Dimension string `json:"dimension"`
	From      int    `json:"from"`
	To        int    `json:"to"`
}

// Compare sets two or more records side by side.
func Compare(runs ...*Run) (*Comparison, error) {
	if len(runs) < 2 {
		return nil, dossier.Errorf(dossier.Invalid, "A comparison needs at least two evaluation records.")
	}
	c := &Comparison{Sections: []Change{}}
	for _, r := range runs {
		c.Runs = append(c.Runs, Head{r.RunID, r.Model, r.PromptVersion})
	}
	first, last := runs[0], runs[len(runs)-1]
	for _, name := range outline.Dimensions {
		d := Dimension{Name: name}
		for _, r := range runs {
			if v, ok := r.Aggregate[name]; ok {
				d.Means = append(d.Means, &v)
			} else {
				d.Means = append(d.Means, nil)
			}
		}
		if a, b := d.Means[0], d.Means[len(d.Means)-1]; a != nil && b != nil {
			diff := b.Sub(*a)
			d.Change = &diff
		}
		c.Dimensions = append(c.Dimensions, d)
	}
	for _, s := range first.Sections {
		i := slices.IndexFunc(last.Sections, func(o Section) bool { return o.SectionID == s.SectionID })
		if i < 0 {
			continue
		}
		for _, d := range outline.Dimensions {
			from, ok1 := s.Ratings[d]
			to, ok2 := last.Sections[i].Ratings[d]
			if ok1 && ok2 && from != to {
				c.Sections = append(c.Sections, Change{s.SectionID, d, from, to})
			}
		}
	}
	return c, nil
}

// SVG draws a comparison as grouped bars, one colour per record, on a scale from 0
// to 5.
func (c *Comparison) SVG() string {
	colours := []string{"#4a7ba6", "#e39c3f", "#5d9e6b", "#a65a78", "#777777"}
	const left, top, height, group = 40, 30, 200, 130
	var b strings.Builder
	width := left + group*len(c.Dimensions) + 20
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`, width, top+height+40+16*len(c.Runs))
	for i := 0; i <= 5; i++ {
		y := top + height - i*height/5
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#ddd"/><text x="%d" y="%d">%d</text>`, left, width-20, y, y, left-16, y+4, i)
	}
	for i, d := range c.Dimensions {
		x := left + i*group + 10
		bar := (group - 30) / max(len(c.Runs), 1)
		for j, m := range d.Means {
			if m == nil {
				continue
			}
			h := int(m.Float64() / 5 * height)
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"><title>%s %s</title></rect>`, x+j*bar, top+height-h, bar-3, h, colours[j%len(colours)], d.Name, m)
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="10">%s</text>`, x+j*bar, top+height-h-3, m)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`, x, top+height+16, d.Name)
	}
	for j, r := range c.Runs {
		y := top + height + 36 + 16*j
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%s</text>`, left, y-9, colours[j%len(colours)], left+16, y, escape(r.RunID+" ("+r.Model+", prompt "+r.PromptVersion+")"))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
