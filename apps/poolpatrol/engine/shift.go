package engine

import (
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/roster"
)

// ShiftParams are the numbers of the shift rule.
type ShiftParams struct {
	Window     int `json:"window_minutes"`      // how long a way to or from work takes at most
	MinOverlap int `json:"min_overlap_minutes"` // how much of it two riders must have in common
	MinShare   int `json:"min_share_percent"`   // of a rider's working days that must be shared
	Days       int `json:"days"`                // how many days the audit looks at
}

// A ShiftFact is what one rider works: the data of "employee_shift" evidence.
type ShiftFact struct {
	Employee string        `json:"employee_id"`
	Vanpool  string        `json:"vanpool_id"`
	ShiftID  string        `json:"shift_id"` // "": none on record
	Shift    string        `json:"shift_name"`
	Zone     string        `json:"zone,omitempty"`
	Schedule string        `json:"schedule,omitempty"`
	Cycle    int           `json:"cycle_days,omitzero"`
	Anchor   roster.Day    `json:"anchor,omitzero"`
	PTO      []roster.Span `json:"pto,omitempty"`
}

func (f ShiftFact) shift() roster.Shift {
	return roster.Shift{ID: f.ShiftID, Name: f.Shift, Zone: f.Zone, Schedule: f.Schedule, Cycle: f.Cycle, Anchor: f.Anchor}
}

// A Standing is how one rider comes out.
type Standing string

// The standings of a rider.
const (
	Fits    Standing = "fits"
	Clashes Standing = "clashes"
	Away    Standing = "away"    // no working day in the period: nothing to compare
	Unknown Standing = "unknown" // no shift, or no home, on record
)

// ShiftFigures are the numbers of one rider. Minutes are means over the rider's
// working days.
type ShiftFigures struct {
	Employee    string   `json:"employee_id"`
	ShiftID     string   `json:"shift_id"`
	ShiftName   string   `json:"shift_name"`
	Standing    Standing `json:"standing"`
	WorkingDays int      `json:"working_days"` // without days off
	SharedDays  int      `json:"shared_days"`
	ToWork      int      `json:"to_work_minutes"`      // both on the way to work
	Home        int      `json:"home_minutes"`         // both on the way home
	Overlap     int      `json:"overlap_minutes"`      // the smaller of the two: this decides
	WorkOverlap int      `json:"work_overlap_minutes"` // both at work: for comparison, decides nothing
}

// Shifts is the answer to the shift check.
type Shifts struct {
	Verdict    dossier.Verdict `json:"-"`
	Confidence int             `json:"-"` // 1 to 5
	Reason     string          `json:"-"`
	MajorityID string          `json:"majority_shift_id"` // "" if no rider has a shift
	Majority   string          `json:"majority_shift"`
	Holders    int             `json:"majority_riders"` // how many work it
	Riders     []ShiftFigures  `json:"riders"`
}

// Failing returns the riders whose shift clashes or is unknown.
func (s Shifts) Failing() []string { return failing(s.Riders, ShiftFigures.standing) }

func (f ShiftFigures) standing() (string, Standing) { return f.Employee, f.Standing }

// JudgeShifts answers the shift check for the riders of one van over p.Days days from
// first. Each rider is compared with the van's majority shift:
//
//   - A way to work is the p.Window minutes before the start, a way home the p.Window
//     minutes after the end. A split shift has one of each; on a flexible shift the
//     rider picks the start that fits best.
//   - Rider and majority share a day if both ways overlap by p.MinOverlap minutes. The
//     majority's working day may carry the date before or after: nights cross midnight,
//     and shifts may be in different time zones.
//   - Days off are left out. A rider fits who shares p.MinShare percent of the
//     remaining working days. Whoever works the majority shift shares all of them.
//
// The majority shift is the one more than half of the riders work; if there is none,
// the one that suits most riders, then the one most of them work, then the first by id.
func JudgeShifts(facts []ShiftFact, first roster.Day, p ShiftParams) (Shifts, error) {
	table, err := layOut(facts, first, p.Days)
	if err != nil {
		return Shifts{}, err
	}
	out := table.withMajority(facts, p)
	out.judge(facts, p)
	return out, nil
}

// A calendar holds every shift of a van laid out once, one day wider on both sides.
type calendar struct {
	first  roster.Day
	days   int
	shifts map[string][]roster.Workday
	names  map[string]string
	count  map[string]int // riders per shift
}

func layOut(facts []ShiftFact, first roster.Day, days int) (calendar, error) {
	c := calendar{first, days, map[string][]roster.Workday{}, map[string]string{}, map[string]int{}}
	for _, f := range facts {
		if f.ShiftID == "" {
			continue
		}
		c.count[f.ShiftID]++
		c.names[f.ShiftID] = f.Shift
		if _, done := c.shifts[f.ShiftID]; done {
			continue
		}
		w, err := f.shift().Workdays(first-1, days+2)
		if err != nil {
			return calendar{}, err
		}
		c.shifts[f.ShiftID] = w
	}
	return c, nil
}

// withMajority compares everybody with the majority shift.
func (c calendar) withMajority(facts []ShiftFact, p ShiftParams) Shifts {
	var best Shifts
	bestFits := -1
	for _, id := range c.candidates(len(facts)) {
		s := Shifts{MajorityID: id, Majority: c.names[id], Holders: c.count[id]}
		fits := 0
		for _, f := range facts {
			r := c.compare(f, id, p)
			if r.Standing == Fits {
				fits++
			}
			s.Riders = append(s.Riders, r)
		}
		if fits > bestFits || fits == bestFits && s.Holders > best.Holders {
			best, bestFits = s, fits
		}
	}
	if bestFits < 0 {
		for _, f := range facts {
			best.Riders = append(best.Riders, ShiftFigures{Employee: f.Employee, Standing: Unknown})
		}
	}
	return best
}

// candidates returns the shift that more than half of the riders work, or all shifts.
func (c calendar) candidates(riders int) []string {
	var ids []string
	for id, n := range c.count {
		if 2*n > riders {
			return []string{id}
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (c calendar) compare(f ShiftFact, majority string, p ShiftParams) ShiftFigures {
	out := ShiftFigures{Employee: f.Employee, ShiftID: f.ShiftID, ShiftName: f.Shift, Standing: Unknown}
	if f.ShiftID == "" {
		return out
	}
	theirs := c.shifts[majority]
	at := 0 // first majority day that can still be the day before
	for _, w := range c.shifts[f.ShiftID] {
		if w.Day < c.first || w.Day >= c.first+roster.Day(c.days) || roster.Away(f.PTO, w.Day) {
			continue
		}
		out.WorkingDays++
		for at < len(theirs) && theirs[at].Day < w.Day-1 {
			at++
		}
		m := meeting{}
		if f.ShiftID == majority {
			m = meet(w, w, p.Window)
		} else {
			for _, o := range theirs[at:min(at+3, len(theirs))] {
				if o.Day <= w.Day+1 {
					m = m.better(meet(w, o, p.Window))
				}
			}
		}
		if m.overlap() >= p.MinOverlap {
			out.SharedDays++
		}
		out.ToWork += m.toWork
		out.Home += m.home
		out.Overlap += m.overlap()
		out.WorkOverlap += m.atWork
	}
	if out.WorkingDays == 0 {
		out.Standing = Away
		return out
	}
	for _, sum := range []*int{&out.ToWork, &out.Home, &out.Overlap, &out.WorkOverlap} {
		*sum /= out.WorkingDays
	}
	out.Standing = Clashes
	if out.SharedDays*100 >= out.WorkingDays*p.MinShare {
		out.Standing = Fits
	}
	return out
}

// judge turns the riders' standings into the van's answer.
func (s *Shifts) judge(facts []ShiftFact, p ShiftParams) {
	clash, unknown, away, near := 0, 0, 0, false
	var why []string
	for i, r := range s.Riders {
		switch r.Standing {
		case Clashes:
			clash++
			why = append(why, fmt.Sprintf("%s works %s (%s) while the van runs for %s: they can share it on %d of %d working days, and %d %% are needed.",
				r.Employee, facts[i].Shift, facts[i].Schedule, s.Majority, r.SharedDays, r.WorkingDays, p.MinShare))
		case Unknown:
			unknown++
			why = append(why, fmt.Sprintf("%s has no shift on record.", r.Employee))
		case Away:
			away++
		case Fits:
		}
		if off := 100*r.SharedDays - p.MinShare*r.WorkingDays; r.WorkingDays > 0 && abs(off) <= 10*r.WorkingDays {
			near = true
		}
	}
	s.Verdict, s.Confidence = dossier.Pass, 5
	switch {
	case len(s.Riders) == 0:
		s.Reason = "The van has no riders."
		return
	case clash > 0:
		s.Verdict = dossier.Fail
	case unknown > 0:
		s.Verdict = dossier.Unclear
	case len(s.Riders) == 1:
		why = []string{fmt.Sprintf("%s is the only rider; there is nobody to compare with.", s.Riders[0].Employee)}
	default:
		why = []string{fmt.Sprintf("All %d riders can share the van with %s on enough of their working days.", len(s.Riders)-away, s.Majority)}
	}
	if away > 0 {
		why = append(why, fmt.Sprintf("Away all the time, so not compared: %d.", away))
	}
	for _, doubt := range []bool{clash > 0, 2*s.Holders <= len(s.Riders), near, unknown > 0 || away > 0, len(s.Riders) == 1} {
		if doubt {
			s.Confidence--
		}
	}
	s.Confidence = max(1, s.Confidence)
	if s.Verdict == dossier.Unclear {
		s.Confidence = min(2, s.Confidence)
	}
	s.Reason = strings.Join(why, " ")
}

func abs(n int) int { return max(n, -n) }

// failing returns who clashes or is unknown.
func failing[T any](riders []T, of func(T) (string, Standing)) []string {
	var out []string
	for _, r := range riders {
		if id, s := of(r); s == Clashes || s == Unknown {
			out = append(out, id)
		}
	}
	return out
}
