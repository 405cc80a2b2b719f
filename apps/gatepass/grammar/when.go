package grammar

import (
	"time"

	"dossier/apps/gatepass/calendar"
)

// DayForm and MomentForm are how days and moments are written as arguments.
const (
	DayForm    = "2006-01-02"
	MomentForm = "2006-01-02T15:04"
)

// readWhen finds the day and time in u and marks the words they took.
func (u *utterance) readWhen(now time.Time) {
	said := make([]calendar.Word, len(u.tokens))
	for i, t := range u.tokens {
		said[i] = calendar.Word{Read: t.word, Written: t.raw}
	}
	u.when = calendar.Read(said, now)
	for i, taken := range u.when.Taken {
		u.tokens[i].day = taken
	}
}

func (u *utterance) word(i int) string {
	if i < 0 || i >= len(u.tokens) {
		return ""
	}
	return u.tokens[i].word
}
