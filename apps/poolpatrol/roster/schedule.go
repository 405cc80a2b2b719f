package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dossier"
)

// A Schedule says on which days of a cycle somebody works, and when.
type Schedule []Block

// A Block is a stretch of work on some days of the cycle. A fixed block starts at one
// time; a flexible one anywhere between Start and Latest, and takes Minutes.
type Block struct {
	Days    []int // of the cycle, from 0, ascending; in a week 0 is Monday
	Start   int   // minutes after midnight
	Latest  int   // latest start; equal to Start unless flexible
	Minutes int   // length; it may run past midnight
}

// Flexible reports whether the start is the rider's choice.
func (b Block) Flexible() bool { return b.Latest > b.Start }

var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// ParseSchedule reads a schedule for a cycle of the given number of days:
//
//	Mon-Fri 07:00-16:00                 the same hours on five days
//	Sun-Thu 22:00-06:00                 nights: the end is on the next day
//	Mon-Fri 06:00-10:00; Mon-Fri 15:00-19:00    a split shift
//	Mon-Fri 06:30..09:30+08:30          flexible: a start in the range, then 8½ hours
//	1-4 06:00-18:00; 9-12 18:00-06:00   a rotation, by day of a longer cycle
func ParseSchedule(text string, cycle int) (Schedule, error) {
	if cycle < 1 || cycle > 366 {
		return nil, dossier.Errorf(dossier.Invalid, "A cycle has 1 to 366 days, not %d.", cycle)
	}
	var out Schedule
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		b, err := parseBlock(part, cycle)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		return nil, dossier.Errorf(dossier.Invalid, "The schedule is empty; write it as \"Mon-Fri 07:00-16:00\".")
	}
	return out, out.overlaps(cycle)
}

func parseBlock(text string, cycle int) (Block, error) {
	days, hours, ok := strings.Cut(text, " ")
	if !ok {
		return Block{}, dossier.Errorf(dossier.Invalid, "%q needs days and hours, as in \"Mon-Fri 07:00-16:00\".", text)
	}
	var b Block
	var err error
	if b.Days, err = parseDays(days, cycle); err != nil {
		return Block{}, err
	}
	hours = strings.TrimSpace(hours)
	if first, rest, flexible := strings.Cut(hours, ".."); flexible {
		last, length, _ := strings.Cut(rest, "+")
		if b.Start, b.Latest, err = twoClocks(first, last); err != nil {
			return Block{}, err
		}
		if b.Minutes, err = parseClock(length); err != nil {
			return Block{}, err
		}
		if b.Latest <= b.Start {
			return Block{}, dossier.Errorf(dossier.Invalid, "In %q the latest start must come after the earliest.", hours)
		}
	} else {
		first, last, _ := strings.Cut(hours, "-")
		var end int
		if b.Start, end, err = twoClocks(first, last); err != nil {
			return Block{}, err
		}
		b.Latest, b.Minutes = b.Start, mod(end-b.Start, 24*60)
	}
	if b.Minutes == 0 {
		return Block{}, dossier.Errorf(dossier.Invalid, "In %q the work takes no time.", hours)
	}
	return b, nil
}

func twoClocks(a, b string) (int, int, error) {
	x, err := parseClock(a)
	if err != nil {
		return 0, 0, err
	}
	y, err := parseClock(b)
	return x, y, err
}

// parseClock reads a time of day or a length, "07:00", in 24-hour form.
func parseClock(text string) (int, error) {
	h, m, ok := strings.Cut(strings.TrimSpace(text), ":")
	hour, herr := strconv.ParseUint(h, 10, 8)
	minute, merr := strconv.ParseUint(m, 10, 8)
	total := int(hour)*60 + int(minute)
	if !ok || herr != nil || merr != nil || len(m) != 2 || minute > 59 || total > 24*60 {
		return 0, dossier.Errorf(dossier.Invalid, "%q is not a time; write it as 07:00, with 24 hours.", text)
	}
	return total, nil
}

func parseDays(text string, cycle int) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := parseDayOfCycle(first, cycle)
		if err != nil {
			return nil, err
		}
		b := a
		if isRange {
			if b, err = parseDayOfCycle(last, cycle); err != nil {
				return nil, err
			}
		}
		for d := a; ; d = (d + 1) % cycle { // "Sat-Mon" and "Sun-Thu" go round the end
			out = append(out, d)
			if d == b {
				break
			}
		}
	}
	slices.Sort(out)
	if len(slices.Compact(slices.Clone(out))) != len(out) {
		return nil, dossier.Errorf(dossier.Invalid, "%q names a day twice.", text)
	}
	return out, nil
}

func parseDayOfCycle(text string, cycle int) (int, error) {
	text = strings.TrimSpace(text)
	if cycle == 7 {
		for i, w := range weekdays {
			if strings.EqualFold(text, w) {
				return i, nil
			}
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= cycle {
		return n - 1, nil
	}
	if cycle == 7 {
		return 0, dossier.Errorf(dossier.Invalid, "%q is not a day of the week; use Mon to Sun.", text)
	}
	return 0, dossier.Errorf(dossier.Invalid, "%q is not a day of the cycle; use 1 to %d.", text, cycle)
}

// overlaps reports two blocks of one day that run into each other.
func (s Schedule) overlaps(cycle int) error {
	for d := range cycle {
		day := s.on(d)
		for i := 1; i < len(day); i++ {
			if day[i].Start < day[i-1].Latest+day[i-1].Minutes {
				return dossier.Errorf(dossier.Invalid, "Two stretches of one day overlap: %s and %s.",
					day[i-1].hours(), day[i].hours())
			}
		}
	}
	return nil
}

// on returns the blocks of one day of the cycle, by start.
func (s Schedule) on(day int) []Block {
	var out []Block
	for _, b := range s {
		if _, found := slices.BinarySearch(b.Days, day); found {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b Block) int { return a.Start - b.Start })
	return out
}

// Text writes s as ParseSchedule reads it.
func (s Schedule) Text(cycle int) string {
	parts := make([]string, 0, len(s))
	for _, b := range s {
		parts = append(parts, daysText(b.Days, cycle)+" "+b.hours())
	}
	return strings.Join(parts, "; ")
}

func (b Block) hours() string {
	if b.Flexible() {
		return fmt.Sprintf("%s..%s+%s", clock(b.Start), clock(b.Latest), clock(b.Minutes))
	}
	return clock(b.Start) + "-" + clock(mod(b.Start+b.Minutes, 24*60))
}

func clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

func daysText(days []int, cycle int) string {
	name := func(d int) string {
		if cycle == 7 {
			return weekdays[d]
		}
		return strconv.Itoa(d + 1)
	}
	var parts []string
	for i := 0; i < len(days); {
		j := i
		for j+1 < len(days) && days[j+1] == days[j]+1 {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, name(days[i]))
		case j == i+1:
			parts = append(parts, name(days[i]), name(days[j]))
		default:
			parts = append(parts, name(days[i])+"-"+name(days[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
