package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/internal/canon"
	"dossier/internal/db"
	"dossier/internal/records"
)

const evidenceColumns = "id, case_id, seq, kind, system, locator, fetched, data, summary, step, at, supersedes, hash"

func scanEvidence(r db.Row) (e dossier.Evidence, err error) {
	err = r.Scan(&e.ID, &e.Case, &e.Seq, &e.Kind, &e.Source.System, &e.Source.Locator, &e.Source.Fetched,
		&e.Data, &e.Summary, &e.Step, &e.At, &e.Supersedes, &e.Hash)
	return e, err
}

const findingColumns = "id, case_id, name, subject, verdict, confidence, reason, figures, made_by, cites, step, at"

func scanFinding(r db.Row) (f dossier.Finding, err error) {
	var cites string
	err = r.Scan(&f.ID, &f.Case, &f.Check, &f.Subject, &f.Verdict, &f.Confidence, &f.Reason, &f.Figures,
		&f.By, &cites, &f.Step, &f.At)
	if err != nil {
		return f, err
	}
	return f, unlist(cites, &f.Cites)
}

// Facts returns a case's evidence chain and findings, each in order. Findings are read
// first: should the case grow meanwhile, what they cite is in the chain.
func (s *Store) Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error) {
	rows, err := s.db.Query(ctx, "SELECT "+findingColumns+" FROM findings WHERE case_id = $1 ORDER BY seq", id)
	found, err := db.Collect(rows, err, scanFinding)
	if err != nil {
		return nil, nil, fmt.Errorf("findings of %s: %w", id, err)
	}
	rows, err = s.db.Query(ctx, "SELECT "+evidenceColumns+" FROM evidence WHERE case_id = $1 ORDER BY seq", id)
	seen, err := db.Collect(rows, err, scanEvidence)
	if err != nil {
		return nil, nil, fmt.Errorf("evidence of %s: %w", id, err)
	}
	return seen, found, nil
}

// Evidence returns one entry of a chain.
func (s *Store) Evidence(ctx context.Context, id dossier.EvidenceID) (dossier.Evidence, error) {
	e, err := scanEvidence(s.db.QueryRow(ctx, "SELECT "+evidenceColumns+" FROM evidence WHERE id = $1", id))
	return e, notFound(err, "evidence", id)
}

// RecordFacts appends evidence to a case's chain and findings to the case, and
// returns both as they were stored. A finding that cites nothing is tied to this
// evidence. Approvals that rest on evidence which this replaces become void.
func (s *Store) RecordFacts(ctx context.Context, id dossier.CaseID, seen []dossier.Evidence, found []dossier.Finding) ([]dossier.Evidence, []dossier.Finding, error) {
	var l *chain
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if l, err = s.openChain(ctx, id, s.now(), len(seen)); err != nil {
			return err
		}
		if err := l.record(ctx, "", seen, found); err != nil {
			return err
		}
		if err := l.voidOutdated(ctx, nil); err != nil {
			return err
		}
		return s.publish(ctx, l.events...)
	})
	if err != nil {
		return nil, nil, err
	}
	return l.seen, l.found, nil
}

// A chain appends to one case's chain inside a transaction.
type chain struct {
	s     *Store
	id    dossier.CaseID
	app   string
	state dossier.State
	at    time.Time
	fresh bool              // nothing was seen of the case before
	prev  *dossier.Evidence // the end of the chain

	seen   []dossier.Evidence // appended
	found  []dossier.Finding
	events []records.Event
}

// openChain locks a case, makes room for n entries and finds the end of its chain.
func (s *Store) openChain(ctx context.Context, id dossier.CaseID, at time.Time, n int) (*chain, error) {
	l := &chain{s: s, id: id, at: at.UTC().Truncate(time.Microsecond)}
	var last dossier.Evidence
	err := s.db.QueryRow(ctx, `UPDATE cases SET updated = $2, entries = entries + $3 WHERE id = $1
		RETURNING app, state, entries - $3`, id, l.at, n).Scan(&l.app, &l.state, &last.Seq)
	if err != nil {
		return nil, notFound(err, "case", id)
	}
	l.fresh = last.Seq == 0
	if l.fresh || n == 0 {
		return l, nil
	}
	err = s.db.QueryRow(ctx, "SELECT hash FROM evidence WHERE case_id = $1 AND seq = $2", id, last.Seq).Scan(&last.Hash)
	if err != nil {
		return nil, fmt.Errorf("end of the chain of %s: %w", id, err)
	}
	l.prev = &last
	return l, nil
}

// record appends what one step, or nobody's step, saw and found.
func (l *chain) record(ctx context.Context, step dossier.StepID, seen []dossier.Evidence, found []dossier.Finding) error {
	first, firstFound := len(l.seen), len(l.found)
	var own []dossier.EvidenceID
	for _, e := range seen {
		e, err := l.append(step, e)
		if err != nil {
			return err
		}
		own = append(own, e.ID)
	}
	if err := l.insert(ctx, l.seen[first:]); err != nil {
		return err
	}
	for _, f := range found {
		if err := l.find(ctx, step, f, own); err != nil {
			return err
		}
	}
	if l.state == dossier.Preliminary {
		return nil // found by its facts once there is a case, see MoveCase
	}
	return l.s.index(ctx, l.id, inFacts, wordsOf(said(l.seen[first:], l.found[firstFound:])...))
}

// said is what people read of facts, for finding the case by it.
func said(seen []dossier.Evidence, found []dossier.Finding) []string {
	var out []string
	for _, e := range seen {
		out = append(out, e.Summary)
	}
	for _, f := range found {
		out = append(out, f.Subject, f.Reason)
	}
	return out
}

// append seals an entry and puts it at the end of the chain; insert writes it.
func (l *chain) append(step dossier.StepID, e dossier.Evidence) (dossier.Evidence, error) {
	if e.ID == "" {
		e.ID = dossier.EvidenceID(l.s.newID("ev-"))
	}
	if e.Step == "" {
		e.Step = step
	}
	if e.At.IsZero() {
		e.At = l.at
	}
	if e.Source.Fetched.IsZero() {
		e.Source.Fetched = e.At
	}
	e.Case = l.id
	e.Summary, e.Source.Locator = canon.Text(e.Summary), canon.Text(e.Source.Locator)
	if err := e.Validate(); err != nil {
		return e, err
	}
	raw, err := canon.JSON(e.Data)
	if err != nil {
		return e, err
	}
	e.Data = raw
	e.Seal(l.prev)
	l.prev = &e
	l.seen = append(l.seen, e)
	l.events = append(l.events, records.Event{
		At: l.at, App: l.app, Case: l.id, Kind: records.EvidenceRecorded, By: e.Source.System, Text: orKind(e.Summary, e.Kind),
		Data: data(map[string]string{"evidence": string(e.ID), "kind": e.Kind}),
	})
	return e, nil
}

// insert writes entries, a few at a time.
func (l *chain) insert(ctx context.Context, es []dossier.Evidence) error {
	for few := range slices.Chunk(es, 16) {
		args := make([]any, 0, 13*len(few))
		for _, e := range few {
			args = append(args, e.ID, e.Case, e.Seq, e.Kind, e.Source.System, e.Source.Locator, e.Source.Fetched, e.Data, e.Summary,
				e.Step, e.At, e.Supersedes, e.Hash)
		}
		_, err := l.s.db.Exec(ctx, "INSERT INTO evidence ("+evidenceColumns+") VALUES "+db.Lines(len(few), 13), args...)
		if err != nil {
			return fmt.Errorf("append evidence to %s: %w", l.id, err)
		}
	}
	return nil
}

func (l *chain) find(ctx context.Context, step dossier.StepID, f dossier.Finding, own []dossier.EvidenceID) error {
	if f.ID == "" {
		f.ID = dossier.FindingID(l.s.newID("fi-"))
	}
	if f.Step == "" {
		f.Step = step
	}
	if f.At.IsZero() {
		f.At = l.at
	}
	if len(f.Cites) == 0 {
		f.Cites = own
	}
	f.Case = l.id
	f.Subject, f.Reason = canon.Text(f.Subject), canon.Text(f.Reason)
	f.At = f.At.UTC().Truncate(time.Microsecond)
	if err := f.Validate(); err != nil {
		return err
	}
	if err := l.known(ctx, f); err != nil {
		return err
	}
	_, err := l.s.db.Exec(ctx, "INSERT INTO findings ("+findingColumns+`, seq)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
			(SELECT COALESCE(max(seq), 0) + 1 FROM findings WHERE case_id = $2))`,
		f.ID, f.Case, f.Check, f.Subject, f.Verdict, f.Confidence, f.Reason, f.Figures, f.By, list(f.Cites),
		f.Step, f.At)
	if err != nil {
		return fmt.Errorf("record a finding of %s: %w", l.id, err)
	}
	l.found = append(l.found, f)
	l.events = append(l.events, records.Event{
		At: l.at, App: l.app, Case: l.id, Kind: records.FindingMade, By: f.By,
		Text: fmt.Sprintf("%s: %s. %s", f.Check, f.Verdict, f.Reason),
		Data: data(map[string]string{"finding": string(f.ID), "check": f.Check, "subject": f.Subject, "verdict": string(f.Verdict)}),
	})
	return nil
}

// known refuses a finding that cites what the case does not hold.
func (l *chain) known(ctx context.Context, f dossier.Finding) error {
	for _, id := range f.Cites {
		if slices.ContainsFunc(l.seen, func(e dossier.Evidence) bool { return e.ID == id }) {
			continue
		}
		var n int
		err := l.s.db.QueryRow(ctx, "SELECT count(*) FROM evidence WHERE id = $1 AND case_id = $2", id, l.id).Scan(&n)
		if err != nil {
			return fmt.Errorf("evidence %s: %w", id, err)
		}
		if n == 0 {
			return dossier.Errorf(dossier.Invalid, "The finding on %s cites %s, which is not evidence of case %s.", f.Check, id, l.id)
		}
	}
	return nil
}

func orKind(summary, kind string) string {
	if summary == "" {
		return "Recorded " + kind + "."
	}
	return summary
}
