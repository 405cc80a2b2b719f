package airshed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/internal/app"
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
	w := correlate.FindSurges(snap.Readings, a.cfg.stations(), sweep.At, r)
	i := slices.IndexFunc(w.Surges, func(s correlate.Surge) bool { return correlate.SameSurge(s, old, nil, r) })
	st := slices.IndexFunc(a.cfg.stations(), func(s correlate.Station) bool { return s.Name == old.Station })
	if i < 0 || st < 0 {
		return tool.Output[readOut]{}, dossier.Errorf(dossier.Conflict, "The surge at %s is no longer one by the settings of today.", old.Station)
	}
	past, err := a.past(ctx, old)
	if err != nil {
		return tool.Output[readOut]{}, err
	}
	origin := casefile.Origin{Sweep: sweep.ID, Object: sweep.Object, Problems: append(sentences(problems), sweep.Problems...), Now: sweep.At}
	return tool.Output[readOut]{
		Value:    describe(snap, sweep.Object, origin.Problems, sweep.At, r.MaxAge),
		Evidence: casefile.Evidence(snap, w.Surges[i], a.cfg.stations()[st], past, origin, r),
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
	return tool.Output[readOut]{Value: describe(snap, obj, sentences(problems), a.Now(), a.cfg.rules().MaxAge)}, nil
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

type nothing struct{}

// caseFile reads the case that a call is made in.
func (a *airshed) caseFile(ctx context.Context, id dossier.CaseID) (casefile.File, error) {
	chain, _, err := a.Desk.Facts(ctx, id)
	if err != nil {
		return casefile.File{}, err
	}
	return casefile.Read(chain)
}

func ruleNamed(check string) casefile.Rule {
	for _, r := range casefile.Rules {
		if r.Check == check {
			return r
		}
	}
	panic("airshed: no rule " + check)
}

type surgeOut struct {
	Stations []correlate.BorderStation `json:"stations"`
	Surge    bool                      `json:"surge"`
	Reason   string                    `json:"reason"`
}

func (a *airshed) detectTool() tool.Tool {
	return tool.Def[nothing, surgeOut]{
		Name:  "detect_surge_tool",
		Doc:   "Judges whether the case's border station is in a surge. Needs the data to have been read.",
		Roles: []dossier.Role{investigator, legalOf},
		Run: func(ctx context.Context, c tool.Call, _ nothing) (tool.Output[surgeOut], error) {
			f, err := a.caseFile(ctx, c.Case)
			if err != nil {
				return tool.Output[surgeOut]{}, err
			}
			found := ruleNamed(casefile.CheckSurge).Of(f)
			out := surgeOut{Stations: f.Watch.Stations, Surge: f.Found, Reason: found.Reason}
			if f.Found {
				out.Stations = []correlate.BorderStation{f.Analysis.Surge.BorderStation}
			}
			return tool.Output[surgeOut]{Value: out, Findings: []dossier.Finding{found}}, nil
		},
	}.Tool()
}

type firesOut struct {
	States        []correlate.StateFires `json:"states"`
	FireCount     int                    `json:"fire_count"`
	AvgDistanceKm float64                `json:"avg_distance_km"`
	Conclusion    correlate.Conclusion   `json:"conclusion"`
	Wind          string                 `json:"wind"`
	WindReason    string                 `json:"wind_reason"`
	Confidence    float64                `json:"confidence_score"`
	Reason        string                 `json:"reason"`
	WeakestLink   string                 `json:"weakest_link"`
}

func (a *airshed) correlateTool() tool.Tool {
	return tool.Def[nothing, firesOut]{
		Name:  "correlate_fires_tool",
		Doc:   "Counts the fires near the surge in place and time by state and district, and judges the wind and the confidence. Needs a surge.",
		Roles: []dossier.Role{investigator, legalOf},
		Run: func(ctx context.Context, c tool.Call, _ nothing) (tool.Output[firesOut], error) {
			f, err := a.surgeFile(ctx, c.Case)
			if err != nil {
				return tool.Output[firesOut]{}, err
			}
			fires, n := ruleNamed(casefile.CheckFires).Of(f), f.Analysis
			return tool.Output[firesOut]{
				Value: firesOut{
					States: n.Correlation.States, FireCount: n.Correlation.FireCount, AvgDistanceKm: float64(int(n.Correlation.AvgDistanceKm*10+0.5)) / 10,
					Conclusion: n.Conclusion, Wind: n.Transport.Verdict, WindReason: n.Transport.Reason,
					Confidence: n.Confidence.Score, Reason: fires.Reason, WeakestLink: n.Links[0].Sentence(),
				},
				Findings: []dossier.Finding{fires, ruleNamed(casefile.CheckWind).Of(f), ruleNamed(casefile.CheckConfidence).Of(f)},
			}, nil
		},
	}.Tool()
}

func (a *airshed) surgeFile(ctx context.Context, id dossier.CaseID) (casefile.File, error) {
	f, err := a.caseFile(ctx, id)
	if err == nil && !f.Found {
		err = dossier.Errorf(dossier.Invalid, "There is no surge in this case, and so nothing to report.")
	}
	return f, err
}

type draftIn struct {
	ExecutiveSummary string `json:"executive_summary,omitempty" jsonschema:"one or two sentences; leave out to use the standard text"`
	Reasoning        string `json:"reasoning,omitempty" jsonschema:"IF … AND … THEN with the actual figures; leave out to use the standard text"`
}

type draftOut struct {
	ReportID         string   `json:"report_id"`
	SHA256           string   `json:"sha256"`
	ExecutiveSummary string   `json:"executive_summary"`
	Reasoning        string   `json:"reasoning"`
	ConfidenceScore  float64  `json:"confidence_score"`
	Recommendations  []string `json:"recommendations"`
	Caveats          []string `json:"caveats"`
	Notices          []notice `json:"notices"` // drafts, one per state with an address
}

func (a *airshed) draftTool() tool.Tool {
	return tool.Def[draftIn, draftOut]{
		Name:   "generate_report_tool",
		Doc:    "Makes the legal report of the case from its evidence and stores it as a draft with its number. Texts of your own are used only if every number in them agrees with the evidence; you are told what does not.",
		Roles:  []dossier.Role{investigator, legalOf},
		Effect: tool.Write,
		Run:    a.draft,
	}.Tool()
}

func (a *airshed) draft(ctx context.Context, c tool.Call, in draftIn) (tool.Output[draftOut], error) {
	chain, _, err := a.Desk.Facts(ctx, c.Case)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	f, err := casefile.Read(chain)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	if !f.Found {
		return tool.Output[draftOut]{}, dossier.Errorf(dossier.Invalid, "There is no surge in this case, and so nothing to report.")
	}
	id, err := a.reportID(ctx, c)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	r := legal.Compose(legal.Input{
		ID: id, Now: c.Now, Sweep: f.Settings.Sweep, Analysis: f.Analysis, Quality: f.Quality(), Sources: f.Sources(c.Now), Rules: f.Settings.Rules,
	})
	r.CaseID = string(c.Case)
	for _, e := range f.Entries {
		r.Evidence = append(r.Evidence, legal.Digest{ID: string(e.ID), Kind: e.Kind, Hash: e.Hash, Timestamp: e.At})
	}
	if err := useTexts(&r, in); err != nil {
		return tool.Output[draftOut]{}, err
	}
	if err := r.Validate(); err != nil {
		return tool.Output[draftOut]{}, err
	}
	d, err := a.book.PutReport(ctx, r)
	if err != nil {
		return tool.Output[draftOut]{}, err
	}
	if _, err := a.Desk.Move(ctx, c.Case, app.Change{Stage: Drafted, Note: "Report " + id + " was drafted.", By: agentName}); err != nil {
		return tool.Output[draftOut]{}, err
	}
	cites := ruleNamed(casefile.CheckCitations).Of(f)
	return tool.Output[draftOut]{
		Value: draftOut{id, d.SHA256, r.ExecutiveSummary, r.Reasoning, r.ConfidenceScore, r.Recommendations, r.Caveats, a.notices(r)},
		Evidence: []dossier.Evidence{dossier.NewEvidence(casefile.Report, dossier.Source{System: "airshed", Locator: "report/" + id, Fetched: c.Now}, json.RawMessage(d.Body),
			"Draft of %s, digest %s.", id, d.SHA256[:12])},
		Findings: []dossier.Finding{cites},
	}, nil
}

// Drafted and the other stages are the book's words for a report.
const (
	Drafted = book.Drafted
)

// reportID returns the id of the case's draft, or takes a new one. A filed report is
// not drafted again.
func (a *airshed) reportID(ctx context.Context, c tool.Call) (string, error) {
	old, err := a.book.ReportOf(ctx, c.Case)
	switch {
	case errors.Is(err, dossier.NotFound):
		return a.book.NextID(ctx, c.Now)
	case err != nil:
		return "", err
	case old.Status != book.Drafted:
		return "", dossier.Errorf(dossier.Conflict, "The report %s is %s and cannot be drafted again.", old.Report.ReportID, strings.ReplaceAll(old.Status, "_", " "))
	}
	return old.Report.ReportID, nil
}

// A reportRef names a stored report and what is in it, so that an approval is of that
// content and no other.
type reportRef struct {
	ReportID        string  `json:"report_id"`
	SHA256          string  `json:"sha256" jsonschema:"digest of the draft, as generate_report_tool gave it"`
	ConfidenceScore float64 `json:"confidence_score"`
}

type sendIn struct {
	Report          reportRef        `json:"report" jsonschema:"the drafted report to file"`
	SaveLocal       *bool            `json:"save_local,omitempty" jsonschema:"keep a local copy; true if left out"`
	UploadS3        *bool            `json:"upload_s3,omitempty" jsonschema:"upload to the object store; true if left out"`
	SecurityContext *securityContext `json:"security_context,omitempty" jsonschema:"not used"`
}

func (a *airshed) sendTool() tool.Tool {
	return tool.Def[sendIn, filing.Result]{
		Name:   "send_caqm_report_tool",
		Doc:    "Files a drafted report: local copy, object store, then the Commission. A legal officer decides first, unless the operator allowed filing above a confidence.",
		Roles:  []dossier.Role{legalOf},
		Effect: tool.Act,
		Ask: func(in sendIn) string {
			if a.cfg.AutoFileConfidence > 0 && in.Report.ConfidenceScore >= a.cfg.AutoFileConfidence {
				return ""
			}
			return "A report that has been filed with the Commission cannot be taken back."
		},
		Title: func(in sendIn) string {
			return fmt.Sprintf("File report %s with the Commission for Air Quality Management (confidence %v)", in.Report.ReportID, in.Report.ConfidenceScore)
		},
		Key:    func(in sendIn) string { return in.Report.ReportID },
		Check:  func(in sendIn) error { return checkID(in.Report.ReportID) },
		Policy: tool.Policy{Approvers: []dossier.Role{legalOf}, Verbs: []dossier.Verb{dossier.Approve, dossier.Reject, dossier.Respond}, Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour},
		Run:    a.send,
	}.Tool()
}

func checkID(id string) error {
	if !legal.ValidID(id) {
		return dossier.Errorf(dossier.Invalid, "%q is not the id of a report. Ids look like CAQM-2025-11-14-001.", id)
	}
	return nil
}

func (a *airshed) send(ctx context.Context, c tool.Call, in sendIn) (tool.Output[filing.Result], error) {
	d, err := a.book.Report(ctx, in.Report.ReportID)
	if err != nil {
		return tool.Output[filing.Result]{}, err
	}
	switch {
	case d.Report.CaseID != string(c.Case):
		return tool.Output[filing.Result]{}, dossier.Errorf(dossier.Invalid, "%s belongs to another case.", in.Report.ReportID)
	case d.SHA256 != in.Report.SHA256 || d.Report.ConfidenceScore != in.Report.ConfidenceScore:
		return tool.Output[filing.Result]{}, dossier.Errorf(dossier.Conflict, "%s is not the draft that was meant: its digest is %s and its confidence %v.", in.Report.ReportID, d.SHA256, d.Report.ConfidenceScore)
	case d.Status == book.Filed && d.Result != nil:
		return tool.Output[filing.Result]{Value: *d.Result}, nil
	}
	res, err := a.file.File(ctx, d.Report, filing.Options{SaveLocal: unless(in.SaveLocal), Upload: unless(in.UploadS3)})
	if err != nil {
		return tool.Output[filing.Result]{}, err
	}
	status := book.Filed
	if res.Receipt == nil {
		status = book.PartFiled
	}
	if err := a.book.Settle(ctx, d.Report.ReportID, status, &res); err != nil {
		return tool.Output[filing.Result]{}, err
	}
	if _, err := a.Desk.Move(ctx, c.Case, app.Change{Stage: status, Note: "Report " + d.Report.ReportID + ": " + strings.ReplaceAll(res.Status, "_", " ") + ".", By: agentName}); err != nil {
		return tool.Output[filing.Result]{}, err
	}
	return tool.Output[filing.Result]{Value: res, Evidence: []dossier.Evidence{dossier.NewEvidence(casefile.Filing,
		dossier.Source{System: "caqm", Locator: a.file.Endpoint + "#" + d.Report.ReportID, Fetched: c.Now}, res, "Filing of %s: %s.", d.Report.ReportID, strings.ReplaceAll(res.Status, "_", " "))}}, nil
}

// unless returns what was asked for, and true if nothing was.
func unless(b *bool) bool { return b == nil || *b }

type closeIn struct {
	Outcome outcome `json:"outcome" jsonschema:"how the case ended"`
	Note    string  `json:"note,omitempty" jsonschema:"why, in a sentence"`
}

// An outcome is how a case ends.
type outcome string

// Values implements tool.Enum.
func (outcome) Values() []string {
	return []string{"filed", "partially_filed", "not_filed", "no_surge"}
}

type closeOut struct {
	Closed bool `json:"closed"`
}

func (a *airshed) closeTool() tool.Tool {
	return tool.Def[closeIn, closeOut]{
		Name:   "close_case_tool",
		Doc:    "Closes the case when nothing more is to be done about it.",
		Roles:  []dossier.Role{investigator, legalOf},
		Effect: tool.Write,
		Run: func(ctx context.Context, c tool.Call, in closeIn) (tool.Output[closeOut], error) {
			if in.Outcome == "not_filed" {
				if d, err := a.book.ReportOf(ctx, c.Case); err == nil && d.Status == book.Drafted {
					if err := a.book.Settle(ctx, d.Report.ReportID, book.Withdrawn, nil); err != nil {
						return tool.Output[closeOut]{}, err
					}
				}
			}
			_, err := a.Desk.Move(ctx, c.Case, app.Change{State: dossier.Closed, Stage: "closed", Outcome: string(in.Outcome), Note: in.Note, By: agentName})
			return tool.Output[closeOut]{Value: closeOut{err == nil}}, err
		},
	}.Tool()
}
