// Package casefile is the evidence of one surge's case: what of a snapshot is put into
// the case's chain, and how the rules' answers are read back out of it.
//
// [Evidence] cuts from a snapshot what concerns one station: its readings, the fires
// round it, the share, the wind, the history and the settings they are judged by.
// [Read] rebuilds the analysis from such entries alone. The findings of the app are
// made from what Read gives, so whoever holds the entries can make them again, which
// is what the rules of the [Ledger] do for `dossier verify`.
package casefile

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// The kinds of evidence of a case.
const (
	Settings = "settings"
	Readings = "station_readings"
	Fires    = "fire_set"
	Share    = "stubble_share"
	Wind     = "wind"
	History  = "history"
	Report   = "report"
	Filing   = "filing"
)

// Kinds lists the kinds that an analysis is made of.
var Kinds = []string{Settings, Readings, Fires, Share, Wind, History}

// SettingsData is the evidence of kind Settings: by what the facts were judged.
type SettingsData struct {
	Rules    correlate.Rules   `json:"rules"`
	Station  correlate.Station `json:"station"`
	Surge    time.Time         `json:"surge"` // time of the surge that the case is about
	Now      time.Time         `json:"now"`   // when the data was judged
	Sweep    string            `json:"sweep"`
	Object   lake.Object       `json:"object"`
	Data     time.Time         `json:"data_timestamp"`
	Problems []string          `json:"problems"`
}

// ReadingsData is the evidence of kind Readings.
type ReadingsData struct {
	Station  string            `json:"station"`
	Readings []observe.Reading `json:"readings"`
}

// FiresData is the evidence of kind Fires: the fires within reach of the station.
type FiresData struct {
	FireFeed
	Rows []fireRow `json:"fires"`
}

// A FireFeed says of what the fires of a case are a part.
type FireFeed struct {
	Available bool      `json:"available"`
	InFeed    int       `json:"in_feed"` // fires in the whole snapshot
	ReachKm   float64   `json:"reach_km"`
	Newest    time.Time `json:"newest,omitzero"`
}

// ShareData is the evidence of kind Share.
type ShareData struct {
	Available bool           `json:"available"`
	Share     *observe.Share `json:"share"`
}

// WindData is the evidence of kind Wind.
type WindData struct {
	Winds []observe.Wind `json:"winds"`
}

// HistoryData is the evidence of kind History.
type HistoryData struct {
	Samples []correlate.Sample     `json:"samples"`
	Reports []correlate.PastReport `json:"reports"`
}

// A fireRow is what of a fire the rules and the map need.
type fireRow struct {
	geo.Point
	AcqDate    string `json:"acq_date"`
	AcqTime    string `json:"acq_time,omitempty"`
	State      string `json:"state"`
	District   string `json:"district"`
	Confidence int    `json:"confidence"`
}

// Fires are kept from beyond the radius and the window, so that people can ask what
// wider ones would show: half as far again and at least widestKm, and at least days
// before the surge.
const (
	reach    = 1.5
	widestKm = 300
	days     = 8
)

// An Origin says where a snapshot comes from.
type Origin struct {
	Sweep    string
	Object   lake.Object
	Problems []string
	Now      time.Time
}

// Evidence cuts from a snapshot what concerns the surge.
func Evidence(snap observe.Snapshot, s correlate.Surge, st correlate.Station, past correlate.Past, from Origin, r correlate.Rules) []dossier.Evidence {
	src := func(system string) dossier.Source {
		return dossier.Source{System: system, Locator: from.Object.Locator() + "#" + s.Subject(), Fetched: from.Now}
	}
	fires := cutFires(snap, s, r)
	readings := cutReadings(snap, st, r)
	winds := cutWinds(snap, s, r)
	if from.Problems == nil {
		from.Problems = []string{}
	}
	return []dossier.Evidence{
		dossier.NewEvidence(Settings, src("airshed"), SettingsData{r, st, s.Time, from.Now, from.Sweep, from.Object, snap.Time, from.Problems},
			"The figures by which the surge at %s is judged.", st.Name),
		dossier.NewEvidence(Readings, src("cpcb"), readings, "%s of %s.", correlate.Count(len(readings.Readings), "reading"), st.Name),
		dossier.NewEvidence(Fires, src("firms.nasa.gov"), fires, "%s", firesSummary(fires, st)),
		dossier.NewEvidence(Share, src("dss"), ShareData{snap.Share != nil, snap.Share}, "%s", shareSummary(snap.Share)),
		dossier.NewEvidence(Wind, src("wind"), WindData{winds}, "%s of wind.", correlate.Count(len(winds), "hour")),
		dossier.NewEvidence(History, dossier.Source{System: "airshed", Locator: "history/" + st.Name, Fetched: from.Now}, HistoryData{past.Samples, past.Reports},
			"%s and %s of earlier times.", correlate.Count(len(past.Samples), "reading"), correlate.Count(len(past.Reports), "report")),
	}
}

func cutReadings(snap observe.Snapshot, st correlate.Station, r correlate.Rules) ReadingsData {
	out := ReadingsData{Station: st.Name, Readings: []observe.Reading{}}
	for _, rd := range snap.Readings {
		if correlate.Belongs(rd, st, r) {
			out.Readings = append(out.Readings, rd)
		}
	}
	return out
}

func cutFires(snap observe.Snapshot, s correlate.Surge, r correlate.Rules) FiresData {
	out := FiresData{feedOf(snap), []fireRow{}}
	out.ReachKm = max(r.RadiusKm*reach, widestKm)
	oldest, newest := s.Time.Add(-max(days*24*time.Hour, r.Window)), s.Time.AddDate(0, 0, 1)
	for _, f := range snap.Fires {
		first, last, dated := f.Span()
		if dated && (last.Before(oldest) || first.After(newest)) || geo.Km(f.Point, s.Point) > out.ReachKm {
			continue
		}
		out.Rows = append(out.Rows, fireRow{f.Point, f.AcqDate, f.AcqTime, f.State, f.District, f.Confidence})
	}
	return out
}

// feedOf sums up the fire feed of a whole snapshot.
func feedOf(snap observe.Snapshot) FireFeed {
	out := FireFeed{Available: snap.Fires != nil, InFeed: len(snap.Fires)}
	for _, f := range snap.Fires {
		if _, last, ok := f.Span(); ok {
			out.Newest = later(out.Newest, last)
		}
	}
	return out
}

func cutWinds(snap observe.Snapshot, s correlate.Surge, r correlate.Rules) []observe.Wind {
	out := []observe.Wind{}
	for _, w := range snap.Winds {
		if before := s.Time.Sub(w.Time); before >= -2*time.Hour && before <= time.Duration(r.TransportHours+2)*time.Hour {
			out = append(out, w)
		}
	}
	return out
}

func firesSummary(f FiresData, st correlate.Station) string {
	if !f.Available {
		return "The fire data is missing."
	}
	return fmt.Sprintf("%s within %v km of %s.", correlate.Count(len(f.Rows), "fire"), f.ReachKm, st.Name)
}

func shareSummary(s *observe.Share) string {
	if s == nil {
		return "The stubble burning share is missing."
	}
	return fmt.Sprintf("Stubble burning made up %v percent of the day's pollution.", s.Percent)
}

// A File is a case read back from its evidence.
type File struct {
	Settings SettingsData
	Snapshot observe.Snapshot // what concerns the station
	Past     correlate.Past
	Found    bool               // the surge is in the readings
	Analysis correlate.Analysis // of the surge, if found
	Watch    correlate.Watch
	IDs      []dossier.EvidenceID // of the entries it was read from
	Entries  []dossier.Evidence   // the same
	Feed     FireFeed             // the fires of the whole snapshot
}

// Read rebuilds a case from its evidence. Of several entries of a kind the last counts.
func Read(chain []dossier.Evidence) (File, error) {
	latest := map[string]dossier.Evidence{}
	for _, e := range chain {
		latest[e.Kind] = e
	}
	f := File{}
	decode := func(kind string, v any) error {
		e, ok := latest[kind]
		if !ok {
			return dossier.Errorf(dossier.Invalid, "The case holds no evidence of kind %s. Read the data first.", kind)
		}
		if err := json.Unmarshal(e.Data, v); err != nil {
			return dossier.Errorf(dossier.Invalid, "The evidence %s (%s) cannot be read.", e.ID, kind).Because(err)
		}
		f.IDs, f.Entries = append(f.IDs, e.ID), append(f.Entries, e)
		return nil
	}
	var readings ReadingsData
	var fires struct {
		FireFeed
		Rows json.RawMessage `json:"fires"`
	}
	var share ShareData
	var wind WindData
	var history HistoryData
	for _, part := range []struct {
		kind string
		v    any
	}{{Settings, &f.Settings}, {Readings, &readings}, {Fires, &fires}, {Share, &share}, {Wind, &wind}, {History, &history}} {
		if err := decode(part.kind, part.v); err != nil {
			return File{}, err
		}
	}
	f.Snapshot = observe.Snapshot{Readings: readings.Readings, Share: share.Share, Winds: wind.Winds, Time: f.Settings.Data}
	rows, problems := observe.DecodeFires(fires.Rows)
	if len(problems) > 0 {
		return File{}, dossier.Errorf(dossier.Invalid, "The evidence of the fires cannot be read: %s", problems[0])
	}
	if fires.Available {
		f.Snapshot.Fires = rows
	}
	f.Feed = fires.FireFeed
	f.Past = correlate.Past{Samples: history.Samples, Reports: history.Reports}
	f.judge(f.Settings.Rules)
	return f, nil
}

// judge applies rules to the facts of the case.
func (f *File) judge(r correlate.Rules) {
	var all []correlate.Analysis
	f.Watch, all = correlate.Analyse(f.Snapshot, []correlate.Station{f.Settings.Station}, f.Settings.Now, func(string) correlate.Past { return f.Past }, r)
	f.Found = false
	for _, a := range all {
		if a.Surge.Time.Equal(f.Settings.Surge) || !a.Surge.From.After(f.Settings.Surge) && !a.Surge.To.Before(f.Settings.Surge) {
			f.Analysis, f.Found = a, true
		}
	}
}

// WhatIf judges the same facts by other rules. The result is not the record.
func (f File) WhatIf(r correlate.Rules) File {
	f.judge(r)
	return f
}

// Quality returns what a report says of its data.
func (f File) Quality() legal.DataQuality {
	age, fresh := f.Snapshot.Age(f.Settings.Now, f.Settings.Rules.MaxAge)
	return legal.DataQuality{
		AgeHours: age.Hours(), Fresh: fresh, FromCache: f.Settings.Object.FromCache, Problems: f.Settings.Problems, Gaps: gaps(f.Snapshot, f.Feed, f.Analysis, f.Settings.Rules),
	}
}

// QualityOf returns what a report on a whole snapshot says of its data at a time.
func QualityOf(snap observe.Snapshot, at time.Time, problems []string, a correlate.Analysis, r correlate.Rules) legal.DataQuality {
	age, fresh := snap.Age(at, r.MaxAge)
	return legal.DataQuality{AgeHours: age.Hours(), Fresh: fresh, Problems: problems, Gaps: gaps(snap, feedOf(snap), a, r)}
}

// gaps tells of feeds that are there and do not reach the surge: they show nothing of
// it, and that nothing looks like a finding.
func gaps(snap observe.Snapshot, feed FireFeed, a correlate.Analysis, r correlate.Rules) []string {
	out := []string{}
	if feed.Available && !feed.Newest.IsZero() && feed.Newest.Before(a.From) {
		out = append(out, fmt.Sprintf("The newest fire in the feed is of %s, before the window of this report begins: the feed may not reach into it.", feed.Newest.Format("2 January 2006 15:04 UTC")))
	}
	if s := snap.Share; s != nil && !s.Time.IsZero() && a.Surge.Time.Sub(s.Time).Abs() > r.MaxAge {
		out = append(out, fmt.Sprintf("The DSS share is of %s and not of the day of the surge.", s.Time.Format("2 January 2006")))
	}
	return out
}

// Sources returns the feeds of the case with their freshness at now.
func (f File) Sources(now time.Time) []legal.Source {
	return sources(f.Snapshot, f.Settings.Object, f.Feed, now)
}

// SourcesOf returns the feeds of a whole snapshot with their freshness at now.
func SourcesOf(snap observe.Snapshot, obj lake.Object, now time.Time) []legal.Source {
	return sources(snap, obj, feedOf(snap), now)
}

// sources tells of the feeds. The snapshot may hold a part of the fires; a fire of which
// only the day is known was seen before the snapshot was made.
func sources(snap observe.Snapshot, obj lake.Object, fires FireFeed, now time.Time) []legal.Source {
	at := obj.Locator()
	source := func(name string, n int, newest time.Time) legal.Source {
		s := legal.Source{Name: name, Locator: at, Records: n, Timestamp: newest}
		if !newest.IsZero() {
			s.AgeHours = math.Round(now.Sub(newest).Hours()*10) / 10
		}
		return s
	}
	var reading, wind, share time.Time
	for _, r := range snap.Readings {
		reading = later(reading, r.Time)
	}
	for _, w := range snap.Winds {
		wind = later(wind, w.Time)
	}
	fire := fires.Newest
	if fire.After(snap.Time) {
		fire = snap.Time
	}
	out := []legal.Source{source("CPCB readings", len(snap.Readings), reading), source("NASA FIRMS fires", fires.InFeed, fire)}
	if s := snap.Share; s != nil {
		share = s.Time
		out = append(out, source("DSS stubble share", 1, share))
	}
	return append(out, source("Wind", len(snap.Winds), wind))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
