package poolpatrol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/eval"
	"dossier/internal/tool"
)

// A draftVan is the input of a shift example, as a model is asked for it.
type draftVan struct {
	Vanpool   string       `json:"vanpool_id" jsonschema:"VP- and three digits"`
	Employees []string     `json:"employee_ids" jsonschema:"the ids of all riders, in the order of riders"`
	First     string       `json:"first_day" jsonschema:"a Monday, YYYY-MM-DD"`
	Riders    []draftRider `json:"riders"`
}

type draftRider struct {
	Employee string      `json:"employee_id" jsonschema:"EMP- and four digits"`
	Vanpool  string      `json:"vanpool_id" jsonschema:"the van's id"`
	ShiftID  string      `json:"shift_id" jsonschema:"SH- and a number; riders with the same id have the same shift"`
	Shift    string      `json:"shift_name"`
	Zone     string      `json:"zone" jsonschema:"an IANA time zone"`
	Schedule string      `json:"schedule" jsonschema:"like Mon-Fri 07:00-16:00 or Mon-Thu,Sun 22:00-06:00"`
	PTO      []draftSpan `json:"pto,omitempty" jsonschema:"days off"`
}

type draftSpan struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func draftShifts() *eval.Draft {
	return &eval.Draft{
		Asks: "An input is a van with its riders and their shifts over the four weeks from first_day. A third of them should fit together, a third should clash, and a third lie at the edges: " +
			"days off, part time, nights over midnight, other time zones, partial overlaps.",
		Input: tool.SchemaOf[draftVan](),
		Key: func(input json.RawMessage) string {
			var van draftVan
			_ = json.Unmarshal(input, &van) // it has this form
			var b strings.Builder
			for _, r := range van.Riders {
				fmt.Fprintln(&b, r.Schedule, r.Zone, r.PTO)
			}
			return b.String()
		},
		Want: wantShift,
	}
}

// wantShift is what a shift example wants, by the rule's answer.
func wantShift(input, answer json.RawMessage) (json.RawMessage, error) {
	var van struct {
		Employees []string           `json:"employee_ids"`
		First     roster.Day         `json:"first_day"`
		Riders    []engine.ShiftFact `json:"riders"`
	}
	if err := json.Unmarshal(input, &van); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The input cannot be read: %v.", err)
	}
	schedules, ids := map[string]string{}, []string{}
	for _, r := range van.Riders {
		if old, ok := schedules[r.ShiftID]; ok && old != r.Schedule {
			return nil, dossier.Errorf(dossier.Invalid, "The shift %s has two schedules.", r.ShiftID)
		}
		schedules[r.ShiftID] = r.Schedule
		ids = append(ids, r.Employee)
	}
	if !slices.Equal(ids, van.Employees) || len(ids) != len(slices.Compact(slices.Sorted(slices.Values(ids)))) {
		return nil, dossier.Errorf(dossier.Invalid, "employee_ids must name every rider once, in order.")
	}
	var said verify.Result
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, fmt.Errorf("decode the reference policy's answer: %w", err)
	}
	overlaps := map[string]float64{}
	for _, it := range said.Evidence {
		var d struct {
			Employee string   `json:"employee_id"`
			Overlap  *float64 `json:"overlap_minutes"`
		}
		if json.Unmarshal(it.Data, &d) == nil && d.Overlap != nil && slices.Contains(said.Affected, d.Employee) {
			overlaps[d.Employee] = *d.Overlap
		}
	}
	return json.Marshal(struct {
		Verdict  verify.Verdict     `json:"verdict"`
		Detect   bool               `json:"should_detect_conflict"`
		Affected []string           `json:"affected_employee_ids"`
		Overlap  map[string]float64 `json:"overlap_minutes,omitempty"`
	}{said.Verdict, said.Verdict == "fail" && !said.Unclear, verify.OrEmpty(said.Affected), overlaps})
}

func draftReplies() *eval.Draft {
	type reply struct {
		Text string `json:"text" jsonschema:"what the rider wrote, up to 500 characters"`
	}
	return &eval.Draft{
		Asks: "An input is what a rider wrote back to a letter that asked about shift or home address. Write acknowledgments, questions, reports of a change and complaints, plain ones and hard ones: " +
			"mixed signals, quoted mail, denials.",
		Input: tool.SchemaOf[reply](),
		Key: func(input json.RawMessage) string {
			var r reply
			_ = json.Unmarshal(input, &r) // it has this form
			return strings.Join(strings.Fields(strings.ToLower(r.Text)), " ")
		},
		Want: func(_, answer json.RawMessage) (json.RawMessage, error) {
			var said patrol.Outreach
			if err := json.Unmarshal(answer, &said); err != nil {
				return nil, fmt.Errorf("decode the reference policy's answer: %w", err)
			}
			if said.Bucket == nil {
				return nil, dossier.Errorf(dossier.Invalid, "The reply has no bucket.")
			}
			return json.Marshal(struct {
				Bucket replies.Bucket `json:"bucket"`
				Review bool           `json:"hitl_required"`
			}{*said.Bucket, said.Review})
		},
	}
}
