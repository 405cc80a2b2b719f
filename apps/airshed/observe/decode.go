package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/internal/geo"
)

// maxProblems bounds how many problems are told one by one; the rest are counted.
const maxProblems = 200

// A decoder gathers a snapshot and what was wrong with its source.
type decoder struct {
	snap        Snapshot
	problems    []Problem
	untold      int
	fireRecords int               // read, usable or not
	blank       int               // rows of one pollutant without a figure
	names       map[string]string // the texts that fires repeat, each kept once
}

func (d *decoder) problem(at place, format string, args ...any) {
	if len(d.problems) >= maxProblems {
		d.untold++
		return
	}
	d.problems = append(d.problems, problemf(at.String(), format, args...))
}

// tell puts a problem of a whole feed before those of its records.
func (d *decoder) tell(at place, format string, args ...any) {
	d.problems = slices.Insert(d.problems, 0, problemf(at.String(), format, args...))
}

// once returns s, of which one copy is kept however often it comes.
func (d *decoder) once(s string) string {
	if s == "" {
		return ""
	}
	if kept, ok := d.names[s]; ok {
		return kept
	}
	if d.names == nil {
		d.names = map[string]string{}
	}
	d.names[s] = s
	return s
}

// Decode reads a snapshot. A record or field that cannot be used is left out and
// becomes a Problem; the error is for a snapshot that cannot be used at all.
func Decode(data []byte) (Snapshot, []Problem, error) {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf"))
	if len(data) == 0 {
		return Snapshot{}, nil, dossier.Errorf(dossier.Invalid, "The sensor data is empty. Run the ingest again.").Because(ErrNotJSON)
	}
	d := &decoder{}
	var err error
	if bytes.HasPrefix(data, []byte("[")) {
		err = d.flat(data)
	} else {
		err = d.object(data)
	}
	if d.untold > 0 {
		d.problems = append(d.problems, problemf("data", "%d more problems of the same kinds are not listed.", d.untold))
	}
	if err != nil {
		return Snapshot{}, d.problems, err
	}
	for i := range d.snap.Readings {
		d.snap.Readings[i].Fill()
	}
	return d.snap, d.problems, nil
}

// DecodeReadings reads a bare list of station records, in the snapshot's own shape or
// one row per station and pollutant, and computes the indices that can be. blank is how
// many rows name a pollutant and give no figure of it.
func DecodeReadings(list []byte) (readings []Reading, blank int, problems []Problem) {
	d := &decoder{}
	d.readings(list)
	for i := range d.snap.Readings {
		d.snap.Readings[i].Fill()
	}
	return d.snap.Readings, d.blank, d.problems
}

// object reads the shape with one member per feed.
func (d *decoder) object(data []byte) error {
	if err := json.Unmarshal(data, &struct{}{}); err != nil { // all of it is checked, nothing is kept
		return notJSON(data, err)
	}
	feeds := map[string][]byte{}
	members(data, func(name, value []byte) { feeds[strings.ToLower(string(name))] = value })
	at := valueOf(feeds["timestamp"])
	if feeds["cpcb_data"] == nil && feeds["nasa_data"] == nil && feeds["dss_data"] == nil {
		for _, list := range [][]byte{feeds["records"], feeds["data"]} {
			if bytes.HasPrefix(list, []byte("[")) {
				return d.flatAt(list, at)
			}
		}
	}
	d.readings(feeds["cpcb_data"])
	d.fires(feeds["nasa_data"])
	d.settleFires()
	d.share(feeds["dss_data"])
	d.winds(feeds["wind_data"])
	if inputs := feeds["inputs"]; inputs != nil && json.Unmarshal(inputs, &d.snap.Inputs) != nil {
		d.snap.Inputs = nil
		d.problem(the("inputs"), "The ingester's own log is not a list of inputs and is left out.")
	}
	return d.finish(at)
}

// finish checks what no snapshot can do without.
func (d *decoder) finish(at value) error {
	d.snap.Readings = slices.DeleteFunc(d.snap.Readings, func(r Reading) bool {
		bare := r.AQI == nil && r.Empty() && (r.Sub == nil || r.Sub.Empty())
		if bare {
			d.problem(the("cpcb_data"), "%s has no figure at %s.", clip(r.Station), r.Time.Format(time.RFC3339))
		}
		return bare
	})
	if len(d.snap.Readings) == 0 {
		return dossier.Errorf(dossier.Invalid, "The sensor data holds no usable cpcb_data, and without station readings no surge can be found.%s Run the ingest again with the CPCB file.", d.firstFault()).Because(ErrNoReadings)
	}
	if at.missing() {
		return dossier.Errorf(dossier.Invalid, "The sensor data has no timestamp, so nobody can say how fresh it is. Add one.").Because(ErrNoTime)
	}
	t, ok := ParseTime(at.text)
	if !ok || at.odd {
		return dossier.Errorf(dossier.Invalid, "The timestamp %q of the sensor data is not a time. Write it as 2025-11-14T08:30:00Z.", clip(at.text)).Because(ErrNoTime)
	}
	d.snap.Time = t
	return nil
}

// firstFault quotes what was wrong with the first reading, "" if none was there.
func (d *decoder) firstFault() string {
	if len(d.problems) == 0 {
		return ""
	}
	return " The first problem: " + d.problems[0].String()
}

// A stationRecord is a reading in the snapshot's own shape or in the shape of the
// government's feed, one row per station and pollutant.
type stationRecord struct {
	Station     value `json:"station"`
	StationName value `json:"station_name"`
	City        value `json:"city"`
	State       value `json:"state"`
	AQI         value `json:"aqi"`
	Basis       value `json:"aqi_basis"`
	Timestamp   value `json:"timestamp"`
	LastUpdate  value `json:"last_update"`
	Date        value `json:"date"`
	Lat         value `json:"latitude"`
	Lon         value `json:"longitude"`
	ShortLat    value `json:"lat"`
	ShortLon    value `json:"lon"`
	PM25        value `json:"pm25"`
	PM25Dot     value `json:"pm2.5"`
	PM25Bar     value `json:"pm2_5"`
	PM10        value `json:"pm10"`
	NO2         value `json:"no2"`
	SO2         value `json:"so2"`
	O3          value `json:"o3"`
	Ozone       value `json:"ozone"`
	CO          value `json:"co"`
	NH3         value `json:"nh3"`
	Pb          value `json:"pb"`

	Pollutant    value           `json:"pollutant_id"`
	PollutantAvg value           `json:"pollutant_avg"`
	AvgValue     value           `json:"avg_value"`
	Sub          json.RawMessage `json:"sub_indices"`
}

// pollutant returns the field that holds p's concentration, by any of its names.
func (r stationRecord) pollutant(p Pollutant) value {
	switch p {
	case PM25:
		return first(r.PM25, r.PM25Dot, r.PM25Bar)
	case PM10:
		return r.PM10
	case NO2:
		return r.NO2
	case SO2:
		return r.SO2
	case O3:
		return first(r.O3, r.Ozone)
	case CO:
		return r.CO
	case NH3:
		return r.NH3
	case Pb:
		return r.Pb
	}
	return value{}
}

func (d *decoder) readings(raw []byte) {
	b := newStationBook(d)
	if d.list("cpcb_data", raw, func(at place, one []byte) {
		var r stationRecord
		if json.Unmarshal(one, &r) != nil {
			d.problem(at, "This is not a station record.")
			return
		}
		b.add(at, r)
	}) {
		d.snap.Readings = b.readings
	}
}

// list calls f with each record of a feed; false if the feed is missing or no list.
func (d *decoder) list(name string, raw []byte, f func(place, []byte)) bool {
	if raw == nil || string(raw) == "null" {
		return false
	}
	if !elements(raw, func(n int, one []byte) { f(place{list: name, index: n}, one) }) {
		d.problem(the(name), "This should be a list of records; the feed counts as missing.")
		return false
	}
	return true
}

func (d *decoder) share(raw []byte) {
	if raw == nil || string(raw) == "null" || string(raw) == "{}" {
		return
	}
	var r struct {
		Percent   value `json:"stubble_burning_percent"`
		Timestamp value `json:"timestamp"`
		Date      value `json:"date"`
	}
	if json.Unmarshal(raw, &r) != nil {
		d.problem(the("dss_data"), "This should be an object with stubble_burning_percent; the feed counts as missing.")
		return
	}
	if r.Percent.missing() {
		d.problem(the("dss_data").in("stubble_burning_percent"), "There is no figure; the feed counts as missing.")
		return
	}
	d.percent(the("dss_data"), r.Percent, first(r.Timestamp, r.Date))
}

// noTime is how a share without a time is written.
const noTime = "0001-01-01T00:00:00Z"

// percent records the stubble share if it is one.
func (d *decoder) percent(where place, percent, at value) {
	p, ok := percent.number()
	if !ok || p < 0 || p > 100 {
		d.problem(where.in("stubble_burning_percent"), "%q is not a percentage from 0 to 100; the feed counts as missing.", clip(percent.text))
		return
	}
	s := &Share{Percent: p}
	if !at.missing() && at.text != noTime {
		if s.Time, ok = ParseTime(at.text); !ok {
			d.problem(where.in("timestamp"), "%q is not a time; the share is used without one.", clip(at.text))
		}
	}
	d.snap.Share = s
}

func (d *decoder) winds(raw []byte) {
	d.list("wind_data", raw, func(at place, one []byte) {
		var r struct {
			Lat       value `json:"latitude"`
			Lon       value `json:"longitude"`
			Timestamp value `json:"timestamp"`
			From      value `json:"from_degrees"`
			Speed     value `json:"speed_kmh"`
		}
		if json.Unmarshal(one, &r) != nil {
			d.problem(at, "This is not a wind record.")
			return
		}
		p, ok := d.point(at, r.Lat, r.Lon)
		if !ok {
			return
		}
		t, okTime := ParseTime(r.Timestamp.text)
		from, okFrom := r.From.number()
		speed, okSpeed := r.Speed.number()
		if !okTime || !okFrom || !okSpeed || speed < 0 || speed > 500 {
			d.problem(at, "The wind needs a timestamp, from_degrees and a speed_kmh from 0 to 500.")
			return
		}
		d.snap.Winds = append(d.snap.Winds, Wind{Point: p, Time: t, From: geo.Heading(from), Speed: speed})
	})
}

// point reads a place; it tells the problem itself when there is none.
func (d *decoder) point(at place, lat, lon value) (geo.Point, bool) {
	la, okLat := lat.number()
	lo, okLon := lon.number()
	p := geo.Point{Lat: la, Lon: lo}
	switch {
	case !okLat:
		d.problem(at.in("latitude"), "%q is not a latitude.", clip(lat.text))
	case !okLon:
		d.problem(at.in("longitude"), "%q is not a longitude.", clip(lon.text))
	case !p.Valid():
		d.problem(at, "%v, %v is not a place on earth.", la, lo)
	default:
		return p, true
	}
	return geo.Point{}, false
}

// amount reads a figure that cannot be negative; a missing one is nothing to tell.
func (d *decoder) amount(at place, v value) (float64, bool) {
	if v.missing() && !v.odd {
		return 0, false
	}
	f, ok := v.number()
	if !ok || f < 0 || f > 1e6 {
		d.problem(at, "%q is not a figure of zero or more; it is left out.", clip(v.text))
		return 0, false
	}
	return f, true
}

// notJSON says where a text stops being JSON.
func notJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	where := ""
	if errors.As(err, &syntax) {
		upTo := data[:min(int(math.Max(0, float64(syntax.Offset))), len(data))]
		where = fmt.Sprintf(" (line %d)", bytes.Count(upTo, []byte("\n"))+1)
	}
	return dossier.Errorf(dossier.Invalid, "The sensor data is not valid JSON%s. Ingest it again, or look at the object.", where).Because(errors.Join(ErrNotJSON, err))
}

// clip shortens what a feed wrote, for messages.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
