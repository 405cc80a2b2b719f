package airshed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dossier"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/ingest"
	"dossier/apps/airshed/render"
	"dossier/internal/geo"
)

// document gathers what the pages of a report show.
func (a *airshed) document(ctx context.Context, id string) (render.Document, error) {
	if err := checkID(id); err != nil {
		return render.Document{}, err
	}
	kept, err := a.book.Report(ctx, id)
	if err != nil {
		return render.Document{}, err
	}
	d := render.Document{Report: kept.Report, Filed: kept.Result, VerifyURL: a.URL + "/api/v1/cases/" + kept.Report.CaseID + "/bundle"}
	if d.Signer, d.SignedAt, err = a.signer(ctx, dossier.CaseID(kept.Report.CaseID)); err != nil {
		return render.Document{}, err
	}
	f, err := a.caseFile(ctx, dossier.CaseID(kept.Report.CaseID))
	if errors.Is(err, dossier.Invalid) {
		return d, nil // a report from before this product kept cases has no evidence to draw
	}
	if err != nil {
		return render.Document{}, err
	}
	for _, i := range f.Analysis.Correlation.Fires {
		d.Fires = append(d.Fires, render.Dot{Point: f.Snapshot.Fires[i].Point, State: f.Snapshot.Fires[i].State})
	}
	d.Outlines, err = a.outlines(f)
	return d, err
}

// signer returns who approved the filing of a case's report, "" if nobody has.
func (a *airshed) signer(ctx context.Context, id dossier.CaseID) (string, time.Time, error) {
	approvals, err := a.Desk.Approvals(ctx, id)
	if err != nil {
		return "", time.Time{}, err
	}
	for _, ap := range approvals {
		if ap.Tool == sendName && ap.Status == dossier.Approved && len(ap.Decisions) > 0 {
			last := ap.Decisions[len(ap.Decisions)-1]
			return last.By.Name, last.At, nil
		}
	}
	return "", time.Time{}, nil
}

// outlines returns the boundary lines round a case's station.
func (a *airshed) outlines(f casefile.File) ([][][2]float64, error) {
	b, err := a.cfg.boundaries()
	if err != nil || b == nil {
		return nil, err
	}
	c, reach := f.Settings.Station.Point, f.Settings.Rules.RadiusKm*1.6
	return b.Outlines(geo.Point{Lat: c.Lat - reach/111, Lon: c.Lon - reach/95}, geo.Point{Lat: c.Lat + reach/111, Lon: c.Lon + reach/95}, 160), nil
}

// boundaries reads the configured boundary files, nil if there are none.
func (c Config) boundaries() (*ingest.Boundaries, error) {
	if len(c.Boundaries) == 0 {
		return nil, nil //nolint:nilnil // no boundaries are a configuration, not a failure
	}
	var all [][]byte
	for _, name := range c.Boundaries {
		raw, err := os.ReadFile(name)
		if err := unreadable(name, "Check --boundaries and apps.airshed.boundaries.", err); err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	b, err := ingest.ReadBoundaries(all...)
	if err != nil {
		return nil, fmt.Errorf("read boundaries: %w", err)
	}
	return b, nil
}
