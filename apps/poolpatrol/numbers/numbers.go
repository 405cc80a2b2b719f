// Package numbers counts what the programme is judged by: audits and the hours they
// save, how long cases take, and how often a cancellation turns out to be wrong.
//
// Every figure is computed from records when it is asked for; nothing is kept. The
// reversal table is also what an approver sees at the moment of deciding.
package numbers

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/internal/app"
)

// baselineHours is what the programme spent on audits before: two people over three
// months.
const baselineHours = 2 * 13 * 40

// Metrics are the numbers of the programme.
type Metrics struct {
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
	Latency    Spread        `json:"seconds_per_audit"` // machine time, waiting for people left out
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

// A ReversalTable says how often cancellations were undone, and proposals refused, by
// what led to them. It is shown to whoever decides about the next one.
type ReversalTable struct {
	All        Reversal   `json:"all"`
	ByRule     []Reversal `json:"by_rule"`
	ByModel    []Reversal `json:"by_model"`
	ByApprover []Reversal `json:"by_approver"`
}

// A Reversal counts decisions of one kind.
type Reversal struct {
	Name      string  `json:"name"`
	Proposed  int     `json:"proposed"` // cancellations a person was asked about and decided
	Rejected  int     `json:"rejected"`
	Cancelled int     `json:"cancelled"`
	Reversed  int     `json:"reversed"` // cancelled, and later undone
	Rate      float64 `json:"rate"`     // reversed over cancelled; 0 if none was cancelled
}

// A Source is where the figures come from.
type Source struct {
	Desk            app.Desk
	Book            casebook.Book
	MinutesPerAudit int     // what one audit takes by hand
	HourlyCost      float64 // of an auditor
}

// Metrics counts everything.
func (s Source) Metrics(ctx context.Context) (Metrics, error) {
	var m Metrics
	audits, err := s.Book.Audits(ctx)
	if err != nil {
		return m, err
	}
	cases, err := s.Desk.Cases(ctx, app.CaseFilter{Limit: 100_000})
	if err != nil {
		return m, err
	}
	m.countAudits(audits, s)
	m.countCases(cases)
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
	m.Weeks = []Week{}
	for _, w := range weeks {
		m.Weeks = append(m.Weeks, *w)
	}
	slices.SortFunc(m.Weeks, func(a, b Week) int { return cmp.Compare(a.Monday, b.Monday) })
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

func spread(v []float64) Spread {
	if len(v) == 0 {
		return Spread{}
	}
	slices.Sort(v)
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	at := func(q float64) float64 { return v[min(len(v)-1, int(q*float64(len(v))))] }
	return Spread{len(v), sum / float64(len(v)), at(0.5), at(0.9)}
}

// Reversals counts what became of proposals and cancellations.
func (s Source) Reversals(ctx context.Context) (ReversalTable, error) {
	cases, err := s.Desk.Cases(ctx, app.CaseFilter{Limit: 100_000})
	if err != nil {
		return ReversalTable{}, err
	}
	t := tally{rule: map[string]*Reversal{}, model: map[string]*Reversal{}, approver: map[string]*Reversal{}}
	for _, c := range cases {
		asked, err := s.Desk.Approvals(ctx, c.ID)
		if err != nil {
			return ReversalTable{}, err
		}
		for _, a := range asked {
			var in struct {
				FailedChecks []string `json:"failed_checks"`
			}
			if a.Tool != "cancel_membership" || len(a.Decisions) == 0 || json.Unmarshal(a.Args, &in) != nil {
				continue
			}
			by := a.Decisions[len(a.Decisions)-1].By.Name
			t.each(in.FailedChecks, "", by, func(r *Reversal) {
				r.Proposed++
				if a.Status == dossier.Rejected {
					r.Rejected++
				}
			})
		}
	}
	removed, err := s.Book.Removals(ctx)
	if err != nil {
		return ReversalTable{}, err
	}
	for _, rm := range removed {
		t.each(rm.Checks, rm.Model, rm.Approver, func(r *Reversal) {
			r.Cancelled++
			if !rm.Reversed.IsZero() {
				r.Reversed++
			}
		})
	}
	return t.table(), nil
}

// A tally counts reversals along three lines at once.
type tally struct {
	all                   Reversal
	rule, model, approver map[string]*Reversal
}

func (t *tally) each(checks []string, model, approver string, count func(*Reversal)) {
	count(&t.all)
	at := func(m map[string]*Reversal, name string) {
		if name == "" {
			return
		}
		if m[name] == nil {
			m[name] = &Reversal{Name: name}
		}
		count(m[name])
	}
	for _, c := range checks {
		at(t.rule, c)
	}
	at(t.model, model)
	at(t.approver, approver)
}

func (t *tally) table() ReversalTable {
	t.all.Name = "all"
	return ReversalTable{rated(&t.all), listed(t.rule), listed(t.model), listed(t.approver)}
}

func rated(r *Reversal) Reversal {
	if r.Cancelled > 0 {
		r.Rate = float64(r.Reversed) / float64(r.Cancelled)
	}
	return *r
}

func listed(m map[string]*Reversal) []Reversal {
	out := []Reversal{}
	for _, r := range m {
		out = append(out, rated(r))
	}
	slices.SortFunc(out, func(a, b Reversal) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
