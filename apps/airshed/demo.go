package airshed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/sample"
)

// demo loads two earlier seasons and the newest object with a surge, and sweeps. Where
// there has been a sweep already, nothing changes.
func (a *airshed) demo(ctx context.Context) error {
	done, err := a.book.Sweeps(ctx, 1)
	if err != nil || len(done) > 0 {
		return err
	}
	now := a.Now().UTC()
	if err := a.pastSeasons(ctx, now); err != nil {
		return err
	}
	raw, err := json.Marshal(sample.November(now).Snapshot())
	if err != nil {
		return fmt.Errorf("encode sample: %w", err)
	}
	if _, err := a.lake.Put(ctx, a.cfg.Prefix+"sensor_"+now.Format("20060102_150405")+".json", "application/json", raw); err != nil {
		return err
	}
	s, err := a.sweep(ctx, "demo")
	if err != nil {
		return err
	}
	if len(s.Cases) == 0 {
		return dossier.Errorf(dossier.Internal, "The demo data opened no case.")
	}
	return nil
}

// pastSeasons stores readings and one filed report of each of the two years before.
func (a *airshed) pastSeasons(ctx context.Context, now time.Time) error {
	return a.DB.InTx(ctx, func(ctx context.Context) error {
		for back := 1; back <= 2; back++ {
			then := now.AddDate(-back, 0, 0)
			if err := a.book.PutReadings(ctx, seasonReadings(then, back)); err != nil {
				return err
			}
			if err := a.pastReport(ctx, then, back); err != nil {
				return err
			}
		}
		return nil
	})
}

func seasonReadings(then time.Time, back int) [][]correlate.BorderStation {
	var out [][]correlate.BorderStation
	for i, st := range correlate.Stations() {
		var series []correlate.BorderStation
		for d := -14; d <= 14; d++ {
			aqi := math.Round(260 - 18*float64(back) + 90*math.Sin(float64(d+3*i+back)/4) + float64(10*i))
			series = append(series, correlate.BorderStation{Name: st.Name, AQI: aqi, Time: then.AddDate(0, 0, d).Truncate(time.Hour)})
		}
		out = append(out, series)
	}
	return out
}

func (a *airshed) pastReport(ctx context.Context, then time.Time, back int) error {
	day := sample.November(then)
	day.Seed, day.History = day.Seed+uint64(back), 48
	day.Fires = map[string]int{"Haryana": 300 - 60*back, "Punjab": 180 + 20*back}
	r := a.cfg.rules()
	_, all := correlate.Analyse(day.Snapshot(), a.cfg.stations(), then, nil, r)
	if len(all) == 0 {
		return errors.New("the sample of an earlier season has no surge")
	}
	id, err := a.book.NextID(ctx, then)
	if err != nil {
		return err
	}
	report := legal.Compose(legal.Input{ID: id, Now: then, Sweep: "demo", Analysis: all[0], Quality: legal.DataQuality{Fresh: true}, Rules: r})
	report.CaseID = "season-" + then.Format("2006")
	d, err := a.book.PutReport(ctx, report)
	if err != nil {
		return err
	}
	_, err = a.book.Settle(ctx, id, book.Filed, &filing.Result{Status: filing.Success, ReportID: id, Timestamp: then, SHA256: d.SHA256, Attempts: []filing.Attempt{}, Problems: []string{}})
	return err
}
