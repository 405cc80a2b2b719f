package roster

import (
	"context"
	"fmt"
	"slices"

	"dossier/internal/db"
)

// Lacking takes out of b the records that name one which neither b nor the tables
// hold, and reports each with its line. What is left can be saved.
func (r Rows) Lacking(ctx context.Context, b Book) (Book, []Problem, error) {
	l := lack{rows: r, where: b.Where}
	shifts := l.known(ctx, "poolpatrol_shifts", ids(b.Shifts, func(s Shift) string { return s.ID }), ids(b.Employees, func(e Employee) string { return e.Shift }))
	b.Employees = slices.DeleteFunc(slices.Clone(b.Employees), func(e Employee) bool {
		return l.missing(e.Shift != "" && !shifts[e.Shift], "employees", e.ID,
			"Employee %s works shift %s, which does not exist. Import the shift first, or together with the employee.", e.ID, e.Shift)
	})
	named := append(ids(b.PTO, func(o Leave) string { return o.Employee }), ids(b.Riders, func(m Rider) string { return m.Employee })...)
	staff := l.known(ctx, "poolpatrol_employees", ids(b.Employees, func(e Employee) string { return e.ID }), named)
	vans := l.known(ctx, "poolpatrol_vanpools", ids(b.Vanpools, func(v Vanpool) string { return v.ID }), ids(b.Riders, func(m Rider) string { return m.Vanpool }))
	b.PTO = slices.DeleteFunc(slices.Clone(b.PTO), func(o Leave) bool {
		return l.missing(!staff[o.Employee], "pto", o.Employee+o.From.String(),
			"There is no employee %s. Import the employee first, or together with the days off.", o.Employee)
	})
	b.Riders = slices.DeleteFunc(slices.Clone(b.Riders), func(m Rider) bool {
		key := m.Vanpool + m.Employee
		return l.missing(!staff[m.Employee], "riders", key, "There is no employee %s. Import the employee first, or together with the riders.", m.Employee) ||
			l.missing(!vans[m.Vanpool], "riders", key, "There is no vanpool %s. Import the vanpool first, or together with the riders.", m.Vanpool)
	})
	return b, l.problems, l.err
}

// A lack collects what records name and nobody knows.
type lack struct {
	rows     Rows
	where    map[string]Spot
	problems []Problem
	err      error
}

// known returns the ids that are in a book, and those in a table too if the book does
// not hold all that are named.
func (l *lack) known(ctx context.Context, table string, held, named []string) map[string]bool {
	out := make(map[string]bool, len(held))
	for _, id := range held {
		out[id] = true
	}
	if l.err != nil || !slices.ContainsFunc(named, func(id string) bool { return id != "" && !out[id] }) {
		return out
	}
	rows, err := l.rows.DB.Query(ctx, `SELECT id FROM `+table)
	there, err := db.Collect(rows, err, func(r db.Row) (id string, err error) { return id, r.Scan(&id) })
	if err != nil {
		l.err = fmt.Errorf("look up ids of %s: %w", table, err)
	}
	for _, id := range there {
		out[id] = true
	}
	return out
}

// missing reports a record if it names something that nobody knows.
func (l *lack) missing(is bool, kind Kind, key, format string, args ...any) bool {
	if is {
		at := l.where[string(kind)+key]
		l.problems = append(l.problems, Problem{at.File, at.Line, kind, fmt.Sprintf(format, args...)})
	}
	return is
}

func ids[T any](list []T, id func(T) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = id(v)
	}
	return out
}
