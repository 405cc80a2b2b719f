package engine

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// A Layer is one of the three kinds of indicator that are scored independently.
type Layer string

// The layers, in the order in which they are listed and in which ties are broken.
const (
	Cognitive Layer = "cognitive" // rumours, misinformation, narratives; protests, agitation, threats
	Network   Layer = "network"   // bandhs, shutdowns, strikes; mass mobilisation, coordinated action
	Physical  Layer = "physical"  // violence, arms, explosives; narcotics, border activity
)

// Layers lists the layers in order.
var Layers = [3]Layer{Cognitive, Network, Physical}

// A Polarity says which way a signal points.
type Polarity string

// The polarities.
const (
	Escalatory  Polarity = "escalatory"
	Stabilizing Polarity = "stabilizing"
	Neutral     Polarity = "neutral"
)

var polarities = [3]Polarity{Escalatory, Stabilizing, Neutral}

// A Tag says what is sensitive about the place of a signal.
type Tag string

// The tags that carry a multiplier. Any other tag counts as none.
const (
	SensitiveZone Tag = "sensitive_zone"
	Border        Tag = "border"
	Capital       Tag = "capital"
	Highway       Tag = "highway"
	Market        Tag = "market"
)

// Tags lists the known tags, the most sensitive first.
var Tags = [5]Tag{SensitiveZone, Border, Capital, Highway, Market}

// PublicSource is the source type of everything that is published openly.
const PublicSource = "public_open_source"

// A Place is a district of a state: the finest unit that is ever scored.
type Place struct {
	State    string `json:"state"`
	District string `json:"district"`
}

func (p Place) String() string { return p.District + ", " + p.State }

// same reports whether two places are one, whatever the letter case.
func (p Place) same(q Place) bool {
	return strings.EqualFold(p.District, q.District) && strings.EqualFold(p.State, q.State)
}

// A Signal is one reported event after ingestion: redacted, classified and placed.
type Signal struct {
	ID             string    `json:"id,omitempty"`
	State          string    `json:"state"`
	District       string    `json:"district"`
	Location       string    `json:"location"`
	EventSummary   string    `json:"event_summary"`
	Timestamp      time.Time `json:"timestamp"`
	SourceURL      string    `json:"source_url"`
	SourceType     string    `json:"source_type"`
	RiskLayers     []Layer   `json:"risk_layers"`
	Polarity       Polarity  `json:"polarity"`
	Severity       int       `json:"severity_score"` // 1 to 5
	GeoSensitivity []Tag     `json:"geo_sensitivity"`
	Sources        int       `json:"sources,omitempty"` // how many sources reported it; 0 means one
}

// Place returns where s happened.
func (s *Signal) Place() Place { return Place{s.State, s.District} }

// Validate reports why s cannot be scored.
func (s *Signal) Validate() error {
	switch {
	case s.State == "" || s.District == "":
		return fmt.Errorf("a signal needs a state and a district")
	case s.Timestamp.IsZero():
		return fmt.Errorf("a signal needs a timestamp")
	case s.Severity < 1 || s.Severity > 5:
		return fmt.Errorf("severity must be a whole number from 1 to 5, not %d", s.Severity)
	case !slices.Contains(polarities[:], s.Polarity):
		return fmt.Errorf("polarity must be escalatory, stabilizing or neutral")
	case len(s.RiskLayers) == 0:
		return fmt.Errorf("a signal needs at least one risk layer")
	}
	for _, l := range s.RiskLayers {
		if !slices.Contains(Layers[:], l) {
			return fmt.Errorf("a risk layer must be cognitive, network or physical")
		}
	}
	return nil
}

// UnmarshalJSON reads a processed signal. It takes a timestamp with or without a zone
// (without one it is UTC) and both spellings of stabilizing.
func (s *Signal) UnmarshalJSON(b []byte) error {
	type plain Signal
	in := struct {
		*plain
		Timestamp string `json:"timestamp"`
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	at, err := ParseTime(in.Timestamp)
	if err != nil {
		return err
	}
	s.Timestamp = at
	s.Polarity = ParsePolarity(string(s.Polarity))
	for i, l := range s.RiskLayers {
		s.RiskLayers[i] = Layer(fold(string(l)))
	}
	for i, t := range s.GeoSensitivity {
		s.GeoSensitivity[i] = Tag(strings.ReplaceAll(fold(string(t)), " ", "_"))
	}
	return nil
}

// ParsePolarity reads a polarity in any case and either spelling.
func ParsePolarity(s string) Polarity {
	s = fold(s)
	if s == "stabilising" {
		return Stabilizing
	}
	return Polarity(s)
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// timeLayouts are the forms ParseTime reads, all of them unambiguous.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02",
}

// ParseTime reads an ISO 8601 time. Without a zone it is UTC. Day and month orders
// that differ between countries are refused, because guessing could move an event.
func ParseTime(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("the timestamp is not an ISO 8601 time such as 2026-02-03T12:58:29Z")
}

// mask is a set of layers: bit i stands for Layers[i].
type mask uint8

func maskOf(layers []Layer) (m mask) {
	for _, l := range layers {
		m |= 1 << slices.Index(Layers[:], l)
	}
	return m
}

func (m mask) has(layer int) bool { return m>>layer&1 == 1 }

func (m mask) layers() []Layer {
	out := make([]Layer, 0, bits.OnesCount8(uint8(m)))
	for i, l := range Layers {
		if m.has(i) {
			out = append(out, l)
		}
	}
	return out
}
