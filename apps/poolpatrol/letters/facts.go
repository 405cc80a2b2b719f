package letters

import (
	"encoding/json"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/faith"
)

// About adds what the newest findings say about one rider, and the van's majority shift.
func (f Facts) About(employee string, found []dossier.Finding) Facts {
	for _, fi := range dossier.Latest(found) {
		switch fi.Check {
		case "shift":
			var s engine.Shifts
			if json.Unmarshal(fi.Figures, &s) != nil {
				continue
			}
			for _, r := range s.Riders {
				if r.Employee == employee && r.Standing != engine.Fits {
					f.Shift, f.Expected, f.Shared, f.Working, f.Overlap = r.ShiftName, s.Majority, r.SharedDays, r.WorkingDays, r.Overlap
				}
			}
		case "location":
			var d engine.Distances
			if json.Unmarshal(fi.Figures, &d) != nil {
				continue
			}
			for _, r := range d.Riders {
				if r.Employee == employee && r.Standing == engine.Clashes {
					f.Miles = r.Distance
				}
			}
		}
	}
	return f
}

// Check refuses a letter in other words than the programme's that states a number which
// the rider's records do not hold. Names that it may use are allowed.
func (f Facts) Check(subject, body string, allowed ...string) error {
	if Own(subject, body, f) {
		return nil
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return err
	}
	var facts faith.Facts
	if err := facts.AddJSON("", raw); err != nil {
		return err
	}
	facts.Allow(allowed...)
	return faith.Check(subject+"\n"+body, &facts).Err()
}

// MindsPrivacy refuses a letter to one rider of a van that names another.
func MindsPrivacy(subject, body, employee string, van roster.Van) error {
	text := strings.ToLower(subject + "\n" + body)
	for _, e := range van.Riders {
		if e.ID == employee {
			continue
		}
		for _, secret := range []string{e.ID, e.Email, e.Name} {
			if secret != "" && strings.Contains(text, strings.ToLower(secret)) {
				return dossier.Errorf(dossier.Forbidden, "The letter to %s names another rider; write about %s alone.", employee, employee)
			}
		}
	}
	return nil
}
