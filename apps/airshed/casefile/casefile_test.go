package casefile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
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

// Whatever window and radius are set, the case keeps the fires that they count.
func TestEvidenceReachesAsFarAsTheRules(t *testing.T) {
	t.Parallel()
	d := sample.November(now)
	d.History = 20 * 24
	snap, r := d.Snapshot(), correlate.Defaults()
	r.Window, r.RadiusKm = 12*24*time.Hour, 120
	w, all := correlate.Analyse(snap, correlate.Stations(), now, nil, r)
	chain := casefile.Evidence(snap, w.Surges[0], correlate.Stations()[0], correlate.Past{}, casefile.Origin{Now: now}, r)
	f, err := casefile.Read(chain)
	if err != nil || f.Analysis.Correlation.FireCount != all[0].Correlation.FireCount {
		t.Errorf("%d fires, want %d, %v", f.Analysis.Correlation.FireCount, all[0].Correlation.FireCount, err)
	}
	r.RadiusKm = 300 // the widest that people may ask for
	if got, want := f.WhatIf(r).Analysis.Correlation.FireCount, correlate.Correlate(snap.Fires, w.Surges[:1], r)[0].FireCount; got != want {
		t.Errorf("a what-if of 300 km counts %d fires, want %d", got, want)
	}
}

// A feed that does not reach the surge is a gap, and nothing is newer than the snapshot.
func TestFeedsThatDoNotReachTheSurge(t *testing.T) {
	t.Parallel()
	snap, r := sample.November(now).Snapshot(), correlate.Defaults()
	for i := range snap.Fires {
		snap.Fires[i].AcqDate = "2025-11-09"
	}
	snap.Share.Time = now.Add(-72 * time.Hour)
	w, all := correlate.Analyse(snap, correlate.Stations(), now, nil, r)
	f, err := casefile.Read(casefile.Evidence(snap, w.Surges[0], correlate.Stations()[0], correlate.Past{}, casefile.Origin{Now: now}, r))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []legal.DataQuality{f.Quality(), casefile.QualityOf(snap, now, nil, all[0], r)} {
		if len(q.Gaps) != 2 || !strings.HasPrefix(q.Gaps[0], "The newest fire in the feed is of 9 November 2025 21:06 UTC") || q.Gaps[1] != "The DSS share is of 11 November 2025 and not of the day of the surge." {
			t.Errorf("%q", q.Gaps)
		}
	}
	today := sample.November(now).Snapshot()
	for i := range today.Fires {
		today.Fires[i].AcqDate, today.Fires[i].AcqTime = "2025-11-14", ""
	}
	if s := casefile.SourcesOf(today, lake.Object{}, now)[1]; !s.Timestamp.Equal(now) || s.AgeHours != 0 || s.Records != len(today.Fires) {
		t.Errorf("%+v", s)
	}
	if q := casefile.QualityOf(today, now, nil, all[0], r); len(q.Gaps) != 0 {
		t.Errorf("%q", q.Gaps)
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

// What the first version of the rules found is worked out again to the letter, and the
// newest says otherwise of the same evidence.
func TestFindingsOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name     string             `json:"name"`
		Evidence []dossier.Evidence `json:"evidence"`
		Findings []dossier.Finding  `json:"findings"`
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) != 2 {
		t.Fatal(len(cases), err)
	}
	newest := map[string]string{
		cases[0].Name + " surge": "Alipur had an index of 410 at 14 November 2025 00:00 UTC, above 300.",
		cases[0].Name + " fires": "4 fires within 200 km and 48 hours (Haryana 4); no neighbouring state has more than 5.",
		cases[1].Name + " surge": "Alipur had an index of 320 at 13 November 2025 22:00 UTC, above 300.",
	}
	for _, c := range cases {
		for _, was := range c.Findings {
			name, version, ok := was.Rule()
			i := slices.IndexFunc(casefile.Ledger, func(r casefile.Rule) bool { return r.Check == name && r.Version == version })
			if !ok || i < 0 {
				t.Fatalf("%s: nothing works out %s again", c.Name, was.By)
			}
			if now, err := casefile.Ledger[i].Apply(c.Evidence); err != nil || !cmp.Equal(was, now, asJSON) {
				t.Errorf("%s: %s: %v %s", c.Name, was.By, err, cmp.Diff(was, now, asJSON))
			}
			i = slices.IndexFunc(casefile.Rules, func(r casefile.Rule) bool { return r.Check == name })
			now, err := casefile.Rules[i].Apply(c.Evidence)
			if want := newest[c.Name+" "+name]; err != nil || now.By == was.By || want != "" && now.Reason != want {
				t.Errorf("%s: %s: %v %s", c.Name, now.By, err, now.Reason)
			}
		}
	}
}

// asJSON compares figures as what they say.
var asJSON = cmp.Transformer("json", func(raw json.RawMessage) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err.Error()
	}
	return v
})
