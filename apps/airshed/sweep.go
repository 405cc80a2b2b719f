package airshed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/observe"
	"dossier/internal/app"
)

// sweep reads the newest object of the lake and opens a case, with a run of the agent,
// for every surge that has none.
func (a *airshed) sweep(ctx context.Context, cause string) (book.Sweep, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(a.cfg.ExecutionTimeoutMinutes*float64(time.Minute)))
	defer cancel()
	s := book.Sweep{ID: a.NewID("sweep-"), At: a.Now().UTC(), Cause: cause, Cases: []dossier.CaseID{}}
	snap, problems, err := a.load(ctx, &s)
	s.Problems = problems
	if err != nil {
		s.Status, s.Detail = book.SweepFailed, dossier.Message(err)
		if errors.Is(err, observe.ErrNoReadings) {
			a.Log.ErrorContext(ctx, "critical: CPCB data missing, no report can be made", "sweep", s.ID, "object", s.Object.Locator(), "error", err)
		}
		return s, errors.Join(err, a.book.PutSweep(context.WithoutCancel(ctx), s, nil))
	}
	age, fresh := snap.Age(s.At, a.cfg.rules().MaxAge)
	if !fresh {
		s.Status = book.SweepStale
		s.Detail = snap.Staleness(s.At, a.cfg.rules().MaxAge)
		a.Log.WarnContext(ctx, "sensor data is stale", "sweep", s.ID, "age_hours", age.Hours())
		return s, a.book.PutSweep(ctx, s, nil)
	}
	w := correlate.FindSurges(snap.Readings, a.cfg.stations(), s.At, a.cfg.rules())
	s.Problems = append(s.Problems, w.Notes...)
	s.Surges = len(w.Surges)
	err = a.DB.InTx(ctx, func(ctx context.Context) error { return a.openCases(ctx, &s, snap, w) })
	if err != nil {
		return s, fmt.Errorf("sweep %s: %w", s.ID, err)
	}
	a.Log.InfoContext(ctx, "sweep", "sweep", s.ID, "cause", cause, "status", s.Status, "surges", s.Surges, "new_cases", s.NewCases)
	return s, nil
}

// load reads the newest object and decodes it.
func (a *airshed) load(ctx context.Context, s *book.Sweep) (observe.Snapshot, []string, error) {
	obj, err := a.lake.Latest(ctx, a.cfg.Prefix)
	if err != nil {
		return observe.Snapshot{}, nil, err
	}
	s.Object = obj
	snap, problems, err := observe.Decode(obj.Data)
	if err != nil {
		return observe.Snapshot{}, observe.Sentences(problems), err
	}
	if err := a.lake.Remember(a.cfg.Prefix, obj); err != nil {
		a.Log.WarnContext(ctx, "the last good object could not be kept", "error", err)
	}
	s.Object.Data = nil // read; the sweep outlives it
	return snap, observe.Sentences(problems), nil
}

// openCases opens what is new, in one transaction with the sweep itself. Other sweeps
// wait meanwhile, so that two at once cannot both find a surge new.
func (a *airshed) openCases(ctx context.Context, s *book.Sweep, snap observe.Snapshot, w correlate.Watch) error {
	if err := a.book.LockSurges(ctx); err != nil {
		return err
	}
	if err := a.book.PutReadings(ctx, w.Series); err != nil {
		return err
	}
	var fresh []correlate.Surge
	for _, surge := range correlate.Distinct(w.Surges, a.cfg.rules()) {
		id, err := a.caseOf(ctx, surge)
		if err == nil && id != "" {
			err = a.takeUp(ctx, s, id, surge)
		}
		if err != nil {
			return err
		}
		if id == "" {
			fresh = append(fresh, surge)
		}
	}
	if n := len(s.Runs); n > 0 {
		s.Detail = "Work on " + correlate.Count(n, "case") + " that had ended without a decision was taken up again."
	}
	s.NewCases = len(fresh)
	switch {
	case len(fresh) > 0:
		s.Status = book.SweepReported
	case len(w.Surges) > 0:
		s.Status = book.SweepKnown
	default:
		s.Status = book.SweepQuiet
	}
	var kept []byte
	if len(fresh) > 0 {
		var err error
		if kept, err = json.Marshal(snap); err != nil {
			return fmt.Errorf("encode snapshot: %w", err)
		}
	}
	if err := a.book.PutSweep(ctx, *s, kept); err != nil {
		return err
	}
	for _, surge := range fresh {
		if err := a.openCase(ctx, s, surge); err != nil {
			return err
		}
	}
	return nil
}

// caseOf returns the case of a surge, "" if it has none, and stretches that case's run
// to what is seen now.
func (a *airshed) caseOf(ctx context.Context, s correlate.Surge) (dossier.CaseID, error) {
	known, err := a.book.Known(ctx, s.Name)
	if err != nil || len(known) == 0 {
		return "", err
	}
	samples, err := a.book.Samples(ctx, s.Name)
	if err != nil {
		return "", err
	}
	for _, k := range known {
		if correlate.SameSurge(s, k.Reported, samples, a.cfg.rules()) {
			return k.Case, a.book.Stretch(ctx, k, s)
		}
	}
	return "", nil
}

// takeUp starts the agent again on a case whose runs all ended before anybody decided on
// a report: a surge that has a case was not for that reported.
func (a *airshed) takeUp(ctx context.Context, s *book.Sweep, id dossier.CaseID, surge correlate.Surge) error {
	c, err := a.Desk.Case(ctx, id)
	if err != nil || c.State == dossier.Closed {
		return err
	}
	if d, err := a.book.ReportOf(ctx, id); err == nil && d.Status != book.Drafted || err != nil && !errors.Is(err, dossier.NotFound) {
		return err
	}
	runs, err := a.Desk.Runs(ctx, id)
	if err != nil || slices.ContainsFunc(runs, func(r dossier.Run) bool { return !r.Status.Ended() }) {
		return err
	}
	return a.start(ctx, s, id, surge)
}

func (a *airshed) openCase(ctx context.Context, s *book.Sweep, surge correlate.Surge) error {
	c, err := a.openSurge(ctx, s.ID, surge)
	if err != nil || c.ID == "" {
		return err
	}
	return a.start(ctx, s, c.ID, surge)
}

// start has the agent work on a case.
func (a *airshed) start(ctx context.Context, s *book.Sweep, id dossier.CaseID, surge correlate.Surge) error {
	run, err := a.Desk.Start(ctx, app.Start{Case: id, Agent: agentName, For: dossier.SystemPrincipal, Input: a.brief(s.ID, surge)})
	if err != nil {
		return fmt.Errorf("start the run on case %s: %w", id, err)
	}
	s.Cases, s.Runs = append(s.Cases, id), append(s.Runs, run.ID)
	return nil
}

// openSurge opens the case of a surge; the case is empty if there is one already.
func (a *airshed) openSurge(ctx context.Context, sweep string, surge correlate.Surge) (dossier.Case, error) {
	c, fresh, err := a.Desk.Open(ctx, app.Opening{
		Subject: surge.Subject(), Title: fmt.Sprintf("%s: index %v on %s", surge.Name, surge.AQI, surge.Time.Format("2 January 2006 15:04 UTC")),
		State: dossier.Open, Stage: Analysis, By: dossier.SystemPrincipal,
	})
	if err != nil {
		return dossier.Case{}, fmt.Errorf("open case about %s: %w", surge.Subject(), err)
	}
	if !fresh {
		return dossier.Case{}, nil
	}
	return c, a.book.PutSurge(ctx, c.ID, sweep, surge)
}

// brief is what the agent is told of a surge.
func (a *airshed) brief(sweep string, surge correlate.Surge) agentInput {
	return agentInput{Station: surge.Name, Surge: surge.Time.UTC().Format(time.RFC3339), BucketName: a.lake.Name(), Prefix: a.cfg.Prefix, SweepID: sweep}
}

// watch sweeps if the lake's newest object is one that no sweep has read.
func (a *airshed) watch(ctx context.Context) error {
	obj, err := a.lake.Latest(ctx, a.cfg.Prefix)
	if errors.Is(err, dossier.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if seen, err := a.book.SeenObject(ctx, obj); err != nil || seen || obj.FromCache {
		return err
	}
	_, err = a.sweep(ctx, "watch")
	return err
}
