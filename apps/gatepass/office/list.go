package office

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// List returns the passes that q picks.
func (o *Office) List(ctx context.Context, q Query) (Page, error) {
	where, args, err := o.where(q)
	if err != nil {
		return Page{}, err
	}
	q.Page, q.Limit = max(1, q.Page), min(max(0, q.Limit), 200)
	if q.Limit == 0 {
		q.Limit = 20
	}
	n := len(args)
	rows, err := o.DB.Query(ctx, fmt.Sprintf(`SELECT %s FROM gatepass_passes WHERE %s ORDER BY ord DESC LIMIT $%d OFFSET $%d`, columns, where, n+1, n+2),
		append(args, q.Limit+1, (q.Page-1)*q.Limit)...)
	found, err := db.Collect(rows, err, o.scan)
	if err != nil {
		return Page{}, fmt.Errorf("list passes: %w", err)
	}
	out := Page{Items: []pass.Pass{}, Page: q.Page, More: len(found) > q.Limit}
	for i, p := range found {
		if i < q.Limit {
			out.Items = append(out.Items, p.Pass)
		}
	}
	if q.Page == 1 && !out.More {
		out.Total = len(out.Items)
		return out, nil
	}
	err = o.DB.QueryRow(ctx, fmt.Sprintf(`SELECT COUNT(*) FROM (SELECT 1 AS one FROM gatepass_passes WHERE %s LIMIT %d) AS counted`, where, MaxTotal), args...).Scan(&out.Total)
	if err != nil {
		return Page{}, fmt.Errorf("count passes: %w", err)
	}
	return out, nil
}

// where writes the condition of q.
func (o *Office) where(q Query) (string, []any, error) {
	f, err := pass.ParseFilter(q.Status)
	if err != nil {
		return "", nil, Invalid(pass.FieldError{Field: "status", Rule: "must be one of " + strings.Join(pass.FilterWords(), ", ")})
	}
	var conds []string
	var args []any
	add := func(cond string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			cond = strings.Replace(cond, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		conds = append(conds, cond)
	}
	switch {
	case f.Done:
		add(`(status = 'returned' OR status = 'exited' AND returnable = 0)`)
	case f.Out:
		add(`status = 'exited' AND returnable = 1`)
	case f.Status != "":
		add(`status = ?`, string(f.Status))
	default:
		add(`status <> 'deleted'`)
	}
	if q.Date != "" {
		day, err := time.ParseInLocation("2006-01-02", q.Date, o.Zone)
		if err != nil {
			return "", nil, Invalid(pass.FieldError{Field: "date", Rule: "must be a day such as 2026-11-16"})
		}
		add(`created_at >= ? AND created_at < ?`, micros(day), micros(day.AddDate(0, 0, 1)))
	}
	if n, ok := pass.ParseNumber(q.Search); ok {
		add(`number = ?`, n)
	} else {
		for i, w := range wordsOf(q.Search) {
			if i == 5 {
				break
			}
			add(`ord IN (SELECT ord FROM gatepass_words WHERE word >= ? AND word < ?)`, w, w+"\U0010ffff")
		}
	}
	return strings.Join(conds, " AND "), args, nil
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
		if !contains(desks, desk) {
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

func contains(all []string, s string) bool {
	for _, x := range all {
		if x == s {
			return true
		}
	}
	return false
}
