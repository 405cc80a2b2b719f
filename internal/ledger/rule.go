package ledger

import (
	"encoding/json"
	"slices"
	"strconv"

	"dossier"
	"dossier/internal/canon"
)

// A Rule recomputes a finding from the evidence it cites. A version that has made
// findings is never removed: verifying needs it.
type Rule struct {
	Name    string // "shift", as in Finding.By "rule/shift@1"
	Version string
	Doc     string
	Apply   func(cited []dossier.Evidence) (dossier.Finding, error)
}

// An Agreement says whether a finding follows from its evidence.
type Agreement string

// The agreements.
const (
	Agrees   Agreement = "agree"        // the same rule gives the same answer
	Differs  Agreement = "differ"       // the same rule gives another answer
	Unproven Agreement = "no rule"      // an agent made it, so there is nothing to recompute
	Missing  Agreement = "rule gone"    // this binary does not have the rule's version
	Broken   Agreement = "cannot apply" // the evidence does not allow the rule to run
)

// A Check is one finding recomputed.
type Check struct {
	Finding   dossier.Finding  `json:"finding"`
	Agreement Agreement        `json:"agreement"`
	Now       *dossier.Finding `json:"recomputed,omitempty"`
	Newer     string           `json:"newer_version,omitempty"` // the rule has changed since
	NewerSays *dossier.Finding `json:"newer_says,omitempty"`
	Note      string           `json:"note,omitempty"`
}

// Recompute checks every finding against the evidence it cites.
func Recompute(chain []dossier.Evidence, found []dossier.Finding, rules []Rule) []Check {
	byID := map[dossier.EvidenceID]dossier.Evidence{}
	for _, e := range chain {
		byID[e.ID] = e
	}
	checks := make([]Check, 0, len(found))
	for _, f := range found {
		checks = append(checks, recompute(f, byID, rules))
	}
	return checks
}

func recompute(f dossier.Finding, byID map[dossier.EvidenceID]dossier.Evidence, rules []Rule) Check {
	c := Check{Finding: f}
	name, version, ok := f.Rule()
	if !ok {
		c.Agreement, c.Note = Unproven, "Made by "+f.By+", not by a rule."
		return c
	}
	var cited []dossier.Evidence
	for _, id := range f.Cites {
		e, ok := byID[id]
		if !ok {
			c.Agreement, c.Note = Broken, "It cites "+string(id)+", which is not in the ledger."
			return c
		}
		cited = append(cited, e)
	}
	rule, newest := find(rules, name, version)
	if newest != nil && newest.Version != version {
		c.Newer = newest.Version
		if now, err := apply(newest, cited); err == nil {
			c.NewerSays = &now
		}
	}
	if rule == nil {
		c.Agreement, c.Note = Missing, "This binary has no rule "+name+" in version "+version+"."
		return c
	}
	now, err := apply(rule, cited)
	if err != nil {
		c.Agreement, c.Note = Broken, dossier.Message(err)
		return c
	}
	c.Now, c.Agreement = &now, Agrees
	if c.Note = difference(f, now); c.Note != "" {
		c.Agreement = Differs
	}
	return c
}

// apply runs a rule on evidence that may have been tampered with. A rule that
// panics on it could not be applied.
func apply(r *Rule, cited []dossier.Evidence) (f dossier.Finding, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = dossier.Errorf(dossier.Invalid, "The rule cannot read the evidence that is cited.")
		}
	}()
	return r.Apply(cited)
}

// find returns the rule with this version and the newest version of it.
func find(rules []Rule, name, version string) (exact, newest *Rule) {
	for i := range rules {
		r := &rules[i]
		if r.Name != name {
			continue
		}
		if r.Version == version {
			exact = r
		}
		if newest == nil || newer(r.Version, newest.Version) {
			newest = r
		}
	}
	return exact, newest
}

// newer compares versions as numbers where both are, so that 10 comes after 9.
func newer(a, b string) bool {
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return x > y
	}
	return a > b
}

// difference says in a sentence where two findings part, or returns "".
func difference(was, now dossier.Finding) string {
	switch {
	case was.Verdict != now.Verdict:
		return "Recorded " + string(was.Verdict) + ", recomputed " + string(now.Verdict) + "."
	case was.Confidence != now.Confidence:
		return "Recorded confidence " + strconv.Itoa(was.Confidence) + ", recomputed " + strconv.Itoa(now.Confidence) + "."
	case !sameJSON(was.Figures, now.Figures):
		return "Recorded figures " + string(was.Figures) + ", recomputed " + string(now.Figures) + "."
	case was.Reason != canon.Text(now.Reason):
		return "The reason reads otherwise: " + now.Reason
	}
	return ""
}

func sameJSON(a, b json.RawMessage) bool {
	x, errA := canon.JSON(a)
	y, errB := canon.JSON(b)
	return errA == nil && errB == nil && slices.Equal(x, y)
}
