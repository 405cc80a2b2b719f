package correlate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// A BorderStation is the newest state of a border station.
type BorderStation struct {
	Name      string  `json:"name"`
	Border    string  `json:"border,omitempty"`
	geo.Point         // where the reading was taken, else where the station is configured
	AQI       float64 `json:"aqi"`
	Basis     string  `json:"aqi_basis"`
	observe.Levels
	Sub        *observe.Levels `json:"sub_indices,omitempty"`
	Time       time.Time       `json:"timestamp"`
	IsSurge    bool            `json:"is_surge"`
	ReportedAs string          `json:"reported_as,omitempty"` // the feed's own name of the station
}

// A Surge is one unbroken run of readings above the threshold at one border station,
// stood for by the worst of them.
type Surge struct {
	BorderStation
	From time.Time `json:"run_from"` // first reading of the run
	To   time.Time `json:"run_to"`   // last reading of the run
}

// Subject names the surge as the subject of a case.
func (s Surge) Subject() string {
	return "station/" + s.Name + "/" + s.Time.UTC().Format("2006-01-02T15:04Z")
}

// A Watch is what the border stations showed.
type Watch struct {
	Stations []BorderStation   `json:"stations"` // the newest reading of each that has one
	Surges   []Surge           `json:"surges"`
	Series   [][]BorderStation `json:"-"`     // every reading of each of Stations, oldest first
	Notes    []string          `json:"notes"` // readings set aside, and why
}

// FindSurges looks for surges at the border stations among readings taken up to now.
// A reading belongs to a station that bears its name and stands where it was taken;
// names alone repeat across cities.
func FindSurges(readings []observe.Reading, stations []Station, now time.Time, r Rules) Watch {
	var w Watch
	for _, st := range stations {
		series, notes := seriesOf(readings, st, now, r)
		w.Notes = append(w.Notes, notes...)
		if len(series) == 0 {
			w.Notes = append(w.Notes, fmt.Sprintf("%s has no usable reading.", st.Name))
			continue
		}
		w.Stations = append(w.Stations, series[len(series)-1])
		w.Series = append(w.Series, series)
		for _, run := range runs(series, r) {
			last := run[len(run)-1]
			if now.Sub(last.Time) > r.MaxAge {
				w.Notes = append(w.Notes, fmt.Sprintf("%s was above the threshold until %s, which is too long ago to report.", st.Name, last.Time.Format(time.RFC3339)))
				continue
			}
			worst := slices.MaxFunc(run, func(a, b BorderStation) int { return cmp.Compare(a.AQI, b.AQI) })
			w.Surges = append(w.Surges, Surge{worst, run[0].Time, last.Time})
		}
	}
	return w
}

// Distinct returns the surges without those that are the same as a worse one among
// them: a station that comes down for less than an hour is in one surge.
func Distinct(surges []Surge, r Rules) []Surge {
	worst := slices.Clone(surges)
	slices.SortStableFunc(worst, func(a, b Surge) int { return cmp.Compare(b.AQI, a.AQI) })
	var kept []Surge
	for _, s := range worst {
		if !slices.ContainsFunc(kept, func(k Surge) bool { return s.Name == k.Name && s.Time.Sub(k.Time).Abs() <= r.SameSurge }) {
			kept = append(kept, s)
		}
	}
	return slices.DeleteFunc(slices.Clone(surges), func(s Surge) bool {
		return !slices.ContainsFunc(kept, func(k Surge) bool { return s.Name == k.Name && s.Time.Equal(k.Time) })
	})
}

// Belongs reports whether a reading bears the name of a station and was taken near it.
func Belongs(rd observe.Reading, st Station, r Rules) bool {
	return sameName(rd.Station, st.Name) && !elsewhere(rd, r) && (rd.Point == nil || geo.Km(*rd.Point, st.Point) <= r.MatchKm)
}

// elsewhere reports whether a reading without a place says that it is from another
// state than the border stations are in.
func elsewhere(rd observe.Reading, r Rules) bool {
	return !r.First && rd.Point == nil && rd.State != "" && r.HomeState != "" && observe.StateKey(rd.State) != observe.StateKey(r.HomeState)
}

// seriesOf returns the readings of one station, oldest first, one per moment.
func seriesOf(readings []observe.Reading, st Station, now time.Time, r Rules) ([]BorderStation, []string) {
	var out []BorderStation
	var notes []string
	for _, rd := range readings {
		if !sameName(rd.Station, st.Name) {
			continue
		}
		b := BorderStation{
			Name: st.Name, Border: st.Border, Point: st.Point, Levels: rd.Levels, Sub: rd.Sub,
			Basis: rd.Basis, Time: rd.Time, ReportedAs: rd.Station,
		}
		if rd.Point != nil {
			b.Point = *rd.Point
		}
		switch away := geo.Km(b.Point, st.Point); {
		case away > r.MatchKm:
			notes = append(notes, fmt.Sprintf("%q is %.0f km from the border station %s and taken for another one.", rd.Station, away, st.Name))
		case elsewhere(rd, r):
			notes = append(notes, fmt.Sprintf("%q is in %s and gives no place; it is taken for another station than %s.", rd.Station, rd.State, st.Name))
		case rd.AQI == nil:
			notes = append(notes, fmt.Sprintf("%s has no index at %s and too few pollutants to compute one.", st.Name, rd.Time.Format(time.RFC3339)))
		case rd.Time.After(now.Add(time.Hour)):
			notes = append(notes, fmt.Sprintf("%s has a reading from the future (%s), which is left out.", st.Name, rd.Time.Format(time.RFC3339)))
		default:
			b.AQI, b.IsSurge = *rd.AQI, *rd.AQI > r.SurgeAQI
			out = append(out, b)
		}
	}
	// Two monitors of one name at one moment: the nearer one speaks for the station.
	slices.SortStableFunc(out, func(a, b BorderStation) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(geo.Km(a.Point, st.Point), geo.Km(b.Point, st.Point)))
	})
	return slices.CompactFunc(out, func(a, b BorderStation) bool { return a.Time.Equal(b.Time) }), notes
}

// sameName reports whether a feed's name ("Dwarka-Sector 8, Delhi - DPCC") is that of
// the border station ("Dwarka").
func sameName(feed, station string) bool {
	name, _, _ := strings.Cut(feed, ",")
	a, b := nameWords(name), nameWords(station)
	return len(a) >= len(b) && slices.Equal(a[:len(b)], b)
}

func nameWords(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	if len(words) > 1 && words[0] == "delhi" {
		words = words[1:] // "Delhi-Anand Vihar"
	}
	return words
}

// runs splits a series into its unbroken runs above the threshold.
func runs(series []BorderStation, r Rules) [][]BorderStation {
	var out [][]BorderStation
	start := -1
	for i, b := range series {
		if start >= 0 && (!b.IsSurge || b.Time.Sub(series[i-1].Time) > r.RunGap) {
			out = append(out, series[start:i])
			start = -1
		}
		if b.IsSurge && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, series[start:])
	}
	return out
}

// A Sample is one index that a station had.
type Sample struct {
	Time time.Time `json:"timestamp"`
	AQI  float64   `json:"aqi"`
}

// A Reported is a surge that a report was made of.
type Reported struct {
	ReportID string    `json:"report_id"`
	Station  string    `json:"station"`
	Time     time.Time `json:"timestamp"` // of the surge
	From     time.Time `json:"run_from"`
	To       time.Time `json:"run_to"`
}

// SameSurge reports whether s was reported already as old: it is at the same station
// and within an hour of it, or the station never came down to the threshold between
// the two. known are the station's readings that the product has stored, in any order.
func SameSurge(s Surge, old Reported, known []Sample, r Rules) bool {
	if s.Name != old.Station {
		return false
	}
	if s.Time.Sub(old.Time).Abs() <= r.SameSurge {
		return true
	}
	if !s.From.After(old.To) && !old.From.After(s.To) {
		return true // the runs overlap
	}
	from, to := old.To, s.From
	if s.To.Before(old.From) {
		from, to = s.To, old.From
	}
	at := []time.Time{from, to}
	for _, k := range known {
		if k.Time.Before(from) || k.Time.After(to) {
			continue
		}
		if k.AQI <= r.SurgeAQI {
			return false
		}
		at = append(at, k.Time)
	}
	slices.SortFunc(at, time.Time.Compare)
	for i := 1; i < len(at); i++ {
		if at[i].Sub(at[i-1]) > r.RunGap {
			return false
		}
	}
	return true
}
