package legal_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/apps/airshed/sample"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

func compose(t *testing.T, d sample.Day) legal.Report {
	t.Helper()
	r := correlate.Defaults()
	_, all := correlate.Analyse(d.Snapshot(), correlate.Stations(), d.At, nil, r)
	if len(all) == 0 {
		t.Fatal("no surge")
	}
	return legal.Compose(legal.Input{ID: "CAQM-2025-11-14-001", Now: d.At, Sweep: "sweep-1", Analysis: all[0], Quality: legal.DataQuality{Fresh: true}, Rules: r})
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := compose(t, sample.November(now))
	t.Run("A-029 executive summary", func(t *testing.T) {
		want := "Severe pollution surge detected at Alipur border station (AQI: 450) correlating with 450 fire events in Haryana (Jind district), 130 fire events in Punjab (Patiala district), 40 fire events in Uttar Pradesh (Meerut district) and 22.5% stubble burning contribution."
		if diff := cmp.Diff(want, r.ExecutiveSummary); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("A-033 reasoning", func(t *testing.T) {
		want := "IF Haryana reports 450 fire events within 200km, AND Punjab reports 130 fire events within 200km, AND Uttar Pradesh reports 40 fire events within 200km, AND DSS shows 22.5% stubble burning contribution, AND Alipur station records AQI of 450, THEN cross-border agricultural fires are the primary pollution source in this evidence."
		if diff := cmp.Diff(want, r.Reasoning); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("A-034 A-092 confidence", func(t *testing.T) {
		if r.ConfidenceScore != 100 || len(r.Terms) != 6 {
			t.Errorf("%v with %d terms", r.ConfidenceScore, len(r.Terms))
		}
	})
	t.Run("A-030 surge details", func(t *testing.T) {
		s := r.SurgeDetails
		if s.Station != "Alipur" || s.AQI != 450 || *s.PM25 != 350.5 || *s.PM10 != 420.2 || s.Timestamp != now.Truncate(time.Hour) {
			t.Errorf("%+v", s)
		}
	})
	t.Run("A-031 A-076 fire correlation", func(t *testing.T) {
		if len(r.FireCorrelation) != 3 {
			t.Fatalf("%+v", r.FireCorrelation)
		}
		h := r.FireCorrelation[0]
		if h.State != "Haryana" || h.FireCount != 450 || !h.IsHighContribution || !slices.Equal(h.Districts, []string{"Jind", "Kaithal", "Karnal", "Sonipat"}) || h.AvgDistanceKm < 60 || h.AvgDistanceKm > 120 {
			t.Errorf("%+v", h)
		}
		if r.FireCorrelation[2].IsHighContribution {
			t.Error("40 fires are not high")
		}
	})
	t.Run("A-032 stubble", func(t *testing.T) {
		if r.StubbleBurningContribution == nil || *r.StubbleBurningContribution != 22.5 {
			t.Error(r.StubbleBurningContribution)
		}
	})
	t.Run("A-036 A-037 A-038 A-078 citations", func(t *testing.T) {
		c := r.LegalCitations
		if c.CAQMDirection != "CAQM Direction No. 95" || c.EnforcementAuthority != "Section 12 of the CAQM Act, 2021" ||
			c.EnforcementRequest != "Requesting immediate enforcement action under Section 12 of the CAQM Act against identified pollution sources in Haryana and Punjab" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("A-039 A2 applicable sections, never against farmers", func(t *testing.T) {
		c := r.LegalCitations
		if len(c.ApplicableSections) != 3 || !strings.Contains(c.ApplicableSections[1], "not for farmers") {
			t.Errorf("%q", c.ApplicableSections)
		}
		for _, a := range c.Addressees {
			if strings.Contains(strings.ToLower(a), "farmer") {
				t.Errorf("addressed to %q", a)
			}
		}
	})
	t.Run("A-040 recommendations", func(t *testing.T) {
		want := []string{"Immediate enforcement action in Jind, Kaithal, Karnal, Sonipat, Patiala and Sangrur districts", "Deploy monitoring teams to high fire-count areas", "Issue notices to state authorities under CAQM Direction No. 95"}
		if diff := cmp.Diff(want, r.Recommendations); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("A-138 the wind supports", func(t *testing.T) {
		if r.Transport.Verdict != correlate.Supports {
			t.Error(r.Transport.Reason)
		}
	})
	t.Run("A12 the share enters with its caveat", func(t *testing.T) {
		if !strings.Contains(strings.Join(r.Caveats, " "), "would not base decisions on it") {
			t.Error(r.Caveats)
		}
	})
	t.Run("A-027 A-072 valid", func(t *testing.T) {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// The eleven members of the design, present and of the right kind.
func TestReportJSONA041A077A135(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(compose(t, sample.November(now)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for name, first := range map[string]string{
		"report_id": `"`, "timestamp": `"`, "executive_summary": `"`, "surge_details": "{", "fire_correlation": "[", "stubble_burning_contribution": "2",
		"reasoning": `"`, "confidence_score": "1", "data_quality": "{", "legal_citations": "{", "recommendations": "[",
		"terms": "[", "sources": "[", "evidence": "[",
	} {
		if !strings.HasPrefix(string(got[name]), first) {
			t.Errorf("%s is %.30s", name, got[name])
		}
	}
	var quality map[string]json.RawMessage
	if err := json.Unmarshal(got["data_quality"], &quality); err != nil || string(quality["cpcb_available"]) != "true" || string(quality["nasa_available"]) != "true" || string(quality["dss_available"]) != "true" {
		t.Errorf("A-035: %s", got["data_quality"])
	}
	if string(got["timestamp"]) != `"2025-11-14T08:30:00Z"` {
		t.Errorf("%s", got["timestamp"])
	}
}

// every piece of evidence in the report carries its time.
func TestReportTimesA042(t *testing.T) {
	t.Parallel()
	r := compose(t, sample.November(now))
	if r.SurgeDetails.Timestamp.IsZero() || r.FireWindow.From != now.Truncate(time.Hour).Add(-48*time.Hour) || r.FireWindow.To != r.SurgeDetails.Timestamp {
		t.Errorf("%+v %+v", r.SurgeDetails, r.FireWindow)
	}
}

func TestMissingFeeds(t *testing.T) {
	t.Parallel()
	t.Run("A-082 A-083 A-084 NASA missing", func(t *testing.T) {
		t.Parallel()
		d := sample.November(now)
		d.Fires = nil
		r := compose(t, d)
		if r.ConfidenceScore != 60 || r.DataQuality.NASA || r.Conclusion != correlate.Unknown {
			t.Errorf("%v %+v", r.ConfidenceScore, r.DataQuality)
		}
		if !strings.Contains(r.ExecutiveSummary, "fire data is missing") || !strings.Contains(strings.Join(r.DataQuality.Gaps, " "), "NASA FIRMS fire data is missing") {
			t.Error(r.ExecutiveSummary)
		}
		if r.LegalCitations.EnforcementRequest != legal.Request+", subject to verification on the ground" || len(r.LegalCitations.Addressees) != 0 {
			t.Errorf("%+v", r.LegalCitations)
		}
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
	})
	t.Run("A-086 A-087 A-088 DSS missing", func(t *testing.T) {
		t.Parallel()
		d := sample.November(now)
		d.Share = -1
		r := compose(t, d)
		if r.ConfidenceScore != 80 || r.StubbleBurningContribution != nil || r.DataQuality.DSS {
			t.Errorf("%v %+v", r.ConfidenceScore, r.DataQuality)
		}
		if strings.Contains(r.ExecutiveSummary+r.Reasoning, "stubble") || strings.Contains(r.Reasoning, "DSS") {
			t.Errorf("stubble is told of: %s", r.Reasoning)
		}
	})
	t.Run("A4 NASA read and empty", func(t *testing.T) {
		t.Parallel()
		d := sample.November(now)
		d.Fires = map[string]int{}
		r := compose(t, d)
		if r.ConfidenceScore != 90 || !r.DataQuality.NASA || r.Conclusion != correlate.NoSource {
			t.Errorf("%v %+v", r.ConfidenceScore, r.Conclusion)
		}
	})
	t.Run("few fires are only possible", func(t *testing.T) {
		t.Parallel()
		d := sample.November(now)
		d.Fires = map[string]int{"Haryana": 100}
		r := compose(t, d)
		if r.Conclusion != correlate.Possible || !strings.HasPrefix(r.Recommendations[0], "Verify the fires") || len(r.LegalCitations.Addressees) != 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestCiteA2(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		p       legal.Provision
		against legal.Party
		at      time.Time
		refusal string // "": it may be cited
	}{
		{"the powers against an authority", legal.Section12, legal.StateAuthority, now, ""},
		{"the penalty against an official", legal.Section14, legal.Official, now, ""},
		{"the penalty against a farmer", legal.Section14, legal.Farmer, now, "it exempts them for stubble burning"},
		{"compensation against a farmer", legal.Section15, legal.Farmer, now, "not addressed to farmers"},
		{"the direction against an official", legal.Direction95, legal.Official, now, ""},
		{"the direction against industry", legal.Direction95, legal.Industry, now, "not about industry"},
		{"the direction before its day", legal.Direction95, legal.Official, time.Date(2025, 9, 30, 0, 0, 0, 0, time.UTC), "does not reach back to 30 September 2025"},
	} {
		t.Run("A-039 A2 "+c.name, func(t *testing.T) {
			t.Parallel()
			err := legal.Cite(c.p, c.against, c.at)
			if (err == nil) != (c.refusal == "") || err != nil && (!errors.Is(err, dossier.Invalid) || !strings.Contains(err.Error(), c.refusal)) {
				t.Error(err)
			}
		})
	}
}

func TestCitationsOutsideReachAndTime(t *testing.T) {
	t.Parallel()
	d := sample.November(time.Date(2024, 11, 14, 8, 30, 0, 0, time.UTC))
	snap := d.Snapshot()
	for i := range snap.Fires {
		if snap.Fires[i].State == "Punjab" {
			snap.Fires[i].State = "Madhya Pradesh"
		}
	}
	r := correlate.Defaults()
	_, all := correlate.Analyse(snap, correlate.Stations(), d.At, nil, r)
	report := legal.Compose(legal.Input{ID: "CAQM-2024-11-14-001", Now: d.At, Analysis: all[0], Rules: r})
	c := report.LegalCitations
	text := strings.Join(c.Exclusions, " ")
	if !strings.HasSuffix(c.EnforcementRequest, "sources in Haryana") || !strings.Contains(text, "Madhya Pradesh lies outside") || !strings.Contains(text, "does not reach back to 14 November 2024") {
		t.Errorf("%+v", c)
	}
	// With nobody within the Act's reach above the count, nothing is to be enforced.
	for i := range snap.Fires {
		if snap.Fires[i].State == "Haryana" {
			snap.Fires[i].State = "Madhya Pradesh"
		}
	}
	_, all = correlate.Analyse(snap, correlate.Stations(), d.At, nil, r)
	far := legal.Compose(legal.Input{ID: "CAQM-2024-11-14-001", Now: d.At, Analysis: all[0], Rules: r})
	if far.Conclusion != correlate.Primary || strings.Contains(strings.Join(far.Recommendations, " "), "enforcement") {
		t.Errorf("%s %q", far.Conclusion, far.Recommendations)
	}
	if c.CAQMDirection != legal.Direction { // A-036 is fixed
		t.Error(c.CAQMDirection)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := compose(t, sample.November(now))
	for name, spoil := range map[string]func(*legal.Report){
		"id": func(r *legal.Report) { r.ReportID = "CAQM-../../etc" }, "summary": func(r *legal.Report) { r.ExecutiveSummary = "" },
		"form": func(r *legal.Report) { r.Reasoning = "Fires did it." }, "score": func(r *legal.Report) { r.ConfidenceScore = 101 },
		"recommendations": func(r *legal.Report) { r.Recommendations = nil }, "surge": func(r *legal.Report) { r.SurgeDetails = legal.SurgeDetails{} },
		"citations": func(r *legal.Report) { r.LegalCitations = legal.Citations{} }, "correlation": func(r *legal.Report) { r.FireCorrelation = nil },
	} {
		r := good
		spoil(&r)
		if err := r.Validate(); !errors.Is(err, dossier.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestComputedIndexIsSaidSo(t *testing.T) {
	t.Parallel()
	d := sample.November(now)
	snap := d.Snapshot()
	for i := range snap.Readings {
		snap.Readings[i].AQI, snap.Readings[i].Basis = nil, ""
		snap.Readings[i].Fill()
	}
	_, all := correlate.Analyse(snap, correlate.Stations(), d.At, nil, correlate.Defaults())
	r := legal.Compose(legal.Input{ID: "CAQM-2025-11-14-001", Now: d.At, Analysis: all[0], Rules: correlate.Defaults()})
	if r.SurgeDetails.Basis != observe.Computed || r.SurgeDetails.AQI != 477 || !strings.Contains(strings.Join(r.Caveats, " "), "national formula") {
		t.Errorf("A11: %+v %v", r.SurgeDetails, r.Caveats)
	}
}

// A threshold that an operator sets low must not make the report call good air bad.
func TestSurgeIsNamedByABadCategoryOnly(t *testing.T) {
	t.Parallel()
	for aqi, want := range map[float64]string{89: "Pollution surge", 200: "Pollution surge", 201: "Poor pollution surge", 301: "Very poor pollution surge", 450: "Severe pollution surge"} {
		a := correlate.Analysis{}
		a.Surge.AQI = aqi
		if got := legal.Summary(a, correlate.Defaults()); !strings.HasPrefix(got, want+" detected") {
			t.Errorf("%v: %q", aqi, got)
		}
	}
}
