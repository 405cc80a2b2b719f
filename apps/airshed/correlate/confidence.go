package correlate

import (
	"fmt"
	"math"

	"dossier/apps/airshed/observe"
)

// The states of a term of the confidence.
const (
	Applied       = "applied"
	NotApplied    = "not_applied"
	NotAssessable = "not_assessable"
)

// A Term is one line of the sum that gives a confidence.
type Term struct {
	Name   string  `json:"name"`
	Status string  `json:"status"`
	Points float64 `json:"points"` // what it adds to the sum; penalties are negative
	Why    string  `json:"why"`
}

// A Confidence is a score with the terms it is the sum of.
type Confidence struct {
	Score float64 `json:"score"`
	Terms []Term  `json:"terms"`
}

// Availability says which of the three feeds were there.
type Availability struct {
	CPCB bool `json:"cpcb_available"`
	NASA bool `json:"nasa_available"`
	DSS  bool `json:"dss_available"`
}

// Assess says which feeds s holds. A fire feed that was read and held no fire is there.
func Assess(s observe.Snapshot) Availability {
	return Availability{CPCB: len(s.Readings) > 0, NASA: s.Fires != nil, DSS: s.Share != nil}
}

// Score computes the confidence: 100 less a penalty for each weakness, and never under
// the floor. Without fire data the two terms about fires cannot be assessed and cost
// nothing beyond the missing feed; with fire data but no fire near, the distance cannot.
func Score(a Availability, fires int, avgKm float64, r Rules) Confidence {
	terms := []Term{
		{"base", Applied, 100, "Every assessment starts from 100."},
		penalty("nasa_data_missing", !a.NASA, r.NASAMissing, "The fire data is missing.", "The fire data was read."),
		penalty("dss_data_missing", !a.DSS, r.DSSMissing, "The stubble burning share is missing.", "The stubble burning share was read."),
		penalty("low_fire_count", fires < r.LowFireCount, r.LowFires,
			fmt.Sprintf("%s, fewer than %d.", Count(fires, "correlated fire"), r.LowFireCount),
			fmt.Sprintf("%s, at least %d.", Count(fires, "correlated fire"), r.LowFireCount)),
		penalty("high_distance", avgKm > r.FarKm, r.FarFires,
			fmt.Sprintf("The fires are %.1f km away on average, more than %v km.", avgKm, r.FarKm),
			fmt.Sprintf("The fires are %.1f km away on average, at most %v km.", avgKm, r.FarKm)),
	}
	if !a.NASA {
		terms[3] = Term{"low_fire_count", NotAssessable, 0, "Without fire data nobody can count fires."}
	}
	if !a.NASA || fires == 0 {
		terms[4] = Term{"high_distance", NotAssessable, 0, "Without fires there is no distance."}
	}
	sum := 0.0
	for _, t := range terms {
		sum += t.Points
	}
	floor := Term{"floor", NotApplied, 0, fmt.Sprintf("The sum is not below %v.", r.MinConfidence)}
	if sum < r.MinConfidence {
		floor = Term{"floor", Applied, r.MinConfidence - sum, fmt.Sprintf("The score never falls below %v.", r.MinConfidence)}
	}
	return Confidence{math.Max(r.MinConfidence, sum), append(terms, floor)}
}

func penalty(name string, applies bool, points float64, yes, no string) Term {
	if applies {
		return Term{name, Applied, -points, yes}
	}
	return Term{name, NotApplied, 0, no}
}

// Count writes a number of things: "1 fire", "450 fires".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A Conclusion is what the fires amount to.
type Conclusion string

// The conclusions, strongest first.
const (
	Primary  Conclusion = "primary"  // a neighbouring state is a high contributor
	Possible Conclusion = "possible" // neighbours have fires near, none of them many
	NoSource Conclusion = "none"     // no neighbour has a fire near
	Unknown  Conclusion = "unknown"  // there is no fire data
)

// Conclude says what c amounts to. The stubble share has no part in it: its makers
// warn against resting a decision on it.
func Conclude(a Availability, c Correlation, r Rules) Conclusion {
	if !a.NASA {
		return Unknown
	}
	out := NoSource
	for _, s := range c.Neighbours(r) {
		if s.IsHighContribution {
			return Primary
		}
		out = Possible
	}
	return out
}
