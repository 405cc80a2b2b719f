package ingest_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/ingest"
	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

var at = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

const cpcb = `{"records":[{"station":"Alipur, Delhi - DPCC","city":"Delhi","state":"Delhi","last_update":"14-11-2025 13:00:00","latitude":"28.81","longitude":"77.15","pollutant_id":"PM2.5","pollutant_avg":"410"},
{"station":"Alipur, Delhi - DPCC","city":"Delhi","state":"Delhi","last_update":"14-11-2025 13:00:00","latitude":"28.81","longitude":"77.15","pollutant_id":"PM10","pollutant_avg":"380"},
{"station":"Alipur, Delhi - DPCC","city":"Delhi","state":"Delhi","last_update":"14-11-2025 13:00:00","latitude":"28.81","longitude":"77.15","pollutant_id":"CO","pollutant_avg":"60"}]}`

const viirsArchive = "\"latitude\",\"longitude\",\"bright_ti4\",\"acq_date\",\"acq_time\",\"satellite\",\"instrument\",\"confidence\",\"frp\",\"type\"\n" +
	"29.5,76.5,330.1,\"2025-11-13\",843,\"N\",\"VIIRS\",\"n\",4.5,0\n" +
	"29.6,76.6,330.1,\"2025-11-13\",2015,\"N\",\"VIIRS\",\"h\",4.5,2\n" +
	"29.5,74.0,330.1,\"2025-11-13\",2015,\"N\",\"VIIRS\",\"l\",4.5,0\n"

const viirsNRT = "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite,confidence,version,bright_ti5,frp,daynight\r\n" +
	"29.5,76.5,330.1,0.4,0.4,2025-11-13,0843,N,nominal,2.0NRT,290,4.5,D\r\n" + // the same as in the archive
	"29.7,76.7,331,0.4,0.4,2025-11-13,0843,N,nominal,2.0NRT,290,4.5,D\r\n"

const modis = "latitude,longitude,brightness,scan,track,acq_date,acq_time,satellite,confidence,version,bright_t31,frp,daynight\n" +
	"29.8,76.8,318.1,1,1,2025-11-13,0801,A,60,6.1NRT,300,14,D\n" +
	"x,76.8,318.1,1,1,2025-11-13,0801,A,60,6.1NRT,300,14,D\n" +
	"29.8,76.9,318.1,1,1,2025-13-45,0801,A,60,6.1NRT,300,14,D\n"

// Two squares: Haryana east of 76 degrees, Punjab west of it, north of 29 both, and a
// hole in Haryana.
const boundaries = `{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"st_nm":"Haryana","district":"Jind"},"geometry":{"type":"Polygon","coordinates":[[[76,29],[78,29],[78,30],[76,30],[76,29]],[[76.65,29.65],[76.75,29.65],[76.75,29.75],[76.65,29.75],[76.65,29.65]]]}},
{"type":"Feature","properties":{"ST_NM":"Punjab","DISTRICT":"Mansa"},"geometry":{"type":"MultiPolygon","coordinates":[[[[75,29],[76,29],[76,30],[75,30],[75,29]]]]}}]}`

func build(t *testing.T, opt ingest.Options, texts ...string) (observe.Snapshot, ingest.Summary) {
	t.Helper()
	var list []ingest.File
	for i, text := range texts {
		list = append(list, ingest.File{Name: "/tmp/secret/" + string(rune('a'+i)) + ".txt", Data: []byte(text)})
	}
	if opt.At.IsZero() {
		opt.At = at
	}
	s, sum, err := ingest.Build(list, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, sum
}

func TestBuild(t *testing.T) {
	t.Parallel()
	b, err := ingest.ReadBoundaries([]byte(boundaries))
	if err != nil {
		t.Fatal(err)
	}
	s, sum := build(t, ingest.Options{Boundaries: b}, "\xef\xbb\xbf"+cpcb, viirsArchive, viirsNRT, modis,
		`{"stubble_burning_contribution":{"percent":"22.5%"},"data_timestamp":"2025-11-14T06:00:00Z"}`,
		`{"latitude":28.6,"longitude":77.2,"utc_offset_seconds":19800,"hourly_units":{"wind_speed_10m":"m/s"},"hourly":{"time":["2025-11-14T13:00","2025-11-14T14:00"],"wind_speed_10m":[2,null],"wind_direction_10m":[310,310]}}`,
		"METAR VIDP 140830Z 29006KT 1500 FU NSC 24/12 Q1015 NOSIG=\nVIDP 140800Z VRB02KT 1500\nVIDP 140730Z 00000KT 1500\nXXXX 140700Z 29006KT\n")
	if r := s.Readings; len(r) != 1 || *r[0].AQI != 410 || r[0].Basis != observe.Computed || !r[0].Time.Equal(at.Add(-time.Hour)) {
		t.Errorf("%+v", r)
	}
	if len(s.Fires) != 4 || sum.Duplicates != 1 || sum.Unattributed != 2 || sum.ByState["Haryana"] != 2 {
		t.Errorf("%+v", sum)
	}
	if f := s.Fires[0]; f.State != "Haryana" || f.District != "Jind" || f.AcqTime != "0843" || f.Class != "nominal" || f.Brightness != 330.1 {
		t.Errorf("%+v", f)
	}
	if s.Share.Percent != 22.5 {
		t.Errorf("%+v", s.Share)
	}
	if len(s.Winds) != 3 {
		t.Fatalf("%+v", s.Winds)
	}
	if w := s.Winds[0]; math.Abs(w.Speed-7.2) > 1e-9 || w.From != 310 || !w.Time.Equal(time.Date(2025, 11, 14, 7, 30, 0, 0, time.UTC)) {
		t.Errorf("%+v", w)
	}
	if w := s.Winds[1]; math.Abs(w.Speed-11.112) > 1e-9 || w.From != 290 || !w.Time.Equal(at) || w.Lat != 28.5665 {
		t.Errorf("%+v", w)
	}
	text := strings.Join(sum.Lines(), "\n")
	for _, want := range []string{"b.txt (firms): 3 read, 2 kept; 1 dropped: other static land source", "1 dropped: duplicate", "1 dropped: bad date; 1 dropped: no place on earth", "1 dropped: hour without wind", "1 dropped: unknown aerodrome; 1 dropped: variable wind", "stubble burning share: 22.5 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("the folder is told")
	}
}

// Files of different days, and rows without a figure, as real ones come.
func TestFilesOfDifferentDays(t *testing.T) {
	t.Parallel()
	const rows = `[{"station":"Alipur","city":"Delhi","last_update":"04-09-2025 21:00:00","pollutant_id":"PM10","pollutant_avg":"59"},
{"station":"Alipur","city":"Delhi","last_update":"04-09-2025 21:00:00","pollutant_id":"CO","pollutant_avg":"NA"}]`
	const fires = "latitude,longitude,acq_date,acq_time\n29.5,76.0,2025-10-15,806\n"
	s, sum, err := ingest.Build([]ingest.File{{Name: "cpcb.json", Data: []byte(rows)}, {Name: "f.csv", Data: []byte(fires)}}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2025, 10, 15, 8, 6, 0, 0, time.UTC); !s.Time.Equal(want) {
		t.Errorf("the snapshot is of %s, want %s, its newest record", s.Time, want)
	}
	text := strings.Join(sum.Lines(), "\n")
	for _, want := range []string{"cpcb.json (cpcb): 2 rows read into 1 readings; 1 dropped: no figure (NA)", "The newest reading is of 2025-09-04T15:30:00Z, 977 hours before the snapshot's own time, 2025-10-15T08:06:00Z"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	near := ingest.Options{At: time.Date(2025, 9, 5, 15, 30, 0, 0, time.UTC)}
	if s, sum, _ = ingest.Build([]ingest.File{{Name: "cpcb.json", Data: []byte(rows)}}, near); !s.Time.Equal(near.At) || len(sum.Problems) != 0 {
		t.Errorf("a day apart is told: %+v", sum.Problems)
	}
}

// The wind says nothing about when the rest was seen: a file of it may hold a forecast,
// and a report from an aerodrome names the day of the month alone.
func TestWindIsDatedByTheRest(t *testing.T) {
	t.Parallel()
	const rows = `[{"station":"Alipur","aqi":450,"timestamp":"2025-11-14T08:00:00Z"}]`
	const forecast = `{"latitude":28.6,"longitude":77.2,"hourly":{"time":["2025-11-14T07:00","2025-11-20T23:00"],"wind_speed_10m":[10,10],"wind_direction_10m":[315,315]}}`
	for _, texts := range [][]string{{rows, forecast, "VIDP 140730Z 31006KT 2000\nVIDP 312330Z 31006KT 2000"}, {"VIDP 140730Z 31006KT 2000\nVIDP 312330Z 31006KT 2000", forecast, rows}} {
		var list []ingest.File
		for _, text := range texts {
			list = append(list, ingest.File{Name: "x", Data: []byte(text)})
		}
		s, sum, err := ingest.Build(list, ingest.Options{})
		if err != nil || !s.Time.Equal(time.Date(2025, 11, 14, 8, 0, 0, 0, time.UTC)) || len(sum.Problems) != 0 {
			t.Errorf("the snapshot is of %s: %v %v", s.Time, sum.Problems, err)
		}
		if len(s.Winds) != 4 || !s.Winds[2].Time.Equal(time.Date(2025, 11, 14, 7, 30, 0, 0, time.UTC)) || !s.Winds[3].Time.Equal(time.Date(2025, 10, 31, 23, 30, 0, 0, time.UTC)) {
			t.Errorf("%+v", s.Winds)
		}
	}
	// A fire of which only the day is known may have been seen at its beginning.
	s, _, err := ingest.Build([]ingest.File{{Name: "x", Data: []byte(rows)}, {Name: "f.csv", Data: []byte("latitude,longitude,acq_date\n29.5,76.0,2025-11-14\n")}}, ingest.Options{})
	if err != nil || s.Time.Day() != 14 {
		t.Errorf("%s, %v", s.Time, err)
	}
}

// A file of fires that cannot be read is no file without fires.
func TestUnreadableFiresAreMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		csv     string
		missing bool
	}{
		"nothing but bad rows": {"latitude,longitude,acq_date\nx,y,2025-11-13\n29.5,76.0,13.11.2025\n", true},
		"a header alone":       {"latitude,longitude,acq_date\n", false},
		"static sources alone": {"latitude,longitude,acq_date,type\n29.5,76.0,2025-11-13,2\n", false},
		"one good row":         {"latitude,longitude,acq_date\nx,y,2025-11-13\n29.5,76.0,2025-11-13\n", false},
	} {
		s, sum := build(t, ingest.Options{}, cpcb, c.csv)
		if (s.Fires == nil) != c.missing || strings.Contains(strings.Join(sum.Lines(), " "), "counts as missing") != c.missing {
			t.Errorf("%s: %v %q", name, s.Fires, sum.Lines())
		}
	}
}

func TestAttribution(t *testing.T) {
	t.Parallel()
	b, err := ingest.ReadBoundaries([]byte(boundaries))
	if err != nil {
		t.Fatal(err)
	}
	const head = "latitude,longitude,acq_date,state,district\n"
	for _, c := range []struct {
		name, row, state string
		with             *ingest.Boundaries
	}{
		{"from the point", "29.5,76.5,2025-11-13,,", "Haryana", b},
		{"the point overrules the record", "29.5,75.5,2025-11-13,Haryana,Jind", "Punjab", b},
		{"A10 a box over Punjab contains Pakistan's", "31.5,74.0,2025-11-13,Punjab,Lahore", "", b},
		{"a state that the boundaries do not cover comes from the record", "27.0,79.0,2025-11-13,UP,Etah", "UP", b},
		{"in the hole of an area", "29.7,76.7,2025-11-13,,", "", b},
		{"without boundaries from the record", "31.5,74.0,2025-11-13,Punjab,Lahore", "Punjab", nil},
		{"else none", "31.5,74.0,2025-11-13,,", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, sum := build(t, ingest.Options{Boundaries: c.with}, cpcb, head+c.row)
			if s.Fires[0].State != c.state || (sum.Unattributed == 1) != (c.state == "") {
				t.Errorf("%q, %+v", s.Fires[0].State, sum)
			}
		})
	}
	if lines := b.Outlines(geo.Point{Lat: 28, Lon: 75.2}, geo.Point{Lat: 31, Lon: 75.8}, 100); len(lines) != 1 || len(lines[0]) < 5 {
		t.Errorf("%v", lines)
	}
}

func TestCPCBCSV(t *testing.T) {
	t.Parallel()
	s, sum := build(t, ingest.Options{}, "Country,State,City,Station,Last_Update,Latitude,Longitude,Pollutant_Id,Pollutant_Min,Pollutant_Max,Pollutant_Avg\n"+
		"India,Delhi,Delhi,\"Rohini, Delhi - DPCC\",14-11-2025 13:00:00,28.73,77.12,PM2.5,1,2,320\n"+
		"India,Delhi,Delhi,\"Rohini, Delhi - DPCC\",14-11-2025 13:00:00,28.73,77.12,SO2,1,2,20\n"+
		"India,Delhi,Delhi,\"Rohini, Delhi - DPCC\",14-11-2025 13:00:00,28.73,77.12,NO2,NA,NA,NA\n")
	if len(s.Readings) != 1 || s.Readings[0].AQI != nil || sum.NoIndex != 1 || *s.Readings[0].Sub.PM25 != 320 {
		t.Errorf("two pollutants make no index: %+v", s.Readings)
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"what it does not know": "hello", "fires alone": modis, "nothing": ""} {
		if _, _, err := ingest.Build([]ingest.File{{Name: "x", Data: []byte(text)}}, ingest.Options{At: at}); !errors.Is(err, dossier.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{"no JSON": "x", "no areas": `{"type":"FeatureCollection","features":[]}`, "no state": `{"type":"FeatureCollection","features":[{"geometry":{"type":"Polygon","coordinates":[]}}]}`, "a point": `{"type":"FeatureCollection","features":[{"properties":{"st_nm":"X"},"geometry":{"type":"Point","coordinates":[1,2]}}]}`} {
		if _, err := ingest.ReadBoundaries([]byte(text)); !errors.Is(err, dossier.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ingest.Kind{
		cpcb: ingest.CPCB, viirsArchive: ingest.FIRMS, viirsNRT: ingest.FIRMS, modis: ingest.FIRMS, `{"stubble_burning_percent":1}`: ingest.DSS,
		`[{"source":"Stubble burning","percentage":12}]`: ingest.DSS, `{"hourly":{}}`: ingest.OpenMeteo, "VIDP 140830Z 29006KT 1500": ingest.METAR, "202511140830 METAR VIDP 140830Z 29006KT": ingest.METAR, "": "", "x": "",
	} {
		if got := ingest.Sniff([]byte(text)); got != want {
			t.Errorf("%.30q is %q", text, got)
		}
	}
}

// METAR names only the day of the month.
func TestMETARDates(t *testing.T) {
	t.Parallel()
	s, _ := build(t, ingest.Options{At: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}, cpcb, "VIDP 312330Z 29006KT 1500\n202511140830 VIDP 140830Z 27003MPS 1500\n")
	if got := s.Winds[0].Time; !got.Equal(time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC)) {
		t.Error(got)
	}
	if w := s.Winds[1]; !w.Time.Equal(at) || math.Abs(w.Speed-10.8) > 1e-9 {
		t.Errorf("%+v", w)
	}
}

func fuzzKind(f *testing.F, kind ingest.Kind, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, sum, err := ingest.Build([]ingest.File{{Name: "c", Data: []byte(cpcb)}, {Name: "x", Kind: kind, Data: data}}, ingest.Options{At: at})
		if err != nil {
			if !errors.Is(err, dossier.Invalid) {
				t.Fatal(err)
			}
			return
		}
		for _, in := range sum.Inputs {
			if in.Kept > in.Read {
				t.Fatalf("%d of %d kept", in.Kept, in.Read)
			}
		}
		for _, x := range s.Fires {
			if !x.Valid() {
				t.Fatalf("%+v", x)
			}
		}
		for _, w := range s.Winds {
			if !w.Valid() || !(w.From >= 0 && w.From < 360) || !(w.Speed >= 0) {
				t.Fatalf("%+v", w)
			}
		}
	})
}

func FuzzFIRMS(f *testing.F) { fuzzKind(f, ingest.FIRMS, viirsArchive, viirsNRT, modis) }
func FuzzCPCB(f *testing.F)  { fuzzKind(f, ingest.CPCB, cpcb, "station,aqi,timestamp\nA,3,2025-11-14") }
func FuzzDSS(f *testing.F) {
	fuzzKind(f, ingest.DSS, `{"stubble_burning_percent":"22.5%"}`, `[{"source":"Stubble","percentage":3}]`, `{"sources":[{"name":"biomass","value":"x"}]}`)
}

func FuzzOpenMeteo(f *testing.F) {
	fuzzKind(f, ingest.OpenMeteo, `{"latitude":28.6,"longitude":77.2,"hourly":{"time":["2025-11-14T13:00"],"windspeed_10m":[2],"winddirection_10m":[310]}}`, `[{"hourly":{"time":[1731571200],"wind_speed_10m":[1],"wind_direction_10m":[2]}}]`)
}

func FuzzMETAR(f *testing.F) {
	fuzzKind(f, ingest.METAR, "VIDP 140830Z 29006KT 1500 FU", "METAR COR VIDP 310000Z AUTO 360120G30MPS", "202513140830 VIDP 140830Z VRB01KT")
}

func FuzzBoundaries(f *testing.F) {
	f.Add([]byte(boundaries))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ingest.ReadBoundaries(data)
		if err != nil {
			if !errors.Is(err, dossier.Invalid) {
				t.Fatal(err)
			}
			return
		}
		b.At(geo.Point{Lat: 29.5, Lon: 76.5})
		b.Outlines(geo.Point{Lat: -90, Lon: -180}, geo.Point{Lat: 90, Lon: 180}, 10)
	})
}
