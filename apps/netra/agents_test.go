package netra

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/netra/class"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/prose"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/records"
)

// conversation begins to talk to the explainer.
func (p *product) conversation() dossier.Run {
	p.T.Helper()
	c, _, err := p.Env.Desk.Open(p.T.Context(), app.Opening{Subject: "chat/1", Title: "Chat", State: dossier.Open, By: anOfficer})
	if err != nil {
		p.T.Fatal(err)
	}
	run, err := p.Env.Desk.Start(p.T.Context(), app.Start{Case: c.ID, Agent: explainerName, For: anOfficer, Hold: true})
	if err != nil {
		p.T.Fatal(err)
	}
	return run
}

func TestExplainer(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take("Bandh called on NH-37")
	ctx := t.Context()
	run := p.conversation()
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
	if err := prose.Check(prose.Brief(&s).Text(), d); err != nil {
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
		if err := prose.Check(text, d); err == nil {
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
			if err := prose.Check(prose.Brief(&s).Text(), agent.Draft{Returns: []model.Return{{Value: raw}}}); err != nil {
				t.Errorf("%s over %s: %v", s.District, w, err)
			}
		}
	}
}

// stubborn answers every report in the same way.
func stubborn(name string) model.Model {
	return model.Reference(name, func(context.Context, *model.Request) (*model.Reply, error) {
		return model.Answer(class.Out{Layers: []string{"cognitive"}, Polarity: "neutral", Severity: 1, Tags: []string{}, Words: []string{}})
	})
}

func TestModelClassification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		mode     string
		measured string  // who was measured; "": nobody
		reached  float64 // what it reached
		prompt   string  // added to the prompt's version
		used     string
	}{
		{"off", "off", "clever", 1, "", "rule"},
		{"beside", "beside", "clever", 1, "", "rule"},
		{"never measured", "use", "", 0, "", "rule"},
		{"another model was measured", "use", "other", 1, "", "rule"},
		{"another prompt was measured", "use", "clever", 1, "x", "rule"},
		{"below the gate", "use", "clever", 0.94, "", "rule"},
		{"the gate is met", "use", "clever", 0.95, "", "model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clever := stubborn("clever")
			p := openProduct(t, apptest.Options{Model: clever}, func(cfg *Config) { cfg.ModelClass = c.mode })
			if c.measured != "" {
				at := p.Clock.Now()
				played, _ := agent.Find(p.Kit.Agents, classifierName)
				if err := p.Store.SaveResult(t.Context(), records.EvalResult{ID: "eval-1", App: ID, Suite: classificationSuite, Player: stubborn(c.measured).Name(), Prompt: played.Version() + c.prompt,
					Started: at, Ended: at, Examples: 60, Means: map[string]float64{"classification": c.reached}, Gates: map[string]float64{"classification": 0.95}}, nil); err != nil {
					t.Fatal(err)
				}
			}
			p.take("Bandh called on NH-37")
			p.Settle()
			list, err := p.book.Accounts(t.Context(), cachar, p.Clock.Now().Add(-engine.Day.Duration()), p.Clock.Now(), 10)
			if err != nil || len(list) != 1 || list[0].Used != c.used {
				t.Fatalf("stored %+v, %v", list, err)
			}
			a := list[0]
			if (a.ByModel == nil) != (c.mode == "off") || a.ByRule.Severity != 3 || a.ByModel != nil && a.ByModel.Severity != 1 {
				t.Errorf("the rule says %+v and the model %+v", a.ByRule, a.ByModel)
			}
			if want := map[string]int{"rule": 3, "model": 1}[c.used]; a.Signal.Severity != want {
				t.Errorf("the signal has severity %d, want %d", a.Signal.Severity, want)
			}
			if s, err := p.board.Score(t.Context(), cachar, engine.Day, p.Clock.Now()); err != nil || (s.LayerScores.Network == 0) != (c.used == "model") {
				t.Errorf("the score does not follow: %+v, %v", s.LayerScores, err)
			}
		})
	}
	t.Run("a proposal that quotes what is not there is refused", func(t *testing.T) {
		if _, err := (class.Out{Layers: []string{"network"}, Polarity: "escalatory", Severity: 3, Words: []string{"riot"}}).Classification("Bandh called"); err == nil {
			t.Error("accepted")
		}
		if _, err := (class.Out{Layers: []string{"mental"}, Polarity: "escalatory", Severity: 3}).Classification("Bandh called"); err == nil {
			t.Error("an unknown layer was accepted")
		}
	})
}

// TestClassificationSuite plays the suite as `dossier eval run` does: what it says must
// depend on who plays.
func TestClassificationSuite(t *testing.T) {
	t.Parallel()
	suite := newProduct(t, nil).suite()
	examples, err := eval.Load(files, suite)
	if err != nil || len(examples) < 60 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	silly := model.Reference("silly", func(context.Context, *model.Request) (*model.Reply, error) { return model.Say("No idea."), nil })
	for name, c := range map[string]struct {
		player    eval.Player
		low, high float64
	}{
		"the word lists":                   {eval.Player{}, 0.95, 1},
		"a model that always says so":      {eval.Player{Alias: "fast", Model: stubborn("stubborn")}, 0.01, 0.6},
		"a model that the policy replaced": {eval.Player{Alias: "fast", Model: silly}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := eval.Play(t.Context(), ID, suite, examples, eval.Options{Player: c.player, Parallel: 2, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Means["classification"].Mean; got < c.low || got > c.high || r.Passed() != (c.low >= 0.95) {
				t.Errorf("it reaches %.3f and passes: %v", got, r.Passed())
			}
		})
	}
}

// Only a score of 75 or more is put before a senior officer, and under its own band.
func TestCheckAcknowledge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		score float64
		band  string
		ok    bool
	}{
		{75, "SENIOR_REVIEW", true}, {89.99, "SENIOR_REVIEW", true}, {90, "CRITICAL", true},
		{74.99, "PREVENTIVE_READINESS", false}, {30, "MONITORING", false}, {90, "SENIOR_REVIEW", false}, {75, "CRITICAL", false},
	} {
		if err := checkAcknowledge(acknowledgeIn{Score: c.score, Band: c.band}); (err == nil) != c.ok {
			t.Errorf("%v as %s: %v", c.score, c.band, err)
		}
	}
}
