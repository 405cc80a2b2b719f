package casebook

import (
	"context"
	"fmt"
	"time"

	"dossier/internal/db"
)

// A Week is one week of audits, by its Monday.
type Week struct {
	Monday  string `json:"monday"`
	Audits  int    `json:"audits"`
	Flagged int    `json:"flagged"` // audits that did not end as verified
}

// Totals sum up every audit.
type Totals struct {
	Vans  int           // that were audited
	Took  time.Duration // together
	Weeks []Week        // those with an audit, in order
}

// Totals counts in the database: a large fleet has millions of rows.
func (b Book) Totals(ctx context.Context) (t Totals, err error) {
	// The first of January 1970 was a Thursday.
	rows, err := b.DB.Query(ctx, `SELECT (at / 86400000000 + 3) / 7, COUNT(*), SUM(CASE WHEN status = 'verified' THEN 0 ELSE 1 END), CAST(SUM(took) AS BIGINT)
		FROM poolpatrol_audits GROUP BY 1 ORDER BY 1`)
	t.Weeks, err = db.Collect(rows, err, func(r db.Row) (w Week, err error) {
		var week, took int64
		err = r.Scan(&week, &w.Audits, &w.Flagged, &took)
		w.Monday = time.Unix((week*7-3)*86400, 0).UTC().Format(time.DateOnly)
		t.Took += time.Duration(took) * time.Microsecond
		return w, err
	})
	if err != nil {
		return t, fmt.Errorf("count audits: %w", err)
	}
	err = b.DB.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT vanpool FROM poolpatrol_audits GROUP BY vanpool) AS vans`).Scan(&t.Vans)
	if err != nil {
		return t, fmt.Errorf("count audited vans: %w", err)
	}
	return t, nil
}

// TookAt returns how long the audit took that stands at a place, from 0, when all are
// ordered by how long they took.
func (b Book) TookAt(ctx context.Context, place int) (time.Duration, error) {
	var took int64
	if err := b.DB.QueryRow(ctx, `SELECT took FROM poolpatrol_audits ORDER BY took LIMIT 1 OFFSET $1`, place).Scan(&took); err != nil {
		return 0, fmt.Errorf("duration of an audit: %w", err)
	}
	return time.Duration(took) * time.Microsecond, nil
}
