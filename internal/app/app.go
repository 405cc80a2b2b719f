// Package app is the contract between the core and an app. An app is a folder that
// declares one [App]; everything else about it is private to the folder.
//
// The core builds each app once, handing it an [Env] with everything it may reach
// outside its folder, and takes back a [Kit] with everything it adds. Apps never
// import each other, the store, the API or a provider.
package app

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/db"
	"dossier/internal/eval"
	"dossier/internal/ledger"
	"dossier/internal/tool"

	"github.com/spf13/cobra"
)

// An App is a declared app with its configuration type erased. Make one with [Define].
type App struct {
	ID    string // lower case letters; used in URLs, tables and the configuration
	Title string
	Doc   string                  // one sentence: what it decides, for whom
	Roles map[dossier.Role]string // each role and what it is for
	Files fs.FS                   // prompts, evals and migrations, embedded

	// Rules recompute findings. They are pure, so a bundle is verified with them where
	// no database is.
	Rules []Rule
	// Commands are those below `dossier <id>`. They are declared before anything is
	// opened; one that works on files alone never calls CLI.Open.
	Commands func(CLI) []*cobra.Command
	// Redact takes out of what people write to the app what it must not keep, before it
	// is stored: conversations, notes, events, calls of other assistants. Nil: nothing.
	Redact func(text string) string

	// Default returns a pointer to a fresh copy of the default configuration, for
	// the core to decode into.
	Default func() Config

	build func(Env, Config) (*Kit, error)
	clone func(Config) Config
}

// A Config is an app's settings. Validate says what is wrong in a sentence.
type Config interface{ Validate() error }

// A Def declares an app whose settings are C.
type Def[C Config] struct {
	ID       string
	Title    string
	Doc      string
	Roles    map[dossier.Role]string
	Files    fs.FS
	Default  C
	Rules    []Rule
	Commands func(CLI) []*cobra.Command
	Redact   func(text string) string
	Build    func(Env, C) (*Kit, error)
}

var idForm = regexp.MustCompile(`^[a-z]+$`)

// Define checks a declaration and erases its type. It panics on a bad one.
func Define[C Config](d Def[C]) App {
	switch {
	case !idForm.MatchString(d.ID):
		panic(fmt.Sprintf("app %q: the id must be lower case letters", d.ID))
	case d.Title == "" || d.Doc == "" || d.Build == nil || len(d.Roles) == 0:
		panic(fmt.Sprintf("app %s: Title, Doc, Roles and Build are required", d.ID))
	}
	return App{
		ID: d.ID, Title: d.Title, Doc: d.Doc, Roles: d.Roles, Files: d.Files,
		Rules: d.Rules, Commands: d.Commands, Redact: d.Redact,
		Default: func() Config { c := d.Default; return any(&c).(Config) },
		clone:   func(cfg Config) Config { c := *any(cfg).(*C); return any(&c).(Config) },
		build: func(env Env, cfg Config) (*Kit, error) {
			c := *any(cfg).(*C)
			if err := c.Validate(); err != nil {
				return nil, err
			}
			return d.Build(env, c)
		},
	}
}

// Copy returns a configuration of the app's that can be changed without changing cfg.
func (a App) Copy(cfg Config) Config { return a.clone(cfg) }

// Build makes the app's kit with cfg, which came from Default and was decoded into.
func (a App) Build(env Env, cfg Config) (*Kit, error) {
	k, err := a.build(env, cfg)
	if err != nil {
		return nil, fmt.Errorf("app %s: %w", a.ID, err)
	}
	return k, k.validate(a)
}

// An Env is everything an app may reach outside its folder.
type Env struct {
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func(prefix string) string // prefix and eight random hex digits
	HTTP    *http.Client               // time-outs and egress rules are already in it
	Secret  func(name string) (string, error)
	DB      db.DB
	Notices db.Notices // between the processes on the database
	Desk    Desk
	Mail    Mail
	Dir     string // a folder of the app's own; it exists
	URL     string // the product's public address, without a final slash

	Sign      func(message []byte) []byte // with the product's ed25519 key
	PublicKey ed25519.PublicKey

	// Scratch builds the app once more over rows of its own, for a suite to play on.
	Scratch func(context.Context, ScratchOptions) (*Scratch, error)
}

// A Kit is what an app adds to the product.
type Kit struct {
	Agents   []*agent.Agent
	Tools    []tool.Tool // those that stand by themselves, outside an agent's case: other assistants get them
	Triggers []Trigger
	Jobs     map[string]Job // due work, by name
	Suites   []eval.Suite
	Routes   func(*Router)
	Demo     func(context.Context) error // loads demo data; loading twice changes nothing
	Views    map[string]View             // how each kind of evidence is shown

	// Past makes what happened before the demo's day, by the app's own ways: its clock
	// stands some weeks back, and later moves it on. It is called before Demo, while
	// nothing else works; loading twice changes nothing. Optional.
	Past func(ctx context.Context, later func(time.Duration)) error

	// Lessons returns what people decided, reviewed or rated, as examples of the app's
	// suites in the making. It is asked again and again; a lesson keeps its id. Optional.
	Lessons func(context.Context) ([]eval.Lesson, error)

	// Background tells whoever looks at an approval what the app knows beside the case,
	// such as how often such decisions were undone. Optional; see [Kit.Tell].
	Background func(context.Context, dossier.Approval, dossier.Principal) ([]Background, error)
	// Why explains a case better than the core's list of findings can. Optional.
	Why func(context.Context, dossier.CaseID, string) (Explanation, error)
}

// A Job is due work. It may run more than once and must not mind.
type Job func(ctx context.Context, args json.RawMessage) error

// A Trigger starts work unasked: by the clock, on an event, or both.
type Trigger struct {
	Name string
	Doc  string
	Cron string // "0 */6 * * *"; "": not by the clock
	On   string // name of an event posted to the API; "": on no event
	Run  func(ctx context.Context, event json.RawMessage) error
}

// A Rule recomputes a finding from the evidence it cites.
type Rule = ledger.Rule

// A View is a way to show evidence.
type View string

// The six views.
const (
	Table   View = "table"
	Chart   View = "chart"
	Map     View = "map"
	Picture View = "image"
	Prose   View = "text"
	JSON    View = "json"
)

// An Explanation answers "why?" with what it rests on.
type Explanation struct {
	Text  string               `json:"text"`
	Cites []dossier.EvidenceID `json:"cites"`
}
