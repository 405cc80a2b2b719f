package legal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/observe"
)

// maxNamed is how many states or districts a sentence names before it stops.
const maxNamed = 4

// surgeName names a surge by the index's category where that is a bad one: an operator
// may set the threshold so low that it is not.
func surgeName(aqi float64) string {
	switch c := observe.Category(aqi); c {
	case "Good", "Satisfactory", "Moderate":
		return "Pollution surge"
	default:
		return c + " pollution surge"
	}
}

// Summary writes the executive summary: station, index, fires by state with the
// leading district, and the stubble share where it is known.
func Summary(a correlate.Analysis, r correlate.Rules) string {
	s := a.Surge
	text := fmt.Sprintf("%s detected at %s border station (AQI: %v)", surgeName(s.AQI), s.Name, s.AQI)
	var parts []string
	for i, n := range a.Correlation.Neighbours(r) {
		if i == maxNamed {
			break
		}
		part := correlate.Count(n.FireCount, "fire event") + " in " + n.State
		if len(n.Districts) > 0 {
			part += fmt.Sprintf(" (%s district)", n.Districts[0])
		}
		parts = append(parts, part)
	}
	if a.Share != nil {
		parts = append(parts, fmt.Sprintf("%v%% stubble burning contribution", a.Share.Percent))
	}
	switch {
	case !a.Available.NASA && a.Share != nil:
		return text + fmt.Sprintf("; the fire data is missing, so no state can be identified. The stubble burning contribution is given as %v%%.", a.Share.Percent)
	case !a.Available.NASA:
		return text + "; the fire data is missing, so no state can be identified."
	case len(a.Correlation.Neighbours(r)) == 0:
		text += fmt.Sprintf("; no fire events in neighbouring states within %vkm and %v hours", r.RadiusKm, r.Window.Hours())
		if a.Share != nil {
			text += fmt.Sprintf(", while DSS shows %v%% stubble burning contribution", a.Share.Percent)
		}
		return text + "."
	}
	return text + " correlating with " + Join(parts) + "."
}

// Reasoning writes the IF … AND … THEN sentence with the actual figures.
func Reasoning(a correlate.Analysis, r correlate.Rules) string {
	neighbours := a.Correlation.Neighbours(r)
	var conditions []string
	switch {
	case !a.Available.NASA:
		conditions = append(conditions, "fire data is unavailable")
	case len(neighbours) == 0:
		conditions = append(conditions, fmt.Sprintf("no neighbouring state reports fire events within %vkm", r.RadiusKm))
	default:
		for i, s := range neighbours {
			if i == maxNamed {
				break
			}
			conditions = append(conditions, fmt.Sprintf("%s reports %s within %vkm", s.State, correlate.Count(s.FireCount, "fire event"), r.RadiusKm))
		}
	}
	if a.Share != nil {
		conditions = append(conditions, fmt.Sprintf("DSS shows %v%% stubble burning contribution", a.Share.Percent))
	}
	conditions = append(conditions, fmt.Sprintf("%s station records AQI of %v", a.Surge.Name, a.Surge.AQI))
	return "IF " + strings.Join(conditions, ", AND ") + ", THEN " + Therefore(a.Conclusion) + "."
}

// Therefore is what follows from a conclusion, as the reasoning ends.
func Therefore(c correlate.Conclusion) string {
	switch c {
	case correlate.Primary:
		return "cross-border agricultural fires are the primary pollution source in this evidence"
	case correlate.Possible:
		return "cross-border agricultural fires are a possible contributing source, and no state is a high contributor"
	case correlate.Unknown:
		return "the pollution source cannot be established until fire data is available"
	case correlate.NoSource:
		return "cross-border agricultural fires are not shown to be a source of this surge"
	}
	return "nothing follows"
}

var ifAndThen = regexp.MustCompile(`(?s)^IF .+[, ]AND .+[, ]THEN .+`)

// IfAndThen reports whether a text has the form that the reasoning must have.
func IfAndThen(s string) bool { return ifAndThen.MatchString(s) }

// recommend lists what the Commission is asked to do.
func recommend(a correlate.Analysis, r correlate.Rules) []string {
	var districts []string
	neighbours := a.Correlation.Neighbours(r)
	high := slices.ContainsFunc(neighbours, func(s correlate.StateFires) bool { return s.IsHighContribution && InReach(s.State) })
	for _, s := range neighbours {
		if !InReach(s.State) || high && !s.IsHighContribution {
			continue
		}
		for i, d := range s.Districts {
			if i < maxNamed {
				districts = append(districts, d)
			}
		}
	}
	notices := "Issue notices to state authorities under " + Direction
	if Cite(Direction95, StateAuthority, a.Surge.Time) != nil {
		notices += ", from the date on which it applies"
	}
	switch {
	case a.Conclusion == correlate.Unknown:
		return []string{"Obtain the fire data for the window of this report before any enforcement action", "Deploy monitoring teams at the border stations", notices + " once sources are identified"}
	case a.Conclusion == correlate.NoSource:
		return []string{"Examine local sources at the station before any action across the border", "Deploy monitoring teams at the border stations"}
	case !high:
		first := "Verify the fires on the ground"
		if len(districts) > 0 {
			first += " in " + Join(districts) + plural(" district", len(districts))
		}
		return []string{first, "Deploy monitoring teams to the areas with fires", notices}
	}
	first := "Immediate enforcement action"
	if len(districts) > 0 {
		first += " in " + Join(districts) + plural(" district", len(districts))
	}
	return []string{first, "Deploy monitoring teams to high fire-count areas", notices}
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// caveats says what a careful reader must know beside the conclusion.
func caveats(a correlate.Analysis, in Input) []string {
	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if a.Surge.Basis == observe.Computed {
		add("The index of %s was not given; it was computed from the pollutants by the national formula.", a.Surge.Name)
	}
	if a.Share != nil {
		add("The DSS percentage is a share of the day's total. The Commission said in December 2024 that it would not base decisions on it; no conclusion here rests on it alone.")
	}
	switch a.Transport.Verdict {
	case correlate.Contradicts:
		add("The wind contradicts the correlation: %s", a.Transport.Reason)
	case correlate.NoWind:
		add("The wind could not be assessed: %s", a.Transport.Reason)
	case correlate.Supports, correlate.Undecided:
		add("The path of the air is drawn from wind at 10 m above ground and is an approximation.")
	}
	if n := a.Correlation.Unattributed; n > 0 {
		add("%s within the radius could not be attributed to a state and stand for none.", correlate.Count(n, "fire"))
	}
	if n := a.Correlation.Undated; n > 0 {
		add("%s within the radius had no date and were not counted.", correlate.Count(n, "fire"))
	}
	if p := in.Quality.Problems; len(p) > 0 {
		add("Not all of the data could be used, or it is in doubt (%s in all). %s", correlate.Count(len(p), "note"), strings.Join(p[:min(len(p), 3)], " "))
	}
	if in.Quality.FromCache {
		add("The data lake could not be read; the last good object was used.")
	}
	if !in.Quality.Fresh {
		add("The data was %v hours old when the report was made.", round1(in.Quality.AgeHours))
	}
	return out
}
