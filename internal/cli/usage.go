package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A usageError is a command line that cannot be understood. Its text is a sentence.
type usageError struct{ error }

var (
	argCount   = regexp.MustCompile(`^(?:accepts|requires) .*received? (\d+)|^requires `)
	noCommand  = regexp.MustCompile(`^unknown command "([^"]*)"`)
	noFlag     = regexp.MustCompile(`^unknown (?:flag|shorthand flag): (?:'\w' in )?(-\S+)`)
	noValue    = regexp.MustCompile(`^flag needs an argument: (?:'\w' in )?(-\S+)`)
	badValue   = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "([^"]*)" flag`)
	noRequired = regexp.MustCompile(`^required flag\(s\) "([^"]*)"`)
)

// usage puts what cobra says about a command line into a sentence that says what to do.
// It returns false for an error that is not about the command line.
func usage(cmd *cobra.Command, err error) (usageError, bool) {
	if u, ok := errors.AsType[usageError](err); ok {
		return u, true
	}
	text, say := err.Error(), ""
	switch {
	case argCount.MatchString(text):
		say = "The arguments do not fit."
	case noCommand.MatchString(text):
		return noSuchCommand(cmd, noCommand.FindStringSubmatch(text)[1]), true
	case noFlag.MatchString(text):
		flag := noFlag.FindStringSubmatch(text)[1]
		say = fmt.Sprintf("There is no flag %s.%s", flag, nearest(flag, flagsOf(cmd)))
	case noValue.MatchString(text):
		say = fmt.Sprintf("The flag %s needs a value.", noValue.FindStringSubmatch(text)[1])
	case badValue.MatchString(text):
		m := badValue.FindStringSubmatch(text)
		say = fmt.Sprintf("The flag %s cannot be %q.", strings.TrimSpace(m[2]), m[1])
	case noRequired.MatchString(text):
		say = fmt.Sprintf("The flag --%s is needed.", noRequired.FindStringSubmatch(text)[1])
	default:
		return usageError{}, false
	}
	return usageError{fmt.Errorf("%s Usage: %s", say, cmd.UseLine())}, true
}

// noSuchCommand says that a command has no command of that name, and which is near.
func noSuchCommand(cmd *cobra.Command, name string) usageError {
	msg := fmt.Sprintf("There is no command %q", name)
	if cmd.HasParent() {
		msg += fmt.Sprintf(" below %q", cmd.CommandPath())
	}
	msg += "."
	for i, s := range cmd.SuggestionsFor(name) {
		if i == 0 {
			msg += fmt.Sprintf(" Did you mean %q?", s)
		}
	}
	return usageError{errors.New(msg + fmt.Sprintf(" %q lists them.", cmd.CommandPath()+" --help"))}
}

func flagsOf(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

// wantsJSON reports whether the words of a command line ask for JSON, for errors that
// come before its flags are read.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}
