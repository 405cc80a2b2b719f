package correlate

import (
	"fmt"
	"math"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// The verdicts on whether the wind could have brought the smoke.
const (
	Supports    = "supports"
	Contradicts = "contradicts"
	Undecided   = "unclear"
	NoWind      = "not_assessable"
)

// A Transport says whether the fires were upwind of the station in the hours before
// the surge. It stands beside the confidence and never changes it.
type Transport struct {
	Verdict  string      `json:"verdict"`
	Reason   string      `json:"reason"`
	Hours    int         `json:"hours"`          // hours of wind it rests on
	From     float64     `json:"from_degrees"`   // mean direction the air came from
	Speed    float64     `json:"mean_kmh"`       // of the mean wind
	Upwind   int         `json:"upwind_fires"`   // fires in the upwind sector
	Corridor int         `json:"path_fires"`     // fires close to the path of the air
	Fires    int         `json:"fires"`          // all correlated fires
	Share    float64     `json:"upwind_share"`   // Upwind of Fires
	ByState  []StateWind `json:"by_state"`       // in the order of the correlation
	Path     []geo.Point `json:"path"`           // where the air was, hour by hour, from the station back
	Sector   float64     `json:"sector_degrees"` // half-width of the sector
}

// StateWind counts one state's fires that were upwind.
type StateWind struct {
	State  string  `json:"state"`
	Upwind int     `json:"upwind_fires"`
	Fires  int     `json:"fires"`
	Share  float64 `json:"upwind_share"`
}

// The corridor round the path of the air: its half-width is a quarter of the way
// gone, as trajectories drift apart by about that, and at least the resolution of the
// wind we are given.
const (
	corridorShare = 0.25
	corridorKm    = 25
)

// Follow judges the wind. Winds are hourly, of one or several places; the air is taken
// back from the station hour by hour with the nearest of them.
func Follow(s Surge, fires []observe.Fire, c Correlation, winds []observe.Wind, r Rules) Transport {
	t := Transport{Fires: len(c.Fires), Path: []geo.Point{s.Point}, ByState: []StateWind{}, Sector: r.SectorDegrees}
	var north, east float64
	at := s.Point
	for h := range r.TransportHours {
		w, ok := windAt(winds, at, s.Time.Add(-time.Duration(h)*time.Hour))
		if !ok {
			break
		}
		sin, cos := math.Sincos(w.From * math.Pi / 180)
		north, east = north+w.Speed*cos, east+w.Speed*sin
		at = geo.Travel(at, w.From, w.Speed)
		t.Path = append(t.Path, at)
		t.Hours++
	}
	if t.Hours*2 < r.TransportHours {
		t.Verdict = NoWind
		t.Reason = fmt.Sprintf("There are %d hours of wind before the surge; at least %d are needed.", t.Hours, (r.TransportHours+1)/2)
		return t
	}
	t.From = round1(geo.Heading(math.Atan2(east, north) * 180 / math.Pi))
	t.Speed = round1(math.Hypot(north, east) / float64(t.Hours))
	t.count(s, fires, c, r)
	t.judge(r)
	return t
}

// windAt returns the wind nearest to p among those within 90 minutes of at.
func windAt(winds []observe.Wind, p geo.Point, at time.Time) (observe.Wind, bool) {
	best, bestKm, bestGap := -1, math.Inf(1), time.Duration(0)
	for i := range winds {
		gap := winds[i].Time.Sub(at).Abs()
		if gap > 90*time.Minute {
			continue
		}
		km := geo.Km(winds[i].Point, p)
		if best < 0 || km < bestKm-1 || km < bestKm+1 && gap < bestGap {
			best, bestKm, bestGap = i, km, gap
		}
	}
	if best < 0 {
		return observe.Wind{}, false
	}
	return winds[best], true
}

func (t *Transport) count(s Surge, fires []observe.Fire, c Correlation, r Rules) {
	byState := map[string]*StateWind{}
	for _, i := range c.Fires {
		f := &fires[i]
		sw := byState[observe.StateKey(f.State)]
		if sw == nil {
			sw = &StateWind{}
			byState[observe.StateKey(f.State)] = sw
		}
		sw.Fires++
		if geo.Apart(geo.Bearing(s.Point, f.Point), t.From) <= r.SectorDegrees {
			t.Upwind++
			sw.Upwind++
		}
		if t.onPath(f.Point) {
			t.Corridor++
		}
	}
	if t.Fires > 0 {
		t.Share = math.Round(float64(t.Upwind)/float64(t.Fires)*1000) / 1000
	}
	for _, st := range c.States {
		sw := byState[observe.StateKey(st.State)]
		sw.State = st.State
		sw.Share = math.Round(float64(sw.Upwind)/float64(sw.Fires)*1000) / 1000
		t.ByState = append(t.ByState, *sw)
	}
}

func (t *Transport) onPath(p geo.Point) bool {
	gone := 0.0
	for i, at := range t.Path {
		if i > 0 {
			gone += geo.Km(t.Path[i-1], at)
		}
		if geo.Km(at, p) <= max(corridorKm, corridorShare*gone) {
			return true
		}
	}
	return false
}

func (t *Transport) judge(r Rules) {
	came := fmt.Sprintf("In the %d hours before the surge the air came from %s (%.0f degrees) at %.1f km/h on average", t.Hours, Compass(t.From), t.From, t.Speed)
	part := fmt.Sprintf("%d of %d correlated fires (%.1f percent) lay upwind", t.Upwind, t.Fires, t.Share*100)
	switch {
	case t.Fires == 0:
		t.Verdict, t.Reason = NoWind, came+"; there are no fires to compare with."
	case t.Speed < r.CalmKmh:
		t.Verdict, t.Reason = Undecided, came+", which is nearly calm: smoke can have come from any side."
	case t.Share >= r.SupportShare:
		t.Verdict, t.Reason = Supports, came+"; "+part+", which supports the correlation."
	case t.Share < r.ContraryShare:
		t.Verdict, t.Reason = Contradicts, came+"; "+part+", which contradicts the correlation."
	default:
		t.Verdict, t.Reason = Undecided, came+"; "+part+", which decides nothing."
	}
}

var compass = [16]string{
	"north", "north-north-east", "north-east", "east-north-east", "east", "east-south-east", "south-east", "south-south-east",
	"south", "south-south-west", "south-west", "west-south-west", "west", "west-north-west", "north-west", "north-north-west",
}

// Compass names a heading.
func Compass(degrees float64) string {
	return compass[int(math.Round(geo.Heading(degrees)/22.5))%16]
}
