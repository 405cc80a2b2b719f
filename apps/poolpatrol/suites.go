package poolpatrol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/agent"
	"dossier/internal/eval"
)

// suites play the app's agents on examples with known answers. Their gates are the
// source design's targets.
func suites(agents []*agent.Agent) []eval.Suite {
	play := player{agents}
	verdict := eval.Field("verdict_accuracy", "verdict")
	judged := func(ideal eval.Ideal, more ...eval.Grader) []eval.Grader {
		list := append([]eval.Grader{verdict}, more...)
		list = append(list, eval.TimeFormat("time_format"), eval.RuleAgreement("rule_agreement"))
		return append(list, eval.PathGraders(ideal)...)
	}
	return []eval.Suite{
		{
			Ideal: checking("get_employee_shifts"), Targets: eval.PathTargets(),
			Draft: draftShifts(), Name: "shift", Doc: "Groups of riders: valid, in conflict, and at the edges.", Agent: "shift", File: "evals/shift.yaml",
			Graders: judged(checking("get_employee_shifts"), eval.ConflictDetection("shift_conflict_accuracy", 5),
				eval.EvidenceHolds("evidence_completeness", []string{"employee_id", "shift_id", "vanpool_id"}, []string{"overlap_minutes"})),
			Gates: withPaths(map[string]float64{"verdict_accuracy": 0.95, "shift_conflict_accuracy": 0.98}), Run: play.shift,
		},
		{
			Ideal: checking("get_employee_profile", "check_commute_distance"), Targets: eval.PathTargets(),
			Name: "location", Doc: "Homes near, far and unknown.", Agent: "location", File: "evals/location.yaml",
			Graders: judged(checking("get_employee_profile", "check_commute_distance"), eval.ConflictDetection("location_conflict_accuracy", 5),
				eval.EvidenceHolds("evidence_completeness", []string{"employee_id", "vanpool_id", "distance_miles"}, nil)),
			Gates: withPaths(map[string]float64{"verdict_accuracy": 0.95}), Run: play.location,
		},
		{
			Ideal: answering, Targets: eval.PathTargets(),
			Draft: draftReplies(), Name: "outreach", Doc: "Replies over four buckets, hard ones among them.", Agent: "outreach", File: "evals/outreach.yaml",
			Graders: append([]eval.Grader{
				eval.Field("bucket_match", "bucket"), eval.Field("hitl_match", "hitl_required"),
				eval.ActsApproved("no_unapproved_act", agents...),
			}, eval.PathGraders(answering)...),
			Gates: withPaths(map[string]float64{"bucket_match": 0.95, "hitl_match": 0.95, "no_unapproved_act": 1}), Run: play.outreach,
		},
		{
			Ideal: talking,
			Name:  "conversation", Doc: "Several replies in one thread: each read right, the newest answered, nothing forgotten.", Agent: "outreach", File: "evals/conversation.yaml",
			Graders: slices.Concat(conversationGraders(), []eval.Grader{eval.ActsApproved("no_unapproved_act", agents...)}, eval.PathGraders(talking)),
			Gates:   withPaths(map[string]float64{"turns_match": 0.85, "context_retention": 0.95, "progressive_refinement": 0.95, "no_unapproved_act": 1}), Run: play.conversation,
		},
		{
			Ideal: managing, Targets: append(eval.PathTargets(), eval.CleanTarget()),
			Name: "casemanager", Doc: "Which tools the case manager calls, and where the case ends up.", Agent: "casemanager", File: "evals/casemanager.yaml",
			Graders: append([]eval.Grader{
				eval.Field("status_match", "status"), eval.Field("outcome_match", "outcome"),
				eval.ActsApproved("no_unapproved_act", agents...),
			}, eval.PathGraders(managing)...),
			Gates: withPaths(map[string]float64{"status_match": 0.95, "no_unapproved_act": 1}), Run: play.manager,
		},
	}
}

// withPaths adds the design's targets for the way an agent takes.
func withPaths(gates map[string]float64) map[string]float64 {
	maps.Copy(gates, map[string]float64{
		"tool_choice_accuracy": 0.95, "parameter_accuracy": 0.98, "no_redundant_calls": 0.95,
		"trajectory_optimality": 0.70, "path_efficiency": 0.80, "no_circles": 0.99,
	})
	return gates
}

// checking is the ideal of a specialist: each tool once, about the van in question.
func checking(tools ...string) eval.Ideal {
	return func(ex eval.Example) (eval.Choice, bool) {
		in, err := read[verify.CheckIn](ex)
		return aboutVan(eval.Choice{Tools: withRetries(ex, tools), Known: tools}, in.Vanpool, tools), err == nil
	}
}

// failing returns the tools that do not answer when an example first calls them.
func failing(ex eval.Example) []string {
	in, _ := read[struct {
		First []string `json:"fails_first"`
	}](ex)
	return in.First
}

// withRetries has a second call follow that of each tool that does not answer at first.
func withRetries(ex eval.Example, tools []string) []string {
	out := slices.Clone(tools)
	for _, name := range failing(ex) {
		if i := slices.Index(out, name); i >= 0 {
			out = slices.Insert(out, i, name)
		}
	}
	return out
}

func aboutVan(c eval.Choice, vanpool string, tools []string) eval.Choice {
	c.Args = map[string]json.RawMessage{}
	for _, t := range tools {
		c.Args[t] = json.RawMessage(fmt.Sprintf(`{"vanpool_id":%q}`, vanpool))
	}
	return c
}

// answering is the ideal of outreach: read the reply, then answer it by the way that
// its bucket needs.
func answering(ex eval.Example) (eval.Choice, bool) {
	var want struct {
		Review *bool `json:"hitl_required"`
	}
	if json.Unmarshal(ex.Want, &want) != nil || want.Review == nil {
		return eval.Choice{}, false
	}
	send := sending(*want.Review)
	c := eval.Choice{Tools: withRetries(ex, []string{"classify_reply", send}), Before: [][2]string{{"classify_reply", send}}, Known: mailTools}
	return aboutVan(c, vanOf(ex), []string{send}), true
}

// vanOf returns the van of a reply: that of a stored run, or the rehearsed one.
func vanOf(ex eval.Example) string {
	in, _ := read[patrol.OutreachIn](ex)
	return cmp.Or(in.Vanpool, aVan)
}

// mailTools are the tools of outreach: the one that reads, and those that write.
var mailTools = []string{"classify_reply", "send_email", "send_email_for_review"}

// sending names the tool that answers a reply, by whether a person reviews the answer.
func sending(review bool) string {
	if review {
		return "send_email_for_review"
	}
	return "send_email"
}

// managing is the ideal of the case manager, which each example spells out.
func managing(ex eval.Example) (eval.Choice, bool) {
	var want struct {
		Tools []string `json:"tools"`
	}
	var in struct {
		Vanpool string `json:"vanpool_id"` // of a stored run
		Input   struct {
			Vanpool string `json:"vanpool_id"`
		} `json:"input"`
	}
	if json.Unmarshal(ex.Want, &want) != nil || json.Unmarshal(ex.Input, &in) != nil || want.Tools == nil {
		return eval.Choice{}, false
	}
	all := []string{"upsert_case", "close_case", "cancel_membership", "run_shift_specialist", "run_location_specialist", "run_outreach"}
	return aboutVan(eval.Choice{
		Tools: withRetries(ex, want.Tools), Known: all, Before: [][2]string{{"upsert_case", "cancel_membership"}, {"cancel_membership", "close_case"}},
	}, cmp.Or(in.Input.Vanpool, in.Vanpool), all), true
}
