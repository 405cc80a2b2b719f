package tool

import (
	"regexp"
	"strings"
)

var (
	missing    = regexp.MustCompile(`missing properties: \[([^\]]*)\]`)
	unexpected = regexp.MustCompile(`unexpected additional properties \[([^\]]*)\]`)
	wrongType  = regexp.MustCompile(`validating /properties/([^:]+): type: .* has type "([^"]*)", want (?:one of )?"([^"]*)"`)
	notInEnum  = regexp.MustCompile(`validating /properties/([^:]+): enum: (.*) does not equal any of: \[(.*)\]`)
)

// explain says in a sentence what a schema error means. What it does not recognise
// it passes on without the schema's inner addresses.
func explain(err error) string {
	text := err.Error()
	if m := missing.FindStringSubmatch(text); m != nil {
		return "Missing: " + quoteless(m[1]) + "."
	}
	if m := unexpected.FindStringSubmatch(text); m != nil {
		return "Unknown: " + quoteless(m[1]) + "."
	}
	if m := wrongType.FindStringSubmatch(text); m != nil {
		return field(m[1]) + " must be a " + m[3] + ", not a " + m[2] + "."
	}
	if m := notInEnum.FindStringSubmatch(text); m != nil {
		return field(m[1]) + " must be one of " + strings.ReplaceAll(m[3], " ", ", ") + ", not " + m[2] + "."
	}
	if i := strings.LastIndex(text, "validating /properties/"); i >= 0 {
		text = text[i+len("validating /properties/"):]
	} else if i := strings.LastIndex(text, "validating root: "); i >= 0 {
		text = text[i+len("validating root: "):]
	}
	return "The arguments do not fit: " + text + "."
}

func quoteless(list string) string {
	return strings.ReplaceAll(strings.ReplaceAll(list, `"`, ""), " ", ", ")
}

func field(pointer string) string { return strings.ReplaceAll(pointer, "/properties/", ".") }
