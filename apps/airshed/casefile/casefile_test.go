package casefile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/sample"
	"dossier/internal/canon"
)

var now = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

func evidence(t *testing.T, d sample.Day) []dossier.Evidence {
	t.Helper()
	snap, r := d.Snapshot(), correlate.Defaults()
	w := correlate.FindSurges(snap.Readings, correlate.Stations(), now, r)
	chain := casefile.Evidence(snap, w.Surges[0], correlate.Stations()[0], correlate.Past{Samples: []correlate.Sample{}, Reports: []correlate.PastReport{}},
		casefile.Origin{Sweep: "s", Object: lake.Object{Bucket: "file:///lake", Key: "data/x.json"}, Now: now}, r)
	for i := range chain {
		raw, err := canon.JSON(chain[i].Data) // as the ledger keeps it
		if err != nil {
			t.Fatal(err)
		}
		chain[i].Data, chain[i].ID = raw, dossier.EvidenceID("ev-"+chain[i].Kind)
	}
	return chain
}

// What the rules say of the evidence is what they say of the whole snapshot.
func TestReadGivesTheSameAnalysis(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sample.Day){
		"everything": func(*sample.Day) {}, "no fires": func(d *sample.Day) { d.Fires = nil }, "no share": func(d *sample.Day) { d.Share = -1 }, "no wind": func(d *sample.Day) { d.From = -1 },
	} {
		d := sample.November(now)
		change(&d)
		f, err := casefile.Read(evidence(t, d))
		if err != nil || !f.Found {
			t.Fatalf("%s: %v", name, err)
		}
		_, all := correlate.Analyse(d.Snapshot(), correlate.Stations(), now, nil, correlate.Defaults())
		got, _ := json.Marshal(f.Analysis)
		want, _ := json.Marshal(all[0])
		if !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s\n%s", name, got, want)
		}
	}
}

func TestRulesGiveTheSameFindingTwice(t *testing.T) {
	t.Parallel()
	chain := evidence(t, sample.November(now))
	want := map[string]dossier.Verdict{"surge": dossier.Fail, "fires": dossier.Fail, "wind": dossier.Pass, "confidence": dossier.Pass, "citations": dossier.Pass}
	for _, r := range casefile.Rules {
		a, err := r.Apply(chain)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := r.Apply(chain)
		if a.Reason != b.Reason || !bytes.Equal(a.Figures, b.Figures) || a.Verdict != want[r.Check] || len(a.Cites) != 6 || a.Validate() != nil {
			t.Errorf("%s: %+v", r.Check, a)
		}
		if r.Check == casefile.CheckConfidence && a.Confidence != 100 {
			t.Error(a.Confidence)
		}
	}
}

func TestReadWithoutEvidence(t *testing.T) {
	t.Parallel()
	chain := evidence(t, sample.November(now))
	if _, err := casefile.Read(chain[:3]); !errors.Is(err, dossier.Invalid) {
		t.Error(err)
	}
	chain[2].Data = json.RawMessage(`{"fires":[[1,2]]}`)
	if _, err := casefile.Read(chain); !errors.Is(err, dossier.Invalid) {
		t.Error(err)
	}
}

func TestWhatIf(t *testing.T) {
	t.Parallel()
	f, err := casefile.Read(evidence(t, sample.November(now)))
	if err != nil {
		t.Fatal(err)
	}
	r := f.Settings.Rules
	r.RadiusKm, r.Window = 300, 7*24*time.Hour
	wide := f.WhatIf(r)
	if wide.Analysis.Correlation.FireCount <= f.Analysis.Correlation.FireCount {
		t.Errorf("%d fires in a wider circle and a longer time", wide.Analysis.Correlation.FireCount)
	}
	r.SurgeAQI = 460
	if f.WhatIf(r).Found {
		t.Error("450 is above 460")
	}
	if !f.Found || f.Analysis.Correlation.FireCount != 620 {
		t.Error("asking changed the case")
	}
}
