package report

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/draft"
	"dossier/apps/report/outline"
	"dossier/apps/report/rating"
	"dossier/apps/report/render"
	"dossier/apps/report/writer"
	"dossier/internal/app"

	"github.com/danielgtaylor/huma/v2"
)

// An answer is a response with a body.
type answer[T any] struct{ Body T }

func reply[T any](v T, err error) (*answer[T], error) {
	if err != nil {
		return nil, err
	}
	return &answer[T]{v}, nil
}

var (
	readers = []dossier.Role{analyst, reviewer, dossier.Admin, dossier.Auditor}
	writers = []dossier.Role{analyst, dossier.Admin}
	raters  = []dossier.Role{reviewer, dossier.Admin}
)

// routes registers the app's operations.
func (o *office) routes(r *app.Router) {
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: "report-" + id, Method: method, Path: "/report" + path, Summary: summary}
	}
	app.Handle(r, op("list", http.MethodGet, "/reports", "All reports"), readers, o.listReports)
	app.Handle(r, op("create", http.MethodPost, "/reports", "Store a report: an outline and the run folder it is written from"), writers, o.createReport)
	app.Handle(r, op("get", http.MethodGet, "/reports/{report}", "A report with its sections and where each stands"), readers, o.getReport)
	app.Handle(r, op("draft", http.MethodPost, "/reports/{report}/draft", "Have sections drafted, beside each other; none named means all"), writers,
		func(ctx context.Context, in *draftIn) (*answer[[]dossier.Run], error) {
			return reply(o.start(ctx, in.Report, in.Body.Sections, r.Principal(ctx)))
		})
	app.Handle(r, op("section", http.MethodGet, "/reports/{report}/sections/{section}", "A section with every round of its drafts and reviews"), readers, o.getSection)
	app.Handle(r, op("review", http.MethodPost, "/reports/{report}/sections/{section}/review", "Rate and comment on the draft that stands; the notes go into the next round"), raters,
		func(ctx context.Context, in *reviewIn) (*answer[review], error) {
			return reply(o.review(ctx, in, r.Principal(ctx)))
		})
	app.Handle(r, op("charts", http.MethodGet, "/reports/{report}/charts", "The charts of a report's run"), readers, o.getCharts)
	app.Handle(r, op("chart", http.MethodGet, "/reports/{report}/chart", "A chart's rows, summary and Plotly specification"), readers, o.getChart)
	app.Handle(r, op("evaluate", http.MethodPost, "/reports/{report}/evals", "Record the ratings of a report as they stand"), raters, o.evaluate)
	app.Handle(r, op("evals", http.MethodGet, "/reports/{report}/evals", "The recorded ratings of a report, and how they compare"), readers, o.getEvals)
	app.Handle(r, op("rubric", http.MethodGet, "/rubric", "What each dimension of a rating asks"), readers, func(context.Context, *struct{}) (*answer[[]dimension], error) {
		return reply(rubric(), nil)
	})
	r.Raw("GET /report/reports/{report}/file", readers, http.HandlerFunc(o.file))
}

type dimension struct {
	Name string `json:"name"`
	Asks string `json:"asks"`
}

func rubric() []dimension {
	var out []dimension
	for _, d := range outline.Dimensions {
		out = append(out, dimension{d, outline.Rubric[d]})
	}
	return out
}

// head is a report in a list.
type head struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Sections int       `json:"sections"`
	Drafted  int       `json:"drafted"`
	Final    int       `json:"final"`
	Updated  time.Time `json:"updated"`
}

func (o *office) listReports(ctx context.Context, _ *struct{}) (*answer[[]head], error) {
	all, err := o.book.reports(ctx)
	if err != nil {
		return nil, err
	}
	out := []head{}
	for _, rec := range all {
		v, err := o.view(ctx, rec)
		if err != nil {
			return nil, err
		}
		h := head{ID: rec.ID, Title: rec.Title, Sections: len(v.Sections), Updated: rec.Updated}
		for _, s := range v.Sections {
			if s.Round > 0 {
				h.Drafted++
			}
			if s.Status == "final" {
				h.Final++
			}
		}
		out = append(out, h)
	}
	return reply(out, nil)
}

type createIn struct {
	Body struct {
		Title    string          `json:"title" minLength:"1" maxLength:"200"`
		DataRoot string          `json:"data_root" doc:"A run folder inside the configured folder"`
		Outline  string          `json:"outline" doc:"The outline as Markdown"`
		Map      json.RawMessage `json:"map,omitempty" doc:"The section-chart map; left out, charts are chosen by relevance"`
	}
}

func (o *office) createReport(ctx context.Context, in *createIn) (*answer[record], error) {
	return reply(o.create(ctx, o.env.NewID("rep-"), in.Body.Title, in.Body.DataRoot, []byte(in.Body.Outline), in.Body.Map))
}

type reportIn struct {
	Report string `path:"report"`
}

// view is a report as a page shows it.
type view struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	DataRoot string            `json:"data_root"`
	Updated  time.Time         `json:"updated"`
	Sections []sectionView     `json:"sections"`
	Problems []outline.Problem `json:"problems"`
}

// sectionView is where a section stands.
type sectionView struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Level    int            `json:"level"`
	Parent   string         `json:"parent,omitempty"`
	Status   string         `json:"status"` // empty, draft, sent_back or final
	Round    int            `json:"round"`
	Numerals int            `json:"numerals"`
	Ratings  map[string]int `json:"ratings"`
	Notes    string         `json:"notes,omitempty"`
	Case     dossier.CaseID `json:"case,omitempty"`
}

func (o *office) view(ctx context.Context, rec record) (view, error) {
	doc, err := outline.Parse([]byte(rec.Outline))
	if err != nil {
		return view{}, err
	}
	drafts, err := o.book.drafts(ctx, rec.ID, "")
	if err != nil {
		return view{}, err
	}
	newest := map[string]stored{}
	for _, d := range drafts {
		newest[d.Section] = d
	}
	v := view{ID: rec.ID, Title: rec.Title, DataRoot: rec.DataRoot, Updated: rec.Updated, Problems: doc.Problems, Sections: []sectionView{}}
	if v.Problems == nil {
		v.Problems = []outline.Problem{}
	}
	for _, s := range doc.Sections {
		d := newest[s.ID]
		v.Sections = append(v.Sections, sectionView{
			ID: s.ID, Title: s.Title, Level: s.Level, Parent: s.ParentID, Status: cmp.Or(d.Status, "empty"), Round: d.Round,
			Numerals: len(d.Verdict.Faith.Numerals), Ratings: s.Ratings, Notes: s.Notes, Case: d.Case,
		})
	}
	return v, nil
}

func (o *office) getReport(ctx context.Context, in *reportIn) (*answer[view], error) {
	rec, err := o.book.report(ctx, in.Report)
	if err != nil {
		return nil, err
	}
	return reply(o.view(ctx, rec))
}

type draftIn struct {
	Report string `path:"report"`
	Body   struct {
		Sections []string `json:"sections,omitempty" doc:"Section ids; none means all"`
	}
}

type sectionPath struct {
	Report  string `path:"report"`
	Section string `path:"section"`
}

// sectionPage is everything a page shows of a section.
type sectionPage struct {
	ID           string            `json:"id"`
	Title        string            `json:"title"`
	Instructions string            `json:"instructions"`
	Ratings      map[string]int    `json:"ratings"`
	Notes        string            `json:"notes"`
	Problems     []outline.Problem `json:"problems"`
	From         string            `json:"charts_from"` // map or relevance
	Charts       []chartChoice     `json:"charts"`
	Rounds       json.RawMessage   `json:"rounds"` // oldest first, each with its text and verdict
	Reviews      []review          `json:"reviews"`
	Case         dossier.CaseID    `json:"case,omitempty"`
	Failed       *failedRun        `json:"failed,omitempty"`
	Approval     *dossier.Approval `json:"approval,omitempty"` // pending: whether the section becomes final

	// Evidence says which chart's rows each piece of evidence holds.
	Evidence map[dossier.EvidenceID]string `json:"evidence"`
}

// failedRun is the last run of a section, if it failed.
type failedRun struct {
	Run dossier.RunID `json:"run"`
	Why string        `json:"why" doc:"Why the last run of the section failed"`
}

// chartChoice is a chart of a section and why it is there.
type chartChoice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Units string `json:"units"`
	Why   string `json:"why"`
}

func (o *office) getSection(ctx context.Context, in *sectionPath) (*answer[sectionPage], error) {
	_, r, err := o.open(ctx, in.Report)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, err := r.Outline.Section(in.Section)
	if err != nil {
		return nil, err
	}
	sel := r.Map.Select(s, r.Catalog)
	p := sectionPage{ID: s.ID, Title: s.Title, Instructions: s.Instructions, Ratings: s.Ratings, Notes: s.Notes, Problems: []outline.Problem{}, From: sel.From, Charts: []chartChoice{}, Reviews: []review{}, Evidence: map[dossier.EvidenceID]string{}}
	for _, pr := range r.Outline.Problems {
		if pr.Section == s.ID {
			p.Problems = append(p.Problems, pr)
		}
	}
	for _, c := range sel.Choices {
		ch, err := r.Catalog.Chart(c.Key)
		if err != nil {
			return nil, err
		}
		p.Charts = append(p.Charts, chartChoice{ch.ID, ch.Title, ch.Units, c.Why})
	}
	if err := o.fillRounds(ctx, in, &p); err != nil {
		return nil, err
	}
	p.Failed, err = o.failed(ctx, in)
	return reply(p, err)
}

// failed returns the newest run of a section if it failed.
func (o *office) failed(ctx context.Context, in *sectionPath) (*failedRun, error) {
	c, err := o.env.Desk.CaseOf(ctx, subject(in.Report, in.Section))
	if errors.Is(err, dossier.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs, err := o.env.Desk.Runs(ctx, c.ID)
	if err != nil || len(runs) == 0 || runs[len(runs)-1].Status != dossier.Failed {
		return nil, err
	}
	last := runs[len(runs)-1]
	return &failedRun{last.ID, last.Failure}, nil
}

// fillRounds adds the drafts, the reviews and what waits in the inbox.
func (o *office) fillRounds(ctx context.Context, in *sectionPath, p *sectionPage) error {
	rounds, err := o.book.drafts(ctx, in.Report, in.Section)
	if err != nil {
		return err
	}
	if rounds == nil {
		rounds = []stored{}
	}
	if p.Rounds, err = json.Marshal(rounds); err != nil {
		return fmt.Errorf("encode rounds: %w", err)
	}
	all, err := o.book.reviews(ctx, in.Report)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Section == in.Section {
			p.Reviews = append(p.Reviews, r)
		}
	}
	if len(rounds) == 0 {
		return nil
	}
	p.Case = rounds[len(rounds)-1].Case
	chain, _, err := o.env.Desk.Facts(ctx, p.Case)
	if err != nil {
		return err
	}
	for _, e := range chain {
		if id := writer.ChartOf(e); id != "" {
			p.Evidence[e.ID] = id
		}
	}
	approvals, err := o.env.Desk.Approvals(ctx, p.Case)
	if err != nil {
		return err
	}
	for i := range approvals {
		if approvals[i].Status == dossier.Pending {
			p.Approval = &approvals[i]
		}
	}
	return nil
}

func (o *office) getCharts(ctx context.Context, in *reportIn) (*answer[[]catalog.Chart], error) {
	_, r, err := o.open(ctx, in.Report)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return reply(r.Catalog.Charts, nil)
}

type chartPath struct {
	Report string `path:"report"`
	ID     string `query:"id" required:"true"`
}

// chartPage is a chart as a page draws it. Data and Plot are JSON of their own form.
type chartPage struct {
	Data json.RawMessage `json:"data"`           // as get_chart_data returns it, with rows
	Plot json.RawMessage `json:"plot,omitempty"` // the Plotly specification with its arrays written out
}

func (o *office) getChart(ctx context.Context, in *chartPath) (*answer[chartPage], error) {
	_, r, err := o.open(ctx, in.Report)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := r.Data(ctx, in.ID, draft.Pick{Most: o.cfg.MaxRows})
	if err != nil {
		return nil, err
	}
	p := chartPage{}
	if p.Data, err = json.Marshal(data); err != nil {
		return nil, fmt.Errorf("encode chart: %w", err)
	}
	if data.Meta.JSON != "" {
		if p.Plot, err = r.Catalog.PlotSpec(&data.Meta); err != nil {
			p.Plot = nil // the page draws the rows instead
			o.env.Log.WarnContext(ctx, "a chart's Plotly specification cannot be read", "report", in.Report, "chart", in.ID, "err", err)
		}
	}
	return reply(p, nil)
}

// evalsPage is a report's evaluations and how they compare.
type evalsPage struct {
	Runs       json.RawMessage `json:"runs"`
	Comparison json.RawMessage `json:"comparison,omitempty"` // where there are two or more
	Chart      string          `json:"chart,omitempty"`      // the comparison drawn as SVG
}

func (o *office) getEvals(ctx context.Context, in *reportIn) (*answer[evalsPage], error) {
	if _, err := o.book.report(ctx, in.Report); err != nil {
		return nil, err
	}
	runs, err := o.book.evals(ctx, in.Report)
	if err != nil {
		return nil, err
	}
	if runs == nil {
		runs = []*rating.Run{}
	}
	p := evalsPage{}
	if p.Runs, err = json.Marshal(runs); err != nil {
		return nil, fmt.Errorf("encode evaluations: %w", err)
	}
	if len(runs) > 1 {
		c, err := rating.Compare(runs...)
		if err != nil {
			return nil, err
		}
		if p.Comparison, err = json.Marshal(c); err != nil {
			return nil, fmt.Errorf("encode comparison: %w", err)
		}
		p.Chart = c.SVG()
	}
	return reply(p, nil)
}

var mimes = map[string]string{
	"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "pdf": "application/pdf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// marked returns the text of a report to be printed. It begins with the sections that
// nobody made final, if there are any, for a reader cannot tell them otherwise. As
// Markdown, the outline stays as it is.
func (o *office) marked(ctx context.Context, rec record, format string) ([]byte, error) {
	v, err := o.view(ctx, rec)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, s := range v.Sections {
		if s.Status != "final" {
			open = append(open, s.Title)
		}
	}
	if format == "md" || len(open) == 0 {
		return []byte(rec.Outline), nil
	}
	return fmt.Appendf(nil, "Draft. Not final yet: %s.\n\n%s", strings.Join(open, ", "), strings.TrimPrefix(rec.Outline, "\ufeff")), nil
}

// file serves the report in one of its formats.
func (o *office) file(w http.ResponseWriter, req *http.Request) {
	format := cmp.Or(req.URL.Query().Get("format"), "html")
	rec, r, err := o.open(req.Context(), req.PathValue("report"))
	if err != nil {
		http.Error(w, dossier.Message(err), http.StatusNotFound)
		return
	}
	defer r.Close()
	source, err := o.marked(req.Context(), rec, format)
	if err != nil {
		http.Error(w, dossier.Message(err), http.StatusInternalServerError)
		return
	}
	out, err := render.Write(req.Context(), format, rec.Title, source, render.FromCatalog{Catalog: r.Catalog, Backend: r.Backend})
	if err != nil {
		http.Error(w, dossier.Message(err), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", mimes[format])
	if format != "html" {
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", rec.ID+"."+format))
	} else {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'unsafe-inline'")
	}
	_, _ = w.Write(out)
}
