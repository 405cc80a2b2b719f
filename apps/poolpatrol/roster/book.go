package roster

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dossier"
	"dossier/internal/geo"
)

// A Book is a set of records, as a file or a whole programme holds them.
type Book struct {
	Shifts    []Shift
	ZIPs      []Centroid
	Employees []Employee
	PTO       []Leave
	Vanpools  []Vanpool
	Riders    []Rider

	// Where records stand in the files they were read from, by kind and key. Records
	// that no file held have no place.
	Where map[string]Spot
}

// A Spot is a line of a file.
type Spot struct {
	File string
	Line int
}

// A Kind names one sort of record, and the file it usually comes in.
type Kind string

// Kinds are the sorts of records, in the order in which they can be loaded.
var Kinds = []Kind{"shifts", "zips", "employees", "pto", "vanpools", "riders"}

// A Problem is a row that cannot be taken, and where it stands.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// columns are the fields of each kind; those of required must not be empty.
var columns = map[Kind]struct{ all, required []string }{
	"shifts":    {[]string{"shift_id", "name", "zone", "schedule", "cycle_days", "anchor"}, []string{"shift_id", "name", "zone", "schedule"}},
	"zips":      {[]string{"zip", "lat", "lng"}, []string{"zip", "lat", "lng"}},
	"employees": {[]string{"employee_id", "name", "email", "home_address", "home_zip", "home_lat", "home_lng", "site", "shift_id"}, []string{"employee_id", "name", "email"}},
	"pto":       {[]string{"employee_id", "from", "to"}, []string{"employee_id", "from", "to"}},
	"vanpools":  {[]string{"vanpool_id", "name", "site", "pickup_lat", "pickup_lng", "pickup_name", "seats"}, []string{"vanpool_id", "pickup_lat", "pickup_lng"}},
	"riders":    {[]string{"vanpool_id", "employee_id", "since"}, []string{"vanpool_id", "employee_id"}},
}

// kinds names the kinds in a sentence.
func kinds() string {
	last := len(Kinds) - 1
	names := make([]string, last)
	for i, k := range Kinds[:last] {
		names[i] = string(k)
	}
	return strings.Join(names, ", ") + " and " + string(Kinds[last])
}

// KindOf guesses the kind of records from a file's name: "data/riders.csv".
func KindOf(file string) (Kind, bool) {
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	for _, k := range Kinds {
		if strings.Contains(base, string(k)) {
			return k, true
		}
	}
	return "", false
}

// Read takes the records of a file. CSV needs a kind and a header line; JSON is a list
// of one kind, or an object that has a list for each. Every row that cannot be taken
// is a problem; the book holds the others. The error is for a file that is no file.
func Read(file string, kind Kind, r io.Reader) (Book, []Problem, error) {
	return readUpTo(maxMB, file, kind, r)
}

// maxMB is how large a file may be: the employees of half a million vans.
const maxMB = 512

func readUpTo(mb int64, file string, kind Kind, r io.Reader) (Book, []Problem, error) {
	text, err := io.ReadAll(io.LimitReader(r, mb<<20+1))
	if err != nil {
		return Book{}, nil, dossier.Errorf(dossier.Invalid, "%s could not be read. Check that it is a file you may read.", file).Because(err)
	}
	if int64(len(text)) > mb<<20 {
		return Book{}, nil, dossier.Errorf(dossier.Invalid, "%s is larger than %d MB. Split it and import the parts one after the other.", file, mb)
	}
	if kind != "" && !slices.Contains(Kinds, kind) {
		return Book{}, nil, dossier.Errorf(dossier.Invalid, "There is no kind of record %q; there are %s.", kind, kinds())
	}
	b := reader{file: file, seen: map[string]int{}}
	body := strings.TrimSpace(strings.TrimPrefix(string(text), "\uFEFF"))
	if strings.HasPrefix(body, "[") || strings.HasPrefix(body, "{") {
		err = b.json(text, kind)
	} else {
		err = b.csv(text, kind)
	}
	b.book.Where = b.spots()
	return b.book, b.problems, err
}

// A reader collects the records of one file.
type reader struct {
	file     string
	book     Book
	problems []Problem
	seen     map[string]int // key of a record to the line it first stood on
}

// A row is one record's fields as text.
type row map[string]string

func (b *reader) problem(kind Kind, line int, format string, args ...any) {
	b.problems = append(b.problems, Problem{b.file, line, kind, fmt.Sprintf(format, args...)})
}

// spots returns where the records of the book stand.
func (b *reader) spots() map[string]Spot {
	out := make(map[string]Spot, len(b.seen))
	for key, line := range b.seen {
		out[key] = Spot{b.file, line}
	}
	return out
}

// take turns a row into a record, or reports why not.
func (b *reader) take(kind Kind, line int, r row) {
	for _, c := range columns[kind].required {
		if r[c] == "" {
			b.problem(kind, line, "%s is missing.", c)
			return
		}
	}
	if err := b.record(kind, line, r); err != nil {
		b.problem(kind, line, "%s", dossier.Message(err))
	}
}

func (b *reader) record(kind Kind, line int, r row) error {
	n := numbers{row: r}
	var key string
	var err error
	var add func()
	switch kind {
	case "shifts":
		s := Shift{ID: r["shift_id"], Name: r["name"], Zone: r["zone"], Schedule: r["schedule"], Cycle: n.whole("cycle_days"), Anchor: n.day("anchor")}
		key, err, add = s.ID, s.Validate(), func() { b.book.Shifts = append(b.book.Shifts, s) }
	case "zips":
		c := Centroid{ZIP: r["zip"], At: n.point("lat", "lng")}
		key, err, add = c.ZIP, c.Validate(), func() { b.book.ZIPs = append(b.book.ZIPs, c) }
	case "employees":
		e := Employee{
			ID: r["employee_id"], Name: r["name"], Email: r["email"], Address: r["home_address"],
			ZIP: r["home_zip"], Site: r["site"], Shift: r["shift_id"],
		}
		if r["home_lat"] != "" || r["home_lng"] != "" {
			p := n.point("home_lat", "home_lng")
			e.Home = &p
		}
		key, err, add = e.ID, e.Validate(), func() { b.book.Employees = append(b.book.Employees, e) }
	case "pto":
		l := Leave{Employee: r["employee_id"], Span: Span{n.day("from"), n.day("to")}}
		key, err, add = l.Employee+l.From.String(), l.Validate(), func() { b.book.PTO = append(b.book.PTO, l) }
	case "vanpools":
		v := Vanpool{
			ID: r["vanpool_id"], Name: r["name"], Site: r["site"], Place: r["pickup_name"],
			Pickup: n.point("pickup_lat", "pickup_lng"), Seats: n.whole("seats"),
		}
		key, err, add = v.ID, v.Validate(), func() { b.book.Vanpools = append(b.book.Vanpools, v) }
	case "riders":
		m := Rider{Vanpool: r["vanpool_id"], Employee: r["employee_id"], Since: n.day("since")}
		key, err, add = m.Vanpool+m.Employee, m.Validate(), func() { b.book.Riders = append(b.book.Riders, m) }
	}
	if n.err != nil {
		return n.err
	}
	if err != nil {
		return err
	}
	if first, twice := b.seen[string(kind)+key]; twice {
		return dossier.Errorf(dossier.Conflict, "This repeats the record of line %d.", first)
	}
	b.seen[string(kind)+key] = line
	add()
	return nil
}

// numbers reads the fields of a row that are not text and keeps the first error. An
// empty field is zero.
type numbers struct {
	row row
	err error
}

func (n *numbers) fail(field, form string) {
	if n.err == nil {
		n.err = dossier.Errorf(dossier.Invalid, "%s: %q is not %s.", field, n.row[field], form)
	}
}

func (n *numbers) whole(field string) int {
	if n.row[field] == "" {
		return 0
	}
	v, err := strconv.Atoi(n.row[field])
	if err != nil || v < 0 {
		n.fail(field, "a whole number")
	}
	return v
}

func (n *numbers) degrees(field string) float64 {
	v, err := strconv.ParseFloat(n.row[field], 64)
	if err != nil || v < -180 || v > 180 || v != v {
		n.fail(field, "a number of degrees")
		return 0
	}
	return v
}

func (n *numbers) point(lat, lng string) geo.Point {
	return geo.Point{Lat: n.degrees(lat), Lon: n.degrees(lng)}
}

func (n *numbers) day(field string) Day {
	if n.row[field] == "" {
		return 0
	}
	d, err := ParseDay(n.row[field])
	if err != nil {
		n.fail(field, "a date such as 2026-11-16")
	}
	return d
}

// Add appends the records of another book.
func (b *Book) Add(o Book) {
	b.Shifts = append(b.Shifts, o.Shifts...)
	b.ZIPs = append(b.ZIPs, o.ZIPs...)
	b.Employees = append(b.Employees, o.Employees...)
	b.PTO = append(b.PTO, o.PTO...)
	b.Vanpools = append(b.Vanpools, o.Vanpools...)
	b.Riders = append(b.Riders, o.Riders...)
	if b.Where == nil {
		b.Where = map[string]Spot{}
	}
	maps.Copy(b.Where, o.Where)
}
