package observe

import (
	"strconv"
	"strings"
	"time"

	"dossier/internal/geo"
)

// A Fire is one active-fire pixel that a satellite saw.
type Fire struct {
	geo.Point
	Brightness float64 `json:"brightness"`                 // kelvin
	Confidence int     `json:"confidence"`                 // 0 to 100
	Class      string  `json:"confidence_class,omitempty"` // "low", "nominal" or "high" where the feed gives classes
	AcqDate    string  `json:"acq_date"`                   // YYYY-MM-DD, UTC; "": undated
	AcqTime    string  `json:"acq_time,omitempty"`         // HHMM, UTC; "": only the day is known
	State      string  `json:"state"`                      // "": not attributed
	District   string  `json:"district"`
	FRP        float64 `json:"frp,omitempty"` // fire radiative power, MW
	Satellite  string  `json:"satellite,omitempty"`
}

// Span returns the first and the last moment at which the fire may have been seen:
// the same one where the time is known, the first and the last minute of the day where
// only the day is, and false where not even that is.
func (f Fire) Span() (first, last time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, f.AcqDate)
	if err != nil {
		return time.Time{}, time.Time{}, false
	}
	if minutes, ok := clock(f.AcqTime); ok {
		at := day.Add(time.Duration(minutes) * time.Minute)
		return at, at, true
	}
	return day, day.Add(24*time.Hour - time.Minute), true
}

// ClockText turns a time of day as FIRMS writes it into HHMM: padded in one product
// ("0843"), unpadded in another ("843"), with a colon in a third. It is false for
// what is no time of day.
func ClockText(s string) (string, bool) {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ".0"))
	if h, m, ok := strings.Cut(s, ":"); ok {
		m, _, _ = strings.Cut(m, ":")
		if len(m) != 2 || len(h) == 0 {
			return "", false
		}
		s = h + m
	}
	if len(s) == 0 || len(s) > 4 {
		return "", false
	}
	s = strings.Repeat("0", 4-len(s)) + s
	if _, ok := clock(s); !ok {
		return "", false
	}
	return s, true
}

// clock returns the minutes since midnight that HHMM stands for.
func clock(hhmm string) (int, bool) {
	if len(hhmm) != 4 {
		return 0, false
	}
	for i := range 4 {
		if hhmm[i] < '0' || hhmm[i] > '9' {
			return 0, false
		}
	}
	h, _ := strconv.Atoi(hhmm[:2])
	m, _ := strconv.Atoi(hhmm[2:])
	return h*60 + m, h < 24 && m < 60
}

// The middles of the three bands in which the MODIS product sorts its percentages,
// used for the satellites that name the band alone.
var classConfidence = map[string]struct {
	class      string
	confidence int
}{
	"l": {"low", 15}, "low": {"low", 15},
	"n": {"nominal", 55}, "nominal": {"nominal", 55},
	"h": {"high", 90}, "high": {"high", 90},
}

// ConfidenceOf reads a fire's confidence in any of the feeds' spellings: a percentage
// (MODIS), or l, n, h, low, nominal, high (VIIRS), for which it gives the middle of
// the band. It is false for anything else.
func ConfidenceOf(s string) (percent int, class string, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if c, ok := classConfidence[s]; ok {
		return c.confidence, c.class, true
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return 0, "", false
	}
	return int(v), "", true
}

// A Share is the part of a day's pollution that the Decision Support System ascribes
// to stubble burning.
type Share struct {
	Percent float64   `json:"stubble_burning_percent"`
	Time    time.Time `json:"timestamp"`
}

// A Wind is the wind at one place and hour.
type Wind struct {
	geo.Point
	Time  time.Time `json:"timestamp"`
	From  float64   `json:"from_degrees"` // where it blows from, clockwise from north
	Speed float64   `json:"speed_kmh"`
}

// stateAliases are other names of the states of the region.
var stateAliases = map[string]string{
	"up": "uttar pradesh", "hr": "haryana", "pb": "punjab", "rj": "rajasthan", "dl": "delhi",
	"nct of delhi": "delhi", "delhi nct": "delhi", "new delhi": "delhi", "nct": "delhi",
}

// StateKey returns the form of a state's name under which all its spellings are one.
func StateKey(name string) string {
	k := strings.ToLower(tidy(strings.ReplaceAll(name, ".", "")))
	if full, ok := stateAliases[k]; ok {
		return full
	}
	return k
}
