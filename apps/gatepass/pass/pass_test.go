package pass

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNext(t *testing.T) {
	t.Parallel()
	// Every combination of status, returnable and operation; whatever is not listed
	// must be refused.
	want := map[Status]map[Op]Status{
		Pending:  {Approve: Approved, Reject: Rejected, Delete: Deleted},
		Approved: {Exit: Exited, Delete: Deleted},
		Rejected: {Delete: Deleted},
		Returned: {Delete: Deleted},
		Deleted:  {},
	}
	exited := map[bool]map[Op]Status{true: {Return: Returned}, false: {Delete: Deleted}}
	for _, s := range Statuses {
		for _, returnable := range []bool{true, false} {
			table := want[s]
			if s == Exited {
				table = exited[returnable]
			}
			for _, op := range Ops {
				got, ok := Next(s, returnable, op)
				next, allowed := table[op]
				if ok != allowed || ok && got != next {
					t.Errorf("G-061 Next(%s, %v, %s) = %s, %v; want %s, %v", s, returnable, op, got, ok, next, allowed)
				}
				if slices.Contains(Allowed(s, returnable), op) != allowed {
					t.Errorf("Allowed(%s, %v) disagrees about %s", s, returnable, op)
				}
				if slices.Contains(From(op, returnable), s) != allowed {
					t.Errorf("From(%s, %v) disagrees about %s", op, returnable, s)
				}
			}
		}
	}
}

// No order of operations brings a pass back to life: deleted and rejected never
// become approved, and nobody returns who did not leave.
func TestLifeProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, returnable := Pending, rapid.Bool().Draw(t, "returnable")
		left := false
		for _, op := range rapid.SliceOfN(rapid.SampledFrom(Ops), 0, 12).Draw(t, "ops") {
			next, ok := Next(s, returnable, op)
			if !ok {
				continue
			}
			if s.Revoked() && next != Deleted {
				t.Fatalf("%s became %s", s, next)
			}
			if next == Returned && !left {
				t.Fatal("returned without an exit")
			}
			if next == Returned && !returnable {
				t.Fatal("a pass that is not returnable returned")
			}
			left = left || next == Exited
			s = next
		}
	})
}

func TestNumberProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		year := rapid.IntRange(1970, 9999).Draw(t, "year")
		n := rapid.IntRange(1, 9_999_999).Draw(t, "n")
		got, ok := ParseNumber(Number(year, n))
		if !ok || got != Number(year, n) {
			t.Fatalf("ParseNumber(%q) = %q, %v", Number(year, n), got, ok)
		}
	})
}

func TestParseNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"GP-2026-0012": "GP-2026-0012", " gp-2026-0012 ": "GP-2026-0012", "GP-2026-10000": "GP-2026-10000",
		"GP-2026-0000": "", "GP-2026-012": "", "GP-2026-00012": "", "GP-26-0012": "", "GP20260012": "",
		"": "", "GP-2026-0012x": "", "GP-2026-0012/..": "", "12": "",
	} {
		got, ok := ParseNumber(in)
		if got != want || ok != (want != "") {
			t.Errorf("G-060 ParseNumber(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"GP-2026-0001", "gp-2026-12345", "GP-0000-0000", "GP-٢٠٢٦-0001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := ParseNumber(s)
		if !ok {
			return
		}
		if again, ok := ParseNumber(n); !ok || again != n {
			t.Errorf("%q reads as %q, which reads as %q", s, n, again)
		}
	})
}

func TestFilter(t *testing.T) {
	t.Parallel()
	passes := []Pass{
		{Number: "p", Status: Pending}, {Number: "a", Status: Approved}, {Number: "r", Status: Rejected},
		{Number: "out", Status: Exited, Returnable: true}, {Number: "gone", Status: Exited},
		{Number: "back", Status: Returned, Returnable: true}, {Number: "del", Status: Deleted},
	}
	for word, want := range map[string][]string{
		"": {"p", "a", "r", "out", "gone", "back"}, "pending": {"p"}, "Approved ": {"a"}, "rejected": {"r"},
		"exited": {"out", "gone"}, "returned": {"back"}, "deleted": {"del"},
		"pending_return": {"out"}, "completed": {"gone", "back"},
	} {
		f, err := ParseFilter(word)
		if err != nil {
			t.Fatalf("ParseFilter(%q): %v", word, err)
		}
		got := []string{}
		for _, p := range passes {
			if f.Match(p) {
				got = append(got, p.Number)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("G1 %q (-want +got):\n%s", word, diff)
		}
	}
	if _, err := ParseFilter("lost"); err == nil {
		t.Error("ParseFilter accepts a word that is no status")
	}
}

func TestOverdue(t *testing.T) {
	t.Parallel()
	exit := time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)
	by := exit.Add(time.Hour)
	out := Pass{Status: Exited, Returnable: true, ExitTime: &exit}
	promised := out
	promised.ReturnBy = &by
	oneWay := out
	oneWay.Returnable = false
	tests := []struct {
		name string
		p    Pass
		at   time.Duration
		want bool
	}{
		{"within grace", out, 8 * time.Hour, false},
		{"after grace", out, 8*time.Hour + time.Second, true},
		{"before the promised time", promised, time.Hour, false},
		{"after the promised time", promised, time.Hour + time.Second, true},
		{"not returnable", oneWay, 100 * time.Hour, false},
		{"not out", Pass{Status: Approved, Returnable: true}, 100 * time.Hour, false},
	}
	for _, tt := range tests {
		if got := tt.p.Overdue(exit.Add(tt.at), 8*time.Hour); got != tt.want {
			t.Errorf("%s: Overdue = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCheckNew(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)
	past, future, late, never := now, now.Add(time.Minute), now.Add(MaxAway), now.AddDate(1, 0, 0)
	long := string(make([]rune, MaxName+1))
	tests := []struct {
		name, person, purpose string
		returnable            bool
		by                    *time.Time
		want                  []string
	}{
		{"good", "Ravi Kumar", "bank", true, &future, nil},
		{"empty name", " ", "bank", true, nil, []string{"person_name"}},
		{"both empty", "", "\t", false, nil, []string{"person_name", "description"}},
		{"too long", long, "bank", false, nil, []string{"person_name"}},
		{"control character", "Ravi\x00", "bank", false, nil, []string{"person_name"}},
		{"past return", "Ravi", "bank", true, &past, []string{"return_by"}},
		{"the latest return", "Ravi", "bank", true, &late, nil},
		{"a year mistyped", "Ravi", "bank", true, &never, []string{"return_by"}},
		{"one way with return", "Ravi", "bank", false, &future, []string{"return_by"}},
	}
	for _, tt := range tests {
		var got []string
		for _, e := range CheckNew(tt.person, tt.purpose, tt.returnable, tt.by, now) {
			got = append(got, e.Field)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestNumbersAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"gp-2026-0012": "GP-2026-0012", "gp20260012": "GP-2026-0012", "gp/2026/12": "GP-2026-0012", "gp_2026_12345": "GP-2026-12345",
		"gp-2026-000": "", "gp-2026": "", "gp-12": "", "gp-2o26-0012": "", "gp-2026-0012x": "", "gp-1889-0012": "", "2026-0012": "", "": "",
	} {
		if got, ok := ReadNumber(word); got != want || ok != (want != "") {
			t.Errorf("%q is read as %q, %v", word, got, ok)
		}
	}
	for end, want := range map[string]string{"8": "GP-2026-0008", "0008": "GP-2026-0008", "12345": "GP-2026-12345", "2026": "", "0": "", "99999999": "", "x": ""} {
		if got := ShortAfterGP(end, 2026); got != want {
			t.Errorf("gp %s is read as %q", end, got)
		}
	}
}
