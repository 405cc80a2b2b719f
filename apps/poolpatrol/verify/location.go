package verify

import (
	"context"
	"errors"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// Location answers one question: do these riders live near enough?
func (s Specialists) Location() *agent.Agent {
	return s.New("location", "Validates employees' home locations against the vanpool's pickup point.", s.Prompt("location"),
		[]tool.Tool{s.getEmployeeProfile(), s.checkCommuteDistance()}, locationPolicy)
}

type profileOut struct {
	Profiles []engine.ProfileFact `json:"profiles"`
}

func (s Specialists) getEmployeeProfile() tool.Tool {
	return tool.Def[CheckIn, profileOut]{
		Name:  "get_employee_profile",
		Doc:   "Returns the home ZIP code, the home coordinates (rounded to about a hundred metres) and the site of each employee.",
		Roles: s.Roles,
		Run: func(ctx context.Context, c tool.Call, in CheckIn) (tool.Output[profileOut], error) {
			_, riders, err := s.crew(ctx, c, in)
			if err != nil {
				return tool.Output[profileOut]{}, err
			}
			out := tool.Output[profileOut]{Value: profileOut{[]engine.ProfileFact{}}}
			for _, e := range riders {
				f, seen := profileOf(e, c.Now)
				out.Value.Profiles = append(out.Value.Profiles, f)
				out.Evidence = append(out.Evidence, seen)
			}
			return out, nil
		},
	}.Tool()
}

func profileOf(e roster.Employee, now time.Time) (engine.ProfileFact, dossier.Evidence) {
	f := engine.ProfileFact{Employee: e.ID, ZIP: e.ZIP, Site: e.Site}
	if e.Home != nil {
		at := engine.PlaceOf(roster.Coarse(*e.Home))
		f.Coords = &at
	}
	src := dossier.Source{System: "roster", Locator: "employee/" + e.ID + "/profile", Fetched: now}
	return f, dossier.NewEvidence(engine.EmployeeProfile, src, f, "%s lives in %s and works at %s.", e.ID, orUnknown(e.ZIP), orUnknown(e.Site))
}

// withProfiles puts the profiles of the riders concerned before the other evidence of
// an answer.
func (r *Result) withProfiles(riders []roster.Employee, now time.Time) error {
	var seen []dossier.Evidence
	for _, e := range riders {
		if slices.Contains(r.Affected, e.ID) {
			_, ev := profileOf(e, now)
			seen = append(seen, ev)
		}
	}
	profiles, err := items(seen, now)
	r.Evidence = append(profiles, r.Evidence...)
	return err
}

// crew returns a van and the riders asked about.
func (s Specialists) crew(ctx context.Context, c tool.Call, in CheckIn) (roster.Van, []roster.Employee, error) {
	if err := ownVan(c, in.Vanpool); err != nil {
		return roster.Van{}, nil, err
	}
	van, err := s.Roster.Crew(ctx, in.Vanpool)
	if err != nil {
		return van, nil, err
	}
	riders, err := pick(van, in.Employees)
	return van, riders, err
}

func orUnknown(s string) string {
	if s == "" {
		return "an unknown place"
	}
	return s
}

type distanceOut struct {
	Result    Result                `json:"result" jsonschema:"the rule's answer, to be reported as it stands"`
	Distances []engine.DistanceFact `json:"distances"`
	Service   string                `json:"service_problem,omitempty" jsonschema:"why the routing service was not used, if it failed"`
}

func (s Specialists) checkCommuteDistance() tool.Tool {
	return tool.Def[CheckIn, distanceOut]{
		Name:  "check_commute_distance",
		Doc:   "Measures the way from each employee's home to the vanpool's pickup point, compares it with the allowed miles and gives the rule's verdict.",
		Roles: s.Roles,
		Run: func(ctx context.Context, c tool.Call, in CheckIn) (tool.Output[distanceOut], error) {
			van, _, err := s.crew(ctx, c, in)
			if err != nil {
				return tool.Output[distanceOut]{}, err
			}
			facts, problem, err := s.measure(ctx, van, van.Riders)
			if err != nil {
				return tool.Output[distanceOut]{}, err
			}
			pickup := engine.PickupFact{Vanpool: van.ID, Coords: engine.PlaceOf(van.Pickup), Threshold: s.MaxMiles}
			out, err := judgeDistances(pickup, facts, problem, c.Now)
			if err != nil {
				return out, err
			}
			return out, out.Value.Result.withProfiles(van.Riders, c.Now)
		},
	}.Tool()
}

func judgeDistances(pickup engine.PickupFact, facts []engine.DistanceFact, problem string, now time.Time) (tool.Output[distanceOut], error) {
	d := engine.JudgeDistances(facts, pickup.Threshold)
	seen := engine.DistanceEvidence(pickup, facts, now)
	f := d.Finding()
	res, err := ResultOf(f, d.Failing(), seen, now)
	if err != nil {
		return tool.Output[distanceOut]{}, err
	}
	return tool.Output[distanceOut]{
		Value: distanceOut{res, facts, problem}, Evidence: seen, Findings: []dossier.Finding{f},
	}, nil
}

// measure finds every rider's home and how far it is from the pickup point. A routing
// service that does not answer is reported and the estimate used instead.
func (s Specialists) measure(ctx context.Context, van roster.Van, riders []roster.Employee) ([]engine.DistanceFact, string, error) {
	facts := make([]engine.DistanceFact, len(riders))
	var from []engine.Place
	var known []int
	for i, e := range riders {
		f := engine.DistanceFact{Employee: e.ID, Vanpool: van.ID, ZIP: e.ZIP, Basis: engine.ByNothing, Method: engine.Estimated, Threshold: s.MaxMiles}
		if e.Home != nil {
			f.Basis, f.From = engine.ByCoordinates, engine.PlaceOf(roster.Coarse(*e.Home))
		} else if e.ZIP != "" {
			at, err := s.Roster.Centroid(ctx, e.ZIP)
			if err != nil && !errors.Is(err, dossier.NotFound) {
				return nil, "", err
			}
			if err == nil {
				f.Basis, f.From = engine.ByZIP, engine.PlaceOf(roster.Coarse(at))
			}
		}
		if facts[i] = f; f.Basis != engine.ByNothing {
			from, known = append(from, f.From), append(known, i)
		}
	}
	pickup := engine.PlaceOf(van.Pickup)
	miles := make([]float64, len(from))
	method, problem := engine.Estimated, ""
	if s.Route != nil && len(from) > 0 {
		routed, err := s.Route.miles(ctx, from, pickup)
		if err != nil {
			problem = dossier.Message(err)
		} else {
			miles, method = routed, s.Route.name()
		}
	}
	for k, i := range known {
		f := facts[i]
		if miles[k] > 0 {
			f.Method = method
		}
		facts[i] = f.Measure(pickup, miles[k])
	}
	return facts, problem, nil
}

// locationPolicy plays the location specialist: profiles and distances at once, what did
// not answer once more, then the rule's answer.
func locationPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in CheckIn
	if err := req.Brief(&in, nil); err != nil {
		return nil, err
	}
	var calls []model.Planned
	for _, name := range []string{"get_employee_profile", "check_commute_distance"} {
		if _, called := req.Tried(name); !called {
			calls = append(calls, model.Planned{Tool: name, Args: CheckIn{in.Vanpool, OrEmpty(in.Employees)}})
		}
	}
	if len(calls) > 0 {
		return req.Calling(calls...), nil
	}
	r, _ := req.Last("check_commute_distance")
	return reportRule(r)
}
