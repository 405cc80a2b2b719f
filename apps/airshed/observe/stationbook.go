package observe

import (
	"encoding/json"
	"strings"
	"time"

	"dossier/internal/geo"
)

// A stationBook gathers readings and joins the rows of feeds that write one row per
// station and pollutant.
type stationBook struct {
	d        *decoder
	readings []Reading
	at       map[bookKey]int // index of the reading that such rows belong to
}

type bookKey struct {
	station, city string
	time          time.Time
}

// maxAQI is the highest figure that any index gives. The national one ends at 500, and
// feeds that carry theirs on beyond it stop here.
const maxAQI = 999

func newStationBook(d *decoder) *stationBook {
	return &stationBook{d: d, at: map[bookKey]int{}}
}

func (b *stationBook) add(where place, r stationRecord) {
	name := tidy(first(r.Station, r.StationName).text)
	if name == "" {
		b.d.problem(where.in("station"), "The record names no station.")
		return
	}
	when := first(r.Timestamp, r.LastUpdate, r.Date)
	at, ok := ParseTime(when.text)
	if !ok {
		b.d.problem(where.in("timestamp"), "%q is not a time.", clip(when.text))
		return
	}
	if !r.Pollutant.missing() {
		b.addRow(where, name, at, r)
		return
	}
	reading := Reading{Station: name, City: tidy(r.City.text), State: tidy(r.State.text), Time: at}
	reading.Point = b.point(where, r)
	if aqi, ok := b.d.amount(where.in("aqi"), r.AQI); ok && aqi > maxAQI {
		b.d.problem(where.in("aqi"), "%v is beyond every scale of an index; it is left out.", aqi)
	} else if ok {
		reading.AQI, reading.Basis = &aqi, Given
		if r.Basis.text == Computed {
			reading.Basis = Computed
		}
	}
	for _, p := range Pollutants {
		if c, ok := b.d.amount(where.in(string(p)), r.pollutant(p)); ok {
			reading.Set(p, c)
		}
	}
	if r.Sub != nil {
		var sub Levels
		if json.Unmarshal(r.Sub, &sub) == nil && !sub.Empty() {
			reading.Sub = &sub
		}
	}
	if reading.AQI == nil && reading.Empty() && reading.Sub == nil {
		b.d.problem(where, "The record of %s holds neither an index nor a pollutant.", clip(name))
		return
	}
	b.readings = append(b.readings, reading)
}

// addRow joins one row of the government's feed, whose average is a sub-index, to its
// station's reading.
func (b *stationBook) addRow(where place, name string, at time.Time, r stationRecord) {
	pollutant, ok := PollutantNamed(r.Pollutant.text)
	if !ok {
		b.d.problem(where.in("pollutant_id"), "%q is not a pollutant of the index.", clip(r.Pollutant.text))
		return
	}
	key := bookKey{strings.ToLower(name), strings.ToLower(tidy(r.City.text)), at}
	i, seen := b.at[key]
	if !seen {
		i = len(b.readings)
		b.at[key] = i
		b.readings = append(b.readings, Reading{
			Station: name, City: tidy(r.City.text), State: tidy(r.State.text), Time: at,
			Point: b.point(where, r), Sub: &Levels{},
		})
	}
	average := first(r.PollutantAvg, r.AvgValue)
	if average.missing() && !average.odd {
		b.d.blank++
		return
	}
	if v, ok := b.d.amount(where.in("pollutant_avg"), average); ok {
		if v > 500 {
			b.d.problem(where.in("pollutant_avg"), "A sub-index ends at 500; %v is left out.", v)
			return
		}
		b.readings[i].Sub.Set(pollutant, v)
	}
}

// point reads where a station stands; a record may leave it out.
func (b *stationBook) point(where place, r stationRecord) *geo.Point {
	lat, lon := first(r.Lat, r.ShortLat), first(r.Lon, r.ShortLon)
	if lat.missing() && lon.missing() && !lat.odd && !lon.odd {
		return nil
	}
	if p, ok := b.d.point(where, lat, lon); ok {
		return &p
	}
	return nil
}
