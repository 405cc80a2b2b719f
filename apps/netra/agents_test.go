package netra

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"
	"dossier/internal/model"
)

func TestExplainer(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take("Bandh called on NH-37")
	ctx := t.Context()
	c, _, err := p.Env.Desk.Open(ctx, app.Opening{Subject: "chat/1", Title: "Chat", State: dossier.Open, By: anOfficer})
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.Env.Desk.Start(ctx, app.Start{Case: c.ID, Agent: explainerName, For: anOfficer, Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string) string {
		t.Helper()
		if err := p.Env.Desk.Say(ctx, run.ID, anOfficer, text, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Env.Desk.Drive(ctx, run.ID); err != nil {
			t.Fatal(err)
		}
		_, steps, err := p.Store.Load(ctx, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		return string(steps[len(steps)-1].Body)
	}
	if got := say("Why is Cachar flagged?"); !strings.Contains(got, "Cachar, Assam scores") || !strings.Contains(got, engine.Disclaimer) || !strings.Contains(got, "Network layer") {
		t.Errorf("N-063: %s", got)
	}
	if got := say("And the weather?"); !strings.Contains(got, "Name one district") {
		t.Errorf("got %s", got)
	}
}

func TestProseGate(t *testing.T) {
	t.Parallel()
	_, signals := engine.Example(exampleTime)
	s, err := engine.Default().Compute(engine.Place{State: "Manipur", District: "Imphal West"}, signals, engine.Day, exampleTime)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	d := agent.Draft{Returns: []model.Return{{Tool: "score_district", Value: raw}}}
	if err := checkProse(brief(&s).text(), d); err != nil {
		t.Errorf("the reference briefing is refused: %v", err)
	}
	for name, text := range map[string]string{
		"an invented number":             "Imphal West scores 14.67 of 100.",
		"N-075 a prediction":             "Violence will occur tomorrow.",
		"N-075 a forecast":               "We forecast calm.",
		"N-076 surveillance":             "Surveillance shows unrest.",
		"N-062 N-074 a handle":           "As @someone wrote, it is tense.",
		"N-062 N-074 a telephone number": "Call 98765 43210.",
	} {
		if err := checkProse(text, d); err == nil {
			t.Errorf("%s passes: %q", name, text)
		}
	}
}

func TestEveryReferenceBriefingPasses(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	if err := p.demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, w := range engine.Windows {
		scores, err := p.board.All(t.Context(), places(), w, p.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			raw, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkProse(brief(&s).text(), agent.Draft{Returns: []model.Return{{Value: raw}}}); err != nil {
				t.Errorf("%s over %s: %v", s.District, w, err)
			}
		}
	}
}

func TestModelClassification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode string
		gate bool
		used string
	}{{"beside", true, "rule"}, {"use", false, "rule"}, {"use", true, "model"}} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			p := newProduct(t, func(cfg *Config) { cfg.ModelClass = c.mode })
			if c.gate {
				g, err := p.measure(t.Context())
				if err != nil || g.Agreed != g.Examples || g.Examples < 60 {
					t.Fatalf("gate %+v, %v", g, err)
				}
			}
			p.take("Bandh called on NH-37")
			p.Settle()
			list, err := p.book.Accounts(t.Context(), cachar, p.Clock.Now().Add(-engine.Day.Duration()), p.Clock.Now(), 10)
			if err != nil || len(list) != 1 || list[0].ByModel == nil || list[0].Used != c.used {
				t.Errorf("stored %+v, %v", list, err)
			}
		})
	}
	t.Run("a proposal that quotes what is not there is refused", func(t *testing.T) {
		if _, err := (classOut{Layers: []string{"network"}, Polarity: "escalatory", Severity: 3, Words: []string{"riot"}}).classification("Bandh called"); err == nil {
			t.Error("accepted")
		}
		if _, err := (classOut{Layers: []string{"mental"}, Polarity: "escalatory", Severity: 3}).classification("Bandh called"); err == nil {
			t.Error("an unknown layer was accepted")
		}
	})
}

func TestClassifySuite(t *testing.T) {
	t.Parallel()
	s := classifySuite()
	examples, err := eval.Load(files, s)
	if err != nil || len(examples) < 60 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	stubborn := model.Reference("stubborn", func(context.Context, *model.Request) (*model.Reply, error) {
		return model.Answer(classOut{Layers: []string{"cognitive"}, Polarity: "neutral", Severity: 1})
	})
	for name, c := range map[string]struct {
		player eval.Player
		passes bool
	}{"the word lists": {eval.Player{}, true}, "a model that always says the same": {eval.Player{Alias: "fast", Model: stubborn}, false}} {
		t.Run(name, func(t *testing.T) {
			sum := 0.0
			for _, ex := range examples {
				tr, err := s.Run(t.Context(), ex, c.player)
				if err != nil {
					t.Fatal(err)
				}
				g, err := s.Graders[0].Grade(t.Context(), ex, tr)
				if err != nil {
					t.Fatal(err)
				}
				sum += g.Score
			}
			if mean := sum / float64(len(examples)); (mean >= s.Gates["classification"]) != c.passes {
				t.Errorf("it reaches %.3f", mean)
			}
		})
	}
}
