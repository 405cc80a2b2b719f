package numbers

import (
	"fmt"
	"testing"

	"dossier/apps/poolpatrol/casebook"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   []float64
		want Spread
	}{
		{nil, Spread{}},
		{[]float64{7}, Spread{1, 7, 7, 7}},
		{[]float64{4, 1, 2, 3}, Spread{4, 2.5, 2.5, 4}},
		{[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Spread{10, 5.5, 5.5, 9}},
		{[]float64{3, 1, 2}, Spread{3, 2, 2, 3}},
	} {
		if got := spread(c.of); got != c.want {
			t.Errorf("P-004 %v: got %+v, want %+v", c.of, got, c.want)
		}
	}
}

// A trend keeps the weeks in which nobody was audited.
func TestWeeks(t *testing.T) {
	t.Parallel()
	var m Metrics
	m.countAudits(casebook.Totals{Vans: 2, Weeks: []casebook.Week{
		{Monday: "2026-02-23", Audits: 1}, {Monday: "2026-03-02", Audits: 1, Flagged: 1}, {Monday: "2026-03-23", Audits: 2, Flagged: 1},
	}}, Source{MinutesPerAudit: 30, HourlyCost: 50})
	const want = "[{2026-02-23 1 0} {2026-03-02 1 1} {2026-03-09 0 0} {2026-03-16 0 0} {2026-03-23 2 1}]"
	if got := fmt.Sprint(m.Weeks); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if m.Audits != 4 || m.Cleared != 2 || m.HoursSaved != 2 || m.CostSaved != 100 || m.Vans != 2 || m.BaselinePart != 2.0/1040 {
		t.Errorf("P-002 P-003 got %+v", m)
	}
}
