// Package geo measures on the globe: distances, bearings, and where a journey of
// given length and direction ends.
//
// The earth is taken as a sphere of the mean radius, so a distance is within half a
// percent of the one along the ellipsoid. That is far finer than the radii our apps
// compare with (a satellite's fire pixel alone is 375 m wide), and it lets anyone
// check a figure by hand. Coordinates are degrees, latitude first, as every feed we
// read writes them.
package geo

import "math"

const (
	// EarthRadiusKm is the mean radius of the earth (IUGG R1).
	EarthRadiusKm = 6371.0088
	// KmPerMile is the length of the international mile.
	KmPerMile = 1.609344

	radians = math.Pi / 180
)

// A Point is a place in degrees, north and east positive.
type Point struct {
	Lat float64 `json:"latitude"`
	Lon float64 `json:"longitude"`
}

// Valid reports whether p lies on the globe.
func (p Point) Valid() bool {
	return math.Abs(p.Lat) <= 90 && math.Abs(p.Lon) <= 180 // NaN fails both
}

// Km returns the great-circle distance between a and b by the haversine formula.
func Km(a, b Point) float64 {
	sinLat := math.Sin((b.Lat - a.Lat) * radians / 2)
	sinLon := math.Sin((b.Lon - a.Lon) * radians / 2)
	h := sinLat*sinLat + math.Cos(a.Lat*radians)*math.Cos(b.Lat*radians)*sinLon*sinLon
	return 2 * EarthRadiusKm * math.Asin(math.Sqrt(math.Min(1, h)))
}

// Miles returns the great-circle distance between a and b in international miles.
func Miles(a, b Point) float64 { return Km(a, b) / KmPerMile }

// Bearing returns the direction in which a great circle leaves a towards b, in
// degrees clockwise from north, at least 0 and less than 360.
func Bearing(a, b Point) float64 {
	dLon := (b.Lon - a.Lon) * radians
	latA, latB := a.Lat*radians, b.Lat*radians
	y := math.Sin(dLon) * math.Cos(latB)
	x := math.Cos(latA)*math.Sin(latB) - math.Sin(latA)*math.Cos(latB)*math.Cos(dLon)
	return Heading(math.Atan2(y, x) / radians)
}

// Travel returns the point km along the great circle that leaves from in the
// direction bearing.
func Travel(from Point, bearing, km float64) Point {
	d := km / EarthRadiusKm
	lat, lon, b := from.Lat*radians, from.Lon*radians, bearing*radians
	sin := math.Sin(lat)*math.Cos(d) + math.Cos(lat)*math.Sin(d)*math.Cos(b)
	lat2 := math.Asin(math.Max(-1, math.Min(1, sin)))
	lon2 := lon + math.Atan2(math.Sin(b)*math.Sin(d)*math.Cos(lat), math.Cos(d)-math.Sin(lat)*sin)
	return Point{Lat: lat2 / radians, Lon: Heading(lon2/radians+180) - 180}
}

// Heading returns degrees turned into the range from 0 to below 360.
func Heading(degrees float64) float64 {
	h := math.Mod(degrees, 360)
	if h < 0 {
		h += 360
	}
	if h >= 360 { // a tiny negative angle rounds up to a full turn
		h = 0
	}
	return h
}

// Apart returns the angle between two headings, from 0 to 180 degrees.
func Apart(a, b float64) float64 {
	d := math.Abs(Heading(a) - Heading(b))
	return math.Min(d, 360-d)
}
