package ingest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// kmhPer gives the kilometres per hour in one unit of speed.
var kmhPer = map[string]float64{
	"km/h": 1, "kmh": 1, "m/s": 3.6, "ms": 3.6, "mps": 3.6,
	"kn": 1.852, "kt": 1.852, "mp/h": geo.KmPerMile, "mph": geo.KmPerMile,
}

// A meteoFile is an answer of Open-Meteo for one place, with the old and new names of
// its variables.
type meteoFile struct {
	Lat    float64 `json:"latitude"`
	Lon    float64 `json:"longitude"`
	Offset int     `json:"utc_offset_seconds"`
	Units  struct {
		Speed    string `json:"wind_speed_10m"`
		OldSpeed string `json:"windspeed_10m"`
	} `json:"hourly_units"`
	Hourly struct {
		Time         []json.RawMessage `json:"time"`
		Speed        []*float64        `json:"wind_speed_10m"`
		Direction    []*float64        `json:"wind_direction_10m"`
		OldSpeed     []*float64        `json:"windspeed_10m"`
		OldDirection []*float64        `json:"winddirection_10m"`
	} `json:"hourly"`
}

func (b *builder) openMeteo(data []byte, log *observe.InputLog) error {
	var places []meteoFile
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &places); err != nil {
			return dossier.Errorf(dossier.Invalid, "it is not an answer of Open-Meteo.").Because(err)
		}
	} else {
		var one meteoFile
		if err := json.Unmarshal(data, &one); err != nil {
			return dossier.Errorf(dossier.Invalid, "it is not an answer of Open-Meteo.").Because(err)
		}
		places = append(places, one)
	}
	for _, m := range places {
		if err := b.meteoPlace(m, log); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) meteoPlace(m meteoFile, log *observe.InputLog) error {
	speed, from, unit := m.Hourly.Speed, m.Hourly.Direction, m.Units.Speed
	if speed == nil {
		speed, from, unit = m.Hourly.OldSpeed, m.Hourly.OldDirection, m.Units.OldSpeed
	}
	if unit == "" {
		unit = "km/h" // the service's default
	}
	factor, known := kmhPer[strings.ToLower(unit)]
	p := geo.Point{Lat: m.Lat, Lon: m.Lon}
	switch {
	case !known:
		return dossier.Errorf(dossier.Invalid, "it gives the wind in %q; km/h, m/s, kn and mp/h are known.", unit)
	case !p.Valid():
		return dossier.Errorf(dossier.Invalid, "%v, %v is not a place on earth.", m.Lat, m.Lon)
	case len(speed) != len(m.Hourly.Time) || len(from) != len(m.Hourly.Time):
		return dossier.Errorf(dossier.Invalid, "it holds %d hours, %d speeds and %d directions at 10 m; ask the service for wind_speed_10m and wind_direction_10m.", len(m.Hourly.Time), len(speed), len(from))
	}
	for i, raw := range m.Hourly.Time {
		log.Read++
		at, ok := meteoTime(raw, m.Offset)
		if !ok || speed[i] == nil || from[i] == nil || *speed[i] < 0 || *speed[i]*factor > 500 {
			b.drop(log, "hour without wind", string(raw))
			continue
		}
		b.addWind(observe.Wind{Point: p, Time: at, From: geo.Heading(*from[i]), Speed: *speed[i] * factor}, log)
	}
	return nil
}

// meteoTime reads an hour: local ISO text at the answer's offset, or seconds since 1970.
func meteoTime(raw json.RawMessage, offset int) (time.Time, bool) {
	if text, err := strconv.Unquote(string(raw)); err == nil {
		at, ok := observe.ParseTime(text)
		return at.Add(-time.Duration(offset) * time.Second), ok
	}
	return observe.ParseTime(string(raw))
}

func (b *builder) addWind(w observe.Wind, log *observe.InputLog) {
	log.Kept++
	if w.Time.After(log.Newest) {
		log.Newest = w.Time
	}
	b.snap.Winds = append(b.snap.Winds, w)
}

// An Airport is where weather reports come from.
type Airport struct {
	Name string `json:"name"`
	geo.Point
}

// airports are the aerodromes of the region that report hourly.
var airports = map[string]Airport{
	"VIDP": {"Delhi Indira Gandhi", geo.Point{Lat: 28.5665, Lon: 77.1031}},
	"VIDD": {"Delhi Safdarjung", geo.Point{Lat: 28.5845, Lon: 77.2058}},
	"VIDX": {"Hindon", geo.Point{Lat: 28.7077, Lon: 77.3589}},
	"VIHR": {"Hisar", geo.Point{Lat: 29.1794, Lon: 75.7553}},
	"VICG": {"Chandigarh", geo.Point{Lat: 30.6735, Lon: 76.7885}},
	"VILD": {"Ludhiana", geo.Point{Lat: 30.8547, Lon: 75.9526}},
	"VIAR": {"Amritsar", geo.Point{Lat: 31.7096, Lon: 74.7973}},
	"VIAG": {"Agra", geo.Point{Lat: 27.1558, Lon: 77.9609}},
	"VIJP": {"Jaipur", geo.Point{Lat: 26.8242, Lon: 75.8122}},
}

// A report begins with the aerodrome and the time; the wind follows, after words such
// as AUTO or COR. An archive puts the full date in front.
var metarWind = regexp.MustCompile(`^(?:(\d{12}) )?(?:METAR |SPECI )?(?:COR )?([A-Z]{4}) (\d{2})(\d{2})(\d{2})Z (?:AUTO |COR )*(\d{3}|VRB)(\d{2,3})(?:G\d{2,3})?(KT|MPS|KMH)\b`)

func (b *builder) metar(data []byte, log *observe.InputLog) {
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(strings.Join(strings.Fields(line), " "), "=")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		log.Read++
		m := metarWind.FindStringSubmatch(line)
		if m == nil {
			b.drop(log, "no wind in the report", line[:min(len(line), 40)])
			continue
		}
		airport, ok := b.opt.Airports[m[2]]
		if !ok {
			airport, ok = airports[m[2]]
		}
		if !ok {
			b.drop(log, "unknown aerodrome", m[2])
			continue
		}
		at, ok := metarTime(m[1], m[3], m[4], m[5], b.snap.Time)
		if !ok {
			b.drop(log, "no such time", line[:min(len(line), 40)])
			continue
		}
		speed := figure(m[7]) * map[string]float64{"KT": kmhPer["kt"], "MPS": kmhPer["m/s"], "KMH": 1}[m[8]]
		if m[6] == "VRB" {
			b.drop(log, "variable wind, no direction", m[2])
			continue
		}
		b.addWind(observe.Wind{Point: airport.Point, Time: at, From: geo.Heading(figure(m[6])), Speed: speed}, log)
	}
}

// metarTime dates a report: from the archive's stamp where there is one, else the
// latest such day of the month that is not after ref by more than a day.
func metarTime(stamp, day, hour, minute string, ref time.Time) (time.Time, bool) {
	if stamp != "" {
		t, err := time.Parse("200601021504", stamp)
		return t, err == nil
	}
	d, _ := strconv.Atoi(day)
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	if d < 1 || d > 31 || h > 23 || m > 59 {
		return time.Time{}, false
	}
	for back := range 3 {
		first := time.Date(ref.Year(), ref.Month()-time.Month(back), 1, 0, 0, 0, 0, time.UTC)
		t := time.Date(first.Year(), first.Month(), d, h, m, 0, 0, time.UTC)
		if t.Month() == first.Month() && !t.After(ref.Add(24*time.Hour)) {
			return t, true
		}
	}
	return time.Time{}, false
}
