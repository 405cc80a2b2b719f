package observe

import (
	"encoding/json"
	"strings"
	"time"
)

// A flatRecord is what tells the records of a flat list apart. A source may be named
// by either field, and the second is also where some ingesters put the polluting
// sector of a DSS row.
type flatRecord struct {
	DataSource value `json:"data_source"`
	Source     value `json:"source"`
	Percentage value `json:"percentage"`
	Percent    value `json:"stubble_burning_percent"`
	Timestamp  value `json:"timestamp"`
	LastUpdate value `json:"last_update"`
	Date       value `json:"date"`
	Station    value `json:"station"`
	Pollutant  value `json:"pollutant_id"`
	AcqDate    value `json:"acq_date"`
}

func (r flatRecord) feed() string {
	for _, s := range []string{r.DataSource.text, r.Source.text} {
		switch up := strings.ToUpper(strings.TrimSpace(s)); {
		case up == "CPCB":
			return "cpcb"
		case strings.HasPrefix(up, "NASA"), up == "FIRMS":
			return "nasa"
		case up == "DSS":
			return "dss"
		}
	}
	switch {
	case !r.AcqDate.missing():
		return "nasa"
	case !r.Station.missing():
		return "cpcb"
	case !r.Percent.missing() || !r.Percentage.missing():
		return "dss"
	}
	return ""
}

// flat reads the shape that is one list of records of all feeds.
func (d *decoder) flat(data []byte) error { return d.flatAt(data, value{}) }

// flatAt reads such a list; at is the time of the whole, where its wrapper names one.
func (d *decoder) flatAt(data []byte, at value) error {
	if !json.Valid(data) {
		return notJSON(data, json.Unmarshal(data, &struct{}{}))
	}
	book := newStationBook(d)
	var newest time.Time
	elements(data, func(n int, one []byte) {
		if t := d.flatRecord(place{index: n}, one, book); t.After(newest) {
			newest = t
		}
	})
	d.snap.Readings = book.readings
	d.settleFires()
	if at.missing() && !newest.IsZero() {
		at = value{text: newest.Format(time.RFC3339)}
	}
	return d.finish(at)
}

// flatRecord reads one record of any feed and returns its time, if it has one.
func (d *decoder) flatRecord(where place, one []byte, book *stationBook) time.Time {
	var r flatRecord
	if json.Unmarshal(one, &r) != nil {
		d.problem(where, "This is not a record.")
		return time.Time{}
	}
	switch r.feed() {
	case "cpcb":
		var s stationRecord
		if json.Unmarshal(one, &s) != nil {
			d.problem(where, "This is not a station record.")
			break
		}
		book.add(where, s)
	case "nasa":
		if d.snap.Fires == nil {
			d.snap.Fires = []Fire{}
		}
		d.fire(where, one)
	case "dss":
		d.flatShare(where, r)
	default:
		d.problem(where, "The record does not say whether it is from CPCB, NASA or DSS.")
	}
	if t, ok := ParseTime(first(r.Timestamp, r.LastUpdate, r.Date).text); ok {
		return t
	}
	return time.Time{}
}

// flatShare reads a DSS row, which names its sector in a field of its own or in the
// name of the figure.
func (d *decoder) flatShare(where place, r flatRecord) {
	sector := strings.ToLower(r.Source.text)
	at := first(r.Timestamp, r.Date)
	switch {
	case !r.Percent.missing():
		d.percent(where, r.Percent, at)
	case strings.Contains(sector, "stubble") || strings.Contains(sector, "biomass"):
		d.percent(where, r.Percentage, at)
	}
}
