package api

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dossier"
	"dossier/internal/app"
)

// explain answers a question about a case from its findings alone, in their own
// words. Findings whose check, subject or verdict the question names are taken; if
// it names none, all are.
func explain(c dossier.Case, found []dossier.Finding, question string) app.Explanation {
	if len(found) == 0 {
		return app.Explanation{Text: "Nothing has been found in this case yet, so there is nothing to explain."}
	}
	asked := slices.DeleteFunc(slices.Clone(found), func(f dossier.Finding) bool { return !names(question, f) })
	if len(asked) == 0 {
		asked = found
	}
	var b strings.Builder
	var cites []dossier.EvidenceID
	for _, f := range asked {
		about := f.Check
		if f.Subject != "" {
			about += " of " + f.Subject
		}
		fmt.Fprintf(&b, "The check %s came to %s: %s\n", about, f.Verdict, strings.TrimSpace(f.Reason))
		for _, id := range f.Cites {
			if !slices.Contains(cites, id) {
				cites = append(cites, id)
			}
		}
	}
	switch {
	case c.Outcome != "":
		fmt.Fprintf(&b, "The case ended as %s.", c.Outcome)
	case c.Stage != "":
		fmt.Fprintf(&b, "The case is %s, at %s.", c.State, c.Stage)
	default:
		fmt.Fprintf(&b, "The case is %s.", c.State)
	}
	return app.Explanation{Text: b.String(), Cites: cites}
}

// names reports whether the question mentions f.
func names(question string, f dossier.Finding) bool {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
	for _, w := range []string{f.Check, f.Subject, string(f.Verdict)} {
		if w != "" && slices.Contains(words, strings.ToLower(w)) {
			return true
		}
	}
	return false
}
