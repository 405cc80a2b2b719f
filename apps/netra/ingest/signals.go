package ingest

import (
	"encoding/json"
	"io"

	"dossier/apps/netra/engine"
)

// ReadSignals reads processed signals line by line. Texts are redacted again: nobody
// can tell where a file has been.
func ReadSignals(r io.Reader) (out []engine.Signal, rejects []Reject, err error) {
	rejects, err = eachLine(r, func(_ int, text []byte) string {
		var s engine.Signal
		if err := json.Unmarshal(text, &s); err != nil {
			return "the line is no processed signal with an ISO 8601 timestamp"
		}
		p := Canonical(s.Place())
		s.State, s.District = p.State, p.District
		s.EventSummary, s.Location, s.SourceURL = Clean(s.EventSummary), Clean(s.Location), Clean(s.SourceURL)
		s.SourceType, s.ID = SourceType(s.SourceType), Clean(s.ID)
		if err := s.Validate(); err != nil {
			return err.Error()
		}
		out = append(out, s)
		return ""
	})
	return out, rejects, err
}

// Canonical returns the table's name of a place, and the place as given, redacted,
// where the table has none.
func Canonical(p engine.Place) engine.Place {
	find := Locate
	if p.State == "" {
		find = func(_, district string) (District, error) { return FindDistrict(district) }
	}
	if d, err := find(p.State, p.District); err == nil {
		return d.Place
	}
	return engine.Place{State: Clean(p.State), District: Clean(p.District)}
}
