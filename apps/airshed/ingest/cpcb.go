package ingest

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"dossier"
	"dossier/apps/airshed/observe"
)

// cpcb reads station readings: the government's feed as JSON (a list, or an object
// with records) or as CSV, or plain records with one row per station.
func (b *builder) cpcb(data []byte, log *observe.InputLog) error {
	list, n, err := cpcbRecords(data)
	if err != nil {
		return err
	}
	readings, blank, problems := observe.DecodeReadings(list)
	log.Read = n
	if blank > 0 {
		log.Dropped["no figure (NA)"] = blank
	}
	for _, p := range problems {
		b.problem(log.Name, "%s", strings.TrimPrefix(p.String(), "cpcb_data"))
	}
	for _, r := range readings {
		if r.AQI == nil && r.Empty() && (r.Sub == nil || r.Sub.Empty()) {
			b.drop(log, "station without a single figure", r.Station)
			continue
		}
		log.Kept++
		if r.Time.After(log.Newest) {
			log.Newest = r.Time
		}
		b.snap.Readings = append(b.snap.Readings, r)
	}
	return nil
}

// cpcbRecords returns the records of a file as a JSON list, and how many there are.
func cpcbRecords(data []byte) (json.RawMessage, int, error) {
	if len(data) == 0 || data[0] != '[' && data[0] != '{' {
		return cpcbCSV(data)
	}
	list := json.RawMessage(data)
	if data[0] == '{' {
		var o struct {
			Records json.RawMessage `json:"records"`
			Data    json.RawMessage `json:"cpcb_data"`
		}
		if err := json.Unmarshal(data, &o); err != nil {
			return nil, 0, dossier.Errorf(dossier.Invalid, "it is not valid JSON.").Because(err)
		}
		if list = o.Records; list == nil {
			list = o.Data
		}
	}
	var each []json.RawMessage
	if err := json.Unmarshal(list, &each); err != nil {
		return nil, 0, dossier.Errorf(dossier.Invalid, "it holds no list of records.").Because(err)
	}
	return list, len(each), nil
}

// cpcbCSV turns the rows of a CSV file into records with the columns' names.
func cpcbCSV(data []byte) (json.RawMessage, int, error) {
	r := newCSV(data)
	first, err := r.Read()
	if err != nil {
		return nil, 0, dossier.Errorf(dossier.Invalid, "it has no header line.").Because(err)
	}
	names := make([]string, len(first))
	for i, n := range first {
		names[i] = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(n)), " ", "_")
	}
	var records []map[string]string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		record := map[string]string{}
		for i, v := range row {
			if i < len(names) {
				record[names[i]] = strings.Clone(v)
			}
		}
		records = append(records, record)
	}
	list, err := json.Marshal(records)
	return list, len(records), err
}
