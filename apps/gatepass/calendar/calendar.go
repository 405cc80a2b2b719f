// Package calendar reads days and times as people write them: 12/11/2026 with the day
// first, as in India, 5.30pm, weekdays and months by name.
//
// [Read] finds the day and the time that a line of words names, among them "half past
// three", "day after tomorrow", "2 to 4 pm" and "kal 5 baje". The other functions read
// one word or work on one day. Which day is today is the caller's; the package asks no
// clock.
package calendar

import (
	"strconv"
	"strings"
	"time"
)

// Weekdays are the days of the week by name.
var Weekdays = map[string]time.Weekday{
	"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
}

// Months are the months by name, short or long.
var Months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

// Figures reads 2026-11-12 and 12/11/2026 (day first, as in India).
func Figures(w string) (time.Time, bool) {
	for _, form := range []string{"2006-01-02", "2006/01/02", "2/1/2006", "2-1-2006", "2.1.2006", "2/1/06", "2-1-06"} {
		if len(w) < 6 || len(w) > 10 {
			return time.Time{}, false
		}
		if d, err := time.Parse(form, w); err == nil {
			return d, true
		}
	}
	return time.Time{}, false
}

// Clock reads 17:30, 5pm, 5.30pm.
func Clock(w string) (hour, minute int, ok bool) {
	pm, am := strings.HasSuffix(w, "pm"), strings.HasSuffix(w, "am")
	body := strings.TrimSuffix(strings.TrimSuffix(w, "pm"), "am")
	h, m, colon := strings.Cut(strings.ReplaceAll(body, ".", ":"), ":")
	if !colon && !pm && !am || !digits(h) || colon && (len(m) != 2 || !digits(m)) || len(h) > 2 {
		return 0, 0, false
	}
	hour, _ = strconv.Atoi(h)
	minute, _ = strconv.Atoi(m)
	hour = HalfDay(hour, pm, am)
	return hour, minute, hour < 24 && minute < 60
}

// HalfDay makes an hour of the clock one of the day.
func HalfDay(hour int, pm, am bool) int {
	if pm && hour < 12 {
		return hour + 12
	}
	if am && hour == 12 {
		return 0
	}
	return hour
}

// Nearest returns the next or the last such weekday, not today.
func Nearest(today time.Time, d time.Weekday, ahead bool) time.Time {
	n := (int(d) - int(today.Weekday()) + 7) % 7
	if n == 0 {
		n = 7
	}
	if !ahead {
		n -= 7
		if n == 0 {
			n = -7
		}
	}
	return today.AddDate(0, 0, n)
}

// LaterHour reads an hour without half of the day as one of a working day.
func LaterHour(n int) int {
	if n < 8 {
		return n + 12
	}
	return n
}

func digits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
