package correlate

import (
	"slices"
	"testing"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

var alipur = Surge{BorderStation: BorderStation{Name: "Alipur", Point: geo.Point{Lat: 28.8, Lon: 77.1}, AQI: 450, Time: at(8)}, From: at(8), To: at(8)}

func fireAt(bearing, km float64, date, clock, state, district string) observe.Fire {
	return observe.Fire{Point: geo.Travel(alipur.Point, bearing, km), AcqDate: date, AcqTime: clock, State: state, District: district}
}

func many(n int, f observe.Fire) []observe.Fire { return slices.Repeat([]observe.Fire{f}, n) }

func one(fires ...observe.Fire) Correlation { return Correlate(fires, []Surge{alipur}, Defaults())[0] }

func TestCorrelateDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		km   float64
		want int
	}{
		{"A-067 A-129 near", 85, 1}, {"A-067 within 200 km", 199.999, 1}, {"A-067 A-129 beyond", 200.001, 0}, {"A-129 far", 900, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := one(fireAt(300, c.km, "2025-11-13", "0800", "Haryana", "Jind")); got.FireCount != c.want {
				t.Errorf("%d fires", got.FireCount)
			}
		})
	}
}

func TestCorrelateWindowA8(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, date, clock string
		want              int
	}{
		{"at the surge", "2025-11-14", "0800", 1},
		{"a minute after", "2025-11-14", "0801", 0},
		{"48 h before", "2025-11-12", "0800", 1},
		{"a minute more", "2025-11-12", "0759", 0},
		{"the day of the surge, no time", "2025-11-14", "", 1},
		{"the day after, no time", "2025-11-15", "", 0},
		{"the day 48 h before, no time: it may have been in the window", "2025-11-12", "", 1},
		{"the day before that ends too early", "2025-11-11", "", 0},
	} {
		t.Run("A-066 A8 "+c.name, func(t *testing.T) {
			t.Parallel()
			if got := one(fireAt(300, 50, c.date, c.clock, "Haryana", "Jind")); got.FireCount != c.want {
				t.Errorf("%d fires", got.FireCount)
			}
		})
	}
	midnight := alipur
	midnight.Time = time.Date(2025, 11, 14, 0, 0, 0, 0, time.UTC)
	for date, want := range map[string]int{"2025-11-11": 0, "2025-11-12": 1, "2025-11-13": 1, "2025-11-14": 1, "2025-11-15": 0} {
		if got := Correlate([]observe.Fire{fireAt(300, 50, date, "", "Haryana", "Jind")}, []Surge{midnight}, Defaults())[0]; got.FireCount != want {
			t.Errorf("a surge at midnight counts %d fires of %s, no time", got.FireCount, date)
		}
	}
	undatedFire := one(fireAt(300, 50, "", "", "Haryana", "Jind"), fireAt(300, 250, "", "", "Haryana", "Jind"))
	if undatedFire.FireCount != 0 || undatedFire.Undated != 1 {
		t.Errorf("an undated fire is counted apart: %+v", undatedFire)
	}
}

func TestCorrelateGroups(t *testing.T) {
	t.Parallel()
	var fires []observe.Fire
	fires = append(fires, many(70, fireAt(300, 80, "2025-11-13", "", "Haryana", "Jind"))...)
	fires = append(fires, many(31, fireAt(310, 110, "2025-11-13", "", "Haryana", "Karnal"))...)
	fires = append(fires, many(100, fireAt(310, 190, "2025-11-13", "", "Punjab", "Patiala"))...)
	fires = append(fires, many(2, fireAt(90, 40, "2025-11-13", "", "UP", "Baghpat"))...)
	fires = append(fires, many(3, fireAt(90, 60, "2025-11-13", "", "Uttar Pradesh", ""))...)
	fires = append(fires, many(4, fireAt(270, 120, "2025-11-13", "", "", ""))...)
	c := one(fires...)
	if c.FireCount != 210 || c.Unattributed != 4 { // A-069 A-130
		t.Fatalf("%d fires, %d unattributed", c.FireCount, c.Unattributed)
	}
	var names []string
	for _, s := range c.States {
		names = append(names, s.State)
	}
	if !slices.Equal(names, []string{"Haryana", "Punjab", "UP"}) { // A-068 A-130
		t.Fatalf("%v", names)
	}
	h, p, up := c.States[0], c.States[1], c.States[2]
	if h.FireCount != 101 || !slices.Equal(h.Districts, []string{"Jind", "Karnal"}) || round1(h.AvgDistanceKm) != 89.2 || round1(h.NearestKm) != 80 {
		t.Errorf("Haryana %+v", h)
	}
	if !h.IsHighContribution || p.IsHighContribution { // A-070 A3
		t.Error("101 is high and 100 is not")
	}
	if up.FireCount != 5 || !slices.Equal(up.Districts, []string{"Baghpat"}) {
		t.Errorf("both spellings are one state: %+v", up)
	}
	if got := round1(c.AvgDistanceKm); got != 136.9 { // A4: weighted by fires
		t.Errorf("mean %v", got)
	}
}

func TestTransportA138(t *testing.T) {
	t.Parallel()
	hourly := func(from, speed float64, hours int) []observe.Wind {
		var out []observe.Wind
		for h := range hours {
			out = append(out, observe.Wind{Point: alipur.Point, Time: alipur.Time.Add(-time.Duration(h) * time.Hour), From: from, Speed: speed})
		}
		return out
	}
	fires := append(many(8, fireAt(300, 80, "2025-11-13", "", "Haryana", "Jind")), many(2, fireAt(120, 80, "2025-11-13", "", "UP", "Meerut"))...)
	c := one(fires...)
	for _, k := range []struct {
		name    string
		winds   []observe.Wind
		verdict string
		upwind  int
	}{
		{"the wind from the fires supports", hourly(310, 10, 24), Supports, 8},
		{"the wind from elsewhere contradicts", hourly(200, 10, 24), Contradicts, 0},
		{"few fires upwind contradict", hourly(120, 10, 24), Contradicts, 2},
		{"calm decides nothing", hourly(310, 2, 24), Undecided, 8},
		{"too few hours", hourly(310, 10, 10), NoWind, 0},
		{"half the hours are enough", hourly(310, 10, 12), Supports, 8},
		{"no wind at all", nil, NoWind, 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			got := Follow(alipur, fires, c, k.winds, Defaults())
			if got.Verdict != k.verdict || got.Upwind != k.upwind {
				t.Errorf("%s, %d upwind: %s", got.Verdict, got.Upwind, got.Reason)
			}
		})
	}
	for _, k := range []struct {
		upwind, aside int
		verdict       string
	}{{5, 5, Supports}, {4, 5, Undecided}, {2, 6, Undecided}, {2, 7, Contradicts}} { // half, less, a quarter, less
		fires := append(many(k.upwind, fireAt(300, 80, "2025-11-13", "", "Haryana", "Jind")), many(k.aside, fireAt(120, 80, "2025-11-13", "", "UP", "Meerut"))...)
		if got := Follow(alipur, fires, one(fires...), hourly(310, 10, 24), Defaults()); got.Verdict != k.verdict {
			t.Errorf("%d of %d upwind: %s", k.upwind, k.upwind+k.aside, got.Verdict)
		}
	}
	tr := Follow(alipur, fires, c, hourly(300, 10, 24), Defaults())
	if km := geo.Km(tr.Path[0], tr.Path[24]); len(tr.Path) != 25 || km < 239 || km > 241 {
		t.Errorf("the path is %d points and %v km", len(tr.Path), km)
	}
	if tr.Corridor != 8 || tr.ByState[0] != (StateWind{"Haryana", 8, 8, 1}) || tr.ByState[1].Upwind != 0 {
		t.Errorf("%+v", tr)
	}
	if Compass(300) != "west-north-west" || Compass(359) != "north" {
		t.Error(Compass(300), Compass(359))
	}
	if Follow(alipur, nil, Correlation{}, hourly(300, 10, 24), Defaults()).Verdict != NoWind {
		t.Error("no fires, no verdict")
	}
}

func TestWindNeverChangesTheConfidence(t *testing.T) {
	t.Parallel()
	c := states(120)
	before := Score(all, c.FireCount, c.AvgDistanceKm, Defaults())
	Follow(alipur, nil, Correlation{}, []observe.Wind{{Time: alipur.Time, From: 10, Speed: 10}}, Defaults())
	if after := Score(all, c.FireCount, c.AvgDistanceKm, Defaults()); after.Score != before.Score {
		t.Error("it does")
	}
}

func TestHistoryA139(t *testing.T) {
	t.Parallel()
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 9, 0, 0, 0, time.UTC) }
	past := []Sample{{day(2024, 11, 10), 320}, {day(2024, 11, 20), 280}, {day(2024, 8, 1), 60}, {day(2023, 11, 14), 400}, {day(2023, 11, 15), 300}, {day(2025, 11, 13), 350}}
	c := states(120)
	c.States[0].DistrictCounts = []DistrictFires{{"Jind", 90}, {"Sirsa", 30}}
	reports := []PastReport{
		{Reported: Reported{Station: "Alipur", Time: day(2024, 11, 12)}, States: []StateFires{{State: "Haryana", Districts: []string{"Jind"}}}},
		{Reported: Reported{Station: "Alipur", Time: day(2026, 11, 12)}, States: []StateFires{{State: "Haryana", Districts: []string{"Jind"}}}}, // later than the surge
		{Reported: Reported{Station: "Rohini", Time: day(2023, 11, 2)}, States: []StateFires{{State: "haryana", Districts: []string{"JIND", "Karnal"}}}},
	}
	h := Compare(alipur, c, past, reports, Defaults())
	if len(h.Years) != 2 || h.Years[0] != (YearLine{2024, 2, 300, 320, 1, 1}) || h.Years[1] != (YearLine{2023, 2, 350, 400, 1, 0}) {
		t.Errorf("%+v", h.Years)
	}
	if len(h.Recurring) != 1 || h.Recurring[0].District != "Jind" || h.Recurring[0].Reports != 2 || !slices.Equal(h.Recurring[0].Years, []int{2023, 2024}) {
		t.Errorf("%+v", h.Recurring)
	}
	// Two weeks to either side are the same weeks; a day more is not.
	noon := func(d int) Sample { return Sample{alipur.Time.AddDate(-1, 0, d), 310} }
	if got := Compare(alipur, c, []Sample{noon(-15), noon(-14), noon(14), noon(15)}, nil, Defaults()); len(got.Years) != 1 || got.Years[0].Readings != 2 {
		t.Errorf("%+v", got.Years)
	}
	january := Surge{BorderStation: BorderStation{Name: "Alipur", Time: day(2026, 1, 3)}}
	if got := Compare(january, c, []Sample{{day(2024, 12, 28), 310}}, nil, Defaults()); len(got.Years) != 1 || got.Years[0].Year != 2025 {
		t.Errorf("the turn of the year splits a season: %+v", got.Years)
	}
}

func TestTraceAndFiresBefore(t *testing.T) {
	t.Parallel()
	fires := []observe.Fire{
		fireAt(300, 50, "2025-11-13", "1000", "Haryana", "Jind"), fireAt(300, 50, "2025-11-13", "1100", "Haryana", "Jind"),
		fireAt(300, 250, "2025-11-13", "1100", "Haryana", "Jind"), fireAt(300, 50, "2025-11-09", "", "Haryana", "Jind"),
	}
	series := []BorderStation{{Time: at(8).Add(-24 * time.Hour), AQI: 200, Point: alipur.Point}, {Time: at(8), AQI: 450, Point: alipur.Point}}
	tl := Trace(alipur, series, fires, 3, 6*time.Hour, Defaults())
	if len(tl.Index) != 2 || len(tl.Fires) != 12 {
		t.Fatalf("%d readings, %d stretches", len(tl.Index), len(tl.Fires))
	}
	total := 0
	for _, f := range tl.Fires {
		total += f.Count
		if f.Count == 2 && !f.From.Equal(time.Date(2025, 11, 13, 6, 0, 0, 0, time.UTC)) {
			t.Errorf("fires at %v", f.From)
		}
	}
	if total != 2 {
		t.Errorf("%d fires on the line", total)
	}
	if got := FiresBefore(series, fires, Defaults()); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("%v", got)
	}
}
