package grammar

import (
	"strconv"
	"strings"
	"time"

	"dossier/apps/gatepass/calendar"
)

// A when is the day and time that an utterance names.
type when struct {
	day      time.Time // midnight; zero: none
	hour     int       // -1: none
	minute   int
	weekday  bool          // the day is one of the week: "Tuesday"
	in       time.Duration // "in two hours"; 0: none
	away     bool          // it says how long someone is away: "2 to 4 pm", "for two hours"
	from, to int           // the tokens it took
}

// DayForm and MomentForm are how days and moments are written as arguments.
const (
	DayForm    = "2006-01-02"
	MomentForm = "2006-01-02T15:04"
)

var smallNumbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a": 1, "an": 1, "half": 0,
}

// isDateLike reports whether a word holds a date or a time in figures.
func isDateLike(w string) bool {
	_, okDay := calendar.Figures(w)
	_, _, okTime := calendar.Clock(w)
	return okDay || okTime
}

// readWhen finds the day and time in u and marks the words they took.
func (u *utterance) readWhen(now time.Time) {
	u.when = when{hour: -1, from: -1}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for i := 0; i < len(u.tokens); i++ {
		if used := u.dayAt(i, today); used > 0 {
			u.mark(i, used)
			i += used - 1
			continue
		}
		if used := u.timeAt(i); used > 0 {
			u.mark(i, used)
			i += used - 1
		}
	}
}

func (u *utterance) mark(i, used int) {
	for j := i; j < i+used; j++ {
		u.tokens[j].day = true
	}
	if u.when.from < 0 {
		u.when.from = i
	}
	u.when.to = i + used
}

func (u *utterance) word(i int) string {
	if i < 0 || i >= len(u.tokens) {
		return ""
	}
	return u.tokens[i].word
}

func (u *utterance) integer(i int) (int, bool) {
	if i < 0 || i >= len(u.tokens) {
		return 0, false
	}
	w := u.tokens[i].raw
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, suffix)
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && len(w) <= 4
}

// dayAt reads a day at token i and returns how many tokens it took.
func (u *utterance) dayAt(i int, today time.Time) int {
	w, next := u.word(i), u.word(i+1)
	switch {
	case w == "today" || w == "this" && next == "day":
		u.when.day = today
		return 1 + btoi(w == "this")
	case w == "tomorrow" || w == "tmrw":
		u.when.day = today.AddDate(0, 0, 1)
		return 1
	case w == "day" && next == "after" && (u.word(i+2) == "tomorrow" || u.word(i+2) == "tmrw"):
		u.when.day = today.AddDate(0, 0, 2)
		return 3
	case w == "parso" || w == "parson": // two days from today, by what is spoken of
		n := -2
		if u.has("will") || u.has("back") || u.has("return") {
			n = 2
		}
		u.when.day = today.AddDate(0, 0, n)
		return 1
	case w == "yesterday":
		if i >= 2 && u.word(i-1) == "before" && u.word(i-2) == "day" {
			u.when.day = today.AddDate(0, 0, -2)
			return 1
		}
		u.when.day = today.AddDate(0, 0, -1)
		return 1
	case w == "kal": // yesterday or tomorrow, by what is spoken of
		n := -1
		if u.has("will") || u.has("back") || u.has("return") {
			n = 1
		}
		u.when.day = today.AddDate(0, 0, n)
		return 1
	case w == "last" || w == "next" || w == "coming" || w == "this":
		if d, ok := calendar.Weekdays[next]; ok {
			u.when.day = calendar.Nearest(today, d, w != "last")
			return 2
		}
	}
	if d, ok := calendar.Weekdays[w]; ok {
		u.when.weekday = true
		u.when.day = calendar.Nearest(today, d, u.has("will") || u.has("back") || u.has("return"))
		return 1
	}
	if d, ok := calendar.Figures(u.tokens[i].word); ok {
		u.when.day = time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, today.Location())
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
func (u *utterance) monthAt(i int, today time.Time) int {
	day, ok := u.integer(i)
	at := i + 1
	if !ok {
		if _, isMonth := calendar.Months[u.word(i)]; !isMonth {
			return 0
		}
		if day, ok = u.integer(i + 1); !ok || day > 31 {
			return 0
		}
		at = i
	} else if u.word(at) == "of" {
		at++
	}
	m, ok := calendar.Months[u.word(at)]
	if !ok || day < 1 || day > 31 {
		return 0
	}
	used, year := max(at, i+1)-i+1, today.Year()
	if y, ok := u.integer(i + used); ok && y > 1990 && y < 2200 {
		year = y
		used++
	}
	u.when.day = time.Date(year, m, day, 0, 0, 0, 0, today.Location())
	return used
}

// timeAt reads a time at token i: "4 pm", "17:30", "evening 6", "in two hours",
// "by 5", "noon".
func (u *utterance) timeAt(i int) int {
	w, next := u.word(i), u.word(i+1)
	if h, m, ok := calendar.Clock(w); ok {
		u.when.hour, u.when.minute = h, m
		if next == "pm" || next == "am" {
			u.when.hour = calendar.HalfDay(h, next == "pm", next == "am")
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
				u.when.away = true
				if used == 0 {
					h, _ := u.integer(i + 2)
					u.when.hour, u.when.minute, used = calendar.LaterHour(h), 0, 1
				}
				return used + 2
			}
		case "baje", "bje":
			u.when.hour, u.when.minute = calendar.LaterHour(n), 0
			return 2
		case "pm", "am":
			u.when.hour, u.when.minute = calendar.HalfDay(n, next == "pm", next == "am"), 0
			return 2
		case "o'clock", "oclock":
			u.when.hour = calendar.LaterHour(n)
			return 2
		case "in":
			if u.word(i+2) == "the" && (u.word(i+3) == "evening" || u.word(i+3) == "afternoon") {
				u.when.hour = calendar.HalfDay(n, true, false)
				return 4
			}
		}
	}
	switch {
	case w == "noon":
		u.when.hour, u.when.minute = 12, 0
		return 1
	case w == "evening" || w == "afternoon" || w == "morning":
		if n, ok := u.integer(i + 1); ok && n >= 1 && n <= 12 {
			u.when.hour = calendar.HalfDay(n, w != "morning", w == "morning")
			return 2
		}
	case w == "in" || w == "within" || w == "after":
		return u.spanAt(i)
	case w == "for":
		used := u.spanAt(i)
		u.when.away = u.when.away || used > 0
		return used
	case w == "by" || w == "before" || w == "around":
		if n, ok := u.hourAt(i + 1); ok && n >= 1 && n <= 23 && calendar.Months[u.word(i+2)] == 0 && u.word(i+2) != "pm" && u.word(i+2) != "am" {
			u.when.hour = calendar.LaterHour(n)
			return 2
		}
	}
	return 0
}

// hourAt reads an hour of the clock, in figures or in words.
func (u *utterance) hourAt(i int) (int, bool) {
	if n, ok := u.integer(i); ok {
		return n, n <= 24
	}
	n := smallNumbers[u.word(i)]
	return n, n > 1
}

// integerHour reports whether token i is an hour of the day, in figures.
func (u *utterance) integerHour(i int) bool {
	n, ok := u.integer(i)
	return ok && n >= 1 && n <= 12
}

// partHour reads "half past three", "quarter to 4".
func (u *utterance) partHour(i int) int {
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
	at := calendar.LaterHour(h)*60 + minutes
	if way == "to" {
		at = calendar.LaterHour(h)*60 - minutes
	}
	u.when.hour, u.when.minute = at/60, at%60
	return 3
}

// spanAt reads "in two hours", "in half an hour", "after 30 minutes".
func (u *utterance) spanAt(i int) int {
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
		u.when.in = time.Duration(n) * time.Hour
		if half {
			u.when.in = 30 * time.Minute
		}
	case "minute", "minutes", "mins", "min":
		u.when.in = time.Duration(n) * time.Minute
	default:
		return 0
	}
	return used + 1
}

// moment returns the moment u names, if it names a time.
func (w when) moment(now time.Time) (time.Time, bool) {
	if w.in > 0 {
		return now.Add(w.in).Truncate(time.Minute), true
	}
	if w.hour < 0 {
		return time.Time{}, false
	}
	day := w.day
	if day.IsZero() {
		day = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	}
	t := time.Date(day.Year(), day.Month(), day.Day(), w.hour, w.minute, 0, 0, now.Location())
	if w.weekday && !t.After(now) {
		t = t.AddDate(0, 0, 7) // a moment to come
	}
	if w.day.IsZero() && !t.After(now) {
		if t.Add(12*time.Hour).After(now) && w.hour < 12 {
			return t.Add(12 * time.Hour), true
		}
		t = t.AddDate(0, 0, 1)
	}
	return t, true
}
