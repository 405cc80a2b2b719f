package legal

import (
	"math"
	"regexp"
	"slices"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/observe"
)

// A Report is the legal report on one surge. The first eleven members are the
// design's, under its names; those after them are what makes it checkable.
type Report struct {
	ReportID                   string       `json:"report_id"`
	Timestamp                  time.Time    `json:"timestamp"` // when it was made
	ExecutiveSummary           string       `json:"executive_summary"`
	SurgeDetails               SurgeDetails `json:"surge_details"`
	FireCorrelation            []FireLine   `json:"fire_correlation"`
	StubbleBurningContribution *float64     `json:"stubble_burning_contribution"`
	Reasoning                  string       `json:"reasoning"`
	ConfidenceScore            float64      `json:"confidence_score"`
	DataQuality                DataQuality  `json:"data_quality"`
	LegalCitations             Citations    `json:"legal_citations"`
	Recommendations            []string     `json:"recommendations"`

	Terms           []correlate.Term           `json:"terms"` // of the confidence
	Conclusion      correlate.Conclusion       `json:"conclusion"`
	FireWindow      Window                     `json:"fire_window"`
	FireCount       int                        `json:"fire_count"` // all correlated fires
	AvgDistanceKm   float64                    `json:"avg_distance_km"`
	Districts       []DistrictLine             `json:"districts"`
	Transport       correlate.Transport        `json:"transport"`
	Pollutants      []correlate.PollutantLine  `json:"pollutants"`
	History         correlate.History          `json:"history"`
	Counterfactuals []correlate.Counterfactual `json:"counterfactuals"`
	WeakestLink     correlate.Link             `json:"weakest_link"`
	Caveats         []string                   `json:"caveats"`
	Sources         []Source                   `json:"sources"`
	Evidence        []Digest                   `json:"evidence"`
	SweepID         string                     `json:"sweep_id"`
	CaseID          string                     `json:"case_id,omitempty"`
	Timeline        correlate.Timeline         `json:"timeline"`
	Rules           correlate.Rules            `json:"rules"`
	WrittenBy       string                     `json:"written_by"` // who wrote summary and reasoning: "rule" or a model's name
}

// SurgeDetails is the reading that stands for the surge.
type SurgeDetails struct {
	Station    string          `json:"station"`
	AQI        float64         `json:"aqi"`
	PM25       *float64        `json:"pm25"`
	PM10       *float64        `json:"pm10"`
	Timestamp  time.Time       `json:"timestamp"`
	Basis      string          `json:"aqi_basis"` // "given" or "computed"
	Category   string          `json:"category"`
	Latitude   float64         `json:"latitude"`
	Longitude  float64         `json:"longitude"`
	Border     string          `json:"border,omitempty"`
	RunFrom    time.Time       `json:"run_from"`
	RunTo      time.Time       `json:"run_to"`
	ReportedAs string          `json:"reported_as,omitempty"`
	Sub        *observe.Levels `json:"sub_indices,omitempty"`
}

// A FireLine is one state's part, as the design has it.
type FireLine struct {
	State              string   `json:"state"`
	FireCount          int      `json:"fire_count"`
	Districts          []string `json:"districts"`
	AvgDistanceKm      float64  `json:"avg_distance_km"`
	IsHighContribution bool     `json:"is_high_contribution"`
}

// A DistrictLine is one district's part.
type DistrictLine struct {
	State     string `json:"state"`
	District  string `json:"district"`
	FireCount int    `json:"fire_count"`
}

// A Window is a stretch of time, both ends within it.
type Window struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// DataQuality says what the report rests on and what it lacks.
type DataQuality struct {
	correlate.Availability
	AgeHours     float64  `json:"data_age_hours"` // of the snapshot, when the report was made
	Fresh        bool     `json:"fresh"`
	FromCache    bool     `json:"from_cache"` // the lake could not be read and the last good object was used
	Undated      int      `json:"undated_fires"`
	Unattributed int      `json:"unattributed_fires"`
	Gaps         []string `json:"gaps"`     // what is missing, in sentences
	Problems     []string `json:"problems"` // fields of the data that could not be used
}

// A Source is a feed that the report rests on.
type Source struct {
	Name      string    `json:"name"`
	Locator   string    `json:"locator,omitempty"`
	Records   int       `json:"records"`
	Timestamp time.Time `json:"timestamp,omitzero"` // of its newest record
	AgeHours  float64   `json:"age_hours"`          // at the time of the report
}

// A Digest names one piece of evidence and its hash in the case's chain.
type Digest struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Hash      string    `json:"hash"`
	Timestamp time.Time `json:"timestamp"`
}

// An Input is what a report is composed of.
type Input struct {
	ID       string // "CAQM-2025-11-14-001"
	Now      time.Time
	Sweep    string
	Analysis correlate.Analysis
	Quality  DataQuality // what the reader of the data knows; Compose adds the rest
	Sources  []Source
	Rules    correlate.Rules
}

// Compose makes the report with the texts of the rules. Evidence and case are added
// when they exist.
func Compose(in Input) Report {
	a := in.Analysis
	r := Report{
		ReportID: in.ID, Timestamp: in.Now.UTC().Truncate(time.Second), SurgeDetails: details(a.Surge),
		FireCorrelation: []FireLine{}, ConfidenceScore: a.Confidence.Score, Terms: a.Confidence.Terms,
		Conclusion: a.Conclusion, FireWindow: Window{a.From, a.Surge.Time},
		FireCount: a.Correlation.FireCount, AvgDistanceKm: round1(a.Correlation.AvgDistanceKm),
		Districts: []DistrictLine{}, Transport: a.Transport, Pollutants: a.Pollutants, History: a.History,
		Counterfactuals: a.Without, WeakestLink: a.Links[0], Sources: in.Sources, Evidence: []Digest{},
		SweepID: in.Sweep, Timeline: a.Timeline, Rules: in.Rules, WrittenBy: "rule",
	}
	for _, s := range a.Correlation.States {
		r.FireCorrelation = append(r.FireCorrelation, FireLine{s.State, s.FireCount, s.Districts, round1(s.AvgDistanceKm), s.IsHighContribution})
		for _, d := range s.DistrictCounts {
			r.Districts = append(r.Districts, DistrictLine{s.State, d.District, d.FireCount})
		}
	}
	if a.Share != nil {
		p := a.Share.Percent
		r.StubbleBurningContribution = &p
	}
	if r.Sources == nil {
		r.Sources = []Source{}
	}
	r.DataQuality = quality(in)
	r.LegalCitations = CitationsFor(a, in.Rules)
	r.Recommendations = recommend(a, in.Rules)
	r.Caveats = caveats(a, in)
	r.ExecutiveSummary = Summary(a, in.Rules)
	r.Reasoning = Reasoning(a, in.Rules)
	return r
}

func details(s correlate.Surge) SurgeDetails {
	return SurgeDetails{
		Station: s.Name, AQI: s.AQI, PM25: s.PM25, PM10: s.PM10, Timestamp: s.Time, Basis: s.Basis,
		Category: observe.Category(s.AQI), Latitude: s.Lat, Longitude: s.Lon, Border: s.Border,
		RunFrom: s.From, RunTo: s.To, ReportedAs: s.ReportedAs, Sub: s.Sub,
	}
}

func quality(in Input) DataQuality {
	q := in.Quality
	q.Availability = in.Analysis.Available
	q.Undated, q.Unattributed = in.Analysis.Correlation.Undated, in.Analysis.Correlation.Unattributed
	q.AgeHours = round1(q.AgeHours)
	q.Gaps = slices.Clone(q.Gaps)
	if !q.NASA {
		q.Gaps = append(q.Gaps, "The NASA FIRMS fire data is missing; fires could not be correlated.")
	}
	if !q.DSS {
		q.Gaps = append(q.Gaps, "The DSS data is missing; the stubble burning contribution is left out.")
	}
	if q.Gaps == nil {
		q.Gaps = []string{}
	}
	if q.Problems == nil {
		q.Problems = []string{}
	}
	return q
}

var reportID = regexp.MustCompile(`^CAQM-\d{4}-\d{2}-\d{2}-\d{3,}$`)

// ValidID reports whether s can be a report's id.
func ValidID(s string) bool { return reportID.MatchString(s) }

// Validate reports the first section that a report cannot be filed without.
func (r Report) Validate() error {
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{ValidID(r.ReportID), "a report_id of the form CAQM-YYYY-MM-DD-NNN"},
		{!r.Timestamp.IsZero(), "a timestamp"},
		{r.ExecutiveSummary != "", "an executive_summary"},
		{r.SurgeDetails.Station != "" && !r.SurgeDetails.Timestamp.IsZero(), "surge_details with station and timestamp"},
		{r.FireCorrelation != nil, "fire_correlation"},
		{IfAndThen(r.Reasoning), "reasoning of the form IF … AND … THEN"},
		{r.ConfidenceScore >= 0 && r.ConfidenceScore <= 100, "a confidence_score from 0 to 100"},
		{r.LegalCitations.CAQMDirection != "" && r.LegalCitations.EnforcementAuthority != "" && r.LegalCitations.EnforcementRequest != "", "legal_citations"},
		{len(r.Recommendations) > 0, "recommendations"},
	} {
		if !c.ok {
			return dossier.Errorf(dossier.Invalid, "The report cannot be filed without %s.", c.what)
		}
	}
	return nil
}

func round1(f float64) float64 { return math.Round(f*10) / 10 }
