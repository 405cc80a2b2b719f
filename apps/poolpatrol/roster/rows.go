package roster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/geo"
)

// Rows keeps the records in the app's tables.
type Rows struct{ DB db.DB }

// A Van is a vanpool with everybody who rides in it, by employee id, and the shifts
// they work.
type Van struct {
	Vanpool
	Riders []Employee
	Shifts map[string]Shift
}

// Rider returns one rider of v, and false if the employee does not ride in it.
func (v Van) Rider(id string) (Employee, bool) {
	i := slices.IndexFunc(v.Riders, func(e Employee) bool { return e.ID == id })
	if i < 0 {
		return Employee{}, false
	}
	return v.Riders[i], true
}

// IDs returns the riders' employee ids.
func (v Van) IDs() []string {
	out := make([]string, len(v.Riders))
	for i, e := range v.Riders {
		out[i] = e.ID
	}
	return out
}

// Names returns everybody's name in v, to be taken out of text.
func (v Van) Names() []string {
	out := make([]string, len(v.Riders))
	for i, e := range v.Riders {
		out[i] = e.Name
	}
	return out
}

const vanColumns = `SELECT id, name, site, lat, lng, place, seats FROM poolpatrol_vanpools`

func scanVanpool(r db.Row) (Vanpool, error) {
	var v Vanpool
	err := r.Scan(&v.ID, &v.Name, &v.Site, &v.Pickup.Lat, &v.Pickup.Lon, &v.Place, &v.Seats)
	return v, err
}

// Vanpools lists every van, by id.
func (r Rows) Vanpools(ctx context.Context) ([]Vanpool, error) {
	rows, err := r.DB.Query(ctx, vanColumns+` ORDER BY id`)
	return db.Collect(rows, err, scanVanpool)
}

// Count returns how many vans there are.
func (r Rows) Count(ctx context.Context) (n int, err error) {
	err = r.DB.QueryRow(ctx, `SELECT count(*) FROM poolpatrol_vanpools`).Scan(&n)
	return n, err
}

// Named returns the vans with these ids, by id.
func (r Rows) Named(ctx context.Context, ids []string) ([]Vanpool, error) {
	return named(ctx, r.DB, vanColumns, ids, scanVanpool)
}

// Find returns vans in whose id, name or place text stands, by id, from the one after.
func (r Rows) Find(ctx context.Context, text, after string, limit int) ([]Vanpool, error) {
	like := "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(text)) + "%"
	rows, err := r.DB.Query(ctx, vanColumns+` WHERE id > $1
		AND (LOWER(id) LIKE $2 ESCAPE '!' OR LOWER(name) LIKE $2 ESCAPE '!' OR LOWER(place) LIKE $2 ESCAPE '!') ORDER BY id LIMIT $3`, after, like, limit)
	return db.Collect(rows, err, scanVanpool)
}

// Counts returns how many ride in each of these vans.
func (r Rows) Counts(ctx context.Context, ids []string) (map[string]int, error) {
	out := map[string]int{}
	if len(ids) == 0 {
		return out, nil
	}
	those, args := db.In("vanpool", ids)
	rows, err := r.DB.Query(ctx, `SELECT vanpool, count(*) FROM poolpatrol_riders WHERE `+those+` GROUP BY vanpool`, args...)
	_, err = db.Collect(rows, err, func(r db.Row) (none struct{}, err error) {
		var id string
		var n int
		err = r.Scan(&id, &n)
		out[id] = n
		return none, err
	})
	return out, err
}

// Vanpool returns a van without its riders.
func (r Rows) Vanpool(ctx context.Context, id string) (Vanpool, error) {
	v, err := scanVanpool(r.DB.QueryRow(ctx, vanColumns+` WHERE id = $1`, id))
	if errors.Is(err, dossier.NotFound) {
		return Vanpool{}, dossier.Errorf(dossier.NotFound, "There is no vanpool %s.", id)
	}
	if err != nil {
		return Vanpool{}, fmt.Errorf("load vanpool %s: %w", id, err)
	}
	return v, nil
}

// Crew returns a van with its riders, without their shifts and days off.
func (r Rows) Crew(ctx context.Context, id string) (Van, error) {
	v, err := r.Vanpool(ctx, id)
	if err != nil {
		return Van{}, err
	}
	van := Van{Vanpool: v, Shifts: map[string]Shift{}}
	rows, err := r.DB.Query(ctx, `SELECT employee FROM poolpatrol_riders WHERE vanpool = $1`, id)
	ids, err := db.Collect(rows, err, func(r db.Row) (id string, err error) { return id, r.Scan(&id) })
	if err != nil {
		return Van{}, fmt.Errorf("load riders of %s: %w", id, err)
	}
	if van.Riders, err = named(ctx, r.DB, employeeColumns, ids, scanEmployee); err != nil {
		return Van{}, fmt.Errorf("load riders of %s: %w", id, err)
	}
	return van, nil
}

// named returns the rows with these ids, in order of id. Naming them, and not a query
// that finds them, keeps a database that knows nothing of its tables yet from reading a
// whole table for the eight people of a van.
func named[T any](ctx context.Context, d db.DB, columns string, ids []string, scan func(db.Row) (T, error)) ([]T, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	those, args := db.In("id", ids)
	rows, err := d.Query(ctx, columns+` WHERE `+those+` ORDER BY id`, args...)
	return db.Collect(rows, err, scan)
}

// Van returns a van with its riders, their shifts and their days off.
func (r Rows) Van(ctx context.Context, id string) (Van, error) {
	van, err := r.Crew(ctx, id)
	if err != nil {
		return Van{}, err
	}
	rows, err := r.DB.Query(ctx, `SELECT p.employee, p.first, p.last FROM poolpatrol_pto p JOIN poolpatrol_riders m ON m.employee = p.employee
		WHERE m.vanpool = $1 ORDER BY p.employee, p.first`, id)
	leaves, err := db.Collect(rows, err, scanLeave)
	if err != nil {
		return Van{}, fmt.Errorf("load days off of %s: %w", id, err)
	}
	for _, l := range leaves {
		i := slices.IndexFunc(van.Riders, func(e Employee) bool { return e.ID == l.Employee })
		if i >= 0 { // not somebody who has joined since the riders were read
			van.Riders[i].PTO = append(van.Riders[i].PTO, l.Span)
		}
	}
	var worked []string
	for _, e := range van.Riders {
		if !slices.Contains(worked, e.Shift) {
			worked = append(worked, e.Shift)
		}
	}
	shifts, err := named(ctx, r.DB, shiftColumns, worked, scanShift)
	if err != nil {
		return Van{}, fmt.Errorf("load shifts of %s: %w", id, err)
	}
	for _, s := range shifts {
		van.Shifts[s.ID] = s
	}
	return van, nil
}

const employeeColumns = `SELECT id, name, email, address, zip, located, lat, lng, site, shift FROM poolpatrol_employees`

func scanEmployee(r db.Row) (Employee, error) {
	var e Employee
	var located int
	var p geo.Point
	err := r.Scan(&e.ID, &e.Name, &e.Email, &e.Address, &e.ZIP, &located, &p.Lat, &p.Lon, &e.Site, &e.Shift)
	if located == 1 {
		e.Home = &p
	}
	return e, err
}

func scanLeave(r db.Row) (Leave, error) {
	var l Leave
	err := r.Scan(&l.Employee, &l.From, &l.To)
	return l, err
}

const shiftColumns = `SELECT id, name, zone, schedule, cycle, anchor FROM poolpatrol_shifts`

func scanShift(r db.Row) (Shift, error) {
	var s Shift
	err := r.Scan(&s.ID, &s.Name, &s.Zone, &s.Schedule, &s.Cycle, &s.Anchor)
	return s, err
}

// Employee returns one employee, without days off.
func (r Rows) Employee(ctx context.Context, id string) (Employee, error) {
	e, err := scanEmployee(r.DB.QueryRow(ctx, employeeColumns+` WHERE id = $1`, id))
	if errors.Is(err, dossier.NotFound) {
		return Employee{}, dossier.Errorf(dossier.NotFound, "There is no employee %s.", id)
	}
	return e, err
}

// ByEmail returns the employee who owns an address.
func (r Rows) ByEmail(ctx context.Context, address string) (Employee, error) {
	e, err := scanEmployee(r.DB.QueryRow(ctx, employeeColumns+` WHERE LOWER(email) = LOWER($1)`, address))
	if errors.Is(err, dossier.NotFound) {
		return Employee{}, dossier.Errorf(dossier.NotFound, "No employee has the address %s.", address)
	}
	return e, err
}

// Centroid returns the middle of a postal area, by its first five digits.
func (r Rows) Centroid(ctx context.Context, zip string) (geo.Point, error) {
	var p geo.Point
	err := r.DB.QueryRow(ctx, `SELECT lat, lng FROM poolpatrol_zips WHERE zip = $1`, zip[:min(5, len(zip))]).Scan(&p.Lat, &p.Lon)
	return p, err
}

// Remove ends a membership and reports whether there was one.
func (r Rows) Remove(ctx context.Context, vanpool, employee string) (bool, error) {
	n, err := r.DB.Exec(ctx, `DELETE FROM poolpatrol_riders WHERE vanpool = $1 AND employee = $2`, vanpool, employee)
	if err != nil {
		return false, fmt.Errorf("remove %s from %s: %w", employee, vanpool, err)
	}
	return n > 0, nil
}

// All returns every record.
func (r Rows) All(ctx context.Context) (Book, error) {
	var b Book
	var err error
	if b.Vanpools, err = r.Vanpools(ctx); err != nil {
		return Book{}, err
	}
	rows, err := r.DB.Query(ctx, shiftColumns+` ORDER BY id`)
	if b.Shifts, err = db.Collect(rows, err, scanShift); err != nil {
		return Book{}, err
	}
	rows, err = r.DB.Query(ctx, employeeColumns+` ORDER BY id`)
	if b.Employees, err = db.Collect(rows, err, scanEmployee); err != nil {
		return Book{}, err
	}
	rows, err = r.DB.Query(ctx, `SELECT employee, first, last FROM poolpatrol_pto ORDER BY employee, first`)
	if b.PTO, err = db.Collect(rows, err, scanLeave); err != nil {
		return Book{}, err
	}
	rows, err = r.DB.Query(ctx, `SELECT vanpool, employee, since FROM poolpatrol_riders ORDER BY vanpool, employee`)
	b.Riders, err = db.Collect(rows, err, func(r db.Row) (Rider, error) {
		var m Rider
		err := r.Scan(&m.Vanpool, &m.Employee, &m.Since)
		return m, err
	})
	if err != nil {
		return Book{}, err
	}
	rows, err = r.DB.Query(ctx, `SELECT zip, lat, lng FROM poolpatrol_zips ORDER BY zip`)
	b.ZIPs, err = db.Collect(rows, err, func(r db.Row) (Centroid, error) {
		var c Centroid
		err := r.Scan(&c.ZIP, &c.At.Lat, &c.At.Lon)
		return c, err
	})
	return b, err
}
