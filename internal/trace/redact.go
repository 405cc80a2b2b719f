package trace

import "regexp"

var (
	mail   = regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}`)
	phone  = regexp.MustCompile(`(?:\+\d{1,3}[ -]?)?(?:\(\d{2,4}\)[ -]?)?\d{3,5}[ -]\d{3,4}(?:[ -]?\d{2,4})?|\+?\d{10,13}\b`)
	street = regexp.MustCompile(`\b\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}'-]+ ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Place|Pl|Marg|Nagar)\b\.?`)
	// named is a JSON field that by its name holds a person or where they live.
	named = regexp.MustCompile(`"((?:[a-z_]*_)?(?:name|display|email|e_mail|mail|from|to|address|street|phone|mobile)(?:_[a-z_]*)?)"\s*:\s*"(?:[^"\\]|\\.)*"`)
)

// Redact takes out of text what could name a person or say where they live: the
// values of JSON fields for names, addresses and mail, and whatever looks like a
// mail address, a telephone number or a street address. Ids, ZIP codes and shifts
// stay. What has no such field around it, a name in running prose, cannot be seen
// here; apps keep names out of what a model is told.
func Redact(text string) string {
	text = named.ReplaceAllString(text, `"$1":"[redacted]"`)
	text = mail.ReplaceAllString(text, "[mail]")
	text = street.ReplaceAllString(text, "[address]")
	return phone.ReplaceAllString(text, "[phone]")
}
