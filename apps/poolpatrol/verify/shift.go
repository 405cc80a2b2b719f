package verify

import (
	"context"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// Shift answers one question: can these riders travel together?
func (s Specialists) Shift() *agent.Agent {
	return s.New("shift", "Validates that a group of employees have shifts with which they can share a van.", s.Prompt("shift"),
		[]tool.Tool{s.getEmployeeShifts()}, shiftPolicy)
}

type shiftsOut struct {
	Result Result             `json:"result" jsonschema:"the rule's answer, to be reported as it stands"`
	Riders []engine.ShiftFact `json:"riders" jsonschema:"those asked about"`
	Checks engine.Shifts      `json:"figures"`
	Until  string             `json:"period"`
}

func (s Specialists) getEmployeeShifts() tool.Tool {
	return tool.Def[CheckIn, shiftsOut]{
		Name:  "get_employee_shifts",
		Doc:   "Returns the shift, schedule and days off of each employee, compares them with the van's majority shift and gives the rule's verdict.",
		Roles: s.Roles,
		Run: func(ctx context.Context, c tool.Call, in CheckIn) (tool.Output[shiftsOut], error) {
			if err := ownVan(c, in.Vanpool); err != nil {
				return tool.Output[shiftsOut]{}, err
			}
			van, err := s.Roster.Van(ctx, in.Vanpool)
			if err != nil {
				return tool.Output[shiftsOut]{}, err
			}
			named, err := pick(van, in.Employees)
			if err != nil {
				return tool.Output[shiftsOut]{}, err
			}
			out, err := s.judgeShifts(van.ID, shiftFacts(van, van.Riders), c.Now)
			out.Value.Riders = shiftFacts(van, named)
			return out, err
		},
	}.Tool()
}

func (s Specialists) judgeShifts(vanpool string, facts []engine.ShiftFact, now time.Time) (tool.Output[shiftsOut], error) {
	params, first := s.Shifts, roster.DayOf(now.UTC()).Monday()
	judged, err := engine.JudgeShifts(facts, first, params)
	if err != nil {
		return tool.Output[shiftsOut]{}, err
	}
	seen := engine.ShiftEvidence(vanpool, facts, first, params, judged, now)
	f := judged.Finding()
	res, err := ResultOf(f, judged.Failing(), seen, now)
	if err != nil {
		return tool.Output[shiftsOut]{}, err
	}
	return tool.Output[shiftsOut]{
		Value:    shiftsOut{res, facts, judged, first.String() + " to " + (first + roster.Day(params.Days) - 1).String()},
		Evidence: seen, Findings: []dossier.Finding{f},
	}, nil
}

// shiftFacts returns what riders of a van work.
func shiftFacts(van roster.Van, riders []roster.Employee) []engine.ShiftFact {
	var out []engine.ShiftFact
	for _, e := range riders {
		f := engine.ShiftFact{Employee: e.ID, Vanpool: van.ID, PTO: e.PTO}
		if w, ok := van.Shifts[e.Shift]; ok {
			f.ShiftID, f.Shift, f.Zone, f.Schedule, f.Cycle, f.Anchor = w.ID, w.Name, w.Zone, w.Schedule, w.Cycle, w.Anchor
		}
		out = append(out, f)
	}
	return out
}

// pick returns the named riders of a van, or all if none is named.
func pick(van roster.Van, only []string) ([]roster.Employee, error) {
	if len(only) == 0 {
		return van.Riders, nil
	}
	out := make([]roster.Employee, 0, len(only))
	for _, id := range only {
		e, ok := van.Rider(id)
		if !ok {
			return nil, dossier.Errorf(dossier.NotFound, "%s does not ride in %s. Its riders are %v.", id, van.ID, van.IDs())
		}
		out = append(out, e)
	}
	return out, nil
}

// shiftPolicy plays the shift specialist: look once, or once more if the records did not
// answer, and report the rule's answer.
func shiftPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in CheckIn
	if err := req.Brief(&in, nil); err != nil {
		return nil, err
	}
	r, called := req.Tried("get_employee_shifts")
	if !called {
		return req.Calling(model.Planned{Tool: "get_employee_shifts", Args: CheckIn{in.Vanpool, OrEmpty(in.Employees)}}), nil
	}
	return reportRule(r)
}
