package store

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/agent"
)

// The kinds of events about acts, beside those that every page knows.
const (
	ActBegun  = "act.begun"
	ActDone   = "act.done"
	ActFailed = "act.failed"
)

// Act returns what is known about the act with this key; its State is ActNone if
// nothing is.
func (s *Store) Act(ctx context.Context, app, key string) (agent.Act, error) {
	a := agent.Act{App: app, Key: key}
	err := s.db.QueryRow(ctx, "SELECT run_id, call_id, state, value, begun_by FROM acts WHERE app = $1 AND act_key = $2", app, key).
		Scan(&a.Run, &a.Call, &a.State, &a.Value, &a.By)
	if dossier.KindOf(err) == dossier.NotFound {
		return a, nil
	}
	return a, err
}

// beginAct takes the key of an act. One that failed may be begun again, and so may one
// in doubt by the same call: a person decided that it should be. No other may.
func (s *Store) beginAct(ctx context.Context, a agent.Act, run dossier.Run, at time.Time) error {
	if a.App == "" {
		a.App = run.App
	}
	n, err := s.db.Exec(ctx, `INSERT INTO acts (app, act_key, run_id, call_id, state, value, begun_by, begun, ended)
		VALUES ($1, $2, $3, $4, 'begun', '', $5, $6, 0)
		ON CONFLICT (app, act_key) DO UPDATE SET run_id = excluded.run_id, call_id = excluded.call_id, state = 'begun',
			value = '', begun_by = excluded.begun_by, begun = excluded.begun, ended = 0
		WHERE acts.state = 'failed' OR acts.state = 'begun' AND acts.run_id = excluded.run_id AND acts.call_id = excluded.call_id`, a.App, a.Key, run.ID, a.Call, s.self.name, at)
	if err != nil {
		return fmt.Errorf("begin act %s: %w", a.Key, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.Conflict, "This was begun before and is not repeated: %s.", a.Key)
	}
	return nil
}

// finishAct ends an act. A write was never begun: it is done in the transaction that
// says so.
func (s *Store) finishAct(ctx context.Context, a agent.Act, run dossier.Run, at time.Time) error {
	if a.App == "" {
		a.App = run.App
	}
	if a.State != agent.ActDone && a.State != agent.ActFailed {
		return dossier.Errorf(dossier.Invalid, "An act ends as done or failed, not as %q.", a.State)
	}
	n, err := s.db.Exec(ctx, `INSERT INTO acts (app, act_key, run_id, call_id, state, value, begun_by, begun, ended)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
		ON CONFLICT (app, act_key) DO UPDATE SET state = excluded.state, value = excluded.value, ended = excluded.ended
		WHERE acts.state <> 'done'`, a.App, a.Key, run.ID, a.Call, a.State, a.Value, s.self.name, at)
	if err != nil {
		return fmt.Errorf("finish act %s: %w", a.Key, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.Conflict, "This was done before and is not repeated: %s.", a.Key)
	}
	return nil
}

func actText(a agent.Act) string {
	if a.State == agent.ActFailed {
		return "Failed: " + a.Key
	}
	return "Done: " + a.Key
}
