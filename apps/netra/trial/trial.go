// Package trial says what other numbers of the method would have done to the scores of
// the stored weeks.
//
// It scores each day again with the numbers in force and with the proposed ones, and
// holds the crossings that officers reviewed against both. It reads the records and
// changes nothing; a proposal carries its account to whoever decides.
package trial

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
)

// A BackTest says what a change of the numbers would have done to the stored weeks.
type BackTest struct {
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	Scores     int       `json:"scores"`      // districts and days compared
	BandMoves  int       `json:"band_moves"`  // of these, how many would have had another band
	MeanBefore float64   `json:"mean_before"` // mean score with the numbers in force
	MeanAfter  float64   `json:"mean_after"`  // and with the proposed ones
	FalseKept  int       `json:"false_kept"`  // reviewed false alarms that would still cross
	FalseGone  int       `json:"false_gone"`  // reviewed false alarms that would not
	TrueKept   int       `json:"true_kept"`   // confirmed crossings that would still cross
	TrueLost   int       `json:"true_lost"`   // confirmed crossings that would be missed
	Unjudged   int       `json:"unjudged"`    // reviewed crossings whose signals are no longer all kept
	Moves      []Move    `json:"moves"`       // the largest, at most 20
	Params     Versions  `json:"params"`
	Disclaimer string    `json:"governance_disclaimer"`
}

// A Move is one score that would have been another.
type Move struct {
	engine.Place
	At     time.Time `json:"timestamp"`
	Before float64   `json:"before"`
	After  float64   `json:"after"`
	Was    string    `json:"was"`
	Is     string    `json:"is"`
}

// Versions are the methodology versions that are compared.
type Versions struct {
	From string `json:"from"` // methodology versions
	To   string `json:"to"`
}

// Run back-tests next against the numbers in force over the days before now.
func Run(ctx context.Context, b *book.Book, inForce, next *engine.Engine, places []engine.Place, days int, now time.Time) (BackTest, error) {
	out := BackTest{From: now.AddDate(0, 0, -days), To: now, Params: Versions{inForce.Version(), next.Version()}, Moves: []Move{}, Disclaimer: engine.Disclaimer}
	for _, p := range places {
		signals, err := b.Signals(ctx, p, out.From.Add(-engine.ThreeDays.Duration()), now)
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
	slices.SortStableFunc(out.Moves, func(a, b Move) int { return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before)) })
	out.Moves = out.Moves[:min(20, len(out.Moves))]
	return out, out.holdAgainst(ctx, b, next)
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
		t.Moves = append(t.Moves, Move{p, at, a.Composite, b.Composite, a.Threshold.Label, b.Threshold.Label})
	}
	return nil
}

// holdAgainst counts how the reviewed crossings would have come out. A score that did
// not cross was no alarm, so no numbers could lose it; one whose signals are partly
// removed cannot be computed again.
func (t *BackTest) holdAgainst(ctx context.Context, b *book.Book, next *engine.Engine) error {
	reviews, err := b.Reviews(ctx, 1000)
	if err != nil {
		return err
	}
	kept, err := b.KeptFrom(ctx)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		if _, band := engine.BandOf(r.Score); band == 0 {
			continue
		}
		w := engine.Window(r.Hours)
		from := r.ScoreAt.Add(-w.Duration())
		if from.Before(kept) {
			t.Unjudged++
			continue
		}
		signals, err := b.Signals(ctx, r.Place, from, r.ScoreAt)
		if err != nil {
			return err
		}
		s, err := next.Compute(r.Place, signals, w, r.ScoreAt)
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

func round2(v float64) float64 { return math.Round(v*100) / 100 }
