package observe_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/observe"

	"pgregory.net/rapid"
)

const design = `{
 "cpcb_data": [{"station":"Alipur","aqi":450,"timestamp":"2025-11-14T08:00:00Z","pm25":350.5,"pm10":420.2,"latitude":28.8,"longitude":77.1}],
 "nasa_data": [{"latitude":29.2,"longitude":76.5,"brightness":320.5,"confidence":85,"acq_date":"2025-11-13","state":"Haryana","district":"Jind"}],
 "dss_data": {"stubble_burning_percent":22.5,"timestamp":"2025-11-14T06:00:00Z"},
 "timestamp": "2025-11-14T08:30:00Z"
}`

func decode(t *testing.T, text string) (observe.Snapshot, string) {
	t.Helper()
	s, problems, err := observe.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return s, strings.Join(lines, "\n")
}

func TestDecodeTheDesignsShape(t *testing.T) {
	t.Parallel()
	s, problems := decode(t, design)
	if problems != "" {
		t.Error(problems)
	}
	r := s.Readings[0] // A-015 A-074
	if r.Station != "Alipur" || *r.AQI != 450 || r.Basis != observe.Given || *r.PM25 != 350.5 || *r.PM10 != 420.2 || r.Lat != 28.8 || r.Lon != 77.1 || r.Time != time.Date(2025, 11, 14, 8, 0, 0, 0, time.UTC) {
		t.Errorf("%+v", r)
	}
	f := s.Fires[0] // A-016 A-075
	if f.Lat != 29.2 || f.Lon != 76.5 || f.Brightness != 320.5 || f.Confidence != 85 || f.AcqDate != "2025-11-13" || f.State != "Haryana" || f.District != "Jind" {
		t.Errorf("%+v", f)
	}
	if s.Share.Percent != 22.5 || s.Share.Time.Hour() != 6 {
		t.Errorf("%+v", s.Share)
	}
	if s.Time != time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC) {
		t.Error(s.Time)
	}
}

func TestDecodeTheFlatShape(t *testing.T) {
	t.Parallel()
	s, problems := decode(t, `[
	 {"source":"CPCB","aqi":380.0,"station":"Delhi-Anand Vihar","date":"2025-11-13T08:00:00Z","pm25":250.0,"pm10":400.0},
	 {"data_source":"NASA","latitude":"30.1","longitude":"76.2","confidence":"n","acq_date":"2025-11-13","acq_time":843},
	 {"source":"NASA","fire_count":450,"region":"Punjab-Haryana","date":"2025-11-13T08:00:00Z"},
	 {"data_source":"DSS","source":"Transport","percentage":20,"date":"2025-11-13T08:00:00Z"},
	 {"data_source":"DSS","source":"Stubble burning","percentage":"22.0","date":"2025-11-13T08:00:00Z"},
	 {"hello":"world"}]`)
	if len(s.Readings) != 1 || *s.Readings[0].AQI != 380 || len(s.Fires) != 1 || s.Fires[0].AcqTime != "0843" || s.Fires[0].Class != "nominal" || s.Share.Percent != 22 {
		t.Errorf("%+v", s)
	}
	if s.Time != time.Date(2025, 11, 13, 8, 0, 0, 0, time.UTC) {
		t.Error(s.Time)
	}
	if !strings.Contains(problems, "[2]: This is a count of fires without places (450)") || !strings.Contains(problems, "[5]: The record does not say") {
		t.Error(problems)
	}
}

func TestDecodeTheGovernmentsRows(t *testing.T) {
	t.Parallel()
	rows := `[{"source":"CPCB","station":"Dwarka-Sector 8, Delhi - DPCC ","last_update":"04-09-2025 21:00:00","latitude":"28.57","longitude":"77.07","pollutant_id":"PM2.5","pollutant_avg":"310"},
	 {"source":"CPCB","station":"Dwarka-Sector 8, Delhi - DPCC ","last_update":"04-09-2025 21:00:00","pollutant_id":"PM10","pollutant_avg":"250"},
	 {"source":"CPCB","station":"Dwarka-Sector 8, Delhi - DPCC ","last_update":"04-09-2025 21:00:00","pollutant_id":"OZONE","pollutant_avg":"NA"},
	 {"source":"CPCB","station":"Dwarka-Sector 8, Delhi - DPCC ","last_update":"04-09-2025 21:00:00","pollutant_id":"NO2","pollutant_avg":"40"}]`
	s, problems := decode(t, rows)
	r := s.Readings[0]
	if len(s.Readings) != 1 || *r.AQI != 310 || r.Basis != observe.Computed || r.PM25 != nil || *r.Sub.PM25 != 310 || r.Sub.O3 != nil || problems != "" { // A10 A11
		t.Errorf("%+v %s", r, problems)
	}
	if want := time.Date(2025, 9, 4, 15, 30, 0, 0, time.UTC); r.Time != want { // Indian time
		t.Error(r.Time)
	}
	if r.Station != "Dwarka-Sector 8, Delhi - DPCC" {
		t.Errorf("%q", r.Station)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		cause      error
	}{
		{"A-126 not JSON", `{"cpcb_data": [`, observe.ErrNotJSON},
		{"A-022 A-059 no cpcb_data", `{"nasa_data":[],"timestamp":"2025-11-14T08:30:00Z"}`, observe.ErrNoReadings},
		{"A-059 an empty cpcb_data", `{"cpcb_data":[],"timestamp":"2025-11-14T08:30:00Z"}`, observe.ErrNoReadings},
		{"A-022 no timestamp", `{"cpcb_data":[{"station":"Alipur","aqi":1,"timestamp":"2025-11-14T08:00:00Z"}]}`, observe.ErrNoTime},
		{"A-061 a timestamp that is none", `{"cpcb_data":[{"station":"Alipur","aqi":1,"timestamp":"2025-11-14T08:00:00Z"}],"timestamp":"yesterday"}`, observe.ErrNoTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := observe.Decode([]byte(c.text))
			if !errors.Is(err, c.cause) || !errors.Is(err, dossier.Invalid) {
				t.Error(err)
			}
		})
	}
}

// every field that cannot be used is told with its place.
func TestDecodeTellsProblems(t *testing.T) {
	t.Parallel()
	s, problems := decode(t, `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":[
	 {"station":"Alipur","aqi":"NA","pm25":"many","pm10":-3,"no2":40,"timestamp":"2025-11-14T08:00:00Z"},
	 {"aqi":300,"timestamp":"2025-11-14T08:00:00Z"},
	 {"station":"Rohini","aqi":300,"timestamp":"soon"}, 7],
	 "nasa_data":[{"latitude":91,"longitude":76},{"latitude":29,"longitude":"x"},{"latitude":29,"longitude":76,"confidence":"sure","acq_date":"13/45/2025"},{"latitude":29,"longitude":76,"acq_date":"2025-11-13","acq_time":"2561"}],
	 "dss_data":{"stubble_burning_percent":122}}`)
	for _, want := range []string{
		`cpcb_data[0].pm25: "many"`, `cpcb_data[0].pm10: "-3"`, "cpcb_data[1].station", `cpcb_data[2].timestamp: "soon"`, "cpcb_data[3]: This is not a station record.",
		"nasa_data[0]: 91, 76 is not a place", `nasa_data[1].longitude: "x"`, `nasa_data[2].confidence: "sure"`, "nasa_data[2].acq_date", `nasa_data[3].acq_time: "2561"`, `dss_data.stubble_burning_percent: "122"`,
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("no %q in\n%s", want, problems)
		}
	}
	if len(s.Readings) != 1 || len(s.Fires) != 2 || s.Share != nil || s.Fires[1].AcqTime != "" {
		t.Errorf("%+v", s)
	}
	if _, _, ok := s.Fires[0].Span(); ok {
		t.Error("a fire with a bad date is undated")
	}
}

// What looks like data and is in doubt is told.
func TestDecodeTellsDoubts(t *testing.T) {
	t.Parallel()
	const fire = `{"latitude":29.2,"longitude":76.5,"acq_date":"2025-11-13","state":"Haryana"}`
	s, problems := decode(t, `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":[{"station":"Alipur","aqi":99999,"pm25":350,"timestamp":"2025-11-14T08:00:00Z"},{"station":"Rohini","aqi":999,"timestamp":"2025-11-14T08:00:00Z"}],
	 "nasa_data":[`+fire+","+fire+","+fire+`,{"latitude":29.2,"longitude":76.5,"acq_date":"2025-11-13","acq_time":"0801","state":"Haryana"}],"dss_data":{"stubble_burning_percent":20,"timestamp":"0001-01-01T00:00:00Z"}}`)
	if problems != "nasa_data: 2 of the 4 fire records repeat another one to the letter. Each is counted, so the counts of fires may be too high.\ncpcb_data[0].aqi: 99999 is beyond every scale of an index; it is left out." {
		t.Error(problems)
	}
	if len(s.Fires) != 4 || s.Readings[0].AQI != nil || *s.Readings[1].AQI != 999 || !s.Share.Time.IsZero() {
		t.Errorf("%+v", s)
	}
}

func TestMissingFeedsAreNotEmptyFeeds(t *testing.T) {
	t.Parallel()
	const reading = `"cpcb_data":[{"station":"Alipur","aqi":1,"timestamp":"2025-11-14T08:00:00Z"}],"timestamp":"2025-11-14T08:30:00Z"`
	if s, _ := decode(t, "{"+reading+"}"); s.Fires != nil || s.Share != nil {
		t.Errorf("%+v", s)
	}
	if s, _ := decode(t, `{"nasa_data":null,"dss_data":null,`+reading+"}"); s.Fires != nil || s.Share != nil {
		t.Errorf("%+v", s)
	}
	if s, _ := decode(t, `{"nasa_data":[],`+reading+"}"); s.Fires == nil {
		t.Error("an empty feed was read")
	}
	bad := strings.Repeat(`{"latitude":"?","longitude":76},`, 300) + `{"state":"Haryana","fire_count":450}`
	if s, problems := decode(t, `{"nasa_data":[`+bad+`],`+reading+"}"); s.Fires != nil || !strings.HasPrefix(problems, "nasa_data: None of the 301 fire records could be used; the feed counts as missing.") {
		t.Errorf("a feed of which nothing can be read is missing: %v %.200s", s.Fires, problems)
	}
	if s, _ := decode(t, `{"nasa_data":"none",`+reading+"}"); s.Fires != nil {
		t.Error("a feed that is no list is missing")
	}
}

func TestNAQIA11(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    observe.Pollutant
		c    float64
		want float64
	}{
		{observe.PM25, 0, 0}, {observe.PM25, 30, 50}, {observe.PM25, 60, 100}, {observe.PM25, 90, 200}, {observe.PM25, 120, 300}, {observe.PM25, 250, 400}, {observe.PM25, 75, 150}, {observe.PM25, 999, 500},
		{observe.PM10, 430, 400}, {observe.NO2, 280, 300}, {observe.O3, 208, 300}, {observe.CO, 10, 200}, {observe.SO2, 80, 100}, {observe.NH3, 1800, 400}, {observe.Pb, 3.5, 400},
	} {
		if got := observe.SubIndex(c.p, c.c); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s %v = %v, want %v", c.p, c.c, got, c.want)
		}
	}
	three := observe.Levels{}
	three.Set(observe.PM25, 310)
	three.Set(observe.NO2, 40)
	if _, ok := observe.Index(three); ok {
		t.Error("two pollutants are too few")
	}
	three.Set(observe.SO2, 20)
	if aqi, ok := observe.Index(three); !ok || aqi != 310 {
		t.Error(aqi, ok)
	}
	gases := observe.Levels{}
	for _, p := range []observe.Pollutant{observe.NO2, observe.SO2, observe.CO, observe.O3} {
		gases.Set(p, 350)
	}
	if _, ok := observe.Index(gases); ok {
		t.Error("one must be a particle")
	}
	given := observe.Reading{AQI: new(float64), Levels: three}
	if given.Fill(); *given.AQI != 0 || given.Basis != observe.Given {
		t.Error("a given index is used as it is")
	}
}

func TestSubIndexNeverFalls(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(observe.Pollutants).Draw(t, "pollutant")
		a, b := rapid.Float64Range(0, 3000).Draw(t, "a"), rapid.Float64Range(0, 3000).Draw(t, "b")
		if x, y := observe.SubIndex(p, min(a, b)), observe.SubIndex(p, max(a, b)); x > y+1e-9 || y > 500 || x < 0 {
			t.Fatal(x, y)
		}
	})
}

func TestClockTextA8(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"0843": "0843", "843": "0843", "43": "0043", "0": "0000", "8:43": "0843", "08:43:10": "0843", "843.0": "0843", " 2015 ": "2015"} {
		if got, ok := observe.ClockText(in); !ok || got != want {
			t.Errorf("%q = %q, %v", in, got, ok)
		}
	}
	for _, bad := range []string{"", "2400", "1260", "noon", "-1", "12345", "1:2"} {
		if got, ok := observe.ClockText(bad); ok {
			t.Errorf("%q = %q", bad, got)
		}
	}
}

func TestConfidenceOfA10(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"85": 85, "0": 0, "l": 15, "n": 55, "h": 90, "low": 15, "Nominal": 55, "high": 90} {
		if got, _, ok := observe.ConfidenceOf(in); !ok || got != want {
			t.Errorf("%q = %d", in, got)
		}
	}
	for _, bad := range []string{"", "101", "-1", "NaN", "x"} {
		if _, _, ok := observe.ConfidenceOf(bad); ok {
			t.Errorf("%q is a confidence", bad)
		}
	}
}

func TestAgeA060(t *testing.T) {
	t.Parallel()
	s := observe.Snapshot{Time: time.Date(2025, 11, 14, 8, 0, 0, 0, time.UTC)}
	for after, want := range map[time.Duration]bool{0: true, 24 * time.Hour: true, 24*time.Hour + time.Second: false, -30 * time.Minute: true, -2 * time.Hour: false} {
		if _, ok := s.Age(s.Time.Add(after), 24*time.Hour); ok != want {
			t.Errorf("%v later: fresh = %v", after, ok)
		}
	}
}

// What was written can be read again.
func TestSnapshotRoundTrip(t *testing.T) {
	t.Parallel()
	s, _ := decode(t, design)
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again, problems := decode(t, string(raw))
	if problems != "" {
		t.Error(problems)
	}
	second, _ := json.Marshal(again)
	if string(second) != string(raw) {
		t.Errorf("%s\n%s", raw, second)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(design))
	f.Add([]byte(`[{"source":"CPCB","station":"A","date":1731571200000,"aqi":"3e2"},{"acq_date":"2025-11-13","lat":1,"lon":2}]`))
	f.Add([]byte(`{"records":[{"station":"A","pollutant_id":"PM2.5","pollutant_avg":"NA","last_update":"04-09-2025 21:00:00"}]}`))
	f.Add([]byte(`{"cpcb_data":[{"station":{},"aqi":[]}],"nasa_data":{},"dss_data":[],"wind_data":[{"latitude":1,"longitude":2,"timestamp":"2025-01-01","from_degrees":-7,"speed_kmh":3}],"timestamp":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := observe.Decode(data)
		if err != nil {
			if !errors.Is(err, dossier.Invalid) {
				t.Fatalf("%v is not an invalid input", err)
			}
			return
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := observe.Decode(raw)
		if err != nil || len(again.Readings) != len(s.Readings) || len(again.Fires) != len(s.Fires) {
			t.Fatalf("%v: %d readings and %d fires became %d and %d", err, len(s.Readings), len(s.Fires), len(again.Readings), len(again.Fires))
		}
		for _, x := range s.Fires {
			if !x.Valid() || x.Confidence < 0 || x.Confidence > 100 {
				t.Fatalf("%+v", x)
			}
		}
	})
}
