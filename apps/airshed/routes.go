package airshed

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/apps/airshed/render"
	"dossier/internal/app"
	"dossier/internal/geo"
)

var readers = []dossier.Role{investigator, legalOf, dossier.Auditor}

func (a *airshed) routes(r *app.Router) {
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: "airshed-" + id, Method: method, Path: "/api/v1/airshed" + path, Summary: summary, Errors: []int{404, 422}}
	}
	app.Handle(r, op("list-sweeps", http.MethodGet, "/sweeps", "Looks at the data lake, newest first"), readers, a.listSweeps)
	app.Handle(r, op("sweep", http.MethodPost, "/sweeps", "Look at the data lake now"), []dossier.Role{investigator, legalOf}, a.startSweep)
	app.Handle(r, op("list-reports", http.MethodGet, "/reports", "Reports, newest first"), readers, a.listReports)
	app.Handle(r, op("get-report", http.MethodGet, "/reports/{id}", "One report with what became of it"), readers, a.getReport)
	app.Handle(r, op("submit-report", http.MethodPost, "/reports/{id}/submit", "Send an approved report again that the Commission did not take"), []dossier.Role{legalOf},
		func(ctx context.Context, in *struct {
			ID string `path:"id"`
		}) (*body[book.Draft], error) {
			d, err := a.resend(ctx, in.ID, r.Principal(ctx))
			return &body[book.Draft]{d}, err
		})
	app.Handle(r, op("report-log", http.MethodGet, "/report-log", "The log of reports that duplicates are checked against"), readers, a.reportLog)
	app.Handle(r, op("list-received", http.MethodGet, "/received", "What the trial receiver holds, newest first"), readers, a.listReceived)
	app.Handle(r, op("get-received", http.MethodGet, "/received/{id}", "The trial receiver's record and copy of one report"), readers, a.getReceived)
	app.Handle(r, op("get-scene", http.MethodGet, "/cases/{case}/scene", "What the map and the time line of a case show"), readers, a.getScene)
	app.Handle(r, op("what-if", http.MethodPost, "/cases/{case}/what-if", "The same facts judged by other figures; not the record"), readers, a.whatIf)
	r.Raw("GET /api/v1/airshed/received/{id}/body", readers, http.HandlerFunc(a.receivedBody))
	r.Raw("GET /api/v1/airshed/reports/{id}/pdf", readers, a.page("application/pdf", render.PDF))
	r.Raw("GET /api/v1/airshed/reports/{id}/html", readers, a.page("text/html; charset=utf-8", render.HTML))
}

// A body wraps what an operation answers with.
type body[T any] struct{ Body T }

type sweepList struct {
	Items []book.Sweep `json:"items"`
}

func (a *airshed) listSweeps(ctx context.Context, in *struct {
	Limit int `query:"limit" default:"50" minimum:"1" maximum:"500"`
}) (*body[sweepList], error) {
	items, err := a.book.Sweeps(ctx, in.Limit)
	if items == nil {
		items = []book.Sweep{}
	}
	return &body[sweepList]{sweepList{items}}, err
}

func (a *airshed) startSweep(ctx context.Context, _ *struct{}) (*body[book.Sweep], error) {
	s, err := a.sweep(ctx, "command")
	return &body[book.Sweep]{s}, err
}

// A ReportLine is a report in a list.
type ReportLine struct {
	ReportID   string    `json:"report_id"`
	Case       string    `json:"case"`
	Station    string    `json:"station"`
	AQI        float64   `json:"aqi"`
	Timestamp  time.Time `json:"timestamp" doc:"Of the surge"`
	Generated  time.Time `json:"generated_at"`
	Confidence float64   `json:"confidence_score"`
	Status     string    `json:"status"`
	Summary    string    `json:"executive_summary"`
}

type reportList struct {
	Items []ReportLine `json:"items"`
}

func (a *airshed) lines(ctx context.Context, limit int) ([]ReportLine, error) {
	all, err := a.book.Reports(ctx, limit)
	out := []ReportLine{}
	for _, d := range all {
		r := d.Report
		out = append(out, ReportLine{r.ReportID, r.CaseID, r.SurgeDetails.Station, r.SurgeDetails.AQI, r.SurgeDetails.Timestamp, r.Timestamp, r.ConfidenceScore, d.Status, r.ExecutiveSummary})
	}
	return out, err
}

func (a *airshed) listReports(ctx context.Context, in *struct {
	Limit int `query:"limit" default:"100" minimum:"1" maximum:"1000"`
}) (*body[reportList], error) {
	items, err := a.lines(ctx, in.Limit)
	return &body[reportList]{reportList{items}}, err
}

func (a *airshed) getReport(ctx context.Context, in *struct {
	ID string `path:"id"`
}) (*body[book.Draft], error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	d, err := a.book.Report(ctx, in.ID)
	return &body[book.Draft]{d}, err
}

// A LogEntry is one line of the report log, as the design writes it.
type LogEntry struct {
	ReportID    string    `json:"report_id"`
	Station     string    `json:"station"`
	AQI         float64   `json:"aqi"`
	Timestamp   time.Time `json:"timestamp"`
	GeneratedAt time.Time `json:"generated_at"`
}

// A ReportLog is the log of all reports.
type ReportLog struct {
	Reports []LogEntry `json:"reports"`
}

func (a *airshed) log(ctx context.Context) (ReportLog, error) {
	lines, err := a.lines(ctx, 10_000)
	out := ReportLog{Reports: []LogEntry{}}
	for _, l := range lines {
		out.Reports = append(out.Reports, LogEntry{l.ReportID, l.Station, l.AQI, l.Timestamp, l.Generated})
	}
	return out, err
}

func (a *airshed) reportLog(ctx context.Context, _ *struct{}) (*body[ReportLog], error) {
	l, err := a.log(ctx)
	return &body[ReportLog]{l}, err
}

// A ReceivedList is what the receiver that runs inside the product holds.
type ReceivedList struct {
	Trial    bool             `json:"trial" doc:"False: reports go to another system, and nobody here knows what it holds"`
	Endpoint string           `json:"endpoint" doc:"Where reports are filed"`
	Items    []filing.Receipt `json:"items"`
}

func (a *airshed) listReceived(_ context.Context, _ *struct{}) (*body[ReceivedList], error) {
	out := ReceivedList{Trial: a.recv != nil, Endpoint: a.file.Endpoint, Items: []filing.Receipt{}}
	var err error
	if a.recv != nil {
		out.Items, err = a.recv.All()
	}
	return &body[ReceivedList]{out}, err
}

func (a *airshed) getReceived(_ context.Context, in *struct {
	ID string `path:"id"`
}) (*body[filing.Received], error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	if a.recv == nil {
		return nil, dossier.Errorf(dossier.NotFound, "Reports go to %s. What it holds must be asked there.", a.file.Endpoint)
	}
	f, err := a.recv.Get(in.ID)
	return &body[filing.Received]{f}, err
}

// receivedBody serves the receiver's copy of a report byte for byte.
func (a *airshed) receivedBody(w http.ResponseWriter, req *http.Request) {
	if a.recv == nil {
		http.Error(w, fmt.Sprintf("Reports go to %s. What it holds must be asked there.", a.file.Endpoint), http.StatusNotFound)
		return
	}
	a.recv.Body(w, req)
}

// A Scene is what the page of a case draws.
type Scene struct {
	Case     string                    `json:"case"`
	Record   bool                      `json:"record" doc:"False: the figures were changed, and this is not what was decided"`
	Report   string                    `json:"report_id,omitempty"`
	Surge    *correlate.Surge          `json:"surge" doc:"Null: by these figures there is none"`
	Station  correlate.Station         `json:"station"`
	Rules    correlate.Rules           `json:"rules"`
	Analysis *correlate.Analysis       `json:"analysis,omitempty"`
	Stations []correlate.BorderStation `json:"stations"`
	Border   []correlate.Station       `json:"border_stations" doc:"Every station that is watched"`
	Fires    []SceneFire               `json:"fires"`
	Winds    []observe.Wind            `json:"winds"`
	Outlines [][][2]float64            `json:"outlines"`
	Texts    SceneTexts                `json:"texts"`
}

// A SceneFire is a fire on the map.
type SceneFire struct {
	geo.Point
	State    string `json:"state"`
	District string `json:"district"`
	Date     string `json:"acq_date"`
	Time     string `json:"acq_time"`
	Counts   bool   `json:"counts" doc:"It is within radius and window"`
}

// SceneTexts are the sentences that the figures would lead to.
type SceneTexts struct {
	Summary   string `json:"executive_summary"`
	Reasoning string `json:"reasoning"`
	Weakest   string `json:"weakest_link"`
}

func (a *airshed) getScene(ctx context.Context, in *struct {
	Case string `path:"case"`
}) (*body[Scene], error) {
	s, err := a.scene(ctx, dossier.CaseID(in.Case), nil)
	return &body[Scene]{s}, err
}

// Figures are the ones that people may change in a what-if.
type Figures struct {
	Threshold *float64 `json:"surge_aqi_threshold,omitempty" minimum:"0" maximum:"500"`
	RadiusKm  *float64 `json:"fire_correlation_radius_km,omitempty" minimum:"1" maximum:"300"`
	Hours     *float64 `json:"correlation_window_hours,omitempty" minimum:"1" maximum:"168"`
	HighFires *int     `json:"high_contribution_fire_count,omitempty" minimum:"0" maximum:"100000"`
}

func (a *airshed) whatIf(ctx context.Context, in *struct {
	Case string `path:"case"`
	Body Figures
}) (*body[Scene], error) {
	s, err := a.scene(ctx, dossier.CaseID(in.Case), &in.Body)
	return &body[Scene]{s}, err
}

// scene draws a case as it was judged or, with other figures, as it would be.
func (a *airshed) scene(ctx context.Context, id dossier.CaseID, with *Figures) (Scene, error) {
	if _, err := a.Desk.Case(ctx, id); err != nil {
		return Scene{}, err
	}
	f, err := a.caseFile(ctx, id)
	if err != nil {
		return Scene{}, err
	}
	r := f.Settings.Rules
	if with != nil {
		r = with.apply(r)
		if err := r.Validate(); err != nil {
			return Scene{}, err
		}
		if reach := f.Feed.ReachKm; r.RadiusKm > reach {
			return Scene{}, dossier.Errorf(dossier.Invalid, "The case keeps the fires within %v km of the station. A wider radius cannot be judged from it.", reach)
		}
		f = f.WhatIf(r)
	}
	s := Scene{
		Case: string(id), Record: with == nil, Station: f.Settings.Station, Rules: r, Stations: f.Watch.Stations, Border: a.cfg.stations(), Winds: f.Snapshot.Winds, Fires: []SceneFire{},
	}
	if d, err := a.book.ReportOf(ctx, id); err == nil {
		s.Report = d.Report.ReportID
	}
	if s.Outlines, err = a.outlines(f); err != nil {
		return Scene{}, err
	}
	counts := map[int32]bool{}
	if f.Found {
		s.Surge, s.Analysis = &f.Analysis.Surge, &f.Analysis
		s.Texts = SceneTexts{legal.Summary(f.Analysis, r), legal.Reasoning(f.Analysis, r), f.Analysis.Links[0].Sentence()}
		for _, i := range f.Analysis.Correlation.Fires {
			counts[i] = true
		}
	}
	for i, x := range f.Snapshot.Fires {
		s.Fires = append(s.Fires, SceneFire{x.Point, x.State, x.District, x.AcqDate, x.AcqTime, counts[int32(i)]})
	}
	return s, nil
}

func (w Figures) apply(r correlate.Rules) correlate.Rules {
	if w.Threshold != nil {
		r.SurgeAQI = *w.Threshold
	}
	if w.RadiusKm != nil {
		r.RadiusKm = *w.RadiusKm
	}
	if w.Hours != nil {
		r.Window = hours(*w.Hours)
	}
	if w.HighFires != nil {
		r.HighFires = *w.HighFires
	}
	return r
}

// page serves a report's pages in one format.
func (a *airshed) page(contentType string, write func(render.Document) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		d, err := a.document(req.Context(), req.PathValue("id"))
		if err == nil {
			var raw []byte
			if raw, err = write(d); err == nil {
				w.Header().Set("Content-Type", contentType)
				w.Header().Set("Content-Disposition", `inline; filename="`+d.Report.ReportID+`"`)
				_, _ = w.Write(raw) // the reader has gone if this fails
				return
			}
		}
		code := http.StatusInternalServerError
		switch dossier.KindOf(err) {
		case dossier.NotFound:
			code = http.StatusNotFound
		case dossier.Invalid:
			code = http.StatusUnprocessableEntity
		case dossier.Internal:
			a.Log.ErrorContext(req.Context(), "report page", "error", err)
		}
		http.Error(w, dossier.Message(err), code)
	})
}
