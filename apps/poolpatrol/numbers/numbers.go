// Package numbers counts what the programme is judged by: audits and the hours they
// save, how long cases take and what they cost, and how often a cancellation turns out
// to be wrong.
//
// Every figure is computed from records when it is asked for; nothing is kept, and what
// a large fleet has millions of is counted in the database. The reversal table is also
// what an approver sees at the moment of deciding.
package numbers

import (
	"context"
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

	Cases      int             `json:"cases"`
	Open       int             `json:"cases_open"`
	Resolved   int             `json:"cases_resolved"`
	Cancelled  int             `json:"cases_cancelled"`
	Resolution Spread          `json:"hours_to_resolution"`
	Latency    Spread          `json:"seconds_per_audit"` // until it is done or waits for somebody
	CaseTime   Spread          `json:"seconds_per_case"`  // of models and tools, waiting left out
	CaseCost   Spread          `json:"cost_per_case"`     // of models, in the currency of the price table
	AuditCost  float64         `json:"cost_per_audit"`    // mean, vans that were verified counted in
	Cost       float64         `json:"cost_total"`
	Tokens     int             `json:"tokens_total"`
	Weeks      []casebook.Week `json:"weeks"`
	Reversals  ReversalTable   `json:"reversals"`
}

// A Spread is how a figure is spread over cases. All zero if there are none.
type Spread struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
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
	totals, err := s.Book.Totals(ctx)
	if err != nil {
		return m, err
	}
	m.countAudits(totals, s)
	if m.Latency, err = s.latency(ctx, m.Audits, totals.Took); err != nil {
		return m, err
	}
	all, err := s.Desk.Spent(ctx, "")
	if err != nil {
		return m, err
	}
	cases, err := s.Desk.Cases(ctx, app.CaseFilter{Limit: 1_000_000})
	if err != nil {
		return m, err
	}
	spent, err := s.Desk.SpentByCase(ctx)
	if err != nil {
		return m, err
	}
	m.countCases(cases)
	m.countSpent(all, cases, spent)
	m.Reversals, err = s.Reversals(ctx)
	return m, err
}

func (m *Metrics) countAudits(t casebook.Totals, s Source) {
	for _, w := range t.Weeks {
		m.Audits += w.Audits
		m.Cleared += w.Audits - w.Flagged
	}
	m.Vans = t.Vans
	m.HoursSaved = float64(m.Audits*s.MinutesPerAudit) / 60
	m.BaselinePart = m.HoursSaved / baselineHours
	m.CostSaved = m.HoursSaved * s.HourlyCost
	m.Weeks = filled(t.Weeks)
}

// latency returns how the durations of n audits, that took so long together, are spread.
func (s Source) latency(ctx context.Context, n int, together time.Duration) (Spread, error) {
	if n == 0 {
		return Spread{}, nil
	}
	out := Spread{N: n, Mean: together.Seconds() / float64(n)}
	var at [3]float64
	for i, place := range places(n) {
		took, err := s.Book.TookAt(ctx, place)
		if err != nil {
			return out, err
		}
		at[i] = took.Seconds()
	}
	out.Median, out.P90 = (at[0]+at[1])/2, at[2]
	return out, nil
}

// filled returns the weeks from the first to the last, those without an audit too: a
// trend must not close up over them.
func filled(weeks []casebook.Week) []casebook.Week {
	out := []casebook.Week{}
	for _, w := range weeks {
		for len(out) > 0 {
			last, err := time.Parse(time.DateOnly, out[len(out)-1].Monday)
			next := last.AddDate(0, 0, 7).Format(time.DateOnly)
			if err != nil || next >= w.Monday {
				break
			}
			out = append(out, casebook.Week{Monday: next})
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

// countSpent says what models and tools took: all of them, and for each case that was
// opened.
func (m *Metrics) countSpent(all dossier.Expense, cases []dossier.Case, spent map[dossier.CaseID]dossier.Expense) {
	m.Cost, m.Tokens = all.Cost, all.TokensIn+all.TokensOut
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
	at := places(n)
	return Spread{n, sum / float64(n), (v[at[0]] + v[at[1]]) / 2, v[at[2]]}
}

// places returns where, of n ordered figures, the two in the middle stand and the first
// that nine in ten do not exceed.
func places(n int) [3]int { return [3]int{(n - 1) / 2, n / 2, min(n-1, (9*n+9)/10-1)} }
