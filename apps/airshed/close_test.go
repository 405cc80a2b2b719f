package airshed

import (
	"errors"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
)

// However an agent says that a case ended, its records say how.
func TestACaseEndsAsItsRecordsStand(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	b.upload(alipur())
	b.fire()
	id := b.cases()[0].ID
	for how, want := range map[outcome]error{"filed": dossier.Invalid, "partially_filed": dossier.Invalid, "no_surge": dossier.Invalid, "not_filed": dossier.Conflict} {
		if _, err := b.close(t.Context(), call(id, then), closeIn{Outcome: how}); !errors.Is(err, want) {
			t.Errorf("a report that waits for the officer, closed as %s: %v", how, err)
		}
	}
	if d, err := b.book.ReportOf(t.Context(), id); err != nil || d.Status != book.Drafted || b.cases()[0].State != dossier.Waiting || len(b.Pending()) != 1 {
		t.Errorf("%s, %+v, %v", d.Status, b.cases()[0], err)
	}
	b.approveAll()
	if c := b.cases()[0]; c.State != dossier.Closed || c.Outcome != book.Filed {
		t.Errorf("%s %q", c.State, c.Outcome)
	}
}

func TestACaseWithoutAReport(t *testing.T) {
	t.Parallel()
	b := open(t, nil, nil)
	for i, c := range []struct {
		aqi  float64
		how  outcome
		want error // nil: it is closed
	}{
		{450, "no_surge", dossier.Conflict}, {450, "not_filed", dossier.Conflict}, {450, "filed", dossier.Conflict},
		{200, "filed", dossier.Invalid}, {200, "no_surge", nil},
	} {
		id, brief, err := b.stageDay(t.Context(), dayInput{Station: "Alipur", AQI: c.aqi, Fires: map[string]int{"Haryana": 5}, At: then.Add(time.Duration(i) * 24 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.read(t.Context(), call(id, then), readIn{BucketName: brief.BucketName})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Bench.Desk.Record(t.Context(), id, out.Evidence, nil); err != nil {
			t.Fatal(err)
		}
		_, err = b.close(t.Context(), call(id, then), closeIn{Outcome: c.how})
		if got, _ := b.Bench.Desk.Case(t.Context(), id); c.want == nil && (err != nil || got.Outcome != "no_surge") || c.want != nil && (!errors.Is(err, c.want) || got.State == dossier.Closed) {
			t.Errorf("index %v closed as %s: %s, %v", c.aqi, c.how, got.State, err)
		}
	}
}
