package render

import (
	"fmt"
	"strings"
	"time"

	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/legal"
)

// A Document is a report with what its pages show beside it.
type Document struct {
	Report    legal.Report
	Fires     []Dot
	Outlines  [][][2]float64 // boundary lines for the map; none is fine
	VerifyURL string         // where the case's bundle can be had
	Signer    string         // who approved the filing; "": nobody has yet
	SignedAt  time.Time
	Filed     *filing.Result // nil: not filed
}

// A table is a heading, the names of columns and rows of text.
type table struct {
	Heading string
	Note    string
	Columns []string
	Rows    [][]string
	Wide    []int // of each column, out of 12 in all
}

// tables lists every table of the document, in order.
func (d Document) tables() []table {
	r := d.Report
	return []table{d.surgeTable(), d.fireTable(), d.confidenceTable(), d.pollutantTable(), d.transportTable(), d.historyTable(), d.whatIfTable(), d.sourceTable(), {
		Heading: "Evidence", Note: "Each entry's hash covers the entry and the one before it. The bundle behind the code on the last page holds them all.",
		Columns: []string{"Entry", "Kind", "Recorded", "SHA-256"}, Wide: []int{3, 3, 3, 3}, Rows: evidenceRows(r),
	}}
}

func evidenceRows(r legal.Report) [][]string {
	var rows [][]string
	for _, e := range r.Evidence {
		rows = append(rows, []string{e.ID, e.Kind, stamp(e.Timestamp), e.Hash[:min(16, len(e.Hash))] + "…"})
	}
	return rows
}

func (d Document) surgeTable() table {
	s := d.Report.SurgeDetails
	return table{Heading: "Surge", Columns: []string{"Fact", "Value"}, Wide: []int{4, 8}, Rows: [][]string{
		{"Station", s.Station + " (" + fmt.Sprintf("%.4f, %.4f", s.Latitude, s.Longitude) + ")"},
		{"Index", fmt.Sprintf("%v, %s (%s)", s.AQI, s.Category, s.Basis)},
		{"PM2.5 / PM10", figure(s.PM25) + " / " + figure(s.PM10) + " µg/m³"},
		{"Measured", stamps(s.Timestamp)},
		{"Run above the threshold", stamp(s.RunFrom) + " to " + stamp(s.RunTo)},
	}}
}

func (d Document) fireTable() table {
	r := d.Report
	t := table{
		Heading: "Fires by state", Columns: []string{"State", "Fires", "Mean distance", "High", "Districts"}, Wide: []int{2, 1, 2, 1, 6},
		Note: fmt.Sprintf("%s within %v km between %s and %s; mean distance %v km.", correlate.Count(r.FireCount, "fire"), r.Rules.RadiusKm, stamp(r.FireWindow.From), stamp(r.FireWindow.To), r.AvgDistanceKm),
	}
	for _, f := range r.FireCorrelation {
		t.Rows = append(t.Rows, []string{f.State, fmt.Sprint(f.FireCount), fmt.Sprintf("%v km", f.AvgDistanceKm), yes(f.IsHighContribution), d.districts(f.State)})
	}
	if n := r.DataQuality.Unattributed; n > 0 {
		t.Rows = append(t.Rows, []string{"(no state)", fmt.Sprint(n), "", "", ""})
	}
	return t
}

func (d Document) districts(state string) string {
	var parts []string
	for _, l := range d.Report.Districts {
		if l.State == state && l.District != "" && len(parts) < 8 {
			parts = append(parts, fmt.Sprintf("%s %d", l.District, l.FireCount))
		}
	}
	return strings.Join(parts, ", ")
}

func (d Document) confidenceTable() table {
	t := table{Heading: fmt.Sprintf("Confidence: %v", d.Report.ConfidenceScore), Columns: []string{"Term", "Points", "Why"}, Wide: []int{3, 2, 7}}
	for _, term := range d.Report.Terms {
		points := fmt.Sprintf("%+v", term.Points)
		if term.Status != correlate.Applied {
			points = strings.ReplaceAll(term.Status, "_", " ")
		}
		t.Rows = append(t.Rows, []string{strings.ReplaceAll(term.Name, "_", " "), points, term.Why})
	}
	return t
}

func (d Document) pollutantTable() table {
	t := table{Heading: "Pollutants", Columns: []string{"Pollutant", "Level µg/m³", "Sub-index", "Daily limit", "Times limit", "r with fires"}, Wide: []int{2, 2, 2, 2, 2, 2}}
	for _, p := range d.Report.Pollutants {
		r := figure(p.WithFires)
		if p.WithFires != nil {
			r += fmt.Sprintf(" (n=%d)", p.SampleSize)
		}
		t.Rows = append(t.Rows, []string{p.Pollutant.Label(), figure(p.Level), figure(p.SubIndex), fmt.Sprint(p.Standard), figure(p.Times), r})
	}
	return t
}

func (d Document) transportTable() table {
	w := d.Report.Transport
	t := table{Heading: "Wind: " + strings.ReplaceAll(w.Verdict, "_", " "), Note: w.Reason + " The wind does not enter the confidence.", Columns: []string{"State", "Fires upwind", "Fires", "Share"}, Wide: []int{3, 3, 3, 3}}
	for _, s := range w.ByState {
		t.Rows = append(t.Rows, []string{s.State, fmt.Sprint(s.Upwind), fmt.Sprint(s.Fires), fmt.Sprintf("%.1f %%", s.Share*100)})
	}
	return t
}

func (d Document) historyTable() table {
	h := d.Report.History
	t := table{Heading: "The same weeks of earlier years", Note: h.Sentence, Columns: []string{"Year", "Readings", "Mean index", "Highest", "Above threshold", "Reports"}, Wide: []int{2, 2, 2, 2, 2, 2}}
	for _, y := range h.Years {
		t.Rows = append(t.Rows, []string{fmt.Sprint(y.Year), fmt.Sprint(y.Readings), fmt.Sprint(y.MeanAQI), fmt.Sprint(y.MaxAQI), fmt.Sprint(y.Above), fmt.Sprint(y.Reports)})
	}
	return t
}

func (d Document) whatIfTable() table {
	t := table{Heading: "If one state's fires are left out", Note: d.Report.WeakestLink.Sentence(), Columns: []string{"Without", "Fires", "Confidence", "Conclusion"}, Wide: []int{3, 3, 3, 3}}
	for _, c := range d.Report.Counterfactuals {
		t.Rows = append(t.Rows, []string{c.State, fmt.Sprint(c.FireCount), fmt.Sprint(c.Confidence), string(c.Conclusion)})
	}
	return t
}

func (d Document) sourceTable() table {
	t := table{Heading: "Sources", Columns: []string{"Feed", "Records", "Newest", "Age"}, Wide: []int{4, 2, 4, 2}}
	for _, s := range d.Report.Sources {
		newest, age := "", ""
		if !s.Timestamp.IsZero() {
			newest, age = stamp(s.Timestamp), fmt.Sprintf("%v h", s.AgeHours)
		}
		t.Rows = append(t.Rows, []string{s.Name, fmt.Sprint(s.Records), newest, age})
		t.Note = "All from one object: " + s.Locator
	}
	return t
}

// draft is what a report that nobody approved says above everything else, "" once
// somebody has.
func (d Document) draft() string {
	if d.Signer != "" || d.Filed != nil {
		return ""
	}
	return "DRAFT: not approved and not filed"
}

// signature says who stands for the report.
func (d Document) signature() string {
	if d.Signer == "" {
		return "Not approved yet. This is a draft and has no effect."
	}
	return fmt.Sprintf("Approved by %s on %s.", d.Signer, stamp(d.SignedAt))
}

// filed says whether the Commission has the report.
func (d Document) filed() string {
	switch {
	case d.Filed == nil:
		return "Not filed."
	case d.Filed.Receipt == nil && d.Filed.Status == filing.Success: // by whoever kept reports before
		return fmt.Sprintf("Filed on %s.", stamp(d.Filed.Timestamp))
	case d.Filed.Receipt == nil:
		return strings.TrimSpace("Kept, but not yet taken by the Commission. " + strings.Join(d.Filed.Problems, " "))
	default:
		return fmt.Sprintf("Filed on %s, receipt %s.", stamp(d.Filed.Receipt.ReceivedAt), d.Filed.Receipt.ReceiptID)
	}
}

// india is the clock of those who read a report and act on it. The evidence keeps UTC.
var india = time.FixedZone("IST", 5*3600+1800)

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(india).Format("2 Jan 2006 15:04 MST")
}

// stamps is stamp with the time as the evidence has it.
func stamps(t time.Time) string { return stamp(t) + t.UTC().Format(" (15:04 UTC)") }

func figure(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprint(*f)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
