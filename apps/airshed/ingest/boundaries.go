package ingest

import (
	"encoding/json"
	"strings"

	"dossier"
	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// Boundaries tells in which state and district a point lies.
type Boundaries struct {
	areas  []area
	states map[string]bool // by observe.StateKey
}

// A ring is a closed line of [longitude, latitude] corners, as GeoJSON writes them.
type ring [][2]float64

type area struct {
	state, district  string
	minimum, maximum [2]float64 // corners of the box round the shape
	polygons         [][]ring   // the first ring of each is its edge, the others are holes
}

// The names under which published boundary files keep the two facts we need.
var (
	stateNames    = []string{"st_nm", "state", "state_name", "stname", "name_1", "statename"}
	districtNames = []string{"district", "dt_nm", "dist_name", "dtname", "name_2", "district_name"}
)

// A feature is one area of a GeoJSON feature collection.
type feature struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Geometry   struct {
		Type        string          `json:"type"`
		Coordinates json.RawMessage `json:"coordinates"`
	} `json:"geometry"`
}

// ReadBoundaries reads GeoJSON feature collections of states or districts, each
// feature a polygon with the name of its state and, if it has one, of its district.
func ReadBoundaries(files ...[]byte) (*Boundaries, error) {
	b := &Boundaries{states: map[string]bool{}}
	for _, data := range files {
		var fc struct {
			Type     string    `json:"type"`
			Features []feature `json:"features"`
		}
		if err := json.Unmarshal(clean(data), &fc); err != nil || fc.Type != "FeatureCollection" {
			return nil, dossier.Errorf(dossier.Invalid, "The boundaries are not a GeoJSON feature collection.").Because(err)
		}
		for i, f := range fc.Features {
			if err := b.add(i, f); err != nil {
				return nil, err
			}
		}
	}
	if len(b.areas) == 0 {
		return nil, dossier.Errorf(dossier.Invalid, "The boundaries hold no area. A feature collection of states or districts is needed.")
	}
	return b, nil
}

func (b *Boundaries) add(i int, f feature) error {
	a := area{state: f.property(stateNames), district: f.property(districtNames)}
	if a.state == "" {
		return dossier.Errorf(dossier.Invalid, "Feature %d of the boundaries does not name its state. The properties %s are looked for.", i, strings.Join(stateNames, ", "))
	}
	var err error
	switch f.Geometry.Type {
	case "Polygon":
		a.polygons = make([][]ring, 1)
		err = json.Unmarshal(f.Geometry.Coordinates, &a.polygons[0])
	case "MultiPolygon":
		err = json.Unmarshal(f.Geometry.Coordinates, &a.polygons)
	default:
		return dossier.Errorf(dossier.Invalid, "Feature %d of the boundaries (%s) is not a polygon.", i, a.state)
	}
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "The corners of feature %d of the boundaries (%s) cannot be read.", i, a.state).Because(err)
	}
	a.measure()
	b.areas = append(b.areas, a)
	b.states[observe.StateKey(a.state)] = true
	return nil
}

func (f feature) property(names []string) string {
	for _, want := range names {
		for name, raw := range f.Properties {
			var s string
			if strings.EqualFold(name, want) && json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) != "" {
				return strings.TrimSpace(s)
			}
		}
	}
	return ""
}

// measure sets the box round the shape.
func (a *area) measure() {
	a.minimum, a.maximum = [2]float64{180, 90}, [2]float64{-180, -90}
	for _, polygon := range a.polygons {
		for _, r := range polygon {
			for _, corner := range r {
				for axis := range 2 {
					a.minimum[axis] = min(a.minimum[axis], corner[axis])
					a.maximum[axis] = max(a.maximum[axis], corner[axis])
				}
			}
		}
	}
}

func (a *area) contains(p geo.Point) bool {
	if p.Lon < a.minimum[0] || p.Lon > a.maximum[0] || p.Lat < a.minimum[1] || p.Lat > a.maximum[1] {
		return false
	}
	for _, polygon := range a.polygons {
		inside := false
		for _, r := range polygon {
			if r.crossed(p) {
				inside = !inside // a hole takes out what the edge put in
			}
		}
		if inside {
			return true
		}
	}
	return false
}

// crossed reports whether a line from p to the east crosses r an odd number of times.
func (r ring) crossed(p geo.Point) bool {
	odd := false
	for i, j := 0, len(r)-1; i < len(r); j, i = i, i+1 {
		a, b := r[i], r[j]
		if (a[1] > p.Lat) != (b[1] > p.Lat) && p.Lon < (b[0]-a[0])*(p.Lat-a[1])/(b[1]-a[1])+a[0] {
			odd = !odd
		}
	}
	return odd
}

// At returns the state and district of p, and false if p lies in no known area.
func (b *Boundaries) At(p geo.Point) (state, district string, ok bool) {
	for i := range b.areas {
		if b.areas[i].contains(p) {
			return b.areas[i].state, b.areas[i].district, true
		}
	}
	return "", "", false
}

// attribute gives each fire its state: from the point where boundaries are known, from
// the record where they do not cover the state it names, else none.
func (b *builder) attribute() {
	for i := range b.snap.Fires {
		f := &b.snap.Fires[i]
		if bounds := b.opt.Boundaries; bounds != nil {
			state, district, ok := bounds.At(f.Point)
			switch {
			case ok:
				if f.State != "" && observe.StateKey(f.State) != observe.StateKey(state) {
					b.summary.Overruled++
				}
				f.State, f.District = state, district
			case bounds.states[observe.StateKey(f.State)]:
				f.State, f.District = "", ""
				b.summary.Overruled++
			}
		}
		if f.State == "" {
			b.summary.Unattributed++
		}
	}
}

// Outlines returns the edges of the areas that meet a box, for maps: as lines of
// [longitude, latitude] corners, thinned to at most the given number for each.
func (b *Boundaries) Outlines(southWest, northEast geo.Point, corners int) [][][2]float64 {
	var out [][][2]float64
	for _, a := range b.areas {
		if a.maximum[0] < southWest.Lon || a.minimum[0] > northEast.Lon || a.maximum[1] < southWest.Lat || a.minimum[1] > northEast.Lat {
			continue
		}
		for _, polygon := range a.polygons {
			if len(polygon) == 0 || len(polygon[0]) < 4 {
				continue
			}
			edge := polygon[0]
			step := 1 + len(edge)/max(4, corners)
			line := [][2]float64{}
			for i := 0; i < len(edge); i += step {
				line = append(line, edge[i])
			}
			out = append(out, append(line, edge[0]))
		}
	}
	return out
}
