package ingest

import (
	"bytes"
	"regexp"
	"strings"
)

// clean removes a byte order mark and blank edges.
func clean(data []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
}

var metarLine = regexp.MustCompile(`(?m)^(?:\d{12} )?(?:METAR |SPECI )?[A-Z]{4} \d{6}Z `)

// Sniff finds out what a file holds, "" if it is none of the kinds.
func Sniff(data []byte) Kind {
	data = clean(data)
	head := data[:min(len(data), 4096)]
	if len(head) == 0 {
		return ""
	}
	if head[0] == '{' || head[0] == '[' {
		return sniffJSON(head)
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	header := strings.ToLower(string(line))
	switch {
	case strings.Contains(header, "acq_date"):
		return FIRMS
	case strings.Contains(header, "station") && strings.Contains(header, ","):
		return CPCB
	case metarLine.Match(head):
		return METAR
	}
	return ""
}

func sniffJSON(head []byte) Kind {
	has := func(s string) bool { return bytes.Contains(bytes.ToLower(head), []byte(s)) }
	switch {
	case has(`"hourly"`) || has(`"hourly_units"`):
		return OpenMeteo
	case has(`"pollutant_id"`), has(`"station"`) && !has(`"stubble`):
		return CPCB
	case has("stubble"), has("biomass"):
		return DSS
	}
	return ""
}
