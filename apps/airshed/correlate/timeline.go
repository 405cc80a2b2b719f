package correlate

import (
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// A Timeline sets a station's index beside the fires round it.
type Timeline struct {
	Index []Sample    `json:"aqi"`   // oldest first
	Fires []FireCount `json:"fires"` // equal stretches, oldest first
}

// A FireCount is the number of fires in one stretch of a timeline.
type FireCount struct {
	From  time.Time `json:"from"`
	Count int       `json:"count"`
}

// Trace draws the timeline of the days before a surge: the readings of its station and
// the fires within the radius, in stretches of step. A fire of which only the day is
// known counts at noon.
func Trace(s Surge, series []BorderStation, fires []observe.Fire, days int, step time.Duration, r Rules) Timeline {
	end := s.Time.Truncate(step).Add(step)
	start := end.Add(-time.Duration(days) * 24 * time.Hour)
	t := Timeline{Index: []Sample{}, Fires: []FireCount{}}
	for at := start; at.Before(end); at = at.Add(step) {
		t.Fires = append(t.Fires, FireCount{From: at})
	}
	for _, b := range series {
		if !b.Time.Before(start) && b.Time.Before(end) {
			t.Index = append(t.Index, Sample{b.Time, b.AQI})
		}
	}
	for i := range fires {
		at, ok := midpoint(&fires[i])
		if !ok || at.Before(start) || !at.Before(end) || geo.Km(fires[i].Point, s.Point) > r.RadiusKm {
			continue
		}
		t.Fires[at.Sub(start)/step].Count++
	}
	return t
}

// FiresBefore counts for each reading of a series the fires within the radius during
// the 24 hours before it.
func FiresBefore(series []BorderStation, fires []observe.Fire, r Rules) []int {
	r.Window = 24 * time.Hour
	surges := make([]Surge, len(series))
	for i, b := range series {
		surges[i] = Surge{BorderStation: b}
	}
	out := make([]int, len(series))
	for i, c := range Correlate(fires, surges, r) {
		out[i] = c.FireCount
	}
	return out
}

func midpoint(f *observe.Fire) (time.Time, bool) {
	first, last := spanMinutes(f, minutesPerDay)
	if first == undated {
		return time.Time{}, false
	}
	return time.Unix((int64(first)+int64(last))/2*60, 0).UTC(), true
}
