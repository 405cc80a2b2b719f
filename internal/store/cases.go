package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/db"
	"dossier/internal/records"
)

const caseColumns = "id, app, subject, title, state, stage, outcome, opened, updated, closed, version"

func scanCase(r db.Row) (c dossier.Case, err error) {
	err = r.Scan(&c.ID, &c.App, &c.Subject, &c.Title, &c.State, &c.Stage, &c.Outcome,
		&c.Opened, &c.Updated, &c.Closed, &c.Version)
	return c, err
}

// OpenCase returns the live case of an app about a subject, or opens one. fresh says
// which.
func (s *Store) OpenCase(ctx context.Context, appID string, o app.Opening) (c dossier.Case, fresh bool, err error) {
	if appID == "" || o.Subject == "" {
		return c, false, dossier.Errorf(dossier.Invalid, "A case needs an app and a subject.")
	}
	if o.State == "" {
		o.State = dossier.Preliminary
	}
	if !o.State.Live() {
		return c, false, dossier.Errorf(dossier.Invalid, "A case cannot be opened as %s.", o.State)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		c, err = s.CaseOf(ctx, appID, o.Subject)
		if dossier.KindOf(err) != dossier.NotFound {
			return err
		}
		c, fresh, err = s.insertCase(ctx, appID, o)
		return err
	})
	return c, fresh, err
}

func (s *Store) insertCase(ctx context.Context, appID string, o app.Opening) (dossier.Case, bool, error) {
	now := s.now().UTC().Truncate(time.Microsecond)
	c := dossier.Case{
		ID: o.ID, App: appID, Subject: o.Subject, Title: o.Title, State: o.State, Stage: o.Stage,
		Opened: now, Updated: now, Version: 1,
	}
	for try := 0; ; try++ {
		if o.ID == "" {
			c.ID = dossier.CaseID(s.newID("CASE-"))
		}
		n, err := s.db.Exec(ctx, "INSERT INTO cases ("+caseColumns+`, entries, covered)
			VALUES ($1, $2, $3, $4, $5, $6, '', $7, $7, 0, 1, 0, 0) ON CONFLICT DO NOTHING`,
			c.ID, c.App, c.Subject, c.Title, c.State, c.Stage, now)
		if err != nil {
			return c, false, fmt.Errorf("open a case: %w", err)
		}
		if n == 1 {
			break
		}
		// Another process opened it a moment ago, or the id is taken.
		if live, err := s.CaseOf(ctx, appID, o.Subject); dossier.KindOf(err) != dossier.NotFound {
			return live, false, err
		}
		if o.ID != "" || try == 8 {
			return c, false, dossier.Errorf(dossier.Conflict, "There is a case %s already.", c.ID)
		}
	}
	if err := s.index(ctx, c.ID, inCase, wordsFor(c)); err != nil {
		return c, false, err
	}
	return c, true, s.publish(ctx, records.Event{
		At: now, App: c.App, Case: c.ID, Kind: records.CaseOpened, By: o.By.ID, Text: "Opened: " + c.Title + ".",
		Data: data(map[string]string{"subject": c.Subject, "state": string(c.State), "stage": c.Stage}),
	})
}

// Case returns a case.
func (s *Store) Case(ctx context.Context, id dossier.CaseID) (dossier.Case, error) {
	c, err := scanCase(s.db.QueryRow(ctx, "SELECT "+caseColumns+" FROM cases WHERE id = $1", id))
	return c, notFound(err, "case", id)
}

// CaseOf returns the live case of an app about a subject, or dossier.NotFound.
func (s *Store) CaseOf(ctx context.Context, appID, subject string) (dossier.Case, error) {
	c, err := scanCase(s.db.QueryRow(ctx, "SELECT "+caseColumns+` FROM cases
		WHERE app = $1 AND subject = $2 AND state IN ('preliminary', 'open', 'waiting')`, appID, subject))
	return c, notFound(err, "live case about", subject)
}

// MoveCase changes a case and writes the change to its timeline. A version other
// than 0 must be the stored one.
func (s *Store) MoveCase(ctx context.Context, id dossier.CaseID, version int, ch app.Change) (c dossier.Case, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		c, err = scanCase(s.db.QueryRow(ctx, "SELECT "+caseColumns+" FROM cases WHERE id = $1"+s.db.Dialect.ForUpdate, id))
		if err != nil {
			return notFound(err, "case", id)
		}
		if version != 0 && version != c.Version {
			return dossier.Errorf(dossier.Conflict, "Case %s has changed since you looked. Look again.", id)
		}
		before := c
		if err := apply(&c, ch, s.now()); err != nil {
			return err
		}
		_, err = s.db.Exec(ctx, `UPDATE cases SET title = $2, state = $3, stage = $4, outcome = $5, updated = $6,
			closed = $7, version = $8 WHERE id = $1`,
			c.ID, c.Title, c.State, c.Stage, c.Outcome, c.Updated, c.Closed, c.Version)
		if err != nil {
			return fmt.Errorf("move case %s: %w", id, err)
		}
		if err := s.reindex(ctx, before, c); err != nil {
			return err
		}
		if before.State == dossier.Preliminary && c.State != dossier.Preliminary && c.State != dossier.Cleared {
			seen, found, err := s.Facts(ctx, id)
			if err != nil {
				return err
			}
			if err := s.index(ctx, id, inFacts, wordsOf(said(seen, found)...)); err != nil {
				return err
			}
		}
		return s.publish(ctx, moved(before, c, ch))
	})
	return c, err
}

// apply changes c, or says why it may not be changed so.
func apply(c *dossier.Case, ch app.Change, now time.Time) error {
	next := c.State
	if ch.State != "" {
		next = ch.State
	}
	if !c.State.CanBecome(next) {
		if !c.State.Live() {
			return dossier.Errorf(dossier.Conflict, "Case %s is %s and cannot change.", c.ID, c.State)
		}
		return dossier.Errorf(dossier.Conflict, "Case %s is %s and cannot become %s.", c.ID, c.State, next)
	}
	c.State = next
	for _, f := range []struct {
		to   *string
		from string
	}{{&c.Stage, ch.Stage}, {&c.Outcome, ch.Outcome}, {&c.Title, ch.Title}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	c.Updated = now.UTC().Truncate(time.Microsecond)
	if !c.State.Live() {
		c.Closed = c.Updated
	}
	c.Version++
	return nil
}

// moved tells the timeline what changed.
func moved(before, c dossier.Case, ch app.Change) records.Event {
	var what []string
	if before.State != c.State {
		what = append(what, fmt.Sprintf("%s → %s", before.State, c.State))
	}
	if before.Stage != c.Stage {
		what = append(what, "stage "+c.Stage)
	}
	if before.Outcome != c.Outcome {
		what = append(what, "outcome "+c.Outcome)
	}
	if before.Title != c.Title {
		what = append(what, "title "+c.Title)
	}
	text := strings.Join(what, ", ")
	if ch.Note != "" {
		text = strings.TrimPrefix(text+": "+ch.Note, ": ")
	}
	if text == "" {
		text = "Looked at again."
	}
	return records.Event{
		At: c.Updated, App: c.App, Case: c.ID, Kind: records.CaseMoved, By: ch.By, Text: text,
		Data: data(map[string]string{
			"from": string(before.State), "state": string(c.State), "stage": c.Stage, "outcome": c.Outcome, "note": ch.Note,
		}),
	}
}

// shownStates are the states that a list holds unless others are asked for.
var shownStates = []dossier.State{dossier.Open, dossier.Waiting, dossier.Closed}

// Cases returns cases, newest opened first.
func (s *Store) Cases(ctx context.Context, q records.CaseQuery) ([]dossier.Case, error) {
	if len(q.States) == 0 {
		q.States = shownStates
	}
	w := where{}
	if !oneOf(&w, "app", q.Apps) {
		return nil, nil
	}
	oneOf(&w, "state", q.States)
	w.equal("stage", q.Stage)
	w.equal("subject", q.Subject)
	if !q.OpenedAfter.IsZero() {
		w.add("opened >= ?", q.OpenedAfter)
	}
	if !q.OpenedBefore.IsZero() {
		w.add("opened < ?", q.OpenedBefore)
	}
	w.after("opened", q.After)
	from, err := s.matching(ctx, &w, q.Text)
	if err != nil {
		return nil, err
	}
	query := "SELECT " + caseColumns + " FROM " + from + w.sql() + " ORDER BY opened DESC, id DESC" + w.limit(q.Limit)
	rows, err := s.db.Query(ctx, query, w.args...)
	return db.Collect(rows, err, scanCase)
}

// CaseCounts counts the cases of apps by state; nil apps are all.
func (s *Store) CaseCounts(ctx context.Context, apps []string) ([]records.CaseCount, error) {
	w := where{}
	if !oneOf(&w, "app", apps) {
		return nil, nil
	}
	rows, err := s.db.Query(ctx, "SELECT app, state, count(*) FROM cases"+w.sql()+
		" GROUP BY app, state ORDER BY app, state", w.args...)
	return db.Collect(rows, err, func(r db.Row) (c records.CaseCount, err error) {
		err = r.Scan(&c.App, &c.State, &c.Count)
		return c, err
	})
}
