package letters

import (
	"strings"
	"testing"
)

func TestFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row, want string
		failed    []string
	}{
		{"P-084", "shift_mismatch", []string{"shift"}},
		{"P-085", "location_mismatch", []string{"location"}},
		{"P-086", "both_mismatch", []string{"location", "shift"}},
		{"P-087", "other_mismatch", []string{"badge"}},
	} {
		if got := For(c.failed); got != c.want {
			t.Errorf("%s: got %s, want %s", c.row, got, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	f := Facts{Vanpool: "VP-102", Shift: "Night Shift", Expected: "Day Shift", Shared: 0, Working: 20, Miles: 376.2, Threshold: 50, Days: 7, Portal: "the Employee Portal"}
	subject, body := Write("both_mismatch", f)
	if subject != "Your seat in VP-102: please check your shift and your home address" {
		t.Errorf("got subject %q", subject)
	}
	for _, want := range []string{"Hello [first name],", "Night Shift, while the van runs for Day Shift: 0 of your 20 working days", "376.2 miles from the pickup point; the programme allows 50.", "7 days from now", Link} {
		if !strings.Contains(body, want) {
			t.Errorf("the letter lacks %q:\n%s", want, body)
		}
	}
	for _, name := range []string{"shift_mismatch", "location_mismatch", "both_mismatch", "other_mismatch", "follow_up", "reminder", "acknowledgment", "question", "update", "escalation"} {
		for _, facts := range []Facts{f, {Vanpool: "VP-102"}} {
			subject, body := Write(name, facts)
			if subject == "" || !strings.HasPrefix(body, "Hello "+Name) || strings.Contains(subject+body, "<no value>") {
				t.Errorf("%s: %s\n%s", name, subject, body)
			}
		}
	}
}
