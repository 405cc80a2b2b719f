package observe

import (
	"strings"
	"time"

	"dossier/internal/geo"
)

// A Pollutant is one of the eight substances of the Indian air quality index.
type Pollutant string

// The pollutants, by the names our JSON uses.
const (
	PM25 Pollutant = "pm25"
	PM10 Pollutant = "pm10"
	NO2  Pollutant = "no2"
	SO2  Pollutant = "so2"
	O3   Pollutant = "o3"
	CO   Pollutant = "co"
	NH3  Pollutant = "nh3"
	Pb   Pollutant = "pb"
)

// Pollutants lists every pollutant, the particles first.
var Pollutants = []Pollutant{PM25, PM10, NO2, SO2, O3, CO, NH3, Pb}

// Label is the pollutant as people write it.
func (p Pollutant) Label() string {
	if p == PM25 {
		return "PM2.5"
	}
	return strings.ToUpper(string(p))
}

var pollutantNames = map[string]Pollutant{
	"PM25": PM25, "PM10": PM10, "NO2": NO2, "SO2": SO2, "O3": O3, "OZONE": O3,
	"CO": CO, "NH3": NH3, "PB": Pb, "LEAD": Pb,
}

// PollutantNamed finds a pollutant by any spelling in use ("PM2.5", "OZONE"), and
// false for a name nobody knows.
func PollutantNamed(name string) (Pollutant, bool) {
	p, ok := pollutantNames[strings.ToUpper(strings.NewReplacer(".", "", "_", "", " ", "").Replace(name))]
	return p, ok
}

// Levels holds one figure per pollutant; nil means that none was given. Concentrations
// are µg/m³, and mg/m³ for carbon monoxide.
type Levels struct {
	PM25 *float64 `json:"pm25"`
	PM10 *float64 `json:"pm10"`
	NO2  *float64 `json:"no2,omitempty"`
	SO2  *float64 `json:"so2,omitempty"`
	O3   *float64 `json:"o3,omitempty"`
	CO   *float64 `json:"co,omitempty"`
	NH3  *float64 `json:"nh3,omitempty"`
	Pb   *float64 `json:"pb,omitempty"`
}

// Get returns the figure for p, nil if there is none.
func (l Levels) Get(p Pollutant) *float64 { return *l.slot(p) }

// Set records v as the figure for p.
func (l *Levels) Set(p Pollutant, v float64) { *l.slot(p) = &v }

func (l *Levels) slot(p Pollutant) **float64 {
	switch p {
	case PM25:
		return &l.PM25
	case PM10:
		return &l.PM10
	case NO2:
		return &l.NO2
	case SO2:
		return &l.SO2
	case O3:
		return &l.O3
	case CO:
		return &l.CO
	case NH3:
		return &l.NH3
	case Pb:
		return &l.Pb
	}
	panic("observe: unknown pollutant " + string(p))
}

// Empty reports whether l holds no figure at all.
func (l Levels) Empty() bool { return l == Levels{} }

// The bases of an air quality index: where its number comes from.
const (
	Given    = "given"    // the record carried it
	Computed = "computed" // worked out by the national formula from the pollutants
)

// A Reading is what one station measured at one time.
type Reading struct {
	Station string    `json:"station"`
	City    string    `json:"city,omitempty"`
	State   string    `json:"state,omitempty"`
	AQI     *float64  `json:"aqi"` // nil: neither given nor computable
	Basis   string    `json:"aqi_basis,omitempty"`
	Time    time.Time `json:"timestamp"`
	Levels
	*geo.Point         // nil: the record has no place
	Sub        *Levels `json:"sub_indices,omitempty"` // where a feed gives sub-indices instead of concentrations
}

// Fill computes the index of a reading that has none, where its pollutants allow it.
func (r *Reading) Fill() {
	if r.AQI != nil {
		if r.Basis == "" {
			r.Basis = Given
		}
		return
	}
	sub := Levels{}
	if r.Sub != nil {
		sub = *r.Sub
	}
	for _, p := range Pollutants {
		if c := r.Get(p); c != nil && sub.Get(p) == nil {
			sub.Set(p, SubIndex(p, *c))
		}
	}
	if aqi, ok := Index(sub); ok {
		r.AQI, r.Basis = &aqi, Computed
	}
}
