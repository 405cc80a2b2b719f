package observe

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// india is the zone of every Indian feed that names none.
var india = time.FixedZone("IST", 5*3600+1800)

// A value is one JSON field of which we do not know in advance whether its writer put
// it down as a number or as text.
type value struct {
	text string // without quotes; "" for null or a field that is not there
	odd  bool   // an object or a list, where a plain value belongs
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *value) UnmarshalJSON(b []byte) error {
	*v = valueOf(b)
	return nil
}

// valueOf reads valid JSON; nothing at all is a field that is not there.
func valueOf(b []byte) value {
	switch {
	case len(b) == 0 || string(b) == "null":
		return value{}
	case b[0] == '"':
		return value{text: string(bare(b))}
	}
	return value{text: string(b), odd: b[0] == '{' || b[0] == '['}
}

// missing reports whether v holds nothing, in any of the ways feeds write that.
func (v value) missing() bool {
	switch strings.ToUpper(strings.TrimSpace(v.text)) {
	case "", "NA", "N/A", "NAN", "NONE", "NULL", "-":
		return true
	}
	return false
}

// number returns v as a finite number.
func (v value) number() (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(v.text), 64)
	return f, err == nil && !v.odd && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// first returns the first of vs that holds something.
func first(vs ...value) value {
	for _, v := range vs {
		if v.odd || !v.missing() {
			return v
		}
	}
	return value{}
}

// The spellings of a moment. Those without a zone are Indian time, save the ISO ones,
// which their writers (pandas, Open-Meteo) mean as UTC.
var (
	utcLayouts    = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04"}
	indianLayouts = []string{"02-01-2006 15:04:05", "02-01-2006 15:04", "02/01/2006 15:04:05", "02/01/2006 15:04", "02-Jan-2006 15:04:05", "02-Jan-2006 15:04"}
)

// ParseTime reads a moment in any spelling that the feeds use: RFC 3339, ISO without a
// zone (UTC), day-first with dashes or slashes (Indian time), seconds or milliseconds
// since 1970.
func ParseTime(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) == len(time.DateOnly) { // every fire has one: it is tried first
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return sane(t)
		}
	}
	for _, l := range utcLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return sane(t)
		}
	}
	for _, l := range indianLayouts {
		if t, err := time.ParseInLocation(l, s, india); err == nil {
			return sane(t)
		}
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n > 1e8 && n < 1e14 {
		if n > 1e11 {
			n /= 1000
		}
		return sane(time.Unix(int64(n), 0))
	}
	return time.Time{}, false
}

// sane refuses years in which there were no satellites to see a fire, or will be none.
func sane(t time.Time) (time.Time, bool) {
	t = t.UTC()
	return t, t.Year() >= 1970 && t.Year() < 2200
}

// tidy trims a name and folds the runs of blanks in it.
func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }
