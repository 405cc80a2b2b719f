package render

import (
	"fmt"
	"math"
	"time"

	"dossier/apps/airshed/correlate"
	"dossier/internal/geo"
)

// A Dot is a fire on the map.
type Dot struct {
	geo.Point
	State string `json:"state"`
}

// maxDots bounds the fires drawn; beyond it every n-th is, and the map says so.
const maxDots = 4000

const mapSide = 640

// drawMap draws the station, its radius, the fires, the upwind sector and the path of
// the air. outlines are boundary lines of [longitude, latitude] corners.
func drawMap(d Document) *scene {
	r := d.Report
	s := &scene{width: mapSide, height: mapSide, title: fmt.Sprintf("Map of %d fires round %s", r.FireCount, r.SurgeDetails.Station)}
	centre := geo.Point{Lat: r.SurgeDetails.Latitude, Lon: r.SurgeDetails.Longitude}
	perKm := mapSide / 2 / (r.Rules.RadiusKm * 1.12)
	at := func(p geo.Point) xy {
		const kmPerDegree = 111.195
		return xy{
			mapSide/2 + (p.Lon-centre.Lon)*kmPerDegree*math.Cos(centre.Lat*math.Pi/180)*perKm,
			mapSide/2 - (p.Lat-centre.Lat)*kmPerDegree*perKm,
		}
	}
	for _, ring := range d.Outlines {
		var pts []xy
		for _, c := range ring {
			pts = append(pts, at(geo.Point{Lat: c[1], Lon: c[0]}))
		}
		s.line(faint, 0.8, false, pts...)
	}
	for _, part := range []float64{0.5, 1} {
		s.line(faint, 1, part < 1, round(at, centre, r.Rules.RadiusKm*part)...)
	}
	if t := r.Transport; t.Verdict != correlate.NoWind {
		wedge := []xy{at(centre)}
		for a := -t.Sector; a <= t.Sector+0.01; a += t.Sector / 12 {
			wedge = append(wedge, at(geo.Travel(centre, t.From+a, r.Rules.RadiusKm)))
		}
		s.area(sector, none, wedge...)
	}
	step := 1 + len(d.Fires)/maxDots
	for i := 0; i < len(d.Fires); i += step {
		s.disc(fireRed, at(d.Fires[i].Point), 2.2)
	}
	if t := r.Transport; len(t.Path) > 1 {
		var pts []xy
		for _, p := range t.Path {
			pts = append(pts, at(p))
		}
		s.line(airBlue, 2, true, pts...)
	}
	s.states(d, at)
	s.disc(paper, at(centre), 7)
	s.disc(ink, at(centre), 5)
	s.label(ink, xy{mapSide/2 + 10, mapSide/2 + 4}, 15, "start", "%s", r.SurgeDetails.Station)
	s.legend(r.Rules.RadiusKm, perKm, step, r.Transport.Verdict != correlate.NoWind)
	return s
}

// states writes the name of each state of the report amid its fires.
func (s *scene) states(d Document, at func(geo.Point) xy) {
	for _, f := range d.Report.FireCorrelation {
		var mid xy
		var n float64
		for _, dot := range d.Fires {
			if dot.State == f.State {
				p := at(dot.Point)
				mid, n = xy{mid.x + p.x, mid.y + p.y}, n+1
			}
		}
		if n > 0 {
			s.label(ink, xy{mid.x / n, mid.y / n}, 14, "middle", "%s: %d", f.State, f.FireCount)
		}
	}
}

func round(at func(geo.Point) xy, c geo.Point, km float64) []xy {
	var out []xy
	for b := 0.0; b <= 360; b += 4 {
		out = append(out, at(geo.Travel(c, b, km)))
	}
	return out
}

func (s *scene) legend(radius, perKm float64, step int, wind bool) {
	s.label(ink, xy{mapSide / 2, 16}, 13, "middle", "N")
	y := s.height - 14
	s.line(ink, 2, false, xy{16, y}, xy{16 + 50*perKm, y})
	s.label(ink, xy{16, y - 6}, 12, "start", "50 km; the outer ring is %v km", radius)
	fires := "fire in the window"
	if step > 1 {
		fires = fmt.Sprintf("fire in the window (1 of %d drawn)", step)
	}
	s.rect(paper, 4, 4, 202, 44) // boundaries may run below the words
	s.disc(fireRed, xy{22, 20}, 4)
	s.label(ink, xy{32, 24}, 12, "start", "%s", fires)
	if wind {
		s.line(airBlue, 2, true, xy{14, 38}, xy{30, 38})
		s.label(ink, xy{34, 42}, 12, "start", "path of the air and upwind sector")
	}
}

// midnight is when the day of t began where the report is read.
func midnight(t time.Time) time.Time {
	y, m, d := t.In(india).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, india)
}

// drawChart draws the index of the station as a line over the fires as bars.
func drawChart(d Document) *scene {
	const w, h, left, right, top, bottom = 760, 300, 46, 46, 26, 34
	t, r := d.Report.Timeline, d.Report
	s := &scene{width: w, height: h, title: "Index of " + r.SurgeDetails.Station + " and fires within the radius, week before the surge"}
	if len(t.Fires) == 0 {
		return s
	}
	start, step := t.Fires[0].From, t.Fires[len(t.Fires)-1].From.Sub(t.Fires[0].From)
	if len(t.Fires) > 1 {
		step /= time.Duration(len(t.Fires) - 1)
	}
	span := step * time.Duration(len(t.Fires))
	most, worst := 4, max(500, r.SurgeDetails.AQI)
	for _, f := range t.Fires {
		most = max(most, f.Count)
	}
	x := func(share float64) float64 { return left + share*(w-left-right) }
	y := func(share float64) float64 { return h - bottom - share*(h-top-bottom) }
	for i := range 6 {
		share := float64(i) / 5
		s.line(hair, 1, false, xy{left, y(share)}, xy{w - right, y(share)})
		s.label(airBlue, xy{left - 6, y(share) + 4}, 11, "end", "%.0f", share*worst)
		s.label(fireRed, xy{w - right + 6, y(share) + 4}, 11, "start", "%.0f", share*float64(most))
	}
	bar := (w - left - right) / float64(len(t.Fires))
	for i, f := range t.Fires {
		high := float64(f.Count) / float64(most) * (h - top - bottom)
		s.rect(fireRed, x(0)+float64(i)*bar+1, h-bottom-high, max(1, bar-2), high)
	}
	end := start.Add(span)
	for day := midnight(start); day.Before(end); day = day.AddDate(0, 0, 1) {
		if !day.Before(start) {
			s.label(ink, xy{x(float64(day.Sub(start)) / float64(span)), h - bottom + 16}, 11, "start", "%s", day.Format("2 Jan"))
		}
	}
	limit := y(r.Rules.SurgeAQI / worst)
	s.line(ink, 1, true, xy{left, limit}, xy{w - right, limit})
	var line []xy
	for _, p := range t.Index {
		at := xy{x(float64(p.Time.Sub(start)) / float64(span)), y(p.AQI / worst)}
		line = append(line, at)
		s.disc(airBlue, at, 2.5)
	}
	s.line(airBlue, 2, false, line...)
	s.label(airBlue, xy{left - 30, 14}, 12, "start", "Index of %s (dashed: threshold %v)", r.SurgeDetails.Station, r.Rules.SurgeAQI)
	s.label(fireRed, xy{w - right + 30, 14}, 12, "end", "Fires within %v km, per %v h", r.Rules.RadiusKm, step.Hours())
	return s
}
