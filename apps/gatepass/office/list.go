package office

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/gatepass/pass"
	"dossier/internal/db"
)

// A Query picks passes, newest first.
type Query struct {
	Status string // a filter word
	Search string // words, or beginnings of them, of name and purpose; or a pass number
	Date   string // the day of creation, 2006-01-02 in the site's time
	Page   int    // from 1
	Limit  int    // 0: 20; at most 200
}

// A Page is a part of a list.
type Page struct {
	Items []pass.Pass `json:"items"`
	Page  int         `json:"page"`
	More  bool        `json:"more"`  // there is a next page
	Total int         `json:"total"` // of all pages; counting stops at MaxTotal
}

// MaxTotal is where counting stops.
const MaxTotal = 1000

// lastPage is behind every page there can be, and small enough to reckon with.
const lastPage = 1 << 24

// List returns the passes that q picks.
func (o *Office) List(ctx context.Context, q Query) (Page, error) {
	c, err := o.where(q)
	if err != nil {
		return Page{}, err
	}
	q.Page, q.Limit = min(max(1, q.Page), lastPage), min(max(0, q.Limit), 200)
	if q.Limit == 0 {
		q.Limit = 20
	}
	if words := wordsOf(q.Search); len(words) > 0 && !c.numbered {
		return o.search(ctx, q, c, words[:min(len(words), mostWords)])
	}
	found, err := o.rows(ctx, fmt.Sprintf(`SELECT %s FROM gatepass_passes WHERE %s ORDER BY ord DESC LIMIT %s OFFSET %s`,
		columns, c.text(), c.arg(q.Limit+1), c.arg((q.Page-1)*q.Limit)), c.args...)
	if err != nil {
		return Page{}, err
	}
	out := Page{Items: found[:min(len(found), q.Limit)], Page: q.Page, More: len(found) > q.Limit}
	if q.Page == 1 && !out.More {
		out.Total = len(out.Items)
		return out, nil
	}
	c.args = c.args[:len(c.args)-2]
	err = o.DB.QueryRow(ctx, fmt.Sprintf(`SELECT COUNT(*) FROM (SELECT 1 AS one FROM gatepass_passes WHERE %s LIMIT %d) AS counted`, c.text(), MaxTotal), c.args...).Scan(&out.Total)
	if err != nil {
		return Page{}, fmt.Errorf("count passes: %w", err)
	}
	return out, nil
}

// rows returns the passes that a query selects.
func (o *Office) rows(ctx context.Context, query string, args ...any) ([]pass.Pass, error) {
	rows, err := o.DB.Query(ctx, query, args...)
	found, err := db.Collect(rows, err, o.scan)
	if err != nil {
		return nil, fmt.Errorf("list passes: %w", err)
	}
	out := make([]pass.Pass, len(found))
	for i, p := range found {
		out[i] = p.Pass
	}
	return out, nil
}

const (
	mostWords = 5    // of a search
	rareWord  = 5000 // a word of fewer passes is not counted further
)

// search finds the passes with all words: those of the rarest word are looked up and
// each is checked for the others, so that a common word costs little beside a rare one.
func (o *Office) search(ctx context.Context, q Query, c *condition, words []string) (Page, error) {
	if err := o.rarestFirst(ctx, words); err != nil {
		return Page{}, err
	}
	c.add(`hit.word >= ? AND hit.word < ? AND gatepass_passes.ord = hit.ord`, words[0], words[0]+lastRune)
	for _, w := range words[1:] {
		c.add(`EXISTS (SELECT 1 FROM gatepass_words AS other WHERE other.ord = gatepass_passes.ord AND other.word >= ? AND other.word < ?)`, w, w+lastRune)
	}
	// A cross join, so that SQLite begins with the hits; PostgreSQL finds its own way.
	rows, err := o.DB.Query(ctx, fmt.Sprintf(`SELECT DISTINCT gatepass_passes.ord FROM gatepass_words AS hit CROSS JOIN gatepass_passes
		WHERE %s ORDER BY gatepass_passes.ord DESC LIMIT %d`, c.text(), MaxTotal), c.args...)
	ords, err := db.Collect(rows, err, func(r db.Row) (n int64, err error) { return n, r.Scan(&n) })
	if err != nil {
		return Page{}, fmt.Errorf("search passes: %w", err)
	}
	out := Page{Items: []pass.Pass{}, Page: q.Page, Total: len(ords)}
	from := min((q.Page-1)*q.Limit, len(ords))
	here := ords[from:min(from+q.Limit, len(ords))]
	out.More = from+len(here) < len(ords)
	if len(here) == 0 {
		return out, nil
	}
	page := &condition{}
	marks := make([]string, len(here))
	for i, ord := range here {
		marks[i] = page.arg(ord)
	}
	out.Items, err = o.rows(ctx, fmt.Sprintf(`SELECT %s FROM gatepass_passes WHERE ord IN (%s) ORDER BY ord DESC`, columns, strings.Join(marks, ", ")), page.args...)
	return out, err
}

// lastRune sorts behind everything that a word can go on with.
const lastRune = "\U0010ffff"

// rarestFirst sorts words by how many passes have them, as far as it is worth counting.
func (o *Office) rarestFirst(ctx context.Context, words []string) error {
	if len(words) < 2 {
		return nil
	}
	count := map[string]int{}
	for _, w := range words {
		var n int
		err := o.DB.QueryRow(ctx, fmt.Sprintf(`SELECT COUNT(*) FROM (SELECT 1 AS one FROM gatepass_words WHERE word >= $1 AND word < $2 LIMIT %d) AS counted`, rareWord), w, w+lastRune).Scan(&n)
		if err != nil {
			return fmt.Errorf("count a word: %w", err)
		}
		count[w] = n
	}
	slices.SortStableFunc(words, func(a, b string) int { return count[a] - count[b] })
	return nil
}

// A condition is what a query asks of a pass.
type condition struct {
	conds    []string
	args     []any
	numbered bool // it names one pass by number
}

// add asks for one thing more, in which each ? is one of values.
func (c *condition) add(cond string, values ...any) {
	for _, v := range values {
		cond = strings.Replace(cond, "?", c.arg(v), 1)
	}
	c.conds = append(c.conds, cond)
}

// arg adds a value and returns its placeholder.
func (c *condition) arg(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

func (c *condition) text() string { return strings.Join(c.conds, " AND ") }

// where writes the condition of q, but for the words it searches.
func (o *Office) where(q Query) (*condition, error) {
	f, err := pass.ParseFilter(q.Status)
	if err != nil {
		return nil, Invalid(pass.FieldError{Field: "status", Rule: "must be one of " + strings.Join(pass.FilterWords(), ", ")})
	}
	c := &condition{}
	switch {
	case f.Done:
		c.add(`(status = 'returned' OR status = 'exited' AND returnable = 0)`)
	case f.Out:
		c.add(`status = 'exited' AND returnable = 1`)
	case f.Status != "":
		c.add(`status = ?`, string(f.Status))
	default:
		c.add(`status <> 'deleted'`)
	}
	if q.Date != "" {
		day, err := time.ParseInLocation("2006-01-02", q.Date, o.Zone)
		if err != nil {
			return nil, Invalid(pass.FieldError{Field: "date", Rule: "must be a day such as 2026-11-16"})
		}
		c.add(`created_at >= ? AND created_at < ?`, micros(day), micros(day.AddDate(0, 0, 1)))
	}
	if n, ok := pass.ParseNumber(q.Search); ok {
		c.numbered = true
		c.add(`number = ?`, n)
	}
	return c, nil
}

// Analytics counts passes for the admin desk.
type Analytics struct {
	ByStatus map[pass.Status]int `json:"by_status"`
	Out      int                 `json:"out"`     // outside and expected back
	Overdue  int                 `json:"overdue"` // of those, late
	Today    Day                 `json:"today"`
	Days     []Day               `json:"days"` // the last seven, oldest first
}

// A Day counts what happened on one day.
type Day struct {
	Date    string `json:"date"`
	Created int    `json:"created"`
}

// Analytics returns the counts of now.
func (o *Office) Analytics(ctx context.Context) (Analytics, error) {
	out := Analytics{ByStatus: map[pass.Status]int{}}
	for _, s := range pass.Statuses {
		out.ByStatus[s] = 0
	}
	rows, err := o.DB.Query(ctx, `SELECT status, returnable, COUNT(*) FROM gatepass_passes GROUP BY status, returnable`)
	type count struct {
		status     pass.Status
		returnable int
		n          int
	}
	counts, err := db.Collect(rows, err, func(r db.Row) (count, error) {
		var c count
		return c, r.Scan(&c.status, &c.returnable, &c.n)
	})
	if err != nil {
		return out, fmt.Errorf("count passes: %w", err)
	}
	for _, c := range counts {
		out.ByStatus[c.status] += c.n
		if c.status == pass.Exited && c.returnable == 1 {
			out.Out = c.n
		}
	}
	now := o.Now()
	err = o.DB.QueryRow(ctx, `SELECT COUNT(*) FROM gatepass_passes WHERE status = 'exited' AND returnable = 1
		AND (return_by > 0 AND return_by < $1 OR return_by = 0 AND exit_at < $2)`, micros(now), micros(now.Add(-o.Grace))).Scan(&out.Overdue)
	if err != nil {
		return out, fmt.Errorf("count overdue passes: %w", err)
	}
	today := now.In(o.Zone)
	midnight := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, o.Zone)
	for i := 6; i >= 0; i-- {
		from := midnight.AddDate(0, 0, -i)
		d := Day{Date: from.Format("2006-01-02")}
		err := o.DB.QueryRow(ctx, `SELECT COUNT(*) FROM gatepass_passes WHERE created_at >= $1 AND created_at < $2`,
			micros(from), micros(from.AddDate(0, 0, 1))).Scan(&d.Created)
		if err != nil {
			return out, fmt.Errorf("count passes of %s: %w", d.Date, err)
		}
		out.Days = append(out.Days, d)
	}
	out.Today = out.Days[6]
	return out, nil
}

// Notifications returns the newest notifications of a desk, unread first.
func (o *Office) Notifications(ctx context.Context, desk string, limit int) ([]pass.Notification, error) {
	rows, err := o.DB.Query(ctx, `SELECT id, message, type, created_at, read_at, pass_id FROM gatepass_notifications
		WHERE desk = $1 ORDER BY CASE WHEN read_at = 0 THEN 0 ELSE 1 END, created_at DESC, id LIMIT $2`, desk, limit)
	out, err := db.Collect(rows, err, func(r db.Row) (pass.Notification, error) {
		var n pass.Notification
		var created, read int64
		err := r.Scan(&n.ID, &n.Message, &n.Type, &created, &read, &n.PassID)
		n.Created, n.Read = time.UnixMicro(created).UTC(), read != 0
		return n, err
	})
	if err != nil {
		return nil, fmt.Errorf("list notifications: %w", err)
	}
	if out == nil {
		out = []pass.Notification{}
	}
	return out, nil
}

// MarkRead marks a notification of one of desks as read. Marking it twice changes
// nothing.
func (o *Office) MarkRead(ctx context.Context, who Person, desks []string, id string) (pass.Notification, error) {
	var n pass.Notification
	if !isID(id) {
		return n, NotFound("notification", id)
	}
	err := o.DB.InTx(ctx, func(ctx context.Context) error {
		var desk string
		var created, read int64
		err := o.DB.QueryRow(ctx, `SELECT id, desk, message, type, created_at, read_at, pass_id FROM gatepass_notifications WHERE id = $1`, id).
			Scan(&n.ID, &desk, &n.Message, &n.Type, &created, &read, &n.PassID)
		if errors.Is(err, dossier.NotFound) {
			return NotFound("notification", id)
		}
		if err != nil {
			return fmt.Errorf("read notification %s: %w", id, err)
		}
		if !slices.Contains(desks, desk) {
			p := problem(http.StatusForbidden, id, "Notification %s belongs to the %s desk.", id, desk)
			p.Role = desk
			return p
		}
		n.Created, n.Read = time.UnixMicro(created).UTC(), true
		_, err = o.DB.Exec(ctx, `UPDATE gatepass_notifications SET read_at = $1, read_by = $2 WHERE id = $3 AND read_at = 0`, micros(o.Now()), who.ID, id)
		if err != nil {
			return fmt.Errorf("mark notification %s: %w", id, err)
		}
		return nil
	})
	return n, err
}
