package calendar_test

import (
	"testing"
	"time"

	"dossier/apps/gatepass/calendar"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"2026-11-12", "2026-11-12"}, {"12/11/2026", "2026-11-12"}, {"3-4-26", "2026-04-03"}, {"31.12.2026", "2026-12-31"},
		{"31/02/2026", ""}, {"12", ""}, {"GP-2026-0012", ""},
	} {
		got := ""
		if d, ok := calendar.Figures(tt.in); ok {
			got = d.Format("2006-01-02")
		}
		if got != tt.want {
			t.Errorf("%s is read as %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in           string
		hour, minute int
		ok           bool
	}{
		{"17:30", 17, 30, true}, {"5pm", 17, 0, true}, {"5.30pm", 17, 30, true}, {"12am", 0, 0, true}, {"12pm", 12, 0, true},
		{"25:00", 0, 0, false}, {"5", 0, 0, false}, {"17:3", 0, 0, false}, {"noon", 0, 0, false},
	} {
		h, m, ok := calendar.Clock(tt.in)
		if ok != tt.ok || ok && (h != tt.hour || m != tt.minute) {
			t.Errorf("%s is read as %d:%d %v", tt.in, h, m, ok)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		day   time.Weekday
		ahead bool
		want  string
	}{
		{time.Friday, true, "2026-11-20"}, {time.Friday, false, "2026-11-13"}, {time.Monday, true, "2026-11-23"}, {time.Monday, false, "2026-11-09"},
	} {
		if got := calendar.Nearest(monday, tt.day, tt.ahead).Format("2006-01-02"); got != tt.want {
			t.Errorf("%v, ahead %v: %s, want %s", tt.day, tt.ahead, got, tt.want)
		}
	}
}
