package correlate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dossier/apps/airshed/observe"
)

// A Counterfactual is what would be left of a case without one state's fires.
type Counterfactual struct {
	State         string     `json:"without_state"`
	FireCount     int        `json:"fire_count"`
	AvgDistanceKm float64    `json:"avg_distance_km"`
	Confidence    float64    `json:"confidence_score"`
	Conclusion    Conclusion `json:"conclusion"`
	Changes       []string   `json:"changes"` // sentences; none: nothing of weight changes
}

// Without computes for every state in c what changes if its fires are left out.
func Without(a Availability, c Correlation, r Rules) []Counterfactual {
	now, was := Score(a, c.FireCount, c.AvgDistanceKm, r).Score, Conclude(a, c, r)
	out := []Counterfactual{}
	for i, s := range c.States {
		rest := c
		rest.States = slices.Delete(slices.Clone(c.States), i, i+1)
		rest.FireCount -= s.FireCount
		rest.AvgDistanceKm = 0
		if rest.FireCount > 0 {
			rest.AvgDistanceKm = (c.AvgDistanceKm*float64(c.FireCount) - s.AvgDistanceKm*float64(s.FireCount)) / float64(rest.FireCount)
		}
		cf := Counterfactual{
			State: s.State, FireCount: rest.FireCount, AvgDistanceKm: round1(rest.AvgDistanceKm),
			Confidence: Score(a, rest.FireCount, rest.AvgDistanceKm, r).Score, Conclusion: Conclude(a, rest, r),
			Changes: []string{},
		}
		if cf.Conclusion != was {
			cf.Changes = append(cf.Changes, fmt.Sprintf("Without the fires of %s the conclusion would be %q instead of %q.", s.State, cf.Conclusion, was))
		}
		if cf.Confidence != now {
			cf.Changes = append(cf.Changes, fmt.Sprintf("The confidence would be %v instead of %v.", cf.Confidence, now))
		}
		out = append(out, cf)
	}
	return out
}

// A Link is one fact with the room it has before a conclusion turns over.
type Link struct {
	Fact      string  `json:"fact"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"`
	Margin    float64 `json:"margin"`         // how far the value may be off
	Percent   float64 `json:"margin_percent"` // the same, in percent of the value
	Flips     string  `json:"flips"`          // what would be different
}

// Links returns the facts on which the conclusion about s hangs, the weakest first:
// the one that needs the smallest error, in proportion, to turn it over.
func Links(s Surge, a Availability, c Correlation, r Rules) []Link {
	out := []Link{link(fmt.Sprintf("the index of %s", s.Name), s.AQI, r.SurgeAQI, s.AQI-r.SurgeAQI, "there would be no surge to report")}
	was := Conclude(a, c, r)
	neighbours := c.Neighbours(r)
	high := slices.DeleteFunc(slices.Clone(neighbours), func(s StateFires) bool { return !s.IsHighContribution })
	limit := float64(r.HighFires)
	switch {
	case was == Primary && len(high) == 1:
		n := float64(high[0].FireCount)
		out = append(out, link("the fires counted in "+high[0].State, n, limit, n-limit, "no state would be a high contributor"))
	case was == Primary:
		// Several high contributors: the strongest must fall for the conclusion to.
		n := float64(high[0].FireCount)
		out = append(out, link("the fires counted in every high contributor, "+high[0].State+" most of all", n, limit, n-limit, "no state would be a high contributor"))
	case was == Possible:
		n := float64(neighbours[0].FireCount)
		out = append(out, link("the fires counted in "+neighbours[0].State, n, limit, limit+1-n, neighbours[0].State+" would be a high contributor"))
	case was == NoSource && c.Unattributed > 0:
		n := float64(c.Unattributed)
		out = append(out, link("the fires attributed to no state", n, 0, n, "some of them might be a neighbour's"))
	}
	slices.SortStableFunc(out, func(a, b Link) int { return cmp.Compare(a.Percent, b.Percent) })
	return out
}

func link(fact string, value, threshold, margin float64, flips string) Link {
	l := Link{Fact: fact, Value: value, Threshold: threshold, Margin: round1(margin), Flips: flips}
	if value > 0 {
		l.Percent = round1(margin / value * 100)
	}
	return l
}

// Sentence tells the link.
func (l Link) Sentence() string {
	return fmt.Sprintf("The weakest fact is %s (%v): if it is wrong by %v (%v percent), %s.", l.Fact, l.Value, l.Margin, l.Percent, l.Flips)
}

func round1(f float64) float64 { return math.Round(f*10) / 10 }

// A PollutantLine sets one pollutant beside the others.
type PollutantLine struct {
	Pollutant  observe.Pollutant `json:"pollutant"`
	Level      *float64          `json:"level"`     // µg/m³
	SubIndex   *float64          `json:"sub_index"` // given, or computed from the level
	Category   string            `json:"category,omitempty"`
	Standard   float64           `json:"standard_24h"`      // national limit for a day, µg/m³
	Times      *float64          `json:"times_standard"`    // level over the standard
	WithFires  *float64          `json:"fires_correlation"` // Pearson's r with the fires of the day before each reading
	SampleSize int               `json:"samples"`           // readings behind WithFires
}

// The national 24-hour limits of the four pollutants that are compared.
var standards = []struct {
	p     observe.Pollutant
	limit float64
}{{observe.PM25, 60}, {observe.PM10, 100}, {observe.NO2, 80}, {observe.SO2, 80}}

// minSamples is how many readings a correlation coefficient needs to mean anything.
const minSamples = 6

// ComparePollutants sets PM2.5, PM10, NO2 and SO2 of a surge side by side. series are
// the station's readings, and firesBefore gives for each the number of fires in the
// radius during the day before it.
func ComparePollutants(s Surge, series []BorderStation, firesBefore []int) []PollutantLine {
	out := make([]PollutantLine, 0, len(standards))
	for _, std := range standards {
		line := PollutantLine{Pollutant: std.p, Level: s.Get(std.p), Standard: std.limit}
		if s.Sub != nil {
			line.SubIndex = s.Sub.Get(std.p)
		}
		if line.Level != nil {
			times := round1(*line.Level / std.limit)
			line.Times = &times
			if line.SubIndex == nil {
				sub := math.Round(observe.SubIndex(std.p, *line.Level))
				line.SubIndex = &sub
			}
		}
		if line.SubIndex != nil {
			line.Category = observe.Category(*line.SubIndex)
		}
		line.WithFires, line.SampleSize = withFires(std.p, series, firesBefore)
		out = append(out, line)
	}
	return out
}

func withFires(p observe.Pollutant, series []BorderStation, firesBefore []int) (*float64, int) {
	var xs, ys []float64
	for i, b := range series {
		v := b.Get(p)
		if v == nil && b.Sub != nil {
			v = b.Sub.Get(p)
		}
		if v != nil && i < len(firesBefore) {
			xs, ys = append(xs, *v), append(ys, float64(firesBefore[i]))
		}
	}
	if len(xs) < minSamples {
		return nil, len(xs)
	}
	c, ok := pearson(xs, ys)
	if !ok {
		return nil, len(xs)
	}
	if c = math.Round(c*100) / 100; c == 0 {
		c = 0 // not minus nothing
	}
	return &c, len(xs)
}

// pearson returns the correlation coefficient of two series, false if one of them
// does not vary.
func pearson(xs, ys []float64) (float64, bool) {
	n := float64(len(xs))
	var mx, my float64
	for i := range xs {
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	var xy, xx, yy float64
	for i := range xs {
		dx, dy := xs[i]-mx, ys[i]-my
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return 0, false
	}
	return xy / math.Sqrt(xx*yy), true
}
