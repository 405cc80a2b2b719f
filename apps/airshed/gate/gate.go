// Package gate decides whether a text about a report may be used: every number in it
// must be one of the report's figures, it may not draw another conclusion than the rules
// do, and it may not speak of those whom the law exempts.
//
// [Facts] lists what a text may state; [Use] puts a model's texts into a report if they
// hold. The texts that the rules write pass the same gate, which a property test says.
// The package changes no figure and writes no text.
package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/legal"
	"dossier/internal/faith"
)

// fireUnits are the ways to write a number of fires. The words count as a unit, so that
// what follows them ("450 fire events in Haryana") is seen to belong to the number.
var fireUnits = []string{"fire events", "fire event", "fires", faith.None}

// Facts returns every number that a text about a report may state, each with its
// unit and, where it belongs to one state, with the state's name.
func Facts(r legal.Report) *faith.Facts {
	f := &faith.Facts{}
	add := func(name string, v float64, unit, label string, names map[string]string) {
		f.Add(faith.Fact{Ref: faith.Ref{Computed: name}, Value: faith.Float(v), Unit: unit, Label: label, Names: names})
	}
	s := r.SurgeDetails
	add("aqi", s.AQI, faith.None, "index of "+s.Station, map[string]string{"station": s.Station})
	f.Name("station", s.Station)
	for name, v := range map[string]*float64{"pm25": s.PM25, "pm10": s.PM10} {
		if v != nil {
			add(name, *v, "", name, nil)
		}
	}
	if r.StubbleBurningContribution != nil {
		add("share", *r.StubbleBurningContribution, "%", "stubble burning share", nil)
	}
	for _, unit := range fireUnits {
		add("fires-"+unit, float64(r.FireCount), unit, "all correlated fires", nil)
	}
	add("mean", r.AvgDistanceKm, "km", "mean distance", nil)
	for i, l := range r.FireCorrelation {
		whose := map[string]string{"state": l.State}
		f.Name("state", l.State)
		for _, unit := range fireUnits {
			add(fmt.Sprintf("fires-%d-%s", i, unit), float64(l.FireCount), unit, "fires in "+l.State, whose)
		}
		add(fmt.Sprintf("mean-%d", i), l.AvgDistanceKm, "km", "mean distance of fires in "+l.State, whose)
	}
	for i, d := range r.Districts {
		if d.District != "" {
			f.Name("district", d.District)
		}
		for _, unit := range fireUnits {
			add(fmt.Sprintf("district-%d-%s", i, unit), float64(d.FireCount), unit, "fires in "+d.District, map[string]string{"state": d.State, "district": d.District})
		}
	}
	add("confidence", r.ConfidenceScore, "", "confidence", nil)
	add("radius", r.Rules.RadiusKm, "km", "radius", nil)
	add("window", r.Rules.Window.Hours(), "h", "window", nil)
	add("threshold", r.Rules.SurgeAQI, faith.None, "surge threshold", nil)
	add("high", float64(r.Rules.HighFires), faith.None, "high contribution count", nil)
	f.Allow(r.ReportID, s.Timestamp.Format("2006-01-02"), s.Timestamp.Format("15:04"), r.Timestamp.Format("2006-01-02"),
		legal.Direction, legal.Authority, "Section 12", "Section 14", "2021", "PM2.5", "PM10", "NO2", "SO2")
	f.Name("pollutant", "PM2.5")
	f.Name("pollutant", "PM10")
	f.Name("law", legal.Direction, "Direction No. 95", "Direction 95")
	f.Name("law", legal.Authority, "Section 12 of the CAQM Act", "Section 12", "CAQM Act, 2021", "CAQM Act 2021")
	return f
}

// Texts are what a model may write of a report; "" leaves the standard text.
type Texts struct {
	ExecutiveSummary string `json:"executive_summary,omitempty" jsonschema:"one or two sentences; leave out to use the standard text"`
	Reasoning        string `json:"reasoning,omitempty" jsonschema:"IF … AND … THEN with the actual figures; leave out to use the standard text"`
}

// Use puts a model's texts into a report, if each of their numbers is one of its
// figures and they do not blame whom the law exempts.
func Use(r *legal.Report, in Texts) error {
	facts := Facts(*r)
	for _, t := range []struct {
		name string
		text string
		into *string
	}{{"executive_summary", in.ExecutiveSummary, &r.ExecutiveSummary}, {"reasoning", in.Reasoning, &r.Reasoning}} {
		if strings.TrimSpace(t.text) == "" {
			continue
		}
		if err := faith.Check(t.text, facts).Err(); err != nil {
			return dossier.Errorf(dossier.Invalid, "The %s is not used. %s", t.name, dossier.Message(err)).Because(err)
		}
		if err := NoBlame(t.text); err != nil {
			return err
		}
		judge := NoVerdict
		if t.name == "reasoning" {
			judge = reasons
		}
		if err := judge(t.text, r.Conclusion); err != nil {
			return err
		}
		*t.into, r.WrittenBy = t.text, "model"
	}
	return nil
}

// reasons refuses a reasoning that is not of the form it must have, or that draws
// another conclusion than the rules do: a model may say why, and not what follows.
func reasons(text string, c correlate.Conclusion) error {
	if !legal.IfAndThen(text) {
		return dossier.Errorf(dossier.Invalid, "The reasoning is not used: it must read IF … AND … THEN ….")
	}
	if end := " THEN " + legal.Therefore(c); !strings.HasSuffix(strings.TrimRight(text, ". \n"), end) {
		return dossier.Errorf(dossier.Invalid, "The reasoning is not used: what follows is for the rules to say. End it with%s.", end)
	}
	return nil
}

// verdicts are the beginnings of words and phrases that say where a surge came from.
var verdicts = []string{"primar", "caus", "responsib", "because", "due to", "attributable", "main source", "principal", "driven by", "result of", "blame", "guilt"}

// NoVerdict refuses a text that says where the surge came from when the rules did not
// find a high contributor.
func NoVerdict(text string, c correlate.Conclusion) error {
	low := strings.ToLower(text)
	for _, word := range verdicts {
		if c != correlate.Primary && strings.Contains(low, word) {
			return dossier.Errorf(dossier.Invalid, "The text is not used: it says where the surge came from (%q), and what the rules find is that %s.", word, legal.Therefore(c))
		}
	}
	return nil
}

// directionDay is a day on which every provision is in force.
var directionDay = time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC)

// exempt are the beginnings of the words for those whom the Act exempts.
var exempt = []string{"farmer", "kisan", "cultivator", "peasant", "agriculturist", "landholder", "landowner", "smallholder", "villager"}

// NoBlame refuses a text that speaks of farmers: a report addresses authorities and
// officials. What every notice says of them is let through.
func NoBlame(text string) error {
	low := strings.ToLower(strings.ReplaceAll(text, legal.NoPenalty, ""))
	says := func(word string) bool { return strings.Contains(low, word) }
	switch {
	case !slices.ContainsFunc(exempt, says):
		return nil
	case slices.ContainsFunc([]string{"penal", "prosecut", "punish", "fine ", "fined", "section 14"}, says):
		return legal.Cite(legal.Section14, legal.Farmer, directionDay)
	}
	return legal.Cite(legal.Section12, legal.Farmer, directionDay)
}
