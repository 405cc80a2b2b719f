package roster

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dossier"
)

func TestParseSchedule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		cycle      int
		want       string // written again; "" if it must be refused
		problem    string
	}{
		{"P-151 weekdays", "Mon-Fri 07:00-16:00", 7, "Mon-Fri 07:00-16:00", ""},
		{"P-151 nights go round the week", "sun-thu 22:00-06:00", 7, "Mon-Thu,Sun 22:00-06:00", ""},
		{"P-151 split", "Mon-Fri 06:00-10:00;Mon-Fri 15:00-19:00", 7, "Mon-Fri 06:00-10:00; Mon-Fri 15:00-19:00", ""},
		{"P-151 flexible", "Mon,Wed 06:30..09:30+08:30", 7, "Mon,Wed 06:30..09:30+08:30", ""},
		{"P-151 rotation", "1-4 06:00-18:00; 9-12 18:00-06:00", 16, "1-4 06:00-18:00; 9-12 18:00-06:00", ""},
		{"P-120 twelve-hour clock", "Mon 7:00pm-9:00pm", 7, "", "is not a time; write it as 07:00, with 24 hours."},
		{"P-120 minute 60", "Mon 07:60-09:00", 7, "", "is not a time"},
		{"P-120 hour 25", "Mon 25:00-26:00", 7, "", "is not a time"},
		{"no hours", "Mon-Fri", 7, "", "needs days and hours"},
		{"no such day", "Foo 07:00-08:00", 7, "", "is not a day of the week"},
		{"day outside the cycle", "15 07:00-08:00", 14, "", "is not a day of the cycle"},
		{"no time", "Mon 07:00-07:00", 7, "", "takes no time"},
		{"overlap", "Mon 07:00-12:00; Mon 11:00-15:00", 7, "", "overlap"},
		{"twice", "Mon,Mon 07:00-12:00", 7, "", "names a day twice"},
		{"latest before earliest", "Mon 09:00..07:00+08:00", 7, "", "latest start must come after"},
		{"empty", " ; ", 7, "", "The schedule is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := ParseSchedule(c.text, c.cycle)
			switch {
			case c.want == "" && (err == nil || !strings.Contains(dossier.Message(err), c.problem)):
				t.Errorf("got %v, want a problem with %q", err, c.problem)
			case c.want != "" && (err != nil || s.Text(c.cycle) != c.want):
				t.Errorf("got %q %v, want %q", s.Text(c.cycle), err, c.want)
			}
		})
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, s := range []string{"Mon-Fri 07:00-16:00", "Sun-Thu 22:00-06:00; Fri 06:00..07:00+04:00", "1-4 06:00-18:00", ";;", "Mon 24:00-24:00", "-1 00:00-00:01"} {
		f.Add(s, 7)
		f.Add(s, 14)
	}
	f.Fuzz(func(t *testing.T, text string, cycle int) {
		s, err := ParseSchedule(text, cycle)
		if err != nil {
			return
		}
		again, err := ParseSchedule(s.Text(cycle), cycle)
		if err != nil || !cmp.Equal(s, again) {
			t.Errorf("%q is written as %q, which reads as %v (%v)", text, s.Text(cycle), again, err)
		}
	})
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for schedule, want := range map[string]Pattern{
		"Mon-Fri 07:00-16:00": Fixed, "Sun-Thu 22:00-06:00": Night, "Mon 06:00-10:00; Mon 15:00-19:00": Split, "Mon-Fri 06:00..09:00+08:00": Flexible,
	} {
		if got := (Shift{Schedule: schedule}).Pattern(); got != want {
			t.Errorf("%s: got %s, want %s", schedule, got, want)
		}
	}
	if got := (Shift{Schedule: "1-4 06:00-18:00", Cycle: 8}).Pattern(); got != Rotating {
		t.Errorf("got %s, want rotating", got)
	}
}

const employees = `employee_id,name,email,home_zip,home_lat,home_lng,shift_id
EMP-1001,Ada Marsh,ada@example.com,94538,37.5,-121.9,SH-DAY
EMP-10,Bad Id,bad@example.com,94538,,,SH-DAY
EMP-1002,"Bo Lind",no-address,94538,,,SH-DAY
EMP-1003,Cy Hart,cy@example.com,94538,north,-121.9,SH-DAY

EMP-1004,Di Roe,di@example.com,94539,,,SH-DAY
EMP-1001,Ada Twice,ada2@example.com,94538,,,SH-DAY
EMP-1005,Short Row
`

func TestReadCSV(t *testing.T) {
	t.Parallel()
	book, problems, err := Read("employees.csv", "", strings.NewReader(employees))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	want := []string{
		`employees.csv:3: "EMP-10" is not an employee id; they look like EMP-1001.`,
		`employees.csv:4: Employee EMP-1002: "no-address" is not an e-mail address.`,
		`employees.csv:5: home_lat: "north" is not a number of degrees.`,
		`employees.csv:8: This repeats the record of line 2.`,
		`employees.csv:9: This row has 2 fields; the header has 7.`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("P-149 problems (-want +got):\n%s", diff)
	}
	ids := []string{}
	for _, e := range book.Employees {
		ids = append(ids, e.ID)
	}
	if !slices.Equal(ids, []string{"EMP-1001", "EMP-1004"}) || book.Employees[1].Home != nil || book.Employees[0].Home.Lon != -121.9 {
		t.Errorf("got %+v, want EMP-1001 with a home and EMP-1004 without", book.Employees)
	}
}

func TestReadJSON(t *testing.T) {
	t.Parallel()
	text := `{
  "shifts": [
    {"shift_id": "SH-DAY", "name": "Day", "zone": "America/Los_Angeles", "schedule": "Mon-Fri 07:00-16:00"},
    {"shift_id": "SH-BAD", "name": "Bad", "zone": "Mars/Olympus", "schedule": "Mon-Fri 07:00-16:00"}
  ],
  "vanpools": [
    {"vanpool_id": "VP-101", "pickup_lat": 37.495,
     "pickup_lng": -121.941, "seats": 8},
    {"vanpool_id": "VP-102"},
    {"vanpool_id": "VP-103", "colour": "red"},
    7
  ],
  "riders": [{"vanpool_id": "VP-101", "employee_id": "EMP-1001", "since": "2026-02-30"}]
}`
	book, problems, err := Read("all.json", "", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	want := []string{
		`all.json:4: Shift SH-BAD: "Mars/Olympus" is not a time zone.`,
		`all.json:9: pickup_lat is missing.`,
		`all.json:10: "colour" is not a field of vanpools; they are vanpool_id, name, site, pickup_lat, pickup_lng, pickup_name, seats.`,
		`all.json:11: This is not an object.`,
		`all.json:13: since: "2026-02-30" is not a date such as 2026-11-16.`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if len(book.Shifts) != 1 || len(book.Vanpools) != 1 || book.Vanpools[0].Seats != 8 {
		t.Errorf("got %+v", book)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	first, problems, err := Read("b.json", "", strings.NewReader(`{"shifts":[{"shift_id":"SH-R","name":"R","zone":"UTC","schedule":"1-4 06:00-18:00","cycle_days":8,"anchor":"2026-01-05"}],
		"zips":[{"zip":"94538","lat":37.5,"lng":-121.96}],"employees":[{"employee_id":"EMP-1001","name":"Ada, Marsh","email":"a@b.example","home_lat":1.5,"home_lng":2,"shift_id":"SH-R"}],
		"pto":[{"employee_id":"EMP-1001","from":"2026-11-20","to":"2026-11-22"}],"vanpools":[{"vanpool_id":"VP-101","pickup_lat":1,"pickup_lng":2}],"riders":[{"vanpool_id":"VP-101","employee_id":"EMP-1001"}]}`))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	first.Where = nil // of the file
	raw, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{`"lat":37.5`, `"home_lng":2`, `"cycle_days":8`, `"zip":"94538"`} {
		if !strings.Contains(string(raw), number) {
			t.Errorf("no %s in %s", number, raw)
		}
	}
	second, problems, err := Read("b.json", "", bytes.NewReader(raw))
	second.Where = nil
	if err != nil || len(problems) > 0 || !cmp.Equal(first, second) {
		t.Errorf("JSON: %v %v\n%s", err, problems, cmp.Diff(first, second))
	}
	var third Book
	for _, k := range Kinds {
		var out bytes.Buffer
		if err := first.WriteCSV(&out, k); err != nil {
			t.Fatal(err)
		}
		part, problems, err := Read(string(k)+".csv", "", &out)
		if err != nil || len(problems) > 0 {
			t.Fatal(k, err, problems)
		}
		third.Shifts = append(third.Shifts, part.Shifts...)
		third.ZIPs = append(third.ZIPs, part.ZIPs...)
		third.Employees = append(third.Employees, part.Employees...)
		third.PTO = append(third.PTO, part.PTO...)
		third.Vanpools = append(third.Vanpools, part.Vanpools...)
		third.Riders = append(third.Riders, part.Riders...)
	}
	if diff := cmp.Diff(first, third); diff != "" {
		t.Errorf("CSV (-first +third):\n%s", diff)
	}
}

func TestFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	text := employees + strings.Repeat("\n", 1<<20-len(employees))
	if book, _, err := readUpTo(1, "employees.csv", "", strings.NewReader(text)); err != nil || len(book.Employees) == 0 {
		t.Errorf("a file of just that size: %d employees, %v", len(book.Employees), err)
	}
	_, _, err := readUpTo(1, "employees.csv", "", strings.NewReader(text+"\n"))
	if dossier.KindOf(err) != dossier.Invalid || !strings.Contains(dossier.Message(err), "larger than 1 MB. Split it") {
		t.Errorf("a larger one: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("employees.csv", employees)
	f.Add("riders.json", `[{"vanpool_id":"VP-101","employee_id":"EMP-1001"}]`)
	f.Add("x.json", `{"zips":[{"zip":"94538","lat":1,"lng":2}]`)
	f.Add("pto.csv", "employee_id,from,to\n\"EMP-1001,2026-01-01,2026-01-02\n")
	f.Fuzz(func(t *testing.T, file, text string) {
		book, problems, err := Read(file, "", strings.NewReader(text))
		if err != nil {
			return
		}
		last := strings.Count(text, "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > last || p.Text == "" {
				t.Errorf("problem outside the file: %+v", p)
			}
		}
		for _, e := range book.Employees {
			if e.Validate() != nil {
				t.Errorf("a bad record was kept: %+v", e)
			}
		}
	})
}

func TestBusinessDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, want string }{
		{"P7 from a Monday", "2026-03-02T12:00:00Z", "2026-03-06T12:00:00Z"},
		{"P7 from a Wednesday", "2026-03-04T12:00:00Z", "2026-03-10T12:00:00Z"},
		{"P7 from a Friday", "2026-03-06T12:00:00Z", "2026-03-12T12:00:00Z"},
		{"P7 from a Saturday", "2026-03-07T12:00:00Z", "2026-03-13T12:00:00Z"},
		{"P7 from a Sunday", "2026-03-08T23:59:00Z", "2026-03-13T23:59:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from, err := time.Parse(time.RFC3339, c.from)
			if err != nil {
				t.Fatal(err)
			}
			got := BusinessDay(from, 5)
			if got.Format(time.RFC3339) != c.want || got.Sub(from) >= 7*24*time.Hour {
				t.Errorf("got %s, want %s", got.Format(time.RFC3339), c.want)
			}
		})
	}
}
