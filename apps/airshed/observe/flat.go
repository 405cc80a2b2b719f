package observe

import (
	"encoding/json"
	"fmt"
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
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return notJSON(data, err)
	}
	book := newStationBook(d)
	var newest time.Time
	for i, one := range list {
		place := fmt.Sprintf("[%d]", i)
		var r flatRecord
		if json.Unmarshal(one, &r) != nil {
			d.problem(place, "This is not a record.")
			continue
		}
		if t, ok := ParseTime(first(r.Timestamp, r.LastUpdate, r.Date).text); ok && t.After(newest) {
			newest = t
		}
		switch r.feed() {
		case "cpcb":
			var s stationRecord
			if json.Unmarshal(one, &s) != nil {
				d.problem(place, "This is not a station record.")
				continue
			}
			book.add(place, s)
		case "nasa":
			if d.snap.Fires == nil {
				d.snap.Fires = []Fire{}
			}
			d.fire(place, one)
		case "dss":
			d.flatShare(place, r)
		default:
			d.problem(place, "The record does not say whether it is from CPCB, NASA or DSS.")
		}
	}
	d.snap.Readings = book.readings
	if d.snap.Fires != nil && len(d.snap.Fires) == 0 {
		d.snap.Fires = nil // records without places: the feed is there in name alone
	}
	if at.missing() && !newest.IsZero() {
		at = value{text: newest.Format(time.RFC3339)}
	}
	return d.finish(at)
}

// flatShare reads a DSS row, which names its sector in a field of its own or in the
// name of the figure.
func (d *decoder) flatShare(place string, r flatRecord) {
	sector := strings.ToLower(r.Source.text)
	at := first(r.Timestamp, r.Date)
	switch {
	case !r.Percent.missing():
		d.percent(place, r.Percent, at)
	case strings.Contains(sector, "stubble") || strings.Contains(sector, "biomass"):
		d.percent(place, r.Percentage, at)
	}
}
