// Package dryrun says what a sweep would report of an object, without recording, filing
// or sending anything.
//
// [Of] applies the same rules and composes the same reports as a sweep and its agent do,
// from nothing but the object's bytes, so the same file gives the same answer to the
// byte. It knows no history: what earlier sweeps stored has no part in it.
package dryrun

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
)

// An Outcome is what an analysis found.
type Outcome struct {
	SweepID  string                    `json:"sweep_id"`
	Status   string                    `json:"status"` // as a sweep's
	Reports  []legal.Report            `json:"reports"`
	Stations []correlate.BorderStation `json:"stations"`
	Notes    []string                  `json:"notes"`
	Error    string                    `json:"error,omitempty"`
	Details  string                    `json:"details,omitempty"`
}

// Of judges an object as of a time; zero means its own. Reports are numbered from 001
// as they would be on a day without others. The error is that the object cannot be
// used; the outcome says so too.
func Of(name string, raw []byte, at time.Time, stations []correlate.Station, r correlate.Rules) (Outcome, error) {
	sum := sha256.Sum256(raw)
	sha := hex.EncodeToString(sum[:])
	o := Outcome{SweepID: "sweep-" + sha[:8], Reports: []legal.Report{}, Stations: []correlate.BorderStation{}, Notes: []string{}}
	snap, problems, err := observe.Decode(raw)
	o.Notes = append(o.Notes, observe.Sentences(problems)...)
	if err != nil {
		o.Status, o.Error, o.Details = book.SweepFailed, "Sensor data invalid", dossier.Message(err)
		if errors.Is(err, observe.ErrNoReadings) {
			o.Error = "CPCB data missing"
		}
		return o, err
	}
	if at.IsZero() {
		at = snap.Time
	}
	if _, fresh := snap.Age(at, r.MaxAge); !fresh {
		o.Status = book.SweepStale
		o.Details = snap.Staleness(at, r.MaxAge)
		return o, nil
	}
	w, all := correlate.Analyse(snap, stations, at, nil, r)
	o.Stations, o.Notes, o.Status = append(o.Stations, w.Stations...), append(o.Notes, w.Notes...), book.SweepQuiet
	obj := lake.Object{Bucket: "file:", Key: name, SHA256: sha}
	distinct := correlate.Distinct(w.Surges, r)
	for _, a := range all {
		if !slices.ContainsFunc(distinct, func(s correlate.Surge) bool { return s.Name == a.Surge.Name && s.Time.Equal(a.Surge.Time) }) {
			continue
		}
		o.Status = book.SweepReported
		o.Reports = append(o.Reports, legal.Compose(legal.Input{
			ID: fmt.Sprintf("CAQM-%s-%03d", at.UTC().Format(time.DateOnly), len(o.Reports)+1), Now: at, Sweep: o.SweepID, Analysis: a,
			Quality: casefile.QualityOf(snap, at, observe.Sentences(problems), a, r), Sources: casefile.SourcesOf(snap, obj, at), Rules: r,
		}))
	}
	return o, nil
}

// Text writes the outcome for people. The details of an error are left to whoever
// tells the error.
func (o Outcome) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n", o.SweepID, strings.ReplaceAll(o.Status, "_", " "))
	switch {
	case o.Error != "":
		fmt.Fprintln(w, o.Error+".")
	case o.Details != "":
		fmt.Fprintln(w, o.Details)
	}
	for _, s := range o.Stations {
		fmt.Fprintf(w, "  %-12s index %v at %s\n", s.Name, s.AQI, s.Time.Format(time.RFC3339))
	}
	for _, r := range o.Reports {
		fmt.Fprintf(w, "\n%s  confidence %v  conclusion %s\n%s\n%s\n", r.ReportID, r.ConfidenceScore, r.Conclusion, r.ExecutiveSummary, r.Reasoning)
		fmt.Fprintf(w, "Wind: %s\n%s\n", r.Transport.Reason, r.WeakestLink.Sentence())
	}
	for _, n := range o.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	return nil
}
