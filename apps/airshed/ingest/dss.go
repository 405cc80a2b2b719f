package ingest

import (
	"encoding/json"
	"strings"

	"dossier"
	"dossier/apps/airshed/observe"
)

// A dssShare is one sector's part in a list of sectors, by the names in use.
type dssShare struct {
	Source     string          `json:"source"`
	Name       string          `json:"name"`
	Sector     string          `json:"sector"`
	Percentage json.RawMessage `json:"percentage"`
	Percent    json.RawMessage `json:"percent"`
	Value      json.RawMessage `json:"value"`
}

// A dssFile is a DSS export: the figure by itself, nested, or within a list of sectors.
type dssFile struct {
	Percent      json.RawMessage `json:"stubble_burning_percent"`
	Contribution struct {
		Percent json.RawMessage `json:"percent"`
	} `json:"stubble_burning_contribution"`
	Sources       []dssShare `json:"sources"`
	Sectors       []dssShare `json:"sectors"`
	Timestamp     string     `json:"timestamp"`
	DataTimestamp string     `json:"data_timestamp"`
	Date          string     `json:"date"`
}

func (b *builder) dss(data []byte, log *observe.InputLog) error {
	var f dssFile
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &f.Sources); err != nil {
			return dossier.Errorf(dossier.Invalid, "it is not a list of sectors.").Because(err)
		}
	} else if err := json.Unmarshal(data, &f); err != nil {
		return dossier.Errorf(dossier.Invalid, "it is not a DSS export.").Because(err)
	}
	log.Read = 1
	percent := firstRaw(f.Percent, f.Contribution.Percent)
	for _, s := range append(f.Sources, f.Sectors...) {
		name := strings.ToLower(s.Source + s.Name + s.Sector)
		if percent == nil && (strings.Contains(name, "stubble") || strings.Contains(name, "biomass")) {
			percent = firstRaw(s.Percentage, s.Percent, s.Value)
		}
	}
	if percent == nil {
		b.drop(log, "no stubble burning figure", "no field or sector names it")
		return nil
	}
	text := strings.TrimSuffix(strings.TrimSpace(strings.Trim(string(percent), `"`)), "%")
	share := &observe.Share{Percent: figure(strings.TrimSpace(text))}
	if share.Percent > 100 || share.Percent == 0 && strings.Trim(text, "0. ") != "" {
		b.drop(log, "not a percentage", string(percent))
		return nil
	}
	for _, t := range []string{f.Timestamp, f.DataTimestamp, f.Date} {
		if at, ok := observe.ParseTime(t); ok {
			share.Time = at
			break
		}
	}
	if old := b.snap.Share; old != nil && old.Time.After(share.Time) {
		b.drop(log, "older than another DSS file", share.Time.String())
		return nil
	}
	log.Kept, log.Newest = 1, share.Time
	b.snap.Share = share
	return nil
}

func firstRaw(vs ...json.RawMessage) json.RawMessage {
	for _, v := range vs {
		if len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
}
