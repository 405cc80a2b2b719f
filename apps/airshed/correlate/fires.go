package correlate

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"dossier/apps/airshed/observe"
)

// StateFires counts the fires of one state that stand near a surge.
type StateFires struct {
	State              string          `json:"state"`
	FireCount          int             `json:"fire_count"`
	Districts          []string        `json:"districts"` // most fires first
	AvgDistanceKm      float64         `json:"avg_distance_km"`
	IsHighContribution bool            `json:"is_high_contribution"`
	DistrictCounts     []DistrictFires `json:"district_counts,omitempty"`
	NearestKm          float64         `json:"nearest_km"`
}

// DistrictFires counts the fires of one district.
type DistrictFires struct {
	District  string `json:"district"` // "": not known
	FireCount int    `json:"fire_count"`
}

// A Correlation is which fires stand near one surge in place and time.
type Correlation struct {
	States        []StateFires `json:"states"`     // most fires first; only fires with a state
	FireCount     int          `json:"fire_count"` // all of them, with or without a state
	AvgDistanceKm float64      `json:"avg_distance_km"`
	Unattributed  int          `json:"unattributed"` // within FireCount: fires in no known state
	Undated       int          `json:"undated"`      // near enough, but nobody knows when; not within FireCount
	Fires         []int32      `json:"-"`            // places in the list of fires, in no particular order
}

// Correlate finds for every surge the fires within the radius and window of the rules.
func Correlate(fires []observe.Fire, surges []Surge, r Rules) []Correlation {
	if len(surges) == 0 {
		return nil
	}
	qs := make([]question, len(surges))
	for i, s := range surges {
		to := s.Time
		qs[i] = question{s.Point, minutes(to.Add(-r.Window)), minutes(to)}
	}
	ix := newIndex(fires, qs, r)
	out := make([]Correlation, len(surges))
	var wg sync.WaitGroup
	workers := min(len(qs), runtime.GOMAXPROCS(0))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(qs); i += workers {
				out[i] = ix.correlate(qs[i], r)
			}
		})
	}
	wg.Wait()
	return out
}

// A tally sums up the fires of one group.
type tally struct {
	count   int
	km      float64
	nearest float64
}

func (ix *index) correlate(q question, r Rules) Correlation {
	tallies := make([]tally, len(ix.groups))
	for i := range tallies {
		tallies[i].nearest = math.Inf(1)
	}
	var c Correlation
	c.Undated = ix.near(q, r.RadiusKm, func(e *entry, km float64) {
		t := &tallies[e.group]
		t.count++
		t.km += km
		t.nearest = min(t.nearest, km)
		c.Fires = append(c.Fires, e.fire)
	})
	c.FireCount = len(c.Fires)
	ix.gather(&c, tallies, r)
	return c
}

// gather turns the tallies of states and districts into those of states.
func (ix *index) gather(c *Correlation, tallies []tally, r Rules) {
	type sum struct {
		StateFires
		km float64
	}
	byState := map[string]*sum{}
	var total float64
	for i, t := range tallies {
		if t.count == 0 {
			continue
		}
		total += t.km
		g := ix.groups[i]
		if g.state == "" {
			c.Unattributed += t.count
			continue
		}
		key := observe.StateKey(g.state)
		s := byState[key]
		if s == nil {
			s = &sum{StateFires: StateFires{State: g.state, NearestKm: math.Inf(1)}}
			byState[key] = s
		}
		s.FireCount += t.count
		s.km += t.km
		s.NearestKm = min(s.NearestKm, t.nearest)
		s.addDistrict(g.district, t.count)
	}
	if c.FireCount > 0 {
		c.AvgDistanceKm = total / float64(c.FireCount)
	}
	c.States = []StateFires{}
	for _, s := range byState {
		s.AvgDistanceKm = s.km / float64(s.FireCount)
		s.IsHighContribution = s.FireCount > r.HighFires
		s.rankDistricts()
		c.States = append(c.States, s.StateFires)
	}
	slices.SortFunc(c.States, func(a, b StateFires) int {
		return cmp.Or(cmp.Compare(b.FireCount, a.FireCount), cmp.Compare(a.State, b.State))
	})
}

func (s *StateFires) addDistrict(name string, count int) {
	for i := range s.DistrictCounts {
		if s.DistrictCounts[i].District == name {
			s.DistrictCounts[i].FireCount += count
			return
		}
	}
	s.DistrictCounts = append(s.DistrictCounts, DistrictFires{name, count})
}

func (s *StateFires) rankDistricts() {
	slices.SortFunc(s.DistrictCounts, func(a, b DistrictFires) int {
		return cmp.Or(cmp.Compare(b.FireCount, a.FireCount), cmp.Compare(a.District, b.District))
	})
	s.Districts = []string{}
	for _, d := range s.DistrictCounts {
		if d.District != "" {
			s.Districts = append(s.Districts, d.District)
		}
	}
}

// Neighbours returns the states of c other than the home state.
func (c Correlation) Neighbours(r Rules) []StateFires {
	var out []StateFires
	for _, s := range c.States {
		if observe.StateKey(s.State) != observe.StateKey(r.HomeState) {
			out = append(out, s)
		}
	}
	return out
}
