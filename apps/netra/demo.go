package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/sample"
)

// arrivals is how many reports come in live after the demo is loaded, one every beat.
const (
	arrivals = 90
	beat     = 10 * time.Second
)

// demo loads made-up reports of the last days, stores a short history and queues
// reports that arrive while someone looks.
func (o *office) demo(ctx context.Context) error {
	m, err := o.book.Mark(ctx)
	if err != nil || m.Seq > 0 {
		return err
	}
	now := o.env.Now()
	r := rand.New(rand.NewPCG(20260203, 1))
	var rows []ingest.Row
	for _, d := range sample.Districts {
		for i := range d.Reports {
			age := time.Duration(r.Int64N(int64(70 * time.Hour)))
			if i%2 == 0 {
				age = time.Duration(r.Int64N(int64(20 * time.Hour)))
			}
			rows = append(rows, d.Row(r, i, now.Add(-age)))
		}
	}
	if _, err := o.ingestRows(ctx, rows, nil); err != nil {
		return err
	}
	if err := o.demoHistory(ctx, rows, now); err != nil {
		return err
	}
	for i := range arrivals {
		if err := o.env.Desk.Later(ctx, jobDemo, demoArgs{i}, now.Add(time.Duration(i+1)*beat), fmt.Sprintf("demo/%d", i)); err != nil {
			return err
		}
	}
	return nil
}

// demoHistory stores the scores that the reports would have had every three hours of
// the last two days, so that the charts have a line.
func (o *office) demoHistory(ctx context.Context, rows []ingest.Row, now time.Time) error {
	accepted, _ := ingest.AcceptAll(rows, nil, now)
	byPlace := map[engine.Place][]engine.Signal{}
	for _, a := range accepted {
		byPlace[a.Signal.Place()] = append(byPlace[a.Signal.Place()], a.Signal)
	}
	e, err := engine.New(o.cfg.params())
	if err != nil {
		return err
	}
	for p, signals := range byPlace {
		for hours := 48; hours > 0; hours -= 3 {
			for _, w := range engine.Windows {
				s, err := e.Compute(p, signals, w, now.Add(-time.Duration(hours)*time.Hour))
				if err != nil {
					return err
				}
				if err := o.book.SaveScore(ctx, &s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type demoArgs struct {
	N int `json:"n"`
}

// demoArrival takes in one made-up report, now.
func (o *office) demoArrival(ctx context.Context, raw json.RawMessage) error {
	var in demoArgs
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("decode demo: %w", err)
	}
	r := rand.New(rand.NewPCG(7, uint64(in.N)))
	d := sample.Districts[r.IntN(len(sample.Districts))]
	if in.N%3 == 0 {
		d.Texts = sample.Tense
	}
	row := d.Row(r, in.N, o.env.Now())
	row.Report.Text += fmt.Sprintf(" in ward %d", 1+r.IntN(30))
	_, err := o.ingestRows(ctx, []ingest.Row{row}, nil)
	return err
}
