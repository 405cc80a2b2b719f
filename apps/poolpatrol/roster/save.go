package roster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/internal/db"
)

// Save adds or replaces the records of b, all or nothing. A record that names another
// which exists neither in b nor in the tables is refused.
func (r Rows) Save(ctx context.Context, b Book) error {
	return r.DB.InTx(ctx, func(ctx context.Context) error {
		for _, s := range []struct {
			into table
			rows [][]any
		}{
			{shiftTable, each(b.Shifts, func(s Shift) []any { return []any{s.ID, s.Name, s.Zone, s.Schedule, s.Cycle, int(s.Anchor)} })},
			{zipTable, each(b.ZIPs, func(c Centroid) []any { return []any{c.ZIP, c.At.Lat, c.At.Lon} })},
			{employeeTable, each(b.Employees, employeeRow)},
			{ptoTable, each(b.leaves(), func(l Leave) []any { return []any{l.Employee, int(l.From), int(l.To)} })},
			{vanTable, each(b.Vanpools, func(v Vanpool) []any {
				return []any{v.ID, v.Name, v.Site, v.Pickup.Lat, v.Pickup.Lon, v.Place, v.Seats}
			})},
			{riderTable, each(b.Riders, func(m Rider) []any { return []any{m.Vanpool, m.Employee, int(m.Since)} })},
		} {
			if err := s.into.save(ctx, r.DB, s.rows); err != nil {
				return err
			}
		}
		return r.dangling(ctx)
	})
}

// A table keeps records of one kind. Its first columns name a row: keys of them.
type table struct {
	name    string
	keys    int
	columns []string
}

var (
	shiftTable    = table{"shifts", 1, []string{"id", "name", "zone", "schedule", "cycle", "anchor"}}
	zipTable      = table{"zips", 1, []string{"zip", "lat", "lng"}}
	employeeTable = table{"employees", 1, []string{"id", "name", "email", "address", "zip", "located", "lat", "lng", "site", "shift"}}
	ptoTable      = table{"pto", 2, []string{"employee", "first", "last"}}
	vanTable      = table{"vanpools", 1, []string{"id", "name", "site", "lat", "lng", "place", "seats"}}
	riderTable    = table{"riders", 2, []string{"vanpool", "employee", "since"}}
)

func employeeRow(e Employee) []any {
	located, lat, lng := 0, 0.0, 0.0
	if e.Home != nil {
		located, lat, lng = 1, e.Home.Lat, e.Home.Lon
	}
	return []any{e.ID, e.Name, e.Email, e.Address, e.ZIP, located, lat, lng, e.Site, e.Shift}
}

// leaves returns all days off of b: those listed with their employees come first.
func (b Book) leaves() []Leave {
	var out []Leave
	for _, e := range b.Employees {
		for _, s := range e.PTO {
			out = append(out, Leave{e.ID, s})
		}
	}
	return append(out, b.PTO...)
}

func each[T any](records []T, row func(T) []any) [][]any {
	out := make([][]any, len(records))
	for i, r := range records {
		out[i] = row(r)
	}
	return out
}

// atOnce is how many rows one statement saves. SQLite's driver looks for each value
// among all the values of its statement, so that larger ones are slower there.
const atOnce = 16

// save adds or replaces rows. Of rows with one name the last counts.
func (t table) save(ctx context.Context, d db.DB, rows [][]any) error {
	for some := range slices.Chunk(t.lastOfEach(rows), atOnce) {
		args := make([]any, 0, len(some)*len(t.columns))
		for _, row := range some {
			args = append(args, row...)
		}
		if _, err := d.Exec(ctx, t.upsert(len(some)), args...); err != nil {
			return fmt.Errorf("save %s: %w", t.name, err)
		}
	}
	return nil
}

func (t table) lastOfEach(rows [][]any) [][]any {
	at := make(map[string]int, len(rows))
	var out [][]any
	for _, row := range rows {
		name := fmt.Sprintf("%q", row[:t.keys])
		if i, again := at[name]; again {
			out[i] = row
			continue
		}
		at[name] = len(out)
		out = append(out, row)
	}
	return out
}

// upsert is the statement that saves n rows.
func (t table) upsert(n int) string {
	var set []string
	for _, c := range t.columns[t.keys:] {
		set = append(set, c+" = excluded."+c)
	}
	return fmt.Sprintf("INSERT INTO poolpatrol_%s (%s) VALUES %s ON CONFLICT (%s) DO UPDATE SET %s", t.name,
		strings.Join(t.columns, ", "), db.Lines(n, len(t.columns)), strings.Join(t.columns[:t.keys], ", "), strings.Join(set, ", "))
}

// dangling reports a record that names one which does not exist. NOT EXISTS, unlike NOT
// IN, stays one pass over tables of any size on both databases.
func (r Rows) dangling(ctx context.Context) error {
	for _, c := range []struct{ text, query string }{
		{"Employee %s works shift %s, which does not exist.", `SELECT e.id, e.shift FROM poolpatrol_employees e WHERE e.shift <> '' AND NOT EXISTS (SELECT 1 FROM poolpatrol_shifts s WHERE s.id = e.shift) ORDER BY e.id`},
		{"Rider %s is no employee (vanpool %s).", `SELECT r.employee, r.vanpool FROM poolpatrol_riders r WHERE NOT EXISTS (SELECT 1 FROM poolpatrol_employees e WHERE e.id = r.employee) ORDER BY r.employee`},
		{"Rider %s rides in %s, which does not exist.", `SELECT r.employee, r.vanpool FROM poolpatrol_riders r WHERE NOT EXISTS (SELECT 1 FROM poolpatrol_vanpools v WHERE v.id = r.vanpool) ORDER BY r.employee`},
		{"Days off of %s from day %s belong to no employee.", `SELECT p.employee, CAST(p.first AS TEXT) FROM poolpatrol_pto p WHERE NOT EXISTS (SELECT 1 FROM poolpatrol_employees e WHERE e.id = p.employee) ORDER BY p.employee`},
	} {
		rows, err := r.DB.Query(ctx, c.query)
		if err != nil {
			return fmt.Errorf("check references: %w", err)
		}
		var a, b string
		found := rows.Next()
		if found {
			err = rows.Scan(&a, &b)
		}
		rows.Close()
		if err != nil {
			return fmt.Errorf("check references: %w", err)
		}
		if found {
			return dossier.Errorf(dossier.Invalid, c.text, a, b)
		}
	}
	return nil
}
