package airshed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/observe"
	"dossier/internal/tool"
)

// securityContext is carried by the design's two tools and read by nobody: rights come
// from the principal that a run is for.
type securityContext struct {
	Note string `json:"note,omitempty" jsonschema:"ignored"`
}

type readIn struct {
	BucketName      string           `json:"bucket_name" jsonschema:"name of the bucket that holds the sensor data"`
	Prefix          string           `json:"prefix,omitempty" jsonschema:"where in the bucket to look; data/ if left out"`
	SecurityContext *securityContext `json:"security_context,omitempty" jsonschema:"not used"`
}

// readOut is the sensor data as the design has it. Of the fires a few are shown and all
// are counted: thousands of places would drown a reader, and no tool needs them back.
type readOut struct {
	CPCBData  []observe.Reading `json:"cpcb_data"`
	NASAData  []observe.Fire    `json:"nasa_data"`
	NASACount int               `json:"nasa_count"`
	DSSData   *observe.Share    `json:"dss_data"`
	Timestamp string            `json:"timestamp"`
	Object    string            `json:"object"`
	AgeHours  float64           `json:"age_hours"`
	Fresh     bool              `json:"fresh"`
	FromCache bool              `json:"from_cache"`
	WindHours int               `json:"wind_hours"`
	Problems  []string          `json:"problems"`
	Error     string            `json:"error,omitempty"`
	Details   string            `json:"details,omitempty"`
}

// shownFires is how many fires the read tool shows.
const shownFires = 20

func (a *airshed) readTool() tool.Tool {
	return tool.Def[readIn, readOut]{
		Name:  "read_correlated_data_tool",
		Doc:   "Reads and checks the latest sensor data of the lake: station readings (cpcb_data), fires (nasa_data), the stubble burning share (dss_data) and the wind. Within a case it reads the object that the case was opened on. On failure it returns error and details.",
		Roles: []dossier.Role{investigator, legalOf},
		Check: func(in readIn) error {
			if in.Prefix != "" {
				return lake.CheckKey(strings.TrimSuffix(in.Prefix, "/"))
			}
			return nil
		},
		Run: a.read,
	}.Tool()
}

func (a *airshed) read(ctx context.Context, c tool.Call, in readIn) (tool.Output[readOut], error) {
	if in.BucketName != a.lake.Name() && in.BucketName != a.lake.Place() {
		return tool.Output[readOut]{}, dossier.Errorf(dossier.Invalid, "The bucket %q is not the configured one. Use %q.", in.BucketName, a.lake.Name())
	}
	if in.Prefix == "" {
		in.Prefix = a.cfg.Prefix
	}
	sweep, old, data, err := a.book.SnapshotOf(ctx, c.Case)
	if errors.Is(err, dossier.NotFound) {
		return a.readLake(ctx, in)
	}
	if err != nil {
		return tool.Output[readOut]{}, err
	}
	snap, problems, err := observe.Decode(data)
	if err != nil {
		return tool.Output[readOut]{}, err
	}
	r := a.cfg.rules()
	stations := a.cfg.stations()
	st := slices.IndexFunc(stations, func(s correlate.Station) bool { return s.Name == old.Station })
	if st < 0 {
		return tool.Output[readOut]{}, dossier.Errorf(dossier.Conflict, "%s is no longer a border station by the settings of today.", old.Station)
	}
	w := correlate.FindSurges(snap.Readings, stations[st:st+1], sweep.At, r)
	// By the settings of today there may be no surge: the rules say so of the same facts.
	surge := correlate.Surge{BorderStation: correlate.BorderStation{Name: old.Station, Point: stations[st].Point, Time: old.Time}, From: old.From, To: old.To}
	found := correlate.Distinct(w.Surges, r)
	if i := slices.IndexFunc(found, func(s correlate.Surge) bool { return correlate.SameSurge(s, old, nil, r) }); i >= 0 {
		surge = found[i]
	}
	past, err := a.past(ctx, old)
	if err != nil {
		return tool.Output[readOut]{}, err
	}
	told := slices.DeleteFunc(observe.Sentences(problems), func(p string) bool { return slices.Contains(sweep.Problems, p) })
	origin := casefile.Origin{Sweep: sweep.ID, Object: sweep.Object, Problems: append(told, sweep.Problems...), Now: sweep.At}
	return tool.Output[readOut]{
		Value:    describe(snap, sweep.Object, origin.Problems, sweep.At, r.MaxAge),
		Evidence: casefile.Evidence(snap, surge, stations[st], past, origin, r),
	}, nil
}

// past returns what is stored about a station before a surge.
func (a *airshed) past(ctx context.Context, old correlate.Reported) (correlate.Past, error) {
	samples, err := a.book.Samples(ctx, old.Station)
	if err != nil {
		return correlate.Past{}, err
	}
	samples = slices.DeleteFunc(samples, func(s correlate.Sample) bool { return s.Time.After(old.Time.AddDate(0, -6, 0)) })
	reports, err := a.book.Past(ctx, old.Time)
	if samples == nil {
		samples = []correlate.Sample{}
	}
	if reports == nil {
		reports = []correlate.PastReport{}
	}
	return correlate.Past{Samples: samples, Reports: reports}, err
}

// readLake reads the newest object, outside any case. A failure is told in the words
// of the design, so that whoever asked can go on from it.
func (a *airshed) readLake(ctx context.Context, in readIn) (tool.Output[readOut], error) {
	failed := func(what string, err error) (tool.Output[readOut], error) {
		return tool.Output[readOut]{Value: readOut{Error: what, Details: dossier.Message(err), CPCBData: []observe.Reading{}, NASAData: []observe.Fire{}, Problems: []string{}}}, nil
	}
	obj, err := a.lake.Latest(ctx, in.Prefix)
	if err != nil {
		return failed("S3 read failed", err)
	}
	snap, problems, err := observe.Decode(obj.Data)
	switch {
	case errors.Is(err, observe.ErrNoReadings):
		a.Log.ErrorContext(ctx, "critical: CPCB data missing", "object", obj.Locator())
		return failed("CPCB data missing", err)
	case err != nil:
		return failed("Sensor data invalid", err)
	}
	if err := a.lake.Remember(in.Prefix, obj); err != nil {
		a.Log.WarnContext(ctx, "the last good object could not be kept", "error", err)
	}
	return tool.Output[readOut]{Value: describe(snap, obj, observe.Sentences(problems), a.Now(), a.cfg.rules().MaxAge)}, nil
}

func describe(snap observe.Snapshot, obj lake.Object, problems []string, now time.Time, limit time.Duration) readOut {
	age, fresh := snap.Age(now, limit)
	if problems == nil {
		problems = []string{}
	}
	out := readOut{
		CPCBData: newest(snap.Readings), NASAData: []observe.Fire{}, NASACount: len(snap.Fires), DSSData: snap.Share, Timestamp: snap.Time.Format(time.RFC3339),
		Object: obj.Locator(), AgeHours: float64(int(age.Hours()*10)) / 10, Fresh: fresh, FromCache: obj.FromCache, WindHours: len(snap.Winds), Problems: problems,
	}
	if snap.Fires != nil {
		out.NASAData = snap.Fires[:min(len(snap.Fires), shownFires)]
	}
	return out
}

// newest keeps the last reading of each station.
func newest(readings []observe.Reading) []observe.Reading {
	at := map[string]int{}
	out := []observe.Reading{}
	for _, r := range readings {
		if i, ok := at[r.Station]; !ok {
			at[r.Station] = len(out)
			out = append(out, r)
		} else if r.Time.After(out[i].Time) {
			out[i] = r
		}
	}
	return out
}
