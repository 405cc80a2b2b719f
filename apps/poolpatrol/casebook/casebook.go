package casebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/db"
)

// A Book is the casebook's tables.
type Book struct{ DB db.DB }

// A File is what the programme keeps about one case.
type File struct {
	Case         dossier.CaseID `json:"case_id"`
	Vanpool      string         `json:"vanpool_id"`
	Reason       string         `json:"reason"`
	Details      string         `json:"details"`
	FailedChecks []string       `json:"failed_checks"`
	OpenedBy     string         `json:"opened_by"`
	UpdatedBy    string         `json:"updated_by"`
	Reaudits     int            `json:"re_audits"`
	Created      time.Time      `json:"created_at"`
	Updated      time.Time      `json:"updated_at"`
}

const fileColumns = `SELECT case_id, vanpool, reason, details, failed_checks, opened_by, updated_by, reaudits, created, updated FROM poolpatrol_cases`

func scanFile(r db.Row) (File, error) {
	var f File
	var checks string
	var created, updated int64
	err := r.Scan(&f.Case, &f.Vanpool, &f.Reason, &f.Details, &checks, &f.OpenedBy, &f.UpdatedBy, &f.Reaudits, &created, &updated)
	if err != nil {
		return f, err
	}
	f.Created, f.Updated = fromMicro(created), fromMicro(updated)
	return f, json.Unmarshal([]byte(checks), &f.FailedChecks)
}

// File returns the file of a case, or dossier.NotFound if the case never came to
// anything.
func (b Book) File(ctx context.Context, id dossier.CaseID) (File, error) {
	f, err := scanFile(b.DB.QueryRow(ctx, fileColumns+` WHERE case_id = $1`, string(id)))
	if errors.Is(err, dossier.NotFound) {
		return File{}, dossier.Errorf(dossier.NotFound, "Pool Patrol has no case %s.", id)
	}
	return f, err
}

// Files returns every file, newest first.
func (b Book) Files(ctx context.Context) ([]File, error) {
	rows, err := b.DB.Query(ctx, fileColumns+` ORDER BY created DESC, case_id`)
	return db.Collect(rows, err, scanFile)
}

// Save writes a file. Who opened it, and when, stays as it was first written.
func (b Book) Save(ctx context.Context, f File) error {
	checks, err := json.Marshal(orNone(f.FailedChecks))
	if err != nil {
		return fmt.Errorf("encode checks of %s: %w", f.Case, err)
	}
	_, err = b.DB.Exec(ctx, `INSERT INTO poolpatrol_cases (case_id, vanpool, reason, details, failed_checks, opened_by, updated_by, reaudits, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (case_id) DO UPDATE SET reason = excluded.reason, details = excluded.details, failed_checks = excluded.failed_checks,
		updated_by = excluded.updated_by, reaudits = excluded.reaudits, updated = excluded.updated`,
		string(f.Case), f.Vanpool, f.Reason, f.Details, string(checks), f.OpenedBy, f.UpdatedBy, f.Reaudits, f.Created.UnixMicro(), f.Updated.UnixMicro())
	if err != nil {
		return fmt.Errorf("save case %s: %w", f.Case, err)
	}
	return nil
}

// A Removal is a membership that was cancelled.
type Removal struct {
	Case     dossier.CaseID `json:"case_id"`
	Vanpool  string         `json:"vanpool_id"`
	Employee string         `json:"employee_id"`
	Checks   []string       `json:"failed_checks"`
	Approver string         `json:"approver"`
	Model    string         `json:"model"`
	At       time.Time      `json:"at"`
	Reversed time.Time      `json:"reversed_at,omitzero"` // zero: it stands
}

// Removed records a removal. Recording it twice changes nothing.
func (b Book) Removed(ctx context.Context, r Removal) error {
	checks, err := json.Marshal(orNone(r.Checks))
	if err != nil {
		return fmt.Errorf("encode checks: %w", err)
	}
	_, err = b.DB.Exec(ctx, `INSERT INTO poolpatrol_removals (case_id, vanpool, employee, checks, approver, model, at, reversed) VALUES ($1, $2, $3, $4, $5, $6, $7, 0)
		ON CONFLICT (case_id, employee) DO NOTHING`, string(r.Case), r.Vanpool, r.Employee, string(checks), r.Approver, r.Model, r.At.UnixMicro())
	if err != nil {
		return fmt.Errorf("record removal of %s: %w", r.Employee, err)
	}
	return nil
}

// Reversed marks the newest standing removal of a rider as undone, and reports
// whether there was one.
func (b Book) Reversed(ctx context.Context, vanpool, employee string, at time.Time) (bool, error) {
	n, err := b.DB.Exec(ctx, `UPDATE poolpatrol_removals SET reversed = $1 WHERE vanpool = $2 AND employee = $3 AND reversed = 0`,
		at.UnixMicro(), vanpool, employee)
	if err != nil {
		return false, fmt.Errorf("reverse removal of %s: %w", employee, err)
	}
	return n > 0, nil
}

// Removals returns removals, oldest first: those of one case if id is not "".
func (b Book) Removals(ctx context.Context, id dossier.CaseID) ([]Removal, error) {
	query, args := `SELECT case_id, vanpool, employee, checks, approver, model, at, reversed FROM poolpatrol_removals`, []any{}
	if id != "" {
		query, args = query+` WHERE case_id = $1`, append(args, string(id))
	}
	rows, err := b.DB.Query(ctx, query+` ORDER BY at, employee`, args...)
	return db.Collect(rows, err, func(r db.Row) (Removal, error) {
		var m Removal
		var checks string
		var at, reversed int64
		if err := r.Scan(&m.Case, &m.Vanpool, &m.Employee, &checks, &m.Approver, &m.Model, &at, &reversed); err != nil {
			return m, err
		}
		m.At, m.Reversed = fromMicro(at), fromMicro(reversed)
		return m, json.Unmarshal([]byte(checks), &m.Checks)
	})
}

// An Audit is one look at a van.
type Audit struct {
	Run     dossier.RunID  `json:"run_id"`
	Vanpool string         `json:"vanpool_id"`
	Case    dossier.CaseID `json:"case_id"`
	Trigger string         `json:"trigger"` // audit, reply, timeout, counter_evidence
	Status  string         `json:"status"`
	At      time.Time      `json:"at"`
	Took    time.Duration  `json:"took_ns"`
}

// Audited records a look at a van, once per run.
func (b Book) Audited(ctx context.Context, a Audit) error {
	_, err := b.DB.Exec(ctx, `INSERT INTO poolpatrol_audits (run_id, vanpool, case_id, cause, status, at, took) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (run_id) DO UPDATE SET status = excluded.status, took = excluded.took`,
		string(a.Run), a.Vanpool, string(a.Case), a.Trigger, a.Status, a.At.UnixMicro(), a.Took.Microseconds())
	if err != nil {
		return fmt.Errorf("record audit of %s: %w", a.Vanpool, err)
	}
	return nil
}

// LastAudits returns the newest look at each of these vans.
func (b Book) LastAudits(ctx context.Context, vans []string) (map[string]Audit, error) {
	out := map[string]Audit{}
	if len(vans) == 0 {
		return out, nil
	}
	those, args := db.In("vanpool", vans)
	rows, err := b.DB.Query(ctx, auditColumns+` WHERE `+those+` ORDER BY at, run_id`, args...)
	audits, err := db.Collect(rows, err, scanAudit)
	for _, a := range audits {
		out[a.Vanpool] = a
	}
	return out, err
}

const auditColumns = `SELECT run_id, vanpool, case_id, cause, status, at, took FROM poolpatrol_audits`

func scanAudit(r db.Row) (Audit, error) {
	var a Audit
	var at, took int64
	err := r.Scan(&a.Run, &a.Vanpool, &a.Case, &a.Trigger, &a.Status, &at, &took)
	a.At, a.Took = fromMicro(at), time.Duration(took)*time.Microsecond
	return a, err
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func fromMicro(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

func toMicro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
