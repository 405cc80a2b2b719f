package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// The types that the archive gives a detection; near-real-time files have none.
var detectionTypes = map[string]string{
	"1": "active volcano (FIRMS type 1)",
	"2": "other static land source (FIRMS type 2)",
	"3": "offshore (FIRMS type 3)",
}

// A fireKey tells one detection from another: the same satellite does not see two
// fires in one pixel in one minute.
type fireKey struct {
	lat, lon        int32 // hundred-thousandths of a degree, as precise as FIRMS writes
	date, time, sat string
}

// A header finds columns by name, whatever their order, case and quotes.
type header map[string]int

func readHeader(row []string) header {
	h := header{}
	for i, name := range row {
		h[strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))] = i
	}
	return h
}

// get returns the first of the named columns that row has, "" if none.
func (h header) get(row []string, names ...string) string {
	for _, n := range names {
		if i, ok := h[n]; ok && i < len(row) {
			if v := strings.TrimSpace(row[i]); v != "" {
				return v
			}
		}
	}
	return ""
}

func newCSV(data []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord, r.TrimLeadingSpace = -1, true, true, true
	return r
}

func (b *builder) firms(data []byte, log *observe.InputLog) error {
	r := newCSV(data)
	first, err := r.Read()
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "it has no header line.").Because(err)
	}
	h := readHeader(first)
	for _, need := range []string{"latitude", "longitude", "acq_date"} {
		if _, ok := h[need]; !ok {
			return dossier.Errorf(dossier.Invalid, "it has no column %s.", need)
		}
	}
	if b.snap.Fires == nil {
		b.snap.Fires = []observe.Fire{}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		log.Read++
		if err != nil {
			b.spoil(log, "broken CSV line", err.Error())
			continue
		}
		line, _ := r.FieldPos(0)
		b.firmsRow(h, row, line, log)
	}
}

func (b *builder) drop(log *observe.InputLog, why, detail string) {
	log.Dropped[why]++
	if log.Dropped[why] <= 3 {
		b.problem(log.Name, "%s: %s", why, detail)
	}
}

// spoil drops a fire record that cannot be read.
func (b *builder) spoil(log *observe.InputLog, why, detail string) {
	b.spoilt++
	b.drop(log, why, detail)
}

func (b *builder) firmsRow(h header, row []string, line int, log *observe.InputLog) {
	at := fmt.Sprintf("line %d", line)
	lat, errLat := strconv.ParseFloat(h.get(row, "latitude"), 64)
	lon, errLon := strconv.ParseFloat(h.get(row, "longitude"), 64)
	p := geo.Point{Lat: lat, Lon: lon}
	if errLat != nil || errLon != nil || !p.Valid() {
		b.spoil(log, "no place on earth", at)
		return
	}
	if why, static := detectionTypes[h.get(row, "type")]; static && !b.opt.KeepStatic {
		log.Dropped[why]++
		return
	}
	f := observe.Fire{
		Point: p, State: strings.Clone(h.get(row, "state")), District: strings.Clone(h.get(row, "district")),
		Satellite: strings.Clone(h.get(row, "satellite")),
	}
	f.Brightness = figure(h.get(row, "brightness", "bright_ti4"))
	f.FRP = figure(h.get(row, "frp"))
	if c := h.get(row, "confidence"); c != "" {
		var ok bool
		if f.Confidence, f.Class, ok = observe.ConfidenceOf(c); !ok {
			b.problem(log.Name, "%s: the confidence %q is neither a percentage nor low, nominal or high; it counts as 0.", at, c)
		}
	}
	if date := h.get(row, "acq_date"); date != "" {
		day, err := time.Parse(time.DateOnly, strings.ReplaceAll(date, "/", "-"))
		if err != nil {
			b.spoil(log, "bad date", at+" has "+strconv.Quote(date))
			return
		}
		f.AcqDate = day.Format(time.DateOnly)
	}
	if clock := h.get(row, "acq_time"); clock != "" {
		var ok bool
		if f.AcqTime, ok = observe.ClockText(clock); !ok {
			b.problem(log.Name, "%s: the time %q is not a time of day; only the date is used.", at, clock)
		}
	}
	if !b.keep(f) {
		log.Dropped["duplicate"]++
		return
	}
	log.Kept++
	if first, _, ok := f.Span(); ok && first.After(log.Newest) {
		log.Newest = first
	}
}

// keep adds f unless the same detection is there already.
func (b *builder) keep(f observe.Fire) bool {
	k := fireKey{
		int32(math.Round(f.Lat * 1e5)), int32(math.Round(f.Lon * 1e5)),
		f.AcqDate, f.AcqTime, f.Satellite,
	}
	if b.seen[k] {
		b.summary.Duplicates++
		return false
	}
	b.seen[k] = true
	b.snap.Fires = append(b.snap.Fires, f)
	return true
}

// figure reads a number that is told beside the facts and not computed with; 0 where
// there is none.
func figure(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0
	}
	return f
}
