package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/eval"
	"dossier/internal/eval/judge"
	"dossier/internal/model"
	"dossier/internal/records"
)

// A served model is a twin at an address of its own.
type served struct {
	twin
	at string
}

func (s served) Server() string { return s.at }

// TestGateIsOfOneServer measures a model at one address and asks it at another: the same
// name may be another model there, so the reference policy stays in place.
func TestGateIsOfOneServer(t *testing.T) {
	t.Parallel()
	l, p, _, err := withConfig(t, fast+"[apps.poolpatrol]\ngate = \"shift>=0.95\"\n")
	if err != nil {
		t.Fatal(err)
	}
	shift, ok := p.agent("poolpatrol", "shift")
	if !ok {
		t.Fatal("there is no agent to play")
	}
	here := served{twin{shift.Policy}, "server:here"}
	if _, _, err := l.playTagged(t.Context(), p, "poolpatrol/shift", "eval-", eval.Options{Player: eval.Player{Alias: "fast", Model: here}}, false); err != nil {
		t.Fatal(err)
	}
	for at, plays := range map[string]bool{"server:here": true, "server:there": false, "": false} {
		p.models.byAlias["fast"] = served{twin{shift.Policy}, at}
		if got := p.runner.Model("poolpatrol", shift); (got != nil) != plays {
			t.Errorf("asked at %q: plays %v, want %v", at, got != nil, plays)
		}
		if st := gateOf(t, p); st.Holds != plays || strings.Contains(st.Note, "another server") == plays {
			t.Errorf("asked at %q: the console is told %+v", at, st)
		}
	}
}

// TestResumeTakesNoOther lets a run that was cut off in its second round alone if one round
// is asked for, and one with other tags.
func TestResumeTakesNoOther(t *testing.T) {
	t.Parallel()
	l, p := opened(t)
	cut := func(tag string, repeat int) string {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		played := 0
		p.models.byAlias["slow"] = stopper(func() {
			if played++; played > 100 && repeat > 1 || repeat == 1 && played == 8 {
				stop()
			}
		})
		player, err := p.models.player("slow")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := l.playTagged(ctx, p, "poolpatrol/location", tag, eval.Options{Player: player, Repeat: repeat}, false); !interrupted(err) {
			t.Fatalf("got %v", err)
		}
		all, err := p.store.Results(t.Context(), []string{"poolpatrol"}, "location", 1)
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v %v", all, err)
		}
		return all[0].ID
	}
	twice, tagged := cut("eval-", 9), cut("ab_test-", 1)
	if _, rows, err := p.store.Result(t.Context(), twice); err != nil || rows[len(rows)-1].Repeat == 0 {
		t.Fatalf("it was cut off in its first round: %v", err)
	}
	player, err := p.models.player("slow")
	if err != nil {
		t.Fatal(err)
	}
	p.models.byAlias["slow"] = stopper(func() {})
	player.Model = stopper(func() {})
	_, id, err := l.playTagged(t.Context(), p, "poolpatrol/location", "eval-", eval.Options{Player: player}, true)
	if err != nil || id == twice || id == tagged {
		t.Fatalf("it went on with %s (%s was cut off in a further round, %s is of an experiment): %v", id, twice, tagged, err)
	}
	if rec, rows, err := p.store.Result(t.Context(), id); err != nil || rec.Examples != len(rows) || len(rec.Tags) != 0 {
		t.Errorf("got %d examples, %d rows, tags %v, %v", rec.Examples, len(rows), rec.Tags, err)
	}
	if _, again, err := l.playTagged(t.Context(), p, "poolpatrol/location", "ab_test-", eval.Options{Player: player}, true); err != nil || again != tagged {
		t.Errorf("the experiment did not go on: %s, %v", again, err)
	}
}

func TestLabelsOfOtherThingsAreNoWants(t *testing.T) {
	t.Parallel()
	items := []records.LabelItem{
		{Run: "run-1", Suite: "shift", Got: json.RawMessage(`{"verdict":"pass"}`), Label: &records.Label{Good: true}},
		{Run: "run-2", Got: json.RawMessage(`{"verb":"approve"}`), Label: &records.Label{Good: true}},
		{Run: "run-3", Suite: "outreach", Got: json.RawMessage(`{}`), Label: &records.Label{Good: true}},
	}
	if got := rightOf(items, "shift"); len(got) != 1 || string(got["run-1"]) != `{"verdict":"pass"}` {
		t.Errorf("got %s", got)
	}
}

// TestRightAnswersHaveTheForm labels an item with answers that a suite can and cannot be
// graded with.
func TestRightAnswersHaveTheForm(t *testing.T) {
	t.Parallel()
	_, p := opened(t)
	for right, taken := range map[string]bool{
		`{"verdict":"pass"}`: true, `{"verdict":"pass","more":1}`: true, ``: true, `null`: true,
		`{`: false, `"pass"`: false, `{"verdikt":"pass"}`: false, `[]`: false,
	} {
		item := records.LabelItem{ID: "item-" + right, App: "poolpatrol", Suite: "shift", Why: "x", Input: json.RawMessage(`{}`), Got: json.RawMessage(`{"verdict":"fail"}`), Queued: p.now()}
		if err := p.store.AskLabel(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		got, err := p.label(t.Context(), item.ID, records.Label{Right: json.RawMessage(right), At: p.now()})
		if (err == nil) != taken || err != nil && dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("%q: got %v, taken %v", right, err, taken)
		}
		if err == nil && (len(got.Right()) > 0) != strings.HasPrefix(right, "{") {
			t.Errorf("%q became the answer %s", right, got.Right())
		}
	}
}

// TestLessonsKeepWhatTheAppMay takes in a lesson of an app that may keep no identifier.
func TestLessonsKeepWhatTheAppMay(t *testing.T) {
	t.Parallel()
	_, p := opened(t)
	const mail = "asha.devi@example.org"
	for i, a := range p.apps {
		doc := json.RawMessage(`{"text":"Write to ` + mail + `."}`)
		p.apps[i].Kit.Lessons = nil
		if a.ID == "netra" {
			p.apps[i].Kit.Lessons = func(context.Context) ([]eval.Lesson, error) {
				return []eval.Lesson{{ID: "one", Suite: "classification", Why: "An officer noted: " + mail, Input: doc, Got: doc, Want: doc}}, nil
			}
		}
	}
	if err := p.collectLabels(t.Context()); err != nil {
		t.Fatal(err)
	}
	item, err := p.store.LabelItem(t.Context(), "label-one")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(item)
	if err != nil || strings.Contains(string(raw), mail) || !strings.Contains(item.Why, "An officer noted: ") || !strings.Contains(string(item.Want), "Write to ") {
		t.Errorf("got %s %v", raw, err)
	}
}

// TestMarksDropNoRow has a run marked in which one answer is missing and one cannot be
// marked: the first counts as the lowest mark, and it is said over how many the mean is.
func TestMarksDropNoRow(t *testing.T) {
	t.Parallel()
	_, p := opened(t)
	run := records.EvalResult{ID: "eval-x", App: "poolpatrol", Suite: "shift", Player: "m", Started: p.now(), Ended: p.now()}
	rows := []records.EvalRow{{Example: "a", Got: json.RawMessage(`{"reasoning":"Clear."}`)}, {Example: "b"}, {Example: "c", Got: json.RawMessage(`{"reasoning":"odd"}`)}}
	if err := p.store.SaveResult(t.Context(), run, rows); err != nil {
		t.Fatal(err)
	}
	var labels judge.Labels
	for i := range 20 {
		answer, word := `{"reasoning":"Clear."}`, judge.Good
		if i%2 == 0 {
			answer, word = `{"reasoning":"poor"}`, judge.Poor
		}
		labels.Marks = append(labels.Marks, judge.Marked{Answer: json.RawMessage(answer), Label: word, By: "Ann"})
	}
	var out judged
	if err := p.markRun(t.Context(), &out, judge.Rubric{Name: "x", Model: marker{}}, labels, "eval-x", 10); err != nil {
		t.Fatal(err)
	}
	if !out.Counts || out.Mean == nil || *out.Mean != 3 || out.Marked != 2 || out.Of != 3 || out.Rows[1].Says != "1" || out.Rows[2].Says != "none" {
		t.Errorf("P-103 got %+v", out)
	}
}

// A marker is a judge that gives 5 to what is clear, 1 to what is poor and otherwise says
// nothing that can be read.
type marker struct{}

func (marker) Name() string { return "test/marker" }

func (marker) Generate(_ context.Context, req *model.Request, _ func(string)) (*model.Reply, error) {
	text := string(req.Messages[0].Parts[0].(model.Text))
	switch {
	case strings.Contains(text, "Clear."):
		return model.Say(`{"mark":5,"reason":"x"}`), nil
	case strings.Contains(text, "poor"):
		return model.Say(`{"mark":1,"reason":"x"}`), nil
	}
	return model.Say("Well."), nil
}

// TestCountsBelowOne refuses numbers with which nothing would be measured.
func TestCountsBelowOne(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run", "poolpatrol/shift", "--retries", "-1"}, {"run", "poolpatrol/shift", "--repeat", "0"}, {"run", "poolpatrol/shift", "--limit", "-1", "--from-runs"},
		{"judge", "eval-x", "--judge", "m", "--limit", "-1"}, {"ab", "poolpatrol/shift", "--model", "reference", "--model", "reference", "--repeat", "-2"},
	} {
		l, _ := opened(t)
		cmd := l.eval()
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		var usage usageError
		if err := cmd.ExecuteContext(t.Context()); !errors.As(err, &usage) || !strings.Contains(err.Error(), "cannot be ") {
			t.Errorf("%v: got %v", args, err)
		}
	}
}
