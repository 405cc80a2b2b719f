package netra

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/prose"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
)

// A liar is a model, and not the reference policy, that plays as code says.
type liar struct{ model.Model }

func (liar) Name() string { return "test/liar" }

// What reports say in their own words, and where a quotation is cut, keeps no briefing
// from being used: without a model there is nobody who could write another.
func TestReferenceBriefingOfAnyReport(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"N-076 suspects":         "Suspected militants ambush convoy, five dead at the border",
		"N-075 forecasts":        "Flood forecast; gunfight leaves five dead at the border",
		"N-068 a number cut":     "Gunfight leaves five dead at the border by the old church on the river, 12345 flee",
		"N-062 a long number":    "Gunfight leaves five dead at the border, losses of 1234567",
		"N-062 numbers all over": "Gunfight leaves 5 dead at the border, 1234567, 98765, 4321",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProduct(t, nil)
			p.take(append([]string{text}, escalated[1:]...)...)
			c, asked := p.asked(t)
			if _, err := p.Inbox.Decide(t.Context(), asked.ID, asked.Digest, dossier.Decision{Verb: dossier.Approve, By: aSenior}); err != nil {
				t.Fatal(err)
			}
			p.Settle()
			runs, err := p.Env.Desk.Runs(t.Context(), c.ID)
			if err != nil || len(runs) != 1 || runs[0].Status != dossier.Done {
				t.Errorf("runs %+v, %v", runs, err)
			}
		})
	}
}

// asked returns Cachar's case and the one thing that is asked in it.
func (p *product) asked(t *testing.T) (dossier.Case, dossier.Approval) {
	t.Helper()
	p.Settle()
	c, err := p.Env.Desk.CaseOf(t.Context(), "district/Assam/Cachar/24h")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := p.Env.Desk.Approvals(t.Context(), c.ID)
	i := slices.IndexFunc(asked, func(a dossier.Approval) bool { return a.Status == dossier.Pending })
	if err != nil || i < 0 {
		t.Fatalf("asked %+v, %v", asked, err)
	}
	return c, asked[i]
}

// A conversation goes on whatever a person says.
func TestExplainerAnswersAnything(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take("Suspected militants ambush convoy, five dead at the border")
	ctx := t.Context()
	run := p.conversation()
	for said, want := range map[string]string{
		"Compare Cachar and Dimapur":           "several districts: Cachar, Assam; Dimapur, Nagaland",
		"Why is Cachar flagged?":               "Cachar, Assam scores",
		"Is Cachar 5 times worse than in 2019": "Cachar, Assam scores",
		"Tell me about 37 things":              "Name one district",
	} {
		if err := p.Env.Desk.Say(ctx, run.ID, anOfficer, said, nil); err != nil {
			t.Fatal(err)
		}
		got, err := p.Env.Desk.Drive(ctx, run.ID)
		if err != nil || got.Status == dossier.Failed {
			t.Fatalf("%q: %s %s, %v", said, got.Status, got.Failure, err)
		}
		_, steps, err := p.Store.Load(ctx, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if last := string(steps[len(steps)-1].Body); !strings.Contains(last, want) || !strings.Contains(last, engine.Disclaimer) {
			t.Errorf("N-073 %q: %s", said, last)
		}
	}
}

// A model that leaves the acknowledgement out, asks for another score than was computed,
// or tells another band than was computed changes nothing: a senior officer is asked
// about the score as it is.
func TestModelCannotOverruleTheScore(t *testing.T) {
	t.Parallel()
	calm := func(*engine.Score) prose.Briefing {
		return prose.Briefing{Headline: "Cachar, Assam: BASELINE.", Explanation: "All is calm.", CallsFor: "Immediate coordinated response.", Disclaimer: engine.Disclaimer}
	}
	// lies plays a model that scores, then answers as it likes.
	lies := func(asks func(engine.Score) *acknowledgeIn, says func(*engine.Score) prose.Briefing) model.Model {
		return liar{model.Reference("liar", func(_ context.Context, req *model.Request) (*model.Reply, error) {
			var in districtIn
			if err := req.Brief(&in, nil); err != nil {
				return nil, err
			}
			scored, ok := req.Last(scoreName)
			if !ok {
				return req.Calling(model.Planned{Tool: scoreName, Args: in}), nil
			}
			var s engine.Score
			if err := scored.Decode(&s); err != nil {
				return nil, err
			}
			if _, asked := req.Last(acknowledgeName); !asked {
				if ask := asks(s); ask != nil {
					return req.Calling(model.Planned{Tool: acknowledgeName, Args: ask}), nil
				}
			}
			return model.Answer(says(&s))
		})}
	}
	t.Run("N-026 silence", func(t *testing.T) {
		t.Parallel()
		p := openProduct(t, apptest.Options{Model: lies(func(engine.Score) *acknowledgeIn { return nil }, prose.Brief)}, nil)
		p.take(escalated...)
		if _, asked := p.asked(t); !strings.Contains(asked.Title, "98.23") {
			t.Errorf("asked %s", asked.Title)
		}
	})
	t.Run("N-026 another score", func(t *testing.T) {
		t.Parallel()
		p := openProduct(t, apptest.Options{Model: lies(func(s engine.Score) *acknowledgeIn {
			return &acknowledgeIn{District: s.District, State: s.State, Window: s.TimeWindow, Score: 75.5, Band: "SENIOR_REVIEW", At: s.Timestamp.Format(time.RFC3339Nano)}
		}, calm)}, nil)
		p.take(escalated...)
		c, asked := p.asked(t)
		if _, err := p.Inbox.Decide(t.Context(), asked.ID, asked.Digest, dossier.Decision{Verb: dossier.Approve, By: aSenior}); err != nil {
			t.Fatal(err)
		}
		p.Settle()
		if got, err := p.Env.Desk.Case(t.Context(), c.ID); err != nil || got.State == dossier.Closed || got.Outcome != "" {
			t.Errorf("a score that nobody computed was acknowledged: %+v, %v", got, err)
		}
		if _, again := p.asked(t); again.ID == asked.ID || !strings.Contains(again.Title, "98.23") {
			t.Errorf("then asked %s", again.Title)
		}
	})
	t.Run("N-026 another band", func(t *testing.T) {
		t.Parallel()
		p := openProduct(t, apptest.Options{Model: lies(func(s engine.Score) *acknowledgeIn { in := crossing(&s); return &in }, calm)}, nil)
		p.take(escalated...)
		c, asked := p.asked(t)
		if _, err := p.Inbox.Decide(t.Context(), asked.ID, asked.Digest, dossier.Decision{Verb: dossier.Approve, By: aSenior}); err != nil {
			t.Fatal(err)
		}
		p.Settle()
		runs, err := p.Env.Desk.Runs(t.Context(), c.ID)
		if err != nil || runs[0].Status != dossier.Done || !strings.Contains(string(runs[0].Answer), "98.23 of 100") {
			t.Errorf("the briefing says %s, %v", runs[0].Answer, err)
		}
	})
}

// propose makes a proposal as someone and returns it with what is asked about it.
func (p *product) propose(t *testing.T, as dossier.Principal, physical float64) (book.Proposal, dossier.Approval) {
	t.Helper()
	p.As = as
	var out book.Proposal
	if code, body := p.Call("POST", "/weights", weightChange{LayerWeights: map[engine.Layer]float64{engine.Physical: physical}, Why: "A test"}, &out); code != 200 || out.Case == "" {
		t.Fatalf("answered %d: %s", code, body)
	}
	p.Settle()
	asked, err := p.Env.Desk.Approvals(t.Context(), out.Case)
	if err != nil || len(asked) != 1 {
		t.Fatalf("asked %+v, %v", asked, err)
	}
	return out, asked[0]
}

func TestProposalsAreSettledN018(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testProposals)
}

func testProposals(t *testing.T, p *product) {
	ctx := t.Context()
	p.take("Bandh called on NH-37", "Arms cache recovered near border area")
	decide := func(a dossier.Approval, verb dossier.Verb) {
		t.Helper()
		if _, err := p.Inbox.Decide(ctx, a.ID, a.Digest, dossier.Decision{Verb: verb, By: aSenior, Note: "I say so."}); err != nil {
			t.Fatal(err)
		}
		p.Clock.Add(time.Second)
		p.Settle()
	}
	is := func(prop book.Proposal, status, by string, weight float64) {
		t.Helper()
		got, err := p.book.Proposal(ctx, prop.ID)
		c, err2 := p.Env.Desk.Case(ctx, prop.Case)
		if err != nil || err2 != nil || got.Status != status || got.DecidedBy != by || c.State != dossier.Closed || c.Outcome != status {
			t.Errorf("N-018 the proposal is %s by %q, its case %s %q; want %s by %q; %v %v", got.Status, got.DecidedBy, c.State, c.Outcome, status, by, err, err2)
		}
		runs, err := p.Env.Desk.Runs(ctx, prop.Case)
		if err != nil || runs[0].Status != dossier.Done || strings.Contains(string(runs[0].Answer), asTheyAre) != (status == "rejected") {
			t.Errorf("N-018 the weigher says %s (%s), %v", runs[0].Answer, runs[0].Failure, err)
		}
		if e, err := p.board.Engine(ctx, p.Clock.Now()); err != nil || e.Params().LayerWeights[engine.Physical] != weight {
			t.Errorf("N-018 in force is %v, %v", e.Params().LayerWeights, err)
		}
	}
	admin := dossier.Principal{ID: "u-admin", Name: "Admin", Roles: []dossier.Role{dossier.Admin}}
	refused, ask := p.propose(t, admin, 1.2) // whoever may propose is asked about
	decide(ask, dossier.Reject)
	is(refused, "rejected", aSenior.ID, 1)
	first, askFirst := p.propose(t, anOfficer, 1.5)
	second, askSecond := p.propose(t, anOfficer, 1.7)
	decide(askFirst, dossier.Approve)
	is(first, "adopted", aSenior.ID, 1.5)
	inForce, err := p.board.Engine(ctx, p.Clock.Now())
	if out := (&terminal{t: t, product: p}).must("methodology"); err != nil || out != inForce.Methodology().Text() || !strings.HasPrefix(out, "Methodology "+engine.FormulaVersion+"+") {
		t.Errorf("N-004 the command prints another method than the one that was adopted: %s, %v", out, err)
	}
	decide(askSecond, dossier.Approve) // it was held against weights that are no longer in force
	is(second, "rejected", "rule/weights", 1.5)
}

// A model that tells a senior officer another story than the back-test's adopts nothing.
func TestModelCannotDressUpAProposal(t *testing.T) {
	t.Parallel()
	p := openProduct(t, apptest.Options{Model: liar{model.Reference("liar", func(_ context.Context, req *model.Request) (*model.Reply, error) {
		var in adoptIn
		if err := req.Brief(&in, nil); err != nil {
			return nil, err
		}
		if _, ok := req.Last(adoptName); !ok {
			in.Summary = "Nothing changes."
			return req.Calling(model.Planned{Tool: adoptName, Args: in}), nil
		}
		return model.Say(nowInForce), nil
	})}}, nil)
	prop, asked := p.propose(t, anOfficer, 1.5)
	if _, err := p.Inbox.Decide(t.Context(), asked.ID, asked.Digest, dossier.Decision{Verb: dossier.Approve, By: aSenior}); err != nil {
		t.Fatal(err)
	}
	p.Settle()
	got, err := p.book.Proposal(t.Context(), prop.ID)
	if err != nil || got.Status == "adopted" {
		t.Errorf("N-018 it is %s, %v", got.Status, err)
	}
	runs, err := p.Env.Desk.Runs(t.Context(), prop.Case)
	var said string
	if err != nil || json.Unmarshal(runs[0].Answer, &said) != nil || strings.Contains(said, nowInForce) {
		t.Errorf("N-018 the weigher says %s, %v", runs[0].Answer, err)
	}
}
