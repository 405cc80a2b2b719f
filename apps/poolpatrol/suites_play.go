package poolpatrol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/geo"
	"dossier/internal/tool"
)

// A player plays the app's own agents on examples. The specialists look things up in
// records made of the example; outreach and the case manager are rehearsed, because
// their tools change what only a store keeps.
type player struct{ agents []*agent.Agent }

func (p player) agent(name string) (*agent.Agent, error) {
	i := slices.IndexFunc(p.agents, func(a *agent.Agent) bool { return a.Name == name })
	if i < 0 {
		return nil, dossier.Errorf(dossier.Internal, "There is no agent %q to play.", name)
	}
	return p.agents[i], nil
}

func read[T any](ex eval.Example) (in T, err error) {
	if err := json.Unmarshal(ex.Input, &in); err != nil {
		return in, dossier.Errorf(dossier.Invalid, "Example %s has an input of another form.", ex.Name).Because(err)
	}
	return in, nil
}

// A sheet is one van with what the records say of its riders.
type sheet struct {
	van  roster.Van
	zips map[string]geo.Point
}

func (s sheet) Crew(ctx context.Context, id string) (roster.Van, error) { return s.Van(ctx, id) }

func (s sheet) Van(_ context.Context, id string) (roster.Van, error) {
	if id != s.van.ID {
		return roster.Van{}, dossier.Errorf(dossier.NotFound, "There is no vanpool %s.", id)
	}
	return s.van, nil
}

func (s sheet) Centroid(_ context.Context, zip string) (geo.Point, error) {
	at, ok := s.zips[zip]
	if !ok {
		return geo.Point{}, dossier.Errorf(dossier.NotFound, "The place of ZIP code %s is not known.", zip)
	}
	return at, nil
}

// specialist plays one specialist on a sheet of records.
func (p player) specialist(ctx context.Context, name string, s verify.Specialists, ex eval.Example, now time.Time, who eval.Player) (eval.Trace, error) {
	in, err := read[verify.CheckIn](ex)
	if err != nil {
		return eval.Trace{}, err
	}
	input, err := json.Marshal(in)
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	s.Roles, s.Prompt = patrol.Staff, prompt
	cast := []*agent.Agent{eval.FailFirst(s.Shift(), failing(ex)...), eval.FailFirst(s.Location(), failing(ex)...)}
	return eval.PlayAgent(ctx, eval.Stage{App: "poolpatrol", Agents: cast, Now: now}, name, input, who)
}

func (p player) shift(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	in, err := read[struct {
		Vanpool string             `json:"vanpool_id"`
		First   roster.Day         `json:"first_day"`
		Riders  []engine.ShiftFact `json:"riders"`
	}](ex)
	if err != nil {
		return eval.Trace{}, err
	}
	van := roster.Van{Vanpool: roster.Vanpool{ID: in.Vanpool}, Shifts: map[string]roster.Shift{}}
	for _, f := range in.Riders {
		van.Riders = append(van.Riders, roster.Employee{ID: f.Employee, Shift: f.ShiftID, PTO: f.PTO})
		if f.ShiftID != "" {
			van.Shifts[f.ShiftID] = roster.Shift{ID: f.ShiftID, Name: f.Shift, Zone: f.Zone, Schedule: f.Schedule, Cycle: f.Cycle, Anchor: f.Anchor}
		}
	}
	first, err := time.Parse(time.DateOnly, in.First.String())
	if err != nil {
		return eval.Trace{}, fmt.Errorf("example %s: %w", ex.Name, err)
	}
	s := verify.Specialists{Roster: sheet{van: van}, Shifts: patrol.Defaults.ShiftParams(), MaxMiles: patrol.Defaults.MaxMiles}
	return p.specialist(ctx, "shift", s, ex, first.Add(12*time.Hour), who)
}

func (p player) location(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	in, err := read[struct {
		Vanpool   string                `json:"vanpool_id"`
		Pickup    engine.Place          `json:"pickup"`
		Threshold float64               `json:"threshold_miles"`
		Homes     []engine.DistanceFact `json:"homes"`
	}](ex)
	if err != nil {
		return eval.Trace{}, err
	}
	pg := sheet{zips: map[string]geo.Point{}}
	pg.van.Vanpool = roster.Vanpool{ID: in.Vanpool, Pickup: geo.Point{Lat: in.Pickup.Lat, Lon: in.Pickup.Lng}}
	roads := roadTable{}
	for _, f := range in.Homes {
		e := roster.Employee{ID: f.Employee, ZIP: f.ZIP}
		at := roster.Coarse(geo.Point{Lat: f.From.Lat, Lon: f.From.Lng})
		switch f.Basis {
		case engine.ByCoordinates:
			e.Home = &at
		case engine.ByZIP:
			if e.ZIP == "" {
				e.ZIP = f.Employee // the example gives the place alone
			}
			pg.zips[e.ZIP] = at
		case engine.ByNothing:
		}
		if f.Routed > 0 {
			roads[fmt.Sprintf("%.6f,%.6f", at.Lon, at.Lat)] = f.Routed
		}
		pg.van.Riders = append(pg.van.Riders, e)
	}
	s := verify.Specialists{Roster: pg, Shifts: patrol.Defaults.ShiftParams(), MaxMiles: in.Threshold}
	if len(roads) > 0 {
		s.Route = verify.OSRM(&http.Client{Transport: roads}, "http://roads.example")
	}
	return p.specialist(ctx, "location", s, ex, time.Time{}, who)
}

// A roadTable answers a routing service's questions from an example: a point to the
// miles from it.
type roadTable map[string]float64

// RoundTrip implements http.RoundTripper.
func (t roadTable) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	points := strings.Split(req.URL.Path[strings.LastIndex(req.URL.Path, "/")+1:], ";")
	var out struct {
		Code      string       `json:"code"`
		Distances [][]*float64 `json:"distances"`
	}
	out.Code = "Ok"
	for _, from := range points[1:] {
		var metres *float64
		if miles, ok := t[from]; ok {
			m := miles * verify.MetresPerMile
			metres = &m
		}
		out.Distances = append(out.Distances, []*float64{metres})
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(raw)), Request: req}, nil
}

// outreach plays the outreach agent on one reply.
func (p player) outreach(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	in, err := read[struct {
		Text string `json:"text"`
	}](ex)
	if err != nil {
		return eval.Trace{}, err
	}
	const message = "MSG-00000002"
	return p.reply(ctx, []patrol.MailView{aReply(message, in.Text)}, in.Text, message, who, failing(ex)...)
}

// rehearseMail answers the outreach agent's calls, with the refusals that production
// makes: a reply must be read before it is answered, and an escalation goes to people.
func rehearseMail(rule replies.Reading, message, name string, args json.RawMessage) (tool.Result, error) {
	var in struct {
		patrol.ClassifyIn
		Answers string `json:"answers_message_id"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments of %s: %w", name, err)
	}
	escalated := rule.Bucket == replies.Escalation
	var value any
	switch {
	case name == "classify_reply" && in.ClassifyIn != (patrol.ClassifyIn{Thread: aThread, Message: message}):
		return tool.Result{}, dossier.Errorf(dossier.Invalid, "Mail %s is not a reply in a thread of this case.", in.Message)
	case name == "classify_reply":
		value = patrol.ClassifyOut{Bucket: rule.Bucket, Rule: rule.Rule, Phrases: verify.OrEmpty(rule.Phrases), Review: escalated}
	case name == "send_email" && escalated && in.Answers != "":
		return tool.Result{}, dossier.Errorf(dossier.Invalid, "An escalation is answered with send_email_for_review.")
	default:
		value = patrol.MailOut{Thread: aThread, Message: "MSG-00000003", Via: "nowhere"}
	}
	raw, err := json.Marshal(value)
	return tool.Result{Value: raw}, err
}

// managed is an example's input for the case manager: what set it to work, what it is
// told beforehand, and what each tool comes back with.
type managed struct {
	Input   json.RawMessage            `json:"input"`
	Context json.RawMessage            `json:"context"`
	Returns map[string]json.RawMessage `json:"returns"`
}

// managedWant is what must come of it.
type managedWant struct {
	Tools   []string `json:"tools"`
	Status  string   `json:"status"`
	Outcome string   `json:"outcome"`
}

// manager plays the case manager against returns that the example gives. A return
// with an error stands for a failed call, or for a person's no.
func (p player) manager(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	a, err := p.agent("casemanager")
	if err != nil {
		return eval.Trace{}, err
	}
	in, err := read[managed](ex)
	if err != nil {
		return eval.Trace{}, err
	}
	problem := func(name string) string {
		var failed struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(in.Returns[name], &failed) != nil {
			return ""
		}
		return failed.Error
	}
	const no = " rejected this: "
	rehearsed := eval.Rehearse(a, in.Context, func(_ tool.Call, name string, _ json.RawMessage) (tool.Result, error) {
		if why := problem(name); why != "" {
			return tool.Result{}, dossier.Errorf(dossier.Invalid, "%s", why)
		}
		value, ok := in.Returns[name]
		if !ok {
			return tool.Result{}, errors.New("the example has no return of " + name)
		}
		return tool.Result{Value: value}, nil
	})
	eval.FailFirst(rehearsed, failing(ex)...)
	st := eval.Stage{App: "poolpatrol", Agents: []*agent.Agent{rehearsed}, Decide: func(ap dossier.Approval) dossier.Decision {
		if _, why, rejected := strings.Cut(problem(ap.Tool), no); rejected {
			return dossier.Decision{Verb: dossier.Reject, Note: why}
		}
		return dossier.Decision{Verb: dossier.Approve}
	}}
	return eval.PlayAgent(ctx, st, "casemanager", in.Input, who)
}
