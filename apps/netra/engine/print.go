package engine

import (
	"fmt"
	"strings"
	"time"
)

// Text renders s as the block that an officer reads in a terminal.
func (s Score) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "=== District Risk Score ===\nDistrict %s, %s\n", s.District, s.State)
	fmt.Fprintf(&b, "Composite Score: %.2f/100\nRisk Level: %s\nTrend: %s %s\nPrimary Trigger: %s\nLayer Scores:\n",
		s.Composite, strings.ToUpper(s.Level), s.Trend, s.TrendArrow, s.PrimaryTrigger)
	for _, l := range Layers {
		fmt.Fprintf(&b, "  %s: %.2f/10\n", l, s.Layer(l))
	}
	fmt.Fprintf(&b, "Threshold: %s (%s)\nAction: %s\nEscalation Floor: %s (%s)\nSignals in Window: %d (%s to %s)\n",
		s.Threshold.Label, s.Threshold.Range, s.Action, s.EscalationFloor.Label, s.EscalationFloor.Range,
		s.SignalCount, s.TimeWindow, s.Timestamp.Format(time.RFC3339))
	b.WriteString("\nTop Contributors:\n")
	for i, t := range s.Top {
		fmt.Fprintf(&b, "  %d. %s (Severity: %d)\n", i+1, Clip(t.EventSummary, QuoteLength), t.Severity)
	}
	fmt.Fprintf(&b, "\nWhy: %s\n", s.Rationale)
	if s.WeakestLink != nil {
		fmt.Fprintf(&b, "Weakest link: without “%s” the score is %.2f (%s).\n",
			Clip(s.WeakestLink.EventSummary, QuoteLength), s.WeakestLink.ScoreWithout, s.WeakestLink.BandWithout)
	}
	for _, m := range []*Move{s.Change.Up, s.Change.Down} {
		if m != nil {
			fmt.Fprintf(&b, "Band: %s\n", m.Text)
		}
	}
	for _, h := range s.Health {
		fmt.Fprintf(&b, "Note: %s\n", h.Text)
	}
	fmt.Fprintf(&b, "\nMethodology: %s\nGovernance: %s\n", s.Version, s.Disclaimer)
	return b.String()
}

// Example returns the worked example of the method at a reference time: three reports
// from Imphal West that score 13.67.
func Example(at time.Time) (Place, []Signal) {
	p := Place{State: "Manipur", District: "Imphal West"}
	one := func(hours int, summary string, pol Polarity, sev int, l Layer, tags ...Tag) Signal {
		return Signal{State: p.State, District: p.District, Location: p.District, EventSummary: summary,
			Timestamp: at.Add(-time.Duration(hours) * time.Hour), SourceType: PublicSource, Polarity: pol, Severity: sev,
			RiskLayers: []Layer{l}, GeoSensitivity: tags}
	}
	return p, []Signal{
		one(6, "Arms cache recovered near border area", Escalatory, 3, Physical, Border),
		one(2, "Mass protest rally with thousands", Escalatory, 2, Cognitive),
		one(12, "Peace dialogue meeting", Stabilizing, 1, Cognitive),
	}
}
