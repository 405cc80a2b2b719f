package engine

// A Band is one administrative level of the score, with what it calls for.
type Band struct {
	Label  string  `json:"label"`
	From   float64 `json:"from"` // the lowest score of the band; the band ends before the next one's
	Range  string  `json:"range"`
	Action string  `json:"action"`
}

// Bands lists the bands from the lowest up. They are half-open: 29.99 is BASELINE
// and 30 is MONITORING.
var Bands = [5]Band{
	{"BASELINE", 0, "0-29", "Standard monitoring"},
	{"MONITORING", 30, "30-59", "Enhanced situational awareness"},
	{"PREVENTIVE_READINESS", 60, "60-74", "Proactive measures, officer briefing"},
	{"SENIOR_REVIEW", 75, "75-89", "Senior administrative review required"},
	{"CRITICAL", 90, "90-100", "Immediate coordinated response"},
}

// BandOf returns the band of a score and its place in [Bands].
func BandOf(score float64) (Band, int) {
	i := 0
	for i+1 < len(Bands) && score >= Bands[i+1].From {
		i++
	}
	return Bands[i], i
}

// RiskLevel returns the level word of a score: low, medium, high or critical.
func RiskLevel(score float64) string {
	switch {
	case score < 30:
		return "low"
	case score < 60:
		return "medium"
	case score < 75:
		return "high"
	default:
		return "critical"
	}
}
