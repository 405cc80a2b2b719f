package agent

import (
	"context"
	"time"

	"dossier"
)

// patience is how long a step of a driven run stays unwritten at most.
const patience = 100 * time.Millisecond

// record writes a move, with the steps that were held back before it, and follows it
// in memory once it is written.
func (m *mover) record(ctx context.Context, mv Move, entries ...Entry) error {
	m.place(entries)
	mv.Run, mv.Case, mv.At, mv.Drives, mv.Driven = m.run.ID, m.run.Case, m.Now(), m.drives, m.driven
	mv.Entries = append(m.held, entries...)
	if err := m.Log.Record(ctx, mv); err != nil {
		return err
	}
	m.held, m.called = nil, mv.Children
	if mv.Status.Ended() {
		m.run.Ended = mv.At
	}
	m.run.Status, m.run.Answer, m.run.Failure = mv.Status, mv.Answer, mv.Failure
	return m.follow(entries)
}

// hold records steps that could be taken once more: the brief, a turn of the reference
// policy, what reads returned. Whoever drives a run holds them back and writes them
// with the next move, so that a short run is few transactions; should the process die,
// they are taken again. Nothing that looks at the case or changes anything runs while
// facts are held back, and nothing is held back for long.
func (m *mover) hold(ctx context.Context, entries ...Entry) error {
	if !m.drives || len(m.held) > 0 && m.Now().Sub(m.held[0].Step.At) > patience {
		return m.record(ctx, Move{Status: dossier.Ready}, entries...)
	}
	m.place(entries)
	m.held = append(m.held, entries...)
	m.run.Status, m.run.Answer, m.run.Failure = dossier.Ready, nil, ""
	return m.follow(entries)
}

// flush writes what is held back.
func (m *mover) flush(ctx context.Context) error {
	if len(m.held) == 0 {
		return nil
	}
	return m.record(ctx, Move{Status: dossier.Ready})
}

// flushFacts writes what is held back if there are facts in it: what comes next may
// look for them.
func (m *mover) flushFacts(ctx context.Context) error {
	for _, e := range m.held {
		if len(e.Seen)+len(e.Found) > 0 {
			return m.flush(ctx)
		}
	}
	return nil
}

// await waits until done is closed, and writes what is held back if that takes long,
// so that people see what the run is at.
func (m *mover) await(ctx context.Context, done <-chan struct{}) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
	}
	err := m.flush(ctx)
	<-done
	return err
}

// place gives entries their places in the run and dates what they saw and found.
func (m *mover) place(entries []Entry) {
	for i := range entries {
		s := &entries[i].Step
		s.Seq = m.tr.seq + i + 1
		s.ID = StepID(m.run.ID, s.Seq)
		for j := range entries[i].Seen {
			e := &entries[i].Seen[j]
			e.Case, e.Step = m.run.Case, s.ID
			if e.At.IsZero() {
				e.At = s.At
			}
			if e.Source.Fetched.IsZero() {
				e.Source.Fetched = s.At
			}
		}
		for j := range entries[i].Found {
			f := &entries[i].Found[j]
			f.Case, f.Step, f.At = m.run.Case, s.ID, s.At
		}
	}
}

// follow adds entries to the transcript.
func (m *mover) follow(entries []Entry) error {
	for i := range entries {
		m.run.Spent = m.run.Spent.Plus(entries[i].Spent)
		if err := m.tr.follow(&entries[i]); err != nil {
			return err
		}
	}
	return nil
}
