package airshed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/observe"
	"dossier/apps/airshed/sample"
	"dossier/internal/app"
	"dossier/internal/eval"
)

// A dayInput describes a day for an example: what was measured and what is missing.
type dayInput struct {
	Station string         `json:"station"`
	AQI     float64        `json:"aqi"`
	Fires   map[string]int `json:"fires"` // null: the feed is missing
	Share   *float64       `json:"share"` // null: the feed is missing
	At      time.Time      `json:"at"`
	Wind    *float64       `json:"wind"`   // null: no wind
	Reject  string         `json:"reject"` // what the legal officer says against the filing; "": nothing
}

func (in dayInput) snapshot() observe.Snapshot {
	d := sample.Day{At: in.At, AQI: map[string]float64{in.Station: in.AQI}, Fires: in.Fires, Share: -1, From: -1, History: 24, Seed: 5}
	if in.Share != nil {
		d.Share = *in.Share
	}
	if in.Wind != nil {
		d.From = *in.Wind
	}
	return d.Snapshot()
}

// trial is the configuration that examples are judged by: the design's, with nobody to
// file with but the simulated Commission.
func trial() Config {
	c := defaults()
	c.RetryBackoffBaseSeconds = 0
	return c
}

// playDay plays the app's agent on an example's day, from the reading to the closed
// case, over the real tables of a scratch copy.
func (a *airshed) playDay(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	var in dayInput
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return eval.Trace{}, dossier.Errorf(dossier.Invalid, "The example %s cannot be read.", ex.Name).Because(err)
	}
	s, err := a.Scratch(ctx, app.ScratchOptions{Model: who.Model, Now: in.At, Change: func(c app.Config) { *c.(*Config) = trial() }})
	if err != nil {
		return eval.Trace{}, err
	}
	defer s.Close()
	own, err := newAirshed(s.Env, trial())
	if err != nil {
		return eval.Trace{}, err
	}
	id, brief, err := own.stageDay(ctx, in)
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	input, err := json.Marshal(brief)
	if err != nil {
		return eval.Trace{}, fmt.Errorf("encode input of %s: %w", ex.Name, err)
	}
	st := s.Stage
	st.Case = id
	st.Decide = func(dossier.Approval) dossier.Decision {
		if in.Reject != "" {
			return dossier.Decision{Verb: dossier.Reject, Note: in.Reject}
		}
		return dossier.Decision{Verb: dossier.Approve}
	}
	return eval.PlayAgent(ctx, st, agentName, input, who)
}

// stageDay writes the rows that a sweep would have written about a day, save for the
// run that is to be played. A day without a surge gets a case about its newest reading:
// the agent has to see that there is nothing.
func (a *airshed) stageDay(ctx context.Context, in dayInput) (dossier.CaseID, agentInput, error) {
	snap, stations := in.snapshot(), a.cfg.stations()
	i := slices.IndexFunc(stations, func(s correlate.Station) bool { return s.Name == in.Station })
	if i < 0 {
		return "", agentInput{}, dossier.Errorf(dossier.Invalid, "%q is not a border station.", in.Station)
	}
	w := correlate.FindSurges(snap.Readings, stations[i:i+1], in.At, a.cfg.rules())
	surge := correlate.Surge{BorderStation: w.Stations[0], From: w.Stations[0].Time, To: w.Stations[0].Time}
	if len(w.Surges) > 0 {
		surge = w.Surges[0]
	}
	kept, err := json.Marshal(snap)
	if err != nil {
		return "", agentInput{}, fmt.Errorf("encode the day: %w", err)
	}
	sweep := book.Sweep{ID: a.NewID("sweep-"), At: in.At, Cause: "example", Status: book.SweepReported, Surges: 1, Object: lake.Object{Bucket: a.lake.Place(), Key: a.cfg.Prefix + "example.json"}}
	if err := a.book.PutSweep(ctx, sweep, kept); err != nil {
		return "", agentInput{}, err
	}
	c, err := a.openSurge(ctx, sweep.ID, surge)
	if err != nil {
		return "", agentInput{}, err
	}
	return c.ID, a.brief(sweep.ID, surge), nil
}
