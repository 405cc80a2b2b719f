// Package roster holds the records of a vanpool programme: employees, the shifts they
// work, the vans they share and the days they are away.
//
// A shift's schedule is one line of text ("Mon-Fri 07:00-16:00"), the same in a CSV
// cell, in JSON and in the database; [ParseSchedule] reads it and [Shift.Workdays]
// lays it out over dates, with time zones and daylight saving. [Read] takes whole
// files and reports every bad row with its line; [Rows] keeps the records in tables.
//
// The package knows nothing about cases or what makes a rider eligible: that is the
// engine's business.
package roster
