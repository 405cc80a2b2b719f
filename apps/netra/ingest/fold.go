package ingest

import (
	"slices"
	"strings"
	"time"

	"dossier/apps/netra/engine"
)

// SameEventWithin is how far apart two reports of one event may be dated.
const SameEventWithin = 24 * time.Hour

// Fingerprint returns the words of a summary that tell events apart: folded, without
// endings and without words that every report has, sorted.
func Fingerprint(summary string) []string {
	var out []string
	for _, w := range tokens(summary) {
		if len(w) > 1 && !slices.Contains(common, w) {
			out = append(out, stem(w))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var common = strings.Fields("a an the and or of in on at to by for from with near after before as is was were are be been has have had " +
	"it its this that their his her they he she who which said says say police officials official reported reports report sources source " +
	"today yesterday district state area on monday tuesday wednesday thursday friday saturday sunday morning evening night")

func stem(w string) string {
	for _, end := range []string{"ing", "ied", "ies", "ed", "es", "s"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			return s
		}
	}
	return w
}

// SameEvent reports whether two signals tell of one event: same district and polarity,
// dated within a day of each other, and most of their words shared. The words are the
// signals' fingerprints.
func SameEvent(a *engine.Signal, aWords []string, b *engine.Signal, bWords []string) bool {
	return a.State == b.State && a.District == b.District && a.Polarity == b.Polarity &&
		a.Timestamp.Sub(b.Timestamp).Abs() <= SameEventWithin && sameWords(aWords, bWords)
}

// sameWords reports whether two fingerprints are of one event: six tenths of all their
// words shared, or nearly all of the shorter one's if it has at least four.
func sameWords(x, y []string) bool {
	shared := 0
	for _, w := range x {
		if _, ok := slices.BinarySearch(y, w); ok {
			shared++
		}
	}
	shorter, all := min(len(x), len(y)), len(x)+len(y)-shared
	if shorter == 0 {
		return false
	}
	return shared*10 >= all*6 || shorter >= 4 && shared*10 >= shorter*8
}

// SourceOf names the source of a signal: its URL, or its type where it has none.
func SourceOf(s *engine.Signal) string {
	if s.SourceURL != "" {
		return s.SourceURL
	}
	return s.SourceType
}
