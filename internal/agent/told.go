package agent

import (
	"context"

	"dossier"
	"dossier/internal/model"
)

// Told rebuilds what the model was told before the step at place seq of a run. The
// messages are those of then; prompt and tools are the agent's of now, which a
// step's version tells apart.
func (r *Runner) Told(ctx context.Context, id dossier.RunID, seq int) (*model.Request, error) {
	run, steps, err := r.Log.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if seq < 1 || seq > len(steps) || steps[seq-1].Kind != dossier.ModelTurn {
		return nil, dossier.Errorf(dossier.NotFound, "Step %d of run %s is no model turn.", seq, id)
	}
	a, ok := r.Agent(run.App, run.Agent)
	if !ok {
		return nil, dossier.Errorf(dossier.NotFound, "The app %s has no agent named %q.", run.App, run.Agent)
	}
	tr, err := replay(steps[:seq-1])
	if err != nil {
		return nil, err
	}
	m := &mover{Runner: r, run: run, agent: a, tr: tr, as: run.For}
	return m.request(), nil
}
