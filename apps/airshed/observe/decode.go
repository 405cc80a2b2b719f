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
	snap     Snapshot
	problems []Problem
	untold   int
}

func (d *decoder) problem(place, format string, args ...any) {
	if len(d.problems) >= maxProblems {
		d.untold++
		return
	}
	d.problems = append(d.problems, problemf(place, format, args...))
}

// Decode reads a snapshot. A record or field that cannot be used is left out and
// becomes a Problem; the error is for a snapshot that cannot be used at all.
func Decode(data []byte) (Snapshot, []Problem, error) {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf"))
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
// one row per station and pollutant, and computes the indices that can be.
func DecodeReadings(list []byte) ([]Reading, []Problem) {
	d := &decoder{}
	d.readings(list)
	for i := range d.snap.Readings {
		d.snap.Readings[i].Fill()
	}
	return d.snap.Readings, d.problems
}

// object reads the shape with one member per feed.
func (d *decoder) object(data []byte) error {
	var o struct {
		CPCB    json.RawMessage `json:"cpcb_data"`
		NASA    json.RawMessage `json:"nasa_data"`
		DSS     json.RawMessage `json:"dss_data"`
		Wind    json.RawMessage `json:"wind_data"`
		Inputs  json.RawMessage `json:"inputs"`
		Time    value           `json:"timestamp"`
		Records json.RawMessage `json:"records"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return notJSON(data, err)
	}
	if o.CPCB == nil && o.NASA == nil && o.DSS == nil {
		for _, list := range []json.RawMessage{o.Records, o.Data} {
			if bytes.HasPrefix(list, []byte("[")) {
				return d.flatAt(list, o.Time)
			}
		}
	}
	d.readings(o.CPCB)
	d.fires(o.NASA)
	d.share(o.DSS)
	d.winds(o.Wind)
	if o.Inputs != nil && json.Unmarshal(o.Inputs, &d.snap.Inputs) != nil {
		d.snap.Inputs = nil
		d.problem("inputs", "The ingester's own log is not a list of inputs and is left out.")
	}
	return d.finish(o.Time)
}

// finish checks what no snapshot can do without.
func (d *decoder) finish(at value) error {
	d.snap.Readings = slices.DeleteFunc(d.snap.Readings, func(r Reading) bool {
		bare := r.AQI == nil && r.Empty() && (r.Sub == nil || r.Sub.Empty())
		if bare {
			d.problem("cpcb_data", "%s has no figure at %s.", clip(r.Station), r.Time.Format(time.RFC3339))
		}
		return bare
	})
	if len(d.snap.Readings) == 0 {
		return dossier.Errorf(dossier.Invalid, "The sensor data holds no usable cpcb_data, and without station readings no surge can be found. Run the ingest again with the CPCB file.").Because(ErrNoReadings)
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

func (d *decoder) readings(raw json.RawMessage) {
	list, ok := d.list("cpcb_data", raw)
	if !ok {
		return
	}
	b := newStationBook(d)
	for i, one := range list {
		place := fmt.Sprintf("cpcb_data[%d]", i)
		var r stationRecord
		if json.Unmarshal(one, &r) != nil {
			d.problem(place, "This is not a station record.")
			continue
		}
		b.add(place, r)
	}
	d.snap.Readings = b.readings
}

// list splits raw into its records; false if the feed is missing or no list.
func (d *decoder) list(name string, raw json.RawMessage) ([]json.RawMessage, bool) {
	if raw == nil || string(raw) == "null" {
		return nil, false
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		d.problem(name, "This should be a list of records; the feed counts as missing.")
		return nil, false
	}
	return list, true
}

type fireRecord struct {
	Lat        value `json:"latitude"`
	Lon        value `json:"longitude"`
	ShortLat   value `json:"lat"`
	ShortLon   value `json:"lon"`
	Brightness value `json:"brightness"`
	BrightTi4  value `json:"bright_ti4"`
	Confidence value `json:"confidence"`
	Class      value `json:"confidence_class"`
	AcqDate    value `json:"acq_date"`
	AcqTime    value `json:"acq_time"`
	Timestamp  value `json:"timestamp"`
	Date       value `json:"date"`
	State      value `json:"state"`
	District   value `json:"district"`
	FRP        value `json:"frp"`
	Satellite  value `json:"satellite"`
	FireCount  value `json:"fire_count"`
}

func (d *decoder) fires(raw json.RawMessage) {
	list, ok := d.list("nasa_data", raw)
	if !ok {
		return
	}
	d.snap.Fires = make([]Fire, 0, len(list))
	for i, one := range list {
		d.fire(fmt.Sprintf("nasa_data[%d]", i), one)
	}
}

func (d *decoder) fire(place string, raw json.RawMessage) {
	var r fireRecord
	if json.Unmarshal(raw, &r) != nil {
		d.problem(place, "This is not a fire record.")
		return
	}
	if r.Lat.missing() && r.ShortLat.missing() && !r.FireCount.missing() {
		d.problem(place, "This is a count of fires without places (%s), which cannot be matched to a station.", clip(r.FireCount.text))
		return
	}
	p, ok := d.point(place, first(r.Lat, r.ShortLat), first(r.Lon, r.ShortLon))
	if !ok {
		return
	}
	f := Fire{Point: p, State: tidy(r.State.text), District: tidy(r.District.text), Satellite: tidy(r.Satellite.text)}
	f.Brightness, _ = d.amount(place+".brightness", first(r.Brightness, r.BrightTi4))
	f.FRP, _ = d.amount(place+".frp", r.FRP)
	if c := r.Confidence; !c.missing() {
		var ok bool
		if f.Confidence, f.Class, ok = ConfidenceOf(c.text); !ok {
			d.problem(place+".confidence", "%q is neither a percentage nor low, nominal or high; it counts as 0.", clip(c.text))
		}
	}
	if f.Class == "" && !r.Class.missing() {
		_, f.Class, _ = ConfidenceOf(r.Class.text)
	}
	d.when(place, &f, r)
	d.snap.Fires = append(d.snap.Fires, f)
}

// when sets the day and time of f from whichever field has them.
func (d *decoder) when(place string, f *Fire, r fireRecord) {
	if date := strings.TrimSpace(r.AcqDate.text); !r.AcqDate.missing() {
		t, ok := ParseTime(date)
		if !ok {
			d.problem(place+".acq_date", "%q is not a date; the fire counts as undated.", clip(date))
			return
		}
		f.AcqDate = t.Format(time.DateOnly)
		if len(date) > len(time.DateOnly) {
			f.AcqTime = t.Format("1504")
		}
		if !r.AcqTime.missing() {
			if f.AcqTime, ok = ClockText(r.AcqTime.text); !ok {
				d.problem(place+".acq_time", "%q is not a time of day; only the date is used.", clip(r.AcqTime.text))
			}
		}
		return
	}
	at := first(r.Timestamp, r.Date)
	if at.missing() {
		return // counted apart as undated where it matters
	}
	t, ok := ParseTime(at.text)
	if !ok {
		d.problem(place+".timestamp", "%q is not a time; the fire counts as undated.", clip(at.text))
		return
	}
	f.AcqDate, f.AcqTime = t.Format(time.DateOnly), t.Format("1504")
}

func (d *decoder) share(raw json.RawMessage) {
	if raw == nil || string(raw) == "null" || string(raw) == "{}" {
		return
	}
	var r struct {
		Percent   value `json:"stubble_burning_percent"`
		Timestamp value `json:"timestamp"`
		Date      value `json:"date"`
	}
	if json.Unmarshal(raw, &r) != nil {
		d.problem("dss_data", "This should be an object with stubble_burning_percent; the feed counts as missing.")
		return
	}
	if r.Percent.missing() {
		d.problem("dss_data.stubble_burning_percent", "There is no figure; the feed counts as missing.")
		return
	}
	d.percent("dss_data", r.Percent, first(r.Timestamp, r.Date))
}

// percent records the stubble share if it is one.
func (d *decoder) percent(place string, percent, at value) {
	p, ok := percent.number()
	if !ok || p < 0 || p > 100 {
		d.problem(place+".stubble_burning_percent", "%q is not a percentage from 0 to 100; the feed counts as missing.", clip(percent.text))
		return
	}
	s := &Share{Percent: p}
	if !at.missing() {
		if s.Time, ok = ParseTime(at.text); !ok {
			d.problem(place+".timestamp", "%q is not a time; the share is used without one.", clip(at.text))
		}
	}
	d.snap.Share = s
}

func (d *decoder) winds(raw json.RawMessage) {
	list, _ := d.list("wind_data", raw)
	for i, one := range list {
		place := fmt.Sprintf("wind_data[%d]", i)
		var r struct {
			Lat       value `json:"latitude"`
			Lon       value `json:"longitude"`
			Timestamp value `json:"timestamp"`
			From      value `json:"from_degrees"`
			Speed     value `json:"speed_kmh"`
		}
		if json.Unmarshal(one, &r) != nil {
			d.problem(place, "This is not a wind record.")
			continue
		}
		p, ok := d.point(place, r.Lat, r.Lon)
		if !ok {
			continue
		}
		t, okTime := ParseTime(r.Timestamp.text)
		from, okFrom := r.From.number()
		speed, okSpeed := r.Speed.number()
		if !okTime || !okFrom || !okSpeed || speed < 0 || speed > 500 {
			d.problem(place, "The wind needs a timestamp, from_degrees and a speed_kmh from 0 to 500.")
			continue
		}
		d.snap.Winds = append(d.snap.Winds, Wind{Point: p, Time: t, From: geo.Heading(from), Speed: speed})
	}
}

// point reads a place; it tells the problem itself when there is none.
func (d *decoder) point(place string, lat, lon value) (geo.Point, bool) {
	la, okLat := lat.number()
	lo, okLon := lon.number()
	p := geo.Point{Lat: la, Lon: lo}
	switch {
	case !okLat:
		d.problem(place+".latitude", "%q is not a latitude.", clip(lat.text))
	case !okLon:
		d.problem(place+".longitude", "%q is not a longitude.", clip(lon.text))
	case !p.Valid():
		d.problem(place, "%v, %v is not a place on earth.", la, lo)
	default:
		return p, true
	}
	return geo.Point{}, false
}

// amount reads a figure that cannot be negative; a missing one is nothing to tell.
func (d *decoder) amount(place string, v value) (float64, bool) {
	if v.missing() && !v.odd {
		return 0, false
	}
	f, ok := v.number()
	if !ok || f < 0 || f > 1e6 {
		d.problem(place, "%q is not a figure of zero or more; it is left out.", clip(v.text))
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
