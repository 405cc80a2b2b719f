package engine

import (
	"fmt"
	"math"
	"strings"

	"dossier"
	"dossier/internal/geo"
)

// RoadFactor turns a great-circle distance into an estimate of the way by road.
const RoadFactor = 1.2

// A Place is a point as the programme's evidence writes it.
type Place struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

func (p Place) point() geo.Point { return geo.Point{Lat: p.Lat, Lon: p.Lng} }

// PlaceOf returns p as evidence writes it.
func PlaceOf(p geo.Point) Place { return Place{p.Lat, p.Lon} }

// A PickupFact is where a van picks up: the data of "vanpool_pickup" evidence.
type PickupFact struct {
	Vanpool   string  `json:"vanpool_id"`
	Coords    Place   `json:"pickup_coords"`
	Threshold float64 `json:"threshold_miles"`
}

// A ProfileFact is what is known of a rider: the data of "employee_profile" evidence.
type ProfileFact struct {
	Employee string `json:"employee_id"`
	ZIP      string `json:"home_zip,omitempty"`
	Coords   *Place `json:"home_coords,omitempty"` // rounded to about a hundred metres
	Site     string `json:"site,omitempty"`
}

// A Basis says where a home was taken to be.
type Basis string

// The bases of a distance.
const (
	ByCoordinates Basis = "home_coordinates"
	ByZIP         Basis = "zip_centroid"
	ByNothing     Basis = "none" // neither is known
)

// Estimated is the method of a distance that no routing service measured.
const Estimated = "great_circle_x1.2"

// A DistanceFact is how far a rider lives from the pickup point: the data of
// "distance_check" evidence. It always holds the great-circle figure, and the routed
// one if a service gave it.
type DistanceFact struct {
	Employee    string  `json:"employee_id"`
	Vanpool     string  `json:"vanpool_id"`
	ZIP         string  `json:"home_zip,omitempty"`
	Basis       Basis   `json:"basis"`
	From        Place   `json:"from"`
	GreatCircle float64 `json:"great_circle_miles"`
	Routed      float64 `json:"routed_miles,omitzero"`
	Method      string  `json:"method"` // Estimated, "osrm" or "google_routes"
	Distance    float64 `json:"distance_miles"`
	Threshold   float64 `json:"threshold_miles"`
}

// Measure fills in the figures of f for a pickup point. routed is 0 if no service
// measured the way.
func (f DistanceFact) Measure(pickup Place, routed float64) DistanceFact {
	if f.Basis == ByNothing {
		return f
	}
	circle := geo.Miles(f.From.point(), pickup.point())
	f.GreatCircle, f.Routed = hundredth(circle), hundredth(routed)
	f.Distance = hundredth(circle * RoadFactor)
	if routed > 0 {
		f.Distance = f.Routed
	}
	return f
}

func hundredth(v float64) float64 { return math.Round(v*100) / 100 }

// DistanceFigures are the numbers of one rider.
type DistanceFigures struct {
	Employee string   `json:"employee_id"`
	Standing Standing `json:"standing"`
	Distance float64  `json:"distance_miles"`
}

// Distances is the answer to the location check.
type Distances struct {
	Verdict    dossier.Verdict   `json:"-"`
	Confidence int               `json:"-"` // 1 to 5
	Reason     string            `json:"-"`
	Threshold  float64           `json:"threshold_miles"`
	Riders     []DistanceFigures `json:"riders"`
}

// Failing returns the riders who live too far away or whose home is unknown.
func (d Distances) Failing() []string { return failing(d.Riders, DistanceFigures.standing) }

func (f DistanceFigures) standing() (string, Standing) { return f.Employee, f.Standing }

// JudgeDistances answers the location check: every rider's home must lie within the
// threshold of the pickup point, the threshold itself included. It is surer of a
// routed or a coordinate-based distance than of one from a ZIP's centroid, and less
// sure of a distance within a tenth of the threshold.
func JudgeDistances(facts []DistanceFact, threshold float64) Distances {
	out := Distances{Verdict: dossier.Pass, Confidence: 5, Threshold: threshold}
	var far, unknown []string
	zip, near := false, false
	for _, f := range facts {
		r := DistanceFigures{f.Employee, Fits, f.Distance}
		switch {
		case f.Basis == ByNothing:
			r.Standing = Unknown
			unknown = append(unknown, fmt.Sprintf("The home of %s is not on record.", f.Employee))
		case f.Distance > threshold:
			r.Standing = Clashes
			far = append(far, fmt.Sprintf("%s lives %.1f miles from the pickup point of %s; %g are allowed.", f.Employee, f.Distance, f.Vanpool, threshold))
		}
		out.Riders = append(out.Riders, r)
	}
	for i, f := range facts {
		// Only the homes that decide make the answer less sure.
		if len(far) > 0 && out.Riders[i].Standing != Clashes {
			continue
		}
		zip = zip || f.Basis == ByZIP
		near = near || f.Basis != ByNothing && math.Abs(f.Distance-threshold) <= threshold/10
	}
	switch {
	case len(facts) == 0:
		out.Reason = "The van has no riders."
		return out
	case len(far) > 0:
		out.Verdict = dossier.Fail
	case len(unknown) > 0:
		out.Verdict = dossier.Unclear
	default:
		far = []string{fmt.Sprintf("All %d riders live within %g miles of the pickup point.", len(facts), threshold)}
	}
	for _, doubt := range []bool{zip, near, len(unknown) > 0} {
		if doubt {
			out.Confidence--
		}
	}
	if out.Verdict == dossier.Unclear {
		out.Confidence = min(2, out.Confidence)
	}
	out.Reason = strings.Join(append(far, unknown...), " ")
	return out
}
