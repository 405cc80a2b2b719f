package correlate

import (
	"time"

	"dossier/apps/airshed/observe"
)

// An Analysis is everything the rules say about one surge.
type Analysis struct {
	Surge       Surge            `json:"surge"`
	From        time.Time        `json:"window_from"` // fires are counted from here up to the surge
	Available   Availability     `json:"available"`
	Correlation Correlation      `json:"correlation"`
	Confidence  Confidence       `json:"confidence"`
	Conclusion  Conclusion       `json:"conclusion"`
	Share       *observe.Share   `json:"share"`
	Transport   Transport        `json:"transport"`
	History     History          `json:"history"`
	Pollutants  []PollutantLine  `json:"pollutants"`
	Without     []Counterfactual `json:"counterfactuals"`
	Links       []Link           `json:"links"` // the weakest first
	Timeline    Timeline         `json:"timeline"`
}

// A Past is what the product has stored of a station.
type Past struct {
	Samples []Sample
	Reports []PastReport
}

// Analyse applies every rule to every surge among the border stations of a snapshot.
// past gives what is stored about a station; nil means nothing is.
func Analyse(snap observe.Snapshot, stations []Station, now time.Time, past func(station string) Past, r Rules) (Watch, []Analysis) {
	w := FindSurges(snap.Readings, stations, now, r)
	all := Correlate(snap.Fires, w.Surges, r)
	out := make([]Analysis, len(w.Surges))
	for i, s := range w.Surges {
		var p Past
		if past != nil {
			p = past(s.Name)
		}
		out[i] = analyse(snap, s, all[i], w.seriesFor(s.Name), p, r)
	}
	return w, out
}

func (w Watch) seriesFor(station string) []BorderStation {
	for _, series := range w.Series {
		if series[0].Name == station {
			return series
		}
	}
	return nil
}

func analyse(snap observe.Snapshot, s Surge, c Correlation, series []BorderStation, past Past, r Rules) Analysis {
	a := Assess(snap)
	return Analysis{
		Surge: s, From: s.Time.Add(-r.Window), Available: a, Correlation: c,
		Confidence: Score(a, c.FireCount, c.AvgDistanceKm, r),
		Conclusion: Conclude(a, c, r),
		Share:      snap.Share,
		Transport:  Follow(s, snap.Fires, c, snap.Winds, r),
		History:    Compare(s, c, past.Samples, past.Reports, r),
		Pollutants: ComparePollutants(s, series, FiresBefore(series, snap.Fires, r)),
		Without:    Without(a, c, r),
		Links:      Links(s, a, c, r),
		Timeline:   Trace(s, series, snap.Fires, 7, 6*time.Hour, r),
	}
}
