// Package scratch builds an app once more, over a SQLite file that is thrown away.
//
// Suites play agents on such copies when their tools read and write rows: the tables
// are the real ones, so are the tools, the desk and the checks, but nothing reaches
// the product's own records, mail goes nowhere and no address is reached. The tables
// are made once per app and copied as a file after that, because a suite opens a copy
// for every example.
package scratch

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/desk"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/store"
	"dossier/internal/tool"
)

// A Maker makes scratch copies of one app.
type Maker struct {
	App    app.App
	Config app.Config // as the product has it; never changed
	Secret func(name string) (string, error)

	mu     sync.Mutex
	tables []byte // an empty database with the app's tables; nil: not made yet
}

// someDay is where the clock of a copy stands unless it is set.
var someDay = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Open builds a copy. Close throws it away.
func (m *Maker) Open(ctx context.Context, o app.ScratchOptions) (_ *app.Scratch, err error) {
	if o.Now.IsZero() {
		o.Now = someDay
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Transport: nowhere{}}
	}
	dir, err := os.MkdirTemp("", "dossier-scratch-")
	if err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "No folder can be made to play on.").Because(err)
	}
	undo := func() { _ = os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			undo()
		}
	}()
	st, err := m.open(ctx, dir, func() time.Time { return o.Now })
	if err != nil {
		return nil, err
	}
	undo = func() {
		st.Close()
		_ = os.RemoveAll(dir)
	}
	s := &app.Scratch{Close: undo}
	return s, m.build(s, st, dir, o)
}

// open opens a database with the app's tables in dir.
func (m *Maker) open(ctx context.Context, dir string, now func() time.Time) (*store.Store, error) {
	file := filepath.Join(dir, "scratch.db")
	opts := store.Options{URL: "sqlite:" + file + "?sync=normal", Now: now, NewID: newID}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tables == nil {
		if err := m.make(ctx, opts, dir); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(file, m.tables, 0o600); err != nil {
		return nil, dossier.Errorf(dossier.Unavailable, "The file %s cannot be written.", file).Because(err)
	}
	return store.Open(ctx, opts)
}

// make makes the tables once and keeps the file they are in.
func (m *Maker) make(ctx context.Context, opts store.Options, dir string) error {
	s, err := store.Open(ctx, opts)
	if err != nil {
		return err
	}
	if m.App.Files != nil {
		if err := s.Migrate(ctx, m.App.ID, m.App.Files); err != nil {
			s.Close()
			return err
		}
	}
	whole := filepath.Join(dir, "tables.db")
	err = s.Backup(ctx, whole)
	s.Close()
	if err != nil {
		return err
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(filepath.Join(dir, "scratch.db"+end))
	}
	if m.tables, err = os.ReadFile(whole); err != nil {
		return fmt.Errorf("read %s: %w", whole, err)
	}
	return nil
}

// build makes the app's kit over st.
func (m *Maker) build(s *app.Scratch, st *store.Store, dir string, o app.ScratchOptions) error {
	now := func() time.Time { return o.Now }
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	silent := slog.New(slog.DiscardHandler)
	runner := &agent.Runner{
		Log: st, Now: now, NewID: newID, Slog: silent,
		Agent: func(_, name string) (*agent.Agent, bool) { return agent.Find(s.Kit.Agents, name) },
		Model: func(string, *agent.Agent) model.Model { return o.Model },
	}
	inbox := &approval.Inbox{Store: st, Now: now, Tool: func(_, name string) (tool.Tool, bool) { return s.Kit.Tool(name) }}
	own := filepath.Join(dir, m.App.ID)
	if err := os.Mkdir(own, 0o700); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The folder %s cannot be made.", own).Because(err)
	}
	s.Env = app.Env{
		Log: silent, Now: now, NewID: newID, HTTP: o.HTTP, Secret: m.Secret, DB: st.DB(),
		Desk: &desk.Desk{ID: m.App.ID, Store: st, Runner: runner, Inbox: inbox, Now: now, NewID: newID},
		Mail: unsent{now}, Dir: own, URL: "http://dossier.scratch", PublicKey: pub,
		Sign: func(b []byte) []byte { return ed25519.Sign(key, b) }, Scratch: m.Open,
	}
	cfg := m.Config
	if o.Change != nil {
		cfg = m.App.Copy(cfg)
		o.Change(cfg)
	}
	if s.Kit, err = m.App.Build(s.Env, cfg); err != nil {
		return err
	}
	s.Stage = eval.Stage{App: m.App.ID, Agents: s.Kit.Agents, Now: o.Now, NewID: newID, On: ground{st, inbox}}
	return nil
}

// ground keeps the records of a play in the copy's own rows.
type ground struct {
	*store.Store
	inbox *approval.Inbox
}

// Begin implements eval.Ground.
func (g ground) Begin(ctx context.Context, r dossier.Run) error {
	_, err := g.InsertRun(ctx, r, nil, true)
	return err
}

// Asked implements eval.Ground.
func (g ground) Asked(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error) {
	return g.ApprovalsOf(ctx, id)
}

// Settle implements eval.Ground.
func (g ground) Settle(ctx context.Context, id dossier.ApprovalID, d dossier.Decision) error {
	_, err := g.inbox.Decide(ctx, id, "", d)
	return err
}

// nowhere fails every request.
type nowhere struct{}

// RoundTrip implements http.RoundTripper.
func (nowhere) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, dossier.Errorf(dossier.Unavailable, "A scratch copy reaches no address, not even %s.", r.URL.Host)
}

// unsent takes mail and sends none.
type unsent struct{ now func() time.Time }

// Send implements app.Mail.
func (u unsent) Send(_ context.Context, key string, m app.Message) (app.Receipt, error) {
	id := m.MessageID
	if id == "" {
		id = key + "@dossier.scratch"
	}
	return app.Receipt{MessageID: id, Via: "nowhere", At: u.now()}, nil
}

// Noted implements app.Mail.
func (u unsent) Noted(ctx context.Context, key string, m app.Message) (app.Receipt, error) {
	return u.Send(ctx, key, m)
}

func newID(prefix string) string {
	b := make([]byte, 4)
	if _, err := rand.Read(b); err != nil {
		panic(err.Error()) // the operating system has no randomness
	}
	return prefix + hex.EncodeToString(b)
}
