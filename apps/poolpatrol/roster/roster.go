package roster

import (
	"math"
	"regexp"
	"strings"

	"dossier"
	"dossier/internal/geo"
)

// An Employee is somebody who may ride in a van.
type Employee struct {
	ID      string     `json:"employee_id"` // EMP-1001
	Name    string     `json:"name"`
	Email   string     `json:"email"`
	Address string     `json:"home_address,omitempty"`
	ZIP     string     `json:"home_zip,omitempty"`
	Home    *geo.Point `json:"home,omitempty"` // nil: only the ZIP is known
	Site    string     `json:"site,omitempty"`
	Shift   string     `json:"shift_id,omitempty"` // "": none assigned
	PTO     []Span     `json:"pto,omitempty"`      // days off, by first day
}

// A Vanpool is a van with its pickup point.
type Vanpool struct {
	ID     string    `json:"vanpool_id"` // VP-101
	Name   string    `json:"name,omitempty"`
	Site   string    `json:"site,omitempty"`
	Pickup geo.Point `json:"pickup"`
	Place  string    `json:"pickup_name,omitempty"`
	Seats  int       `json:"seats,omitzero"`
}

// A Rider is an employee's membership of a vanpool.
type Rider struct {
	Vanpool  string `json:"vanpool_id"`
	Employee string `json:"employee_id"`
	Since    Day    `json:"since,omitzero"`
}

// A Leave is one stretch of days off of one employee.
type Leave struct {
	Employee string `json:"employee_id"`
	Span
}

// A Centroid is the middle of a postal area, for employees without coordinates.
type Centroid struct {
	ZIP string    `json:"zip"`
	At  geo.Point `json:"at"`
}

var (
	employeeForm = regexp.MustCompile(`^EMP-\d{4,8}$`)
	vanpoolForm  = regexp.MustCompile(`^VP-\d{3,8}$`)
	zipForm      = regexp.MustCompile(`^\d{5}(-\d{4})?$`)
	emailForm    = regexp.MustCompile(`^[^@\s,;<>"]+@[^@\s,;<>"]+\.[^@\s,;<>"]+$`)
)

// Validate reports why e cannot be kept.
func (e Employee) Validate() error {
	switch {
	case !employeeForm.MatchString(e.ID):
		return dossier.Errorf(dossier.Invalid, "%q is not an employee id; they look like EMP-1001.", e.ID)
	case e.Name == "":
		return dossier.Errorf(dossier.Invalid, "Employee %s needs a name.", e.ID)
	case !emailForm.MatchString(e.Email):
		return dossier.Errorf(dossier.Invalid, "Employee %s: %q is not an e-mail address.", e.ID, e.Email)
	case e.ZIP != "" && !zipForm.MatchString(e.ZIP):
		return dossier.Errorf(dossier.Invalid, "Employee %s: %q is not a ZIP code.", e.ID, e.ZIP)
	case e.Home != nil && !e.Home.Valid():
		return dossier.Errorf(dossier.Invalid, "Employee %s: the home coordinates are not on the globe.", e.ID)
	}
	for _, s := range e.PTO {
		if s.To < s.From {
			return dossier.Errorf(dossier.Invalid, "Employee %s: days off from %s end before they begin.", e.ID, s.From)
		}
	}
	return nil
}

// Validate reports why v cannot be kept.
func (v Vanpool) Validate() error {
	switch {
	case !vanpoolForm.MatchString(v.ID):
		return dossier.Errorf(dossier.Invalid, "%q is not a vanpool id; they look like VP-101.", v.ID)
	case !v.Pickup.Valid() || v.Pickup == geo.Point{}:
		return dossier.Errorf(dossier.Invalid, "Vanpool %s needs the coordinates of its pickup point.", v.ID)
	}
	return nil
}

// Validate reports why r cannot be kept.
func (r Rider) Validate() error {
	switch {
	case !vanpoolForm.MatchString(r.Vanpool):
		return dossier.Errorf(dossier.Invalid, "%q is not a vanpool id; they look like VP-101.", r.Vanpool)
	case !employeeForm.MatchString(r.Employee):
		return dossier.Errorf(dossier.Invalid, "%q is not an employee id; they look like EMP-1001.", r.Employee)
	}
	return nil
}

// Validate reports why l cannot be kept.
func (l Leave) Validate() error {
	switch {
	case !employeeForm.MatchString(l.Employee):
		return dossier.Errorf(dossier.Invalid, "%q is not an employee id; they look like EMP-1001.", l.Employee)
	case l.From == 0 || l.To < l.From:
		return dossier.Errorf(dossier.Invalid, "Days off of %s need a first and a last day, in that order.", l.Employee)
	}
	return nil
}

// Validate reports why c cannot be kept.
func (c Centroid) Validate() error {
	if !zipForm.MatchString(c.ZIP) || !c.At.Valid() {
		return dossier.Errorf(dossier.Invalid, "ZIP %q needs five digits and coordinates on the globe.", c.ZIP)
	}
	return nil
}

// Coarse returns p rounded to a thousandth of a degree, about a hundred metres. It is
// the only form in which a home leaves the roster.
func Coarse(p geo.Point) geo.Point {
	return geo.Point{Lat: math.Round(p.Lat*1000) / 1000, Lon: math.Round(p.Lon*1000) / 1000}
}

// FirstName returns what to call e in a letter.
func (e Employee) FirstName() string {
	first, _, _ := strings.Cut(strings.TrimSpace(e.Name), " ")
	return first
}
