package poolpatrol

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/outbox"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/apps/poolpatrol/why"
	"dossier/internal/app"
)

// A server puts HTTP and the command line around the patrol.
type server struct {
	env     app.Env
	patrol  *patrol.Patrol
	numbers numbers.Source
	outbox  outbox.Source
	why     why.Answerer
}

func newServer(env app.Env, p *patrol.Patrol) *server {
	return &server{env: env, patrol: p, numbers: numbers.Source{
		Desk: env.Desk, Book: p.Book, Roster: p.Roster, MinutesPerAudit: p.Config.MinutesPerAudit, HourlyCost: p.Config.HourlyCost,
	}, outbox: outbox.Source{DB: env.DB, Desk: env.Desk}, why: why.Answerer{Desk: env.Desk, Book: p.Book}}
}

func (s *server) vanIDs(ctx context.Context) ([]string, error) {
	vans, err := s.patrol.Roster.Vanpools(ctx)
	out := make([]string, len(vans))
	for i, v := range vans {
		out[i] = v.ID
	}
	return out, err
}

// A caseView is a case in the programme's own words. While it is open, its outcome and
// when it was resolved are null.
type caseView struct {
	ID       uint64        `json:"id" doc:"The digits of case_id as a number"`
	Case     string        `json:"case_id"`
	Vanpool  string        `json:"vanpool_id"`
	Status   patrol.Status `json:"status"`
	Meta     meta          `json:"meta"`
	Outcome  *string       `json:"outcome"`
	Resolved *time.Time    `json:"resolved_at"`
	Created  time.Time     `json:"created_at"`
	Updated  time.Time     `json:"updated_at"`
}

type meta struct {
	Reason       string   `json:"reason"`
	Details      string   `json:"details"`
	FailedChecks []string `json:"failed_checks"`
	OpenedBy     string   `json:"opened_by"`
	UpdatedBy    string   `json:"updated_by"`
	Reaudits     int      `json:"re_audits"`
}

func viewOf(c dossier.Case, f casebook.File) caseView {
	v := caseView{
		Case: string(c.ID), Vanpool: strings.TrimPrefix(c.Subject, "vanpool/"), Status: patrol.StatusOf(c),
		Meta:    meta{f.Reason, f.Details, append([]string{}, f.FailedChecks...), f.OpenedBy, f.UpdatedBy, f.Reaudits},
		Created: c.Opened, Updated: c.Updated,
	}
	v.ID, _ = strconv.ParseUint(strings.TrimPrefix(v.Case, "CASE-"), 16, 64)
	if !c.State.Live() {
		v.Outcome, v.Resolved = &c.Outcome, &c.Closed
	}
	return v
}

func (s *server) caseRow(ctx context.Context, id dossier.CaseID) (caseView, error) {
	c, err := s.env.Desk.Case(ctx, id)
	if err != nil {
		return caseView{}, err
	}
	f, err := s.patrol.Book.File(ctx, id)
	if err != nil && !errors.Is(err, dossier.NotFound) {
		return caseView{}, err
	}
	return viewOf(c, f), nil
}

// caseRows lists cases, newest first.
func (s *server) caseRows(ctx context.Context, closed bool) ([]caseView, error) {
	cases, err := s.env.Desk.Cases(ctx, app.CaseFilter{Limit: 10_000})
	if err != nil {
		return nil, err
	}
	files, err := s.patrol.Book.Files(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[dossier.CaseID]casebook.File{}
	for _, f := range files {
		byID[f.Case] = f
	}
	out := []caseView{}
	for _, c := range cases {
		if c.State.Live() || closed {
			out = append(out, viewOf(c, byID[c.ID]))
		}
	}
	return out, nil
}

// A riderView is a rider on a van's page. Homes are rounded, as everywhere outside the
// roster.
type riderView struct {
	Employee string        `json:"employee_id"`
	Name     string        `json:"name"`
	ZIP      string        `json:"home_zip"`
	Home     *engine.Place `json:"home,omitempty"`
	ByZIP    bool          `json:"home_by_zip"` // home is the middle of the ZIP code
	Shift    string        `json:"shift_name"`
	Pattern  string        `json:"pattern"`
	Schedule string        `json:"schedule"`
	Week     []stretch     `json:"week"`
	PTO      []roster.Span `json:"pto"`
	Failed   []string      `json:"failed_checks"`
}

// A stretch is work in minutes since the Monday of the week, on the clock of the shift.
type stretch struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

type vanPage struct {
	Vanpool string             `json:"vanpool_id"`
	Name    string             `json:"name"`
	Place   string             `json:"pickup_name"`
	Pickup  engine.Place       `json:"pickup"`
	Miles   float64            `json:"max_miles"`
	Monday  string             `json:"monday"`
	Riders  []riderView        `json:"riders"`
	Removed []casebook.Removal `json:"cancelled"` // memberships whose cancellation stands
	Case    *caseView          `json:"case,omitempty"`
	History []caseView         `json:"history"`
}

// van returns everything a van's page shows.
func (s *server) van(ctx context.Context, id string) (vanPage, error) {
	v, err := s.patrol.Roster.Van(ctx, id)
	if err != nil {
		return vanPage{}, err
	}
	monday := roster.DayOf(s.env.Now()).Monday()
	out := vanPage{
		Vanpool: v.ID, Name: v.Name, Place: v.Place, Pickup: engine.PlaceOf(v.Pickup), Miles: s.patrol.Config.MaxMiles,
		Monday: monday.String(), Riders: []riderView{}, History: []caseView{},
	}
	if out.Removed, err = s.cancelled(ctx, v.ID); err != nil {
		return vanPage{}, err
	}
	failed := map[string][]string{}
	cases, err := s.env.Desk.Cases(ctx, app.CaseFilter{Subject: patrol.Subject(v.ID), Limit: 100})
	if err != nil {
		return vanPage{}, err
	}
	for _, c := range cases {
		row, err := s.caseRow(ctx, c.ID)
		if err != nil {
			return vanPage{}, err
		}
		if !c.State.Live() {
			out.History = append(out.History, row)
			continue
		}
		out.Case = &row
		_, found, err := s.env.Desk.Facts(ctx, c.ID)
		if err != nil {
			return vanPage{}, err
		}
		failed = verify.Affected(found)
	}
	for _, e := range v.Riders {
		r, err := riderOf(e, v.Shifts[e.Shift], monday)
		if err != nil {
			return vanPage{}, err
		}
		if r.Home == nil && e.ZIP != "" {
			at, err := s.patrol.Roster.Centroid(ctx, e.ZIP)
			if err != nil && !errors.Is(err, dossier.NotFound) {
				return vanPage{}, err
			}
			if err == nil {
				place := engine.PlaceOf(roster.Coarse(at))
				r.Home, r.ByZIP = &place, true
			}
		}
		r.Failed = append([]string{}, failed[e.ID]...)
		out.Riders = append(out.Riders, r)
	}
	return out, nil
}

func riderOf(e roster.Employee, sh roster.Shift, monday roster.Day) (riderView, error) {
	r := riderView{
		Employee: e.ID, Name: e.Name, ZIP: e.ZIP, Shift: sh.Name, Schedule: sh.Schedule,
		Week: []stretch{}, PTO: append([]roster.Span{}, e.PTO...),
	}
	if e.Home != nil {
		at := engine.PlaceOf(roster.Coarse(*e.Home))
		r.Home = &at
	}
	if sh.ID == "" {
		return r, nil
	}
	r.Pattern = string(sh.Pattern())
	local := sh
	local.Zone = "UTC"                       // the week is drawn on the shift's own clock
	days, err := local.Workdays(monday-1, 8) // the night before Monday reaches into the week
	if err != nil {
		return r, err
	}
	start, end := int64(monday)*24*60, int64(monday+7)*24*60
	for _, d := range days {
		if roster.Away(e.PTO, d.Day) {
			continue
		}
		for _, w := range d.Worked {
			if w.To > start && w.From < end {
				r.Week = append(r.Week, stretch{w.From - start, w.To - start})
			}
		}
	}
	return r, nil
}
