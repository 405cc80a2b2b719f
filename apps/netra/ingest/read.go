package ingest

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
)

// A Row is a report with the line (or, in a feed, the item) it stands on.
type Row struct {
	Line   int
	Report Report
}

// A Reject is a row that was not taken, and why. It quotes only redacted text.
type Reject struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// columnNames maps the accepted headings of a CSV file to the fields of a report.
var columnNames = map[string]string{
	"state": "state", "district": "district", "location": "location", "place": "location",
	"text": "text", "event_summary": "text", "summary": "text", "event": "text", "description": "text", "headline": "text", "title": "text",
	"timestamp": "timestamp", "date": "timestamp", "time": "timestamp", "datetime": "timestamp", "published": "timestamp",
	"source_url": "source_url", "url": "source_url", "link": "source_url", "source_type": "source_type",
	"risk_layers": "risk_layers", "layers": "risk_layers", "polarity": "polarity",
	"severity_score": "severity_score", "severity": "severity_score", "geo_sensitivity": "geo_sensitivity", "tags": "geo_sensitivity",
}

// ReadCSV reads reports from a CSV file with a heading. It needs the columns state,
// district, timestamp and text (or event_summary). Lists are separated by ; or |.
func ReadCSV(r io.Reader) ([]Row, []Reject, error) {
	in := csv.NewReader(stripBOM(r))
	in.FieldsPerRecord = -1
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("the file has no heading")
	}
	fields := make([]string, len(head))
	have := map[string]bool{}
	for i, h := range head {
		fields[i] = columnNames[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(h)), " ", "_")]
		have[fields[i]] = true
	}
	for _, need := range []string{"state", "district", "timestamp", "text"} {
		if !have[need] {
			return nil, nil, fmt.Errorf("the heading lacks the column %s", need)
		}
	}
	var rows []Row
	var rejects []Reject
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, rejects, nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			rejects = append(rejects, badCSV(bad))
			continue
		}
		if err != nil {
			return rows, rejects, err
		}
		line, _ := in.FieldPos(0)
		if len(record) != len(fields) {
			rejects = append(rejects, Reject{line, fmt.Sprintf("the line has %d columns, the heading %d", len(record), len(fields))})
			continue
		}
		rows = append(rows, Row{line, fromRecord(fields, record)})
	}
}

// badCSV names the lines that a mistake in a CSV file took with it. A quotation mark that
// is not closed swallows all up to the next one.
func badCSV(bad *csv.ParseError) Reject {
	if bad.Line > bad.StartLine {
		return Reject{bad.StartLine, fmt.Sprintf("a quotation mark is not closed, so lines %d to %d were not read", bad.StartLine, bad.Line)}
	}
	return Reject{bad.Line, "the line is not valid CSV"}
}

func stripBOM(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if c, _, err := b.ReadRune(); err == nil && c != '\uFEFF' {
		_ = b.UnreadRune()
	}
	return b
}

func fromRecord(fields, record []string) (r Report) {
	list := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return c == ';' || c == '|' || c == ',' })
	}
	for i, v := range record {
		switch fields[i] {
		case "state":
			r.State = v
		case "district":
			r.District = v
		case "location":
			r.Location = v
		case "text":
			r.Text = strings.TrimSpace(r.Text + " " + v)
		case "timestamp":
			r.Timestamp = v
		case "source_url":
			r.SourceURL = v
		case "source_type":
			r.SourceType = v
		case "risk_layers":
			r.Layers = list(v)
		case "polarity":
			r.Polarity = v
		case "severity_score":
			r.Severity = v
		case "geo_sensitivity":
			r.Tags = list(v)
		}
	}
	return r
}

// maxLine is the longest line of JSON that is read.
const maxLine = 1 << 20

// ReadJSONL reads reports from JSON lines: raw ones with text, or processed signals
// with event_summary and their classification.
func ReadJSONL(r io.Reader) ([]Row, []Reject, error) {
	var rows []Row
	rejects, err := eachLine(r, func(line int, text []byte) string {
		var j jsonReport
		if err := json.Unmarshal(text, &j); err != nil {
			return "the line is not a JSON object of a report"
		}
		rows = append(rows, Row{line, j.report()})
		return ""
	})
	return rows, rejects, err
}

// eachLine gives every line that is not blank to take, which says why it cannot be used,
// or "". A line that is too long costs only itself.
func eachLine(r io.Reader, take func(line int, text []byte) string) (rejects []Reject, err error) {
	in := bufio.NewReaderSize(stripBOM(r), maxLine)
	for line := 1; ; line++ {
		text, err := in.ReadSlice('\n')
		reason := ""
		if errors.Is(err, bufio.ErrBufferFull) {
			reason = fmt.Sprintf("the line is longer than %d bytes", maxLine)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
		} else if text = bytes.TrimSpace(text); len(text) > 0 {
			reason = take(line, text)
		}
		if reason != "" {
			rejects = append(rejects, Reject{line, reason})
		}
		if errors.Is(err, io.EOF) {
			return rejects, nil
		}
		if err != nil {
			return rejects, err
		}
	}
}

type jsonReport struct {
	Report
	Summary  string      `json:"event_summary"`
	Severity json.Number `json:"severity_score"`
}

func (j jsonReport) report() Report {
	r := j.Report
	if r.Text == "" {
		r.Text = j.Summary
	}
	r.Severity = j.Severity.String()
	return r
}

// ReadFeed reads reports from an RSS, Atom or JSON feed. The district is looked for in
// the text of each item. Items from before a time are refused, because a feed that is
// read again and again would bring back what was removed for its age; with a zero time
// all are taken.
func ReadFeed(r io.Reader, from time.Time) ([]Row, []Reject, error) {
	feed, err := gofeed.NewParser().Parse(io.LimitReader(r, 8<<20))
	if err != nil {
		return nil, nil, fmt.Errorf("this is not an RSS, Atom or JSON feed")
	}
	var rows []Row
	var rejects []Reject
	for i, it := range feed.Items {
		at := it.PublishedParsed
		if at == nil {
			at = it.UpdatedParsed
		}
		if at == nil {
			rejects = append(rejects, Reject{i + 1, "the item has no date that can be read"})
			continue
		}
		if at.Before(from) {
			rejects = append(rejects, Reject{i + 1, "the item is older than reports are kept"})
			continue
		}
		text := strings.TrimSpace(plainText(it.Title) + ". " + plainText(it.Description))
		place, err := FindPlace(text)
		if err != nil {
			rejects = append(rejects, Reject{i + 1, err.Error()})
			continue
		}
		rows = append(rows, Row{i + 1, Report{State: place.State, District: place.District, Text: text,
			Timestamp: at.UTC().Format(time.RFC3339), SourceURL: it.Link, SourceType: "news_feed"}})
	}
	return rows, rejects, nil
}
