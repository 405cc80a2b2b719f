package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/app"
)

// A BackTest says what a change of the numbers would have done to the stored weeks.
type BackTest struct {
	From       time.Time    `json:"from"`
	To         time.Time    `json:"to"`
	Scores     int          `json:"scores"`      // districts and days compared
	BandMoves  int          `json:"band_moves"`  // of these, how many would have had another band
	MeanBefore float64      `json:"mean_before"` // mean score with the numbers in force
	MeanAfter  float64      `json:"mean_after"`  // and with the proposed ones
	FalseKept  int          `json:"false_kept"`  // reviewed false alarms that would still cross
	FalseGone  int          `json:"false_gone"`  // reviewed false alarms that would not
	TrueKept   int          `json:"true_kept"`   // confirmed crossings that would still cross
	TrueLost   int          `json:"true_lost"`   // confirmed crossings that would be missed
	Moves      []BackMove   `json:"moves"`       // the largest, at most 20
	Params     paramsChange `json:"params"`
	Disclaimer string       `json:"governance_disclaimer"`
}

// A BackMove is one score that would have been another.
type BackMove struct {
	engine.Place
	At     time.Time `json:"timestamp"`
	Before float64   `json:"before"`
	After  float64   `json:"after"`
	Was    string    `json:"was"`
	Is     string    `json:"is"`
}

type paramsChange struct {
	From string `json:"from"` // methodology versions
	To   string `json:"to"`
}

// backTest scores the last weeks again, day by day, with two sets of numbers, and
// holds them against what officers said. It changes nothing.
func (o *office) backTest(ctx context.Context, proposed engine.Params, days int, now time.Time) (BackTest, error) {
	next, err := engine.New(proposed)
	if err != nil {
		return BackTest{}, dossier.Errorf(dossier.Invalid, "These weights cannot be used: %v.", err)
	}
	inForce, err := o.board.Engine(ctx, now)
	if err != nil {
		return BackTest{}, err
	}
	out := BackTest{From: now.AddDate(0, 0, -days), To: now, Params: paramsChange{inForce.Version(), next.Version()}, Moves: []BackMove{}, Disclaimer: engine.Disclaimer}
	for _, p := range places() {
		signals, err := o.book.Signals(ctx, p, out.From.Add(-engine.ThreeDays.Duration()), now)
		if err != nil {
			return out, err
		}
		for day := 0; day < days && len(signals) > 0; day++ {
			if err := out.compare(inForce, next, p, signals, now.AddDate(0, 0, -day)); err != nil {
				return out, err
			}
		}
	}
	if out.Scores > 0 {
		out.MeanBefore, out.MeanAfter = round2(out.MeanBefore/float64(out.Scores)), round2(out.MeanAfter/float64(out.Scores))
	}
	slices.SortStableFunc(out.Moves, func(a, b BackMove) int { return int(100 * (abs(b.After-b.Before) - abs(a.After-a.Before))) })
	out.Moves = out.Moves[:min(20, len(out.Moves))]
	return out, o.holdAgainst(ctx, &out, next)
}

func (t *BackTest) compare(inForce, next *engine.Engine, p engine.Place, signals []engine.Signal, at time.Time) error {
	a, err := inForce.Compute(p, signals, engine.Day, at)
	if err != nil || a.SignalCount == 0 {
		return err
	}
	b, err := next.Compute(p, signals, engine.Day, at)
	if err != nil {
		return err
	}
	t.Scores++
	t.MeanBefore += a.Composite
	t.MeanAfter += b.Composite
	if a.Threshold.Label != b.Threshold.Label {
		t.BandMoves++
	}
	if a.Composite != b.Composite {
		t.Moves = append(t.Moves, BackMove{p, at, a.Composite, b.Composite, a.Threshold.Label, b.Threshold.Label})
	}
	return nil
}

// holdAgainst counts how the reviewed scores would have come out.
func (o *office) holdAgainst(ctx context.Context, t *BackTest, next *engine.Engine) error {
	reviews, err := o.book.Reviews(ctx, 1000)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		signals, err := o.book.Signals(ctx, r.Place, r.ScoreAt.Add(-engine.Week.Duration()), r.ScoreAt)
		if err != nil {
			return err
		}
		s, err := next.Compute(r.Place, signals, engine.Window(r.Hours), r.ScoreAt)
		if err != nil {
			return err
		}
		switch {
		case r.FalseAlarm && s.Threshold.Crossed:
			t.FalseKept++
		case r.FalseAlarm:
			t.FalseGone++
		case s.Threshold.Crossed:
			t.TrueKept++
		default:
			t.TrueLost++
		}
	}
	return nil
}

func abs(v float64) float64 { return max(v, -v) }

func round2(v float64) float64 {
	if v < 0 {
		return -round2(-v)
	}
	return float64(int64(v*100+0.5)) / 100
}

// A weightChange is a proposed change: only what differs is given.
type weightChange struct {
	LayerWeights map[engine.Layer]float64    `json:"layer_weights,omitempty"`
	Geo          map[engine.Tag]float64      `json:"geo,omitempty"`
	Polarity     map[engine.Polarity]float64 `json:"polarity,omitempty"`
	DecayPerDay  *float64                    `json:"decay_per_day,omitempty"`
	Why          string                      `json:"why"`
}

// over returns p with the change made.
func (c weightChange) over(p engine.Params) engine.Params {
	maps.Copy(p.LayerWeights, c.LayerWeights)
	maps.Copy(p.Geo, c.Geo)
	maps.Copy(p.Polarity, c.Polarity)
	if c.DecayPerDay != nil {
		p.DecayPerDay = *c.DecayPerDay
	}
	return p
}

// propose back-tests a change, stores it and has a senior officer asked. The numbers
// in force stay until someone other than the proposer agrees.
func (o *office) propose(ctx context.Context, c weightChange, by dossier.Principal) (book.Proposal, error) {
	now := o.env.Now()
	inForce, err := o.board.Engine(ctx, now)
	if err != nil {
		return book.Proposal{}, err
	}
	params := c.over(inForce.Params())
	if params.Version() == inForce.Version() {
		return book.Proposal{}, dossier.Errorf(dossier.Invalid, "The proposal changes nothing.")
	}
	test, err := o.backTest(ctx, params, 14, now)
	if err != nil {
		return book.Proposal{}, err
	}
	raw, err := json.Marshal(test)
	if err != nil {
		return book.Proposal{}, fmt.Errorf("encode back-test: %w", err)
	}
	p := book.Proposal{ID: o.env.NewID("WGT-"), Version: params.Version(), Params: params, Why: ingest.Clean(c.Why), Proposer: by.ID, Proposed: now, BackTest: raw, Status: "proposed"}
	err = o.env.DB.InTx(ctx, func(ctx context.Context) error {
		k, _, err := o.env.Desk.Open(ctx, app.Opening{Subject: "weights/" + p.ID, Title: "Proposed weights " + p.Version, State: dossier.Open, Stage: "proposed", By: by})
		if err != nil {
			return err
		}
		p.Case = k.ID
		if err := o.book.SaveProposal(ctx, p); err != nil {
			return err
		}
		_, err = o.env.Desk.Record(ctx, k.ID, []dossier.Evidence{
			dossier.NewEvidence("back_test", dossier.Source{System: "netra", Locator: "weights/" + p.ID, Fetched: now}, test, "Back-test of %s against %s", test.Params.To, test.Params.From),
		}, nil)
		if err != nil {
			return err
		}
		_, err = o.env.Desk.Start(ctx, app.Start{Case: k.ID, Agent: weigherName, For: by, Input: carried(p, test)})
		return err
	})
	return p, err
}

func summary(p book.Proposal, t BackTest) string {
	return fmt.Sprintf("Proposal %s: of %d scores in the back-test %d would have another band; the mean would go from %.2f to %.2f. "+
		"Of the reviewed false alarms %d would still cross and %d would not; of the confirmed crossings %d would be kept and %d lost. Why: %s",
		p.ID, t.Scores, t.BandMoves, t.MeanBefore, t.MeanAfter, t.FalseKept, t.FalseGone, t.TrueKept, t.TrueLost, p.Why)
}
