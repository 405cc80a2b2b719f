package netra

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
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

// routes registers the app's operations at the paths of its design. Bodies that may
// hold identifiers are read raw, because a failed validation would quote them.
func (o *office) routes(r *app.Router) {
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: "netra-" + id, Method: method, Path: path, Summary: summary}
	}
	raw := func(id, path, summary string, body any) huma.Operation {
		x := op(id, http.MethodPost, path, summary)
		x.SkipValidateBody = true
		x.MaxBodyBytes = 32 << 20
		x.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(body), true, "")}}}
		return x
	}
	desk := []dossier.Role{officer, senior, dossier.Admin}
	app.Handle(r, raw("analyze", "/analyze", "Score a district from its signals and store the score", analyzeIn{}), readers, o.analyze)
	app.Handle(r, raw("ingest", "/ingest", "Take in reports: a list, or the text of a CSV, JSONL or feed file", ingestIn{}), desk, o.ingest)
	app.Handle(r, op("risk-score", http.MethodGet, "/risk-score/{district}", "The score of a district now"), readers, o.riskScore)
	app.Handle(r, op("risk-history", http.MethodGet, "/risk-history/{district}", "The stored scores of a district"), readers, o.riskHistory)
	app.Handle(r, op("districts", http.MethodGet, "/districts", "All districts with their score, band and trend"), readers, o.districts)
	app.Handle(r, op("signals", http.MethodGet, "/signals/{district}", "The signals of a district in a window"), readers, o.signals)
	app.Handle(r, op("methodology", http.MethodGet, "/methodology", "Every formula, weight and limit, with its version"), []dossier.Role{app.Public}, o.methodology)
	app.Handle(r, raw("review", "/review", "Say whether a score was a false alarm", reviewIn{}), desk, func(ctx context.Context, in *rawIn) (*answer[reviewOut], error) {
		return o.review(ctx, in, r.Principal(ctx))
	})
	app.Handle(r, op("reviews", http.MethodGet, "/review", "Reviews and false-alarm rates per district and band"), readers, o.reviews)
	app.Handle(r, raw("propose-weights", "/weights", "Propose a change of weights; it is back-tested and a senior officer decides", weightChange{}), desk,
		func(ctx context.Context, in *rawIn) (*answer[proposalOut], error) {
			var c weightChange
			if err := in.decode(&c); err != nil {
				return nil, err
			}
			p, err := o.propose(ctx, c, r.Principal(ctx))
			return reply(proposalOut{p, engine.Disclaimer}, err)
		})
	app.Handle(r, op("weights", http.MethodGet, "/weights", "Proposed and adopted weights with their back-tests"), readers, func(ctx context.Context, _ *struct{}) (*answer[weightsOut], error) {
		list, err := o.book.Proposals(ctx, 50)
		return reply(weightsOut{listed(list), engine.Disclaimer}, err)
	})
	app.Handle(r, op("retention", http.MethodGet, "/retention", "Proofs of what was removed"), readers, o.retention)
}

// listed makes nothing an empty list.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

type proposalOut struct {
	book.Proposal
	Disclaimer string `json:"governance_disclaimer"`
}

type weightsOut struct {
	Proposals  []book.Proposal `json:"proposals"`
	Disclaimer string          `json:"governance_disclaimer"`
}

// rawIn is a body that is not parsed before the app sees it.
type rawIn struct{ RawBody []byte }

// decode reads the body as JSON. The error quotes nothing of it.
func (in *rawIn) decode(v any) error {
	if err := json.Unmarshal(in.RawBody, v); err != nil {
		return dossier.Errorf(dossier.Invalid, "The body is not the JSON object that this operation takes.")
	}
	return nil
}

type analyzeIn struct {
	District string `json:"district"`
	State    string `json:"state,omitempty"`
	Window   string `json:"window,omitempty" doc:"24h, 72h or 7d"`
}

func (o *office) analyze(ctx context.Context, in *rawIn) (*answer[engine.Score], error) {
	var body analyzeIn
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	p, w, err := districtIn(body).parse()
	if err != nil {
		return nil, err
	}
	s, err := o.board.Score(ctx, p, w, o.env.Now())
	if err != nil {
		return nil, err
	}
	return reply(s, o.book.SaveScore(ctx, &s))
}

type ingestIn struct {
	Reports []json.RawMessage `json:"reports,omitempty" doc:"Reports or processed signals"`
	Format  string            `json:"format,omitempty" doc:"csv, jsonl or feed, with content"`
	Content string            `json:"content,omitempty"`
}

func (o *office) ingest(ctx context.Context, in *rawIn) (*answer[ingest.Audit], error) {
	var body ingestIn
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	rows, rejects, err := body.read()
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "%s", sentence(err))
	}
	return reply(o.ingestRows(ctx, rows, rejects))
}

func (in ingestIn) read() ([]ingest.Row, []ingest.Reject, error) {
	if len(in.Reports) > 0 {
		var lines bytes.Buffer
		for _, r := range in.Reports {
			if err := json.Compact(&lines, r); err != nil {
				return nil, nil, err
			}
			lines.WriteByte('\n')
		}
		return ingest.ReadJSONL(&lines)
	}
	return readAs(in.Format, strings.NewReader(in.Content))
}

// readAs reads reports in one of the known formats.
func readAs(format string, r io.Reader) ([]ingest.Row, []ingest.Reject, error) {
	switch format {
	case "csv":
		return ingest.ReadCSV(r)
	case "jsonl":
		return ingest.ReadJSONL(r)
	case "feed", "rss", "atom", "xml":
		return ingest.ReadFeed(r, time.Time{})
	}
	return nil, nil, dossier.Errorf(dossier.Invalid, "Give reports, or content with the format csv, jsonl or feed")
}

type districtPath struct {
	District string `path:"district" doc:"The district's name or an alias"`
	State    string `query:"state" doc:"Its state, where the name alone is not enough"`
	Window   string `query:"window" doc:"24h, 72h or 7d"`
}

func (in *districtPath) parse() (engine.Place, engine.Window, error) {
	return districtIn{District: in.District, State: in.State, Window: in.Window}.parse()
}

func (o *office) riskScore(ctx context.Context, in *districtPath) (*answer[engine.Score], error) {
	p, w, err := in.parse()
	if err != nil {
		return nil, err
	}
	return reply(o.board.Score(ctx, p, w, o.env.Now()))
}

type historyIn struct {
	District string `path:"district" doc:"The district's name or an alias"`
	State    string `query:"state" doc:"Its state, where the name alone is not enough"`
	Window   string `query:"window" doc:"24h, 72h or 7d"`
	Days     int    `query:"days" doc:"How far back, in days; 30 if left out"`
	Limit    int    `query:"limit" doc:"At most so many scores, the newest; 500 if left out"`
}

type history struct {
	District   string       `json:"district"`
	State      string       `json:"state"`
	Window     string       `json:"time_window"`
	Points     []book.Point `json:"points"`
	Disclaimer string       `json:"governance_disclaimer"`
}

func (o *office) riskHistory(ctx context.Context, in *historyIn) (*answer[history], error) {
	p, w, err := districtIn{District: in.District, State: in.State, Window: in.Window}.parse()
	if err != nil {
		return nil, err
	}
	days, limit := in.Days, in.Limit
	if days <= 0 {
		days = 30
	}
	if limit <= 0 {
		limit = 500
	}
	limit, days = min(limit, 5000), min(days, 36_600)
	points, err := o.book.History(ctx, p, w, o.env.Now().AddDate(0, 0, -days), limit)
	return reply(history{p.District, p.State, w.String(), listed(points), engine.Disclaimer}, err)
}

// A standing is one district in the list of all.
type standing struct {
	engine.Place
	Border     bool             `json:"border"`
	Capital    bool             `json:"capital"`
	Score      float64          `json:"score"`
	Level      string           `json:"risk_level"`
	Threshold  engine.Threshold `json:"threshold"`
	Floor      string           `json:"escalation_floor"`
	Trend      string           `json:"trend"`
	TrendArrow string           `json:"trend_arrow"`
	TrendBasis string           `json:"trend_basis"`
	Primary    string           `json:"primary_trigger"`
	Signals    int              `json:"signal_count"`
	Timestamp  time.Time        `json:"timestamp"`
}

type standings struct {
	Window     string     `json:"time_window"`
	Version    string     `json:"methodology_version"`
	Disclaimer string     `json:"governance_disclaimer"`
	Districts  []standing `json:"districts"`
}

type windowIn struct {
	Window string `query:"window" doc:"24h, 72h or 7d"`
}

func (o *office) districts(ctx context.Context, in *windowIn) (*answer[standings], error) {
	w, err := window(in.Window)
	if err != nil {
		return nil, err
	}
	return reply(o.standings(ctx, w))
}

func (o *office) standings(ctx context.Context, w engine.Window) (standings, error) {
	now := o.env.Now()
	e, err := o.board.Engine(ctx, now)
	if err != nil {
		return standings{}, err
	}
	scores, err := o.board.All(ctx, places(), w, now)
	if err != nil {
		return standings{}, err
	}
	out := standings{Window: w.String(), Version: e.Version(), Disclaimer: engine.Disclaimer}
	for i, d := range ingest.Places() {
		s := &scores[i]
		out.Districts = append(out.Districts, standing{d.Place, d.Border, d.Capital, s.Composite, s.Level, s.Threshold, s.EscalationFloor.Label,
			s.Trend, s.TrendArrow, s.TrendBasis, s.PrimaryTrigger, s.SignalCount, s.Timestamp})
	}
	return out, nil
}

type signalsOut struct {
	District   string         `json:"district"`
	State      string         `json:"state"`
	Window     string         `json:"time_window"`
	Signals    []book.Account `json:"signals"`
	Disclaimer string         `json:"governance_disclaimer"`
}

func (o *office) signals(ctx context.Context, in *districtPath) (*answer[signalsOut], error) {
	p, w, err := in.parse()
	if err != nil {
		return nil, err
	}
	now := o.env.Now()
	list, err := o.book.Accounts(ctx, p, now.Add(-w.Duration()), now, 500)
	return reply(signalsOut{p.District, p.State, w.String(), listed(list), engine.Disclaimer}, err)
}

func (o *office) methodology(ctx context.Context, _ *struct{}) (*answer[engine.Methodology], error) {
	e, err := o.board.Engine(ctx, o.env.Now())
	if err != nil {
		return nil, err
	}
	return reply(e.Methodology(), nil)
}

type reviewIn struct {
	District   string `json:"district"`
	State      string `json:"state,omitempty"`
	Window     string `json:"window,omitempty"`
	FalseAlarm *bool  `json:"false_alarm" nullable:"false"`
	Note       string `json:"note,omitempty"`
	Seen       string `json:"score_timestamp,omitempty" doc:"The timestamp of the score that was looked at; the last stored score up to then is meant. Now if left out"`
}

type reviewOut struct {
	book.Review
	Disclaimer string `json:"governance_disclaimer"`
}

// review stores an officer's word on the last stored score of a district, up to the time
// of the score that the officer looked at: one that was stored since is another matter.
// It never changes a weight.
func (o *office) review(ctx context.Context, in *rawIn, by dossier.Principal) (*answer[reviewOut], error) {
	var body reviewIn
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	p, w, err := districtIn{District: body.District, State: body.State, Window: body.Window}.parse()
	if err != nil {
		return nil, err
	}
	if body.FalseAlarm == nil {
		return nil, dossier.Errorf(dossier.Invalid, "Say with false_alarm whether it was one, true or false.")
	}
	now := o.env.Now()
	seen := now
	if body.Seen != "" {
		if seen, err = engine.ParseTime(body.Seen); err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "score_timestamp: %s", sentence(err))
		}
	}
	last, ok, err := o.book.Last(ctx, p, w, seen)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, dossier.Errorf(dossier.NotFound, "%s has no stored score over %s to review.", p, w)
	}
	said, err := o.book.SaveReview(ctx, book.Review{Place: p, Hours: int(w), ScoreAt: last.At, Score: last.Score, Band: last.Band,
		FalseAlarm: *body.FalseAlarm, Note: engine.Clip(ingest.Clean(body.Note), 1000), Reviewer: by.ID, At: now})
	return reply(reviewOut{said, engine.Disclaimer}, err)
}

type reviewsOut struct {
	Rates      []book.Rate   `json:"false_alarm_rates"`
	Reviews    []book.Review `json:"reviews"`
	Disclaimer string        `json:"governance_disclaimer"`
}

func (o *office) reviews(ctx context.Context, _ *struct{}) (*answer[reviewsOut], error) {
	rates, err := o.book.FalseAlarmRates(ctx)
	if err != nil {
		return nil, err
	}
	list, err := o.book.Reviews(ctx, 100)
	return reply(reviewsOut{listed(rates), listed(list), engine.Disclaimer}, err)
}

type retentionOut struct {
	Retain     string         `json:"retain"`
	Proofs     []book.Archive `json:"proofs"`
	Disclaimer string         `json:"governance_disclaimer"`
}

func (o *office) retention(ctx context.Context, _ *struct{}) (*answer[retentionOut], error) {
	list, err := o.book.Archives(ctx, 100)
	return reply(retentionOut{o.cfg.Retain.String(), listed(list), engine.Disclaimer}, err)
}
