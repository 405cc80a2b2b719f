package dryrun_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"dossier/apps/airshed/book"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/dryrun"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
)

var then = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

func TestAnalyzeHasNoSideEffects(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(sample.November(then).Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	analyse := func(raw []byte, at time.Time) (dryrun.Outcome, error) {
		return dryrun.Of("x.json", raw, at, correlate.Stations(), correlate.Defaults())
	}
	o, err := analyse(raw, then)
	if err != nil || o.Status != book.SweepReported || len(o.Reports) != 2 || o.SweepID == "" || o.Reports[1].ReportID != "CAQM-2025-11-14-002" {
		t.Fatalf("%+v, %v", o, err)
	}
	again, _ := analyse(raw, then)
	x, _ := json.Marshal(o)
	if y, _ := json.Marshal(again); !bytes.Equal(x, y) {
		t.Error("the same file gives another answer")
	}
	var got struct {
		SweepID string         `json:"sweep_id"`
		Reports []legal.Report `json:"reports"`
	}
	if err := json.Unmarshal(x, &got); err != nil || got.SweepID != o.SweepID || got.Reports[0].SurgeDetails.Station != "Alipur" || got.Reports[0].Validate() != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if o, err := analyse([]byte(`{"nasa_data":[],"timestamp":"2025-11-14T08:30:00Z"}`), then); err == nil || o.Status != book.SweepFailed || o.Error != "CPCB data missing" {
		t.Errorf("A-081: %+v, %v", o, err)
	}
	if o, err := analyse(raw, then.Add(48*time.Hour)); err != nil || o.Status != book.SweepStale || len(o.Reports) != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// Reading, checking, judging and composing the reports of a real-size day.
func BenchmarkAnalyzeRealDay(b *testing.B) {
	raw, err := json.Marshal(sample.RealDay(then))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if o, err := dryrun.Of("x.json", raw, then, correlate.Stations(), correlate.Defaults()); err != nil || len(o.Reports) != 2 {
			b.Fatal(err)
		}
	}
}
