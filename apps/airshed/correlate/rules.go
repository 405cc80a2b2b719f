// Package correlate decides, by rule alone, what the facts of a snapshot amount to:
// which border stations are in a surge, which fires lie close enough in place and time
// to matter, how sure that makes us, and which single fact the whole conclusion hangs on.
//
// Every function here is pure. It takes facts and [Rules] (the figures that an operator
// may set), and returns results that anyone can compute again from the same facts; the
// case's evidence is kept so that `dossier verify` does. Wind and history are told
// beside the confidence and never change it: the formula is fixed by the design.
package correlate

import (
	"time"

	"dossier"
	"dossier/internal/geo"
)

// Rules are the figures by which surges, fires and confidence are judged.
type Rules struct {
	SurgeAQI      float64       `json:"surge_aqi_threshold"` // an index above it is a surge
	RadiusKm      float64       `json:"fire_correlation_radius_km"`
	Window        time.Duration `json:"correlation_window_ns"` // fires up to so long before the surge count
	HighFires     int           `json:"high_contribution_fire_count"`
	MinConfidence float64       `json:"min_confidence_score"`
	NASAMissing   float64       `json:"nasa_data_missing_penalty"`
	DSSMissing    float64       `json:"dss_data_missing_penalty"`
	LowFires      float64       `json:"low_fire_count_penalty"`
	LowFireCount  int           `json:"low_fire_count"` // fewer fires cost LowFires
	FarFires      float64       `json:"high_distance_penalty"`
	FarKm         float64       `json:"high_distance_km"` // a mean beyond it costs FarFires

	SameSurge time.Duration `json:"same_surge_ns"`    // readings so close to a reported one are the same surge
	RunGap    time.Duration `json:"run_gap_ns"`       // a longer silence ends an unbroken run
	MatchKm   float64       `json:"station_match_km"` // a reading farther from its border station is another station's
	MaxAge    time.Duration `json:"max_reading_age_ns"`
	HomeState string        `json:"home_state"` // fires in it are no neighbour's

	TransportHours int     `json:"transport_hours"` // how far back the air is followed
	SectorDegrees  float64 `json:"sector_degrees"`  // half-width of the upwind sector
	SupportShare   float64 `json:"support_share"`   // at least this share upwind supports
	ContraryShare  float64 `json:"contrary_share"`  // less than this share upwind contradicts
	CalmKmh        float64 `json:"calm_kmh"`        // below it the wind has no direction to speak of
	HistoryDays    int     `json:"history_days"`    // so many days either side count as the same weeks

	// First judges as the first version of the rules did: a fire of which only the day
	// is known reaches into the next, and a reading without a place belongs to the
	// station of its name whatever state it is from. What was found that way is worked
	// out again that way. It is no setting.
	First bool `json:"-"`
}

// Defaults are the figures of the design, and ours for what it leaves open.
func Defaults() Rules {
	return Rules{
		SurgeAQI: 300, RadiusKm: 200, Window: 48 * time.Hour, HighFires: 100,
		MinConfidence: 30, NASAMissing: 40, DSSMissing: 20,
		LowFires: 10, LowFireCount: 50, FarFires: 10, FarKm: 150,
		SameSurge: time.Hour, RunGap: 12 * time.Hour, MatchKm: 15, MaxAge: 24 * time.Hour, HomeState: "Delhi",
		TransportHours: 24, SectorDegrees: 45, SupportShare: 0.5, ContraryShare: 0.25, CalmKmh: 3,
		HistoryDays: 14,
	}
}

// Validate reports the first figure that cannot be meant.
func (r Rules) Validate() error {
	for _, c := range []struct {
		ok       bool
		sentence string
	}{
		{r.SurgeAQI >= 0 && r.SurgeAQI <= 500, "The surge threshold must be an index from 0 to 500."},
		{r.RadiusKm > 0 && r.RadiusKm <= 2000, "The correlation radius must be above 0 and at most 2,000 km."},
		{r.Window > 0 && r.Window <= 30*24*time.Hour, "The correlation window must be above 0 and at most 30 days."},
		{r.HighFires >= 0 && r.LowFireCount >= 0, "Fire counts cannot be negative."},
		{r.MinConfidence >= 0 && r.MinConfidence <= 100, "The least confidence must be from 0 to 100."},
		{upTo100(r.NASAMissing) && upTo100(r.DSSMissing) && upTo100(r.LowFires) && upTo100(r.FarFires), "A penalty must be from 0 to 100: it is what the confidence loses."},
		{r.CalmKmh >= 0, "The speed below which the wind is calm cannot be negative."},
		{r.FarKm >= 0, "The distance beyond which fires count as far cannot be negative."},
		{r.SameSurge >= 0 && r.RunGap >= 0 && r.MaxAge > 0, "The times that tell surges apart cannot be negative, and readings need an age limit."},
		{r.MatchKm > 0, "The distance within which a reading belongs to a station must be above 0."},
		{r.TransportHours > 0 && r.TransportHours <= 240, "The air can be followed back 1 to 240 hours."},
		{r.SectorDegrees > 0 && r.SectorDegrees <= 180, "The upwind sector must be above 0 and at most 180 degrees to either side."},
		{r.ContraryShare >= 0 && r.ContraryShare <= r.SupportShare && r.SupportShare <= 1, "The shares must satisfy 0 ≤ contrary ≤ support ≤ 1."},
		{r.HistoryDays >= 0 && r.HistoryDays <= 180, "The same weeks reach at most 180 days to either side."},
	} {
		if !c.ok {
			return dossier.Errorf(dossier.Invalid, "%s", c.sentence)
		}
	}
	return nil
}

func upTo100(points float64) bool { return points >= 0 && points <= 100 }

// A Station is a border station to watch.
type Station struct {
	Name string `json:"name" toml:"name"`
	geo.Point
	Border string `json:"border" toml:"border"` // the state across the border
}

// Stations are the four border stations of the design.
func Stations() []Station {
	return []Station{
		{"Alipur", geo.Point{Lat: 28.8, Lon: 77.1}, "Haryana"},
		{"Anand Vihar", geo.Point{Lat: 28.65, Lon: 77.32}, "UP"},
		{"Dwarka", geo.Point{Lat: 28.59, Lon: 77.05}, "Haryana"},
		{"Rohini", geo.Point{Lat: 28.74, Lon: 77.12}, "Haryana"},
	}
}
