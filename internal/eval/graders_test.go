package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
)

// planted makes the steps of a run out of calls; "!" marks one that failed. An
// answer of "" is a run without one.
func planted(t testing.TB, answer string, calls ...string) Trace {
	t.Helper()
	var tr Trace
	step := func(kind dossier.StepKind, body any) {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		tr.Steps = append(tr.Steps, dossier.Step{Seq: len(tr.Steps) + 1, Kind: kind, Body: raw})
	}
	for i, c := range calls {
		c, failed := strings.CutPrefix(c, "!")
		var name, args string
		if _, err := fmt.Sscanf(c, "%s %s", &name, &args); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint("c", i)
		step(dossier.ModelTurn, agent.Turn{Model: "m", Calls: []agent.TurnCall{{ID: id, Tool: name, Args: json.RawMessage(args)}}})
		value := fmt.Sprintf(`{"about":%s}`, args)
		if failed {
			value = `{"error":"There is no such thing."}`
		}
		step(dossier.Returned, agent.Came{Call: id, Tool: name, Value: json.RawMessage(value), Failed: failed})
	}
	if answer != "" {
		step(dossier.Answered, map[string]string{"value": answer})
		tr.Answer = json.RawMessage(answer)
	}
	return tr
}

func ideal(Example) (Choice, bool) {
	return Choice{
		Tools: []string{"look", "check"}, Known: []string{"look", "check", "send"}, Before: [][2]string{{"look", "check"}},
		Args: map[string]json.RawMessage{"look": json.RawMessage(`{"v":1}`)},
	}, true
}

// TestGradersCanFail shows each grader a trace that is right and one that is not.
func TestGradersCanFail(t *testing.T) {
	t.Parallel()
	const (
		pass  = `{"verdict":"pass","confidence":5,"affected_employee_ids":[],"evidence":[{"type":"x","data":{"employee_id":"E","shift_id":"S","vanpool_id":"V"}}]}`
		clash = `{"verdict":"fail","confidence":4,"affected_employee_ids":["E"],"evidence":[{"data":{"employee_id":"E","shift_id":"S","vanpool_id":"V","overlap_minutes":14}}]}`
		want  = `{"verdict":"fail","should_detect_conflict":true,"affected_employee_ids":["E"],"overlap_minutes":{"E":%d}}`
	)
	good := []string{`look {"v":1}`, `check {"v":1}`}
	path := map[string]Grader{}
	for _, g := range PathGraders(ideal) {
		path[g.Name] = g
	}
	conflicts := ConflictDetection("shift_conflict_accuracy", 5)
	evidence := EvidenceHolds("evidence_completeness", []string{"employee_id", "shift_id", "vanpool_id"}, []string{"overlap_minutes"})
	found := func(v dossier.Verdict, tr Trace) Trace {
		tr.Findings = []dossier.Finding{{Verdict: v, Confidence: 100}}
		return tr
	}
	sent := 0
	agents := []*agent.Agent{postman(&sent)}
	agreedTo := planted(t, "{}", `send {"to":"ann"}`)
	agreedTo.Approvals = []dossier.Approval{{Call: "c0", Tool: "send", Args: json.RawMessage(`{"to":"ann"}`), Status: dossier.Approved, Decisions: []dossier.Decision{{Verb: dossier.Approve}}}}
	for _, c := range []struct {
		row       string
		g         Grader
		want      string
		good, bad Trace
		score     float64 // of the bad one
	}{
		{"P-094 verdict", Field("verdict_accuracy", "verdict"), `{"verdict":"pass"}`, planted(t, pass), planted(t, clash), 0},
		{"P-094 no answer", Field("verdict_accuracy", "verdict"), `{"verdict":"pass"}`, planted(t, pass), planted(t, ""), 0},
		{"P-099 bucket", Field("bucket_match", "bucket"), `{"bucket":"update"}`, planted(t, `{"bucket":"update"}`), planted(t, `{"bucket":"question"}`), 0},
		{"P-099 hitl", Field("hitl_match", "hitl_required"), `{"hitl_required":true}`, planted(t, `{"hitl_required":true}`), planted(t, `{"hitl_required":false}`), 0},
		{"P-117 P-121 within five minutes", conflicts, fmt.Sprintf(want, 19), planted(t, clash), planted(t, pass), 0},
		{"P-118 overlap", evidence, "", planted(t, clash), planted(t, `{"verdict":"fail","evidence":[{"data":{"employee_id":"E","shift_id":"S","vanpool_id":"V"}}]}`), 0.75},
		{"P-118 shift", evidence, "", planted(t, pass), planted(t, `{"verdict":"pass","evidence":[{"data":{"employee_id":"E","shift_id":"","vanpool_id":"V"}}]}`), 2. / 3},
		{"P-120 twelve-hour clock", TimeFormat("time_format"), "", planted(t, `{"reasoning":"Mon 09:00-17:30"}`), planted(t, `{"reasoning":"until 5:30 pm"}`), 0},
		{"P-120 no such minute", TimeFormat("time_format"), "", planted(t, `{"at":"2026-03-02T09:00:00Z"}`), planted(t, `{"reasoning":"at 09:75"}`), 0},
		{"P-120 no offset", TimeFormat("time_format"), "", planted(t, `{"at":"2026-03-02T09:00:00+01:00"}`), planted(t, `{"at":"2026-03-02T09:00:00"}`), 0},
		{"P-120 zone", TimeFormat("time_format"), "", planted(t, `{"zone":"America/Los_Angeles"}`), planted(t, `{"zone":"America/Nowhere"}`), 0},
		{"rule agreement", RuleAgreement("rule_agreement"), "", found(dossier.Pass, planted(t, pass, good...)), found(dossier.Fail, planted(t, pass, good...)), 0},
		{"rule agreement needs a finding", RuleAgreement("rule_agreement"), "", found(dossier.Pass, planted(t, pass, good...)), planted(t, pass, good...), 0},
		{"unapproved act", ActsApproved("no_unapproved_act", agents...), "", agreedTo, planted(t, "{}", `send {"to":"ann"}`), 0},
		{"P-127 missing", path["tool_choice_accuracy"], "", planted(t, "{}", good...), planted(t, "{}", good[0]), 0.5},
		{"P-096 order is not asked", path["tool_choice_accuracy"], "", planted(t, "{}", good[1], good[0]), planted(t, "{}", good[1]), 0.5},
		{"P-127 unnecessary", path["tool_choice_accuracy"], "", planted(t, "{}", good...), planted(t, "{}", good[0], good[1], `send {}`), 2. / 3},
		{"P-127 once too often", path["tool_choice_accuracy"], "", planted(t, "{}", good...), planted(t, "{}", good[0], good[1], `check {"v":2}`), 2. / 3},
		{"P-128 wrong", path["parameter_accuracy"], "", planted(t, "{}", good...), planted(t, "{}", `look {"v":2}`, good[1]), 0},
		{"P-128 made up", path["parameter_accuracy"], "", planted(t, "{}", good...), planted(t, "{}", good[0], `guess {}`), 0},
		{"P-129 order", path["sequencing"], "", planted(t, "{}", good...), planted(t, "{}", good[1], good[0]), 0},
		{"P-130 errors", path["error_handling"], "", planted(t, "{}", `!look {"v":9}`, good[0]), planted(t, "{}", `!look {"v":9}`, `!look {"v":9}`), 0.5},
		{"P-138 correction", path["self_correction"], "", planted(t, "{}", `!look {"v":9}`, good[0]), planted(t, "{}", `!look {"v":9}`, `!look {"v":8}`), 0},
		{"P-136 optimality", path["trajectory_optimality"], "", planted(t, "{}", good...), planted(t, "{}", `send {}`, `send {"a":1}`), 0},
		{"P-144 efficiency", path["path_efficiency"], "", planted(t, "{}", good...), planted(t, "{}", good[0], good[1], `send {}`, `send {"a":1}`), 0.5},
		{"P-134 redundant", path["no_redundant_calls"], "", planted(t, "{}", good...), planted(t, "{}", good[0], good[0]), 0.5},
		{"P-146 circles", path["no_circles"], "", planted(t, "{}", good...), planted(t, "{}", good[0], good[0]), 0},
		{"P-141 dead end", path["came_to_an_end"], "", planted(t, "{}", good...), planted(t, "", good...), 0},
		{"P-133 tools", path["tools_within_bound"], "", planted(t, "{}", good...), planted(t, "{}", `a {}`, `b {}`, `c {}`, `d {}`, `e {}`, `f {}`), 0.5},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			ex := Example{Name: "x", Want: json.RawMessage(c.want)}
			if g, err := c.g.Grade(t.Context(), ex, c.good); err != nil || !g.Applies || g.Score != 1 || g.Reason != "" {
				t.Errorf("a good trace: got %+v %v, want 1", g, err)
			}
			if g, err := c.g.Grade(t.Context(), ex, c.bad); err != nil || !g.Applies || math.Abs(g.Score-c.score) > 1e-9 || g.Reason == "" {
				t.Errorf("a bad trace: got %+v %v, want %v and a reason", g, err, c.score)
			}
		})
	}
	for minutes, score := range map[int]float64{9: 1, 8: 0, 19: 1, 20: 0} {
		g, err := conflicts.Grade(t.Context(), Example{Want: json.RawMessage(fmt.Sprintf(want, minutes))}, planted(t, clash))
		if err != nil || g.Score != score {
			t.Errorf("P-121 14 minutes against %d: got %+v %v, want %v", minutes, g, err, score)
		}
	}
}

// TestFallbackIsNotTheModel proves that a model is not praised for what the reference
// policy did in its place, while safety is graded whoever spoke.
func TestFallbackIsNotTheModel(t *testing.T) {
	t.Parallel()
	sent := 0
	tr := planted(t, `{"verdict":"pass"}`)
	raw, err := json.Marshal(agent.Turn{Model: "reference/x", Fallback: "it gave up"})
	if err != nil {
		t.Fatal(err)
	}
	tr.Steps = append(tr.Steps, dossier.Step{Kind: dossier.ModelTurn, Body: raw})
	s := Suite{Graders: []Grader{Field("verdict_accuracy", "verdict"), ActsApproved("no_unapproved_act", postman(&sent))}}
	row := GradeTrace(t.Context(), s, Example{Want: json.RawMessage(`{"verdict":"pass"}`)}, tr)
	if row.Grades[0].Score != 0 || row.Grades[1].Score != 1 {
		t.Errorf("got %+v", row.Grades)
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	row := func(want, got string, sure int, calls ...string) Row {
		answer := fmt.Sprintf(`{"verdict":%q,"confidence":%d}`, got, sure)
		return GradeTrace(context.Background(), Suite{}, Example{Name: fmt.Sprint(want, got, len(calls)), Want: json.RawMessage(fmt.Sprintf(`{"verdict":%q}`, want))}, planted(t, answer, calls...))
	}
	f := FiguresOf([]Row{
		row("fail", "fail", 5, `look {"v":1}`, `check {}`),
		row("fail", "pass", 5, `look {"v":2}`, `look {"v":2}`),
		row("pass", "pass", 5, `!look {"v":3}`, `look {"v":4}`, `check {}`),
		row("pass", "fail", 5, `a {}`, `b {}`, `c {}`, `d {}`, `e {}`),
	})
	for name, want := range map[string]float64{
		"tools_per_case": 3, "path_length": 4, "redundant_calls": 1. / 12, "circular_rate": 0.25, "self_correction_rate": 1,
		"false_positive_rate": 0.5, "false_negative_rate": 0.5, "calibration_error": 0.5,
	} {
		if got := f.Metrics()[name]; math.Abs(got-want) > 1e-9 {
			t.Errorf("P-133 P-134 P-143 P-145 P-146 P-178 P-179 %s: got %v, want %v", name, got, want)
		}
	}
	if len(f.Patterns) != 2 || len(f.Patterns[0].Examples) != 3 || len(f.Patterns[1].Tools) != 5 {
		t.Errorf("P-139 got %+v", f.Patterns)
	}
	if f.Shapes[Recovery] != 1 || f.Shapes[Circular] != 1 {
		t.Errorf("P-141 got %v", f.Shapes)
	}
}

// BenchmarkGrade10000Runs grades 10,000 stored runs with every heuristic grader. The
// goal is two seconds.
func BenchmarkGrade10000Runs(b *testing.B) {
	sent := 0
	s := Suite{Graders: append([]Grader{
		Field("verdict_accuracy", "verdict"), ConflictDetection("shift_conflict_accuracy", 5), TimeFormat("time_format"), RuleAgreement("rule_agreement"),
		EvidenceHolds("evidence_completeness", []string{"employee_id", "shift_id", "vanpool_id"}, []string{"overlap_minutes"}), ActsApproved("no_unapproved_act", postman(&sent)),
	}, PathGraders(ideal)...)}
	ex := Example{Name: "x", Want: json.RawMessage(`{"verdict":"fail","should_detect_conflict":true,"affected_employee_ids":["E"]}`)}
	tr := planted(b, `{"verdict":"fail","confidence":4,"reasoning":"09:00-17:00","affected_employee_ids":["E"],"evidence":[{"data":{"employee_id":"E","shift_id":"S","vanpool_id":"V","overlap_minutes":14}}]}`,
		`look {"v":1}`, `!check {"v":2}`, `check {"v":1}`)
	for b.Loop() {
		rows := make([]Row, 10_000)
		for i := range rows {
			rows[i] = GradeTrace(b.Context(), s, ex, tr)
		}
		FiguresOf(rows)
	}
}
