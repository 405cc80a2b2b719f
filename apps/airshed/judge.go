package airshed

import (
	"context"

	"dossier"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/legal"
	"dossier/internal/tool"
)

type nothing struct{}

// caseFile reads a case as it was judged.
func (a *airshed) caseFile(ctx context.Context, id dossier.CaseID) (casefile.File, error) {
	chain, found, err := a.Desk.Facts(ctx, id)
	if err != nil {
		return casefile.File{}, err
	}
	f, err := casefile.Read(chain)
	if err != nil {
		return casefile.File{}, err
	}
	return f.AsFound(found), nil
}

// freshFile reads a case to judge it, by the rules of today whatever was found before.
func (a *airshed) freshFile(ctx context.Context, id dossier.CaseID) (casefile.File, error) {
	chain, _, err := a.Desk.Facts(ctx, id)
	if err != nil {
		return casefile.File{}, err
	}
	return casefile.Read(chain)
}

func ruleNamed(check string) casefile.Rule {
	for _, r := range casefile.Rules {
		if r.Check == check {
			return r
		}
	}
	panic("airshed: no rule " + check)
}

// judging declares a tool that says what the rules find in the case it is called in.
func judging[Out any](a *airshed, name, doc string, judge func(casefile.File) (tool.Output[Out], error)) tool.Tool {
	return tool.Def[nothing, Out]{
		Name: name, Doc: doc, Roles: []dossier.Role{investigator, legalOf},
		Run: func(ctx context.Context, c tool.Call, _ nothing) (tool.Output[Out], error) {
			f, err := a.freshFile(ctx, c.Case)
			if err != nil {
				return tool.Output[Out]{}, err
			}
			return judge(f)
		},
	}.Tool()
}

type surgeOut struct {
	Stations []correlate.BorderStation `json:"stations"`
	Surge    bool                      `json:"surge"`
	Reason   string                    `json:"reason"`
}

func (a *airshed) detectTool() tool.Tool {
	return judging(a, "detect_surge_tool", "Judges whether the case's border station is in a surge. Needs the data to have been read.", detected)
}

// detected says what the rules find of a surge in a case.
func detected(f casefile.File) (tool.Output[surgeOut], error) {
	found := ruleNamed(casefile.CheckSurge).Of(f)
	out := surgeOut{Stations: f.Watch.Stations, Surge: f.Found, Reason: found.Reason}
	if f.Found {
		out.Stations = []correlate.BorderStation{f.Analysis.Surge.BorderStation}
	}
	return tool.Output[surgeOut]{Value: out, Findings: []dossier.Finding{found}}, nil
}

type firesOut struct {
	States        []correlate.StateFires `json:"states"`
	FireCount     int                    `json:"fire_count"`
	AvgDistanceKm float64                `json:"avg_distance_km"`
	Conclusion    correlate.Conclusion   `json:"conclusion"`
	Therefore     string                 `json:"therefore" jsonschema:"what follows, word for word as a reasoning must end"`
	Wind          string                 `json:"wind"`
	WindReason    string                 `json:"wind_reason"`
	Confidence    float64                `json:"confidence_score"`
	Reason        string                 `json:"reason"`
	WeakestLink   string                 `json:"weakest_link"`
}

func (a *airshed) correlateTool() tool.Tool {
	return judging(a, "correlate_fires_tool", "Counts the fires near the surge in place and time by state and district, and judges the wind and the confidence. Needs a surge.", correlated)
}

// correlated says what the rules find of the fires, the wind and the confidence.
func correlated(f casefile.File) (tool.Output[firesOut], error) {
	if err := needSurge(f); err != nil {
		return tool.Output[firesOut]{}, err
	}
	fires, n := ruleNamed(casefile.CheckFires).Of(f), f.Analysis
	return tool.Output[firesOut]{
		Value: firesOut{
			States: n.Correlation.States, FireCount: n.Correlation.FireCount, AvgDistanceKm: float64(int(n.Correlation.AvgDistanceKm*10+0.5)) / 10,
			Conclusion: n.Conclusion, Therefore: legal.Therefore(n.Conclusion), Wind: n.Transport.Verdict, WindReason: n.Transport.Reason,
			Confidence: n.Confidence.Score, Reason: fires.Reason, WeakestLink: n.Links[0].Sentence(),
		},
		Findings: []dossier.Finding{fires, ruleNamed(casefile.CheckWind).Of(f), ruleNamed(casefile.CheckConfidence).Of(f)},
	}, nil
}

func needSurge(f casefile.File) error {
	if !f.Found {
		return dossier.Errorf(dossier.Invalid, "There is no surge in this case, and so nothing to report.")
	}
	return nil
}
