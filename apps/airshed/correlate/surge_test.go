package correlate

import (
	"strings"
	"testing"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

var noon = time.Date(2025, 11, 14, 12, 0, 0, 0, time.UTC)

func at(hour int) time.Time { return time.Date(2025, 11, 14, hour, 0, 0, 0, time.UTC) }

func reading(station string, aqi float64, t time.Time) observe.Reading {
	return observe.Reading{Station: station, AQI: &aqi, Basis: observe.Given, Time: t}
}

func TestSurge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		aqi  float64
		want bool
	}{
		{"A-063 A-128 200 is none", 200, false},
		{"A-063 A3 the threshold itself is none", 300, false},
		{"A-063 A3 301 is one", 301, true},
		{"A-128 350", 350, true},
		{"A-128 450", 450, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := FindSurges([]observe.Reading{reading("Alipur", c.aqi, at(8))}, Stations(), noon, Defaults())
			if got := len(w.Surges) == 1; got != c.want {
				t.Errorf("surge = %v", got)
			}
			if w.Stations[0].IsSurge != c.want {
				t.Errorf("is_surge = %v", w.Stations[0].IsSurge)
			}
		})
	}
}

func TestSurgeA062A064ListsStationsWithDetails(t *testing.T) {
	t.Parallel()
	rd := reading("Alipur, Delhi - DPCC", 450, at(8))
	rd.Set(observe.PM25, 350.5)
	rd.Set(observe.PM10, 420.2)
	rd.Point = &geo.Point{Lat: 28.8153, Lon: 77.1530}
	w := FindSurges([]observe.Reading{rd, reading("Rohini", 250, at(8)), reading("Mundka", 480, at(8))}, Stations(), noon, Defaults())
	if len(w.Surges) != 1 || len(w.Stations) != 2 {
		t.Fatalf("%d surges at %d stations", len(w.Surges), len(w.Stations))
	}
	s := w.Surges[0]
	if s.Name != "Alipur" || s.AQI != 450 || *s.PM25 != 350.5 || *s.PM10 != 420.2 || s.Point != *rd.Point || !s.Time.Equal(at(8)) || s.Border != "Haryana" {
		t.Errorf("%+v", s)
	}
	if s.Subject() != "station/Alipur/2025-11-14T08:00Z" {
		t.Error(s.Subject())
	}
}

func TestSurgeA10NamesAloneDoNotMakeAStation(t *testing.T) {
	t.Parallel()
	hapur := reading("Anand Vihar, Hapur - UPPCB", 480, at(8))
	hapur.Point = &geo.Point{Lat: 28.7256, Lon: 77.7500}
	near := reading("Dwarka-Sector 8, Delhi - DPCC ", 410, at(8))
	near.Point = &geo.Point{Lat: 28.5710, Lon: 77.0719}
	w := FindSurges([]observe.Reading{hapur, near, reading("Delhi-Anand Vihar", 380, at(9)), reading("Rohini Extension", 900, at(9))}, Stations(), noon, Defaults())
	names := map[string]float64{}
	for _, s := range w.Surges {
		names[s.Name] = s.AQI
	}
	if len(names) != 3 || names["Dwarka"] != 410 || names["Anand Vihar"] != 380 || names["Rohini"] != 900 {
		t.Errorf("%v", names)
	}
	if !strings.Contains(strings.Join(w.Notes, "\n"), `"Anand Vihar, Hapur - UPPCB" is 43 km`) {
		t.Errorf("notes: %q", w.Notes)
	}
}

// A feed may leave out where a station stands; what it says of the state is then held
// against the name.
func TestSurgeA10AReadingWithoutAPlace(t *testing.T) {
	t.Parallel()
	hapur, delhi, bare := reading("Anand Vihar", 480, at(8)), reading("Anand Vihar", 380, at(7)), reading("Anand Vihar", 350, at(6))
	hapur.State, delhi.State = "Uttar_Pradesh", "NCT of Delhi"
	hapur.Point, delhi.Point, bare.Point = nil, nil, nil
	w := FindSurges([]observe.Reading{hapur, delhi, bare}, Stations(), noon, Defaults())
	if len(w.Surges) != 1 || w.Surges[0].AQI != 380 || !w.Surges[0].From.Equal(at(6)) || !strings.Contains(strings.Join(w.Notes, "\n"), "is in Uttar_Pradesh and gives no place") {
		t.Errorf("%+v, %q", w.Surges, w.Notes)
	}
	if Belongs(hapur, Stations()[1], Defaults()) || !Belongs(delhi, Stations()[1], Defaults()) {
		t.Error("the case would keep another reading than the sweep judged")
	}
}

func TestSurgeRuns(t *testing.T) {
	t.Parallel()
	series := []observe.Reading{
		reading("Alipur", 310, at(2)), reading("Alipur", 420, at(3)), reading("Alipur", 300, at(4)),
		reading("Alipur", 350, at(6)), reading("Alipur", 340, at(7)),
	}
	w := FindSurges(series, Stations(), noon, Defaults())
	if len(w.Surges) != 2 {
		t.Fatalf("%d surges", len(w.Surges))
	}
	if a := w.Surges[0]; a.AQI != 420 || !a.From.Equal(at(2)) || !a.To.Equal(at(3)) {
		t.Errorf("first run %+v", a)
	}
	if b := w.Surges[1]; b.AQI != 350 || !b.Time.Equal(at(6)) || !b.To.Equal(at(7)) {
		t.Errorf("second run %+v", b)
	}
	later := FindSurges(series, Stations(), at(3).Add(25*time.Hour), Defaults())
	if len(later.Surges) != 1 || later.Surges[0].AQI != 350 {
		t.Errorf("a run that ended more than a day ago is reported: %+v", later.Surges)
	}
}

func TestSurgeNotesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	future := reading("Alipur", 450, noon.Add(3*time.Hour))
	bare := observe.Reading{Station: "Rohini", Time: at(8)}
	w := FindSurges([]observe.Reading{future, bare}, Stations(), noon, Defaults())
	notes := strings.Join(w.Notes, "\n")
	if len(w.Surges) != 0 || !strings.Contains(notes, "from the future") || !strings.Contains(notes, "too few pollutants") {
		t.Errorf("%+v", w)
	}
}

func TestSameSurge(t *testing.T) {
	t.Parallel()
	old := Reported{Station: "Alipur", Time: at(8), From: at(8), To: at(8)}
	surge := func(station string, h int) Surge {
		return Surge{BorderStation{Name: station, Time: at(h), AQI: 400}, at(h), at(h)}
	}
	for _, c := range []struct {
		name  string
		s     Surge
		known []Sample
		want  bool
	}{
		{"A-115 A6 the same moment", surge("Alipur", 8), nil, true},
		{"A6 within the hour", surge("Alipur", 9), nil, true},
		{"A6 the hour holds whatever lies between", surge("Alipur", 9), []Sample{{at(8).Add(30 * time.Minute), 250}}, true},
		{"A6 another station", surge("Rohini", 8), nil, false},
		{"A6 an unbroken run", surge("Alipur", 14), []Sample{{at(10), 390}, {at(12), 305}}, true},
		{"A6 broken by a reading at the threshold", surge("Alipur", 14), []Sample{{at(10), 300}}, false},
		{"A6 silent in between, but not for long", surge("Alipur", 19), nil, true},
		{"A6 silent for too long", surge("Alipur", 21), nil, false},
		{"A6 earlier than the one reported", surge("Alipur", 3), []Sample{{at(5), 250}}, false},
		{"A6 readings outside the gap do not matter", surge("Alipur", 14), []Sample{{at(2), 90}, {at(20), 90}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := SameSurge(c.s, old, c.known, Defaults()); got != c.want {
				t.Errorf("same = %v", got)
			}
		})
	}
}
