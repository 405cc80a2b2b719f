package ingest

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Class is a kind of personal identifier.
type Class string

// The classes that are redacted.
const (
	Phone  Class = "phone"  // mobile and other telephone numbers
	Email  Class = "email"  // e-mail addresses
	IDNo   Class = "id"     // Aadhaar-like numbers and any other run of twelve digits or more
	PAN    Class = "pan"    // PAN-like ids
	Handle Class = "handle" // @names
	Plate  Class = "plate"  // vehicle registrations
	URL    Class = "url"    // URLs that carry a user's name
)

// Classes lists the classes.
var Classes = []Class{Phone, Email, IDNo, PAN, Handle, Plate, URL}

// A Redaction is a text without identifiers and how many of each class were taken out.
type Redaction struct {
	Text  string
	Found map[Class]int // nil if nothing was found
}

func (r *Redaction) put(c Class) string {
	if r.Found == nil {
		r.Found = map[Class]int{}
	}
	r.Found[c]++
	return "[" + string(c) + "]"
}

// Redact replaces every identifier in a text by its class in brackets. The text is
// put in one form first: compatibility characters and digits of any script become
// plain ones, invisible characters go, spelled-out digits and bracketed "at" and "dot"
// are read as what they stand for. What looks like an identifier goes, even where it
// may be none: a lost number costs less than a kept one.
func Redact(text string) Redaction {
	r := Redaction{Text: spellDigits(normalize(text))}
	r.Text = unhide(r.Text)
	r.replace(spelledEmail, Email)
	r.replace(looseEmail, Email)
	r.replace(spacedEmail, Email)
	r.replace(userURL, URL)
	r.Text = socialURL.ReplaceAllStringFunc(r.Text, func(s string) string {
		r.put(URL)
		return socialURL.FindStringSubmatch(s)[1] + "/[url]"
	})
	r.replace(halfEmail, Email)
	r.replace(email, Email)
	r.replaceWhere(panID, PAN, unworded)
	r.replaceWhere(plate, Plate, unworded)
	r.replace(bhPlate, Plate)
	r.numbers()
	for _, form := range []*regexp.Regexp{handle, userPage} {
		r.Text = form.ReplaceAllStringFunc(r.Text, func(s string) string {
			return form.FindStringSubmatch(s)[1] + r.put(Handle)
		})
	}
	r.Text = strings.TrimSpace(spaces.ReplaceAllString(r.Text, " "))
	return r
}

// Clean returns the redacted text alone.
func Clean(text string) string { return Redact(text).Text }

func (r *Redaction) replace(re *regexp.Regexp, c Class) {
	r.Text = re.ReplaceAllStringFunc(r.Text, func(string) string { return r.put(c) })
}

func (r *Redaction) replaceWhere(re *regexp.Regexp, c Class, like func(string) bool) {
	r.Text = re.ReplaceAllStringFunc(r.Text, func(s string) string {
		if !like(s) {
			return s
		}
		return r.put(c)
	})
}

// sep is what may stand between the characters of a spaced-out identifier.
const sep = `[\s.\-_/\\,()*+~|:;'"·•–—]{0,3}`

// rest is what is left of an address: up to the next space, and a name behind an @ that
// the space set apart.
const rest = `(?:\S*@\s[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*|\S*)`

// spacedCodes are the letters of the registration states, with room between them.
var spacedCodes = strings.ReplaceAll("a@n|a@p|a@r|a@s|b@r|c@g|c@h|d@d|d@l|d@n|g@a|g@j|h@p|h@r|j@h|j@k|k@a|k@l|l@a|l@d|m@h|m@l|m@n|m@p|m@z|"+
	"n@l|o@d|o@r|p@b|p@y|r@j|s@k|t@n|t@r|t@s|t@g|u@a|u@k|u@p|w@b", "@", `[\s.\-_]?`)

var (
	spaces = regexp.MustCompile(`\s+`)

	userURL = regexp.MustCompile(`(?i)\b(?:h(?:tt|xx)ps?|ftp|ssh)\s?://[^\s/@]+@\S` + rest +
		`|\b(?:h(?:tt|xx)ps?://)?[a-z0-9.-]+\.[a-z]{2,}(?::\d+)?/(?:\S*/)?(?:@|~|u/|user/|users/|profile/|profiles/|people/|in/|author/|member/|members/|channel/|c/)[^\s\[]` + rest +
		`|\b(?:h(?:tt|xx)ps?://)?[a-z0-9.-]+\.[a-z]{2,}(?::\d+)?/\S*[?&](?:user|username|userid|uid|id|profile|name|phone|mobile|email|author)=\S` + rest)
	socialURL = regexp.MustCompile(`(?i)((?:h(?:tt|xx)ps?://)?(?:www\.|m\.|mobile\.|in\.)?(?:twitter\.com|x\.com|facebook\.com|fb\.com|fb\.me|instagram\.com|t\.me|telegram\.me|wa\.me|threads\.net|threads\.com|linkedin\.com|youtube\.com|koo(?:app)?\.(?:in|com)|reddit\.com|tiktok\.com|snapchat\.com|sharechat\.com|bsky\.app|github\.com|medium\.com|truthsocial\.com))\s?/\s?[^\s\[]` + rest)

	// spacedEmail is an address whose name is spaced out letter by letter.
	spacedEmail = regexp.MustCompile(`(?i)\b(?:[\p{L}\p{N}]\s){2,}[\p{L}\p{N}]\s?@+\s?[\p{L}\p{N}.-]+`)
	// userPage is a name on a forum, without the forum.
	userPage = regexp.MustCompile(`(^|[\s(])/?u/[\w-]{3,}`)

	// halfEmail is an address whose second half went as part of a URL.
	halfEmail    = regexp.MustCompile(`[\p{L}\p{M}\p{N}._%+'-]+\s?@\s?\[url\]`)
	email        = regexp.MustCompile(`(?i)[\p{L}\p{M}\p{N}._%+'-]+\s?@+\s?[\p{L}\p{M}\p{N}-]+(?:\s?\.\s?[\p{L}\p{M}\p{N}-]+)+|[\p{L}\p{M}\p{N}._%+'-]+@+[\p{L}\p{M}\p{N}-]+`)
	spelledEmail = regexp.MustCompile(`(?i)[\p{L}\p{M}\p{N}._%+-]+(?:\s+dot\s+[\p{L}\p{M}\p{N}_%+-]+)*\s*(?:@|\s+at\s+)\s*[\p{L}\p{M}\p{N}-]+(?:\s*(?:\.|\s+dot\s+)\s*[\p{L}\p{M}\p{N}-]+)*\s+dot\s+(?:com|in|org|net|gov|nic|co|edu|info|me|io|ac)(?:\s*(?:\.|\s+dot\s+)\s*[a-z]{2,3}\b)?`)
	looseEmail   = regexp.MustCompile(`(?i)[\p{L}\p{M}\p{N}._%+-]+\s+at\s+(?:[a-z0-9-]+\.)+(?:com|in|org|net|gov|co|edu|info|me|io)\b`)

	panID = regexp.MustCompile(`(?i)\b[a-z]` + sep + `[a-z]` + sep + `[a-z]` + sep + `[a-z]` + sep + `[a-z]` + sep +
		`\d` + sep + `\d` + sep + `\d` + sep + `\d` + sep + `[a-z]\b`)

	plate = regexp.MustCompile(`(?i)\b(?:` + spacedCodes + `)` +
		sep + `\d` + sep + `\d?` + sep + `(?:[a-z]` + sep + `){0,3}\d` + sep + `\d` + sep + `\d` + sep + `\d\b`)
	bhPlate = regexp.MustCompile(`(?i)\b\d` + sep + `\d` + sep + `b` + sep + `h` + sep + `\d` + sep + `\d` + sep + `\d` + sep + `\d` + sep + `[a-z]{1,2}\b`)

	handle = regexp.MustCompile(`(^|[^\p{L}\p{M}\p{N}@])@+\s?[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*`)

	isoDate = regexp.MustCompile(`\b(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T\s]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b|\b(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:19|20)\d\d\b`)
	digits  = regexp.MustCompile(`\d(?:[^\p{L}\p{N}\x00]{0,10}\d)+`)
)

// normalize puts text in its plain form: compatibility characters composed, digits of
// every script as 0 to 9, invisible characters gone.
func normalize(text string) string {
	text = norm.NFKC.String(strings.ToValidUTF8(text, ""))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Variation_Selector) || r == '\u034f' || r == '\u115f' || r == '\u3164':
			return -1
		case r >= '0' && r <= '9':
			return r
		case unicode.Is(unicode.Nd, r):
			return digitOf(r)
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
}

// digitOf returns the plain digit of any decimal digit. Every script's ten digits
// follow each other in Unicode, starting with its zero.
func digitOf(r rune) rune {
	for _, span := range unicode.Nd.R16 {
		if r >= rune(span.Lo) && r <= rune(span.Hi) {
			return '0' + (r-rune(span.Lo))%10
		}
	}
	for _, span := range unicode.Nd.R32 {
		if r >= rune(span.Lo) && r <= rune(span.Hi) {
			return '0' + (r-rune(span.Lo))%10
		}
	}
	return r
}

var (
	hiddenAt    = regexp.MustCompile(`(?i)\s*[\[({<]\s*(?:at|@|a)\s*[\])}>]\s*|\s+at[\s-]+the[\s-]+rate(?:[\s-]+of)?\s+|\s*[-_*]at[-_*]\s*`)
	hiddenDot   = regexp.MustCompile(`(?i)\s*[\[({<]\s*(?:dot|\.|d0t)\s*[\])}>]\s*|\s*[-_*]dot[-_*]\s*`)
	hiddenSlash = regexp.MustCompile(`(?i)(\.(?:com|in|me|org|net|app))\s+(?:slash|/)\s+`)
	spokenHost  = regexp.MustCompile(`(?i)\b(twitter|x|facebook|fb|instagram|t|wa|telegram|youtube|linkedin|threads|reddit)\s+dot\s+(com|me|net|in)\b`)
	spacedHost  = regexp.MustCompile(`(?i)\b(twitter|x|facebook|fb|instagram|t|wa|telegram|youtube|linkedin|threads|reddit)\s?\.\s?(com|me|net|in)\s?/\s?`)
	bareAt      = regexp.MustCompile(`(?i)(^|[^\p{L}\p{N}\s])\s*at[\s-]+the[\s-]+rate(?:[\s-]+of)?\s+`)
)

// unhide reads bracketed and spoken "at", "dot" and "slash" as what they stand for.
func unhide(text string) string {
	text = bareAt.ReplaceAllString(text, "$1@")
	text = hiddenAt.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") || !strings.HasPrefix(s, " ") {
			return "@"
		}
		return " @"
	})
	text = hiddenDot.ReplaceAllString(text, ".")
	text = spokenHost.ReplaceAllString(text, "$1.$2")
	return spacedHost.ReplaceAllString(hiddenSlash.ReplaceAllString(text, "$1/"), "$1.$2/")
}

// unworded keeps sentences such as "as 12 in 2024" out: a spaced form must not contain
// a lower-case word of a sentence, unless it is spaced out letter by letter.
func unworded(s string) bool {
	fields := strings.Fields(s)
	for _, f := range fields {
		switch f {
		case "in", "on", "of", "by", "at", "to", "and", "for", "the", "was", "or", "is":
			return false
		case "a":
			if !slices.ContainsFunc(fields, func(f string) bool { return len(f) > 1 }) {
				continue
			}
			return false
		}
	}
	return true
}

// numbers redacts what can be a telephone number or an identity number: ten digits or
// more with little between them, dates and times of day set aside.
func (r *Redaction) numbers() {
	var kept []string
	text := isoDate.ReplaceAllStringFunc(r.Text, func(s string) string {
		kept = append(kept, s)
		return "\x00"
	})
	text = digits.ReplaceAllStringFunc(lettersInDigits(text), func(s string) string {
		n := 0
		for _, c := range s {
			if c >= '0' && c <= '9' {
				n++
			}
		}
		switch {
		case n < 10:
			return s
		case n == 12 && !strings.HasPrefix(s, "91") || n > 14:
			return r.put(IDNo)
		}
		return r.put(Phone)
	})
	for _, s := range kept {
		text = strings.Replace(text, "\x00", s, 1)
	}
	r.Text = text
}

var mixed = regexp.MustCompile(`\b[0-9OoIl][0-9OoIl|\s.\-]{7,}[0-9OoIl]\b`)

// lettersInDigits reads O as 0 and I, l or | as 1 in a run that is mostly digits.
func lettersInDigits(text string) string {
	return mixed.ReplaceAllStringFunc(text, func(s string) string {
		n, letters := 0, 0
		for _, c := range s {
			switch {
			case c >= '0' && c <= '9':
				n++
			case strings.ContainsRune("OoIl|", c):
				letters++
			}
		}
		if letters == 0 || n < 5 || n+letters < 10 {
			return s
		}
		return strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1", "|", "1").Replace(s)
	})
}
