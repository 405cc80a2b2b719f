package roster

import (
	"context"
	"fmt"

	"dossier"
)

// Save adds or replaces the records of b, all or nothing. A record that names another
// which exists neither in b nor in the tables is refused.
func (r Rows) Save(ctx context.Context, b Book) error {
	return r.DB.InTx(ctx, func(ctx context.Context) error {
		for _, step := range []func(context.Context, Book) error{r.saveShifts, r.saveZIPs, r.saveEmployees, r.savePTO, r.saveVans, r.saveRiders} {
			if err := step(ctx, b); err != nil {
				return err
			}
		}
		return r.dangling(ctx)
	})
}

func (r Rows) saveShifts(ctx context.Context, b Book) error {
	for _, s := range b.Shifts {
		if _, err := r.DB.Exec(ctx, `INSERT INTO poolpatrol_shifts (id, name, zone, schedule, cycle, anchor) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, zone = excluded.zone, schedule = excluded.schedule,
			cycle = excluded.cycle, anchor = excluded.anchor`, s.ID, s.Name, s.Zone, s.Schedule, s.Cycle, int(s.Anchor)); err != nil {
			return fmt.Errorf("save shift %s: %w", s.ID, err)
		}
	}
	return nil
}

func (r Rows) saveZIPs(ctx context.Context, b Book) error {
	for _, c := range b.ZIPs {
		if _, err := r.DB.Exec(ctx, `INSERT INTO poolpatrol_zips (zip, lat, lng) VALUES ($1, $2, $3)
			ON CONFLICT (zip) DO UPDATE SET lat = excluded.lat, lng = excluded.lng`, c.ZIP, c.At.Lat, c.At.Lon); err != nil {
			return fmt.Errorf("save ZIP %s: %w", c.ZIP, err)
		}
	}
	return nil
}

func (r Rows) saveEmployees(ctx context.Context, b Book) error {
	for _, e := range b.Employees {
		located, lat, lng := 0, 0.0, 0.0
		if e.Home != nil {
			located, lat, lng = 1, e.Home.Lat, e.Home.Lon
		}
		if _, err := r.DB.Exec(ctx, `INSERT INTO poolpatrol_employees (id, name, email, address, zip, located, lat, lng, site, shift)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email, address = excluded.address, zip = excluded.zip,
			located = excluded.located, lat = excluded.lat, lng = excluded.lng, site = excluded.site, shift = excluded.shift`,
			e.ID, e.Name, e.Email, e.Address, e.ZIP, located, lat, lng, e.Site, e.Shift); err != nil {
			return fmt.Errorf("save employee %s: %w", e.ID, err)
		}
		for _, s := range e.PTO {
			if err := r.savePTO(ctx, Book{PTO: []Leave{{e.ID, s}}}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r Rows) savePTO(ctx context.Context, b Book) error {
	for _, l := range b.PTO {
		if _, err := r.DB.Exec(ctx, `INSERT INTO poolpatrol_pto (employee, first, last) VALUES ($1, $2, $3)
			ON CONFLICT (employee, first) DO UPDATE SET last = excluded.last`, l.Employee, int(l.From), int(l.To)); err != nil {
			return fmt.Errorf("save days off of %s: %w", l.Employee, err)
		}
	}
	return nil
}

func (r Rows) saveVans(ctx context.Context, b Book) error {
	for _, v := range b.Vanpools {
		if _, err := r.DB.Exec(ctx, `INSERT INTO poolpatrol_vanpools (id, name, site, lat, lng, place, seats) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, site = excluded.site, lat = excluded.lat, lng = excluded.lng,
			place = excluded.place, seats = excluded.seats`, v.ID, v.Name, v.Site, v.Pickup.Lat, v.Pickup.Lon, v.Place, v.Seats); err != nil {
			return fmt.Errorf("save vanpool %s: %w", v.ID, err)
		}
	}
	return nil
}

func (r Rows) saveRiders(ctx context.Context, b Book) error {
	for _, m := range b.Riders {
		if _, err := r.DB.Exec(ctx, `INSERT INTO poolpatrol_riders (vanpool, employee, since) VALUES ($1, $2, $3)
			ON CONFLICT (vanpool, employee) DO UPDATE SET since = excluded.since`, m.Vanpool, m.Employee, int(m.Since)); err != nil {
			return fmt.Errorf("save rider %s of %s: %w", m.Employee, m.Vanpool, err)
		}
	}
	return nil
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
