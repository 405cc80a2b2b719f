package verify

import (
	"encoding/json"
	"testing"

	"dossier/internal/agent"
	"dossier/internal/model"
)

// TestAnswerSaysNothingNew proves that a model may put the rule's reasoning in other
// words and cannot bring in a number or evidence of its own.
func TestAnswerSaysNothingNew(t *testing.T) {
	t.Parallel()
	const ruled = `{"verdict":"fail","confidence":5,"reasoning":"EMP-1002 lives 61.5 miles away; 50 are allowed.",` +
		`"evidence":[{"type":"distance_check","data":{"employee_id":"EMP-1002","distance_miles":61.5}}],"affected_employee_ids":["EMP-1002"]}`
	for name, c := range map[string]struct {
		reasoning, miles string
		ok               bool
	}{
		"the rule's words":    {"EMP-1002 lives 61.5 miles away; 50 are allowed.", "61.5", true},
		"other words":         {"At 61.5 miles EMP-1002 is too far out.", "61.5", true},
		"another number":      {"At 48.5 miles EMP-1002 is too far out.", "61.5", false},
		"evidence of its own": {"At 61.5 miles EMP-1002 is too far out.", "48.5", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := json.Marshal(Result{
				Verdict: "fail", Confidence: 5, Reasoning: c.reasoning, Affected: []string{"EMP-1002"},
				Evidence: []Item{{Type: "distance_check", Data: json.RawMessage(`{"distance_miles":` + c.miles + `,"employee_id":"EMP-1002"}`)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			d := agent.Draft{Answer: said, Returns: []model.Return{{Tool: "check_commute_distance", Value: json.RawMessage(`{"result":` + ruled + `}`)}}}
			if err := agreesWithRule(t.Context(), d); (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}
