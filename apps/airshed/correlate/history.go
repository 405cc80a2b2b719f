package correlate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dossier/apps/airshed/observe"
)

// A PastReport is an earlier report, as far as history needs it.
type PastReport struct {
	Reported
	AQI    float64      `json:"aqi"`
	States []StateFires `json:"states"`
}

// A History sets a surge beside the same weeks of earlier years.
type History struct {
	Days      int         `json:"days_either_side"`
	Years     []YearLine  `json:"years"` // newest first, without the surge's own
	Recurring []Recurring `json:"recurring_districts"`
	Sentence  string      `json:"sentence"`
}

// A YearLine sums up one earlier year's same weeks at the station.
type YearLine struct {
	Year     int     `json:"year"`
	Readings int     `json:"readings"`
	MeanAQI  float64 `json:"mean_aqi"`
	MaxAQI   float64 `json:"max_aqi"`
	Above    int     `json:"readings_above_threshold"`
	Reports  int     `json:"reports"`
}

// A Recurring district had fires in this surge and in earlier reports.
type Recurring struct {
	State    string `json:"state"`
	District string `json:"district"`
	Fires    int    `json:"fires_now"`
	Reports  int    `json:"earlier_reports"`
	Years    []int  `json:"years"`
}

// Compare builds the history of a surge from the station's stored readings and from
// earlier reports of any station.
func Compare(s Surge, c Correlation, past []Sample, reports []PastReport, r Rules) History {
	h := History{Days: r.HistoryDays, Years: []YearLine{}, Recurring: []Recurring{}}
	byYear := map[int]*YearLine{}
	line := func(t time.Time) *YearLine {
		year := seasonYear(t, s.Time)
		if year >= s.Time.UTC().Year() || !sameWeeks(t, s.Time, r.HistoryDays) {
			return nil
		}
		if byYear[year] == nil {
			byYear[year] = &YearLine{Year: year}
		}
		return byYear[year]
	}
	for _, p := range past {
		if y := line(p.Time); y != nil {
			y.Readings++
			y.MeanAQI += p.AQI
			y.MaxAQI = math.Max(y.MaxAQI, p.AQI)
			if p.AQI > r.SurgeAQI {
				y.Above++
			}
		}
	}
	for _, p := range reports {
		if p.Station == s.Name {
			if y := line(p.Time); y != nil {
				y.Reports++
			}
		}
	}
	for _, y := range byYear {
		if y.Readings > 0 {
			y.MeanAQI = round1(y.MeanAQI / float64(y.Readings))
		}
		h.Years = append(h.Years, *y)
	}
	slices.SortFunc(h.Years, func(a, b YearLine) int { return cmp.Compare(b.Year, a.Year) })
	h.Recurring = recurring(s, c, reports)
	h.Sentence = h.sentence(s)
	return h
}

// seasonYear returns the year that t's season belongs to, seen from ref: the one whose
// anniversary of ref is nearest, so that late December and early January stay together.
func seasonYear(t, ref time.Time) int {
	return ref.UTC().Year() - int(math.Round(ref.Sub(t).Hours()/24/365.2425))
}

// sameWeeks reports whether t is within days of an anniversary of ref.
func sameWeeks(t, ref time.Time, days int) bool {
	anniversary := ref.UTC().AddDate(seasonYear(t, ref)-ref.UTC().Year(), 0, 0)
	return t.Sub(anniversary).Abs() <= time.Duration(days)*24*time.Hour
}

func recurring(s Surge, c Correlation, reports []PastReport) []Recurring {
	out := []Recurring{}
	for _, st := range c.States {
		for _, d := range st.DistrictCounts {
			if d.District == "" {
				continue
			}
			rec := Recurring{State: st.State, District: d.District, Fires: d.FireCount}
			for _, p := range reports {
				if p.Time.Before(s.Time) && hasDistrict(p.States, st.State, d.District) {
					rec.Reports++
					if year := p.Time.UTC().Year(); !slices.Contains(rec.Years, year) {
						rec.Years = append(rec.Years, year)
					}
				}
			}
			if rec.Reports > 0 {
				slices.Sort(rec.Years)
				out = append(out, rec)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Recurring) int {
		return cmp.Or(cmp.Compare(b.Reports, a.Reports), cmp.Compare(b.Fires, a.Fires))
	})
	return out
}

func hasDistrict(states []StateFires, state, district string) bool {
	for _, s := range states {
		if observe.StateKey(s.State) == observe.StateKey(state) && slices.ContainsFunc(s.Districts, func(d string) bool { return strings.EqualFold(d, district) }) {
			return true
		}
	}
	return false
}

func (h History) sentence(s Surge) string {
	if len(h.Years) == 0 {
		return fmt.Sprintf("No readings of %s are stored for these weeks of earlier years.", s.Name)
	}
	y := h.Years[0]
	text := fmt.Sprintf("In these weeks of %d, %s had a mean index of %v over %s, at most %v.", y.Year, s.Name, y.MeanAQI, Count(y.Readings, "reading"), y.MaxAQI)
	if y.Readings == 0 {
		text = fmt.Sprintf("In these weeks of %d, %s about %s.", y.Year, Count(y.Reports, "report"), s.Name)
	}
	if len(h.Recurring) > 0 {
		text += fmt.Sprintf(" %s of %s was named in %s before.", h.Recurring[0].District, h.Recurring[0].State, Count(h.Recurring[0].Reports, "report"))
	}
	return text
}
