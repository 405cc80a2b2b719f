package legal

import (
	"fmt"
	"strings"

	"dossier/apps/airshed/observe"
)

// NoPenalty is what every notice says of farmers, and the only thing.
const NoPenalty = "It seeks no penalty against farmers."

// A Notice is a mail to one state's authorities.
type Notice struct {
	ReportID string   `json:"report_id"`
	State    string   `json:"state"`
	To       []string `json:"to"`
	Subject  string   `json:"subject"`
	Text     string   `json:"text"`
}

// Mail is who gets the notices of a state, by any spelling of its name.
type Mail map[string][]string

// To returns the addresses of a state.
func (m Mail) To(state string) []string {
	for name, to := range m {
		if observe.StateKey(name) == observe.StateKey(state) {
			return to
		}
	}
	return nil
}

// Notices drafts a mail to each high contributor beside the home state that the Act
// covers and that has an address.
func Notices(r Report, mail Mail, home string) []Notice {
	out := []Notice{}
	for _, s := range r.FireCorrelation {
		to := mail.To(s.State)
		if !s.IsHighContribution || !InReach(s.State) || len(to) == 0 || observe.StateKey(s.State) == observe.StateKey(home) {
			continue
		}
		text := fmt.Sprintf(`To the state authorities of %s,

%s

%s

The report counts %d fire events in %s within %v km and %v hours of the surge. Districts: %s.

This notice is addressed to authorities and officials. `+NoPenalty+`

Report %s
`, s.State, r.ExecutiveSummary, r.LegalCitations.EnforcementRequest+".", s.FireCount, s.State, r.Rules.RadiusKm, r.Rules.Window.Hours(), strings.Join(s.Districts, ", "), r.ReportID)
		out = append(out, Notice{r.ReportID, s.State, to, "Notice of cross-border pollution: " + r.ReportID, text})
	}
	return out
}
