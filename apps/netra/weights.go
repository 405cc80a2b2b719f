package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/trial"
	"dossier/internal/app"
)

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

// backTest holds proposed numbers against those in force. It changes nothing.
func (o *office) backTest(ctx context.Context, proposed engine.Params, days int, now time.Time) (trial.BackTest, error) {
	next, err := engine.New(proposed)
	if err != nil {
		return trial.BackTest{}, dossier.Errorf(dossier.Invalid, "These weights cannot be used: %v.", err)
	}
	inForce, err := o.board.Engine(ctx, now)
	if err != nil {
		return trial.BackTest{}, err
	}
	return trial.Run(ctx, o.book, inForce, next, places(), days, now)
}

// propose back-tests a change, stores it and has a senior officer asked. The numbers
// in force stay until someone other than the proposer agrees.
func (o *office) propose(ctx context.Context, c weightChange, by dossier.Principal) (book.Proposal, error) {
	now, why := o.env.Now(), ingest.Clean(c.Why)
	if why == "" {
		return book.Proposal{}, dossier.Errorf(dossier.Invalid, "Say why the weights should change: whoever decides must know.")
	}
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
	p := book.Proposal{ID: o.env.NewID("WGT-"), Version: params.Version(), Params: params, Why: why, Proposer: by.ID, Proposed: now, BackTest: raw, Status: "proposed"}
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

func summary(p book.Proposal, t trial.BackTest) string {
	return fmt.Sprintf("Proposal %s: of %d scores in the back-test %d would have another band; the mean would go from %.2f to %.2f. "+
		"Of the reviewed false alarms %d would still cross and %d would not; of the confirmed crossings %d would be kept and %d lost; %d cannot be judged, because their signals are no longer all kept. Why: %s",
		p.ID, t.Scores, t.BandMoves, t.MeanBefore, t.MeanAfter, t.FalseKept, t.FalseGone, t.TrueKept, t.TrueLost, t.Unjudged, p.Why)
}
