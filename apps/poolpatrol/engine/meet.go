package engine

import "dossier/apps/poolpatrol/roster"

// A meeting is how long two people are on the same way, and at work, at the same time
// on one day, in minutes.
type meeting struct {
	toWork, home, atWork int
	counted              bool
}

// overlap is the commute they have in common: the shorter of both ways.
func (m meeting) overlap() int { return min(m.toWork, m.home) }

func (m meeting) better(o meeting) meeting {
	switch {
	case !m.counted, o.overlap() > m.overlap():
		return o
	case o.overlap() < m.overlap():
		return m
	case o.toWork+o.home > m.toWork+m.home:
		return o
	case o.toWork+o.home == m.toWork+m.home && o.atWork > m.atWork:
		return o
	}
	return m
}

// meet compares two working days. Two windows of equal length that begin d minutes
// apart share window-d minutes, so both ways depend only on how far apart the starts
// are. Where starts can be chosen, the best distance is the one that splits the
// difference between both ways, as near as the choice allows.
func meet(a, b roster.Workday, window int) meeting {
	apart := (b.Minutes - a.Minutes) / 2 // a's start minus b's that serves both ways alike
	apart = max(a.From-b.Latest, min(a.Latest-b.From, apart))
	return meeting{
		toWork:  common(apart, window),
		home:    common(apart+a.Minutes-b.Minutes, window),
		atWork:  atWork(a, b, apart),
		counted: true,
	}
}

func common(apart int64, window int) int {
	return max(0, window-int(max(apart, -apart)))
}

// atWork adds up the time both are at work, with a's start moved so that it lies
// apart minutes from b's.
func atWork(a, b roster.Workday, apart int64) int {
	shift := b.From + apart - a.From
	var total int64
	for _, x := range a.Worked {
		for _, y := range b.Worked {
			total += max(0, min(x.To+shift, y.To)-max(x.From+shift, y.From))
		}
	}
	return int(total)
}
