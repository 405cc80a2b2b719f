package observe

import (
	"bytes"
	"hash/maphash"
	"strings"
	"time"
)

// A fireRecord is a fire in the snapshot's own shape or in one that ingesters write.
type fireRecord struct {
	Lat, Lon, ShortLat, ShortLon, Brightness, BrightTi4, Confidence, Class, AcqDate, AcqTime, Timestamp, Date, State, District, FRP, Satellite, FireCount value
}

// field returns where the member of a name is kept, nil for what nobody asks for.
func (r *fireRecord) field(name []byte) *value {
	switch string(name) {
	case "latitude":
		return &r.Lat
	case "longitude":
		return &r.Lon
	case "lat":
		return &r.ShortLat
	case "lon":
		return &r.ShortLon
	case "brightness":
		return &r.Brightness
	case "bright_ti4":
		return &r.BrightTi4
	case "confidence":
		return &r.Confidence
	case "confidence_class":
		return &r.Class
	case "acq_date":
		return &r.AcqDate
	case "acq_time":
		return &r.AcqTime
	case "timestamp":
		return &r.Timestamp
	case "date":
		return &r.Date
	case "state":
		return &r.State
	case "district":
		return &r.District
	case "frp":
		return &r.FRP
	case "satellite":
		return &r.Satellite
	case "fire_count":
		return &r.FireCount
	}
	return nil
}

// read reads the record, and reports whether it is one.
func (r *fireRecord) read(raw []byte) bool {
	if len(raw) == 0 || raw[0] != '{' && string(raw) != "null" {
		return false
	}
	members(raw, func(name, v []byte) {
		if f := r.field(bytes.ToLower(name)); f != nil {
			*f = valueOf(v)
		}
	})
	return true
}

func (d *decoder) fires(raw []byte) {
	if raw == nil {
		return
	}
	d.snap.Fires = make([]Fire, 0, count(raw))
	if !d.list("nasa_data", raw, d.fire) {
		d.snap.Fires = nil
	}
}

// settleFires takes a feed of which no record could be used for a missing one: no fire
// was seen is another thing than nothing could be read. It tells of fires that are
// there more than once.
func (d *decoder) settleFires() {
	n := d.fireRecords
	if n > 0 && len(d.snap.Fires) == 0 {
		d.snap.Fires = nil
		d.tell(the("nasa_data"), "None of the %d fire records could be used; the feed counts as missing.", n)
	}
	if same := repeated(d.snap.Fires); same > 0 {
		d.tell(the("nasa_data"), "%d of the %d fire records repeat another one to the letter. Each is counted, so the counts of fires may be too high.", same, n)
	}
}

// repeated returns how many fires are equal to one before them in everything.
func repeated(fires []Fire) int {
	seed, seen := maphash.MakeSeed(), make(map[uint64]struct{}, len(fires))
	for _, f := range fires {
		seen[maphash.Comparable(seed, f)] = struct{}{}
	}
	return len(fires) - len(seen)
}

// DecodeFires reads a bare list of fire records in the snapshot's own shape.
func DecodeFires(list []byte) ([]Fire, []Problem) {
	d := &decoder{}
	d.fires(list)
	return d.snap.Fires, d.problems
}

func (d *decoder) fire(at place, raw []byte) {
	d.fireRecords++
	var r fireRecord
	if !r.read(raw) {
		d.problem(at, "This is not a fire record.")
		return
	}
	if r.Lat.missing() && r.ShortLat.missing() && !r.FireCount.missing() {
		d.problem(at, "This is a count of fires without places (%s), which cannot be matched to a station.", clip(r.FireCount.text))
		return
	}
	p, ok := d.point(at, first(r.Lat, r.ShortLat), first(r.Lon, r.ShortLon))
	if !ok {
		return
	}
	f := Fire{Point: p, State: d.once(tidy(r.State.text)), District: d.once(tidy(r.District.text)), Satellite: d.once(tidy(r.Satellite.text))}
	f.Brightness, _ = d.amount(at.in("brightness"), first(r.Brightness, r.BrightTi4))
	f.FRP, _ = d.amount(at.in("frp"), r.FRP)
	if c := r.Confidence; !c.missing() {
		var ok bool
		if f.Confidence, f.Class, ok = ConfidenceOf(c.text); !ok {
			d.problem(at.in("confidence"), "%q is neither a percentage nor low, nominal or high; it counts as 0.", clip(c.text))
		}
	}
	if f.Class == "" && !r.Class.missing() {
		_, f.Class, _ = ConfidenceOf(r.Class.text)
	}
	d.when(at, &f, r)
	d.snap.Fires = append(d.snap.Fires, f)
}

// when sets the day and time of f from whichever field has them.
func (d *decoder) when(at place, f *Fire, r fireRecord) {
	defer func() { f.AcqDate, f.AcqTime = d.once(f.AcqDate), d.once(f.AcqTime) }()
	if date := strings.TrimSpace(r.AcqDate.text); !r.AcqDate.missing() {
		t, ok := ParseTime(date)
		if !ok {
			d.problem(at.in("acq_date"), "%q is not a date; the fire counts as undated.", clip(date))
			return
		}
		f.AcqDate = t.Format(time.DateOnly)
		if len(date) > len(time.DateOnly) {
			f.AcqTime = t.Format("1504")
		}
		if !r.AcqTime.missing() {
			if f.AcqTime, ok = ClockText(r.AcqTime.text); !ok {
				d.problem(at.in("acq_time"), "%q is not a time of day; only the date is used.", clip(r.AcqTime.text))
			}
		}
		return
	}
	moment := first(r.Timestamp, r.Date)
	if moment.missing() {
		return // counted apart as undated where it matters
	}
	t, ok := ParseTime(moment.text)
	if !ok {
		d.problem(at.in("timestamp"), "%q is not a time; the fire counts as undated.", clip(moment.text))
		return
	}
	f.AcqDate, f.AcqTime = t.Format(time.DateOnly), t.Format("1504")
}
