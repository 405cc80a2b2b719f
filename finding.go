package dossier

import (
	"encoding/json"
	"strings"
	"time"
)

// A Finding answers one check of a case and cites the evidence it rests on.
// Where a rule can answer, the rule does; a model answers only what no rule can.
type Finding struct {
	ID         FindingID       `json:"id"`
	Case       CaseID          `json:"case"`
	Check      string          `json:"check"`             // the question: "shift", "location", "surge"
	Subject    string          `json:"subject,omitempty"` // which part of the case, where a check is asked of several: "EMP-1006"
	Verdict    Verdict         `json:"verdict"`
	Confidence int             `json:"confidence"`        // 0 to 100, computed by a rule; 0 if none gives one
	Reason     string          `json:"reason"`            // for people
	Figures    json.RawMessage `json:"figures,omitempty"` // the numbers the rule computed, an object
	By         string          `json:"by"`                // "rule/shift@1" or "agent/casemanager"
	Cites      []EvidenceID    `json:"cites"`
	Step       StepID          `json:"step,omitempty"`
	At         time.Time       `json:"at"`
}

// A Verdict is the answer to a check.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Fail    Verdict = "fail"
	Unclear Verdict = "unclear" // the evidence does not decide it
)

// Validate reports why f cannot be recorded. A finding without evidence cannot.
func (f Finding) Validate() error {
	switch {
	case f.Check == "":
		return Errorf(Invalid, "A finding needs a check.")
	case f.Verdict != Pass && f.Verdict != Fail && f.Verdict != Unclear:
		return Errorf(Invalid, "Unknown verdict %q.", f.Verdict)
	case f.Confidence < 0 || f.Confidence > 100:
		return Errorf(Invalid, "Confidence must be 0 to 100, not %d.", f.Confidence)
	case f.By == "":
		return Errorf(Invalid, "The finding on %s does not say who made it.", f.Check)
	case len(f.Cites) == 0:
		return Errorf(Invalid, "The finding on %s cites no evidence.", f.Check)
	}
	return nil
}

// Rule returns the name and version of the rule that made f, and false if an agent did.
func (f Finding) Rule() (name, version string, ok bool) {
	rest, ok := strings.CutPrefix(f.By, "rule/")
	if !ok {
		return "", "", false
	}
	name, version, _ = strings.Cut(rest, "@")
	return name, version, true
}

// Latest returns the newest finding of each check and subject, in the order in which
// the checks were first answered. findings must be in the order they were made.
func Latest(findings []Finding) []Finding {
	type key struct{ check, subject string }
	at := map[key]int{}
	var out []Finding
	for _, f := range findings {
		k := key{f.Check, f.Subject}
		if i, ok := at[k]; ok {
			out[i] = f
			continue
		}
		at[k] = len(out)
		out = append(out, f)
	}
	return out
}
