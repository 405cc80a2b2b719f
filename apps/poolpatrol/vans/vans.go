// Package vans lists the vanpools of a programme for the people who run it.
//
// A programme may have a hundred thousand of them, so that a list is read page by page
// and nothing is looked up but what the page shows: [Source.List] finds the vans by
// text, or those with an open case, and adds to each how many ride in it, where its
// case stands and what the newest audit said.
package vans

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app"
)

// A Line is one van of the list.
type Line struct {
	Vanpool string        `json:"vanpool_id"`
	Name    string        `json:"name"`
	Place   string        `json:"pickup_name"`
	Riders  int           `json:"riders"`
	Status  patrol.Status `json:"status" doc:"Of its open case; empty if there is none"`
	Case    string        `json:"case_id" doc:"Its open case; empty if there is none"`
	Audited time.Time     `json:"audited_at,omitzero"`
	Last    string        `json:"last_result" doc:"Of the newest audit: verified or a status"`
}

// A Query picks vans. Zero fields pick all.
type Query struct {
	Text    string // stands in the id, the name or the pickup place
	Flagged bool   // only those with an open case
	After   string // the last van of the page before
	Limit   int
}

// A Source is where vans are found.
type Source struct {
	Roster roster.Rows
	Book   casebook.Book
	Desk   app.Desk
}

// List returns a page of vans, by id.
func (s Source) List(ctx context.Context, q Query) ([]Line, error) {
	find := s.find
	if q.Flagged {
		find = s.findFlagged
	}
	page, err := find(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(page))
	for i, v := range page {
		ids[i] = v.ID
	}
	riders, err := s.Roster.Counts(ctx, ids)
	if err != nil {
		return nil, err
	}
	audits, err := s.Book.LastAudits(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Line, len(page))
	for i, v := range page {
		out[i] = Line{Vanpool: v.ID, Name: v.Name, Place: v.Place, Riders: riders[v.ID]}
		if err := s.stand(ctx, &out[i], audits[v.ID]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s Source) find(ctx context.Context, q Query) ([]roster.Vanpool, error) {
	return s.Roster.Find(ctx, q.Text, q.After, q.Limit)
}

// mostCases is how many open cases are looked through for flagged vans.
const mostCases = 1_000_000

// findFlagged returns the vans of a query that have an open case.
func (s Source) findFlagged(ctx context.Context, q Query) ([]roster.Vanpool, error) {
	open, err := s.Desk.Cases(ctx, app.CaseFilter{States: []dossier.State{dossier.Open, dossier.Waiting}, Limit: mostCases})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range open {
		if id, ok := strings.CutPrefix(c.Subject, patrol.Subject("")); ok && id > q.After {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	text := strings.ToLower(q.Text)
	var out []roster.Vanpool
	for some := range slices.Chunk(ids, 500) {
		vans, err := s.Roster.Named(ctx, some)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(vans, func(a, b roster.Vanpool) int { return strings.Compare(a.ID, b.ID) })
		for _, v := range vans {
			if !strings.Contains(strings.ToLower(v.ID+"\n"+v.Name+"\n"+v.Place), text) {
				continue
			}
			if out = append(out, v); len(out) == q.Limit {
				return out, nil
			}
		}
	}
	return out, nil
}

// stand adds where the van's case stands and what the newest audit came to, which a
// person may have decided since.
func (s Source) stand(ctx context.Context, l *Line, last casebook.Audit) error {
	l.Audited, l.Last = last.At, last.Status
	open, err := s.Desk.CaseOf(ctx, patrol.Subject(l.Vanpool))
	switch {
	case err == nil && open.State != dossier.Preliminary:
		l.Case, l.Status = string(open.ID), patrol.StatusOf(open)
	case err != nil && !errors.Is(err, dossier.NotFound):
		return err
	}
	switch {
	case last.Case == "" || last.Status == "verified":
		return nil
	case string(last.Case) == l.Case:
		l.Last = string(l.Status)
		return nil
	}
	c, err := s.Desk.Case(ctx, last.Case)
	if err == nil && c.State != dossier.Preliminary {
		l.Last = string(patrol.StatusOf(c))
	}
	return err
}
