package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/records"
)

// maxEvents is how many events one transaction may write: the space between the ids
// of two transactions.
const maxEvents = 1 << 20

const eventColumns = "id, at, app, case_id, run_id, approval_id, kind, actor, body, data"

// publish writes events in the transaction that ctx carries.
func (s *Store) publish(ctx context.Context, es ...records.Event) error {
	if len(es) == 0 {
		return nil
	}
	first := s.db.NextEvents(ctx, len(es))
	if first+len(es) > maxEvents {
		return fmt.Errorf("more than %d events in one transaction", maxEvents)
	}
	for len(es) > 0 {
		n := min(len(es), 50)
		if err := s.insertEvents(ctx, first, es[:n]); err != nil {
			return err
		}
		es, first = es[n:], first+n
	}
	s.db.AtEnd(ctx, func(committed bool) {
		if committed {
			s.announce()
		}
	})
	return nil
}

func (s *Store) insertEvents(ctx context.Context, first int, es []records.Event) error {
	const k = 9
	var b strings.Builder
	b.WriteString("INSERT INTO events (" + eventColumns + ") VALUES ")
	args := make([]any, 0, len(es)*(k+1))
	n := 0
	place := func(v any) {
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		args = append(args, v)
	}
	for i, e := range es {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		b.WriteString(s.db.Dialect.EventID)
		if s.db.Dialect.Name == "postgres" {
			place(int64(first + i))
		}
		for _, v := range [k]any{e.At, e.App, e.Case, e.Run, e.Approval, e.Kind, e.By, e.Text, e.Data} {
			b.WriteByte(',')
			place(v)
		}
		b.WriteByte(')')
	}
	if _, err := s.db.Exec(ctx, b.String(), args...); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

// Publish writes an event of an app, or of a part of the product, to the timeline.
func (s *Store) Publish(ctx context.Context, e records.Event) error {
	if e.Kind == "" || e.Text == "" {
		return dossier.Errorf(dossier.Invalid, "An event needs a kind and a sentence.")
	}
	if e.At.IsZero() {
		e.At = s.now()
	}
	return s.db.InTx(ctx, func(ctx context.Context) error { return s.publish(ctx, e) })
}

// Changed returns a channel that is closed when this process next writes an event.
// Events that other processes write do not show here: look now and then as well.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *Store) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Events returns up to limit events after seq, oldest first. An event with a lower
// Seq than one already returned never appears later.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]records.Event, error) {
	below, err := s.db.EventLimit(ctx)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	rows, err := s.db.Query(ctx, "SELECT "+eventColumns+" FROM events WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3",
		after, below, limit)
	return db.Collect(rows, err, scanEvent)
}

// LastEvent returns the highest Seq that Events would return, and 0 if there is none.
func (s *Store) LastEvent(ctx context.Context) (n int64, err error) {
	below, err := s.db.EventLimit(ctx)
	if err != nil {
		return 0, fmt.Errorf("events: %w", err)
	}
	err = s.db.QueryRow(ctx, "SELECT COALESCE(max(id), 0) FROM events WHERE id < $1", below).Scan(&n)
	return n, err
}

// Timeline returns up to limit events of a case after seq, oldest first. It holds
// everything that has happened; to follow a case without missing anything, read
// Events.
func (s *Store) Timeline(ctx context.Context, id dossier.CaseID, after int64, limit int) ([]records.Event, error) {
	rows, err := s.db.Query(ctx, "SELECT "+eventColumns+` FROM events
		WHERE case_id = $1 AND case_id <> '' AND id > $2 ORDER BY id LIMIT $3`, id, after, limit)
	return db.Collect(rows, err, scanEvent)
}

func scanEvent(r db.Row) (e records.Event, err error) {
	err = r.Scan(&e.Seq, &e.At, &e.App, &e.Case, &e.Run, &e.Approval, &e.Kind, &e.By, &e.Text, &e.Data)
	return e, err
}

// raiseEventBase makes sure that new events come after all stored ones, also where
// the rows were brought from a cluster with higher transaction numbers.
func (s *Store) raiseEventBase(ctx context.Context) error {
	if s.db.Dialect.Name != "postgres" {
		return nil
	}
	_, err := s.db.Exec(ctx, `UPDATE event_base SET base = base + (SELECT max(id) FROM events) + 1048576
		- (`+s.db.Dialect.EventID+`0) WHERE (SELECT COALESCE(max(id), 0) FROM events) >= `+s.db.Dialect.EventID+`0`)
	return err
}

// data encodes what an event carries beside its sentence.
func data(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode event data: %v", err)) // plain structs only
	}
	return raw
}
