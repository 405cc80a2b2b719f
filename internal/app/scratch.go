package app

import (
	"net/http"
	"time"

	"dossier/internal/eval"
	"dossier/internal/model"
)

// A Scratch is an app built once more, over a SQLite file of its own that is thrown
// away. A suite whose agent's tools read and write rows is played on one: it writes
// the rows that its example describes through Env, opens a case at Env.Desk and hands
// Stage to [eval.PlayAgent]. Nothing of it reaches the product's own records, nothing
// is mailed, and no address is reached unless HTTP was given.
type Scratch struct {
	Kit   *Kit
	Env   Env
	Stage eval.Stage // with the app's agents and records; the caller adds Case, For, Says
	Close func()     // throws it away
}

// ScratchOptions say how a scratch copy is built. The zero value will do.
type ScratchOptions struct {
	Model  model.Model  // plays every agent; nil: the reference policies
	Now    time.Time    // where its clock stands; zero: a fixed day
	HTTP   *http.Client // nil: every request fails
	Change func(Config) // changes the configuration, a pointer to the app's type; nil: as it is
}
