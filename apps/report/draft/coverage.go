package draft

import (
	"slices"
	"strings"
	"unicode"

	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

// coverage says which scenarios and charts a draft speaks of.
func (c *Context) coverage(text string, r faith.Report) Coverage {
	cov := Coverage{Scenarios: []string{}, Charts: []string{}}
	for _, s := range c.Scenarios {
		if c.names(text, s) {
			cov.Scenarios = append(cov.Scenarios, s)
		} else {
			cov.Silent = append(cov.Silent, s)
		}
	}
	for _, choice := range c.Selection.Choices {
		if c.uses(choice, text, r) {
			cov.Charts = append(cov.Charts, choice.ChartID)
		} else {
			cov.Missing = append(cov.Missing, choice.ChartID)
		}
	}
	return cov
}

// names reports whether a text names a scenario: its whole name in any case, or one of
// its short forms as it is written. The letters within another word, as of "Low" in
// "lower", are no name.
func (c *Context) names(text, scenario string) bool {
	aliases := summary.Aliases(scenario, c.run)
	lower := strings.ToLower(text)
	if c.Early {
		return slices.ContainsFunc(append(aliases, scenario), func(a string) bool { return strings.Contains(lower, strings.ToLower(a)) })
	}
	return summary.Says(lower, strings.ToLower(scenario)) || slices.ContainsFunc(aliases, func(a string) bool { return summary.Says(text, a) })
}

// uses reports whether a draft shows a chart, names it, or states a number of it. A
// single word names a chart only in quotes, for it may be said of anything.
func (c *Context) uses(choice mapping.Choice, text string, r faith.Report) bool {
	named := []string{choice.ChartID}
	for _, ch := range c.Charts {
		if ch.Chart.ID == choice.ChartID {
			named = append(named, ch.Chart.Title)
			if ch.Chart.PNG != "" && !c.Early && strings.Contains(text, "]("+ch.Chart.PNG) {
				return true
			}
		}
	}
	lower := strings.ToLower(text)
	for _, n := range named {
		n = strings.ToLower(n)
		word := !strings.ContainsFunc(n, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case c.Early && strings.Contains(lower, n), !word && summary.Says(lower, n), word && n != "" && strings.Contains(lower, "“"+n+"”"):
			return true
		}
	}
	if strings.Contains(text, "](chart:"+choice.ChartID+")") {
		return true
	}
	at := FileEvidence(choice.ChartID)
	if id, ok := c.ids[choice.ChartID]; ok && !c.Early {
		at = id
	}
	return slices.ContainsFunc(r.Numerals, func(n faith.Numeral) bool {
		return n.OK && n.Kind == faith.Quantity && (n.ResolvedTo.Evidence == at || strings.HasPrefix(n.ResolvedTo.Computed, choice.ChartID+" "))
	})
}

// fewestWords is how many words an answer must quote.
const fewestWords = 3

// closures closes a note only if its answer quotes words of the new draft that the
// last one did not have.
func (c *Context) closures(text string, answers []narrator.Answer) []Closure {
	byNote := map[string]narrator.Answer{}
	for _, a := range answers {
		byNote[a.Note] = a
	}
	var out []Closure
	for _, n := range c.Notes {
		a, ok := byNote[n.ID]
		cl := Closure{Note: n, Quote: a.Quote, Why: a.Why}
		switch {
		case narrator.AsksNothing(n.Text):
			cl.Closed, cl.Why = true, narrator.NoChange
		case !ok:
			cl.Why = "Nothing in the draft is said to answer it."
		case a.Quote == "":
		case !strings.Contains(text, a.Quote):
			cl.Why = "The words said to answer it are not in the draft."
		case len(strings.Fields(a.Quote)) < fewestWords:
			cl.Why = "The words said to answer it are too few to show a change."
		case strings.Contains(c.Section.Content, a.Quote):
			cl.Why = "The words said to answer it were there before."
		default:
			cl.Closed, cl.Why = true, "Answered by new words."
		}
		out = append(out, cl)
	}
	return out
}
