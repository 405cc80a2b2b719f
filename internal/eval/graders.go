package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier"
)

// heuristic makes a grader of a function that needs no model. A nil reason for not
// applying is "".
func heuristic(name string, score func(ex Example, tr Trace) (s float64, applies bool, reason string)) Grader {
	return Grader{Name: name, Grade: func(_ context.Context, ex Example, tr Trace) (Grade, error) {
		s, applies, reason := score(ex, tr)
		if s >= 1 {
			reason = ""
		}
		return Grade{Name: name, Score: s, Applies: applies, Reason: reason}, nil
	}}
}

func yes(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// fields reads an object's members, or nil if raw is none.
func fields(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// Field grades whether one member of the answer is what the example wants: a verdict,
// a bucket, whether a person must look.
func Field(name, field string) Grader {
	return heuristic(name, func(ex Example, tr Trace) (float64, bool, string) {
		want, ok := fields(ex.Want)[field]
		if !ok {
			return 0, false, ""
		}
		got, ok := fields(tr.Answer)[field]
		if !ok {
			return 0, true, "the answer has no " + field
		}
		miss := Subset(want, got)
		return yes(miss == ""), true, fmt.Sprintf("%s is %s, not %s", field, got, want)
	})
}

// A conflict is what a shift example wants, and what an answer says.
type conflict struct {
	Verdict  string             `json:"verdict"`
	Unclear  bool               `json:"unclear"` // a fail for want of records: no conflict was found
	Detect   *bool              `json:"should_detect_conflict"`
	Affected []string           `json:"affected_employee_ids"`
	Overlap  map[string]float64 `json:"overlap_minutes"` // by employee; wanted only
	Evidence []struct {
		Type string `json:"type"`
		Data struct {
			Employee string   `json:"employee_id"`
			Overlap  *float64 `json:"overlap_minutes"`
		} `json:"data"`
	} `json:"evidence"`
}

// ConflictDetection grades whether the right riders were found to clash, and whether
// each wanted overlap is met within some minutes. What an example does not say is not
// asked for.
func ConflictDetection(name string, minutes float64) Grader {
	return heuristic(name, func(ex Example, tr Trace) (float64, bool, string) {
		var want, got conflict
		if len(ex.Want) == 0 || json.Unmarshal(ex.Want, &want) != nil || want.Detect == nil && want.Affected == nil && want.Overlap == nil {
			return 0, false, ""
		}
		if json.Unmarshal(tr.Answer, &got) != nil {
			return 0, true, "the answer is no result"
		}
		if want.Detect != nil && *want.Detect != (got.Verdict == "fail" && !got.Unclear) {
			return 0, true, fmt.Sprintf("a conflict was wanted %v, the verdict is %q", *want.Detect, got.Verdict)
		}
		slices.Sort(want.Affected)
		slices.Sort(got.Affected)
		if want.Affected != nil && !slices.Equal(want.Affected, got.Affected) {
			return 0, true, fmt.Sprintf("got riders %v, want %v", got.Affected, want.Affected)
		}
		for id, w := range want.Overlap {
			found := false
			for _, e := range got.Evidence {
				if e.Data.Employee == id && e.Data.Overlap != nil {
					found = true
					if math.Abs(*e.Data.Overlap-w) > minutes {
						return 0, true, fmt.Sprintf("%s: %g minutes in common, want %g", id, *e.Data.Overlap, w)
					}
				}
			}
			if !found {
				return 0, true, "no overlap is given for " + id
			}
		}
		return 1, true, ""
	})
}

// EvidenceHolds grades what share of the named members the answer's evidence holds.
// A member in whenFail is asked for only where the verdict is a fail with riders who
// clash.
func EvidenceHolds(name string, always, whenFail []string) Grader {
	return heuristic(name, func(ex Example, tr Trace) (float64, bool, string) {
		var about struct {
			Employees []string `json:"employee_ids"`
		}
		if json.Unmarshal(ex.Input, &about) == nil && about.Employees != nil && len(about.Employees) == 0 {
			return 0, false, "" // there is nobody to have evidence of
		}
		var got struct {
			Verdict  string            `json:"verdict"`
			Unclear  bool              `json:"unclear"`
			Evidence []json.RawMessage `json:"evidence"`
		}
		if json.Unmarshal(tr.Answer, &got) != nil {
			return 0, true, "the answer is no result"
		}
		need := always
		if got.Verdict == "fail" && !got.Unclear {
			need = append(slices.Clone(always), whenFail...)
		}
		held := map[string]bool{}
		for _, e := range got.Evidence {
			hold(e, held)
		}
		var missing []string
		for _, f := range need {
			if !held[f] {
				missing = append(missing, f)
			}
		}
		return 1 - float64(len(missing))/float64(max(1, len(need))), true, "the evidence lacks " + strings.Join(missing, ", ")
	})
}

// hold notes the members of an object, and of those inside it, that are not empty.
func hold(raw json.RawMessage, held map[string]bool) {
	for name, v := range fields(raw) {
		if !bytes.Equal(v, []byte(`""`)) && !bytes.Equal(v, []byte("null")) {
			held[name] = true
		}
		if len(v) > 0 && v[0] == '{' {
			hold(v, held)
		}
	}
}

var (
	clockForm = regexp.MustCompile(`\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\.\d+)?\s*([AaPp]\.?[Mm]\b)?`)
	hourForm  = regexp.MustCompile(`\b\d{1,2}\s*[AaPp]\.?[Mm]\b`)
	stampForm = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}T[0-9:.]+(Z|[+-]\d{2}:\d{2})?`)
)

// TimeFormat grades whether every time in the answer can be read: on a 24-hour clock,
// and with its offset where a date stands before it; zones must exist.
func TimeFormat(name string) Grader {
	return heuristic(name, func(_ Example, tr Trace) (float64, bool, string) {
		if len(tr.Answer) == 0 {
			return 0, false, ""
		}
		text := string(tr.Answer)
		for _, stamp := range stampForm.FindAllString(text, -1) {
			if _, err := time.Parse(time.RFC3339, stamp); err != nil {
				return 0, true, stamp + " is no moment with an offset"
			}
		}
		for _, m := range clockForm.FindAllStringSubmatch(stampForm.ReplaceAllString(text, ""), -1) {
			hour, _ := strconv.Atoi(m[1])
			minute, _ := strconv.Atoi(m[2])
			if m[3] != "" || len(m[1]) != 2 || hour > 24 || minute > 59 || hour == 24 && minute > 0 {
				return 0, true, strings.TrimSpace(m[0]) + " is no time of a 24-hour clock"
			}
		}
		if said := hourForm.FindString(text); said != "" {
			return 0, true, said + " is no time of a 24-hour clock"
		}
		for _, zone := range zonesIn(tr.Answer) {
			if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
				return 0, true, zone + " is no time zone"
			}
		}
		return 1, true, ""
	})
}

func zonesIn(raw json.RawMessage) []string {
	if !bytes.Contains(raw, []byte(`"zone"`)) {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				if s, ok := e.(string); ok && name == "zone" && !slices.Contains(out, s) {
					out = append(out, s)
				}
				walk(e)
			}
		}
	}
	walk(v)
	return out
}

// RuleAgreement grades whether the answer's verdict and confidence are those of the
// newest finding, and its riders those of the rule's result, where a tool came back with
// one: no wrong number got through. It also holds for a turn that the reference policy
// took.
func RuleAgreement(name string) Grader {
	g := heuristic(name, func(_ Example, tr Trace) (float64, bool, string) {
		if len(tr.Answer) == 0 {
			return 0, false, ""
		}
		own := map[dossier.StepID]bool{} // a case may hold findings of other runs
		for _, st := range tr.Steps {
			own[st.ID] = true
		}
		i := len(tr.Findings) - 1
		for i >= 0 && !own[tr.Findings[i].Step] {
			i--
		}
		if i < 0 {
			return 0, true, "an answer without a finding of this run"
		}
		f := tr.Findings[i]
		var got ruled
		if json.Unmarshal(tr.Answer, &got) != nil {
			return 0, true, "the answer is no result"
		}
		verdict := "fail" // what is unclear is a fail to the programme
		if f.Verdict == dossier.Pass {
			verdict = "pass"
		}
		if got.Verdict != verdict || got.Confidence != max(1, f.Confidence/20) {
			return 0, true, fmt.Sprintf("the rule said %s at %d, the answer %s at %d", f.Verdict, f.Confidence/20, got.Verdict, got.Confidence)
		}
		if want, said := ridersOf(tr); said && !sameSet(want, got.Affected) {
			return 0, true, fmt.Sprintf("the rule named %v, the answer %v", want, got.Affected)
		}
		return 1, true, ""
	})
	g.Safety = true
	return g
}

// ruled is what an answer and a rule's result have in common.
type ruled struct {
	Verdict    string   `json:"verdict"`
	Confidence int      `json:"confidence"`
	Affected   []string `json:"affected_employee_ids"`
}

// ridersOf returns the riders that the rule named in what the newest call came back
// with, and false if no call came back with a rule's result.
func ridersOf(tr Trace) ([]string, bool) {
	p, err := tr.Path()
	if err != nil {
		return nil, false
	}
	for _, c := range slices.Backward(p.Calls) {
		var out struct {
			Result *ruled `json:"result"`
		}
		if c.Came && !c.Failed && json.Unmarshal(c.Value, &out) == nil && out.Result != nil && out.Result.Verdict != "" {
			return out.Result.Affected, true
		}
	}
	return nil, false
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
