// Package legal makes the report that goes to the Commission for Air Quality
// Management: the object of the design with its citations, and the sentences in it
// that need no author.
//
// What may be cited against whom is a rule ([Cite]), not a matter of wording: the Act
// exempts farmers from its penalty, so a report addresses state authorities and
// officials and a citation against an exempt party is refused. [Compose] builds a
// report from an analysis; the two texts that a model may write instead of our own
// are checked against the report's figures by the caller before they are used.
package legal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/observe"
)

// The texts that the design fixes.
const (
	Direction = "CAQM Direction No. 95"
	Authority = "Section 12 of the CAQM Act, 2021"
	Request   = "Requesting immediate enforcement action under Section 12 of the CAQM Act"
)

// directionIssued is the day of Direction No. 95.
var directionIssued = time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC)

// A Party is somebody whom a citation can be aimed at.
type Party string

// The parties.
const (
	StateAuthority Party = "state authority"
	Official       Party = "official"
	Industry       Party = "industry"
	Farmer         Party = "farmer"
)

// A Provision is a part of the law that a report may cite.
type Provision string

// The provisions. The Act is the Commission for Air Quality Management in National
// Capital Region and Adjoining Areas Act, 2021.
const (
	Section12   Provision = "section 12"       // powers of the Commission
	Section14   Provision = "section 14"       // penalty for contravention
	Section15   Provision = "section 15"       // environmental compensation
	Direction95 Provision = "direction no. 95" // district magistrates may act against officials who fail to enforce
)

// reach lists the states whose adjoining areas the Act covers, by observe.StateKey.
var reach = []string{"haryana", "punjab", "rajasthan", "uttar pradesh", "delhi"}

// InReach reports whether the Act covers a state.
func InReach(state string) bool { return slices.Contains(reach, observe.StateKey(state)) }

// Cite reports why a provision cannot be cited against a party for what happened at
// the given time, nil if it can.
func Cite(p Provision, against Party, at time.Time) error {
	switch {
	case p == Section14 && against == Farmer:
		return dossier.Errorf(dossier.Invalid, "Section 14 cannot be cited against farmers: it exempts them for stubble burning. Address the state authorities and officials.")
	case against == Farmer:
		return dossier.Errorf(dossier.Invalid, "A report is not addressed to farmers. Address the state authorities and officials.")
	case p == Direction95 && at.Before(directionIssued):
		return dossier.Errorf(dossier.Invalid, "Direction No. 95 was issued on 1 October 2025 and does not reach back to %s.", at.UTC().Format("2 January 2006"))
	case p == Direction95 && against == Industry:
		return dossier.Errorf(dossier.Invalid, "Direction No. 95 is about officials and authorities, not about industry.")
	}
	return nil
}

// Citations are the legal part of a report.
type Citations struct {
	CAQMDirection        string   `json:"caqm_direction"`
	EnforcementAuthority string   `json:"enforcement_authority"`
	ApplicableSections   []string `json:"applicable_sections"`
	EnforcementRequest   string   `json:"enforcement_request"`
	Addressees           []string `json:"addressees"` // state authorities and officials; never farmers
	Exclusions           []string `json:"exclusions"` // what is not invoked, and why
}

// DefaultCitations are those of a report that names no state.
func DefaultCitations() Citations {
	return Citations{
		CAQMDirection: Direction, EnforcementAuthority: Authority, EnforcementRequest: Request,
		ApplicableSections: []string{Authority + ": powers of the Commission"},
		Addressees:         []string{}, Exclusions: []string{},
	}
}

// CitationsFor applies the law to the states that an analysis names.
func CitationsFor(a correlate.Analysis, r correlate.Rules) Citations {
	c, at := DefaultCitations(), a.Surge.Time
	var named, high []string
	for _, s := range a.Correlation.Neighbours(r) {
		named = append(named, s.State)
		if s.IsHighContribution {
			high = append(high, s.State)
		}
	}
	within := slices.DeleteFunc(slices.Clone(high), func(s string) bool { return !InReach(s) })
	for _, s := range named {
		if !InReach(s) {
			c.Exclusions = append(c.Exclusions, s+" lies outside the areas that the Act covers; nothing is requested against it.")
		}
	}
	if len(within) > 0 {
		c.EnforcementRequest += " against identified pollution sources in " + Join(within)
		if Cite(Section14, Official, at) == nil {
			c.ApplicableSections = append(c.ApplicableSections, "Section 14 of the CAQM Act, 2021: penalty, for officials and authorities who contravene directions; not for farmers")
		}
		for _, s := range within {
			c.Addressees = append(c.Addressees, fmt.Sprintf("State Government of %s: Chief Secretary, and the district magistrates concerned", s))
		}
	} else {
		c.EnforcementRequest += ", subject to verification on the ground"
	}
	if err := Cite(Direction95, Official, at); err == nil {
		c.ApplicableSections = append(c.ApplicableSections, Direction+" (1 October 2025): action against officials who fail to enforce")
	} else {
		c.Exclusions = append(c.Exclusions, dossier.Message(err))
	}
	c.Exclusions = append(c.Exclusions,
		"Section 14 exempts farmers for stubble burning; no penalty is sought against farmers.",
		"Section 15 (environmental compensation) is not invoked: this report identifies no single polluter.")
	return c
}

// Join writes a list as people do: "Haryana, Punjab and Rajasthan".
func Join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
