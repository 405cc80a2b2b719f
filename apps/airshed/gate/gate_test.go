package gate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
	"dossier/internal/faith"

	"pgregory.net/rapid"
)

var then = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

func sampleReport(t interface{ Fatal(...any) }, d sample.Day) legal.Report {
	r := correlate.Defaults()
	_, all := correlate.Analyse(d.Snapshot(), correlate.Stations(), d.At, nil, r)
	if len(all) == 0 {
		t.Fatal("the sample has no surge")
	}
	return legal.Compose(legal.Input{ID: "CAQM-2025-11-14-001", Now: d.At, Analysis: all[0], Quality: legal.DataQuality{Fresh: true}, Rules: r})
}

// What the rules write passes the gate that a model's texts must pass.
func TestGatePassesOurOwnTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := sample.November(then)
		d.AQI = map[string]float64{"Alipur": float64(rapid.IntRange(301, 500).Draw(t, "aqi"))}
		if rapid.IntRange(0, 9).Draw(t, "nasa") == 0 {
			d.Fires = nil
		} else {
			d.Fires = map[string]int{"Haryana": rapid.IntRange(0, 300).Draw(t, "h"), "Punjab": rapid.SampledFrom([]int{0, 1, 2, 130, 300}).Draw(t, "p"), "Uttar Pradesh": rapid.IntRange(0, 300).Draw(t, "u")}
		}
		d.Share = float64(rapid.IntRange(-1, 400).Draw(t, "share")) / 10
		r := sampleReport(t, d)
		for _, text := range []string{r.ExecutiveSummary, r.Reasoning} {
			if err := faith.Check(text, Facts(r)).Err(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		if err := Use(&r, Texts{r.ExecutiveSummary, r.Reasoning}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestGateRefusesAModelsInventions(t *testing.T) {
	t.Parallel()
	base := sampleReport(t, sample.November(then))
	for name, in := range map[string]Texts{
		"another index":                    {ExecutiveSummary: "Alipur had an AQI of 451."},
		"another count":                    {ExecutiveSummary: "Alipur: 451 fires in Haryana."},
		"another state's count":            {ExecutiveSummary: "There were 450 fire events in Punjab."},
		"another share":                    {Reasoning: "IF DSS shows 25% stubble burning, AND Alipur has AQI of 450, THEN fires did it."},
		"an invented estimate":             {ExecutiveSummary: "Fires in Haryana raised the AQI of 450 by 73 percent."},
		"no IF AND THEN":                   {Reasoning: "Haryana had 450 fires, so fires did it."},
		"a penalty on farmers":             {ExecutiveSummary: "Farmers in Haryana with 450 fires must be punished."},
		"blame on farmers":                 {ExecutiveSummary: "At Alipur the AQI was 450; farmers in Haryana did it."},
		"blame by another name":            {ExecutiveSummary: "At Alipur the AQI was 450; the kisans of Jind did it."},
		"another conclusion":               {Reasoning: "IF Haryana reports 450 fire events, AND Alipur has AQI of 450, THEN the government of Haryana is guilty."},
		"a district's count for another's": {ExecutiveSummary: fmt.Sprintf("There were %d fire events in Karnal district.", base.Districts[0].FireCount)},
	} {
		r := base
		if err := Use(&r, in); err == nil {
			t.Errorf("%s is used", name)
		}
		if r.ExecutiveSummary != base.ExecutiveSummary || r.Reasoning != base.Reasoning || r.WrittenBy != "rule" {
			t.Errorf("%s: the refused text is in the report", name)
		}
	}
}

// Where the rules find no high contributor, no text may.
func TestGateHoldsToTheConclusion(t *testing.T) {
	t.Parallel()
	d := sample.November(then)
	d.Fires = map[string]int{"Haryana": 45}
	base := sampleReport(t, d)
	if base.Conclusion != correlate.Possible {
		t.Fatal(base.Conclusion)
	}
	ifs := "IF Haryana reports 45 fire events within 200 km, AND Alipur station records AQI of 450, THEN "
	for name, in := range map[string]Texts{
		"primary in the reasoning": {Reasoning: ifs + "cross-border agricultural fires are the primary pollution source in this evidence."},
		"primary in the summary":   {ExecutiveSummary: "45 fire events in Haryana are the primary source of the AQI of 450."},
		"cause in the summary":     {ExecutiveSummary: "45 fire events in Haryana caused the AQI of 450 at Alipur."},
	} {
		r := base
		if err := Use(&r, in); err == nil || r.WrittenBy != "rule" {
			t.Errorf("%s is used", name)
		}
	}
	r := base
	if err := Use(&r, Texts{Reasoning: ifs + legal.Therefore(correlate.Possible) + "."}); err != nil || r.WrittenBy != "model" {
		t.Error(err)
	}
}

func TestGateLetsAModelWrite(t *testing.T) {
	t.Parallel()
	r := sampleReport(t, sample.November(then))
	text := "At Alipur the index stood at 450. Satellites saw 450 fires in Haryana and 130 fires in Punjab within 200 km, and the stubble share was 22.5%."
	if err := Use(&r, Texts{ExecutiveSummary: text}); err != nil {
		t.Fatal(err)
	}
	if r.ExecutiveSummary != text || r.WrittenBy != "model" || !strings.HasPrefix(r.Reasoning, "IF ") {
		t.Errorf("%+v", r)
	}
}
