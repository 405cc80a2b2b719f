package store_test

import (
	"strings"
	"testing"

	"dossier/internal/db"
	"dossier/internal/store/storetest"
)

// TestSweepReadsIndexes checks that looking for what is due does not read everything
// that waits: it is done every two seconds, whether ten cases wait or ten thousand.
func TestSweepReadsIndexes(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, "sqlite")
	for query, index := range map[string]string{
		"SELECT id, title FROM approvals WHERE status = 'pending' AND expires > 0 AND expires <= $1 LIMIT 500": "approvals_expires",
		`SELECT id, title FROM approvals WHERE status = 'pending' AND reminded = 0 AND remind > 0 AND remind <= $1
			AND (expires = 0 OR expires > $1) LIMIT 500`: "approvals_remind",
		"SELECT count(*) FROM due WHERE state = 'queued' AND claimed < $1":                                  "due_queued",
		"SELECT count(*) FROM due WHERE state = 'waiting' AND at <= $1":                                     "due_at",
		"SELECT app, id, moved FROM runs WHERE status = 'ready' AND (moved <= $1 OR moved_by = 'node-1')":   "runs_ready",
		"SELECT id, title FROM approvals WHERE status IN ('pending') ORDER BY asked DESC, id DESC LIMIT $1": "approvals_asked",
		"SELECT id FROM cases WHERE app IN ('a') ORDER BY opened DESC, id DESC LIMIT $1":                    "cases_app_opened",
		"SELECT id FROM events WHERE case_id = 'a' AND case_id <> '' AND id > $1 ORDER BY id LIMIT 5":       "events_case",
	} {
		rows, err := s.DB().Query(t.Context(), "EXPLAIN QUERY PLAN "+query, 1)
		plan, err := db.Collect(rows, err, func(r db.Row) (line string, err error) {
			var a, b, c int
			err = r.Scan(&a, &b, &c, &line)
			return line, err
		})
		if all := strings.Join(plan, "; "); err != nil || !strings.Contains(all, index) || strings.Contains(all, "TEMP B-TREE") {
			t.Errorf("%s\n\tis done by %s (%v)", query, all, err)
		}
	}
}
