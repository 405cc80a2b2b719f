package calendar

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

var smallNumbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a": 1, "an": 1, "half": 0,
}

// Like reports whether a word holds a date or a time in figures.
func Like(w string) bool {
	_, okDay := Figures(w)
	_, _, okTime := Clock(w)
	return okDay || okTime
}

// A Word is one word of what was said: as it is read, and as it was written.
type Word struct{ Read, Written string }

// A When is the day and time that some words name.
type When struct {
	Day          time.Time     // midnight; zero: none
	Hour, Minute int           // Hour -1: none
	Weekday      bool          // the day is one of the week: "Tuesday"
	In           time.Duration // "in two hours"; 0: none
	Away         bool          // it says how long someone is away: "2 to 4 pm", "for two hours"
	From         int           // the first word it took; -1: none
	Taken        []bool        // which words it took
}

// A reading is a When in the making.
type reading struct {
	When
	words []Word
}

// Read finds the day and time in words.
func Read(words []Word, now time.Time) When {
	u := &reading{When{Hour: -1, From: -1, Taken: make([]bool, len(words))}, words}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for i := 0; i < len(words); i++ {
		used := u.dayAt(i, today)
		if used == 0 {
			used = u.timeAt(i)
		}
		if used == 0 {
			continue
		}
		for j := i; j < min(i+used, len(words)); j++ {
			u.Taken[j] = true
		}
		if u.From < 0 {
			u.From = i
		}
		i += used - 1
	}
	return u.When
}

func (u *reading) word(i int) string {
	if i < 0 || i >= len(u.words) {
		return ""
	}
	return u.words[i].Read
}

// toCome reports whether something to come is spoken of.
func (u *reading) toCome() bool {
	return slices.ContainsFunc(u.words, func(w Word) bool { return w.Read == "will" || w.Read == "back" || w.Read == "return" })
}

func (u *reading) integer(i int) (int, bool) {
	if i < 0 || i >= len(u.words) {
		return 0, false
	}
	w := u.words[i].Written
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, suffix)
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && len(w) <= 4
}

// dayAt reads a day at token i and returns how many tokens it took.
func (u *reading) dayAt(i int, today time.Time) int {
	w, next := u.word(i), u.word(i+1)
	switch {
	case w == "today" || w == "this" && next == "day":
		u.Day = today
		return 1 + btoi(w == "this")
	case w == "tomorrow" || w == "tmrw":
		u.Day = today.AddDate(0, 0, 1)
		return 1
	case w == "day" && next == "after" && (u.word(i+2) == "tomorrow" || u.word(i+2) == "tmrw"):
		u.Day = today.AddDate(0, 0, 2)
		return 3
	case w == "parso" || w == "parson": // two days from today, by what is spoken of
		n := -2
		if u.toCome() {
			n = 2
		}
		u.Day = today.AddDate(0, 0, n)
		return 1
	case w == "yesterday":
		if i >= 2 && u.word(i-1) == "before" && u.word(i-2) == "day" {
			u.Day = today.AddDate(0, 0, -2)
			return 1
		}
		u.Day = today.AddDate(0, 0, -1)
		return 1
	case w == "kal": // yesterday or tomorrow, by what is spoken of
		n := -1
		if u.toCome() {
			n = 1
		}
		u.Day = today.AddDate(0, 0, n)
		return 1
	case w == "last" || w == "next" || w == "coming" || w == "this":
		if d, ok := Weekdays[next]; ok {
			u.Day = Nearest(today, d, w != "last")
			return 2
		}
	}
	if d, ok := Weekdays[w]; ok {
		u.Weekday = true
		u.Day = Nearest(today, d, u.toCome())
		return 1
	}
	if d, ok := Figures(u.words[i].Read); ok {
		u.Day = time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, today.Location())
		return 1
	}
	return u.monthAt(i, today)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// monthAt reads "12 November [2026]" and "Nov 12".
func (u *reading) monthAt(i int, today time.Time) int {
	day, ok := u.integer(i)
	at := i + 1
	if !ok {
		if _, isMonth := Months[u.word(i)]; !isMonth {
			return 0
		}
		if day, ok = u.integer(i + 1); !ok || day > 31 {
			return 0
		}
		at = i
	} else if u.word(at) == "of" {
		at++
	}
	m, ok := Months[u.word(at)]
	if !ok || day < 1 || day > 31 {
		return 0
	}
	used, year := max(at, i+1)-i+1, today.Year()
	if y, ok := u.integer(i + used); ok && y > 1990 && y < 2200 {
		year = y
		used++
	}
	u.Day = time.Date(year, m, day, 0, 0, 0, 0, today.Location())
	return used
}

// timeAt reads a time at token i: "4 pm", "17:30", "evening 6", "in two hours",
// "by 5", "noon".
func (u *reading) timeAt(i int) int {
	w, next := u.word(i), u.word(i+1)
	if h, m, ok := Clock(w); ok {
		u.Hour, u.Minute = h, m
		if next == "pm" || next == "am" {
			u.Hour = HalfDay(h, next == "pm", next == "am")
			return 2
		}
		return 1
	}
	if used := u.partHour(i); used > 0 {
		return used
	}
	if n, ok := u.hourAt(i); ok {
		switch next {
		case "to", "till", "until":
			if used := u.timeAt(i + 2); used > 0 || u.integerHour(i+2) {
				u.Away = true
				if used == 0 {
					h, _ := u.integer(i + 2)
					u.Hour, u.Minute, used = LaterHour(h), 0, 1
				}
				return used + 2
			}
		case "baje", "bje":
			u.Hour, u.Minute = LaterHour(n), 0
			return 2
		case "pm", "am":
			u.Hour, u.Minute = HalfDay(n, next == "pm", next == "am"), 0
			return 2
		case "o'clock", "oclock":
			u.Hour = LaterHour(n)
			return 2
		case "in":
			if u.word(i+2) == "the" && (u.word(i+3) == "evening" || u.word(i+3) == "afternoon") {
				u.Hour = HalfDay(n, true, false)
				return 4
			}
		}
	}
	switch {
	case w == "noon":
		u.Hour, u.Minute = 12, 0
		return 1
	case w == "evening" || w == "afternoon" || w == "morning":
		if n, ok := u.integer(i + 1); ok && n >= 1 && n <= 12 {
			u.Hour = HalfDay(n, w != "morning", w == "morning")
			return 2
		}
	case w == "in" || w == "within" || w == "after":
		return u.spanAt(i)
	case w == "for":
		used := u.spanAt(i)
		u.Away = u.Away || used > 0
		return used
	case w == "by" || w == "before" || w == "around":
		if n, ok := u.hourAt(i + 1); ok && n >= 1 && n <= 23 && Months[u.word(i+2)] == 0 && u.word(i+2) != "pm" && u.word(i+2) != "am" {
			u.Hour = LaterHour(n)
			return 2
		}
	}
	return 0
}

// hourAt reads an hour of the clock, in figures or in words.
func (u *reading) hourAt(i int) (int, bool) {
	if n, ok := u.integer(i); ok {
		return n, n <= 24
	}
	n := smallNumbers[u.word(i)]
	return n, n > 1
}

// integerHour reports whether token i is an hour of the day, in figures.
func (u *reading) integerHour(i int) bool {
	n, ok := u.integer(i)
	return ok && n >= 1 && n <= 12
}

// partHour reads "half past three", "quarter to 4".
func (u *reading) partHour(i int) int {
	minutes, ok := map[string]int{"half": 30, "quarter": 15}[u.word(i)]
	way := u.word(i + 1)
	if !ok || way != "past" && way != "to" {
		return 0
	}
	h, isInt := u.integer(i + 2)
	if !isInt {
		h = smallNumbers[u.word(i+2)]
	}
	if h < 1 || h > 12 {
		return 0
	}
	at := LaterHour(h)*60 + minutes
	if way == "to" {
		at = LaterHour(h)*60 - minutes
	}
	u.Hour, u.Minute = at/60, at%60
	return 3
}

// spanAt reads "in two hours", "in half an hour", "after 30 minutes".
func (u *reading) spanAt(i int) int {
	n, ok := u.integer(i + 1)
	used := 2
	if !ok {
		if n, ok = smallNumbers[u.word(i+1)]; !ok {
			return 0
		}
	}
	half := u.word(i+1) == "half"
	if half && (u.word(i+2) == "an" || u.word(i+2) == "a") {
		used++
	}
	switch u.word(i + used) {
	case "hour", "hours", "hrs", "hr":
		u.In = time.Duration(n) * time.Hour
		if half {
			u.In = 30 * time.Minute
		}
	case "minute", "minutes", "mins", "min":
		u.In = time.Duration(n) * time.Minute
	default:
		return 0
	}
	return used + 1
}

// Moment returns the moment w names, if it names a time.
func (w When) Moment(now time.Time) (time.Time, bool) {
	if w.In > 0 {
		return now.Add(w.In).Truncate(time.Minute), true
	}
	if w.Hour < 0 {
		return time.Time{}, false
	}
	day := w.Day
	if day.IsZero() {
		day = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	}
	t := time.Date(day.Year(), day.Month(), day.Day(), w.Hour, w.Minute, 0, 0, now.Location())
	if w.Weekday && !t.After(now) {
		t = t.AddDate(0, 0, 7) // a moment to come
	}
	if w.Day.IsZero() && !t.After(now) {
		if t.Add(12*time.Hour).After(now) && w.Hour < 12 {
			return t.Add(12 * time.Hour), true
		}
		t = t.AddDate(0, 0, 1)
	}
	return t, true
}
