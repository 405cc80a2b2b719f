// Package report shows what a run of a suite came to: a page for people, JUnit for CI,
// CSV for a spreadsheet, and a drawing of the way an agent took.
//
// Everything is written to an io.Writer and made from the result alone. Nothing here
// grades.
package report

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier/internal/eval"
)

// columns are those of the CSV.
var columns = []string{
	"app", "suite", "player", "prompt", "dataset", "example", "scenario", "complexity", "repeat", "grade", "score", "reason",
	"ms", "cost", "tokens_in", "tokens_out", "turns", "fallback", "shape", "path",
}

// CSV writes one line per example and grade.
func CSV(w io.Writer, r eval.Result) error {
	out := csv.NewWriter(w)
	lines := [][]string{columns}
	for _, row := range r.Rows {
		prompt := row.Path.Prompt
		if prompt == "" {
			prompt = r.Prompt
		}
		for _, g := range gradesOf(row) {
			lines = append(lines, []string{
				r.App, r.Suite, plain(r.Player), prompt, r.Dataset, plain(row.Example.Name), plain(row.Example.Scenario), plain(row.Example.Complexity),
				strconv.Itoa(row.Repeat), g.Name, strconv.FormatFloat(g.Score, 'f', 4, 64), plain(g.Reason),
				strconv.FormatFloat(row.Ms, 'f', 3, 64), strconv.FormatFloat(row.Path.Cost, 'f', 6, 64),
				strconv.Itoa(row.Path.Usage.In), strconv.Itoa(row.Path.Usage.Out), strconv.Itoa(row.Path.Turns), strconv.Itoa(row.Path.Fallback),
				string(row.Shape), plain(strings.Join(row.Path.Tools(), " > ")),
			})
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// plain keeps a spreadsheet from taking text that a model wrote for a formula.
func plain(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// gradesOf returns a row's grades, or the failure as one.
func gradesOf(row eval.Row) []eval.Grade {
	if row.Failure != "" {
		return []eval.Grade{{Name: "played", Reason: row.Failure, Applies: true}}
	}
	return slices.DeleteFunc(slices.Clone(row.Grades), func(g eval.Grade) bool { return !g.Applies })
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string          `xml:"name,attr"`
	Tests     int             `xml:"tests,attr"`
	Failures  int             `xml:"failures,attr"`
	Errors    int             `xml:"errors,attr"`
	Skipped   int             `xml:"skipped,attr"`
	Time      string          `xml:"time,attr"`
	Timestamp string          `xml:"timestamp,attr,omitempty"`
	Props     []junitProperty `xml:"properties>property,omitempty"`
	Cases     []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *struct{}     `xml:"skipped,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes two suites: the gates and targets, which decide, and the examples. One
// that could not be played is an error, one that went wrong a failure.
func JUnit(w io.Writer, r eval.Result) error {
	name := r.App + "." + r.Suite
	checks, rows := junitChecks(name, r), junitRows(name, r)
	for _, s := range []*junitSuite{&checks, &rows} {
		s.Tests = len(s.Cases)
		if !r.Started.IsZero() {
			s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
		}
		s.Props = []junitProperty{{"player", r.Player}, {"prompt", r.Prompt}, {"dataset", r.Dataset}}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Suites: []junitSuite{checks, rows}}); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

func junitChecks(name string, r eval.Result) junitSuite {
	s := junitSuite{Name: name + " targets", Time: "0.000"}
	for _, c := range r.Checks() {
		tc := junitCase{Name: bound(c), Class: name + ".targets", Time: "0.000"}
		switch {
		case c.Empty && c.Holds:
			tc.Skipped, s.Skipped = &struct{}{}, s.Skipped+1
		case !c.Holds:
			s.Failures++
			tc.Failure = &junitFailure{Message: fmt.Sprintf("got %.4g", c.Got), Type: "target"}
		}
		s.Cases = append(s.Cases, tc)
	}
	return s
}

func junitRows(name string, r eval.Result) junitSuite {
	s := junitSuite{Name: name + " examples"}
	var all float64
	for _, row := range r.Rows {
		all += row.Ms
		c := junitCase{Name: row.Example.Name, Class: name, Time: seconds(row.Ms)}
		if row.Repeat > 0 {
			c.Name += fmt.Sprintf(" (%d)", row.Repeat+1)
		}
		var wrong []string
		for _, g := range gradesOf(row) {
			if g.Score < 1 {
				wrong = append(wrong, fmt.Sprintf("%s %.2f: %s", g.Name, g.Score, g.Reason))
			}
		}
		switch {
		case row.Failure != "":
			s.Errors++
			c.Error = &junitFailure{Message: row.Failure, Type: "played"}
		case len(wrong) > 0:
			s.Failures++
			c.Failure = &junitFailure{Message: wrong[0], Type: "grade", Text: strings.Join(wrong, "\n")}
		}
		s.Cases = append(s.Cases, c)
	}
	s.Time = seconds(all)
	return s
}

func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 3, 64) }

// bound says what a check asks for: "tools_per_case <= 3".
func bound(c eval.Check) string {
	sign := ">="
	if c.Most {
		sign = "<="
	}
	return fmt.Sprintf("%s %s %g", c.Name, sign, c.Bound)
}

// since is how long a run took, in words a person reads.
func since(from, to time.Time) string {
	if to.Before(from) {
		return ""
	}
	return to.Sub(from).Round(100 * time.Millisecond).String()
}
