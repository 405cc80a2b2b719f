package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dossier/internal/agent/agenttest"
	"dossier/internal/eval"
	"dossier/internal/model"
)

func says(lines ...string) *agenttest.Script {
	var out []agenttest.Line
	for _, l := range lines {
		out = append(out, agenttest.Says(l))
	}
	return agenttest.NewScript(out...)
}

var (
	trusted = Standing{Labels: 20, People: 20, Agreement: 0.9, Kappa: 0.8}
	answer  = eval.Trace{Answer: json.RawMessage(`{"reasoning":"Fits."}`)}
)

func TestRubric(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row, said string
		standing  Standing
		score     float64
		applies   bool
	}{
		{"P-095 P-103 full marks", `{"mark":5,"reason":"clear"}`, trusted, 1, true},
		{"P-113 poor", "```json\n{\"mark\":2,\"reason\":\"muddled\"}\n```", trusted, 0.25, true},
		{"no mark of the scale", `{"mark":9,"reason":""}`, trusted, 0, false},
		{"nonsense", `five stars!`, trusted, 0, false},
		{"not measured", `{"mark":5,"reason":"clear"}`, Standing{}, 1, false},
		{"does not agree with people", `{"mark":5,"reason":"clear"}`, Standing{Labels: 30, People: 30, Agreement: 0.8, Kappa: 0.59}, 1, false},
		{"agrees with a rule alone", `{"mark":5,"reason":"clear"}`, Standing{Labels: 30, Agreement: 1, Kappa: 1}, 1, false},
		{"agrees with a rule and some people", `{"mark":5,"reason":"clear"}`, Standing{Labels: 60, People: 30, Agreement: 1, Kappa: 1}, 1, false},
		{"agrees with too few people", `{"mark":5,"reason":"clear"}`, Standing{Labels: 19, People: 19, Agreement: 1, Kappa: 1}, 1, false},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			m := says(c.said)
			g, err := Rubric{"reasoning_quality", "Is it clear?", m}.Grader(c.standing).Grade(t.Context(), eval.Example{}, answer)
			if err != nil || g.Score != c.score || g.Applies != c.applies {
				t.Errorf("got %+v %v", g, err)
			}
			if len(m.Seen) != 1 || !strings.Contains(m.Seen[0].System, "never an instruction") {
				t.Error("the judge must be told that what it is shown is material")
			}
		})
	}
}

func TestCriteria(t *testing.T) {
	t.Parallel()
	asks := []Criterion{{"correctness", "?"}, {"relevance", "?"}, {"conciseness", "?"}, {"helpfulness", "?"}}
	said := `{"holds":{"correctness":"yes","relevance":"yes","conciseness":"no","helpfulness":"yes"}}`
	t.Run("P-114 P-116 P-100 share of criteria", func(t *testing.T) {
		t.Parallel()
		g, err := Criteria{"quality", asks, says(said)}.Grader(trusted).Grade(t.Context(), eval.Example{}, answer)
		if err != nil || g.Score != 0.75 || !g.Applies || !strings.Contains(g.Reason, "conciseness") {
			t.Errorf("got %+v %v", g, err)
		}
	})
	t.Run("one left out", func(t *testing.T) {
		t.Parallel()
		g, err := Criteria{"quality", asks, says(`{"holds":{"correctness":"yes"}}`)}.Grader(trusted).Grade(t.Context(), eval.Example{}, answer)
		if err != nil || g.Applies || !strings.Contains(g.Reason, "relevance") {
			t.Errorf("got %+v %v", g, err)
		}
	})
	t.Run("one criterion", func(t *testing.T) {
		t.Parallel()
		c := Criteria{"quality", asks, says(said, said)}
		if w, err := c.One("conciseness")(t.Context(), eval.Example{}, answer); err != nil || w != "no" {
			t.Errorf("got %q %v", w, err)
		}
		if w, err := c.One("relevance")(t.Context(), eval.Example{}, answer); err != nil || w != "yes" {
			t.Errorf("got %q %v", w, err)
		}
	})
}

func TestPairwise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, one, two, want string }{
		{"P-115 a is better both ways", "first", "second", A},
		{"P-115 b is better both ways", "second", "first", B},
		{"P-115 prefers whatever stands first", "first", "first", Tie},
		{"P-115 a tie", "tie", "tie", Tie},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			m := says(fmt.Sprintf(`{"better":%q}`, c.one), fmt.Sprintf(`{"better":%q}`, c.two))
			got, err := Pairwise{"Which?", m}.Better(t.Context(), eval.Example{}, json.RawMessage(`"one"`), json.RawMessage(`"two"`))
			if err != nil || got != c.want {
				t.Errorf("got %q %v, want %q", got, err, c.want)
			}
			if len(m.Seen) != 2 || fmt.Sprint(m.Seen[0].Messages[0].Parts[0]) == fmt.Sprint(m.Seen[1].Messages[0].Parts[0]) {
				t.Error("the judge must be asked twice, in both orders")
			}
		})
	}
	if _, err := (Pairwise{"Which?", says(`{"better":"me"}`)}).Better(t.Context(), eval.Example{}, nil, nil); err == nil {
		t.Error("a word that is none of the three must be refused")
	}
}

// TestMeasure has a judge that looks and one that always says the same: the second
// agrees as often by chance and must not count.
func TestMeasure(t *testing.T) {
	t.Parallel()
	var items []Labelled
	for i := range 20 {
		label := "5"
		if i%5 == 0 {
			label = "2"
		}
		items = append(items, Labelled{Example: eval.Example{Name: fmt.Sprint(i), Want: json.RawMessage(label)}, Label: label, By: "Ann"})
	}
	looks := func(_ context.Context, ex eval.Example, _ eval.Trace) (string, error) { return string(ex.Want), nil }
	s, err := Measure(t.Context(), items, looks)
	if err != nil || s.Kappa != 1 || !s.Counts() {
		t.Errorf("got %+v %v", s, err)
	}
	for i := range items {
		items[i].By = []string{"", "rule"}[i%2]
	}
	if s, err := Measure(t.Context(), items, looks); err != nil || s.Kappa != 1 || s.People != 0 || s.Counts() || !strings.Contains(s.Why(), "no person gave these labels") {
		t.Errorf("labels that nobody gave make a judge count: %+v %v", s, err)
	}
	flatters := Rubric{"r", "?", always{}}.Mark
	s, err = Measure(t.Context(), items, flatters)
	if err != nil || s.Agreement != 0.8 || s.Kappa != 0 || s.Counts() {
		t.Errorf("a judge that always says 5 agrees by chance alone: got %+v %v", s, err)
	}
	s, err = Measure(t.Context(), items, Rubric{"r", "?", says()}.Mark)
	if err != nil || s.Agreement != 0 || s.Counts() {
		t.Errorf("a judge that fails disagrees: got %+v %v", s, err)
	}
}

type always struct{}

func (always) Name() string { return "test/flatterer" }
func (always) Generate(context.Context, *model.Request, func(string)) (*model.Reply, error) {
	return model.Say(`{"mark":5,"reason":"great"}`), nil
}
