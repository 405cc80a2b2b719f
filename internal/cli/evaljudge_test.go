package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dossier/internal/eval"
	"dossier/internal/model"
)

// A judging model prefers the longer answer or, if keen, whatever stands first.
type judging struct{ keen bool }

func (judging) Name() string { return "test/judge" }

func (j judging) Generate(_ context.Context, req *model.Request, _ func(string)) (*model.Reply, error) {
	_, answers, _ := strings.Cut(string(req.Messages[0].Parts[0].(model.Text)), "\nAnswer:\n")
	first, second, pair := strings.Cut(answers, "\nSecond answer:\n")
	poor := func(s string) bool {
		return !strings.Contains(s, "half are needed") && strings.Contains(s, "EMP-") && !strings.Contains(s, "evidence")
	}
	switch {
	case !pair && poor(first):
		return model.Say(`{"mark":2,"reason":"x"}`), nil
	case !pair:
		return model.Say(`{"mark":5,"reason":"x"}`), nil
	case j.keen:
		return model.Say(`{"better":"first"}`), nil
	case poor(first) == poor(second):
		return model.Say(`{"better":"tie"}`), nil
	case poor(first):
		return model.Say(`{"better":"second"}`), nil
	}
	return model.Say(`{"better":"first"}`), nil
}

// TestEvalJudge lets two judges look at stored runs: the one that agrees with the
// labels counts, the one that prefers the first answer does not.
func TestEvalJudge(t *testing.T) {
	t.Parallel()
	l, p, out, err := withConfig(t, "")
	if err != nil {
		t.Fatal(err)
	}
	p.models.byAlias["fair"], p.models.byAlias["keen"] = judging{}, judging{keen: true}
	var ids []string
	for range 2 {
		_, id, err := l.playTagged(t.Context(), p, "poolpatrol/location", "eval-", eval.Options{}, false)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	l.json = true
	run := func(args ...string) (j judged) {
		t.Helper()
		out.Reset()
		cmd := l.evalJudge()
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	if j := run(ids[0], ids[1], "--judge", "fair"); !j.Counts || j.Standing.Kappa < 0.6 || j.Better["tie"] != 25 || len(j.Rows) != 25 || j.Suite != "poolpatrol/location" {
		t.Errorf("P-115 a fair judge of two runs: %+v", j)
	}
	if j := run(ids[0], ids[1], "--judge", "keen"); j.Counts || j.Better != nil || len(j.Rows) != 25 || j.Rows[0].Says != "tie" {
		t.Errorf("P-115 a judge that prefers the first: %+v", j)
	}
	if j := run(ids[0], "--judge", "fair", "--limit", "5"); !j.Counts || j.Mean == nil || *j.Mean != 5 || len(j.Rows) != 5 || j.Labels != "a rule; nobody gave them" {
		t.Errorf("P-095 P-103 marks: %+v", j)
	}
	l.json = false
	out.Reset()
	cmd := l.evalJudge()
	cmd.SetArgs([]string{ids[0], ids[1], "--judge", "keen"})
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "NOT COUNTED: a judge counts from a kappa of 0.60 on.") {
		t.Errorf("%v\n%s", err, out)
	}
	cmd = l.evalJudge()
	cmd.SetArgs([]string{ids[0]})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--judge ALIAS") {
		t.Errorf("got %v", err)
	}
}
