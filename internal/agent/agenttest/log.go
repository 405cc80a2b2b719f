// Package agenttest holds what tests, evaluations and benchmarks of agents share: a
// log in memory and a model that follows a script.
//
// The log behaves as the store does, conflicts and sealed chains included, and
// forgets everything when the process ends. Production code uses it only to play
// the examples of a suite and for commands that keep no records.
package agenttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/canon"
)

// A Log is an agent.Log in memory.
type Log struct {
	mu        sync.Mutex
	runs      map[dossier.RunID]*kept
	acts      map[string]agent.Act
	approvals map[dossier.ApprovalID]dossier.Approval
	order     []dossier.ApprovalID
	cases     map[dossier.CaseID]*facts
	instance  string
	dead      map[string]bool
	ids       int
}

type kept struct {
	run   dossier.Run
	steps []dossier.Step
}

type facts struct {
	chain []dossier.Evidence
	found []dossier.Finding
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{
		runs: map[dossier.RunID]*kept{}, acts: map[string]agent.Act{}, cases: map[dossier.CaseID]*facts{},
		approvals: map[dossier.ApprovalID]dossier.Approval{}, instance: "instance-1", dead: map[string]bool{},
	}
}

// Start adds a run.
func (l *Log) Start(r dossier.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs[r.ID] = &kept{run: r}
}

// Load implements agent.Log.
func (l *Log) Load(_ context.Context, id dossier.RunID) (dossier.Run, []dossier.Step, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.runs[id]
	if !ok {
		return dossier.Run{}, nil, dossier.Errorf(dossier.NotFound, "There is no run %s.", id)
	}
	return k.run, k.steps[:len(k.steps):len(k.steps)], nil
}

// Run implements agent.Log.
func (l *Log) Run(ctx context.Context, id dossier.RunID) (dossier.Run, error) {
	run, _, err := l.Load(ctx, id)
	return run, err
}

// Record implements agent.Log.
func (l *Log) Record(_ context.Context, m agent.Move) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.runs[m.Run]
	if !ok {
		return dossier.Errorf(dossier.NotFound, "There is no run %s.", m.Run)
	}
	if k.run.Status.Ended() {
		return dossier.Errorf(dossier.Conflict, "The run has ended.")
	}
	if len(m.Entries) > 0 && m.Entries[0].Step.Seq != len(k.steps)+1 {
		return dossier.Errorf(dossier.Conflict, "Step %d of run %s is taken.", m.Entries[0].Step.Seq, m.Run)
	}
	if err := l.begin(m.Begin); err != nil {
		return err
	}
	for _, e := range m.Entries {
		if err := l.enter(k, e); err != nil {
			return err
		}
	}
	if m.Finish != nil {
		l.acts[m.Finish.App+"/"+m.Finish.Key] = *m.Finish
	}
	for _, a := range m.Approvals {
		l.approvals[a.ID] = a
		l.order = append(l.order, a.ID)
	}
	for _, v := range m.Voided {
		a := l.approvals[v.ID]
		if a.Status == dossier.Pending || a.Status == dossier.Approved {
			a.Status, a.VoidedBy = v.Status, v.VoidedBy
		}
		l.approvals[v.ID] = a
	}
	for _, c := range m.Children {
		l.runs[c.ID] = &kept{run: c}
	}
	k.run.Status, k.run.Answer, k.run.Failure = m.Status, m.Answer, m.Failure
	k.run.Spent = k.run.Spent.Plus(m.Spent())
	if m.Status.Ended() {
		k.run.Ended = m.At
	}
	return nil
}

// begin takes the key of an act. A key whose act is under way elsewhere is taken.
func (l *Log) begin(b *agent.Act) error {
	if b == nil {
		return nil
	}
	key := b.App + "/" + b.Key
	old := l.acts[key]
	if old.State == agent.ActDone || old.State == agent.ActBegun && (old.Run != b.Run || old.Call != b.Call) {
		return dossier.Errorf(dossier.Conflict, "The act %s was begun before.", b.Key)
	}
	l.acts[key] = *b
	return nil
}

func (l *Log) enter(k *kept, e agent.Entry) error {
	f := l.cases[k.run.Case]
	if f == nil {
		f = &facts{}
		l.cases[k.run.Case] = f
	}
	var own []dossier.EvidenceID
	for _, ev := range e.Seen {
		if err := ev.Validate(); err != nil {
			return err
		}
		l.ids++
		ev.ID = dossier.EvidenceID(fmt.Sprintf("ev-%d", l.ids))
		data, err := canon.JSON(ev.Data)
		if err != nil {
			return err
		}
		ev.Data = data
		var prev *dossier.Evidence
		if n := len(f.chain); n > 0 {
			prev = &f.chain[n-1]
		}
		ev.Seal(prev)
		f.chain = append(f.chain, ev)
		own = append(own, ev.ID)
	}
	for _, fi := range e.Found {
		if len(fi.Cites) == 0 {
			fi.Cites = own
		}
		if err := fi.Validate(); err != nil {
			return err
		}
		l.ids++
		fi.ID = dossier.FindingID(fmt.Sprintf("fi-%d", l.ids))
		f.found = append(f.found, fi)
	}
	k.steps = append(k.steps, e.Step)
	return nil
}

// Within implements agent.Log. It has no transactions: what fn wrote before it
// failed stays.
func (l *Log) Within(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

// Act implements agent.Log.
func (l *Log) Act(_ context.Context, app, key string) (agent.Act, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acts[app+"/"+key], nil
}

// Approvals implements agent.Log.
func (l *Log) Approvals(_ context.Context, id dossier.RunID) ([]dossier.Approval, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []dossier.Approval
	for _, a := range l.order {
		if l.approvals[a].Run == id {
			out = append(out, l.approvals[a])
		}
	}
	return out, nil
}

// All returns every approval, oldest first.
func (l *Log) All() []dossier.Approval {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]dossier.Approval, len(l.order))
	for i, id := range l.order {
		out[i] = l.approvals[id]
	}
	return out
}

// Pending returns every approval that waits, oldest first.
func (l *Log) Pending() []dossier.Approval {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []dossier.Approval
	for _, id := range l.order {
		if l.approvals[id].Status == dossier.Pending {
			out = append(out, l.approvals[id])
		}
	}
	return out
}

// Decide records a decision about an approval and makes its run ready.
func (l *Log) Decide(id dossier.ApprovalID, d dossier.Decision) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.approvals[id]
	if err := a.Decide(d); err != nil {
		return err
	}
	l.approvals[id] = a
	if k := l.runs[a.Run]; k != nil && a.Status != dossier.Pending {
		k.run.Status = dossier.Ready
	}
	return nil
}

// Void ends a pending approval, as evidence that changes what it cites would.
func (l *Log) Void(id dossier.ApprovalID, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.approvals[id]
	a.Status, a.VoidedBy = dossier.Void, why
	l.approvals[id] = a
}

// See appends evidence to a case as if it had come from outside a run.
func (l *Log) See(id dossier.CaseID, e dossier.Evidence) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Case = id
	k := &kept{run: dossier.Run{Case: id}}
	return l.enter(k, agent.Entry{Seen: []dossier.Evidence{e}})
}

// Facts implements agent.Log.
func (l *Log) Facts(_ context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.cases[id]
	if f == nil {
		return nil, nil, nil
	}
	return slices.Clone(f.chain), slices.Clone(f.found), nil
}

// Instance implements agent.Log.
func (l *Log) Instance() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.instance
}

// Alive implements agent.Log.
func (l *Log) Alive(_ context.Context, instance string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dead[instance], nil
}

// Restart behaves as if the process had been killed and started again.
func (l *Log) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead[l.instance] = true
	l.ids++
	l.instance = fmt.Sprintf("instance-%d", l.ids)
}
