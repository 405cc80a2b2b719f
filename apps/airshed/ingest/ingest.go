// Package ingest turns the files that agencies publish into one harmonised snapshot:
// NASA FIRMS fires, CPCB station readings, the DSS stubble share and the wind.
//
// [Build] takes the files as bytes, finds out what each is, reads it, gives every fire
// the state and district in which it lies, folds what was reported twice and returns
// the snapshot with a [Summary] of what was read, what was dropped and why. It keeps
// facts as they were published: it corrects no figure and drops no record in silence.
package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/observe"
)

// A File is one file to read.
type File struct {
	Name string // for the log; only its last element is kept
	Kind Kind   // "": found out from the content
	Data []byte
}

// A Kind is what a file holds.
type Kind string

// The kinds of files that Build can read.
const (
	FIRMS     Kind = "firms"
	CPCB      Kind = "cpcb"
	DSS       Kind = "dss"
	OpenMeteo Kind = "open-meteo"
	METAR     Kind = "metar"
)

// Options say how to read.
type Options struct {
	At         time.Time          // the snapshot's time, and METAR reports are dated from it; zero: that of the newest reading, fire or share
	Boundaries *Boundaries        // nil: a fire's state comes from its record
	KeepStatic bool               // keep what FIRMS itself marks as no vegetation fire
	Airports   map[string]Airport // added to the ones known, by ICAO code
}

// A Summary says what became of the files.
type Summary struct {
	Inputs       []observe.InputLog `json:"inputs"`
	Readings     int                `json:"readings"`
	Computed     int                `json:"readings_with_computed_aqi"`
	NoIndex      int                `json:"readings_without_aqi"`
	Fires        int                `json:"fires"`
	Duplicates   int                `json:"duplicate_fires_folded"`
	Undated      int                `json:"undated_fires"`
	Unattributed int                `json:"unattributed_fires"`
	Overruled    int                `json:"fires_whose_record_named_another_state"`
	ByState      map[string]int     `json:"fires_by_state,omitempty"`
	Winds        int                `json:"winds"`
	Share        *float64           `json:"stubble_burning_percent"`
	Problems     []observe.Problem  `json:"problems,omitempty"`
}

// maxProblems bounds the list in a summary; dropped records are counted in full anyway.
const maxProblems = 100

// A builder gathers the snapshot while the files are read.
type builder struct {
	opt     Options
	snap    observe.Snapshot
	summary Summary
	seen    map[fireKey]bool
	spoilt  int // fire records that could not be used
}

// Build reads files into one snapshot. It fails if a file is none of the kinds, or if
// none of them held a usable station reading.
func Build(files []File, opt Options) (observe.Snapshot, Summary, error) {
	b := &builder{opt: opt, seen: map[fireKey]bool{}}
	b.snap.Time = opt.At.UTC()
	var late []File // reports that name the day of the month alone are dated by the rest
	for _, f := range files {
		f.Data = clean(f.Data)
		if f.Kind == "" {
			f.Kind = Sniff(f.Data)
		}
		if f.Kind == METAR {
			late = append(late, f)
		} else if err := b.file(f); err != nil {
			return observe.Snapshot{}, b.summary, err
		}
	}
	b.date()
	for _, f := range late {
		if err := b.file(f); err != nil {
			return observe.Snapshot{}, b.summary, err
		}
	}
	b.settleFires()
	b.attribute()
	b.count()
	if len(b.snap.Readings) == 0 {
		return observe.Snapshot{}, b.summary, dossier.Errorf(dossier.Invalid, "No file holds a usable station reading. Add a CPCB file.").Because(observe.ErrNoReadings)
	}
	return b.snap, b.summary, nil
}

func (b *builder) file(f File) error {
	name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
	sum := sha256.Sum256(f.Data)
	log := &observe.InputLog{Name: name, Kind: string(f.Kind), SHA256: hex.EncodeToString(sum[:]), Dropped: map[string]int{}}
	var err error
	switch f.Kind {
	case FIRMS:
		err = b.firms(f.Data, log)
	case CPCB:
		err = b.cpcb(f.Data, log)
	case DSS:
		err = b.dss(f.Data, log)
	case OpenMeteo:
		err = b.openMeteo(f.Data, log)
	case METAR:
		b.metar(f.Data, log)
	default:
		return dossier.Errorf(dossier.Invalid, "%s is none of the files this can read: FIRMS CSV, CPCB JSON or CSV, DSS JSON, Open-Meteo JSON, METAR text. Check that it is whole and has its header.", name)
	}
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "%s could not be read as %s: %s", name, f.Kind, dossier.Message(err)).Because(err)
	}
	if len(log.Dropped) == 0 {
		log.Dropped = nil
	}
	b.snap.Inputs = append(b.snap.Inputs, *log)
	b.summary.Inputs = b.snap.Inputs
	return nil
}

func (b *builder) problem(place, format string, args ...any) {
	if len(b.summary.Problems) < maxProblems {
		b.summary.Problems = append(b.summary.Problems, observe.Problem{Place: place, Sentence: fmt.Sprintf(format, args...)})
	}
}

// farApart is how much older than the snapshot its readings may be before that is told:
// a sweep reports no surge that ended longer ago.
const farApart = 24 * time.Hour

// date gives the snapshot its time, and tells if the readings are much older: files of
// different days do not make one day. A file of wind may hold a forecast, and says
// nothing about when the rest was seen.
func (b *builder) date() {
	for _, in := range b.snap.Inputs {
		if b.opt.At.IsZero() && in.Kind != string(OpenMeteo) && in.Newest.After(b.snap.Time) {
			b.snap.Time = in.Newest
		}
	}
	var newest time.Time
	for _, r := range b.snap.Readings {
		if r.Time.After(newest) {
			newest = r.Time
		}
	}
	if old := b.snap.Time.Sub(newest); !newest.IsZero() && old > farApart {
		b.problem("cpcb", "The newest reading is of %s, %.0f hours before the snapshot's own time, %s: no surge will be reported from it. Add newer readings, or set the snapshot's time.",
			newest.Format(time.RFC3339), old.Hours(), b.snap.Time.Format(time.RFC3339))
	}
}

// settleFires takes fire files of which no record could be used for missing ones: no
// fire was seen is another thing than nothing could be read.
func (b *builder) settleFires() {
	if len(b.snap.Fires) == 0 && b.spoilt > 0 {
		b.snap.Fires = nil
		b.problem("firms", "None of the %d fire records could be used; the fire data counts as missing.", b.spoilt)
	}
}

// count fills the totals of the summary.
func (b *builder) count() {
	s := &b.summary
	s.Readings, s.Fires, s.Winds = len(b.snap.Readings), len(b.snap.Fires), len(b.snap.Winds)
	for _, r := range b.snap.Readings {
		switch {
		case r.AQI == nil:
			s.NoIndex++
		case r.Basis == observe.Computed:
			s.Computed++
		}
	}
	s.ByState = map[string]int{}
	for _, f := range b.snap.Fires {
		if f.State != "" {
			s.ByState[f.State]++
		}
		if f.AcqDate == "" {
			s.Undated++
		}
	}
	if b.snap.Share != nil {
		s.Share = &b.snap.Share.Percent
	}
}

// Lines tells the summary in sentences, for a terminal.
func (s Summary) Lines() []string {
	var out []string
	for _, in := range s.Inputs {
		line := fmt.Sprintf("%s (%s): %d read, %d kept", in.Name, in.Kind, in.Read, in.Kept)
		if in.Kind == string(CPCB) {
			line = fmt.Sprintf("%s (%s): %d rows read into %d readings", in.Name, in.Kind, in.Read, in.Kept)
		}
		for _, why := range slices.Sorted(maps.Keys(in.Dropped)) {
			line += fmt.Sprintf("; %d dropped: %s", in.Dropped[why], why)
		}
		out = append(out, line)
	}
	out = append(out, fmt.Sprintf("%d station readings, %d of them with a computed index, %d without any", s.Readings, s.Computed, s.NoIndex))
	out = append(out, fmt.Sprintf("%d fires: %d duplicates folded, %d undated, %d attributed to no state, %d moved to another state than their record named", s.Fires, s.Duplicates, s.Undated, s.Unattributed, s.Overruled))
	for _, state := range slices.SortedFunc(maps.Keys(s.ByState), func(x, y string) int { return s.ByState[y] - s.ByState[x] }) {
		out = append(out, fmt.Sprintf("  %s: %d", state, s.ByState[state]))
	}
	if s.Share != nil {
		out = append(out, fmt.Sprintf("stubble burning share: %v %%", *s.Share))
	} else {
		out = append(out, "no stubble burning share")
	}
	out = append(out, fmt.Sprintf("%d hours of wind", s.Winds))
	for _, p := range s.Problems {
		out = append(out, "problem: "+p.String())
	}
	return out
}
