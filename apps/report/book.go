package report

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/rating"
	"dossier/internal/db"
)

// A record is a report as it is stored.
type record struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	DataRoot string    `json:"data_root"` // relative to the configured root
	Map      string    `json:"-"`
	Outline  string    `json:"outline"`
	Version  int64     `json:"version"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// A stored draft is one round of one section.
type stored struct {
	Report  string         `json:"report"`
	Section string         `json:"section"`
	Round   int            `json:"round"`
	Text    string         `json:"text"`
	Verdict draft.Verdict  `json:"verdict"`
	Status  string         `json:"status"` // draft, final or sent_back
	Prompt  string         `json:"prompt_version"`
	Run     dossier.RunID  `json:"run"`
	Case    dossier.CaseID `json:"case"`
	Created time.Time      `json:"created"`
}

// A review is what a person said of a draft.
type review struct {
	ID       string         `json:"id"`
	Report   string         `json:"report"`
	Section  string         `json:"section"`
	Round    int            `json:"round"`
	Ratings  map[string]int `json:"ratings"`
	Notes    string         `json:"notes"`
	Comments []comment      `json:"comments"`
	By       string         `json:"by"`
	Created  time.Time      `json:"created"`
}

// A comment is a remark on one sentence of a draft.
type comment struct {
	Quote string `json:"quote"`
	Text  string `json:"text"`
}

// book keeps reports, drafts, reviews and evaluations in the app's tables.
type book struct{ db db.DB }

func (b book) add(ctx context.Context, r record) error {
	_, err := b.db.Exec(ctx, `INSERT INTO report_reports (id, title, data_root, chart_map, outline, version, created, updated)
		VALUES ($1, $2, $3, $4, $5, 1, $6, $6) ON CONFLICT (id) DO NOTHING`, r.ID, r.Title, r.DataRoot, r.Map, r.Outline, r.Created.UnixMicro())
	return err
}

const reportColumns = "id, title, data_root, chart_map, outline, version, created, updated"

func scanReport(row db.Row) (record, error) {
	var r record
	var created, updated int64
	err := row.Scan(&r.ID, &r.Title, &r.DataRoot, &r.Map, &r.Outline, &r.Version, &created, &updated)
	r.Created, r.Updated = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return r, err
}

func (b book) report(ctx context.Context, id string) (record, error) {
	r, err := scanReport(b.db.QueryRow(ctx, "SELECT "+reportColumns+" FROM report_reports WHERE id = $1", id))
	if dossier.KindOf(err) == dossier.NotFound && err != nil {
		return r, dossier.Errorf(dossier.NotFound, "There is no report %q.", id)
	}
	return r, err
}

func (b book) reports(ctx context.Context) ([]record, error) {
	rows, err := b.db.Query(ctx, "SELECT "+reportColumns+" FROM report_reports ORDER BY created DESC, id LIMIT 200")
	return db.Collect(rows, err, scanReport)
}

// hold takes the report's row until the transaction ends: who else wants it waits.
func (b book) hold(ctx context.Context, id string) error {
	n, err := b.db.Exec(ctx, "UPDATE report_reports SET version = version WHERE id = $1", id)
	if err == nil && n == 0 {
		return dossier.Errorf(dossier.NotFound, "There is no report %q.", id)
	}
	return err
}

// change takes the report's row for itself, lets fn make a new outline of the one it
// holds, and stores that. Two sections written at once follow each other.
func (b book) change(ctx context.Context, id string, now time.Time, fn func(record) ([]byte, error)) error {
	return b.db.InTx(ctx, func(ctx context.Context) error {
		if err := b.hold(ctx, id); err != nil {
			return err
		}
		r, err := b.report(ctx, id)
		if err != nil {
			return err
		}
		text, err := fn(r)
		if err != nil {
			return err
		}
		_, err = b.db.Exec(ctx, "UPDATE report_reports SET outline = $2, version = version + 1, updated = $3 WHERE id = $1", id, string(text), now.UnixMicro())
		return err
	})
}

const draftColumns = "report, section, round, text, verdict, status, prompt, run, case_id, created"

func scanDraft(row db.Row) (stored, error) {
	var d stored
	var verdict string
	var created int64
	if err := row.Scan(&d.Report, &d.Section, &d.Round, &d.Text, &verdict, &d.Status, &d.Prompt, &d.Run, &d.Case, &created); err != nil {
		return d, err
	}
	d.Created = time.UnixMicro(created).UTC()
	if err := json.Unmarshal([]byte(verdict), &d.Verdict); err != nil {
		return d, fmt.Errorf("verdict of %s round %d: %w", d.Section, d.Round, err)
	}
	return d, nil
}

// drafts returns the rounds of a section, or of all sections with "", oldest first.
func (b book) drafts(ctx context.Context, report, section string) ([]stored, error) {
	rows, err := b.db.Query(ctx, "SELECT "+draftColumns+" FROM report_drafts WHERE report = $1 AND ($2 = '' OR section = $2) ORDER BY section, round", report, section)
	return db.Collect(rows, err, scanDraft)
}

// latest returns the newest draft of a section, false if there is none.
func (b book) latest(ctx context.Context, report, section string) (stored, bool, error) {
	all, err := b.drafts(ctx, report, section)
	if err != nil || len(all) == 0 {
		return stored{}, false, err
	}
	return all[len(all)-1], true, nil
}

func (b book) addDraft(ctx context.Context, d stored) error {
	verdict, err := json.Marshal(d.Verdict)
	if err != nil {
		return fmt.Errorf("encode verdict: %w", err)
	}
	_, err = b.db.Exec(ctx, "INSERT INTO report_drafts ("+draftColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		d.Report, d.Section, d.Round, d.Text, string(verdict), d.Status, d.Prompt, string(d.Run), string(d.Case), d.Created.UnixMicro())
	return err
}

// settle sets the status of a draft.
func (b book) settle(ctx context.Context, report, section string, round int, status string) error {
	_, err := b.db.Exec(ctx, "UPDATE report_drafts SET status = $4 WHERE report = $1 AND section = $2 AND round = $3", report, section, round, status)
	return err
}

func (b book) addReview(ctx context.Context, r review, by dossier.Principal) error {
	ratings, err := json.Marshal(r.Ratings)
	if err != nil {
		return fmt.Errorf("encode ratings: %w", err)
	}
	comments, err := json.Marshal(r.Comments)
	if err != nil {
		return fmt.Errorf("encode comments: %w", err)
	}
	_, err = b.db.Exec(ctx, `INSERT INTO report_reviews (id, report, section, round, ratings, notes, comments, by_id, by_name, created)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		r.ID, r.Report, r.Section, r.Round, string(ratings), r.Notes, string(comments), by.ID, by.Name, r.Created.UnixMicro())
	return err
}

func (b book) reviews(ctx context.Context, report string) ([]review, error) {
	rows, err := b.db.Query(ctx, "SELECT id, report, section, round, ratings, notes, comments, by_name, created FROM report_reviews WHERE report = $1 ORDER BY created, id", report)
	return db.Collect(rows, err, func(row db.Row) (review, error) {
		var r review
		var ratings, comments string
		var created int64
		if err := row.Scan(&r.ID, &r.Report, &r.Section, &r.Round, &ratings, &r.Notes, &comments, &r.By, &created); err != nil {
			return r, err
		}
		r.Created = time.UnixMicro(created).UTC()
		if err := json.Unmarshal([]byte(ratings), &r.Ratings); err != nil {
			return r, fmt.Errorf("ratings of review %s: %w", r.ID, err)
		}
		return r, json.Unmarshal([]byte(comments), &r.Comments)
	})
}

func (b book) addEval(ctx context.Context, report string, r *rating.Run) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode evaluation: %w", err)
	}
	n, err := b.db.Exec(ctx, `INSERT INTO report_evaluations (id, report, record, created) VALUES ($1, $2, $3, $4)
		ON CONFLICT (report, id) DO NOTHING`, r.RunID, report, string(raw), r.Timestamp.UnixMicro())
	if err == nil && n == 0 {
		return dossier.Errorf(dossier.Conflict, "This report has a record %q already; choose another name.", r.RunID)
	}
	return err
}

func (b book) evals(ctx context.Context, report string) ([]*rating.Run, error) {
	rows, err := b.db.Query(ctx, "SELECT record FROM report_evaluations WHERE report = $1 ORDER BY created, id", report)
	return db.Collect(rows, err, func(row db.Row) (*rating.Run, error) {
		var raw string
		if err := row.Scan(&raw); err != nil {
			return nil, err
		}
		return rating.Parse([]byte(raw))
	})
}
