package narrator

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
)

var (
	praise = regexp.MustCompile(`(?i)^(?:(?:good|nice|great|fine|ok|okay|thanks|thank you|excellent|well (?:done|written|covered|put|said))\b|(?:clear|correct|well)[ .!]*$)`)
	asking = regexp.MustCompile(`(?i)\b(?:but|however|although|though|except|still|only|yet|miss\w*|lack\w*|add|adding|should|could|would|must|need\w*|please|instead|more|less|consider|wrong|not|no|without|also|too|explain|mention|fix|correct|check|rewrite|shorten|say|why|remove|replace|move)\b|n['’]t\b|\?`)
)

// NoChange is why a note is closed that asks for nothing.
const NoChange = "The note asks for no change."

// AsksNothing reports whether a note only says that something is good.
func AsksNothing(note string) bool { return praise.MatchString(note) && !asking.MatchString(note) }

var yearByYear = regexp.MustCompile(`(?i)year.by.year|yearly|annual|interim|milestone|breakdown|over time|pathway|trajector`)

var yearPattern = regexp.MustCompile(`\b(?:19|20|21)\d\d\b`)

// answer writes what the reviewers asked for and says which words answer which note.
func (w *writer) answer() []Answer {
	var out []Answer
	var detail []string
	for _, n := range w.in.Notes {
		if AsksNothing(n.Text) {
			out = append(out, Answer{Note: n.ID, Why: NoChange})
			continue
		}
		text := w.reply(n)
		if text == "" {
			out = append(out, Answer{Note: n.ID, Why: "No chart of this section can answer the note; it needs a person or a model."})
			continue
		}
		if i := slices.Index(detail, text); i < 0 {
			detail = append(detail, text)
		}
		out = append(out, Answer{Note: n.ID, Quote: text})
	}
	w.paras = append(w.paras, detail...)
	return out
}

// reply finds what a note is about among the section's scenarios, rows and years.
func (w *writer) reply(n outline.Note) string {
	text := strings.ToLower(n.Text)
	scenarios := w.mentioned(text)
	labels := w.labels(text)
	switch {
	case yearByYear.MatchString(text):
		return w.table(scenarios)
	case len(labels) > 0:
		return w.aboutLabel(labels[0], scenarios, yearsIn(text))
	case strings.Contains(text, "baseline") || strings.Contains(text, "starting point"):
		return w.aboutBaseline()
	case len(scenarios) > 0:
		return w.aboutScenario(scenarios)
	case strings.Contains(text, "compar") || strings.Contains(text, "scenario") || strings.Contains(text, "gap"):
		return w.aboutScenario(w.in.Scenarios)
	case len(yearsIn(text)) > 0:
		return w.table(nil)
	default:
		return ""
	}
}

func yearsIn(text string) []int {
	var out []int
	for _, y := range yearPattern.FindAllString(text, -1) {
		n, _ := strconv.Atoi(y)
		out = append(out, n)
	}
	return out
}

// mentioned returns the scenarios a note names, in any of their spellings.
func (w *writer) mentioned(text string) []string {
	var out []string
	for _, s := range w.in.Scenarios {
		for _, a := range append(summary.Aliases(s, w.in.Scenarios), s) {
			if summary.Says(text, strings.ToLower(a)) {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// labels returns the rows a note names, the longest names first.
func (w *writer) labels(text string) []string {
	var out []string
	for _, c := range w.in.Charts {
		for _, r := range c.Table.Rows {
			if _, base := summary.BaselineYear(&r); base || slices.Contains(out, r.Label) {
				continue
			}
			if summary.Says(text, strings.ToLower(r.Label)) {
				out = append(out, r.Label)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// aboutLabel follows one row through the scenarios asked for.
func (w *writer) aboutLabel(label string, scenarios []string, years []int) string {
	if len(scenarios) == 0 {
		scenarios = w.in.Scenarios
	}
	for _, c := range w.in.Charts {
		s := &c.Summary.Summary
		var parts []string
		for _, name := range scenarios {
			for _, unit := range s.Units {
				p := s.Part(name, unit)
				if p == nil || p.Mover(label) == nil {
					continue
				}
				parts = append(parts, labelClause(&c, name, unit, label, p, years))
			}
		}
		if len(parts) > 0 {
			return fmt.Sprintf("In detail, %s: %s.", quoted(c.Chart.Title), strings.Join(parts, "; "))
		}
	}
	return ""
}

func labelClause(c *Chart, name, unit, label string, p *summary.Part, years []int) string {
	m := p.Mover(label)
	if m.First == nil {
		if c.Summary.Summary.Relative {
			return fmt.Sprintf("%s %s by %s in %s", label, verb(m.Value.Sign()), amount(m.Value.Abs(), unit), name)
		}
		return fmt.Sprintf("%s stands at %s in %s", label, amount(m.Value, unit), name)
	}
	text := fmt.Sprintf("in %s %s %s from %s in %d", name, label, verb(m.Value.Sign()), amount(*m.First, unit), p.FirstYear)
	for _, y := range years {
		if y == p.FirstYear || y == p.LastYear {
			continue
		}
		for _, r := range c.Table.Rows {
			if v, ok := r.At(y); ok && r.Label == label && r.Scenario == name && r.Unit == unit {
				text += fmt.Sprintf(" through %s in %d", amount(v, unit), y)
			}
		}
	}
	return text + fmt.Sprintf(" to %s in %d", amount(*m.Last, unit), p.LastYear)
}

func (w *writer) aboutBaseline() string {
	for _, c := range w.in.Charts {
		s := &c.Summary.Summary
		b := s.Baseline
		if b == nil || len(s.Units) == 0 {
			continue
		}
		var parts []string
		for _, name := range byChange(s, s.Units[0]) {
			p := s.Part(name, s.Units[0])
			if pct, ok := p.Change.Percent(b.Value); ok {
				parts = append(parts, fmt.Sprintf("%s changes it by %s %%", name, digits(pct, 1)))
			}
		}
		if len(parts) == 0 {
			continue
		}
		return fmt.Sprintf("Measured against the baseline of %s in %d, %s.", amount(b.Value, b.Unit), b.Year, join(parts))
	}
	return ""
}

// aboutScenario says where each scenario asked for stands in the first chart that
// knows it.
func (w *writer) aboutScenario(scenarios []string) string {
	for _, c := range w.in.Charts {
		s := &c.Summary.Summary
		var parts []string
		for _, name := range scenarios {
			for _, unit := range s.Units {
				p := s.Part(name, unit)
				if p == nil || p.Change == nil {
					continue
				}
				text := fmt.Sprintf("%s %s by %s", name, verb(p.Change.Sign()), amount(p.Change.Abs(), unit))
				if len(p.Movers) > 0 {
					m := p.Movers[0]
					text += fmt.Sprintf(", where %s alone %s by %s", m.Label, verb(m.Value.Sign()), amount(m.Value.Abs(), unit))
				}
				parts = append(parts, text)
			}
		}
		if len(parts) > 0 {
			return fmt.Sprintf("Scenario by scenario, %s: %s.", quoted(c.Chart.Title), strings.Join(parts, "; "))
		}
	}
	return ""
}

// table gives the totals at milestones, scenario by scenario.
func (w *writer) table(scenarios []string) string {
	if len(scenarios) == 0 {
		scenarios = w.in.Scenarios
	}
	for _, c := range w.in.Charts {
		trends, err := summary.Trends(c.Chart, c.Table, "total")
		if err != nil {
			continue
		}
		unit := trends[0].Unit
		years := milestones(c.Table.Years)
		var b strings.Builder
		fmt.Fprintf(&b, "| %s, %s |", c.Chart.Title, unit)
		for _, y := range years {
			fmt.Fprintf(&b, " %d |", y)
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|", len(years)))
		for _, name := range scenarios {
			row := fmt.Sprintf("\n| %s |", name)
			for _, y := range years {
				cell := "–"
				if v, ok := c.totalAt(name, unit, y); ok {
					cell = digits(v, 2)
				}
				row += fmt.Sprintf(" %s |", cell)
			}
			b.WriteString(row)
		}
		return b.String()
	}
	return ""
}

// milestones keeps at most seven years: the first, every fifth, and the last.
func milestones(years []int) []int {
	var out []int
	for i, y := range years {
		if i == 0 || i == len(years)-1 || y%5 == 0 {
			out = append(out, y)
		}
	}
	return out[:min(7, len(out))]
}
