// Package book is the app's own tables: sweeps, the surges that have a case, reports
// and their numbers, and the readings that history is made of.
//
// Each method is one statement or a few that belong together, with the same text for
// SQLite and PostgreSQL; made with a context that carries a transaction, they join it.
// The package keeps what it is given and decides nothing.
package book

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
	"dossier/internal/db"
)

// A Book is the app's tables in one database.
type Book struct{ db.DB }

// A Sweep is one look at the lake.
type Sweep struct {
	ID       string           `json:"sweep_id"`
	At       time.Time        `json:"at"`
	Cause    string           `json:"cause"` // "schedule", "event", "watch", "command"
	Object   lake.Object      `json:"object"`
	Status   string           `json:"status"` // "reported", "known", "no_surge", "stale", "error"
	Detail   string           `json:"detail,omitempty"`
	Surges   int              `json:"surges"`
	Cases    []dossier.CaseID `json:"cases"` // opened by it, or taken up again
	NewCases int              `json:"new_cases"`
	Problems []string         `json:"problems,omitempty"`
	Runs     []dossier.RunID  `json:"runs,omitempty"`
}

// The statuses of a sweep.
const (
	SweepReported = "reported" // at least one new surge: a case is open
	SweepKnown    = "known"    // every surge has its case already
	SweepQuiet    = "no_surge"
	SweepStale    = "stale" // the data is too old to act on
	SweepFailed   = "error"
)

// PutSweep records a sweep, with the object it read where a case needs it.
func (b Book) PutSweep(ctx context.Context, s Sweep, snapshot []byte) error {
	packed, err := pack(snapshot)
	if err != nil {
		return err
	}
	problems, err := json.Marshal(s.Problems)
	if err != nil {
		return fmt.Errorf("encode problems: %w", err)
	}
	_, err = b.Exec(ctx, `INSERT INTO airshed_sweeps (id, at, cause, bucket, object_key, object_sha, from_cache, status, detail, surges, cases, problems, snapshot)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		s.ID, s.At.UnixMicro(), s.Cause, s.Object.Bucket, s.Object.Key, s.Object.SHA256, flag(s.Object.FromCache), s.Status, s.Detail, s.Surges, s.NewCases, string(problems), packed)
	return err
}

const sweepColumns = `id, at, cause, bucket, object_key, object_sha, from_cache, status, detail, surges, cases, problems`

func scanSweep(r db.Row) (Sweep, error) {
	var s Sweep
	var at, cached int64
	var problems string
	if err := r.Scan(&s.ID, &at, &s.Cause, &s.Object.Bucket, &s.Object.Key, &s.Object.SHA256, &cached, &s.Status, &s.Detail, &s.Surges, &s.NewCases, &problems); err != nil {
		return s, err
	}
	s.At, s.Object.FromCache = moment(at), cached == 1
	return s, json.Unmarshal([]byte(problems), &s.Problems)
}

// Sweeps lists sweeps, newest first.
func (b Book) Sweeps(ctx context.Context, limit int) ([]Sweep, error) {
	rows, err := b.Query(ctx, `SELECT `+sweepColumns+` FROM airshed_sweeps ORDER BY at DESC, id LIMIT $1`, limit)
	return db.Collect(rows, err, scanSweep)
}

// SeenObject reports whether some sweep has read the object already.
func (b Book) SeenObject(ctx context.Context, o lake.Object) (bool, error) {
	var n int
	err := b.QueryRow(ctx, `SELECT COUNT(*) FROM airshed_sweeps WHERE bucket = $1 AND object_key = $2 AND object_sha = $3 AND status <> $4`, o.Bucket, o.Key, o.SHA256, SweepFailed).Scan(&n)
	return n > 0, err
}

// SnapshotOf returns the sweep of a case and the object it read.
func (b Book) SnapshotOf(ctx context.Context, id dossier.CaseID) (Sweep, correlate.Reported, []byte, error) {
	var old correlate.Reported
	var sweep, packed string
	var at, from, to int64
	err := b.QueryRow(ctx, `SELECT s.sweep_id, s.station, s.at, s.run_from, s.run_to, w.snapshot FROM airshed_surges s JOIN airshed_sweeps w ON w.id = s.sweep_id WHERE s.case_id = $1`, string(id)).
		Scan(&sweep, &old.Station, &at, &from, &to, &packed)
	if err != nil {
		return Sweep{}, old, nil, err
	}
	old.Time, old.From, old.To = moment(at), moment(from), moment(to)
	s, err := scanSweep(b.QueryRow(ctx, `SELECT `+sweepColumns+` FROM airshed_sweeps WHERE id = $1`, sweep))
	if err != nil {
		return Sweep{}, old, nil, err
	}
	data, err := unpack(packed)
	return s, old, data, err
}

// LockSurges makes other sweeps wait until this transaction ends, so that two at once
// see each other's surges.
func (b Book) LockSurges(ctx context.Context) error {
	_, err := b.Exec(ctx, `INSERT INTO airshed_sequence (day, last) VALUES ('lock', 1) ON CONFLICT (day) DO UPDATE SET last = airshed_sequence.last`)
	return err
}

// Known returns the surges at a station that have a case.
func (b Book) Known(ctx context.Context, station string) ([]KnownSurge, error) {
	rows, err := b.Query(ctx, `SELECT case_id, station, at, run_from, run_to FROM airshed_surges WHERE station = $1 ORDER BY at DESC LIMIT 200`, station)
	return db.Collect(rows, err, func(r db.Row) (KnownSurge, error) {
		var k KnownSurge
		var at, from, to int64
		err := r.Scan(&k.Case, &k.Station, &at, &from, &to)
		k.Time, k.From, k.To = moment(at), moment(from), moment(to)
		return k, err
	})
}

// A KnownSurge is a surge that has a case.
type KnownSurge struct {
	correlate.Reported
	Case dossier.CaseID
}

// PutSurge ties a surge to its case.
func (b Book) PutSurge(ctx context.Context, id dossier.CaseID, sweep string, s correlate.Surge) error {
	_, err := b.Exec(ctx, `INSERT INTO airshed_surges (case_id, sweep_id, station, at, run_from, run_to, aqi) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(id), sweep, s.Name, s.Time.UnixMicro(), s.From.UnixMicro(), s.To.UnixMicro(), s.AQI)
	return err
}

// Stretch lets a known surge's run reach as far as a later sweep saw it go on.
func (b Book) Stretch(ctx context.Context, k KnownSurge, s correlate.Surge) error {
	from, to := k.From, k.To
	if s.From.Before(from) {
		from = s.From
	}
	if s.To.After(to) {
		to = s.To
	}
	_, err := b.Exec(ctx, `UPDATE airshed_surges SET run_from = $1, run_to = $2 WHERE case_id = $3`, from.UnixMicro(), to.UnixMicro(), string(k.Case))
	return err
}

// PutReadings keeps the indices of the border stations.
func (b Book) PutReadings(ctx context.Context, series [][]correlate.BorderStation) error {
	for _, s := range series {
		for _, r := range s {
			_, err := b.Exec(ctx, `INSERT INTO airshed_readings (station, at, aqi) VALUES ($1, $2, $3) ON CONFLICT (station, at) DO UPDATE SET aqi = excluded.aqi`, r.Name, r.Time.UnixMicro(), r.AQI)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Samples returns the stored indices of a station, oldest first.
func (b Book) Samples(ctx context.Context, station string) ([]correlate.Sample, error) {
	rows, err := b.Query(ctx, `SELECT at, aqi FROM airshed_readings WHERE station = $1 ORDER BY at`, station)
	return db.Collect(rows, err, func(r db.Row) (correlate.Sample, error) {
		var s correlate.Sample
		var at int64
		err := r.Scan(&at, &s.AQI)
		s.Time = moment(at)
		return s, err
	})
}

// NextID takes the next report id of a day.
func (b Book) NextID(ctx context.Context, now time.Time) (string, error) {
	day := now.UTC().Format(time.DateOnly)
	var n int
	err := b.QueryRow(ctx, `INSERT INTO airshed_sequence (day, last) VALUES ($1, 1) ON CONFLICT (day) DO UPDATE SET last = airshed_sequence.last + 1 RETURNING last`, day).Scan(&n)
	return fmt.Sprintf("CAQM-%s-%03d", day, n), err
}

// A Draft is a report as the app keeps it.
type Draft struct {
	Report legal.Report   `json:"report"`
	Status string         `json:"status"` // "drafted", "filed", "partially_filed", "withdrawn"
	SHA256 string         `json:"sha256"` // of Body
	Result *filing.Result `json:"result"` // nil: nothing was tried yet
	Body   []byte         `json:"-"`      // the report, encoded once
}

// A Ref names a stored report and what is in it, so that an approval is of that
// content and no other.
type Ref struct {
	ReportID        string  `json:"report_id"`
	SHA256          string  `json:"sha256" jsonschema:"digest of the draft, as generate_report_tool gave it"`
	ConfidenceScore float64 `json:"confidence_score"`
}

// Means refuses a reference to anything but the draft d of a case.
func (ref Ref) Means(d Draft, id dossier.CaseID) error {
	switch {
	case d.Report.CaseID != string(id):
		return dossier.Errorf(dossier.Invalid, "%s belongs to another case.", ref.ReportID)
	case d.SHA256 != ref.SHA256 || d.Report.ConfidenceScore != ref.ConfidenceScore:
		return dossier.Errorf(dossier.Conflict, "%s is not the draft that was meant: its digest is %s and its confidence %v.", ref.ReportID, d.SHA256, d.Report.ConfidenceScore)
	}
	return nil
}

// The statuses of a report.
const (
	Drafted   = "drafted"
	Filed     = "filed"
	PartFiled = "partially_filed"
	Withdrawn = "withdrawn"
)

// NewDraft encodes a report as it will be filed and takes its digest, which is what a
// legal officer approves and what the Commission confirms.
func NewDraft(r legal.Report) (Draft, error) {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return Draft{}, fmt.Errorf("encode report %s: %w", r.ReportID, err)
	}
	sum := sha256.Sum256(body)
	return Draft{Report: r, Status: Drafted, SHA256: hex.EncodeToString(sum[:]), Body: body}, nil
}

// PutReport stores a draft, or replaces one with the same id.
func (b Book) PutReport(ctx context.Context, r legal.Report) (Draft, error) {
	d, err := NewDraft(r)
	if err != nil {
		return Draft{}, err
	}
	s := r.SurgeDetails
	_, err = b.Exec(ctx, `INSERT INTO airshed_reports (report_id, case_id, sweep_id, station, aqi, surge_at, run_from, run_to, generated_at, confidence, status, sha256, body, result)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, '')
ON CONFLICT (report_id) DO UPDATE SET generated_at = excluded.generated_at, confidence = excluded.confidence, sha256 = excluded.sha256, body = excluded.body`,
		r.ReportID, r.CaseID, r.SweepID, s.Station, s.AQI, s.Timestamp.UnixMicro(), s.RunFrom.UnixMicro(), s.RunTo.UnixMicro(), r.Timestamp.UnixMicro(), r.ConfidenceScore, Drafted, d.SHA256, string(d.Body))
	return d, err
}

const draftColumns = `status, sha256, body, result`

func scanDraft(r db.Row) (Draft, error) {
	var d Draft
	var body, result string
	if err := r.Scan(&d.Status, &d.SHA256, &body, &result); err != nil {
		return d, err
	}
	d.Body = []byte(body)
	if err := json.Unmarshal(d.Body, &d.Report); err != nil {
		return d, fmt.Errorf("decode report: %w", err)
	}
	if result != "" {
		d.Result = &filing.Result{}
		return d, json.Unmarshal([]byte(result), d.Result)
	}
	return d, nil
}

// Report returns a report by its id.
func (b Book) Report(ctx context.Context, id string) (Draft, error) {
	d, err := scanDraft(b.QueryRow(ctx, `SELECT `+draftColumns+` FROM airshed_reports WHERE report_id = $1`, id))
	return d, named(err, "report", id)
}

// ReportOf returns the report of a case.
func (b Book) ReportOf(ctx context.Context, id dossier.CaseID) (Draft, error) {
	d, err := scanDraft(b.QueryRow(ctx, `SELECT `+draftColumns+` FROM airshed_reports WHERE case_id = $1`, string(id)))
	return d, named(err, "report of case", string(id))
}

// Reports lists reports, newest first.
func (b Book) Reports(ctx context.Context, limit int) ([]Draft, error) {
	rows, err := b.Query(ctx, `SELECT `+draftColumns+` FROM airshed_reports ORDER BY generated_at DESC, report_id DESC LIMIT $1`, limit)
	return db.Collect(rows, err, scanDraft)
}

// First reports whether no report of a lower number was made in the same second.
func (b Book) First(ctx context.Context, r legal.Report) (bool, error) {
	var n int
	err := b.QueryRow(ctx, `SELECT COUNT(*) FROM airshed_reports WHERE generated_at = $1 AND report_id < $2`, r.Timestamp.UnixMicro(), r.ReportID).Scan(&n)
	return n == 0, err
}

// Settle records what became of a filing, unless the report is filed already: what the
// Commission has taken stays taken. It reports whether it did.
func (b Book) Settle(ctx context.Context, id, status string, res *filing.Result) (bool, error) {
	text := ""
	if res != nil {
		raw, err := json.Marshal(res)
		if err != nil {
			return false, fmt.Errorf("encode result of %s: %w", id, err)
		}
		text = string(raw)
	}
	n, err := b.Exec(ctx, `UPDATE airshed_reports SET status = $1, result = $2 WHERE report_id = $3 AND status <> $4`, status, text, id, Filed)
	return n == 1, err
}

// Past returns the earlier reports that a history is made of: those that a legal officer
// let go out. What was drafted and not decided on, or taken back, proves nothing.
func (b Book) Past(ctx context.Context, before time.Time) ([]correlate.PastReport, error) {
	rows, err := b.Query(ctx, `SELECT body FROM airshed_reports WHERE surge_at < $1 AND status IN ($2, $3) ORDER BY surge_at DESC LIMIT 500`, before.UnixMicro(), Filed, PartFiled)
	return db.Collect(rows, err, func(r db.Row) (correlate.PastReport, error) {
		var body string
		if err := r.Scan(&body); err != nil {
			return correlate.PastReport{}, err
		}
		var rep legal.Report
		if err := json.Unmarshal([]byte(body), &rep); err != nil {
			return correlate.PastReport{}, fmt.Errorf("decode report: %w", err)
		}
		return pastReport(rep), nil
	})
}

func pastReport(r legal.Report) correlate.PastReport {
	s := r.SurgeDetails
	p := correlate.PastReport{Reported: correlate.Reported{ReportID: r.ReportID, Station: s.Station, Time: s.Timestamp, From: s.RunFrom, To: s.RunTo}, AQI: s.AQI}
	for _, f := range r.FireCorrelation {
		p.States = append(p.States, correlate.StateFires{State: f.State, FireCount: f.FireCount, Districts: f.Districts, AvgDistanceKm: f.AvgDistanceKm, IsHighContribution: f.IsHighContribution})
	}
	return p
}

func named(err error, what, id string) error {
	if dossier.KindOf(err) == dossier.NotFound {
		return dossier.Errorf(dossier.NotFound, "There is no %s %s.", what, id)
	}
	return err
}

func moment(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pack makes text of bytes that compress well.
func pack(data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		return "", fmt.Errorf("compress snapshot: %w", err)
	}
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("compress snapshot: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

func unpack(text string) ([]byte, error) {
	if text == "" {
		return nil, dossier.Errorf(dossier.NotFound, "The snapshot of this sweep was not kept.")
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode snapshot: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("decompress snapshot: %w", err)
	}
	defer z.Close()
	return io.ReadAll(z)
}
