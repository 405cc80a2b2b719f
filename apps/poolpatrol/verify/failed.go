package verify

import (
	"encoding/json"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/engine"
)

// Affected returns the riders for whom the newest finding of each check did not pass,
// with the checks that failed for them.
func Affected(findings []dossier.Finding) map[string][]string {
	out := map[string][]string{}
	for _, f := range dossier.Latest(findings) {
		if f.Verdict == dossier.Pass {
			continue
		}
		for _, id := range Failing(f) {
			out[id] = append(out[id], f.Check)
		}
	}
	return out
}

// Failing returns the riders that a finding's figures name as clashing or unknown.
func Failing(f dossier.Finding) []string {
	var figures struct {
		Riders []struct {
			Employee string          `json:"employee_id"`
			Standing engine.Standing `json:"standing"`
		} `json:"riders"`
	}
	if json.Unmarshal(f.Figures, &figures) != nil {
		return nil
	}
	var out []string
	for _, r := range figures.Riders {
		if r.Standing == engine.Clashes || r.Standing == engine.Unknown {
			out = append(out, r.Employee)
		}
	}
	return out
}

// FailedChecks returns the checks whose newest finding did not pass, and those of them
// that the records left undecided.
func FailedChecks(findings []dossier.Finding) (failed, unclear []string) {
	for _, f := range dossier.Latest(findings) {
		if f.Verdict == dossier.Pass {
			continue
		}
		failed = append(failed, f.Check)
		if f.Verdict == dossier.Unclear {
			unclear = append(unclear, f.Check)
		}
	}
	slices.SortFunc(failed, byCheck) // findings of parallel specialists come in any order
	return failed, unclear
}

// byCheck orders checks: shift, location, and then by name.
func byCheck(a, b string) int {
	rank := func(s string) string {
		if i := slices.Index([]string{"shift", "location"}, s); i >= 0 {
			return string(rune('0' + i))
		}
		return s
	}
	return strings.Compare(rank(a), rank(b))
}
