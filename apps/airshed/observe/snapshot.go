package observe

import (
	"errors"
	"fmt"
	"time"
)

// A Snapshot is everything an ingester knew at one time, as one object of the data lake.
type Snapshot struct {
	Readings []Reading  `json:"cpcb_data"`
	Fires    []Fire     `json:"nasa_data"` // nil: the feed is missing; empty: it was read and held none
	Share    *Share     `json:"dss_data"`  // nil: missing
	Winds    []Wind     `json:"wind_data,omitempty"`
	Time     time.Time  `json:"timestamp"`
	Inputs   []InputLog `json:"inputs,omitempty"` // what the ingester read, where it says so
}

// An InputLog says what an ingester made of one file.
type InputLog struct {
	Name    string         `json:"name"` // the file's own name, without its folder
	Kind    string         `json:"kind"` // "firms", "cpcb", "dss", "open-meteo", "metar", "boundaries"
	SHA256  string         `json:"sha256"`
	Read    int            `json:"read"`
	Kept    int            `json:"kept"`
	Dropped map[string]int `json:"dropped,omitempty"` // reason to number of records
	Newest  time.Time      `json:"newest,omitzero"`
}

// A Problem is one thing in the data that could not be used, with its place.
type Problem struct {
	Place    string `json:"place"` // "cpcb_data[3].aqi"
	Sentence string `json:"sentence"`
}

func (p Problem) String() string { return p.Place + ": " + p.Sentence }

func problemf(place, format string, args ...any) Problem {
	return Problem{place, fmt.Sprintf(format, args...)}
}

// The reasons for which a snapshot cannot be used at all. They are the causes of the
// errors that Decode returns.
var (
	ErrNoReadings = errors.New("cpcb_data missing")
	ErrNoTime     = errors.New("timestamp missing")
	ErrNotJSON    = errors.New("not JSON")
)

// Age returns how old the snapshot is at now, and whether that is at most limit. A
// snapshot from the future (beyond an hour, which clocks may disagree by) is not fresh.
func (s Snapshot) Age(now time.Time, limit time.Duration) (time.Duration, bool) {
	age := now.Sub(s.Time)
	return age, age <= limit && age >= -time.Hour
}

// Staleness says how the age of a snapshot that is not fresh at a time is wrong.
func (s Snapshot) Staleness(at time.Time, limit time.Duration) string {
	age := at.Sub(s.Time)
	if age < 0 {
		return fmt.Sprintf("The data is of %s, which is %.1f hours after %s. Check the clocks.", s.Time.Format(time.RFC3339), -age.Hours(), at.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("The data is of %s, %.1f hours before %s; at most %v hours are allowed.", s.Time.Format(time.RFC3339), age.Hours(), at.UTC().Format(time.RFC3339), limit.Hours())
}

// Sentences returns problems as people read them.
func Sentences(problems []Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}
