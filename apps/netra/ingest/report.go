package ingest

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier/apps/netra/engine"
)

// A Report is one published item before ingestion, as its source gives it. It may hold
// identifiers and must not be stored or logged.
type Report struct {
	State      string   `json:"state"`
	District   string   `json:"district"`
	Location   string   `json:"location,omitempty"`
	Text       string   `json:"text"` // what happened, in free text
	Timestamp  string   `json:"timestamp"`
	SourceURL  string   `json:"source_url,omitempty"`
	SourceType string   `json:"source_type,omitempty"`
	Layers     []string `json:"risk_layers,omitempty"` // set with polarity and severity if it was classified before
	Polarity   string   `json:"polarity,omitempty"`
	Severity   string   `json:"severity_score,omitempty"`
	Tags       []string `json:"geo_sensitivity,omitempty"`
}

// An Accepted report is a signal with the account of how it was made.
type Accepted struct {
	Signal   engine.Signal  `json:"signal"`
	Classed  Classification `json:"classification"`
	Redacted map[Class]int  `json:"redacted,omitempty"`
}

// Limits of what is kept of a report, in characters.
const (
	maxSummary  = 600
	maxLocation = 120
	maxURL      = 500

	// maxText bounds what a report may say in all. It is refused and not cut, since a cut
	// could leave half an identifier that no longer looks like one.
	maxText = 100_000
)

// Accept redacts, dates, places and classifies a report. A report that is later than
// now, by more than the clocks of two machines differ, is refused; a zero now skips
// that check. The error is a reason for people and quotes only redacted text.
func Accept(r Report, now time.Time) (Accepted, error) {
	if len(r.Text)+len(r.Location)+len(r.SourceURL) > maxText {
		return Accepted{}, fmt.Errorf("the report is longer than %d bytes; give a summary", maxText)
	}
	at, err := engine.ParseTime(r.Timestamp)
	if err != nil {
		return Accepted{}, err
	}
	if !now.IsZero() && at.After(now.Add(skew)) {
		return Accepted{}, fmt.Errorf("the timestamp %s lies in the future", at.Format(time.RFC3339))
	}
	place, err := Locate(r.State, r.District)
	if err != nil {
		return Accepted{}, err
	}
	summary, location, source := Redact(r.Text), Redact(r.Location), Redact(cleanURL(r.SourceURL))
	if summary.Text == "" {
		return Accepted{}, fmt.Errorf("the report has no text")
	}
	a := Accepted{Redacted: total(summary, location, source)}
	if a.Classed, err = classOf(r, summary.Text); err != nil {
		return Accepted{}, err
	}
	a.Signal = engine.Signal{
		State: place.State, District: place.District, Location: engine.Clip(location.Text, maxLocation),
		EventSummary: engine.Clip(summary.Text, maxSummary), Timestamp: at,
		SourceURL: engine.Clip(source.Text, maxURL), SourceType: SourceType(r.SourceType),
		RiskLayers: a.Classed.Layers, Polarity: a.Classed.Polarity, Severity: a.Classed.Severity,
		GeoSensitivity: a.Classed.Tags, Sources: 1,
	}
	if a.Signal.Location == "" {
		a.Signal.Location = a.Signal.District
	}
	return a, a.Signal.Validate()
}

const skew = 5 * time.Minute

// classOf takes the classification that came with the report, or makes one from its words.
func classOf(r Report, clean string) (Classification, error) {
	if len(r.Layers) == 0 && r.Polarity == "" && r.Severity == "" {
		c := Classify(clean)
		if !c.Known() {
			return c, fmt.Errorf("no word of the lists occurs in the text, so it says nothing about risk")
		}
		return c, c.mark(r.Tags)
	}
	sev, err := strconv.Atoi(strings.TrimSpace(r.Severity))
	if err != nil || sev < 1 || sev > 5 {
		return Classification{}, fmt.Errorf("severity must be a whole number from 1 to 5")
	}
	c := Classification{Polarity: engine.ParsePolarity(r.Polarity), Severity: sev, By: "given"}
	for _, l := range r.Layers {
		layer := engine.Layer(strings.ToLower(strings.TrimSpace(l)))
		if !slices.Contains(engine.Layers[:], layer) {
			return Classification{}, fmt.Errorf("a risk layer must be cognitive, network or physical")
		}
		if !slices.Contains(c.Layers, layer) {
			c.Layers = append(c.Layers, layer)
		}
	}
	return c, c.mark(r.Tags)
}

// mark adds the geo tags that were given with a report to those its words gave.
func (c *Classification) mark(tags []string) error {
	for _, t := range tags {
		tag := engine.Tag(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(t)), " ", "_"))
		switch {
		case slices.Contains(c.Tags, tag):
		case slices.Contains(engine.Tags[:], tag):
			c.Tags = append(c.Tags, tag)
			if c.By != "given" {
				c.Deciders = append(c.Deciders, Decider{Word: string(tag), What: "was given and marks", Means: string(tag)})
			}
		case tag != "" && tag != "none":
			return fmt.Errorf("a geo tag must be sensitive_zone, border, capital, highway, market or none")
		}
	}
	return nil
}

// cleanURL keeps a web address without its user, and nothing else.
func cleanURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.User, u.Fragment = nil, ""
	path, err := url.PathUnescape(u.EscapedPath())
	if err != nil {
		path = u.EscapedPath()
	}
	out := u.Scheme + "://" + u.Host + path
	if u.RawQuery != "" {
		query, err := url.QueryUnescape(u.RawQuery)
		if err != nil {
			return out
		}
		out += "?" + query
	}
	return out
}

var slug = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

// SourceType keeps a plain word of letters; anything else is an open source.
func SourceType(s string) string {
	if s = strings.ToLower(strings.TrimSpace(s)); slug.MatchString(s) {
		return s
	}
	return engine.PublicSource
}

func total(parts ...Redaction) map[Class]int {
	var out map[Class]int
	for _, p := range parts {
		for c, n := range p.Found {
			if out == nil {
				out = map[Class]int{}
			}
			out[c] += n
		}
	}
	return out
}
