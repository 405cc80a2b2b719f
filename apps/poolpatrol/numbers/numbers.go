// Package numbers counts what the programme is judged by: audits and the hours they
// save, how long cases take and what they cost, and how often a cancellation turns out
// to be wrong.
//
// Every figure is computed from records when it is asked for; nothing is kept. The
// reversal table is also what an approver sees at the moment of deciding.
package numbers

import (
	"context"
	"maps"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app"
)

// baselineHours is what the programme spent on audits before: two people over three
// months.
const baselineHours = 2 * 13 * 40

// Metrics are the numbers of the programme.
type Metrics struct {
	Fleet        int     `json:"vans"`
	Audits       int     `json:"audits"`
	Vans         int     `json:"vans_audited"`
	Cleared      int     `json:"vans_verified"` // looks that left no case
	HoursSaved   float64 `json:"audit_hours_saved"`
	BaselinePart float64 `json:"part_of_baseline"` // hours saved over those of two people in three months
	CostSaved    float64 `json:"cost_saved"`

	Cases      int           `json:"cases"`
	Open       int           `json:"cases_open"`
	Resolved   int           `json:"cases_resolved"`
	Cancelled  int           `json:"cases_cancelled"`
	Resolution Spread        `json:"hours_to_resolution"`
	Latency    Spread        `json:"seconds_per_audit"` // until it is done or waits for somebody
	CaseTime   Spread        `json:"seconds_per_case"`  // of models and tools, waiting left out
	CaseCost   Spread        `json:"cost_per_case"`     // of models, in the currency of the price table
	AuditCost  float64       `json:"cost_per_audit"`    // mean, vans that were verified counted in
	Cost       float64       `json:"cost_total"`
	Tokens     int           `json:"tokens_total"`
	Weeks      []Week        `json:"weeks"`
	Reversals  ReversalTable `json:"reversals"`
}

// A Spread is how a figure is spread over cases. All zero if there are none.
type Spread struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
}

// A Week is one week of audits, by its Monday.
type Week struct {
	Monday  string `json:"monday"`
	Audits  int    `json:"audits"`
	Flagged int    `json:"flagged"` // audits that did not end as verified
}

// A Source is where the figures come from.
type Source struct {
	Desk            app.Desk
	Book            casebook.Book
	Roster          roster.Rows
	MinutesPerAudit int     // what one audit takes by hand
	HourlyCost      float64 // of whoever audits by hand
}

// Metrics counts everything.
func (s Source) Metrics(ctx context.Context) (Metrics, error) {
	var m Metrics
	var err error
	if m.Fleet, err = s.Roster.Count(ctx); err != nil {
		return m, err
	}
	audits, err := s.Book.Audits(ctx)
	if err != nil {
		return m, err
	}
	cases, err := s.Desk.Cases(ctx, app.CaseFilter{Limit: 1_000_000})
	if err != nil {
		return m, err
	}
	spent, err := s.Desk.Spent(ctx, "")
	if err != nil {
		return m, err
	}
	m.countAudits(audits, s)
	m.countCases(cases)
	m.countSpent(cases, spent)
	m.Reversals, err = s.Reversals(ctx)
	return m, err
}

func (m *Metrics) countAudits(audits []casebook.Audit, s Source) {
	vans := map[string]bool{}
	weeks := map[string]*Week{}
	var seconds []float64
	for _, a := range audits {
		m.Audits++
		vans[a.Vanpool] = true
		monday := a.At.AddDate(0, 0, -(int(a.At.Weekday())+6)%7).Format(time.DateOnly)
		w := weeks[monday]
		if w == nil {
			w = &Week{Monday: monday}
			weeks[monday] = w
		}
		w.Audits++
		if a.Status == "verified" {
			m.Cleared++
		} else {
			w.Flagged++
		}
		seconds = append(seconds, a.Took.Seconds())
	}
	m.Vans = len(vans)
	m.HoursSaved = float64(m.Audits*s.MinutesPerAudit) / 60
	m.BaselinePart = m.HoursSaved / baselineHours
	m.CostSaved = m.HoursSaved * s.HourlyCost
	m.Latency = spread(seconds)
	m.Weeks = filled(weeks)
}

// filled returns the weeks from the first to the last, those without an audit too: a
// trend must not close up over them.
func filled(weeks map[string]*Week) []Week {
	out := []Week{}
	mondays := slices.Sorted(maps.Keys(weeks))
	if len(mondays) == 0 {
		return out
	}
	day, err := time.Parse(time.DateOnly, mondays[0])
	for ; err == nil && len(weeks) > 0; day = day.AddDate(0, 0, 7) {
		w := Week{Monday: day.Format(time.DateOnly)}
		if known := weeks[w.Monday]; known != nil {
			w = *known
			delete(weeks, w.Monday)
		}
		out = append(out, w)
	}
	return out
}

func (m *Metrics) countCases(cases []dossier.Case) {
	var hours []float64
	for _, c := range cases {
		m.Cases++
		switch {
		case c.State.Live():
			m.Open++
			continue
		case c.Outcome == "cancelled":
			m.Cancelled++
		default:
			m.Resolved++
		}
		hours = append(hours, c.Closed.Sub(c.Opened).Hours())
	}
	m.Resolution = spread(hours)
}

// countSpent sums up what models and tools took: over everything, and for each case
// that was opened.
func (m *Metrics) countSpent(cases []dossier.Case, spent map[dossier.CaseID]dossier.Expense) {
	for _, x := range spent {
		m.Cost += x.Cost
		m.Tokens += x.TokensIn + x.TokensOut
	}
	if m.Audits > 0 {
		m.AuditCost = m.Cost / float64(m.Audits)
	}
	var seconds, cost []float64
	for _, c := range cases {
		seconds = append(seconds, spent[c.ID].BusyMs/1000)
		cost = append(cost, spent[c.ID].Cost)
	}
	m.CaseTime, m.CaseCost = spread(seconds), spread(cost)
}

func spread(v []float64) Spread {
	if len(v) == 0 {
		return Spread{}
	}
	slices.Sort(v)
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	n := len(v)
	p90 := v[min(n-1, (9*n+9)/10-1)] // the first that nine in ten do not exceed
	return Spread{n, sum / float64(n), (v[(n-1)/2] + v[n/2]) / 2, p90}
}
