package casefile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/legal"
)

// The checks of a case.
const (
	CheckSurge      = "surge"
	CheckFires      = "fires"
	CheckWind       = "wind"
	CheckConfidence = "confidence"
	CheckCitations  = "citations"
)

// A Rule makes one finding of a case from its evidence.
type Rule struct {
	Check, Version, Doc string
	judge               func(File) dossier.Finding
}

// The versions of the rules. All of them rest on the same readings and fires, so they
// have one version together. The first took the day of a fire to reach into the next
// one, and a reading without a place for the station's own whatever state it was from.
const (
	firstVersion = "1"
	version      = "2"
)

// Rules are the app's rules, in the order in which they are asked.
var Rules = rules(version)

// Ledger are the rules in every version that has made findings.
var Ledger = slices.Concat(rules(firstVersion), Rules)

func rules(version string) []Rule {
	return []Rule{
		{CheckSurge, version, "An index above the threshold at a border station is a surge.", judgeSurge},
		{CheckFires, version, "Fires within the radius and window, by state; a neighbour above the count is a high contributor.", judgeFires},
		{CheckWind, version, "Whether the fires were upwind in the hours before.", judgeWind},
		{CheckConfidence, version, "100 less a penalty for each weakness, not under the floor.", judgeConfidence},
		{CheckCitations, version, "What may be cited against whom.", judgeCitations},
	}
}

// Apply makes the finding from evidence, as the rule's version does.
func (r Rule) Apply(cited []dossier.Evidence) (dossier.Finding, error) {
	f, err := Read(cited)
	if err != nil {
		return dossier.Finding{}, err
	}
	return r.Of(f), nil
}

// by judges the case by a version of the rules.
func (f File) by(version string) File {
	if first := version == firstVersion; first != f.Settings.Rules.First {
		f.Settings.Rules.First = first
		f.judge(f.Settings.Rules)
	}
	return f
}

// AsFound returns the case as the version of the rules sees it that made the last of its
// findings.
func (f File) AsFound(found []dossier.Finding) File {
	for _, x := range slices.Backward(found) {
		if name, version, ok := x.Rule(); ok && slices.ContainsFunc(Ledger, func(r Rule) bool { return r.Check == name && r.Version == version }) {
			return f.by(version)
		}
	}
	return f
}

// Of makes the finding from a case that was read.
func (r Rule) Of(f File) dossier.Finding {
	f = f.by(r.Version)
	out := dossier.Finding{Verdict: dossier.Unclear, Reason: fmt.Sprintf("%s is in no surge at %s.", f.Settings.Station.Name, f.Settings.Surge.Format("2 January 2006 15:04 UTC"))}
	if f.Found || r.Check == CheckSurge {
		out = r.judge(f)
	}
	out.Check, out.By, out.Cites = r.Check, "rule/"+r.Check+"@"+r.Version, f.IDs
	return out
}

func figures(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("figures: %v", err)) // our own types always encode
	}
	return raw
}

func judgeSurge(f File) dossier.Finding {
	r := f.Settings.Rules
	if !f.Found {
		return dossier.Finding{Verdict: dossier.Pass, Reason: fmt.Sprintf("%s is not above %v.", f.Settings.Station.Name, r.SurgeAQI), Figures: figures(struct {
			Stations []correlate.BorderStation `json:"stations"`
		}{f.Watch.Stations})}
	}
	s := f.Analysis.Surge
	return dossier.Finding{
		Verdict: dossier.Fail, Confidence: 100,
		Reason:  fmt.Sprintf("%s had an index of %v at %s, above %v.", s.Name, s.AQI, s.Time.Format("2 January 2006 15:04 UTC"), r.SurgeAQI),
		Figures: figures(s),
	}
}

func judgeFires(f File) dossier.Finding {
	a, r := f.Analysis, f.Settings.Rules
	out := dossier.Finding{Figures: figures(struct {
		correlate.Correlation
		Conclusion correlate.Conclusion       `json:"conclusion"`
		Without    []correlate.Counterfactual `json:"counterfactuals"`
		Links      []correlate.Link           `json:"links"`
	}{a.Correlation, a.Conclusion, a.Without, a.Links})}
	var states []string
	for _, s := range a.Correlation.Neighbours(r) {
		states = append(states, fmt.Sprintf("%s %d", s.State, s.FireCount))
	}
	where := fmt.Sprintf("within %v km and %v hours", r.RadiusKm, r.Window.Hours())
	switch a.Conclusion {
	case correlate.Primary:
		out.Verdict, out.Reason = dossier.Fail, fmt.Sprintf("%s %s (%s); at least one neighbouring state is a high contributor.", correlate.Count(a.Correlation.FireCount, "fire"), where, strings.Join(states, ", "))
	case correlate.Possible:
		out.Verdict, out.Reason = dossier.Unclear, fmt.Sprintf("%s %s (%s); no neighbouring state has more than %d.", correlate.Count(a.Correlation.FireCount, "fire"), where, strings.Join(states, ", "), r.HighFires)
	case correlate.NoSource:
		out.Verdict, out.Reason = dossier.Pass, fmt.Sprintf("No fire in a neighbouring state %s.", where)
	case correlate.Unknown:
		out.Verdict, out.Reason = dossier.Unclear, "There is no fire data."
	}
	return out
}

func judgeWind(f File) dossier.Finding {
	t := f.Analysis.Transport
	out := dossier.Finding{Verdict: dossier.Unclear, Reason: t.Reason, Figures: figures(t)}
	switch t.Verdict {
	case correlate.Supports:
		out.Verdict = dossier.Pass
	case correlate.Contradicts:
		out.Verdict = dossier.Fail
	}
	return out
}

func judgeConfidence(f File) dossier.Finding {
	c := f.Analysis.Confidence
	return dossier.Finding{
		Verdict: dossier.Pass, Confidence: int(c.Score),
		Reason: fmt.Sprintf("The confidence is %v. %s", c.Score, f.Analysis.Links[0].Sentence()), Figures: figures(c),
	}
}

func judgeCitations(f File) dossier.Finding {
	c := legal.CitationsFor(f.Analysis, f.Settings.Rules)
	out := dossier.Finding{Verdict: dossier.Pass, Figures: figures(c), Reason: c.EnforcementRequest + "."}
	if len(c.Addressees) == 0 {
		out.Verdict = dossier.Unclear
	}
	return out
}
