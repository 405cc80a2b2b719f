package replies

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	tags      = regexp.MustCompile(`(?is)<(?:style|script)\b.*?</(?:style|script)>|<!--.*?-->|</?[a-z!][^>]*>`)
	wrote     = regexp.MustCompile(`(?im)^\s*(?:on\b.{0,200}\bwrote:|-{2,}\s*(?:original|forwarded) message\s*-{2,}|from:\s.+@.+|begin forwarded message:)\s*$`)
	quoted    = regexp.MustCompile(`(?m)^\s*>.*$`)
	signature = regexp.MustCompile(`(?m)^(?:-- ?|__+|sent from my .{1,40}|get outlook for .{1,20})\s*$`)
	spaces    = regexp.MustCompile(`[ \t]+`)
	gaps      = regexp.MustCompile(`\n{3,}`)
)

// maxReply is how much of a reply is read, in bytes. The rest is cut off.
const maxReply = 20_000

// Clean returns what the rider wrote: no markup, no quoted mail, no signature, no
// invisible characters, compatibility forms folded. It never makes text longer than
// what came in.
func Clean(text string) string {
	if len(text) > maxReply {
		text = strings.ToValidUTF8(text[:maxReply], "")
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	if strings.Contains(text, "<") && strings.Contains(text, ">") {
		text = html.UnescapeString(tags.ReplaceAllString(text, " "))
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '’' || r == '‘':
			return '\''
		case r == '“' || r == '”':
			return '"'
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r):
			return -1 // zero-width and direction marks hide words from rules
		}
		return r
	}, norm.NFKC.String(text))
	for _, cut := range []*regexp.Regexp{wrote, signature} {
		if at := cut.FindStringIndex(text); at != nil && strings.TrimSpace(text[:at[0]]) != "" {
			text = text[:at[0]]
		}
	}
	text = quoted.ReplaceAllString(text, "")
	text = gaps.ReplaceAllString(spaces.ReplaceAllString(text, " "), "\n\n")
	return strings.TrimSpace(text)
}

var (
	address = regexp.MustCompile(`[^\s@<>"',;:()]+@[^\s@<>"',;:()]+\.[^\s@<>"',;:()]+`)
	phone   = regexp.MustCompile(`(?:\+?\d{1,2}[\s.-]?)?\(?\b\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}\b`)
	street  = regexp.MustCompile(`(?i)\b\d{1,6}\s+(?:[A-Z0-9][\w'.-]*\s+){1,4}(?:street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|way|place|pl|terrace|circle|cir|parkway|pkwy)\b\.?(?:,?\s*(?:apt|unit|suite|#)\s*\w+)?`)
)

// Redact replaces e-mail addresses, street addresses, telephone numbers and the given
// names, so that a model and a trace never see them. Employee ids, ZIP codes, shifts
// and vanpool ids stay.
func Redact(text string, names []string) string {
	text = address.ReplaceAllString(text, "[e-mail]")
	text = street.ReplaceAllString(text, "[address]")
	text = phone.ReplaceAllString(text, "[phone]")
	for _, name := range names {
		for _, part := range append([]string{name}, strings.Fields(name)...) {
			if len(part) < 2 {
				continue
			}
			re, err := regexp.Compile(`(?i)(^|[^\pL])` + regexp.QuoteMeta(part) + `($|[^\pL])`)
			if err != nil {
				continue
			}
			// Twice, because neighbours share the character between them.
			text = re.ReplaceAllString(re.ReplaceAllString(text, "${1}[name]${2}"), "${1}[name]${2}")
		}
	}
	return text
}
