package ingest

import (
	"io"
	"strings"
	"testing"
	"time"

	"dossier/apps/netra/engine"

	"github.com/google/go-cmp/cmp"
)

var readTime = time.Date(2026, 2, 3, 15, 0, 0, 0, time.UTC)

const sampleCSV = `state,district,location,text,timestamp,source_url
Manipur,Imphal West,Keishampat,Arms cache recovered near border area,2026-02-03T08:58:29,https://news.example.org/a
Manipur,Imphal-West,,"Bandh called, call 98765 43210",2026-02-03 09:00,
Manipur,Gotham,,Bandh called,2026-02-03,
Manipur,Imphal West,,Bandh called,03/02/2026,
Bihar,Patna,,Bandh called,2026-02-03,
Manipur,Imphal West,,Cricket match won,2026-02-03,
Manipur,Imphal West,,Bandh called,2027-01-01,
Manipur,Imphal West
Manipur,Thoubal,,"Two ""killed in ambush",2026-02-02,
`

func TestReadCSV(t *testing.T) {
	t.Parallel()
	rows, rejects, err := ReadCSV(strings.NewReader(sampleCSV))
	if err != nil {
		t.Fatal(err)
	}
	got, audit := AcceptAll(rows, rejects, readTime)
	t.Run("N-093 a spreadsheet's byte order mark is no part of the heading", func(t *testing.T) {
		marked, _, err := ReadCSV(strings.NewReader("\uFEFF" + sampleCSV))
		if err != nil || len(marked) != len(rows) || marked[0].Report.State != rows[0].Report.State {
			t.Errorf("%d rows of %d, %v", len(marked), len(rows), err)
		}
	})
	t.Run("N-087 N-093 accepted", func(t *testing.T) {
		if len(got) != 3 || audit.Accepted != 3 || audit.Read != 9 {
			t.Fatalf("accepted %d of %d", audit.Accepted, audit.Read)
		}
		s := got[0].Signal
		want := engine.Signal{State: "Manipur", District: "Imphal West", Location: "Keishampat", EventSummary: "Arms cache recovered near border area",
			Timestamp: time.Date(2026, 2, 3, 8, 58, 29, 0, time.UTC), SourceURL: "https://news.example.org/a", SourceType: engine.PublicSource,
			RiskLayers: []engine.Layer{engine.Physical}, Polarity: engine.Escalatory, Severity: 3, GeoSensitivity: []engine.Tag{engine.Border}, Sources: 1}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Error(diff)
		}
		if got[1].Signal.EventSummary != "Bandh called, call [phone]" || audit.Redacted[Phone] != 1 || got[1].Signal.District != "Imphal West" {
			t.Errorf("got %q, %v", got[1].Signal.EventSummary, audit.Redacted)
		}
	})
	t.Run("N12 rejects with line and reason", func(t *testing.T) {
		want := map[int]string{4: "unknown district", 5: "ISO 8601", 6: "unknown state", 7: "no word", 8: "future", 9: "2 columns"}
		if len(audit.Rejected) != len(want) {
			t.Errorf("got %+v", audit.Rejected)
		}
		for _, r := range audit.Rejected {
			if !strings.Contains(r.Reason, want[r.Line]) || want[r.Line] == "" {
				t.Errorf("line %d: %s", r.Line, r.Reason)
			}
		}
	})
	if _, _, err := ReadCSV(strings.NewReader("state,district\n")); err == nil || !strings.Contains(err.Error(), "timestamp") {
		t.Errorf("a heading without timestamp gives %v", err)
	}
}

func TestReadJSONL(t *testing.T) {
	t.Parallel()
	in := `{"state":"Assam","district":"Silchar","text":"Bandh called","timestamp":"2026-02-03"}
not json

{"state":"Assam","district":"Cachar","location":"x","event_summary":"e","timestamp":"2026-02-03T01:00:00","risk_layers":["physical"],"polarity":"stabilising","severity_score":4,"geo_sensitivity":["border"]}
{"state":"Assam","district":"Cachar","event_summary":"e","timestamp":"2026-02-03","risk_layers":["physical"],"polarity":"neutral","severity_score":9}
{"state":"Assam","district":"Cachar","event_summary":"e","timestamp":"2026-02-03","risk_layers":["mental"],"polarity":"neutral","severity_score":2}
`
	rows, rejects, err := ReadJSONL(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	got, audit := AcceptAll(rows, rejects, readTime)
	if len(got) != 2 || got[0].Signal.District != "Cachar" || got[0].Classed.By != "rule/"+LexiconVersion {
		t.Fatalf("N-042: got %+v", got)
	}
	if s := got[1]; s.Classed.By != "given" || s.Signal.Polarity != engine.Stabilizing || s.Signal.Severity != 4 {
		t.Errorf("given classification lost: %+v", s)
	}
	var lines []int
	for _, r := range audit.Rejected {
		lines = append(lines, r.Line)
	}
	if diff := cmp.Diff([]int{2, 5, 6}, lines); diff != "" {
		t.Errorf("N12 reject lines: %s", diff)
	}
}

// A report that would take seconds to search is refused whole: cut, it could keep half
// an identifier.
func TestOverlongReportIsRefused(t *testing.T) {
	t.Parallel()
	r := Report{State: "Assam", District: "Cachar", Timestamp: "2026-02-03", Text: "Bandh called. " + strings.Repeat("x ", maxText/2)}
	if _, err := Accept(r, readTime); err == nil || !strings.Contains(err.Error(), "longer than 100000 bytes; give a summary") {
		t.Error(err)
	}
	r.Text = r.Text[:maxText/2]
	if _, err := Accept(r, readTime); err != nil {
		t.Error(err)
	}
}

const sampleFeed = `<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>
<item><title>Blockade in Senapati</title><description>&lt;p&gt;Trucks stranded on NH-2, Manipur&lt;/p&gt;</description><link>https://news.example.org/1</link><pubDate>Tue, 03 Feb 2026 08:00:00 GMT</pubDate></item>
<item><title>Bandh in Kohima and Wokha</title><link>https://news.example.org/2</link><pubDate>Tue, 03 Feb 2026 08:00:00 GMT</pubDate></item>
<item><title>Bandh in Patna</title><link>https://news.example.org/3</link><pubDate>Tue, 03 Feb 2026 08:00:00 GMT</pubDate></item>
<item><title>Bandh in Kohima</title><link>https://news.example.org/4</link></item>
</channel></rss>`

const sampleAtom = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>
<entry><title>Protest in Shillong</title><link href="https://news.example.org/5"/><updated>2026-02-03T07:00:00Z</updated></entry></feed>`

func TestReadFeed(t *testing.T) {
	t.Parallel()
	rows, rejects, err := ReadFeed(strings.NewReader(sampleFeed), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := AcceptAll(rows, rejects, readTime)
	if len(got) != 1 || got[0].Signal.District != "Senapati" || got[0].Signal.EventSummary != "Blockade in Senapati. Trucks stranded on NH-2, Manipur" ||
		!cmp.Equal(got[0].Signal.GeoSensitivity, []engine.Tag{engine.Highway}) {
		t.Errorf("got %+v", got)
	}
	if len(rejects) != 3 || !strings.Contains(rejects[0].Reason, "several districts: Kohima, Nagaland; Wokha, Nagaland") || !strings.Contains(rejects[1].Reason, "no known district") || !strings.Contains(rejects[2].Reason, "no date") {
		t.Errorf("rejects %+v", rejects)
	}
	rows, _, err = ReadFeed(strings.NewReader(sampleAtom), time.Time{})
	if err != nil || len(rows) != 1 || rows[0].Report.District != "East Khasi Hills" {
		t.Errorf("Atom gives %+v, %v", rows, err)
	}
	if _, _, err := ReadFeed(strings.NewReader("hello"), time.Time{}); err == nil {
		t.Error("text was read as a feed")
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for _, d := range Places() {
		counts[d.State]++
	}
	want := map[string]int{"Arunachal Pradesh": 28, "Assam": 35, "Manipur": 16, "Meghalaya": 12, "Mizoram": 11, "Nagaland": 17, "Sikkim": 6, "Tripura": 8}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	for _, c := range [][3]string{{"manipur", "IMPHAL WEST", "Imphal West"}, {"Assam", "Karimganj", "Sribhumi"}, {"Nagaland", "Zunheboto", "Zünheboto"},
		{"Assam", "Kamrup (Metro)", "Kamrup Metropolitan"}, {"Sikkim", "East Sikkim", "Gangtok"}, {"Assam", "Cachar District", "Cachar"}} {
		if d, err := Locate(c[0], c[1]); err != nil || d.District != c[2] {
			t.Errorf("Locate(%s, %s) = %v, %v", c[0], c[1], d.District, err)
		}
	}
	if _, err := Locate("Manipur", "Imphal Wst"); err == nil || !strings.Contains(err.Error(), "did you mean Imphal West?") {
		t.Errorf("N12: got %v", err)
	}
	if _, err := Locate("Manipur", "Imphal"); err == nil {
		t.Error("N12: Imphal is two districts and was guessed")
	}
	if _, err := Locate("Assam", "Imphal West"); err == nil {
		t.Error("N12: a district of another state was taken")
	}
}

// A district is read out of free text only where nothing else can be meant.
func TestFindPlaceN12(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Blockade in Senapati":                                "Senapati, Manipur",
		"Bandh in Mon district":                               "Mon, Nagaland",
		"Mon 3 Nov: bandh in Kohima":                          "Kohima, Nagaland",
		"Protest along the highway in Arunachal":              "",
		"Communal clash in Udaipur":                           "",
		"Communal clash in Udaipur, Rajasthan":                "",
		"Clash in Udaipur, Tripura":                           "Gomati, Tripura",
		"Lakhimpur Kheri violence: four farmers killed":       "",
		"Lakhimpur bandh hits traffic in Assam":               "Lakhimpur, Assam",
		"Bandh in Lakhimpur district":                         "Lakhimpur, Assam",
		"Trucks of Punjab burnt in Tinsukia":                  "",
		"Trucks of Punjab burnt in Tinsukia, Assam":           "Tinsukia, Assam",
		"Clashes in Churachandpur and Imphal West of Manipur": "",
		"Assam and Nagaland talk, Dimapur calm":               "Dimapur, Nagaland",
	} {
		d, err := FindPlace(text)
		if got := d.Place.String(); want != "" && (err != nil || got != want) || want == "" && err == nil {
			t.Errorf("N12 %q is placed in %s, want %q, %v", text, got, want, err)
		}
	}
}

// What one bad line takes with it is told, and no more is lost.
func TestBadLinesN12(t *testing.T) {
	t.Parallel()
	const good = "{\"state\":\"Assam\",\"district\":\"Cachar\",\"text\":\"Bandh called\",\"timestamp\":\"2026-02-03\"}\n"
	for name, end := range map[string]string{"in the middle": "\n" + good, "at the end": ""} {
		rows, rejects, err := ReadJSONL(strings.NewReader(good + `{"text":"` + strings.Repeat("x", 3*maxLine) + `"}` + end))
		want := []Reject{{2, "the line is longer than 1048576 bytes"}}
		if diff := cmp.Diff(want, rejects); err != nil || diff != "" || len(rows) != 1+strings.Count(end, "Bandh") {
			t.Errorf("N12 an overlong line %s: %d rows, %v %s", name, len(rows), err, diff)
		}
	}
	rows, rejects, err := ReadCSV(strings.NewReader("state,district,text,timestamp\nAssam,Cachar,\"Bandh called,2026-02-03\nAssam,Cachar,Bandh,2026-02-03\nAssam,Cachar,Bandh,2026-02-03\n"))
	if diff := cmp.Diff([]Reject{{2, "a quotation mark is not closed, so lines 2 to 4 were not read"}}, rejects); err != nil || diff != "" || len(rows) != 0 {
		t.Errorf("N12 %d rows, %v %s", len(rows), err, diff)
	}
	signal := `{"state":"Assam","district":"Cachar","event_summary":"e","timestamp":"2026-02-03","risk_layers":["physical"],"polarity":"neutral","severity_score":2}`
	if list, rejects, err := ReadSignals(strings.NewReader("\uFEFF" + signal)); err != nil || len(list) != 1 || len(rejects) != 0 {
		t.Errorf("N12 behind a byte order mark: %d signals, %+v, %v", len(list), rejects, err)
	}
}

// A tag that is given with a free report is kept beside those its words give.
func TestGivenTagsN091(t *testing.T) {
	t.Parallel()
	r := Report{State: "Assam", District: "Cachar", Timestamp: "2026-02-03", Text: "Bandh called on NH-37", Tags: []string{"Sensitive Zone", "highway", "none"}}
	a, err := Accept(r, readTime)
	if diff := cmp.Diff([]engine.Tag{engine.Highway, engine.SensitiveZone}, a.Signal.GeoSensitivity); err != nil || diff != "" || !strings.Contains(a.Classed.Rationale(), "sensitive_zone") {
		t.Errorf("N-091 %s %v %s", diff, err, a.Classed.Rationale())
	}
	r.Tags = []string{"moon"}
	if _, err := Accept(r, readTime); err == nil {
		t.Error("N-091 an unknown tag was taken")
	}
}

func TestSameEvent(t *testing.T) {
	t.Parallel()
	sig := func(district, text string, hour int) engine.Signal {
		return engine.Signal{State: "Manipur", District: district, EventSummary: text, Polarity: Classify(text).Polarity, Timestamp: readTime.Add(time.Duration(hour) * time.Hour)}
	}
	arms := sig("Imphal West", "Arms cache recovered near border area", 0)
	bandh := sig("Imphal West", "Bandh called over arrest of leaders", 0)
	for _, c := range []struct {
		name string
		a, b engine.Signal
		want bool
	}{
		{"other words of the same", arms, sig("Imphal West", "Arms cache recovered near the border area, police said", -2), true},
		{"a day apart", arms, sig("Imphal West", arms.EventSummary, -24), true},
		{"more than a day apart", arms, sig("Imphal West", arms.EventSummary, -25), false},
		{"another district", arms, sig("Imphal East", arms.EventSummary, 0), false},
		{"another event", arms, bandh, false},
		{"the other way round", bandh, sig("Imphal West", "Bandh called off over arrest of leaders", 1), false},
	} {
		if got := SameEvent(&c.a, Fingerprint(c.a.EventSummary), &c.b, Fingerprint(c.b.EventSummary)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add(sampleCSV)
	f.Add("state,district,text,timestamp\n\"")
	f.Fuzz(func(t *testing.T, in string) { checkRead(t, ReadCSV, in) })
}

func FuzzReadJSONL(f *testing.F) {
	f.Add(`{"state":"Assam","district":"Cachar","text":"Bandh","timestamp":"2026-02-03"}`)
	f.Fuzz(func(t *testing.T, in string) { checkRead(t, ReadJSONL, in) })
}

func FuzzReadFeed(f *testing.F) {
	f.Add(sampleFeed)
	f.Add(sampleAtom)
	f.Fuzz(func(t *testing.T, in string) {
		checkRead(t, func(r io.Reader) ([]Row, []Reject, error) { return ReadFeed(r, time.Time{}) }, in)
	})
}

func FuzzClassify(f *testing.F) {
	f.Add("Arms cache recovered near border area")
	f.Add("bandh called off")
	f.Fuzz(func(t *testing.T, in string) {
		c := Classify(Clean(in))
		if c.Known() != (c.Severity > 0) || c.Severity > 5 {
			t.Errorf("%q gives %+v", in, c)
		}
	})
}

// checkRead holds what every reader promises: each accepted signal is valid, each
// reject has a line and a reason.
func checkRead(t *testing.T, read func(io.Reader) ([]Row, []Reject, error), in string) {
	rows, rejects, err := read(strings.NewReader(in))
	if err != nil {
		return
	}
	got, audit := AcceptAll(rows, rejects, readTime)
	for i := range got {
		if err := got[i].Signal.Validate(); err != nil {
			t.Errorf("an invalid signal was accepted: %v", err)
		}
	}
	for _, r := range audit.Rejected {
		if r.Line < 1 || r.Reason == "" {
			t.Errorf("reject %+v", r)
		}
	}
}
