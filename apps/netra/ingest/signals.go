package ingest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dossier/apps/netra/engine"
)

// ReadSignals reads processed signals line by line. Texts are redacted again: nobody
// can tell where a file has been.
func ReadSignals(r io.Reader) (out []engine.Signal, rejects []Reject, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	for line := 1; in.Scan(); line++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		var s engine.Signal
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			rejects = append(rejects, Reject{Line: line, Reason: "the line is no processed signal with an ISO 8601 timestamp"})
			continue
		}
		p := Canonical(s.Place())
		s.State, s.District = p.State, p.District
		s.EventSummary, s.Location, s.SourceURL = Clean(s.EventSummary), Clean(s.Location), Clean(s.SourceURL)
		s.SourceType, s.ID = SourceType(s.SourceType), Clean(s.ID)
		if err := s.Validate(); err != nil {
			rejects = append(rejects, Reject{Line: line, Reason: err.Error()})
			continue
		}
		out = append(out, s)
	}
	if err := in.Err(); err != nil {
		return nil, nil, fmt.Errorf("a line is longer than %d bytes", maxLine)
	}
	return out, rejects, nil
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
