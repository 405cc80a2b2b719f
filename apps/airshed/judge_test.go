package airshed

import (
	"encoding/json"
	"os"
	"testing"

	"dossier"
	"dossier/internal/app"
)

// A case that the first version of the rules judged is shown as it was judged, verifies,
// and is judged anew by the newest.
func TestACaseOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("casefile/testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	var kept []struct {
		Evidence []dossier.Evidence `json:"evidence"`
		Findings []dossier.Finding  `json:"findings"`
	}
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	b := open(t, nil, nil)
	c, _, err := b.Bench.Desk.Open(t.Context(), app.Opening{Subject: "station/Alipur/2025-11-14T00:00Z", Title: "Alipur", State: dossier.Open, By: dossier.SystemPrincipal})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := b.Bench.Desk.Record(t.Context(), c.ID, kept[0].Evidence, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept[0].Findings {
		kept[0].Findings[i].Cites = nil
		for _, e := range stored {
			kept[0].Findings[i].Cites = append(kept[0].Findings[i].Cites, e.ID)
		}
	}
	if _, err := b.Bench.Desk.Record(t.Context(), c.ID, nil, kept[0].Findings); err != nil {
		t.Fatal(err)
	}
	if r := b.Verify(c.ID); !r.OK || len(r.Checks) != len(kept[0].Findings) || r.Checks[1].Newer != "2" || r.Checks[1].NewerSays.Verdict != dossier.Unclear {
		t.Errorf("%+v", r)
	}
	s, err := b.scene(t.Context(), c.ID, nil)
	if err != nil || s.Analysis.Correlation.FireCount != 8 || s.Analysis.Conclusion != "primary" {
		t.Errorf("the record shows %+v, %v", s.Analysis, err)
	}
	radius := 300.0
	if s, err = b.scene(t.Context(), c.ID, &Figures{RadiusKm: &radius}); err != nil || s.Analysis.Correlation.FireCount != 8 {
		t.Errorf("a what-if counts by other rules than the record: %+v, %v", s.Analysis, err)
	}
	f, err := b.freshFile(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	out, err := correlated(f)
	if err != nil || out.Value.FireCount != 4 || out.Findings[0].By != "rule/fires@2" {
		t.Errorf("judged anew: %+v, %v", out, err)
	}
	if _, err := b.Bench.Desk.Record(t.Context(), c.ID, nil, out.Findings); err != nil {
		t.Fatal(err)
	}
	if s, err = b.scene(t.Context(), c.ID, nil); err != nil || s.Analysis.Correlation.FireCount != 4 {
		t.Errorf("judged anew, the record shows %+v, %v", s.Analysis, err)
	}
}
