// Package demo makes the records of a small vanpool programme: sixteen vans and seventy
// employees around one plant, with a van for every way a case can go.
//
// The people, addresses and vans are invented; the ZIP codes' centres are rounded to
// a few hundred metres. [Book] returns the same records every time, so that loading
// them twice changes nothing. [Past] returns some of them as they stood weeks before.
package demo

import (
	"fmt"
	"math"
	"slices"

	"dossier/apps/poolpatrol/roster"
	"dossier/internal/geo"
)

// A Scene is a van and what it shows.
type Scene struct {
	Van   string
	Shows string
	Rider string // the rider it is about; "" if it is about none
}

// Scenes are the vans of the demo, by id.
var Scenes = []Scene{
	{"VP-101", "Everybody fits: verified, and no case remains.", ""},
	{"VP-102", "One rider works nights in a day van: a shift mismatch.", "EMP-1006"},
	{"VP-103", "One rider lives in Los Angeles, known by ZIP code alone: a location mismatch.", "EMP-1011"},
	{"VP-104", "One rider fails both checks.", "EMP-1016"},
	{"VP-105", "A rider reports a change and the records are put right: resolved.", "EMP-1021"},
	{"VP-106", "A rider reports a change and the records stay as they were: outreach goes on.", "EMP-1026"},
	{"VP-107", "A rider disputes the finding: the answer waits as a draft.", "EMP-1031"},
	{"VP-108", "A rider who says nothing: after a week the records are looked at again and a coordinator decides.", Silent},
	{"VP-109", "Three looks that did not help: a coordinator decides about the seat.", "EMP-1041"},
	{"VP-110", "A cancellation waits for a coordinator to approve or reject.", "EMP-1046"},
	{"VP-111", "A rider asks a question and gets an answer.", "EMP-1051"},
	{"VP-112", "A rider says that all is well, and the records do not agree.", "EMP-1056"},
	{"VP-113", "A night crew across midnight: verified.", ""},
	{"VP-114", "Flexible, split and rotating shifts, and days off, that fit after all.", ""},
	{"VP-115", "A single rider.", ""},
	{"VP-116", "An empty van.", ""},
}

const zone = "America/Los_Angeles"

var shifts = []roster.Shift{
	{ID: "SH-DAY", Name: "Day Shift", Zone: zone, Schedule: "Mon-Fri 07:00-15:30"},
	{ID: "SH-EARLY", Name: "Early Day Shift", Zone: zone, Schedule: "Mon-Fri 06:45-15:15"},
	{ID: "SH-SWING", Name: "Swing Shift", Zone: zone, Schedule: "Mon-Fri 14:00-22:30"},
	{ID: "SH-NIGHT", Name: "Night Shift", Zone: zone, Schedule: "Mon-Thu,Sun 22:00-06:30"},
	{ID: "SH-FLEX", Name: "Flexible Day", Zone: zone, Schedule: "Mon-Fri 06:00..09:00+08:30"},
	{ID: "SH-SPLIT", Name: "Split Day", Zone: zone, Schedule: "Mon-Fri 07:00-10:30; Mon-Fri 12:00-15:30"},
	{ID: "SH-ROTATE", Name: "Two-week Rotation", Zone: zone, Schedule: "1-5 07:00-15:30; 8-12 14:00-22:30", Cycle: 14, Anchor: 20458},
	{ID: "SH-WEEKEND", Name: "Weekend Shift", Zone: zone, Schedule: "Sat,Sun 07:00-19:00"},
}

var zips = []roster.Centroid{
	{ZIP: "94536", At: geo.Point{Lat: 37.561, Lon: -121.999}}, {ZIP: "94538", At: geo.Point{Lat: 37.505, Lon: -121.965}},
	{ZIP: "94539", At: geo.Point{Lat: 37.517, Lon: -121.929}}, {ZIP: "94544", At: geo.Point{Lat: 37.637, Lon: -122.067}},
	{ZIP: "94550", At: geo.Point{Lat: 37.644, Lon: -121.732}}, {ZIP: "94560", At: geo.Point{Lat: 37.506, Lon: -122.033}},
	{ZIP: "94587", At: geo.Point{Lat: 37.587, Lon: -122.026}}, {ZIP: "95035", At: geo.Point{Lat: 37.443, Lon: -121.873}},
	{ZIP: "95050", At: geo.Point{Lat: 37.348, Lon: -121.953}}, {ZIP: "95131", At: geo.Point{Lat: 37.387, Lon: -121.891}},
	{ZIP: "90026", At: geo.Point{Lat: 34.079, Lon: -118.264}}, {ZIP: "93721", At: geo.Point{Lat: 36.732, Lon: -119.784}},
	{ZIP: "95814", At: geo.Point{Lat: 38.580, Lon: -121.494}},
}

// near are the ZIP codes within easy reach of the plant.
var near = []string{"94536", "94538", "94539", "94544", "94560", "94587", "95035", "95050", "95131", "94550"}

var pickups = []geo.Point{
	{Lat: 37.495, Lon: -121.941}, {Lat: 37.558, Lon: -122.008}, {Lat: 37.428, Lon: -121.907}, {Lat: 37.591, Lon: -122.018},
}

var places = []string{"Warm Springs lot", "Fremont Centerville", "Milpitas Great Mall", "Union City station"}

var (
	firstNames = []string{"Ada", "Bo", "Cleo", "Dara", "Eli", "Fern", "Gus", "Hana", "Ivo", "June", "Kai", "Lena", "Milo", "Nell", "Omar", "Pia", "Quin", "Rosa", "Seth", "Tess", "Uma", "Vera", "Wade", "Xena", "Yuri", "Zora"}
	lastNames  = []string{"Marsh", "Lind", "Okafor", "Reyes", "Stone", "Vale", "Hart", "Quist", "Moreau", "Tanaka", "Bright", "Novak", "Larsen", "Dunn", "Patel", "Ferro", "Keller", "Ibarra", "Shaw"}
	streets    = []string{"Oak Hill Road", "Cherry Lane", "Mission Way", "Canal Street", "Walnut Avenue", "Ridge Court"}
)

// A part is how one rider differs from the plain rider of a van: a day-shift worker
// who lives nearby.
type part struct {
	shift string
	zip   string // with zip, the home is known by ZIP code alone
}

// vans says who is in each van: the shift of the crew, how many, and who differs.
var vans = []struct {
	shift string
	crew  int
	parts map[int]part // by place in the van, from 0
}{
	{"SH-DAY", 5, nil},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-NIGHT"}}},
	{"SH-DAY", 5, map[int]part{0: {zip: "90026"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-SWING", zip: "93721"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-SWING"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-NIGHT"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-SWING"}}},
	{"SH-DAY", 5, map[int]part{0: {zip: "95814"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-NIGHT"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-WEEKEND"}}},
	{"SH-DAY", 5, map[int]part{0: {zip: "93721"}}},
	{"SH-DAY", 5, map[int]part{0: {shift: "SH-SWING"}}},
	{"SH-NIGHT", 4, nil},
	{"SH-DAY", 5, map[int]part{1: {shift: "SH-FLEX"}, 2: {shift: "SH-SPLIT"}, 3: {shift: "SH-ROTATE"}, 4: {shift: "SH-EARLY"}}},
	{"SH-NIGHT", 1, nil},
	{"SH-DAY", 0, nil},
}

// Book returns the records. Days off are laid around today.
func Book(today roster.Day) roster.Book {
	b := roster.Book{Shifts: shifts, ZIPs: zips}
	n := 0
	for i, v := range vans {
		van := roster.Vanpool{
			ID: Scenes[i].Van, Name: fmt.Sprintf("Van %d", i+1), Site: "Fremont", Seats: 8,
			Pickup: pickups[i%len(pickups)], Place: places[i%len(places)],
		}
		b.Vanpools = append(b.Vanpools, van)
		for place := range v.crew {
			e := rider(n, van.Pickup)
			e.Shift = v.shift
			if p, differs := v.parts[place]; differs {
				if p.shift != "" {
					e.Shift = p.shift
				}
				if p.zip != "" {
					e.ZIP, e.Home, e.Address = p.zip, nil, ""
				}
			}
			if n%9 == 4 {
				e.PTO = []roster.Span{{From: today.Monday() + 7, To: today.Monday() + 11}}
			}
			b.Employees = append(b.Employees, e)
			b.Riders = append(b.Riders, roster.Rider{Vanpool: van.ID, Employee: e.ID, Since: today - 200})
			n++
		}
	}
	return b
}

// Silent rides in VP-108 and was written to a week before the demo's day.
const Silent = "EMP-1036"

// Riders whose seats were decided about before the demo's day.
const (
	Mistaken = "EMP-1062" // in VP-113; the records said days by mistake
	Moved    = "EMP-1071" // in VP-115; lived too far away, and has left the programme
	OnLoan   = "EMP-1065" // in VP-114; worked nights for a while
)

// Past returns the records of the vans with a past, as they stood weeks before.
func Past(today roster.Day) roster.Book {
	now := Book(today)
	b := roster.Book{Shifts: now.Shifts, ZIPs: now.ZIPs}
	for _, v := range now.Vanpools {
		if slices.Contains([]string{"VP-108", "VP-113", "VP-114", "VP-115"}, v.ID) {
			b.Vanpools = append(b.Vanpools, v)
		}
	}
	for i, r := range now.Riders {
		if !slices.ContainsFunc(b.Vanpools, func(v roster.Vanpool) bool { return v.ID == r.Vanpool }) {
			continue
		}
		e := now.Employees[i]
		e.PTO = nil
		switch e.ID {
		case Mistaken:
			e.Shift = "SH-DAY"
		case OnLoan:
			e.Shift = "SH-NIGHT"
		}
		b.Employees, b.Riders = append(b.Employees, e), append(b.Riders, r)
	}
	moved := rider(len(now.Employees), pickups[0])
	moved.Shift, moved.ZIP, moved.Home, moved.Address = "SH-NIGHT", "95814", nil, ""
	b.Employees = append(b.Employees, moved)
	b.Riders = append(b.Riders, roster.Rider{Vanpool: "VP-115", Employee: moved.ID, Since: today - 300})
	return b
}

// rider returns the nth employee, who lives within some miles of a pickup point.
func rider(n int, pickup geo.Point) roster.Employee {
	first, last := firstNames[n%len(firstNames)], lastNames[n%len(lastNames)]
	home := geo.Travel(pickup, float64(n*67%360), 3+float64(n*13%28))
	home = geo.Point{Lat: math.Round(home.Lat*1e4) / 1e4, Lon: math.Round(home.Lon*1e4) / 1e4}
	return roster.Employee{
		ID: fmt.Sprintf("EMP-%d", 1001+n), Name: first + " " + last,
		Email:   fmt.Sprintf("emp%d@example.com", 1001+n),
		Address: fmt.Sprintf("%d %s", 10+n*7, streets[n%len(streets)]), ZIP: near[n%len(near)], Home: &home, Site: "Fremont",
	}
}
