// Package sample makes data that looks like a day in November: readings of the border
// stations, fires in three states, a stubble share and the wind of the days before.
//
// The demonstration loads it and the tests build on it. It is made, not measured: the
// places are real, the figures are drawn from a fixed seed, and the same [Day] gives
// the same snapshot to the byte.
package sample

import (
	"math"
	"math/rand/v2"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// A Day says what the day is like.
type Day struct {
	At      time.Time          // of the snapshot; the readings are of the full hours before
	AQI     map[string]float64 // newest index of each station
	Fires   map[string]int     // fires by state, over the two days before; nil: the feed is missing
	Share   float64            // stubble share in percent; negative: the feed is missing
	From    float64            // where the wind blows from; negative: no wind
	History int                // hours of readings and days of fires before
	Seed    uint64
}

// November is a day on which Alipur is in a surge with the wind from the fires.
func November(at time.Time) Day {
	return Day{
		At:    at,
		AQI:   map[string]float64{"Alipur": 450, "Anand Vihar": 350, "Dwarka": 200, "Rohini": 290},
		Fires: map[string]int{"Haryana": 450, "Punjab": 130, "Uttar Pradesh": 40},
		Share: 22.5, From: 312, History: 7 * 24, Seed: 14,
	}
}

// RealDay is as large as a bad day of the season is in the published files: 9,400 fires
// of a week and 40 stations, two of them in a surge.
func RealDay(at time.Time) observe.Snapshot {
	d := November(at)
	d.Fires = map[string]int{"Haryana": 2000, "Punjab": 3500, "Uttar Pradesh": 600}
	s := d.Snapshot()
	for i := range 36 {
		for _, r := range s.Readings[:4] {
			r.Station = "Elsewhere " + string(rune('A'+i))
			s.Readings = append(s.Readings, r)
		}
	}
	return s
}

var stations = []struct {
	name string
	at   geo.Point
}{
	{"Alipur", geo.Point{Lat: 28.8, Lon: 77.1}}, {"Anand Vihar", geo.Point{Lat: 28.65, Lon: 77.32}},
	{"Dwarka", geo.Point{Lat: 28.59, Lon: 77.05}}, {"Rohini", geo.Point{Lat: 28.74, Lon: 77.12}},
}

type district struct {
	name  string
	at    geo.Point
	share int // of its state's fires, in tenths
}

var districts = map[string][]district{
	"Haryana":       {{"Jind", geo.Point{Lat: 29.32, Lon: 76.31}, 4}, {"Kaithal", geo.Point{Lat: 29.70, Lon: 76.45}, 3}, {"Karnal", geo.Point{Lat: 29.66, Lon: 76.90}, 2}, {"Sonipat", geo.Point{Lat: 29.05, Lon: 76.95}, 1}},
	"Punjab":        {{"Patiala", geo.Point{Lat: 30.10, Lon: 76.35}, 7}, {"Sangrur", geo.Point{Lat: 29.95, Lon: 76.05}, 3}},
	"Uttar Pradesh": {{"Muzaffarnagar", geo.Point{Lat: 29.45, Lon: 77.65}, 5}, {"Meerut", geo.Point{Lat: 28.98, Lon: 77.70}, 5}},
}

// The states in the order in which their fires are written.
var states = []string{"Haryana", "Punjab", "Uttar Pradesh"}

// The times of day at which the satellites pass, UTC.
var passes = []string{"0742", "0833", "2017", "2106"}

// Snapshot makes the day's snapshot.
func (d Day) Snapshot() observe.Snapshot {
	rnd := rand.New(rand.NewPCG(d.Seed, 77))
	hour := d.At.UTC().Truncate(time.Hour)
	s := observe.Snapshot{Time: d.At.UTC(), Readings: d.readings(rnd, hour)}
	if d.Fires != nil {
		s.Fires = d.fires(rnd, hour)
	}
	if d.Share >= 0 {
		s.Share = &observe.Share{Percent: d.Share, Time: hour.Add(-2 * time.Hour)}
	}
	if d.From >= 0 {
		for h := range 48 {
			for _, p := range []geo.Point{{Lat: 28.5665, Lon: 77.1031}, {Lat: 29.1794, Lon: 75.7553}} {
				s.Winds = append(s.Winds, observe.Wind{
					Point: p, Time: hour.Add(-time.Duration(h) * time.Hour),
					From: geo.Heading(d.From + rnd.Float64()*30 - 15), Speed: math.Round((6+rnd.Float64()*6)*10) / 10,
				})
			}
		}
	}
	return s
}

// readings climb over the days before to the newest index of each station.
func (d Day) readings(rnd *rand.Rand, hour time.Time) []observe.Reading {
	var out []observe.Reading
	for h := d.History - d.History%3; h >= 0; h -= 3 {
		for _, st := range stations {
			newest, ok := d.AQI[st.name]
			if !ok {
				continue
			}
			aqi := newest
			if h > 0 {
				// Well below the threshold until the last hours, with a daily swing.
				aqi = math.Round(min(newest, 285) * (0.55 + 0.35*math.Exp(-float64(h)/40) + 0.08*math.Sin(float64(h)/24*2*math.Pi) + 0.02*rnd.Float64()))
			}
			at := st.at
			r := observe.Reading{Station: st.name, AQI: &aqi, Basis: observe.Given, Time: hour.Add(-time.Duration(h) * time.Hour), Point: &at}
			if st.name == "Alipur" && h == 0 && aqi == 450 {
				r.Set(observe.PM25, 350.5)
				r.Set(observe.PM10, 420.2)
			} else {
				r.Set(observe.PM25, math.Round(aqi*0.75*10)/10)
				r.Set(observe.PM10, math.Round(aqi*1.05*10)/10)
			}
			r.Set(observe.NO2, math.Round((40+aqi*0.12)*10)/10)
			r.Set(observe.SO2, math.Round((8+rnd.Float64()*6)*10)/10)
			out = append(out, r)
		}
	}
	return out
}

func (d Day) fires(rnd *rand.Rand, hour time.Time) []observe.Fire {
	out := []observe.Fire{}
	for _, state := range states {
		n := d.Fires[state]
		for i := range n {
			out = append(out, fire(rnd, state, i, hour, 0))
		}
		// Fewer each day before the window, so that the chart shows the rise.
		for day := 3; day*24 <= d.History; day++ {
			for i := range n / (2 * day) {
				out = append(out, fire(rnd, state, i, hour, day))
			}
		}
	}
	return out
}

// fire makes one fire: within the 48 hours before the hour, or on an earlier day.
func fire(rnd *rand.Rand, state string, i int, hour time.Time, daysBack int) observe.Fire {
	at := districts[state][0]
	tenth := i % 10
	for _, c := range districts[state] {
		if tenth < c.share {
			at = c
			break
		}
		tenth -= c.share
	}
	pass := passes[rnd.IntN(len(passes))]
	back := daysBack
	if daysBack == 0 {
		back = 1 // yesterday is in the window whatever the hour
	}
	day := hour.AddDate(0, 0, -back)
	confidence := 40 + rnd.IntN(60)
	return observe.Fire{
		Point:      geo.Point{Lat: round5(at.at.Lat + rnd.NormFloat64()*0.08), Lon: round5(at.at.Lon + rnd.NormFloat64()*0.08)},
		Brightness: math.Round((305+rnd.Float64()*50)*100) / 100, Confidence: confidence, AcqDate: day.Format(time.DateOnly), AcqTime: pass,
		State: state, District: at.name, FRP: math.Round(rnd.Float64()*200) / 10, Satellite: "N",
	}
}

func round5(f float64) float64 { return math.Round(f*1e5) / 1e5 }
