package app

import (
	"context"
	"io"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/eval"
)

// A CLI is what an app's commands may use. Commands that need no records work on
// files alone and never call Open.
type CLI interface {
	In() io.Reader
	Out() io.Writer
	Err() io.Writer
	// Now is the time.
	Now() time.Time
	// JSON reports whether the caller asked for machine output.
	JSON() bool
	// Print writes v as JSON if asked for, and else calls text.
	Print(v any, text func(io.Writer) error) error
	// Open builds the product and returns this app's kit and environment. The product
	// is closed when the command ends. Work that becomes due is done while wait runs.
	Open(ctx context.Context) (*Kit, Env, error)
	// Config returns the app's configuration, a pointer as Default gives, without
	// opening anything.
	Config() (Config, error)
	// Stage returns where an agent of the app is played without records, and who plays
	// it: the model that the configuration gives its part to, or the reference policy.
	// alias names another model; "reference" is the policy. Records are read only if a
	// gate asks what the model has scored.
	Stage(ctx context.Context, a *agent.Agent, alias string) (eval.Stage, eval.Player, error)
	// As returns the principal that commands act for: after Open the user that --as
	// names, else the operator at the keyboard, who holds every role of the app.
	As() dossier.Principal
}
