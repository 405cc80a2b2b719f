package geo_test

import (
	"math"
	"testing"

	"dossier/internal/geo"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s = %v, want %v within %v", what, got, want, within)
	}
}

func TestKnownDistances(t *testing.T) {
	t.Parallel()
	delhi, mumbai := geo.Point{Lat: 28.6139, Lon: 77.2090}, geo.Point{Lat: 19.0760, Lon: 72.8777}
	london, newYork := geo.Point{Lat: 51.5074, Lon: -0.1278}, geo.Point{Lat: 40.7128, Lon: -74.0060}
	near(t, "Delhi-Mumbai km", geo.Km(delhi, mumbai), 1148.1, 1)
	near(t, "London-New York km", geo.Km(london, newYork), 5570.2, 1)
	near(t, "London-New York miles", geo.Miles(london, newYork), 3461.2, 1)
	near(t, "a degree of latitude", geo.Km(geo.Point{}, geo.Point{Lat: 1}), 111.195, 0.001)
	near(t, "half way round", geo.Km(geo.Point{Lat: 10, Lon: 0}, geo.Point{Lat: -10, Lon: 180}), math.Pi*geo.EarthRadiusKm, 0.001)
	near(t, "over the date line", geo.Km(geo.Point{Lon: 179.5}, geo.Point{Lon: -179.5}), 111.195, 0.001)
}

func TestBearing(t *testing.T) {
	t.Parallel()
	here := geo.Point{Lat: 28.7, Lon: 77.1}
	near(t, "north", geo.Bearing(here, geo.Point{Lat: 29.7, Lon: 77.1}), 0, 1e-9)
	near(t, "south", geo.Bearing(here, geo.Point{Lat: 27.7, Lon: 77.1}), 180, 1e-9)
	near(t, "east", geo.Bearing(geo.Point{}, geo.Point{Lon: 1}), 90, 1e-9)
	near(t, "west", geo.Bearing(geo.Point{}, geo.Point{Lon: -1}), 270, 1e-9)
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	near(t, "Heading(-10)", geo.Heading(-10), 350, 1e-9)
	near(t, "Heading(725)", geo.Heading(725), 5, 1e-9)
	near(t, "Heading(-1e-20)", geo.Heading(-1e-20), 0, 0)
	near(t, "Apart over north", geo.Apart(350, 20), 30, 1e-9)
	near(t, "Apart opposite", geo.Apart(0, 180), 180, 1e-9)
}

func TestValid(t *testing.T) {
	t.Parallel()
	for p, want := range map[geo.Point]bool{
		{Lat: 90, Lon: -180}: true, {Lat: 90.1}: false, {Lon: 180.5}: false, {}: true,
	} {
		if p.Valid() != want {
			t.Errorf("%v valid = %v", p, p.Valid())
		}
	}
	if (geo.Point{Lat: math.NaN()}).Valid() || (geo.Point{Lon: math.Inf(1)}).Valid() {
		t.Error("NaN and infinity are no places")
	}
}

func drawPoint(t *rapid.T, name string) geo.Point {
	return geo.Point{Lat: rapid.Float64Range(-80, 80).Draw(t, name+" lat"), Lon: rapid.Float64Range(-179, 179).Draw(t, name+" lon")}
}

func TestDistanceIsAMetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawPoint(t, "a"), drawPoint(t, "b"), drawPoint(t, "c")
		ab, ba := geo.Km(a, b), geo.Km(b, a)
		if math.Abs(ab-ba) > 1e-6 || ab < 0 || geo.Km(a, a) != 0 {
			t.Fatalf("ab %v, ba %v", ab, ba)
		}
		if ab > geo.Km(a, c)+geo.Km(c, b)+1e-6 {
			t.Fatal("the way round is shorter")
		}
	})
}

func TestTravelArrivesAtItsDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := drawPoint(t, "from")
		bearing, km := rapid.Float64Range(0, 359).Draw(t, "bearing"), rapid.Float64Range(1, 1000).Draw(t, "km")
		to := geo.Travel(from, bearing, km)
		if !to.Valid() || math.Abs(geo.Km(from, to)-km) > 1e-6*km+1e-6 {
			t.Fatalf("%v km from %v leads to %v", km, from, to)
		}
		if geo.Apart(geo.Bearing(from, to), bearing) > 1e-6 {
			t.Fatalf("left at %v, wanted %v", geo.Bearing(from, to), bearing)
		}
	})
}
