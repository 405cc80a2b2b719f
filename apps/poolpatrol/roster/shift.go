package roster

import (
	"time"
	_ "time/tzdata" // shifts keep their time zone on a machine without the database

	"dossier"
)

// A Shift is a named pattern of work that many employees share.
type Shift struct {
	ID       string `json:"shift_id"`
	Name     string `json:"name"`
	Zone     string `json:"zone"`                // IANA name: "America/Los_Angeles"
	Schedule string `json:"schedule"`            // as ParseSchedule reads it
	Cycle    int    `json:"cycle_days,omitzero"` // days after which it repeats; 0 means 7
	Anchor   Day    `json:"anchor,omitzero"`     // a first day of the cycle; zero: Mondays
}

// A Pattern is the kind of a shift, for people.
type Pattern string

// The patterns.
const (
	Fixed    Pattern = "fixed"
	Night    Pattern = "night" // crosses midnight
	Split    Pattern = "split"
	Rotating Pattern = "rotating"
	Flexible Pattern = "flexible"
)

// A Workday is one day's work of a shift, as minutes since 1970 in UTC. For a fixed
// shift From and Latest are equal. A split shift begins with its first stretch and
// ends with its last: the van goes once each way.
type Workday struct {
	Day     Day
	From    int64 // earliest start
	Latest  int64 // latest start
	Minutes int64 // from the start to the end of the last stretch
	Worked  []Stretch
}

// A Stretch is work without a break, for a start at Workday.From.
type Stretch struct{ From, To int64 }

// Validate reports why s cannot be kept.
func (s Shift) Validate() error {
	switch {
	case s.ID == "":
		return dossier.Errorf(dossier.Invalid, "A shift needs a shift_id.")
	case s.Name == "":
		return dossier.Errorf(dossier.Invalid, "Shift %s needs a name.", s.ID)
	case s.Zone == "" || s.Zone == "Local":
		return dossier.Errorf(dossier.Invalid, "Shift %s needs a time zone such as America/Los_Angeles.", s.ID)
	}
	if _, err := time.LoadLocation(s.Zone); err != nil {
		return dossier.Errorf(dossier.Invalid, "Shift %s: %q is not a time zone.", s.ID, s.Zone)
	}
	_, err := ParseSchedule(s.Schedule, s.cycle())
	return err
}

func (s Shift) cycle() int {
	if s.Cycle == 0 {
		return 7
	}
	return s.Cycle
}

// anchor is 5 January 1970, a Monday, unless the shift names another first day.
func (s Shift) anchor() Day {
	if s.Anchor == 0 {
		return 4
	}
	return s.Anchor
}

// Pattern returns what kind of shift s is.
func (s Shift) Pattern() Pattern {
	sched, err := ParseSchedule(s.Schedule, s.cycle())
	switch {
	case err != nil:
		return Fixed
	case s.cycle() != 7:
		return Rotating
	}
	p := Fixed
	for d := range 7 {
		day := sched.on(d)
		switch {
		case len(day) > 1:
			return Split
		case len(day) == 1 && day[0].Flexible():
			return Flexible
		case len(day) == 1 && day[0].Start+day[0].Minutes > 24*60:
			p = Night
		}
	}
	return p
}

// Workdays lays s out over n days from first.
func (s Shift) Workdays(first Day, n int) ([]Workday, error) {
	sched, err := ParseSchedule(s.Schedule, s.cycle())
	if err != nil {
		return nil, err
	}
	loc, err := location(s.Zone)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "Shift %s: %q is not a time zone.", s.ID, s.Zone).Because(err)
	}
	byDay := make([][]Block, s.cycle())
	for d := range byDay {
		byDay[d] = sched.on(d)
	}
	out := make([]Workday, 0, n)
	for d := first; d < first+Day(n); d++ {
		blocks := byDay[mod(int(d-s.anchor()), s.cycle())]
		if len(blocks) > 0 {
			out = append(out, workday(d, blocks, loc))
		}
	}
	return out, nil
}

func workday(d Day, blocks []Block, loc *time.Location) Workday {
	minute := func(m int) int64 { return d.At(m, loc).Unix() / 60 }
	first, last := blocks[0], blocks[len(blocks)-1]
	w := Workday{Day: d, From: minute(first.Start), Latest: minute(first.Latest)}
	for _, b := range blocks {
		w.Worked = append(w.Worked, Stretch{minute(b.Start), minute(b.Start + b.Minutes)})
	}
	w.Minutes = minute(last.Start+last.Minutes) - w.From
	return w
}
