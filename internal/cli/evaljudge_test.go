package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/eval/judge"
	"dossier/internal/model"
	"dossier/internal/records"
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

// signed writes the labels that come with the product to a file, as a person's.
func signed(t *testing.T) string {
	t.Helper()
	l, err := judge.ByRule()
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Pairs {
		l.Pairs[i].By = "Ann"
	}
	for i := range l.Marks {
		l.Marks[i].By = "Ann"
	}
	raw, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "people.yaml")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestEvalJudge lets two judges look at stored runs. By the labels that follow from a
// rule none counts; by people's the one that agrees does, and the one that prefers the
// first answer does not.
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
	people := signed(t)
	if j := run(ids[0], ids[1], "--judge", "fair", "--labels", people); !j.Counts || j.Standing.Kappa < 0.6 || j.Standing.People != 36 || j.ByRule.Labels != 36 || j.Better["tie"] != 25 || len(j.Rows) != 25 || j.Suite != "poolpatrol/location" {
		t.Errorf("P-115 a fair judge of two runs: %+v", j)
	}
	if j := run(ids[0], ids[1], "--judge", "keen", "--labels", people); j.Counts || j.Better != nil || len(j.Rows) != 25 || j.Rows[0].Says != "tie" {
		t.Errorf("P-115 a judge that prefers the first: %+v", j)
	}
	if j := run(ids[0], "--judge", "fair", "--labels", people, "--limit", "5"); !j.Counts || j.Mean == nil || *j.Mean != 5 || len(j.Rows) != 5 {
		t.Errorf("P-095 P-103 marks: %+v", j)
	}
	if j := run(ids[0], ids[1], "--judge", "fair"); j.Counts || j.Better != nil || j.Standing.Labels != 0 || j.ByRule.Kappa < 0.6 || len(j.Rows) != 25 {
		t.Errorf("P-115 a pairwise judge that no person measured: %+v", j)
	}
	if j := run(ids[0], "--judge", "fair", "--limit", "5"); j.Counts || j.Mean != nil || j.Standing.Labels != 0 || j.ByRule.Labels != 36 || len(j.Rows) != 5 {
		t.Errorf("P-103 marks of a judge that no person measured: %+v", j)
	}
	l.json = false
	for word, args := range map[string][]string{
		"NOT COUNTED: no person gave these labels; 20 by people are needed.":     {ids[0], ids[1], "--judge", "fair"},
		"NOT COUNTED: kappa with people is 0.00 over 36 labels; 0.60 is needed.": {ids[0], ids[1], "--judge", "keen", "--labels", people},
		"agrees with 36 labels that follow from a rule and make nothing count":   {ids[0], ids[1], "--judge", "fair", "--labels", people},
	} {
		out.Reset()
		cmd := l.evalJudge()
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), word) {
			t.Errorf("%v: %q is not in\n%s", err, word, out)
		}
	}
	cmd := l.evalJudge()
	cmd.SetArgs([]string{ids[0]})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--judge ALIAS") {
		t.Errorf("got %v", err)
	}
}

// TestQueueLabelsMeasureJudges has people label enough of the review queue: from then on
// the judge that agrees with them counts. What the product itself says is no label.
func TestQueueLabelsMeasureJudges(t *testing.T) {
	t.Parallel()
	l, p, out, err := withConfig(t, "")
	if err != nil {
		t.Fatal(err)
	}
	p.models.byAlias["fair"] = judging{}
	_, id, err := l.playTagged(t.Context(), p, "poolpatrol/location", "eval-", eval.Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	l.json = true
	standing := func() (j judged) {
		t.Helper()
		out.Reset()
		cmd := l.evalJudge()
		cmd.SetArgs([]string{id, "--judge", "fair", "--limit", "1"})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	ann := dossier.Principal{ID: "ann", Name: "Ann"}
	label := func(n int, suite string, by dossier.Principal) {
		t.Helper()
		item := records.LabelItem{
			ID: fmt.Sprint(suite, by.ID, n), App: "poolpatrol", Suite: suite, Why: "x", Queued: p.now(), Input: json.RawMessage(`{}`),
			Got: json.RawMessage([]string{`{"reasoning":"half are needed"}`, `{"reasoning":"EMP-1 clashes."}`}[n%2]),
		}
		if err := p.store.AskLabel(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		if _, err := p.label(t.Context(), item.ID, records.Label{Good: n%2 == 0, By: by, At: p.now()}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range judge.LeastLabels - 1 {
		label(n, "location", ann)
		label(n, "shift", ann)
		label(n, "location", dossier.SystemPrincipal)
	}
	if j := standing(); j.Counts || j.Standing.People != judge.LeastLabels-1 || j.Why != "people gave 19 labels; 20 are needed" {
		t.Errorf("one label short: %+v", j)
	}
	label(judge.LeastLabels-1, "location", ann)
	if j := standing(); !j.Counts || j.Standing.People != judge.LeastLabels || j.Standing.Kappa != 1 || j.Mean == nil {
		t.Errorf("enough labels: %+v", j)
	}
}
