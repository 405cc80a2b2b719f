package observe

import "math"

// NAQIVersion names the table below, for records that rest on it.
const NAQIVersion = "cpcb-2014"

// edges are the concentrations at which the sub-index is 50, 100, 200, 300 and 400;
// the last one is where it reaches 500.
var edges = map[Pollutant][6]float64{
	PM10: {50, 100, 250, 350, 430, 510},
	PM25: {30, 60, 90, 120, 250, 380},
	NO2:  {40, 80, 180, 280, 400, 520},
	O3:   {50, 100, 168, 208, 748, 1287},
	CO:   {1, 2, 10, 17, 34, 51},
	SO2:  {40, 80, 380, 800, 1600, 2400},
	NH3:  {200, 400, 800, 1200, 1800, 2400},
	Pb:   {0.5, 1, 2, 3, 3.5, 4},
}

var steps = [6]float64{50, 100, 200, 300, 400, 500}

// SubIndex returns the sub-index of a concentration of p: straight lines between the
// edges of the national table, and never more than 500.
func SubIndex(p Pollutant, concentration float64) float64 {
	low, from := 0.0, 0.0
	for i, high := range edges[p] {
		if concentration <= high {
			return from + (concentration-low)*(steps[i]-from)/(high-low)
		}
		low, from = high, steps[i]
	}
	return 500
}

// Index returns the air quality index of a set of sub-indices: the worst of them,
// rounded. The national rule wants at least three pollutants, one of them PM2.5 or
// PM10, and false says that they are not there.
func Index(sub Levels) (float64, bool) {
	n, worst := 0, 0.0
	for _, p := range Pollutants {
		if v := sub.Get(p); v != nil {
			n++
			worst = math.Max(worst, *v)
		}
	}
	if n < 3 || sub.PM25 == nil && sub.PM10 == nil {
		return 0, false
	}
	return math.Round(worst), true
}

// Category returns the national word for an index.
func Category(aqi float64) string {
	switch {
	case aqi <= 50:
		return "Good"
	case aqi <= 100:
		return "Satisfactory"
	case aqi <= 200:
		return "Moderate"
	case aqi <= 300:
		return "Poor"
	case aqi <= 400:
		return "Very poor"
	default:
		return "Severe"
	}
}
