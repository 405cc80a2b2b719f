package desk_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/desk"
	"dossier/internal/model"
	"dossier/internal/store/storetest"
	"dossier/internal/tool"
)

type nothing struct{}

// TestARunThatCannotBeDrivenIsQueued: whoever asked for it gets the error, and the work
// engine goes on with the run instead of waiting until the sweep finds it.
func TestARunThatCannotBeDrivenIsQueued(t *testing.T) {
	t.Parallel()
	down := dossier.Errorf(dossier.Unavailable, "The roster does not answer.")
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			var fails func() error // what keeps the specialist from its work
			kid := &agent.Agent{
				Name: "kid", ToolName: "run_kid", Doc: "Looks.", Prompt: "Look.", Input: tool.SchemaOf[nothing](),
				Preload: func(context.Context, dossier.Run) (agent.Preloaded, error) { return agent.Preloaded{}, fails() },
				Policy:  func(context.Context, *model.Request) (*model.Reply, error) { return model.Say("seen"), nil },
			}
			top := &agent.Agent{
				Name: "top", Doc: "Asks.", Prompt: "Ask.", Input: tool.SchemaOf[nothing](), Specialists: []*agent.Agent{kid},
				Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
					if r, ok := req.Last("run_kid"); ok {
						return model.Say(string(r.Value)), nil
					}
					return req.Calling(model.Planned{Tool: "run_kid", Args: nothing{}}), nil
				},
			}
			s, clock := storetest.Open(t, name)
			n := 0
			newID := func(prefix string) string { n++; return prefix + strconv.Itoa(n) }
			queued := func() (n int) {
				t.Helper()
				if err := s.DB().QueryRow(t.Context(), "SELECT count(*) FROM river_job").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			d := &desk.Desk{ID: "test", Store: s, Now: clock.Now, NewID: newID, Runner: &agent.Runner{
				Log: s, Now: clock.Now, NewID: newID, Slog: slog.New(slog.DiscardHandler),
				Agent: func(_, name string) (*agent.Agent, bool) { return agent.Find([]*agent.Agent{top}, name) },
			}}
			c, _, err := d.Open(ctx, app.Opening{Subject: "van/1", Title: "Van", State: dossier.Open})
			if err != nil {
				t.Fatal(err)
			}
			run, err := d.Start(ctx, app.Start{Case: c.ID, Agent: "top", For: dossier.SystemPrincipal, Input: nothing{}, Hold: true})
			if err != nil {
				t.Fatal(err)
			}
			for i, way := range []func() error{
				func() error { return down },
				func() error { leave(); return ctx.Err() },
			} {
				before := queued()
				fails = way
				if _, err := d.Drive(ctx, run.ID); err == nil {
					t.Fatal("the specialist worked all the same")
				}
				if n := queued() - before; n < 1 {
					t.Errorf("way %d: %d jobs", i, n)
				}
				if r, err := d.Run(t.Context(), run.ID); err != nil || r.Status != dossier.Ready {
					t.Errorf("way %d: the run is %s, %v", i, r.Status, err)
				}
			}
			fails = func() error { return nil }
			if r, err := d.Drive(t.Context(), run.ID); err != nil || string(r.Answer) != `"\"seen\""` {
				t.Errorf("it comes to %s, %v", r.Answer, err)
			}
		})
	}
}
