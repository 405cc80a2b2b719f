package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dossier"
	"dossier/apps/poolpatrol/roster"
)

var params = ShiftParams{Window: 60, MinOverlap: 30, MinShare: 50, Days: 28}

// monday is 2 November 2026, the day after daylight saving ends in the United States.
const monday roster.Day = 20759

func works(id, shift, schedule string, more ...func(*ShiftFact)) ShiftFact {
	f := ShiftFact{Employee: id, Vanpool: "VP-101", ShiftID: "SH-" + shift, Shift: shift, Zone: "America/Los_Angeles", Schedule: schedule}
	for _, m := range more {
		m(&f)
	}
	return f
}

func zone(z string) func(*ShiftFact) { return func(f *ShiftFact) { f.Zone = z } }

func cycle(days int, anchor string) func(*ShiftFact) {
	return func(f *ShiftFact) {
		d, err := roster.ParseDay(anchor)
		if err != nil {
			panic(err)
		}
		f.Cycle, f.Anchor = days, d
	}
}

func off(from, to roster.Day) func(*ShiftFact) {
	return func(f *ShiftFact) { f.PTO = append(f.PTO, roster.Span{From: from, To: to}) }
}

const (
	day   = "Mon-Fri 07:00-16:00"
	night = "Sun-Thu 22:00-06:00"
)

func crew(n int, shift, schedule string) []ShiftFact {
	var out []ShiftFact
	for i := range n {
		out = append(out, works("EMP-10"+string(rune('0'+i))+"0", shift, schedule))
	}
	return out
}

func TestJudgeShifts(t *testing.T) {
	t.Parallel()
	days3 := slices.Clip(crew(3, "Day", day)) // each append makes its own copy
	for _, c := range []struct {
		name       string
		riders     []ShiftFact
		verdict    dossier.Verdict
		confidence int
		failing    []string
	}{
		{"P-088 same shift is the fast path", days3, dossier.Pass, 5, nil},
		{"P-027 night rider in a day van", append(days3, works("EMP-1006", "Night", night)), dossier.Fail, 4, []string{"EMP-1006"}},
		{"P4 07-16 and 14-22 share two hours at work and no commute", append(days3, works("EMP-1009", "Swing", "Mon-Fri 14:00-22:00")), dossier.Fail, 4, []string{"EMP-1009"}},
		{"P4 starts 30 minutes apart leave exactly 30 in common", append(days3, works("EMP-1009", "Late day", "Mon-Fri 07:30-16:30")), dossier.Pass, 5, nil},
		{"P4 starts 31 minutes apart leave 29", append(days3, works("EMP-1009", "Late day", "Mon-Fri 07:31-16:31")), dossier.Fail, 4, []string{"EMP-1009"}},
		{"P4 same start, end an hour later: no way home in common", append(days3, works("EMP-1009", "Long day", "Mon-Fri 07:00-17:00")), dossier.Fail, 4, []string{"EMP-1009"}},
		{"P4 night crew across midnight", crew(3, "Night", night), dossier.Pass, 5, nil},
		{
			"P4 a night that starts before midnight and one that starts at midnight carry different dates",
			append(crew(3, "Night", "Sun-Thu 23:45-08:00"), works("EMP-1009", "Graveyard", "Mon-Fri 00:00-08:15")), dossier.Pass, 5, nil,
		},
		{
			"P4 another time zone, the same moment",
			append(days3, works("EMP-1009", "Mountain day", "Mon-Fri 08:00-17:00", zone("America/Denver"))), dossier.Pass, 5, nil,
		},
		{
			"P4 another time zone, the same clock",
			append(days3, works("EMP-1009", "Eastern day", "Mon-Fri 07:00-16:00", zone("America/New_York"))), dossier.Fail, 4, []string{"EMP-1009"},
		},
		{"P4 split shift: first start and last end count", append(days3, works("EMP-1009", "Split", "Mon-Fri 07:00-10:00; Mon-Fri 13:00-16:00")), dossier.Pass, 5, nil},
		{"P4 split shift that ends late", append(days3, works("EMP-1009", "Split", "Mon-Fri 07:00-11:00; Mon-Fri 15:00-19:00")), dossier.Fail, 4, []string{"EMP-1009"}},
		{"P4 flexible: a start that fits can be chosen", append(days3, works("EMP-1009", "Flex", "Mon-Fri 06:00..09:30+09:00")), dossier.Pass, 5, nil},
		{"P4 flexible: one start must serve both ways", append(days3, works("EMP-1009", "Flex", "Mon-Fri 06:00..10:00+06:00")), dossier.Fail, 4, []string{"EMP-1009"}},
		{
			"P4 rotating, half of the days fit", append(days3, works("EMP-1009", "Rotation", "1-5 07:00-16:00; 8-12 15:00-23:00", cycle(14, "2026-11-02"))),
			dossier.Pass, 4, nil,
		},
		{
			"P4 rotating, a third of the days fit", append(days3, works("EMP-1009", "Rotation", "1-5 07:00-16:00; 8-12 15:00-23:00; 15-19 23:00-07:00", cycle(21, "2026-11-09"))),
			dossier.Fail, 4, []string{"EMP-1009"},
		},
		{
			"P4 days off are left out: only the fitting weeks remain",
			append(days3, works("EMP-1009", "Rotation", "1-5 07:00-16:00; 8-12 15:00-23:00; 15-19 23:00-07:00", cycle(21, "2026-11-02"), off(monday+7, monday+20))),
			dossier.Pass, 5, nil,
		},
		{"P4 away the whole time", append(days3, works("EMP-1009", "Night", night, off(monday-3, monday+40))), dossier.Pass, 4, nil},
		{"P4 weekend rider never meets the weekday crew", append(days3, works("EMP-1009", "Weekend", "Sat,Sun 07:00-16:00")), dossier.Fail, 4, []string{"EMP-1009"}},
		{"P4 single rider", crew(1, "Night", night), dossier.Pass, 4, nil},
		{"P4 empty van", nil, dossier.Pass, 5, nil},
		{"P-063 no shift on record is unclear", append(days3, ShiftFact{Employee: "EMP-1009", Vanpool: "VP-101"}), dossier.Unclear, 2, []string{"EMP-1009"}},
		{"P-063 nobody has a shift", []ShiftFact{{Employee: "EMP-1009"}, {Employee: "EMP-1010"}}, dossier.Unclear, 2, []string{"EMP-1009", "EMP-1010"}},
		{
			"P-154 no shift has more than half: the one that suits most is compared with",
			slices.Concat(crew(3, "Night", night), []ShiftFact{works("EMP-2001", "Day A", day), works("EMP-2002", "Day A", day), works("EMP-2003", "Day B", "Mon-Fri 07:15-16:15"), works("EMP-2004", "Day B", "Mon-Fri 07:15-16:15")}),
			dossier.Fail, 3, []string{"EMP-1000", "EMP-1010", "EMP-1020"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := JudgeShifts(c.riders, monday, params)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != c.verdict || got.Confidence != c.confidence || !slices.Equal(got.Failing(), c.failing) {
				t.Errorf("got %s (%d) failing %v, want %s (%d) failing %v\n%s", got.Verdict, got.Confidence, got.Failing(), c.verdict, c.confidence, c.failing, got.Reason)
			}
		})
	}
}

func TestShiftFigures(t *testing.T) {
	t.Parallel()
	t.Run("P4 evidence carries both figures", func(t *testing.T) {
		t.Parallel()
		riders := append(crew(3, "Day", day), works("EMP-1009", "Swing", "Mon-Fri 14:00-22:00"))
		got, err := JudgeShifts(riders, monday, params)
		if err != nil {
			t.Fatal(err)
		}
		want := ShiftFigures{Employee: "EMP-1009", ShiftID: "SH-Swing", ShiftName: "Swing", Standing: Clashes, WorkingDays: 20, Overlap: 0, WorkOverlap: 120}
		if got.Riders[3] != want {
			t.Errorf("got %+v, want %+v", got.Riders[3], want)
		}
		seen := ShiftEvidence("VP-101", riders, monday, params, got, time.Unix(0, 0))
		last := seen[len(seen)-1]
		for _, field := range []string{`"employee_id":"EMP-1009"`, `"shift_id":"SH-Swing"`, `"vanpool_id":"VP-101"`, `"overlap_minutes":0`, `"work_overlap_minutes":120`, `"expected_shift":"Day"`} {
			if !strings.Contains(string(last.Data), field) {
				t.Errorf("P-118 %s lacks %s: %s", last.Kind, field, last.Data)
			}
		}
	})
	t.Run("P4 the day the clocks go forward is an hour shorter at work and the commute stays", func(t *testing.T) {
		t.Parallel()
		spring, _ := roster.ParseDay("2026-03-07")
		p := params
		p.Days = 1
		riders := []ShiftFact{works("EMP-1001", "Night A", "Sat 22:00-06:00"), works("EMP-1002", "Night B", "Sat 22:20-06:20"), works("EMP-1003", "Night A", "Sat 22:00-06:00")}
		got, err := JudgeShifts(riders, spring, p)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Riders[1]; r.ToWork != 40 || r.Home != 40 || r.WorkOverlap != 7*60-20 || got.Verdict != dossier.Pass {
			t.Errorf("got %+v %s, want 40 minutes each way and 400 at work", r, got.Verdict)
		}
	})
	t.Run("P4 two zones part ways between their changes of clock", func(t *testing.T) {
		t.Parallel()
		// Europe leaves summer time on 25 October 2026, the United States on 1 November.
		riders := []ShiftFact{
			works("EMP-1001", "Day", day), works("EMP-1002", "Day", day),
			works("EMP-1003", "Remote", "Mon-Fri 16:00-01:00", zone("Europe/Berlin")),
		}
		week := params
		week.Days = 5
		for first, shared := range map[string]int{"2026-10-19": 5, "2026-10-26": 0, "2026-11-02": 5} {
			d, _ := roster.ParseDay(first)
			got, err := JudgeShifts(riders, d, week)
			if err != nil {
				t.Fatal(err)
			}
			if got.Riders[2].SharedDays != shared {
				t.Errorf("week of %s: got %d shared days, want %d", first, got.Riders[2].SharedDays, shared)
			}
		}
	})
}

func drawFacts(t *rapid.T) []ShiftFact {
	schedules := []string{day, night, "Mon-Fri 14:00-22:00", "Mon-Fri 06:00..09:00+08:00", "Mon-Fri 07:15-16:15", "Mon-Thu 06:00-10:00; Mon-Thu 12:00-17:00", "Sat,Sun 08:00-17:00"}
	var out []ShiftFact
	for i := range rapid.IntRange(0, 9).Draw(t, "riders") {
		k := rapid.IntRange(-1, len(schedules)-1).Draw(t, "schedule")
		f := ShiftFact{Employee: "EMP-20" + string(rune('0'+i)) + "0", Vanpool: "VP-101"}
		if k >= 0 {
			f = works(f.Employee, "S"+string(rune('A'+k)), schedules[k])
		}
		if rapid.Bool().Draw(t, "off") {
			from := monday + roster.Day(rapid.IntRange(-5, 30).Draw(t, "from"))
			f.PTO = []roster.Span{{From: from, To: from + roster.Day(rapid.IntRange(0, 30).Draw(t, "length"))}}
		}
		out = append(out, f)
	}
	return out
}

func TestShiftProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t)
		got, err := JudgeShifts(facts, monday, params)
		if err != nil {
			t.Fatal(err)
		}
		if got.Confidence < 1 || got.Confidence > 5 {
			t.Fatalf("confidence %d", got.Confidence)
		}
		for _, r := range got.Riders {
			if r.SharedDays > r.WorkingDays || r.Overlap > min(r.ToWork, r.Home) || r.ToWork > params.Window || r.Home > params.Window {
				t.Fatalf("impossible figures %+v", r)
			}
			if r.ShiftID == got.MajorityID && r.Standing == Clashes {
				t.Fatalf("%s works the majority shift and clashes", r.Employee)
			}
		}
		if (got.Verdict == dossier.Fail) != slices.ContainsFunc(got.Riders, func(r ShiftFigures) bool { return r.Standing == Clashes }) {
			t.Fatalf("verdict %s does not follow from %+v", got.Verdict, got.Riders)
		}
		// The order of riders does not matter.
		turned := slices.Clone(facts)
		slices.Reverse(turned)
		again, err := JudgeShifts(turned, monday, params)
		if err != nil || again.Verdict != got.Verdict || again.Confidence != got.Confidence || again.MajorityID != got.MajorityID {
			t.Fatalf("in another order: %v %v, want %v", again, err, got)
		}
		// The finding can be made again from its evidence alone.
		f, err := RecheckShifts(ShiftEvidence("VP-101", facts, monday, params, got, time.Unix(0, 0)))
		if err != nil {
			t.Fatal(err)
		}
		want := got.Finding()
		if f.Verdict != want.Verdict || f.Confidence != want.Confidence || string(f.Figures) != string(want.Figures) {
			t.Fatalf("rechecked %s, want %s", f.Figures, want.Figures)
		}
	})
}

func TestMeetIsSymmetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) roster.Workday {
			from := rapid.Int64Range(0, 3000).Draw(t, name+" from")
			length := rapid.Int64Range(60, 900).Draw(t, name+" length")
			return roster.Workday{
				From: from, Latest: from + rapid.Int64Range(0, 240).Draw(t, name+" flex"), Minutes: length,
				Worked: []roster.Stretch{{From: from, To: from + length}},
			}
		}
		a, b := draw("a"), draw("b")
		// With an odd difference of lengths the better half goes to one way or the other.
		if x, y := meet(a, b, 60).overlap(), meet(b, a, 60).overlap(); abs(x-y) > 1 {
			t.Fatalf("a with b %d, b with a %d", x, y)
		}
		// No choice of starts does better than the one taken.
		best := meet(a, b, 60).overlap()
		for s := a.From; s <= a.Latest; s += 7 {
			for o := b.From; o <= b.Latest; o += 7 {
				if got := min(common(s-o, 60), common(s+a.Minutes-o-b.Minutes, 60)); got > best {
					t.Fatalf("starts %d and %d share %d minutes, more than %d", s, o, got, best)
				}
			}
		}
	})
}

func TestFindingText(t *testing.T) {
	t.Parallel()
	got, err := JudgeShifts(append(crew(3, "Day Shift", day), works("EMP-1006", "Night Shift", night)), monday, params)
	if err != nil {
		t.Fatal(err)
	}
	f := got.Finding()
	want := "EMP-1006 works Night Shift (Sun-Thu 22:00-06:00) while the van runs for Day Shift: they can share it on 0 of 20 working days, and 50 % are needed."
	if f.Reason != want || f.By != "rule/shift@1" || f.Check != "shift" || f.Confidence != 80 || !json.Valid(f.Figures) {
		t.Errorf("got %+v", f)
	}
}

func BenchmarkJudgeShifts(b *testing.B) {
	riders := append(crew(7, "Day", day), works("EMP-1099", "Night", night))
	for b.Loop() {
		if _, err := JudgeShifts(riders, monday, params); err != nil {
			b.Fatal(err)
		}
	}
}
