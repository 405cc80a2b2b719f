// Package letters writes the programme's mail from templates.
//
// A letter is a text file beside this one: its subject, an empty line, its body.
// [Write] fills in what the rider's own records say. Two marks stay in the text,
// [Name] and [Link]: they are filled in by the tool that sends, after every model has
// done its part, so that no model or trace sees a name or a key.
//
// Letters speak to one rider about that rider; what they are given holds nothing about
// anybody else.
package letters

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// The marks that the sending tool replaces.
const (
	Name = "[first name]" // the rider's first name
	Link = "[link]"       // the rider's own link for documents and corrections
)

// Facts are what a letter may say.
type Facts struct {
	Vanpool   string  `json:"vanpool_id"`
	Shift     string  `json:"employee_shift,omitempty"`
	Expected  string  `json:"expected_shift,omitempty"`
	Shared    int     `json:"shared_days"`
	Working   int     `json:"working_days"`
	Overlap   int     `json:"overlap_minutes"`
	Miles     float64 `json:"distance_miles,omitzero"`
	Threshold float64 `json:"threshold_miles"`
	Days      int     `json:"days_to_reply"`
	Portal    string  `json:"portal"`
}

//go:embed *.txt
var files embed.FS

var all = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "*.txt"))

// For returns the name of the first letter about failed checks.
func For(failed []string) string {
	shift, location := slices.Contains(failed, "shift"), slices.Contains(failed, "location")
	switch {
	case shift && location:
		return "both_mismatch"
	case shift:
		return "shift_mismatch"
	case location:
		return "location_mismatch"
	}
	return "other_mismatch"
}

// Write returns the subject and the body of the letter with this name. It panics for
// a letter that does not exist, which only a programmer can mend.
func Write(name string, f Facts) (subject, body string) {
	var b strings.Builder
	if err := all.ExecuteTemplate(&b, name+".txt", f); err != nil {
		panic(fmt.Sprintf("letter %s: %v", name, err))
	}
	subject, body, _ = strings.Cut(b.String(), "\n\n")
	return strings.TrimSpace(subject), strings.TrimSpace(body) + "\n"
}

// Own reports whether a letter is one of the programme's, word for word.
func Own(subject, body string, f Facts) bool {
	for _, t := range all.Templates() {
		if name, ok := strings.CutSuffix(t.Name(), ".txt"); ok {
			if s, b := Write(name, f); s == subject && b == body {
				return true
			}
		}
	}
	return false
}
