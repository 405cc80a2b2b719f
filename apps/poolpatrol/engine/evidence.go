package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/roster"
)

// The kinds of evidence that the checks rest on.
const (
	EmployeeShift   = "employee_shift"
	MajorityShift   = "vanpool_majority_shift"
	ShiftMismatch   = "shift_mismatch"
	EmployeeProfile = "employee_profile"
	VanpoolPickup   = "vanpool_pickup"
	DistanceCheck   = "distance_check"
)

// The names under which findings are signed.
const (
	ShiftRule    = "rule/shift@1"
	LocationRule = "rule/location@1"
)

// A MajorityFact says what riders were compared with and how: the data of
// "vanpool_majority_shift" evidence.
type MajorityFact struct {
	Vanpool  string     `json:"vanpool_id"`
	ShiftID  string     `json:"shift_id"`
	Majority string     `json:"majority_shift"`
	Holders  int        `json:"riders_on_it"`
	Riders   int        `json:"riders"`
	First    roster.Day `json:"first_day"`
	ShiftParams
}

// A MismatchFact says how a rider's shift misses the majority's: the data of
// "shift_mismatch" evidence.
type MismatchFact struct {
	Vanpool  string `json:"vanpool_id"`
	Employee string `json:"employee_id"`
	Shift    string `json:"employee_shift"`
	Expected string `json:"expected_shift"`
	ShiftFigures
}

func source(locator string, now time.Time) dossier.Source {
	return dossier.Source{System: "roster", Locator: locator, Fetched: now}
}

// daysOff says how often a rider is away.
func daysOff(n int) string {
	switch n {
	case 0:
		return "no days off"
	case 1:
		return "away once"
	}
	return fmt.Sprintf("away %d times", n)
}

// inWords says how a home is known and its distance measured.
func inWords(s string) string {
	switch s {
	case string(ByCoordinates):
		return "the home"
	case string(ByZIP):
		return "the middle of the ZIP code"
	case string(ByNothing):
		return "an unknown home"
	case Estimated:
		return "great circle × 1.2"
	}
	return s
}

// ShiftEvidence writes down the shift check of one van: every rider's shift, the
// majority, and each mismatch.
func ShiftEvidence(vanpool string, facts []ShiftFact, first roster.Day, p ShiftParams, s Shifts, now time.Time) []dossier.Evidence {
	out := make([]dossier.Evidence, 0, len(facts)+1)
	for _, f := range facts {
		name := f.Shift
		if f.ShiftID == "" {
			name = "no shift on record"
		}
		out = append(out, dossier.NewEvidence(EmployeeShift, source("employee/"+f.Employee+"/shift", now), f,
			"%s works %s (%s), %s.", f.Employee, name, f.Schedule, daysOff(len(f.PTO))))
	}
	m := MajorityFact{vanpool, s.MajorityID, s.Majority, s.Holders, len(facts), first, p}
	out = append(out, dossier.NewEvidence(MajorityShift, source("vanpool/"+vanpool+"/majority", now), m,
		"%d of %d riders of %s work %s.", s.Holders, len(facts), vanpool, or(s.Majority, "no known shift")))
	for i, r := range s.Riders {
		if r.Standing == Clashes {
			f := MismatchFact{vanpool, r.Employee, facts[i].Shift, s.Majority, r}
			out = append(out, dossier.NewEvidence(ShiftMismatch, source("vanpool/"+vanpool+"/mismatch/"+r.Employee, now), f,
				"%s: %d minutes of the commute in common with %s (%d at work), %d of %d days shared.",
				r.Employee, r.Overlap, s.Majority, r.WorkOverlap, r.SharedDays, r.WorkingDays))
		}
	}
	return out
}

// Finding returns s as a finding. It cites nothing yet.
func (s Shifts) Finding() dossier.Finding {
	return finding("shift", ShiftRule, s.Verdict, s.Confidence, s.Reason, s)
}

// Finding returns d as a finding. It cites nothing yet.
func (d Distances) Finding() dossier.Finding {
	return finding("location", LocationRule, d.Verdict, d.Confidence, d.Reason, d)
}

func finding(check, by string, v dossier.Verdict, confidence int, reason string, figures any) dossier.Finding {
	raw, err := json.Marshal(figures)
	if err != nil {
		panic(fmt.Sprintf("figures of %s: %v", check, err))
	}
	return dossier.Finding{Check: check, Verdict: v, Confidence: confidence * 20, Reason: reason, By: by, Figures: raw}
}

// DistanceEvidence writes down the location check of one van.
func DistanceEvidence(pickup PickupFact, facts []DistanceFact, now time.Time) []dossier.Evidence {
	out := []dossier.Evidence{dossier.NewEvidence(VanpoolPickup, source("vanpool/"+pickup.Vanpool+"/pickup", now), pickup,
		"%s picks up at %.3f, %.3f.", pickup.Vanpool, pickup.Coords.Lat, pickup.Coords.Lng)}
	for _, f := range facts {
		src := dossier.Source{System: f.Method, Locator: "vanpool/" + f.Vanpool + "/distance/" + f.Employee, Fetched: now}
		out = append(out, dossier.NewEvidence(DistanceCheck, src, f, "%s: %.1f miles to the pickup point from %s by %s (%.1f as the crow flies), %g allowed.",
			f.Employee, f.Distance, inWords(string(f.Basis)), inWords(f.Method), f.GreatCircle, f.Threshold))
	}
	return out
}

// RecheckShifts makes the shift finding again from the evidence it cites.
func RecheckShifts(cited []dossier.Evidence) (dossier.Finding, error) {
	facts, err := decode[ShiftFact](cited, EmployeeShift)
	if err != nil {
		return dossier.Finding{}, err
	}
	majority, err := decode[MajorityFact](cited, MajorityShift)
	if err != nil {
		return dossier.Finding{}, err
	}
	if len(majority) != 1 {
		return dossier.Finding{}, dossier.Errorf(dossier.Invalid, "A shift finding cites the majority shift once, not %d times.", len(majority))
	}
	s, err := JudgeShifts(facts, majority[0].First, majority[0].ShiftParams)
	if err != nil {
		return dossier.Finding{}, err
	}
	return s.Finding(), nil
}

// RecheckDistances makes the location finding again from the evidence it cites,
// measuring every distance anew that no service measured.
func RecheckDistances(cited []dossier.Evidence) (dossier.Finding, error) {
	pickups, err := decode[PickupFact](cited, VanpoolPickup)
	if err != nil {
		return dossier.Finding{}, err
	}
	facts, err := decode[DistanceFact](cited, DistanceCheck)
	if err != nil {
		return dossier.Finding{}, err
	}
	if len(pickups) != 1 {
		return dossier.Finding{}, dossier.Errorf(dossier.Invalid, "A location finding cites the pickup point once, not %d times.", len(pickups))
	}
	for i, f := range facts {
		facts[i] = f.Measure(pickups[0].Coords, f.Routed)
	}
	return JudgeDistances(facts, pickups[0].Threshold).Finding(), nil
}

func decode[T any](cited []dossier.Evidence, kind string) ([]T, error) {
	var out []T
	for _, e := range cited {
		if e.Kind != kind {
			continue
		}
		var v T
		if err := json.Unmarshal(e.Data, &v); err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "Evidence %s does not hold what its kind says.", e.ID).Because(err)
		}
		out = append(out, v)
	}
	return out, nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
