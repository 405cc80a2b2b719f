package agent

import (
	"context"
	"encoding/json"
	"time"

	"dossier"
)

// A Log is what the runner needs of the store. Each method is one transaction, or
// part of the one that Within opened.
type Log interface {
	// Load returns a run and its steps in order.
	Load(ctx context.Context, id dossier.RunID) (dossier.Run, []dossier.Step, error)

	// Run returns a run without its steps.
	Run(ctx context.Context, id dossier.RunID) (dossier.Run, error)

	// Record writes a move, all or nothing. It returns dossier.Conflict if a step with
	// the same place in the run exists, or if the run has ended.
	Record(ctx context.Context, m Move) error

	// Within runs fn in a transaction that Record, and every write made with the
	// context given to fn, joins.
	Within(ctx context.Context, fn func(ctx context.Context) error) error

	// Act returns what is known about the act with this key.
	Act(ctx context.Context, app, key string) (Act, error)

	// Approvals returns every approval that was asked in a run.
	Approvals(ctx context.Context, id dossier.RunID) ([]dossier.Approval, error)

	// Facts returns a case's evidence chain and findings, each in order.
	Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error)

	// Instance names this process, and Alive reports whether the process that an
	// instance names still runs.
	Instance() string
	Alive(ctx context.Context, instance string) (bool, error)
}

// A Move is what is recorded of a run at once: steps, and everything that belongs to
// them.
type Move struct {
	Run     dossier.RunID
	Case    dossier.CaseID // the run's; "" makes the store look it up
	Status  dossier.Status
	Answer  json.RawMessage // when Status is Done
	Failure string          // when Status is Failed
	At      time.Time

	Entries   []Entry
	Approvals []dossier.Approval // newly asked
	Voided    []dossier.Approval // no longer to be decided or used, with Status and VoidedBy set
	Children  []dossier.Run      // newly started; each is queued, unless Drives
	Begin     *Act               // an act that is about to run
	Finish    *Act               // an act that came back

	// Wake queues the run again at once. It is not needed while the caller goes on
	// advancing the run itself.
	Wake bool
	// Drives: the caller drives the run's children itself. Driven: it drives the run
	// that called this one, too. Those need not be queued: should the process die, the
	// sweep finds them ready with nobody alive at them.
	Drives, Driven bool
}

// Spent returns what the move's entries took together.
func (m Move) Spent() dossier.Expense {
	var sum dossier.Expense
	for _, e := range m.Entries {
		sum = sum.Plus(e.Spent)
	}
	return sum
}

// An Entry is a step with what it took, saw and found. The store adds the expense to
// the run's, seals the evidence and refuses findings that cite nothing.
type Entry struct {
	Step  dossier.Step
	body  any // what Step.Body was encoded from
	Spent dossier.Expense
	Seen  []dossier.Evidence
	Found []dossier.Finding
}

// An Act is one deed in the outside world, by its key.
type Act struct {
	App, Key string
	Run      dossier.RunID
	Call     string
	State    ActState
	Value    json.RawMessage // what came back, when Done
	By       string          // the instance that began it
}

// An ActState is how far an act has come.
type ActState string

// The states of an act. ActNone is what Log.Act returns for an unknown key.
const (
	ActNone   ActState = ""
	ActBegun  ActState = "begun"
	ActDone   ActState = "done"
	ActFailed ActState = "failed" // it came back with an error; it may be tried again
)
