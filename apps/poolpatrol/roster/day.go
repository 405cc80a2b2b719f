package roster

import (
	"fmt"
	"time"

	"dossier"
)

// A Day is a calendar date, counted in days since 1 January 1970. It has no time
// zone: the shift that falls on it does.
type Day int

const dayForm = "2006-01-02"

// ParseDay reads a date such as "2026-11-16".
func ParseDay(text string) (Day, error) {
	t, err := time.Parse(dayForm, text)
	if err != nil {
		return 0, dossier.Errorf(dossier.Invalid, "%q is not a date; write it as 2026-11-16.", text)
	}
	return DayOf(t), nil
}

// DayOf returns the date that t shows on its own clock.
func DayOf(t time.Time) Day {
	y, m, d := t.Date()
	return Day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// At returns the moment of d at minutes after midnight in loc. Minutes may exceed a day.
func (d Day) At(minutes int, loc *time.Location) time.Time {
	y, m, day := time.Unix(int64(d)*86400, 0).UTC().Date()
	return time.Date(y, m, day, 0, minutes, 0, 0, loc)
}

// Weekday returns the day of the week of d.
func (d Day) Weekday() time.Weekday { return time.Weekday(mod(int(d)+4, 7)) }

// Monday returns the Monday of the week d lies in.
func (d Day) Monday() Day { return d - Day(mod(int(d)+3, 7)) }

func (d Day) String() string { return time.Unix(int64(d)*86400, 0).UTC().Format(dayForm) }

// MarshalText writes d as 2026-11-16.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Day) UnmarshalText(b []byte) error {
	v, err := ParseDay(string(b))
	*d = v
	return err
}

// A Span is a stretch of days off, both ends included.
type Span struct {
	From Day `json:"from"`
	To   Day `json:"to"`
}

// Holds reports whether d lies in s.
func (s Span) Holds(d Day) bool { return s.From <= d && d <= s.To }

func (s Span) String() string { return fmt.Sprintf("%s to %s", s.From, s.To) }

// Away reports whether d lies in one of the spans.
func Away(spans []Span, d Day) bool {
	for _, s := range spans {
		if s.Holds(d) {
			return true
		}
	}
	return false
}

func mod(a, n int) int { return (a%n + n) % n }

// BusinessDay returns the moment on the nth business day from start, start's own day
// being the first if it is one. It always comes before the seventh day.
func BusinessDay(start time.Time, n int) time.Time {
	t := start
	for {
		if d := t.Weekday(); d != time.Saturday && d != time.Sunday {
			if n--; n <= 0 {
				return t
			}
		}
		t = t.AddDate(0, 0, 1)
	}
}
