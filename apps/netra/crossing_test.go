package netra

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/sight"
	"dossier/internal/ledger"
)

func TestCrossing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *Config) { c.Mail = []string{"duty@example.org"} }, testCrossing)
}

func testCrossing(t *testing.T, p *product) {
	ctx := t.Context()
	p.take(escalated...)
	c, err := p.Env.Desk.CaseOf(ctx, "district/Assam/Cachar/24h")
	if err != nil {
		t.Fatalf("N-097 no case was opened: %v", err)
	}
	p.Settle()
	asked, err := p.Env.Desk.Approvals(ctx, c.ID)
	if err != nil || len(asked) != 1 || asked[0].Tool != "acknowledge_crossing" || asked[0].Status != dossier.Pending {
		t.Fatalf("N-026 approvals %+v, %v", asked, err)
	}
	t.Run("N-097 mail and event", func(t *testing.T) {
		if len(p.Mail.Sent()) != 1 || !strings.Contains(p.Mail.Sent()[0].Text, engine.Disclaimer) || !strings.Contains(p.Mail.Sent()[0].Subject, "Cachar") {
			t.Errorf("mails %+v", p.Mail.Sent())
		}
	})
	t.Run("N-097 N-058 the event says it, with the disclaimer", func(t *testing.T) {
		if kinds := p.told(t); !slices.Contains(kinds, "score.crossed") {
			t.Errorf("told of %v", kinds)
		}
	})
	t.Run("N-026 an officer may not acknowledge", func(t *testing.T) {
		if _, err := p.Inbox.Decide(ctx, asked[0].ID, asked[0].Digest, dossier.Decision{Verb: dossier.Approve, By: anOfficer}); !errors.Is(err, dossier.Forbidden) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("N-026 a senior officer does", func(t *testing.T) {
		if _, err := p.Inbox.Decide(ctx, asked[0].ID, asked[0].Digest, dossier.Decision{Verb: dossier.Approve, By: aSenior}); err != nil {
			t.Fatal(err)
		}
		p.Settle()
		got, err := p.Env.Desk.Case(ctx, c.ID)
		if err != nil || got.State != dossier.Closed || got.Outcome != "acknowledged" {
			t.Errorf("case %+v, %v", got, err)
		}
		runs, err := p.Env.Desk.Runs(ctx, c.ID)
		if err != nil || len(runs) != 1 || runs[0].Status != dossier.Done || !strings.Contains(string(runs[0].Answer), "SENIOR_REVIEW") && !strings.Contains(string(runs[0].Answer), "CRITICAL") {
			t.Errorf("runs %+v, %v", runs, err)
		}
	})
	t.Run("N-003 every finding can be recomputed", func(t *testing.T) {
		chain, found, err := p.Env.Desk.Facts(ctx, c.ID)
		if err != nil || len(found) != 3 {
			t.Fatalf("%d findings, %v", len(found), err)
		}
		for _, check := range ledger.Recompute(chain, found, sight.Rules) {
			if check.Agreement != ledger.Agrees {
				t.Errorf("%s: %s %s", check.Finding.Check, check.Agreement, check.Note)
			}
		}
	})
	t.Run("the same band opens nothing new", func(t *testing.T) {
		p.Clock.Add(time.Minute)
		p.take("Ambush on convoy leaves three dead on the highway with total shutdown and communal tension")
		p.Settle()
		if _, err := p.Env.Desk.CaseOf(ctx, "district/Assam/Cachar/24h"); err == nil {
			s, _ := p.board.Score(ctx, cachar, engine.Day, p.Clock.Now())
			t.Errorf("a second case was opened at %.2f", s.Composite)
		}
	})
}

// told lists the kinds of the events about scores. Each must carry the disclaimer, in its
// text for people and in its data for programs.
func (p *product) told(t *testing.T) (kinds []string) {
	t.Helper()
	events, err := p.Store.Events(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if strings.HasPrefix(e.Kind, "score.") {
			kinds = append(kinds, e.Kind)
			if !strings.HasSuffix(e.Text, engine.Disclaimer) || !strings.Contains(string(e.Data), `"governance_disclaimer":"`+engine.Disclaimer+`"`) {
				t.Errorf("%s: %s %s", e.Kind, e.Text, e.Data)
			}
		}
	}
	return kinds
}

func TestSubsiding(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testSubsiding)
}

func testSubsiding(t *testing.T, p *product) {
	signal := func(layer engine.Layer, severity int) engine.Signal {
		return engine.Signal{State: cachar.State, District: cachar.District, EventSummary: "Event of the " + string(layer) + " layer", Timestamp: p.Clock.Now(),
			RiskLayers: []engine.Layer{layer}, Polarity: engine.Escalatory, Severity: severity}
	}
	signals := []engine.Signal{signal(engine.Physical, 5), signal(engine.Cognitive, 2)} // 10 and 4: MONITORING
	if code, body := p.Call("POST", "/ingest", map[string]any{"reports": signals}, nil); code != 200 {
		t.Fatal(body)
	}
	p.Settle()
	got, asked := p.dayLater(t)
	if got.State != dossier.Closed || got.Outcome != "subsided" || len(asked) != 0 {
		t.Errorf("case %+v, asked %+v", got, asked)
	}
	if kinds := p.told(t); !slices.Equal(kinds, []string{"score.crossed", "score.changed"}) {
		t.Errorf("told of %v", kinds)
	}
}

// A case in which a senior officer's word is asked for stays open when the score falls.
func TestSubsidingWaitsForAcknowledgement(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take(escalated...)
	p.Settle()
	if got, asked := p.dayLater(t); got.State == dossier.Closed || len(asked) != 1 || asked[0].Status != dossier.Pending {
		t.Errorf("case %+v, asked %+v", got, asked)
	}
}

// A score that someone asked for between the arrival of reports and their follow-up is
// stored, and hides no crossing.
func TestAskingHidesNoCrossing(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, p *product) {
		p.store(t, escalated...)
		var s engine.Score
		if code, body := p.Call("POST", "/analyze", analyzeIn{District: "Cachar"}, &s); code != 200 || s.Threshold.Label != "CRITICAL" {
			t.Fatalf("answered %d: %s", code, body)
		}
		p.Clock.Add(time.Minute)
		if err := p.scoreAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Env.Desk.CaseOf(t.Context(), "district/Assam/Cachar/24h"); err != nil {
			t.Errorf("N-097 no case was opened: %v", err)
		}
	})
}

// store takes in reports as a process does that dies before it follows up.
func (p *product) store(t *testing.T, texts ...string) {
	t.Helper()
	var rows []ingest.Row
	for _, text := range texts {
		rows = append(rows, p.report(1, text))
	}
	accepted, _ := ingest.AcceptAll(rows, nil, p.Clock.Now())
	if _, err := p.book.Take(t.Context(), accepted, p.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// Many who see one crossing at the same time follow it up once.
func TestOneCrossingOneCase(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *Config) { c.Mail = []string{"duty@example.org"} }, func(t *testing.T, p *product) {
		p.store(t, escalated...)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				p.Clock.Add(time.Millisecond)
				if err := p.watch(t.Context(), cachar); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		p.Settle()
		c, err := p.Env.Desk.CaseOf(t.Context(), "district/Assam/Cachar/24h")
		if err != nil {
			t.Fatal(err)
		}
		runs, err := p.Env.Desk.Runs(t.Context(), c.ID)
		if err != nil || len(runs) != 1 || len(p.Mail.Sent()) != 1 {
			t.Errorf("N-097 %d runs, %d mails, %v", len(runs), len(p.Mail.Sent()), err)
		}
	})
}

// A case whose senior officer would not acknowledge it is closed once the score is back
// in BASELINE, whether it fell before or after that word.
func TestRefusedAcknowledgementSubsides(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take(escalated...)
	p.Settle()
	c, asked := p.dayLater(t)
	if c.State == dossier.Closed || len(asked) != 1 {
		t.Fatalf("case %+v, asked %+v", c, asked)
	}
	if _, err := p.Inbox.Decide(t.Context(), asked[0].ID, asked[0].Digest, dossier.Decision{Verb: dossier.Reject, By: aSenior, Note: "An exercise."}); err != nil {
		t.Fatal(err)
	}
	p.Settle()
	p.Clock.Add(9 * 24 * time.Hour) // no signal is left in any window
	if err := p.scoreAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, err := p.Env.Desk.Case(t.Context(), c.ID); err != nil || c.State != dossier.Closed || c.Outcome != "subsided" {
		t.Errorf("case %+v, %v", c, err)
	}
}

// dayLater lets thirty hours pass and returns what became of Cachar's case.
func (p *product) dayLater(t *testing.T) (dossier.Case, []dossier.Approval) {
	t.Helper()
	c, err := p.Env.Desk.CaseOf(t.Context(), "district/Assam/Cachar/24h")
	if err != nil {
		t.Fatal(err)
	}
	p.Clock.Add(30 * time.Hour)
	if err := p.scoreAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := p.Env.Desk.Case(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := p.Env.Desk.Approvals(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got, asked
}
