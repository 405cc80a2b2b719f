package judge

import (
	"context"
	"strings"
	"testing"

	"dossier/internal/model"
)

// A judgeModel answers a judge's question with a function of what it is shown.
type judgeModel func(text string) string

func (judgeModel) Name() string { return "test/judge" }

func (j judgeModel) Generate(_ context.Context, req *model.Request, _ func(string)) (*model.Reply, error) {
	return model.Say(j(string(req.Messages[0].Parts[0].(model.Text)))), nil
}

// poor finds the faults that the rule of the labels knows.
func poor(answer string) bool {
	return strings.Contains(answer, "fits well") || strings.Contains(answer, "ashamed") || strings.Contains(answer, `"reasoning": ""`) ||
		strings.Contains(answer, `"reasoning":""`) || strings.Contains(answer, "clashes.") || !strings.Contains(answer, "half are needed")
}

func halves(text string) (first, second string) {
	_, answers, _ := strings.Cut(text, "\nAnswer:\n")
	first, second, _ = strings.Cut(answers, "\nSecond answer:\n")
	return first, second
}

// fair prefers the answer without a fault; keen always prefers the first.
func fair(text string) string {
	a, b := halves(text)
	switch {
	case poor(a) == poor(b):
		return `{"better":"tie"}`
	case poor(a):
		return `{"better":"second"}`
	}
	return `{"better":"first"}`
}

func keen(string) string { return `{"better":"first"}` }

// signedBy gives every label to a person.
func signedBy(l Labels, who string) (out Labels) {
	for _, p := range l.Pairs {
		p.By = who
		out.Pairs = append(out.Pairs, p)
	}
	for _, m := range l.Marks {
		m.By = who
		out.Marks = append(out.Marks, m)
	}
	return out
}

func TestJudgesAreMeasuredByPairs(t *testing.T) {
	t.Parallel()
	labels, err := ByRule()
	if err != nil || len(labels.Pairs) < 30 || len(labels.Marks) < 30 {
		t.Fatalf("%d pairs, %d marks, %v", len(labels.Pairs), len(labels.Marks), err)
	}
	people, rule := labels.Split()
	if len(people.Pairs)+len(people.Marks) > 0 || len(rule.Pairs) != len(labels.Pairs) || len(rule.Marks) != len(labels.Marks) {
		t.Errorf("the labels that come with the product are nobody's: %d and %d", len(people.Pairs), len(people.Marks))
	}
	s, err := Pairwise{Model: judgeModel(fair)}.MeasurePairs(t.Context(), labels.Pairs)
	if err != nil || s.Counts() || s.Kappa != 1 || s.Labels != len(labels.Pairs) || s.People != 0 {
		t.Errorf("P-115 a fair judge, by a rule alone: %+v, %v", s, err)
	}
	signed := signedBy(labels, "Ann")
	if s, err = (Pairwise{Model: judgeModel(fair)}).MeasurePairs(t.Context(), signed.Pairs); err != nil || !s.Counts() || s.Kappa != 1 || s.People != len(labels.Pairs) {
		t.Errorf("P-115 a fair judge, by people: %+v, %v", s, err)
	}
	labels = signed
	s, err = Pairwise{Model: judgeModel(keen)}.MeasurePairs(t.Context(), labels.Pairs)
	if err != nil || s.Counts() || s.Kappa > 0.1 {
		t.Errorf("P-115 a judge that prefers the first: %+v, %v", s, err)
	}
	s, err = Pairwise{Model: judgeModel(func(string) string { return "well" })}.MeasurePairs(t.Context(), labels.Pairs)
	if err != nil || s.Counts() || s.Agreement != 0 {
		t.Errorf("P-115 a judge that says nothing: %+v, %v", s, err)
	}
}

func TestRubricsAreMeasuredByMarks(t *testing.T) {
	t.Parallel()
	labels, err := ByRule()
	if err != nil {
		t.Fatal(err)
	}
	labels = signedBy(labels, "Ann")
	strict := judgeModel(func(text string) string {
		if a, _ := halves(text); poor(a) || strings.Contains(a, "share 11 of") || strings.Contains(a, "share 15 of") || strings.Contains(a, "share 19 of") {
			return `{"mark":2,"reason":"poor"}`
		}
		return `{"mark":5,"reason":"good"}`
	})
	if s, err := (Rubric{Model: strict}).MeasureMarks(t.Context(), labels.Marks); err != nil || !s.Counts() {
		t.Errorf("P-095 P-103 a strict rubric: %+v, %v", s, err)
	}
	kind := judgeModel(func(string) string { return `{"mark":5,"reason":"fine"}` })
	if s, err := (Rubric{Model: kind}).MeasureMarks(t.Context(), labels.Marks); err != nil || s.Counts() || s.Kappa != 0 {
		t.Errorf("P-095 P-103 one that likes everything: %+v, %v", s, err)
	}
	// Four is good and three is not.
	for mark, want := range map[string]float64{"4": 1, "3": 0} {
		m := judgeModel(func(string) string { return `{"mark":` + mark + `,"reason":"x"}` })
		s, err := Rubric{Model: m}.MeasureMarks(t.Context(), []Marked{{Answer: []byte(`{}`), Label: Good}})
		if err != nil || s.Agreement != want {
			t.Errorf("a mark of %s: %+v, %v", mark, s, err)
		}
	}
}

func TestLabelsOfAnotherForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pairs: [{name: x, better: c, a: {}, b: {}}]": "a, b or tie",
		"pairs: [{name: x, better: a, a: {}}]":        "two answers",
		"marks: [{name: x, label: 5, answer: {}}]":    "do not hold",
		"marks: [{name: x, label: fine, answer: {}}]": "good or poor",
		"marks: [{name: x, mark: 5}]":                 "do not hold",
		"]":                                           "YAML",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
