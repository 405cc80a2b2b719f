// Package apptest lets an app's tests run the app over a real store, without the app
// importing one.
//
// [Open] builds an app as the product does: tables migrated, runner, inbox and ledger
// wired, work engine at hand, on a clock that the test moves. [Bench.Call] asks its
// routes, and [Run] holds the checks that every app must pass. Nothing here is used by
// production code.
package apptest

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/desk"
	"dossier/internal/ledger"
	"dossier/internal/model"
	"dossier/internal/records"
	"dossier/internal/scratch"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/tool"
	"dossier/internal/work"
)

// A Bench is an app built over a real store, with a test's grip on it.
type Bench struct {
	T      testing.TB
	App    app.App
	Kit    *app.Kit
	Env    app.Env
	Desk   *desk.Desk
	Store  *store.Store
	Runner *agent.Runner
	Inbox  *approval.Inbox
	Ledger *ledger.Ledger
	Clock  *storetest.Clock
	Mail   *Outbox
	As     dossier.Principal // who calls the app's routes; at first someone with every role of it

	serve sync.Once
	http  http.Handler
}

// Options change how a bench is built. The zero value is an app with its default
// configuration on SQLite, played by its reference policies.
type Options struct {
	Database string           // "sqlite" (default) or "postgres"
	URL      string           // an existing database, as storetest.URL gives; "": a fresh one
	Change   func(app.Config) // changes the default configuration, a pointer to the app's type
	Model    model.Model      // plays every agent; nil: the reference policies
	At       time.Time        // where the clock stands at first; zero: storetest's
	Clock    *storetest.Clock // shared with another bench; nil: one of its own
	Dir      string           // the app's folder; "": a fresh one
	BaseURL  string           // the product's address; "": http://dossier.test
	HTTP     *http.Client
	Log      *slog.Logger
}

// Open builds an app for a test. Everything is closed when the test ends.
func Open(t testing.TB, a app.App, o Options) *Bench {
	t.Helper()
	if o.Database == "" {
		o.Database = "sqlite"
	}
	if o.URL == "" {
		o.URL = storetest.URL(t, o.Database)
	}
	if o.BaseURL == "" {
		o.BaseURL = "http://dossier.test"
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	clock := o.Clock
	if clock == nil {
		clock = storetest.NewClock()
	}
	if !o.At.IsZero() {
		clock.Add(o.At.Sub(clock.Now()))
	}
	b := &Bench{T: t, App: a, Clock: clock, Store: storetest.OpenURL(t, o.URL, clock), Mail: &Outbox{now: clock.Now}}
	b.As = b.Person("person")
	b.wire(o)
	b.build(o)
	return b
}

func (b *Bench) wire(o Options) {
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Runner = &agent.Runner{
		Log: b.Store, Now: b.Clock.Now, NewID: NewID, Slog: o.Log,
		Agent: func(_, name string) (*agent.Agent, bool) { return agent.Find(b.Kit.Agents, name) },
		Model: func(string, *agent.Agent) model.Model { return o.Model },
	}
	b.Inbox = &approval.Inbox{Store: b.Store, Now: b.Clock.Now, Tool: func(_, name string) (tool.Tool, bool) { return b.Kit.Tool(name) },
		Redact: func(_, note string) string { return b.App.Redacted(note) }}
	b.Ledger = &ledger.Ledger{
		Store: b.Store, Now: b.Clock.Now, Key: pub, Sign: func(m []byte) []byte { return ed25519.Sign(priv, m) },
	}
	b.Desk = &desk.Desk{ID: b.App.ID, Store: b.Store, Runner: b.Runner, Inbox: b.Inbox, Now: b.Clock.Now, NewID: NewID, Redact: b.App.Redact}
	b.Env = app.Env{
		Log: o.Log, Now: b.Clock.Now, NewID: NewID, HTTP: o.HTTP, DB: b.Store.DB(), Notices: b.Store.Notices(), Desk: b.Desk, Mail: b.Mail,
		Dir: o.Dir, URL: o.BaseURL, Sign: b.Ledger.Sign, PublicKey: pub,
		Secret: func(name string) (string, error) { return "secret-of-" + name, nil },
	}
	copies := &scratch.Maker{App: b.App, Config: b.App.Default(), Secret: b.Env.Secret}
	b.Env.Scratch = copies.Open
}

func (b *Bench) build(o Options) {
	b.T.Helper()
	if b.App.Files != nil {
		if err := b.Store.Migrate(b.T.Context(), b.App.ID, b.App.Files); err != nil {
			b.T.Fatal(err)
		}
	}
	cfg := b.App.Default()
	if o.Change != nil {
		o.Change(cfg)
	}
	kit, err := b.App.Build(b.Env, cfg)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Kit = kit
	for _, t := range kit.Triggers {
		if t.Cron == "" {
			continue
		}
		if err := b.Store.Work().Every(b.App.ID, t.Name, t.Cron); err != nil {
			b.T.Fatal(err)
		}
	}
}

// NewID makes ids as the product does.
func NewID(prefix string) string { return store.NewID(prefix) }

// Walk moves the clock by d in steps of at most an hour and does what becomes due on
// the way, in order of time.
func (b *Bench) Walk(d time.Duration) {
	b.T.Helper()
	for d > 0 {
		step := min(d, time.Hour)
		d -= step
		b.Clock.Add(step)
		b.Settle()
	}
}

// Settle does everything that is due now: due rows, expired approvals, ready runs.
func (b *Bench) Settle() {
	b.T.Helper()
	ctx, now := b.T.Context(), b.Clock.Now()
	for {
		n, err := b.Store.Work().RunDue(ctx, now, b.handle)
		if err != nil {
			b.T.Fatal(err)
		}
		if _, err := b.Store.Sweep(ctx, now); err != nil {
			b.T.Fatal(err)
		}
		ready, err := b.Store.Runs(ctx, records.RunQuery{Status: dossier.Ready, Limit: 500})
		if err != nil {
			b.T.Fatal(err)
		}
		for _, r := range ready {
			if _, err := b.Runner.Drive(ctx, r.ID); err != nil {
				b.T.Fatal(err)
			}
		}
		if n == 0 && len(ready) == 0 {
			return
		}
	}
}

func (b *Bench) handle(ctx context.Context, j work.Job) error {
	switch j.Kind {
	case work.Run:
		_, err := b.Runner.Drive(ctx, dossier.RunID(j.Name))
		return err
	case work.Due:
		job, ok := b.Kit.Jobs[j.Name]
		if !ok {
			return dossier.Errorf(dossier.NotFound, "The app %s has no job %q.", j.App, j.Name)
		}
		return job(ctx, j.Args)
	}
	return b.Fire(ctx, j.Name, j.Args)
}

// Fire runs a trigger.
func (b *Bench) Fire(ctx context.Context, name string, event json.RawMessage) error {
	i := slices.IndexFunc(b.Kit.Triggers, func(t app.Trigger) bool { return t.Name == name })
	if i < 0 {
		return dossier.Errorf(dossier.NotFound, "The app %s has no trigger %q.", b.App.ID, name)
	}
	return b.Kit.Triggers[i].Run(ctx, event)
}

// Pending returns what waits in the inbox, oldest first.
func (b *Bench) Pending() []dossier.Approval {
	b.T.Helper()
	all, err := b.Store.ListApprovals(b.T.Context(), records.ApprovalQuery{
		Statuses: []dossier.ApprovalStatus{dossier.Pending}, Now: b.Clock.Now(), Limit: 500,
	})
	if err != nil {
		b.T.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

// Decide decides an approval as a person with all roles of the app and does what
// follows from it.
func (b *Bench) Decide(id dossier.ApprovalID, d dossier.Decision) {
	b.T.Helper()
	if d.By.ID == "" {
		d.By = b.Person("person")
	}
	if _, err := b.Inbox.Decide(b.T.Context(), id, "", d); err != nil {
		b.T.Fatal(err)
	}
	b.Settle()
}

// Person returns a principal with these roles, or with every role of the app.
func (b *Bench) Person(id string, roles ...dossier.Role) dossier.Principal {
	if len(roles) == 0 {
		roles = slices.Sorted(maps.Keys(b.App.Roles))
	}
	return dossier.Principal{ID: id, Name: "Person " + id, Roles: roles}
}

// Verify recomputes every finding of a case and fails the test on a disagreement.
func (b *Bench) Verify(id dossier.CaseID) ledger.Report {
	b.T.Helper()
	bundle, err := b.Ledger.Export(b.T.Context(), id)
	if err != nil {
		b.T.Fatal(err)
	}
	r := ledger.Verify(bundle, b.Ledger.PublicKey(), append([]ledger.Rule{}, b.App.Rules...))
	if !r.OK {
		b.T.Errorf("case %s does not verify: %q", id, r.Problems)
	}
	return r
}

// An Outbox keeps what was mailed, once per key.
type Outbox struct {
	mu   sync.Mutex
	now  func() time.Time
	keys []string
	sent []app.Message
}

var _ app.Mail = (*Outbox)(nil)

// Send implements app.Mail.
func (o *Outbox) Send(_ context.Context, key string, m app.Message) (app.Receipt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.keys, key); i >= 0 {
		return app.Receipt{MessageID: o.sent[i].MessageID, Via: "outbox", At: o.now()}, nil
	}
	if m.MessageID == "" {
		m.MessageID = NewID("mail-") + "@dossier.test"
	}
	o.keys = append(o.keys, key)
	o.sent = append(o.sent, m)
	return app.Receipt{MessageID: m.MessageID, Via: "outbox", At: o.now()}, nil
}

// Noted implements app.Mail. What is noted is not among what was mailed.
func (o *Outbox) Noted(_ context.Context, key string, m app.Message) (app.Receipt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.keys, key); i >= 0 {
		m = o.sent[i]
	}
	return app.Receipt{MessageID: m.MessageID, Via: "outbox", At: o.now()}, nil
}

// Sent returns what was mailed, in order.
func (o *Outbox) Sent() []app.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.sent)
}
